//! Ibex's parameters, and the latencies of its buses.

use isa::operands::Class;

use crate::machine::{Machine, MachineError};

/// Cycles that a bus may take to answer, as everywhere.
const LATENCIES: std::ops::RangeInclusive<u64> = 1..=1000;

/// `RV32M`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Multiplier {
    Slow,
    Fast,
    SingleCycle,
}

/// The core in one configuration.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    pub multiplier: Multiplier,
    pub branch_target_alu: bool,
    pub writeback_stage: bool,
    pub branch_predictor: bool,
    pub instruction_cache: bool,
    /// Cycles until instructions are there that were asked for.
    pub instruction_latency: u32,
    /// Cycles until the data memory answers.
    pub data_latency: u32,
}

impl Configuration {
    /// Classes of instructions whose time depends on the values of their operands: a division by zero ends early, and
    /// the slow multiplier when no bit of one operand is left.
    pub const fn by_operands(&self) -> &'static [Class] {
        match self.multiplier {
            Multiplier::Slow => &[Class::Mul, Class::Div],
            Multiplier::Fast | Multiplier::SingleCycle => &[Class::Div],
        }
    }

    /// Reads a machine's file.
    ///
    /// # Errors
    /// A parameter is wrong, or there is no model of the combination.
    pub fn of(machine: &Machine) -> Result<Self, MachineError> {
        machine.has_only(&[
            "multiplier",
            "branch_target_alu",
            "writeback_stage",
            "instruction_cache",
            "branch_predictor",
            "instruction_latency",
            "data_latency",
        ])?;
        let multiplier = match machine.name("multiplier")? {
            // Without one, nothing that multiplies executes.
            "none" | "fast" => Multiplier::Fast,
            "slow" => Multiplier::Slow,
            "single-cycle" => Multiplier::SingleCycle,
            _ => return Err(MachineError::Parameter("multiplier", "none, slow, fast or single-cycle")),
        };
        let latency = |name| match machine.parameters.get(name) {
            None => Ok(machine.memory_latency),
            Some(_) => machine.number(name, LATENCIES, "1 to 1000 cycles").map(|cycles| cycles as u32),
        };
        let found = Self {
            multiplier,
            branch_target_alu: machine.flag("branch_target_alu")?,
            writeback_stage: machine.flag("writeback_stage")?,
            branch_predictor: machine.flag("branch_predictor")?,
            instruction_cache: machine.flag("instruction_cache")?,
            instruction_latency: latency("instruction_latency")?,
            data_latency: latency("data_latency")?,
        };
        found.check()?;
        Ok(found)
    }

    fn check(&self) -> Result<(), MachineError> {
        if self.writeback_stage && !self.branch_target_alu && self.data_latency > 1 {
            // While a branch waits for an access, the adder still compares, and that is where it goes (`ibex_id_stage.sv`,
            // `branch_set_raw_q`).
            return Err(MachineError::Unknown(
                "slow data for an Ibex that has a write-back stage and no branch target ALU: its RTL takes branches to \
                 wrong addresses",
            ));
        }
        Ok(())
    }
}
