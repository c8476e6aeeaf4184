//! What Ibex's second stage does with an instruction.

use isa::operands::Class;

use super::configuration::{Configuration, Multiplier};
use super::fetch::Wanted;
use crate::condition::Condition;
use crate::core::Cause;
use crate::instruction::{Flow, Instruction};

/// Cycles of the slow multiplier for the upper half; for the lower one they depend on an operand.
const SLOW_UPPER: u32 = 33;

/// Cycles of what flushes the pipeline: traps, returns from them, and writes to these CSRs, `mstatus` and `mie`.
pub const FLUSH: u32 = 3;
const STATUS: std::ops::RangeInclusive<u32> = 0x300..=0x304;

/// What it keeps of an instruction.
pub struct Op {
    pub reads: [u8; 2],
    pub work: Work,
    pub wanted: Wanted,
    /// Where the first stage goes on when it has it, if it predicts.
    pub foreseen: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
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
        target: u32,
        backwards: bool,
        condition: Condition,
    },
    Jump(u32),
    Indirect,
    /// `fence.i`: a jump to the next instruction.
    Refetch,
    /// A return from a trap.
    Return,
}

impl Op {
    /// Of an instruction at its address.
    pub fn of(instruction: &Instruction, configuration: &Configuration) -> Self {
        let read = |index: usize| instruction.reads.get(index).copied().unwrap_or(0);
        let wanted = Wanted { pc: instruction.pc as u32, long: instruction.length == 4 };
        let work = Work::of(instruction, configuration);
        let foreseen = work.foreseen().filter(|_| configuration.branch_predictor);
        Self { reads: [read(0), read(1)], work, wanted, foreseen }
    }

    /// An instruction of 4 bytes that reads nothing.
    pub const fn plain(pc: u32, work: Work) -> Self {
        Self { reads: [0, 0], work, wanted: Wanted { pc, long: true }, foreseen: None }
    }
}

impl Work {
    /// Where the static predictor expects it to lead, if not on (`ibex_branch_predict.sv`).
    pub const fn foreseen(self) -> Option<u32> {
        match self {
            Self::Jump(target) | Self::Branch { target, backwards: true, .. } => Some(target),
            _ => None,
        }
    }

    fn of(instruction: &Instruction, configuration: &Configuration) -> Self {
        let unit = |cycles| Self::Cycles(cycles, Cause::Multiply);
        match instruction.class {
            _ if instruction.loads > 0 => Self::Load(instruction.writes.unwrap_or(0), instruction.loads),
            _ if instruction.stores > 0 => Self::Store(instruction.stores),
            Class::Mul if instruction.mnemonic == "mul" => match configuration.multiplier {
                Multiplier::Slow => Self::Multiply,
                Multiplier::Fast => unit(3),
                Multiplier::SingleCycle => unit(1),
            },
            Class::Mul => unit(match configuration.multiplier {
                Multiplier::Slow => SLOW_UPPER,
                Multiplier::Fast => 4,
                Multiplier::SingleCycle => 2,
            }),
            Class::Div => Self::Divide,
            // `ibex_decoder.sv` holds these in the stage for a second cycle, for the third operand or the rotation.
            Class::Bitmanip if matches!(&*instruction.mnemonic, "rol" | "ror" | "rori") => {
                Self::Cycles(2, Cause::Unit)
            }
            Class::Csr if instruction.writes_csr(STATUS) => Self::Cycles(FLUSH, Cause::System),
            Class::Fence if instruction.mnemonic == "fence.i" => Self::Refetch,
            _ => match instruction.flow {
                Flow::Branch(target) => {
                    let condition = Condition::of(instruction);
                    Self::Branch { target: target as u32, backwards: target < instruction.pc, condition }
                }
                Flow::Jump(target) => Self::Jump(target as u32),
                Flow::Indirect => Self::Indirect,
                Flow::Trap => Self::Return,
                Flow::Next => Self::Cycles(1, Cause::Issue),
            },
        }
    }
}
