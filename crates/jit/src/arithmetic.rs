//! Operations that only compute.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use hart::uop::{FIRST_TEMP, Op, Uop};

use crate::builder::{Builder, Extension, Known, own};
use crate::operation;
use crate::shape;
use crate::tables::Elements;

const WORD: u64 = 0xffff_ffff;

impl Builder<'_, '_> {
    /// What an operation gives, and the largest value that can be.
    pub fn compute(&mut self, uop: Uop) -> (Value, u64) {
        let value = match uop.op {
            Op::Const => return (self.constant(uop.imm), uop.imm),
            Op::Mov => return (self.get(uop.a), self.largest_of(uop.a)),
            Op::Sext => {
                let a = self.get(uop.a);
                if uop.aux < 64 && self.largest_of(uop.a) < 1 << (63 - uop.aux) {
                    return (a, self.largest_of(uop.a));
                }
                let value = self.sign_extend(a, uop.aux);
                let mask = self.constant(uop.imm);
                return (if uop.imm == u64::MAX { value } else { self.ins.ins().band(value, mask) }, uop.imm);
            }
            Op::Select => {
                let (condition, yes, no) = (self.get(uop.a), self.get(uop.b), self.get(uop.imm as u16));
                let largest = self.largest_of(uop.b).max(self.largest_of(uop.imm as u16));
                return (self.ins.ins().select(condition, yes, no), largest);
            }
            Op::Table => return self.table(uop),
            Op::Clz64 | Op::Ctz64 | Op::Cpop | Op::Rev64 | Op::Brev8 | Op::OrcB => {
                let a = self.get(uop.a);
                self.unary(uop.op, a)
            }
            Op::Clz32 | Op::Ctz32 | Op::Rev32 => {
                let a = self.get(uop.a);
                let a = self.narrow(a);
                let value = match uop.op {
                    Op::Clz32 => self.ins.ins().clz(a),
                    Op::Ctz32 => self.ins.ins().ctz(a),
                    _ => self.ins.ins().bswap(a),
                };
                self.widen(value)
            }
            op => {
                let a = self.get(uop.a);
                if let Some(function) = operation::unary(op) {
                    self.call(function, &[a])
                } else {
                    let is_immediate = op.is_immediate();
                    let b = if is_immediate { self.constant(uop.imm) } else { self.get(uop.b) };
                    let most = if is_immediate { uop.imm } else { self.largest_of(uop.b) };
                    let value = self.binary(op, a, self.largest_of(uop.a), b, most);
                    self.note_index(value, op, a, b, uop.imm);
                    if !Self::is_register(uop.dst) {
                        self.remember(value, op, a, b);
                        self.sums[value] = shape::added(uop, self.rv32).map(|added| (a, added));
                    }
                    return (value, binary_at_most(op, most, self.largest_of(uop.a)));
                }
            }
        };
        (value, u64::MAX)
    }

