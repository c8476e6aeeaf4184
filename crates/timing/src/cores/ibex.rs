//! Ibex (lowRISC/ibex 5da1679f, `doc/03_reference/pipeline_details.rst` and its RTL): two stages, or three with a
//! write-back stage; one instruction at a time in the second, which is decoder, execution and branch in one.
//!
//! Without an instruction cache and with instructions that arrive one word a cycle, fetching costs nothing but at the
//! target of a jump, where one cycle is for the fetch, and another if the target is a 4-byte instruction across words.

use isa::operands::Class;

use crate::condition::Condition;
use crate::core::{Cause, Core, Event, Outcome, Spent, USUAL};
use crate::instruction::{Flow, Instruction};
use crate::machine::{Machine, MachineError};

/// Cycles of a division; by zero it takes two.
const DIVISION: u32 = 37;
/// Cycles of the slow multiplier for the upper half; for the lower one they depend on an operand.
const SLOW_UPPER: u32 = 33;

/// Cycles of what flushes the pipeline: traps, returns from them, and writes to these CSRs, `mstatus` and `mie`.
const FLUSH: u32 = 3;
const STATUS: std::ops::RangeInclusive<u32> = 0x300..=0x304;

/// `RV32M`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Multiplier {
    Slow,
    Fast,
    SingleCycle,
}

/// The core in one configuration.
pub struct Ibex {
    multiplier: Multiplier,
    branch_target_alu: bool,
    writeback_stage: bool,
    branch_predictor: bool,
    /// Cycles until the data memory answers.
    data: u32,
}

/// What it keeps of an instruction.
pub struct Op {
    reads: [u8; 2],
    work: Work,
    /// Four bytes in two words.
    across: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// So many cycles in the second stage.
    Cycles(u32, Cause),
    /// The lower half of a product.
    Multiply,
    Divide,
    /// A load to this register, or a store; so many bytes.
    Load(u8, u8),
    Store(u8),
    /// Backwards or not, as the static predictor sees it.
    Branch {
        backwards: bool,
        condition: Condition,
    },
    Jump,
    Indirect,
}

/// The write-back stage, and where the next instruction comes from.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// Cycles until its access is answered.
    waits: u32,
    /// The register it loads, or x0.
    loads: u8,
    /// The next instruction is fetched from elsewhere than behind the last.
    redirected: bool,
}

/// The outcome of a branch or jump that is taken. Of an access it is the words beyond one, of a multiplication or
/// division the cycles.
const TAKEN: Outcome = 1;

impl Ibex {
    /// Reads a machine's file.
    ///
    /// # Errors
    /// A parameter is wrong.
    pub fn new(machine: &Machine) -> Result<Self, MachineError> {
        let multiplier = match machine.name("multiplier")? {
            // Without one, nothing that multiplies executes.
            "none" | "fast" => Multiplier::Fast,
            "slow" => Multiplier::Slow,
            "single-cycle" => Multiplier::SingleCycle,
            _ => return Err(MachineError::Parameter("multiplier", "none, slow, fast or single-cycle")),
        };
        if machine.flag("instruction_cache")? {
            return Err(MachineError::Unknown("Ibex's instruction cache"));
        }
        if machine.memory_latency != 1 {
            return Err(MachineError::Unknown("memory that Ibex waits for longer than a cycle"));
        }
        Ok(Self {
            multiplier,
            branch_target_alu: machine.flag("branch_target_alu")?,
            writeback_stage: machine.flag("writeback_stage")?,
            branch_predictor: machine.flag("branch_predictor")?,
            data: machine.memory_latency,
        })
    }

    fn work(&self, instruction: &Instruction) -> Work {
        let unit = |cycles| Work::Cycles(cycles, Cause::Multiply);
        match instruction.class {
            _ if instruction.loads > 0 => Work::Load(instruction.writes.unwrap_or(0), instruction.loads),
            _ if instruction.stores > 0 => Work::Store(instruction.stores),
            Class::Mul if instruction.mnemonic == "mul" => match self.multiplier {
                Multiplier::Slow => Work::Multiply,
                Multiplier::Fast => unit(3),
                Multiplier::SingleCycle => unit(1),
            },
            Class::Mul => unit(match self.multiplier {
                Multiplier::Slow => SLOW_UPPER,
                Multiplier::Fast => 4,
                Multiplier::SingleCycle => 2,
            }),
            Class::Div => Work::Divide,
            // `ibex_decoder.sv` holds these in the stage for a second cycle, for the third operand or the rotation.
            Class::Bitmanip if matches!(&*instruction.mnemonic, "rol" | "ror" | "rori") => {
                Work::Cycles(2, Cause::Unit)
            }
            Class::Csr if instruction.writes_csr(STATUS) => Work::Cycles(FLUSH, Cause::System),
            Class::Fence if instruction.mnemonic == "fence.i" => Work::Cycles(2, Cause::System),
            _ => match instruction.flow {
                Flow::Branch(target) => {
                    let condition = Condition::of(instruction);
                    Work::Branch { backwards: target < instruction.pc, condition }
                }
                Flow::Jump(_) => Work::Jump,
                Flow::Indirect => Work::Indirect,
                Flow::Trap => Work::Cycles(FLUSH, Cause::System),
                Flow::Next => Work::Cycles(1, Cause::Issue),
            },
        }
    }

