//! Operations that only compute.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use cranelift_frontend::FuncInstBuilder;
use engine::uop::{Binary, Comparison, FIRST_TEMP, Pure, Uop};

use crate::builder::{Builder, Extension, Known, own};
use crate::known::Ring;
use crate::tables::Elements;
use engine::timed;

const WORD: u64 = 0xffff_ffff;

/// Quotients and remainders.
#[derive(Clone, Copy)]
enum Division {
    Unsigned,
    UnsignedRest,
    Signed,
    SignedRest,
}

impl Builder<'_, '_> {
    /// What an operation gives, and the largest value that can be. If it is not `straight`, what follows may be executed
    /// without it.
    pub fn compute(&mut self, uop: Uop, op: Pure, straight: bool) -> (Value, u64) {
        match op {
            Pure::Binary { op, immediate } => self.binary(op, immediate, uop, straight),
            Pure::Compare { op, immediate } => {
                let a = self.get(uop.a);
                let b = if immediate { self.constant(uop.imm) } else { self.get(uop.b) };
                let holds = self.compare(op, a, b);
                // A byte, not a word.
                let value = self.ins.ins().uextend(types::I64, holds);
                self.note_bound(value, 1);
                (self.known_word(value, Extension::Either), 1)
            }
            Pure::Unary(op) => self.unary(op, uop.a),
            Pure::Const => (self.constant(uop.imm), uop.imm),
            Pure::Sext => self.sext(uop),
            Pure::Select => {
                let (condition, yes, no) = (self.get(uop.a), self.get(uop.b), self.get(uop.imm as u16));
                let largest = self.largest_of(uop.b).max(self.largest_of(uop.imm as u16));
                (self.ins.ins().select(condition, yes, no), largest)
            }
            Pure::Table => self.table(uop),
        }
    }

    fn sext(&mut self, uop: Uop) -> (Value, u64) {
        let a = self.get(uop.a);
        if uop.aux < 64 && self.largest_of(uop.a) < 1 << (63 - uop.aux) {
            return (a, self.largest_of(uop.a));
        }
        let value = self.sign_extend(a, uop.aux);
        let mask = self.constant(uop.imm);
        (if uop.imm == u64::MAX { value } else { self.ins.ins().band(value, mask) }, uop.imm)
    }

    /// Whether a comparison holds.
    pub fn compare(&mut self, op: Comparison, a: Value, b: Value) -> Value {
        self.compare_as(op, a, b, |condition| condition)
    }

    /// True if a comparison does not hold.
    pub fn compare_not(&mut self, op: Comparison, a: Value, b: Value) -> Value {
        self.compare_as(op, a, b, IntCC::complement)
    }

    fn compare_as(&mut self, op: Comparison, a: Value, b: Value, form: impl Fn(IntCC) -> IntCC) -> Value {
        let (condition, words) = match op {
            Comparison::Eq => (IntCC::Equal, false),
            Comparison::Ne => (IntCC::NotEqual, false),
            Comparison::Ltu => (IntCC::UnsignedLessThan, false),
            Comparison::Geu => (IntCC::UnsignedGreaterThanOrEqual, false),
            Comparison::Lts64 => (IntCC::SignedLessThan, false),
            Comparison::Ges64 => (IntCC::SignedGreaterThanOrEqual, false),
            Comparison::Lts32 => (IntCC::SignedLessThan, true),
            Comparison::Ges32 => (IntCC::SignedGreaterThanOrEqual, true),
        };
        let (a, b) = if words { (self.narrow(a), self.narrow(b)) } else { (a, b) };
        self.ins.ins().icmp(form(condition), a, b)
    }

    /// The largest value that a slot can have.
    pub fn largest_of(&self, slot: u16) -> u64 {
        match slot {
            0 => 0,
            _ if slot < FIRST_TEMP => u64::MAX,
            _ => self.largest[usize::from(slot)],
        }
    }

    fn sign_extend(&mut self, value: Value, shift: u8) -> Value {
        let from = match shift {
            56 => types::I8,
            48 => types::I16,
            32 => return self.extend_low(value, Extension::Sign),
            _ => {
                let shift = self.constant(shift.into());
                let up = self.ins.ins().ishl(value, shift);
                return self.ins.ins().sshr(up, shift);
            }
        };
        let low = self.ins.ins().ireduce(from, value);
        self.ins.ins().sextend(types::I64, low)
    }

