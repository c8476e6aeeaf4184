//! What is known of values: most of a cipher's are 32-bit words, and words are computed with as such. Extensions
//! to the register's width that nobody looks at are then never emitted.

use crate::bounds::MOST_INDEX;
use crate::builder::{Builder, Extension, Known};
use cranelift_codegen::ir::{InstBuilder, InstructionData, Opcode, Value, types};

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
            Extension::Zero | Extension::Either => self.ins.ins().uextend(types::I64, word),
            Extension::Sign => self.ins.ins().sextend(types::I64, word),
        };
        if self.ins.func.dfg.value_type(word) != types::I32 {
            // Of a byte, which has the word's low bits only.
            return self.known_word(value, extension);
        }
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
        if matches!(self.known[value], Known::Word(_, as_is) if as_is.is_also(extension)) {
            return value;
        }
        let word = self.narrow(value);
        self.extend_word(word, extension)
    }

    /// The result of a bitwise operation on two words that were extended alike, computed as a word.
    pub fn bitwise_on_words(&mut self, op: Ring, a: Value, b: Value) -> Option<Value> {
        let Known::Word(x, of_a) = self.known[a] else { return None };
        let (y, of_b) = match self.known[b] {
            Known::Word(y, of_b) => (Some(y), of_b),
            Known::Constant(number) => (None, extension_of(number)?),
            _ => return None,
        };
        let is_cut = op == Ring::And && (of_a == Extension::Either || of_b == Extension::Either);
        let extension = if is_cut { Extension::Either } else { of_a.common(of_b)? };
        let y = match (y, self.known[b]) {
            (None, Known::Constant(number)) => self.word_constant(number),
            (y, _) => y?,
        };
        let rotation = if op == Ring::And { None } else { self.rotation(x, y) };
        let word = rotation.unwrap_or_else(|| self.ring_operation(op, x, y));
        Some(self.extend_word(word, extension))
    }

    /// A shift right by a known amount, logical or arithmetic, of what is known enough of to be computed as a word, or
    /// to be an extension.
    pub fn known_shift(&mut self, a: Value, amount: Value, arithmetic: bool) -> Option<Value> {
        let Known::Constant(bits @ 0..64) = self.known[amount] else { return None };
        let wanted = if arithmetic { Extension::Sign } else { Extension::Zero };
        if let Some((Opcode::Ishl, x, up)) = self.shift_of(a)
            && up <= bits
            && let Some(part) = self.extend_part(x, 64 - up, wanted)
        {
            if up == bits {
                return Some(part);
            }
            let rest = self.constant(bits - up);
            let value =
                if arithmetic { self.ins.ins().sshr(part, rest) } else { self.ins.ins().ushr(part, rest) };
            let extension = if arithmetic { Extension::Sign } else { Extension::Either };
            return Some(self.known_word(value, extension));
        }
        match self.known[a] {
            Known::Word(word, extension) if bits < 32 && extension.is_also(Extension::Zero) => {
                let amount = self.word_constant(bits);
                let word = self.ins.ins().ushr(word, amount);
                let extension = if bits > 0 { Extension::Either } else { extension };
                let value = self.extend_word(word, extension);
                if let Some(most) = self.bounded[a] {
                    self.note_bound(value, most >> bits);
                }
                Some(value)
            }
            Known::Word(_, Extension::Sign) if arithmetic && bits < 32 => {
                let value = self.ins.ins().sshr(a, amount);
                Some(self.known_word(value, Extension::Sign))
            }
            _ => None,
        }
    }

    /// The low 8, 16 or 32 bits of a value, extended: what shifts there and back leave.
    fn extend_part(&mut self, value: Value, bits: u64, extension: Extension) -> Option<Value> {
        let part = match bits {
            32 => return Some(self.extend_low(value, extension)),
            16 => types::I16,
            8 => types::I8,
            _ => return None,
        };
        let part = self.ins.ins().ireduce(part, value);
        if extension == Extension::Sign {
            let value = self.ins.ins().sextend(types::I64, part);
            return Some(self.known_word(value, Extension::Sign));
        }
        let value = self.ins.ins().uextend(types::I64, part);
        self.note_bound(value, u64::MAX >> (64 - bits));
        Some(self.known_word(value, Extension::Either))
    }

    /// A logical shift right of what is a word, by at most `most`, as a word's.
    pub fn word_shift(&mut self, a: Value, amount: Value, most: u64) -> Option<Value> {
        let Known::Word(word, extension) = self.known[a] else { return None };
        let fits = most < 32 && extension.is_also(Extension::Zero);
        fits.then(|| {
            let word = self.ins.ins().ushr(word, amount);
            self.extend_word(word, Extension::Zero)
        })
    }

    /// Two values whose bits are combined, of which no two are 1 in one place, as a rotation if they are the parts of one.
    pub fn rotation(&mut self, a: Value, b: Value) -> Option<Value> {
        let (x, left, y, right) = match (self.shift_of(a)?, self.shift_of(b)?) {
            ((Opcode::Ishl, x, left), (Opcode::Ushr, y, right))
            | ((Opcode::Ushr, y, right), (Opcode::Ishl, x, left)) => (x, left, y, right),
            _ => return None,
        };
        let ty = self.ins.func.dfg.value_type(a);
        let is_whole = left > 0 && left + right == u64::from(ty.bits());
        if !is_whole || self.source(x) != self.source(y) {
            return None;
        }
        let left = self.word_constant(left);
        Some(self.ins.ins().rotl(x, left))
    }

    /// The shift that made a value, by a known amount.
    fn shift_of(&self, value: Value) -> Option<(Opcode, Value, u64)> {
        let dfg = &self.ins.func.dfg;
        let made = dfg.value_def(dfg.resolve_aliases(value)).inst()?;
        let InstructionData::Binary { opcode: opcode @ (Opcode::Ishl | Opcode::Ushr), args: [x, amount] } =
            dfg.insts[made]
        else {
            return None;
        };
        let InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } =
            dfg.insts[dfg.value_def(dfg.resolve_aliases(amount)).inst()?]
        else {
            return None;
        };
        Some((opcode, x, imm.bits() as u64))
    }

    /// The value that a word is the low half of, or itself.
    fn source(&self, word: Value) -> Value {
        let dfg = &self.ins.func.dfg;
        let word = dfg.resolve_aliases(word);
        match dfg.value_def(word).inst().map(|made| dfg.insts[made]) {
            Some(InstructionData::Unary { opcode: Opcode::Ireduce, arg }) => dfg.resolve_aliases(arg),
            _ => word,
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

/// How a number extends its low word, if it does.
const fn extension_of(number: u64) -> Option<Extension> {
    if number >> 31 == 0 {
        Some(Extension::Either)
    } else if number >> 32 == 0 {
        Some(Extension::Zero)
    } else if number as i32 as i64 as u64 == number {
        Some(Extension::Sign)
    } else {
        None
    }
}