    /// Cycles of a branch that is taken or a jump, beside those of its target.
    fn redirect(&self, work: Work) -> u32 {
        match work {
            Work::Branch { backwards: true, .. } | Work::Jump if self.branch_predictor => 1,
            Work::Branch { .. } if !self.branch_target_alu => 3,
            _ => 2,
        }
    }
}

impl Core for Ibex {
    type State = State;
    type Op = Op;

    fn prepare(&self, instruction: &Instruction, _leads: bool) -> Op {
        let read = |index: usize| instruction.reads.get(index).copied().unwrap_or(0);
        let across = instruction.length == 4 && instruction.pc % 4 == 2;
        Op { reads: [read(0), read(1)], work: self.work(instruction), across }
    }

    fn watches(&self, op: &Op) -> bool {
        !matches!(op.work, Work::Cycles(..))
    }

    fn look(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        match op.work {
            Work::Cycles(..) => USUAL,
            Work::Load(_, bytes) | Work::Store(bytes) => {
                let address = event.words.first().copied().unwrap_or(0);
                u32::from(address % 4 + u64::from(bytes) > 4)
            }
            Work::Multiply => {
                let multiplier = event.words.get(1).copied().unwrap_or(0) as u32;
                (32 - multiplier.leading_zeros()).max(1) + 1
            }
            Work::Divide if event.words.get(1) == Some(&0) => 2,
            Work::Divide => DIVISION,
            Work::Branch { condition, .. } if !condition.holds(event) => USUAL,
            Work::Branch { .. } | Work::Jump | Work::Indirect => TAKEN,
        }
    }

    fn trap(&self, state: &mut State, _: Option<&Op>, _: Outcome, spent: &mut Spent) {
        *state = State { redirected: true, ..State::default() };
        spent.spend(Cause::System, FLUSH);
    }

    fn issue(&self, state: &mut State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        let State { mut waits, loads, redirected } = std::mem::take(state);
        if redirected && op.across {
            spent.spend(Cause::Branch, 1);
            waits = waits.saturating_sub(1);
        }
        if loads != 0 && op.reads.contains(&loads) {
            // The answer goes to the register file, not straight to the second stage.
            spent.spend(Cause::LoadUse, waits);
            waits = 0;
        }
        spent.spend(Cause::Issue, 1);
        let (mut cycles, mut cause) = (1, Cause::Issue);
        match op.work {
            Work::Cycles(taken, of) => (cycles, cause) = (taken, of),
            Work::Multiply => (cycles, cause) = (outcome, Cause::Multiply),
            Work::Divide => (cycles, cause) = (outcome, Cause::Divide),
            Work::Load(..) | Work::Store(_) => {
                // A request for each word; then the second stage waits for the answer, or the third one does.
                cycles += outcome;
                if !self.writeback_stage {
                    cycles += self.data;
                }
                cause = Cause::Data;
            }
            Work::Branch { .. } | Work::Jump | Work::Indirect if outcome & TAKEN != 0 => {
                (cycles, cause) = (self.redirect(op.work), Cause::Branch);
                state.redirected = true;
            }
            // Fetched ahead from where it does not lead.
            Work::Branch { backwards: true, .. } if self.branch_predictor => {
                (cycles, cause) = (2, Cause::Branch);
                state.redirected = true;
            }
            Work::Branch { .. } | Work::Jump | Work::Indirect => {}
        }
        spent.spend(cause, cycles - 1);
        // The third stage is still taken.
        spent.spend(Cause::Data, waits.saturating_sub(cycles));
        if self.writeback_stage
            && let Work::Load(..) | Work::Store(_) = op.work
        {
            state.waits = self.data;
            state.loads = if let Work::Load(register, _) = op.work { register } else { 0 };
        }
    }
}
