//! What is known of values: most of a cipher's are 32-bit words, and words are computed with as such. Extensions
//! to the register's width that nobody looks at are then never emitted.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::uop::Op;

use crate::builder::{Builder, Extension, Known};

/// Largest index of a table that is checked as a whole.
const MOST_INDEX: u64 = 1020;

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

    /// An operation whose lowest bits depend on lowest bits only, in the width of its operands.
    pub fn ring_operation(&mut self, op: Op, a: Value, b: Value) -> Value {
        match op {
            Op::Add64 | Op::Add64I => self.ins.ins().iadd(a, b),
            Op::Sub64 | Op::Sub64I => self.ins.ins().isub(a, b),
            Op::Mul64 | Op::Mul64I => self.ins.ins().imul(a, b),
            Op::And | Op::AndI => self.ins.ins().band(a, b),
            Op::Or | Op::OrI => self.ins.ins().bor(a, b),
            Op::Xor | Op::XorI => self.ins.ins().bxor(a, b),
            _ => self.ins.ins().ishl(a, b),
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
    pub fn bitwise_on_words(&mut self, op: Op, a: Value, b: Value) -> Option<Value> {
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

    /// Remembers what a value says of a table's index, or of an address with one.
    pub fn note_index(&mut self, value: Value, op: Op, a: Value, b: Value, immediate: u64) {
        match op {
            Op::AndI if immediate <= MOST_INDEX => self.bounded[value] = Some(immediate),
            Op::Shl64I => {
                let most = self.bounded[a].and_then(|most| most.checked_shl(immediate as u32));
                self.bounded[value] = most.filter(|&most| most <= MOST_INDEX);
            }
            Op::Add64 => {
                self.indexed[value] = match (self.bounded[a], self.bounded[b]) {
                    (Some(most), None) => Some((b, most)),
                    (None, Some(most)) => Some((a, most)),
                    _ => None,
                };
            }
            _ => {}
        }
    }

    /// Remembers how a value was computed, if that helps with its low word.
    pub fn remember(&mut self, value: Value, op: Op, a: Value, b: Value) {
        let helps = match op {
            Op::Add64 | Op::Add64I | Op::Sub64 | Op::Sub64I | Op::Mul64 | Op::Mul64I => true,
            Op::And | Op::AndI | Op::Or | Op::OrI | Op::Xor | Op::XorI => true,
            Op::Shl64 | Op::Shl64I => matches!(self.known[b], Known::Constant(bits) if bits < 32),
            _ => false,
        };
        if helps && self.known[value] == Known::Nothing {
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