    /// An operation on a word, which gives one.
    pub fn on_word(&mut self, a: Value, operation: fn(FuncInstBuilder<'_, '_>, Value) -> Value) -> Value {
        let word = self.narrow(a);
        let word = operation(self.ins.ins(), word);
        self.widen(word)
    }

    fn on_words(
        &mut self,
        a: Value,
        b: Value,
        operation: fn(FuncInstBuilder<'_, '_>, Value, Value) -> Value,
    ) -> Value {
        let (x, y) = (self.narrow(a), self.narrow(b));
        let word = operation(self.ins.ins(), x, y);
        self.widen(word)
    }

    fn binary(&mut self, op: Binary, immediate: bool, uop: Uop, straight: bool) -> (Value, u64) {
        let (a, at_most) = (self.get(uop.a), self.largest_of(uop.a));
        let (b, most) = if immediate {
            (self.constant(uop.imm), uop.imm)
        } else {
            (self.get(uop.b), self.largest_of(uop.b))
        };
        let value = match op {
            Binary::Add64 => {
                let sum = match self.rotation(a, b) {
                    Some(rotation) => rotation,
                    None => self.ring(Ring::Add, a, b, uop.dst),
                };
                if !immediate {
                    self.note_indexed(sum, a, b);
                }
                sum
            }
            Binary::Sub64 => self.ring(Ring::Sub, a, b, uop.dst),
            Binary::Mul64 => self.ring(Ring::Mul, a, b, uop.dst),
            Binary::And => {
                let is_mask = immediate && most.wrapping_add(1).is_power_of_two();
                let at_most = at_most.min(self.bounded[a].unwrap_or(u64::MAX));
                let value = if is_mask && at_most <= most {
                    a
                } else if self.known[b] == Known::Constant(WORD) {
                    self.extend_low(a, Extension::Zero)
                } else {
                    self.bitwise(Ring::And, a, b, uop.dst)
                };
                let most = self.bounded[b].map_or(most, |bound| bound.min(most));
                self.note_bound(value, at_most.min(most));
                // A value from before it would have its word on this way only.
                let has_word = straight || value != a;
                if immediate && most >> 31 == 0 && has_word && self.known[value] == Known::Nothing {
                    self.known_word(value, Extension::Either);
                }
                return (value, at_most.min(most));
            }
            Binary::Or => self.bitwise(Ring::Or, a, b, uop.dst),
            Binary::Xor => self.bitwise(Ring::Xor, a, b, uop.dst),
            Binary::AndNot => return (self.ins.ins().band_not(a, b), at_most),
            Binary::Shl64 => {
                let value = self.ins.ins().ishl(a, b);
                let value = self.zero_from(value, b, 64, most);
                if immediate
                    && let Some(bound) = self.bounded[a].and_then(|most| most.checked_shl(uop.imm as u32))
                {
                    self.note_bound(value, bound);
                }
                if matches!(self.known[b], Known::Constant(bits) if bits < 32) {
                    self.remember(value, Ring::Shl, a, b, uop.dst);
                }
                value
            }
            Binary::Shr => {
                let largest = if immediate && most < 64 { at_most >> most } else { u64::MAX };
                if let Some(value) = self.known_shift(a, b, false).or_else(|| self.word_shift(a, b, most)) {
                    return (value, largest);
                }
                let value = self.ins.ins().ushr(a, b);
                let value = self.zero_from(value, b, 64, most);
                if immediate && (32..64).contains(&most) {
                    self.known_word(value, if most > 32 { Extension::Either } else { Extension::Zero });
                }
                return (value, largest);
            }
            Binary::Sar64 => self.known_shift(a, b, true).unwrap_or_else(|| {
                let b = self.at_most(b, 63, most);
                self.ins.ins().sshr(a, b)
            }),
            Binary::Rol64 => self.ins.ins().rotl(a, b),
            Binary::Ror64 => self.ins.ins().rotr(a, b),
            Binary::MulHU => self.ins.ins().umulhi(a, b),
            Binary::MulHS => self.ins.ins().smulhi(a, b),
            Binary::MulHSU => {
                // Of a negative `a`, the unsigned product has 2^64 b too much.
                let (high, top) = (self.ins.ins().umulhi(a, b), self.constant(63));
                let sign = self.ins.ins().sshr(a, top);
                let excess = self.ins.ins().band(sign, b);
                self.ins.ins().isub(high, excess)
            }
            Binary::DivU => self.divide(Division::Unsigned, a, b),
            Binary::RemU => self.divide(Division::UnsignedRest, a, b),
            Binary::DivS64 => self.divide(Division::Signed, a, b),
            Binary::RemS64 => self.divide(Division::SignedRest, a, b),
            Binary::DivU32 => self.divide_words(Division::Unsigned, a, b),
            Binary::DivS32 => self.divide_words(Division::Signed, a, b),
            Binary::RemS32 => self.divide_words(Division::SignedRest, a, b),
            Binary::Add32 => {
                let (x, y) = (self.narrow(a), self.narrow(b));
                let word = self.rotation(x, y).unwrap_or_else(|| self.ins.ins().iadd(x, y));
                self.widen(word)
            }
            Binary::Sub32 => self.on_words(a, b, |ins, x, y| ins.isub(x, y)),
            Binary::Mul32 => self.on_words(a, b, |ins, x, y| ins.imul(x, y)),
            Binary::Rol32 => self.on_words(a, b, |ins, x, y| ins.rotl(x, y)),
            Binary::Ror32 => self.on_words(a, b, |ins, x, y| ins.rotr(x, y)),
            Binary::Shl32 => {
                let value = self.on_words(a, b, |ins, x, y| ins.ishl(x, y));
                self.zero_from(value, b, 32, most)
            }
            Binary::Sar32 => {
                let amount = self.at_most(b, 31, most);
                self.on_words(a, amount, |ins, x, y| ins.sshr(x, y))
            }
            Binary::Clmul
            | Binary::ClmulH64
            | Binary::ClmulR64
            | Binary::ClmulH32
            | Binary::ClmulR32
            | Binary::Xperm8
            | Binary::Xperm4
            | Binary::Aes64Es
            | Binary::Aes64Esm
            | Binary::Aes64Ds
            | Binary::Aes64Dsm
            | Binary::Aes64Ks1
            | Binary::Aes32Esi
            | Binary::Aes32Esmi
            | Binary::Aes32Dsi
            | Binary::Aes32Dsmi => self.call(op.function() as usize, &[a, b]),
        };
        if !Self::is_register(uop.dst)
            && let Some(added) = timed::added(uop, self.rv32)
        {
            self.sums[value] = Some((a, added));
        }
        (value, u64::MAX)
    }

