//! Which machines have a model: a line for each core.

use isa::operands::Class;

use crate::core::Core;
use crate::cores::cva6::Cva6;
use crate::cores::gem5::Gem5;
use crate::cores::ibex::{Cached, Configuration, Ibex, Prefetch, Steady};
use crate::cores::in_order::InOrder;
use crate::cores::plain::Plain;
use crate::cores::rocket::Rocket;
use crate::machine::{Machine, MachineError};
use crate::serial::OnSerial;
use crate::timer::{On, Options, Timing};

impl Machine {
    /// A timer for a guest on this machine.
    ///
    /// # Errors
    /// [`MachineError`].
    pub fn timing(&self, options: Options) -> Result<Box<dyn Timing>, MachineError> {
        if self.starts_as_gem5() {
            return Ok(Box::new(OnSerial::new(Gem5::new(self)?, options.by_address)));
        }
        if self.memory.is_some() && !matches!(self.core.as_str(), "in-order" | "rocket") {
            return Err(MachineError::FixedMemory(self.core.clone()));
        }
        match self.core.as_str() {
            "in-order" => Ok(on(InOrder::new(self)?, options)),
            "ibex" => Ok(ibex(Configuration::of(self)?, options)),
            "cva6" => Ok(on(Cva6::new(self), options)),
            "rocket" => Ok(on(Rocket::new(self)?, options)),
            other => Err(MachineError::Core(other.to_owned())),
        }
    }
}

impl Machine {
    /// Classes of instructions whose time depends on the values of their operands.
    ///
    /// # Errors
    /// [`MachineError`].
    pub fn by_operands(&self) -> Result<Vec<Class>, MachineError> {
        if self.starts_as_gem5() {
            return Ok(Vec::new());
        }
        match self.core.as_str() {
            "in-order" => Ok(InOrder::new(self)?.by_operands().to_vec()),
            "ibex" => Ok(Configuration::of(self)?.by_operands().to_vec()),
            "cva6" => Ok(vec![Class::Div]),
            "rocket" => Ok(vec![Class::Mul, Class::Div]),
            other => Err(MachineError::Core(other.to_owned())),
        }
    }
}

fn ibex(configuration: Configuration, options: Options) -> Box<dyn Timing> {
    let latency = configuration.instruction_latency;
    match latency {
        _ if configuration.instruction_cache => on(Ibex::new(configuration, Cached { latency }), options),
        1 if !configuration.branch_predictor => on(Ibex::new(configuration, Steady), options),
        _ => on(Ibex::new(configuration, Prefetch { latency }), options),
    }
}

/// A timer for a guest whose instructions all take one cycle.
pub fn plain(options: Options) -> Box<dyn Timing> {
    on(Plain, options)
}

fn on<C: Core + 'static>(core: C, options: Options) -> Box<dyn Timing> {
    Box::new(On::new(core, options))
}
