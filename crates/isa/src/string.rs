//! ISA strings: `rv64imac_zbb_zkn`, also with the version numbers compilers write
//! (`rv32i2p1_m2p0_zmmul1p0`). Naming conventions: RISC-V unprivileged specification, chapter
//! "ISA Extension Naming Conventions".

use std::collections::BTreeSet;
use std::fmt;

use thiserror::Error;

use crate::extension::{self, Support, TOGETHER, Together};
use crate::vlen::Vlen;

/// Register width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Xlen {
    /// 32 bits.
    Rv32,
    /// 64 bits.
    Rv64,
}

impl Xlen {
    /// Bits.
    pub const fn bits(self) -> u16 {
        match self {
            Self::Rv32 => 32,
            Self::Rv64 => 64,
        }
    }

    /// Ones in every bit of a register.
    pub const fn mask(self) -> u64 {
        match self {
            Self::Rv32 => 0xffff_ffff,
            Self::Rv64 => u64::MAX,
        }
    }
}

/// A parsed ISA string.
///
/// Two are equal if they name the same instructions and the same vector length.
#[derive(Clone, Debug)]
pub struct Isa {
    xlen: Xlen,
    named: BTreeSet<Name>,
    all: BTreeSet<Name>,
    vlen: Option<Vlen>,
}

impl PartialEq for Isa {
    fn eq(&self, other: &Self) -> bool {
        (self.xlen, &self.all, self.vlen) == (other.xlen, &other.all, other.vlen)
    }
}

impl Eq for Isa {}

/// An extension's name, ordered as in a canonical ISA string.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name(String);

/// Order of single letters; it also orders `Z` extensions by their second letter.
const LETTERS: &str = "iemafdqlcbkjtpvnh";

impl Name {
    fn rank(&self) -> (u8, usize, &str) {
        let mut letters = self.0.chars();
        let first = letters.next().unwrap_or('x');
        let place = |letter| LETTERS.find(letter).unwrap_or(LETTERS.len());
        match (self.0.len(), first) {
            (1, letter) => (0, place(letter), &self.0),
            (_, 'z') => (1, letters.next().map_or(LETTERS.len(), place), &self.0),
            (_, 's') => (2, 0, &self.0),
            _ => (3, 0, &self.0),
        }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// Why an ISA string was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IsaError {
    /// No `rv32`/`rv64` prefix with a base.
    #[error("ISA string '{text}' does not start with rv32i, rv64i, rv32g or rv64g")]
    Prefix {
        /// The whole string.
        text: String,
    },
    /// A profile such as `rva23u64`.
    #[error("profile '{profile}' is not built; spell out its extensions, for instance rv64imac_zba_zbb_zbs")]
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
    /// A ratified extension that is not built.
    #[error("extension '{name}' of ISA string '{text}' is not built; leave it out")]
    NotBuilt {
        /// The extension.
        name: String,
        /// The whole string.
        text: String,
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

impl Isa {
    /// Parses an ISA string; `custom` names the extensions that loaded descriptions add.
    ///
    /// # Errors
    /// [`IsaError`], naming the part at fault.
    pub fn parse(text: &str, custom: &[String]) -> Result<Self, IsaError> {
        let lower = text.trim().to_ascii_lowercase();
        if lower.starts_with("rva") || lower.starts_with("rvb") || lower.starts_with("rvm") {
            return Err(IsaError::Profile { profile: lower });
        }
        let prefix = || IsaError::Prefix { text: text.to_owned() };
        let (xlen, rest) = if let Some(rest) = lower.strip_prefix("rv32") {
            (Xlen::Rv32, rest)
        } else if let Some(rest) = lower.strip_prefix("rv64") {
            (Xlen::Rv64, rest)
        } else {
            return Err(prefix());
        };
        let names = split(rest);
        let base = names.first().map(String::as_str);
        if base == Some("e") {
            return Err(unknown("e", text));
        }
        if !matches!(base, Some("i" | "g")) {
            return Err(prefix());
        }
        let mut isa = Self { xlen, named: BTreeSet::new(), all: BTreeSet::new(), vlen: None };
        for name in names {
            isa.add(&name, text, custom)?;
        }
        for together in TOGETHER {
            if let Some(implied) = together.implies.filter(|_| isa.has_both(together)) {
                isa.close_over(implied);
            }
        }
        isa.check(text)?;
        Ok(isa)
    }

    fn add(&mut self, name: &str, text: &str, custom: &[String]) -> Result<(), IsaError> {
        if name == "g" {
            for part in ["i", "m", "a", "f", "d", "zicsr", "zifencei"] {
                self.add(part, text, custom)?;
            }
            return Ok(());
        }
        if let Some(bits) = vector_length(name) {
            if Vlen::new(bits).is_none() {
                return Err(contradictory(
                    text,
                    format!("VLEN {bits} is not a power of two from 32 to 65536"),
                ));
            }
            self.vlen = self.vlen.max(Vlen::new(bits));
        } else if extension::find(name).is_none()
            && !custom.iter().any(|known| known.eq_ignore_ascii_case(name))
        {
            return Err(unknown(name, text));
        }
        self.named.insert(Name(name.to_owned()));
        self.close_over(name);
        Ok(())
    }

    fn close_over(&mut self, name: &str) {
        if let Some(bits) = vector_length(name) {
            self.vlen = self.vlen.max(Vlen::new(bits));
        }
        if !self.all.insert(Name(name.to_owned())) {
            return;
        }
        for implied in extension::find(name).map_or(&[][..], |extension| extension.implies) {
            self.close_over(implied);
        }
    }

    fn check(&self, text: &str) -> Result<(), IsaError> {
        if self.has("zcf") && self.xlen == Xlen::Rv64 {
            return Err(contradictory(text, "zcf exists for RV32 only".into()));
        }
        let vector = self.has("zve32x");
        if self.named.iter().any(|name| vector_length(&name.0).is_some()) && !vector {
            return Err(contradictory(
                text,
                "zvl*b gives a vector length, but no vector extension is named".into(),
            ));
        }
        Ok(())
    }

    /// Register width.
    pub const fn xlen(&self) -> Xlen {
        self.xlen
    }

    /// The largest `zvl*b` named or implied.
    pub const fn vlen(&self) -> Option<Vlen> {
        self.vlen
    }

    /// True if the extension is named or implied.
    pub fn has(&self, name: &str) -> bool {
        self.all.contains(&Name(name.to_owned()))
    }

    /// True if both extensions are there, at the width that matters.
    pub(crate) fn has_both(&self, together: &Together) -> bool {
        together.names.iter().all(|name| self.has(name)) && together.xlen.is_none_or(|xlen| xlen == self.xlen)
    }

    /// Every extension, implied ones too, in canonical order.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|name| name.0.as_str())
    }

    /// Extensions whose instructions are not built.
    pub fn not_implemented(&self) -> impl Iterator<Item = &str> {
        self.extensions().filter(|name| {
            extension::find(name).is_some_and(|extension| extension.support == Support::NameOnly)
        })
    }
}

/// The canonical string; what another extension of it implies is not spelt out.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rv{}", self.xlen.bits())?;
        let implied_by_another =
            |name: &Name| self.named.iter().any(|other| other != name && implies(&other.0, &name.0));
        // What `name` itself brought in does not stay without it.
        let has_without = |part: &str, name: &Name| {
            self.named.iter().any(|other| other != name && (other.0 == part || implies(&other.0, part)))
        };
        let implied_by_two = |name: &Name| {
            TOGETHER.iter().any(|two| {
                two.implies == Some(name.0.as_str())
                    && self.has_both(two)
                    && two.names.iter().all(|part| has_without(part, name))
            })
        };
        let mut after_long = false;
        for name in self.named.iter().filter(|name| !implied_by_another(name) && !implied_by_two(name)) {
            if name.0.len() > 1 || after_long {
                f.write_str("_")?;
            }
            after_long = name.0.len() > 1;
            f.write_str(&name.0)?;
        }
        Ok(())
    }
}

