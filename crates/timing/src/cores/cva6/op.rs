//! What CVA6 keeps of an instruction.

use isa::operands::Class;

use super::INSTRUCTIONS;
use crate::condition::Condition;
use crate::instruction::{Flow, Instruction};
use crate::parts::cva6_branch::{Kind, Transfer};

/// An instruction.
#[derive(Clone)]
pub struct Op {
    pub reads: [u8; 2],
    pub writes: u8,
    pub work: Work,
    /// Words of instructions that are new if it follows the one before it in memory, or a transfer.
    pub words: (i16, i16),
    /// Address of its last byte, if a line of instructions may begin here.
    pub line: Option<u64>,
    /// Its address, if execution may come to it from elsewhere, and its first byte is in another line.
    pub first_line: Option<u64>,
    pub fall_through: u64,
    pub transfer: Option<(Transfer, Condition)>,
    pub xlen: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Plain,
    Multiply,
    Divide {
        signed: bool,
        word: bool,
    },
    Load,
    Store,
    Transfer,
    Csr {
        flushes: bool,
    },
    Fence {
        instructions: bool,
    },
    /// What empties the pipeline when it is committed.
    Flush,
    /// An instruction that traps: none is executed.
    Trap,
    /// So does the return from a trap, which empties the predictors, too.
    TrapReturn,
}

impl Op {
    /// Address of the line of instructions after its own.
    pub const fn next_line(&self) -> u64 {
        (self.fall_through.wrapping_sub(1) | (INSTRUCTIONS.2 - 1)).wrapping_add(1)
    }

    /// Of an instruction, to which execution may come from elsewhere if it `leads`.
    pub fn new(instruction: &Instruction, leads: bool) -> Self {
        let mut reads = [0; 2];
        reads.iter_mut().zip(&instruction.reads).for_each(|(slot, &register)| *slot = register);
        let is_system = matches!(instruction.class, Class::Csr | Class::System);
        if is_system && reads[1] == 0 && instruction.length == 4 {
            // `decoder.sv` takes these bits for a register of every instruction of that opcode.
            reads[1] = (instruction.word >> 20 & 31) as u8;
        }
        let last = instruction.fall_through().wrapping_sub(1);
        let line = INSTRUCTIONS.2;
        let first_of_line = instruction.pc.is_multiple_of(line)
            || instruction.pc % line == line - 2 && instruction.length == 4;
        Self {
            reads,
            writes: instruction.writes.unwrap_or(0),
            work: work(instruction),
            words: (
                (last >> 2).wrapping_sub(instruction.pc.wrapping_sub(1) >> 2) as i16,
                (last >> 2).wrapping_sub(instruction.pc >> 2) as i16 + 1,
            ),
            line: (leads || first_of_line).then_some(last),
            first_line: (leads && instruction.pc / line != last / line).then_some(instruction.pc),
            fall_through: instruction.fall_through(),
            transfer: transfer(instruction).map(|transfer| (transfer, Condition::of(instruction))),
            xlen: if instruction.rv32 { 32 } else { 64 },
        }
    }
}

/// What the predictors see of an instruction.
pub fn transfer(instruction: &Instruction) -> Option<Transfer> {
    let kind = match instruction.flow {
        Flow::Branch(target) => Kind::Branch(target),
        Flow::Jump(target) => Kind::Jump(target),
        Flow::Indirect if returns(instruction) => Kind::Return,
        Flow::Indirect => Kind::Indirect,
        Flow::Next | Flow::Trap => return None,
    };
    let calls = instruction.link.is_some_and(|link| matches!(link, 1 | 5));
    Some(Transfer { kind, pc: instruction.pc, fall_through: instruction.fall_through(), calls })
}

fn work(instruction: &Instruction) -> Work {
    let name = &*instruction.mnemonic;
    let kind = name.trim_end_matches('w');
    match instruction.class {
        Class::Atomic => Work::Flush,
        _ if instruction.loads > 0 => Work::Load,
        _ if instruction.stores > 0 => Work::Store,
        Class::Mul => Work::Multiply,
        Class::Div => Work::Divide { signed: !kind.ends_with('u'), word: kind != name },
        _ if name.starts_with("clmul") => Work::Multiply,
        Class::Csr => {
            // What is written to mstatus may change how instructions are fetched.
            let writes = instruction.word >> 12 & 3 == 1 || instruction.word >> 15 & 31 != 0;
            Work::Csr { flushes: instruction.word >> 20 == 0x300 && writes }
        }
        Class::Fence => Work::Fence { instructions: name == "fence.i" },
        Class::System if instruction.flow != Flow::Trap => Work::Flush,
        _ => match instruction.flow {
            Flow::Next => Work::Plain,
            Flow::Trap => Work::TrapReturn,
            Flow::Branch(_) | Flow::Jump(_) | Flow::Indirect => Work::Transfer,
        },
    }
}

/// As `instr_scan.sv` tells: a compressed one that links is none.
fn returns(instruction: &Instruction) -> bool {
    let of_function = |&one: &u8| matches!(one, 1 | 5) && instruction.link != Some(one);
    instruction.reads.iter().any(of_function) && (instruction.length == 4 || instruction.link.is_none())
}
