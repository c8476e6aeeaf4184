//! What is known of values: most of a cipher's are 32-bit words, and words are computed with as such. Extensions
//! to the register's width that nobody looks at are then never emitted.

use crate::builder::{Builder, Extension, Known};
use cranelift_codegen::ir::{InstBuilder, Value, types};

/// Largest index of a table that is checked as a whole.
const MOST_INDEX: u64 = 1020;

/// Operations whose lowest bits depend on lowest bits only; of shifts, those by less than the lowest are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ring {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
}

impl Builder<'_, '_> {
    /// The low 32 bits.
    pub fn narrow(&mut self, value: Value) -> Value {
        match self.known[value] {
            Known::Nothing => self.ins.ins().ireduce(types::I32, value),
            Known::Constant(number) => self.word_constant(number),
            Known::Word(word, _) => word,
            Known::Computed(op, a, b) => {
                let (a, b) = (self.narrow(a), self.narrow(b));
                self.ring_operation(op, a, b)
            }
        }
    }

    fn word_constant(&mut self, number: u64) -> Value {
        self.ins.ins().iconst(types::I32, i64::from(number as u32))
    }

    /// An operation in the width of its operands.
    pub fn ring_operation(&mut self, op: Ring, a: Value, b: Value) -> Value {
        match op {
            Ring::Add => self.ins.ins().iadd(a, b),
            Ring::Sub => self.ins.ins().isub(a, b),
            Ring::Mul => self.ins.ins().imul(a, b),
            Ring::And => self.ins.ins().band(a, b),
            Ring::Or => self.ins.ins().bor(a, b),
            Ring::Xor => self.ins.ins().bxor(a, b),
            Ring::Shl => self.ins.ins().ishl(a, b),
        }
    }

    /// A word as an unsigned doubleword.
    pub fn widen(&mut self, word: Value) -> Value {
        self.extend_word(word, Extension::Zero)
    }

    /// A word as a doubleword.
    pub fn extend_word(&mut self, word: Value, extension: Extension) -> Value {
        let value = match extension {
            Extension::Zero => self.ins.ins().uextend(types::I64, word),
            Extension::Sign => self.ins.ins().sextend(types::I64, word),
        };
        self.known[value] = Known::Word(word, extension);
        value
    }

    /// A doubleword that is known to be its low word's extension.
    pub fn known_word(&mut self, value: Value, extension: Extension) -> Value {
        let word = self.ins.ins().ireduce(types::I32, value);
        self.known[value] = Known::Word(word, extension);
        value
    }

    /// A doubleword's low word, extended.
    pub fn extend_low(&mut self, value: Value, extension: Extension) -> Value {
        if matches!(self.known[value], Known::Word(_, as_is) if as_is == extension) {
            return value;
        }
        let word = self.narrow(value);
        self.extend_word(word, extension)
    }

    /// The result of a bitwise operation on two words that were extended alike, computed as a word.
    pub fn bitwise_on_words(&mut self, op: Ring, a: Value, b: Value) -> Option<Value> {
        let Known::Word(x, extension) = self.known[a] else { return None };
        let y = match self.known[b] {
            Known::Word(y, as_other) if as_other == extension => y,
            Known::Constant(number) if extends(number, extension) => self.word_constant(number),
            _ => return None,
        };
        let word = self.ring_operation(op, x, y);
        Some(self.extend_word(word, extension))
    }

    /// An arithmetic shift right by `amount` of a sign-extended word.
    pub fn shift_of_word(&mut self, a: Value, amount: Value) -> Option<Value> {
        match (self.known[a], self.known[amount]) {
            (Known::Word(_, Extension::Sign), Known::Constant(bits)) if bits < 32 => {
                let value = self.ins.ins().sshr(a, amount);
                Some(self.known_word(value, Extension::Sign))
            }
            _ => None,
        }
    }

    /// Remembers that a value is at most this, if it may be an index of a small table.
    pub fn note_bound(&mut self, value: Value, most: u64) {
        if most <= MOST_INDEX {
            self.bounded[value] = Some(most);
        }
    }

    /// Remembers a sum of an address and such an index.
    pub fn note_indexed(&mut self, sum: Value, a: Value, b: Value) {
        self.indexed[sum] = match (self.bounded[a], self.bounded[b]) {
            (Some(most), None) => Some((b, most)),
            (None, Some(most)) => Some((a, most)),
            _ => None,
        };
    }

    /// Remembers how a value was computed, which helps with its low word, if only this instruction reads it.
    pub fn remember(&mut self, value: Value, op: Ring, a: Value, b: Value, dst: u16) {
        if !Self::is_register(dst) && self.known[value] == Known::Nothing {
            self.known[value] = Known::Computed(op, a, b);
        }
    }
}

/// True if a number is the extension of its low word.
const fn extends(number: u64, extension: Extension) -> bool {
    match extension {
        Extension::Zero => number >> 32 == 0,
        Extension::Sign => number as i32 as i64 as u64 == number,
    }
}