    /// An operation of which low words may be all that somebody needs.
    fn ring(&mut self, op: Ring, a: Value, b: Value, dst: u16) -> Value {
        let value = self.ring_operation(op, a, b);
        self.remember(value, op, a, b, dst);
        value
    }

    /// The same of an operation on single bits.
    fn bitwise(&mut self, op: Ring, a: Value, b: Value, dst: u16) -> Value {
        let value = match self.bitwise_on_words(op, a, b) {
            Some(value) => value,
            None => match if op == Ring::And { None } else { self.rotation(a, b) } {
                Some(rotation) => rotation,
                None => self.ring(op, a, b, dst),
            },
        };
        if op != Ring::And
            && let (Some(x), Some(y)) = (self.bounded[a], self.bounded[b])
        {
            self.note_bound(value, u64::MAX >> (x | y).leading_zeros().min(63));
        }
        value
    }

    /// `value`, or zero if the amount it was shifted by is `bits` or more.
    fn zero_from(&mut self, value: Value, amount: Value, bits: u64, most: u64) -> Value {
        if most < bits {
            return value;
        }
        let (bits, zero) = (self.constant(bits), self.constant(0));
        let inside = self.ins.ins().icmp(IntCC::UnsignedLessThan, amount, bits);
        self.ins.ins().select(inside, value, zero)
    }

