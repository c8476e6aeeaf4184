//! Why an ISA string is refused.

use thiserror::Error;

use crate::profile::PROFILES;

/// Why an ISA string was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IsaError {
    /// No `rv32`/`rv64` prefix with a base.
    #[error("ISA string '{text}' does not start with rv32i, rv64i, rv32g or rv64g")]
    Prefix {
        /// The whole string.
        text: String,
    },
    /// Shaped like a profile's name.
    #[error("unknown profile '{profile}'; known are {}", known_profiles())]
    Profile {
        /// Its name.
        profile: String,
    },
    /// An extension this project does not know.
    #[error("unknown extension '{name}' in ISA string '{text}'{}", .suggestion.map(|s| format!("; did you mean '{s}'?")).unwrap_or_default())]
    Unknown {
        /// The extension.
        name: String,
        /// The whole string.
        text: String,
        /// A known name near to it.
        suggestion: Option<&'static str>,
    },
    /// A known extension that is refused.
    #[error("extension '{name}' of ISA string '{text}' is refused: {reason}; leave it out")]
    NotBuilt {
        /// The extension.
        name: String,
        /// The whole string.
        text: String,
        /// Why.
        reason: &'static str,
    },
    /// Two parts that exclude each other.
    #[error("contradictory ISA string '{text}': {why}")]
    Contradictory {
        /// The whole string.
        text: String,
        /// What excludes what.
        why: String,
    },
}

impl IsaError {
    /// The extension at fault, if it is one.
    pub fn extension(&self) -> Option<&str> {
        match self {
            Self::Unknown { name, .. } | Self::NotBuilt { name, .. } => Some(name),
            Self::Prefix { .. } | Self::Profile { .. } | Self::Contradictory { .. } => None,
        }
    }
}

fn known_profiles() -> String {
    PROFILES.iter().map(|profile| profile.name).collect::<Vec<_>>().join(", ")
}