fn implies(name: &str, other: &str) -> bool {
    extension::find(name)
        .is_some_and(|extension| extension.implies.iter().any(|part| *part == other || implies(part, other)))
}

fn unknown(name: &str, text: &str) -> IsaError {
    let (name, text) = (name.to_owned(), text.to_owned());
    if extension::is_not_built(&name) {
        return IsaError::NotBuilt { name, text };
    }
    let suggestion = extension::nearest(&name);
    IsaError::Unknown { name, text, suggestion }
}

fn contradictory(text: &str, why: String) -> IsaError {
    IsaError::Contradictory { text: text.to_owned(), why }
}

fn vector_length(name: &str) -> Option<u32> {
    let bits = name.strip_prefix("zvl")?.strip_suffix('b')?;
    bits.bytes().all(|byte| byte.is_ascii_digit()).then(|| bits.parse().ok()).flatten()
}

/// Splits what follows `rv32`/`rv64` into extension names without their version numbers.
fn split(rest: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in rest.split('_') {
        let mut part = part;
        while let Some(letter) = part.chars().next() {
            if matches!(letter, 'z' | 's' | 'x') {
                names.push(without_version(part).to_owned());
                break;
            }
            names.push(letter.to_string());
            part = skip_version(&part[letter.len_utf8()..]);
        }
    }
    names
}

/// `zba1p0` → `zba`, but `zve32x` and `zvl128b` as they are.
fn without_version(part: &str) -> &str {
    let Some(p) = part.rfind('p') else { return part };
    let (head, minor) = (&part[..p], &part[p + 1..]);
    let digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_version = digits > 0 && !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    if is_version { &head[..head.len() - digits] } else { part }
}

/// Drops a version such as `2p1` after a single letter.
fn skip_version(part: &str) -> &str {
    let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == part.len() {
        return part;
    }
    match after.strip_prefix('p') {
        Some(minor) if minor.starts_with(|c: char| c.is_ascii_digit()) => {
            minor.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        _ => after,
    }
}

/// Extensions of `candidates` in the order a reader expects them: shortest first, then canonical.
pub fn sort_by_simplicity(candidates: &mut [String]) {
    candidates.sort_by_key(|name| (name.len(), Name(name.clone())));
}