    fn at_most(&mut self, amount: Value, bound: u64, most: u64) -> Value {
        if most <= bound {
            return amount;
        }
        let bound = self.constant(bound);
        self.ins.ins().umin(amount, bound)
    }

    fn divide_words(&mut self, op: Division, a: Value, b: Value) -> Value {
        let (x, y) = (self.narrow(a), self.narrow(b));
        let value = self.divide(op, x, y);
        self.widen(value)
    }

    /// Divisions as the M extension has them: nothing traps (Unprivileged ISA, "Division Operations").
    fn divide(&mut self, op: Division, a: Value, b: Value) -> Value {
        let ty = self.ins.func.dfg.value_type(a);
        let (zero, one, ones) = (
            self.ins.ins().iconst(ty, 0),
            self.ins.ins().iconst(ty, 1),
            self.ins.ins().iconst(ty, mask_of(ty)),
        );
        let by_zero = self.ins.ins().icmp(IntCC::Equal, b, zero);
        let mut unusual = by_zero;
        if matches!(op, Division::Signed | Division::SignedRest) {
            // The least number by -1: by 1 gives the same quotient and remainder.
            let least = 1i64 << (ty.bits() - 1);
            let least = self.ins.ins().iconst(ty, if ty == types::I32 { least as u32 as i64 } else { least });
            let (is_least, is_minus_one) =
                (self.ins.ins().icmp(IntCC::Equal, a, least), self.ins.ins().icmp(IntCC::Equal, b, ones));
            let overflows = self.ins.ins().band(is_least, is_minus_one);
            unusual = self.ins.ins().bor(by_zero, overflows);
        }
        let divisor = self.ins.ins().select(unusual, one, b);
        let (value, by_nothing) = match op {
            Division::Unsigned => (self.ins.ins().udiv(a, divisor), ones),
            Division::UnsignedRest => (self.ins.ins().urem(a, divisor), a),
            Division::Signed => (self.ins.ins().sdiv(a, divisor), ones),
            Division::SignedRest => (self.ins.ins().srem(a, divisor), a),
        };
        self.ins.ins().select(by_zero, by_nothing, value)
    }

    /// An element of a description's table.
    fn table(&mut self, uop: Uop) -> (Value, u64) {
        let region = self.region;
        let values = match region.program.module().tables.get(uop.imm as usize) {
            Some(table) => &table.values,
            None => return (self.constant(0), 0),
        };
        let elements = self.tables.entry(uop.imm).or_insert_with(|| {
            let values = values.iter().map(|value| value.as_u64()).chain([0]);
            Elements::narrowest(&values.collect::<Vec<u64>>())
        });
        let (ty, address, largest) = match elements {
            Elements::Bytes(bytes) => (types::I8, bytes.as_ptr() as u64, 0xff),
            Elements::Words(words) => (types::I32, words.as_ptr() as u64, WORD),
            Elements::Doublewords(doublewords) => (types::I64, doublewords.as_ptr() as u64, u64::MAX),
        };
        let index = self.get(uop.a);
        let index = self.at_most(index, values.len() as u64, self.largest_of(uop.a));
        let (scale, start) = (self.constant(ty.bytes().trailing_zeros().into()), self.constant(address));
        let offset = self.ins.ins().ishl(index, scale);
        let at = self.ins.ins().iadd(start, offset);
        let value = self.ins.ins().load(ty, own().with_readonly(), at, 0);
        (if ty == types::I64 { value } else { self.widen(value) }, largest)
    }

    /// Calls a function of the host's that takes and gives doublewords.
    pub fn call(&mut self, function: usize, arguments: &[Value]) -> Value {
        let mut signature = Signature::new(self.host_convention);
        signature.params = vec![AbiParam::new(types::I64); arguments.len()];
        signature.returns = vec![AbiParam::new(types::I64)];
        let signature = self.ins.import_signature(signature);
        let callee = self.constant(function as u64);
        let call = self.ins.ins().call_indirect(signature, callee, arguments);
        self.ins.inst_results(call)[0]
    }
}

fn mask_of(ty: cranelift_codegen::ir::Type) -> i64 {
    if ty.bits() == 32 { WORD as i64 } else { -1 }
}
