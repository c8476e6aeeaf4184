//! Which instructions there are, and operands with which a program of them goes on for a while.

use coredsl::ir::{Behavior, Instruction};
use engine::Program;
use engine::lower::lower;
use engine::uop::{Kind, Op};
use hart::csr::number;

use crate::guest::BASE;
use crate::operands::{set_field, word};

/// Registers that instructions of a program leave alone: counter of its loop, data, its handler's, code.
pub const COUNTER: u64 = 3;
pub const POINTER: u64 = 4;
pub const SAVED: u64 = 26;
pub const CODE: u64 = 27;

/// What decides which operands are useful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Plain,
    Memory,
    /// To an address that its operands give.
    Jump,
    /// To an address in a register.
    Computed,
    Csr,
}

/// An instruction, and what it is for.
#[derive(Clone, Copy)]
pub struct Choice<'p> {
    pub instruction: &'p Instruction,
    role: Role,
}

impl<'p> Choice<'p> {
    fn of(program: &'p Program, instruction: &'p Instruction) -> Self {
        let mut uops = Vec::new();
        for bits in [0x0220_8f93, 0x0031_0513] {
            lower(&program.context(), instruction, word(instruction, bits), BASE, &mut uops);
        }
        let has = |test: fn(Op) -> bool| uops.iter().any(|uop| test(uop.op));
        let name = instruction.mnemonic.trim_start_matches("c.");
        let unit_memory = ["fl", "fs"].iter().any(|start| {
            let size = name.strip_prefix(start).unwrap_or_default().trim_end_matches("sp");
            ["h", "w", "d", "q"].contains(&size)
        });
        let role = if has(|op| op.kind() == Kind::ExitTo) {
            Role::Computed
        } else if has(Op::is_exit) {
            Role::Jump
        } else if has(|op| op.kind() == Kind::Csr) {
            Role::Csr
        } else if unit_memory || instruction.set.starts_with("VectorLoad") || has(accesses_memory) {
            Role::Memory
        } else {
            Role::Plain
        };
        Self { instruction, role }
    }

    /// Bytes.
    pub const fn length(&self) -> u64 {
        self.instruction.encoding.length as u64 / 8
    }

    /// True unless it belongs to the vector unit.
    pub fn is_scalar(&self) -> bool {
        !self.instruction.set.starts_with("Vector") && !self.instruction.set.starts_with("Zv")
    }

    /// True if it may fault because of where it accesses memory, or always does.
    pub fn may_fault(&self) -> bool {
        self.role == Role::Memory
            || ["EBREAK", "ECALL", "C__EBREAK"].contains(&self.instruction.name.as_str())
    }

    /// True if it only computes.
    pub fn is_calm(&self) -> bool {
        self.role == Role::Plain
            && self.instruction.encoding.length == 32
            && matches!(self.instruction.behavior, Behavior::Body(_))
            && self.instruction.set != "RISCVBase"
            && !self.may_fault()
    }

    /// True if it may lead elsewhere than to the next instruction.
    pub fn is_jump(&self) -> bool {
        matches!(self.role, Role::Jump | Role::Computed)
    }

    /// A word of it with operands from `bits`, at `here`; a jump leads to `target`, a computed one if `CODE`
    /// holds an address `code`.
    pub fn word(&self, bits: u32, here: u64, target: u64, code: u64) -> u32 {
        let instruction = self.instruction;
        let mut word = word(instruction, bits);
        let pinned = [COUNTER, POINTER, SAVED, CODE];
        // Bits of their own for what is decided here; those of the word are in use.
        let dice = bits.wrapping_mul(0x9e37_79b9) >> 24;
        for name in ["rd", "rs1"] {
            let field = instruction.encoding.fields.iter().find(|field| field.name == name);
            // A compressed `rs1` is written by some.
            let written = name == "rd" || instruction.encoding.length == 16;
            if let Some(field) = field.filter(|field| written && field.width == 5)
                && pinned.contains(&field.extract(word))
            {
                word = set_field(instruction, word, name, field.extract(word) ^ 8);
            }
        }
        let width = |name: &str| {
            instruction.encoding.fields.iter().find(|field| field.name == name).map(|field| field.width)
        };
        if width("rm") == Some(3) && dice < 224 {
            // Mostly a rounding mode that there is.
            word = set_field(instruction, word, "rm", [0, 1, 2, 3, 4, 7][dice as usize % 6]);
        }
        match self.role {
            Role::Jump => set_field(instruction, word, "imm", target.wrapping_sub(here)),
            Role::Computed => {
                let word = set_field(instruction, word, "rs1", CODE);
                set_field(instruction, word, "imm", target.wrapping_sub(code))
            }
            Role::Csr if dice < 240 => {
                let csrs = [
                    number::FFLAGS,
                    number::FRM,
                    number::FCSR,
                    number::MSCRATCH,
                    number::INSTRET,
                    number::CYCLE,
                    number::TIME,
                    number::MINSTRET,
                    number::MCYCLE,
                    number::MEPC,
                    number::MSTATUS,
                    number::VSTART,
                    number::SEED,
                ];
                set_field(instruction, word, "csr", csrs[dice as usize % csrs.len()].into())
            }
            Role::Memory if dice < 224 => {
                set_field(instruction, word, "rs1", if width("rs1") == Some(3) { 0 } else { POINTER })
            }
            Role::Plain if dice < 48 && width("rs1") == Some(5) && instruction.encoding.length == 32 => {
                set_field(instruction, word, "rs1", COUNTER)
            }
            _ => word,
        }
    }
}

/// All instructions of a program's ISA.
pub fn choices(program: &Program) -> Vec<Choice<'_>> {
    program.module().instructions.iter().map(|instruction| Choice::of(program, instruction)).collect()
}

const fn accesses_memory(op: Op) -> bool {
    op.access().is_some() || matches!(op.kind(), Kind::Reserve | Kind::TakeReservation)
}