    fn largest_of(&self, slot: u16) -> u64 {
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

    fn unary(&mut self, op: Op, a: Value) -> Value {
        match op {
            Op::Clz64 => self.ins.ins().clz(a),
            Op::Ctz64 => self.ins.ins().ctz(a),
            Op::Cpop => self.ins.ins().popcnt(a),
            Op::Rev64 => self.ins.ins().bswap(a),
            Op::Brev8 => {
                let swapped = self.ins.ins().bswap(a);
                self.ins.ins().bitrev(swapped)
            }
            _ => self.orc_b(a),
        }
    }

    /// 0xff for every byte that is not zero.
    fn orc_b(&mut self, a: Value) -> Value {
        let low = self.constant(0x7f7f_7f7f_7f7f_7f7f);
        let (seven, ones, all) =
            (self.constant(7), self.constant(0x0101_0101_0101_0101), self.constant(0xff));
        let carried = self.ins.ins().band(a, low);
        let carried = self.ins.ins().iadd(carried, low);
        let any = self.ins.ins().bor(carried, a);
        let bits = self.ins.ins().ushr(any, seven);
        let bits = self.ins.ins().band(bits, ones);
        self.ins.ins().imul(bits, all)
    }

    /// `a` is at most `at_most`, `b` at most `most`.
    fn binary(&mut self, op: Op, a: Value, at_most: u64, b: Value, most: u64) -> Value {
        if op == Op::AndI && at_most <= most && most.wrapping_add(1).is_power_of_two() {
            return a;
        }
        if matches!(op, Op::And | Op::AndI) && self.known[b] == Known::Constant(WORD) {
            return self.extend_low(a, Extension::Zero);
        }
        let as_words = match op {
            Op::And | Op::AndI | Op::Or | Op::OrI | Op::Xor | Op::XorI => self.bitwise_on_words(op, a, b),
            Op::Sar64 | Op::Sar64I => self.shift_of_word(a, b),
            _ => None,
        };
        if let Some(value) = as_words {
            return value;
        }
        match op {
            Op::Add64
            | Op::Add64I
            | Op::Sub64
            | Op::Sub64I
            | Op::Mul64
            | Op::Mul64I
            | Op::And
            | Op::AndI
            | Op::Or
            | Op::OrI
            | Op::Xor
            | Op::XorI => self.ring_operation(op, a, b),
            Op::AndNot | Op::AndNotI => self.ins.ins().band_not(a, b),
            Op::MulHU | Op::MulHUI => self.ins.ins().umulhi(a, b),
            Op::MulHS | Op::MulHSI => self.ins.ins().smulhi(a, b),
            Op::MulHSU | Op::MulHSUI => {
                // Of a negative `a`, the unsigned product has 2^64 b too much.
                let (high, top) = (self.ins.ins().umulhi(a, b), self.constant(63));
                let sign = self.ins.ins().sshr(a, top);
                let excess = self.ins.ins().band(sign, b);
                self.ins.ins().isub(high, excess)
            }
            Op::Shl64 | Op::Shl64I => {
                let value = self.ins.ins().ishl(a, b);
                self.zero_from(value, b, 64, most)
            }
            Op::Shr | Op::ShrI => {
                let value = self.ins.ins().ushr(a, b);
                self.zero_from(value, b, 64, most)
            }
            Op::Sar64 | Op::Sar64I => {
                let b = self.at_most(b, 63, most);
                self.ins.ins().sshr(a, b)
            }
            Op::Rol64 | Op::Rol64I => self.ins.ins().rotl(a, b),
            Op::Ror64 | Op::Ror64I => self.ins.ins().rotr(a, b),
            Op::DivU
            | Op::DivUI
            | Op::RemU
            | Op::RemUI
            | Op::DivS64
            | Op::DivS64I
            | Op::RemS64
            | Op::RemS64I => self.divide(op, a, b),
            _ => self.binary32(op, a, b, most),
        }
    }

    fn binary32(&mut self, op: Op, a: Value, b: Value, most: u64) -> Value {
        if let Some(condition) = comparison(op) {
            let (a, b) = match op {
                Op::Lts32 | Op::Lts32I | Op::Ges32 | Op::Ges32I => (self.narrow(a), self.narrow(b)),
                _ => (a, b),
            };
            let holds = self.ins.ins().icmp(condition, a, b);
            return self.widen(holds);
        }
        if let Some(function) = operation::binary(op) {
            return self.call(function, &[a, b]);
        }
        let (x, y) = (self.narrow(a), self.narrow(b));
        let value = match op {
            Op::Add32 | Op::Add32I => self.ins.ins().iadd(x, y),
            Op::Sub32 | Op::Sub32I => self.ins.ins().isub(x, y),
            Op::Mul32 | Op::Mul32I => self.ins.ins().imul(x, y),
            Op::Rol32 | Op::Rol32I => self.ins.ins().rotl(x, y),
            Op::Ror32 | Op::Ror32I => self.ins.ins().rotr(x, y),
            Op::Shl32 | Op::Shl32I => {
                let value = self.ins.ins().ishl(x, y);
                let value = self.widen(value);
                return self.zero_from(value, b, 32, most);
            }
            Op::Sar32 | Op::Sar32I => {
                let amount = self.at_most(b, 31, most);
                let amount = self.narrow(amount);
                self.ins.ins().sshr(x, amount)
            }
            _ => self.divide(op, x, y),
        };
        self.widen(value)
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

    /// Divisions as the M extension has them: nothing traps (Unprivileged ISA, "Division Operations").
    fn divide(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ty = self.ins.func.dfg.value_type(a);
        let (zero, one, ones) = (
            self.ins.ins().iconst(ty, 0),
            self.ins.ins().iconst(ty, 1),
            self.ins.ins().iconst(ty, mask_of(ty)),
        );
        let by_zero = self.ins.ins().icmp(IntCC::Equal, b, zero);
        let signed = matches!(
            op,
            Op::DivS64
                | Op::DivS64I
                | Op::RemS64
                | Op::RemS64I
                | Op::DivS32
                | Op::DivS32I
                | Op::RemS32
                | Op::RemS32I
        );
        let mut unusual = by_zero;
        if signed {
            // The least number by -1: by 1 gives the same quotient and remainder.
            let least = 1i64 << (ty.bits() - 1);
            let least = self.ins.ins().iconst(ty, if ty == types::I32 { least as u32 as i64 } else { least });
            let (is_least, is_minus_one) =
                (self.ins.ins().icmp(IntCC::Equal, a, least), self.ins.ins().icmp(IntCC::Equal, b, ones));
            let overflows = self.ins.ins().band(is_least, is_minus_one);
            unusual = self.ins.ins().bor(by_zero, overflows);
        }
        let divisor = self.ins.ins().select(unusual, one, b);
        match op {
            Op::DivU | Op::DivUI | Op::DivU32 | Op::DivU32I => {
                let quotient = self.ins.ins().udiv(a, divisor);
                self.ins.ins().select(by_zero, ones, quotient)
            }
            Op::RemU | Op::RemUI => {
                let rest = self.ins.ins().urem(a, divisor);
                self.ins.ins().select(by_zero, a, rest)
            }
            Op::DivS64 | Op::DivS64I | Op::DivS32 | Op::DivS32I => {
                let quotient = self.ins.ins().sdiv(a, divisor);
                self.ins.ins().select(by_zero, ones, quotient)
            }
            _ => {
                let rest = self.ins.ins().srem(a, divisor);
                self.ins.ins().select(by_zero, a, rest)
            }
        }
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
    fn call(&mut self, function: usize, arguments: &[Value]) -> Value {
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

const fn comparison(op: Op) -> Option<IntCC> {
    Some(match op {
        Op::Eq | Op::EqI => IntCC::Equal,
        Op::Ne | Op::NeI => IntCC::NotEqual,
        Op::Ltu | Op::LtuI => IntCC::UnsignedLessThan,
        Op::Geu | Op::GeuI => IntCC::UnsignedGreaterThanOrEqual,
        Op::Lts64 | Op::Lts64I | Op::Lts32 | Op::Lts32I => IntCC::SignedLessThan,
        Op::Ges64 | Op::Ges64I | Op::Ges32 | Op::Ges32I => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// Largest value of a binary operation whose operands are at most `a` and `b`.
const fn binary_at_most(op: Op, b: u64, a: u64) -> u64 {
    if comparison(op).is_some() {
        return 1;
    }
    match op {
        Op::And | Op::AndI => {
            if a < b {
                a
            } else {
                b
            }
        }
        Op::AndNot | Op::AndNotI => a,
        Op::ShrI if b < 64 => a >> b,
        _ => u64::MAX,
    }
}
