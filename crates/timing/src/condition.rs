//! Branch conditions.

use crate::core::Event;
use crate::instruction::Instruction;

/// The condition of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    test: Test,
    rv32: bool,
    fall_through: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    Eq,
    Ne,
    Lt,
    Ge,
    Ltu,
    Geu,
}

impl Condition {
    /// The condition of an instruction.
    pub fn of(instruction: &Instruction) -> Self {
        let test = match &*instruction.mnemonic {
            "beq" | "c.beqz" => Test::Eq,
            "blt" => Test::Lt,
            "bge" => Test::Ge,
            "bltu" => Test::Ltu,
            "bgeu" => Test::Geu,
            _ => Test::Ne,
        };
        Self { test, rv32: instruction.rv32, fall_through: instruction.fall_through() }
    }

    /// True if the branch was taken. If its target is the next instruction in memory, its operands decide.
    pub fn holds(self, event: &Event<'_>) -> bool {
        let [a, b] = *event.words else { return event.next != self.fall_through };
        let signed = |value: u64| if self.rv32 { i64::from(value as i32) } else { value as i64 };
        match self.test {
            Test::Eq => a == b,
            Test::Ne => a != b,
            Test::Lt => signed(a) < signed(b),
            Test::Ge => signed(a) >= signed(b),
            Test::Ltu => a < b,
            Test::Geu => a >= b,
        }
    }
}
