//! Machines: a core in one configuration, with its memory, as their files state them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::memory::description::Described;

/// gem5's core.
pub const GEM5: &str = "gem5-timing";

/// A value in a machine's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(i64),
    /// One of some names.
    Name(String),
}

/// Why a machine cannot be modelled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MachineError {
    /// There is no such core.
    #[error("there is no model of the core '{0}'")]
    Core(String),
    /// The core's model lacks a part.
    #[error("there is no model of {0}")]
    Unknown(&'static str),
    /// A parameter that the core does not have, and those it has.
    #[error("the machine's parameter '{0}' is unknown; the core has {1}")]
    Surplus(String, String),
    /// A parameter is missing or has another kind of value.
    #[error("the machine's parameter '{0}' must be {1}")]
    Parameter(&'static str, &'static str),
    /// An invalid memory system: the key of its table, and what is wrong with it.
    #[error("memory.{0}: {1}")]
    Memory(&'static str, String),
    /// The core's model supports only a memory of constant latency.
    #[error("memory: the model of the core '{0}' does not support a memory built from parts")]
    FixedMemory(String),
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Name of its core.
    pub core: String,
    /// Cycles from a memory request to its response.
    pub memory_latency: u32,
    /// The core's parameters.
    pub parameters: BTreeMap<String, Parameter>,
    /// A memory system built from parts.
    pub memory: Option<Described>,
}

impl Machine {
    /// True if its core is gem5's; a process then starts by gem5's conventions.
    pub fn starts_as_gem5(&self) -> bool {
        self.core == GEM5
    }

    /// Refuses parameters that a core does not have.
    ///
    /// # Errors
    /// [`MachineError::Surplus`].
    pub fn has_only(&self, names: &[&str]) -> Result<(), MachineError> {
        match self.parameters.keys().find(|name| !names.contains(&name.as_str())) {
            Some(name) => Err(MachineError::Surplus(name.clone(), names.join(", "))),
            None => Ok(()),
        }
    }

    /// A number in a range, `usual` if the file has none; `must` says that in words.
    ///
    /// # Errors
    /// [`MachineError::Parameter`].
    pub fn number_or(
        &self,
        name: &'static str,
        range: RangeInclusive<u64>,
        must: &'static str,
        usual: u64,
    ) -> Result<u64, MachineError> {
        if self.parameters.contains_key(name) { self.number(name, range, must) } else { Ok(usual) }
    }

    /// A number in a range; `must` says that in words.
    ///
    /// # Errors
    /// [`MachineError::Parameter`].
    pub fn number(
        &self,
        name: &'static str,
        range: RangeInclusive<u64>,
        must: &'static str,
    ) -> Result<u64, MachineError> {
        match self.parameters.get(name) {
            Some(Parameter::Number(value)) => {
                u64::try_from(*value).ok().filter(|value| range.contains(value))
            }
            _ => None,
        }
        .ok_or(MachineError::Parameter(name, must))
    }

    /// A yes or no.
    ///
    /// # Errors
    /// [`MachineError::Parameter`].
    pub fn flag(&self, name: &'static str) -> Result<bool, MachineError> {
        match self.parameters.get(name) {
            Some(Parameter::Flag(value)) => Ok(*value),
            _ => Err(MachineError::Parameter(name, "true or false")),
        }
    }

    /// One of some names.
    ///
    /// # Errors
    /// [`MachineError::Parameter`].
    pub fn name(&self, name: &'static str) -> Result<&str, MachineError> {
        match self.parameters.get(name) {
            Some(Parameter::Name(value)) => Ok(value),
            _ => Err(MachineError::Parameter(name, "a name")),
        }
    }
}
