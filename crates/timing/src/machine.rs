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

/// A machine whose cycles cannot be told.
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
    /// A memory system that cannot be: the key of its table, and what is wrong there.
    #[error("memory.{0}: {1}")]
    Memory(&'static str, String),
    /// The core has a memory of its own.
    #[error("memory: the core '{0}' has caches of its own, and no memory of parts")]
    OwnMemory(String),
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Name of its core.
    pub core: String,
    /// Cycles from a request to the memory until its answer.
    pub memory_latency: u32,
    /// Of the core.
    pub parameters: BTreeMap<String, Parameter>,
    /// A memory system of parts.
    pub memory: Option<Described>,
}

impl Machine {
    /// True if it is one of gem5's, by whose conventions a process starts then.
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
