//! Emission of single micro-operations: constant folding, immediate forms, slots.

use super::{Lower, Lowering, Unsupported, Val, Value, mask};
use crate::uop::{Kind, Law, Load, Op, SLOTS, Uop, fold_binary, fold_unary};

impl Lowering<'_, '_> {
    pub(super) fn temp(&mut self) -> Lower<u16> {
        let slot = self.state.next_temp;
        if usize::from(slot) >= SLOTS {
            return Err(Unsupported);
        }
        self.state.next_temp += 1;
        Ok(slot)
    }

    pub(super) fn push(&mut self, uop: Uop) -> usize {
        self.uops.push(uop);
        self.uops.len() - 1
    }

    /// The slot that holds `val`, which is materialised if it is a constant.
    pub(super) fn slot(&mut self, val: Val) -> Lower<u16> {
        match val {
            Val::Slot(slot) => Ok(slot),
            // The zero register reads as zero.
            Val::Const(0) => Ok(0),
            Val::Const(imm) => {
                let dst = self.temp()?;
                self.push(Uop { dst, imm, ..Uop::new(Op::Const) });
                Ok(dst)
            }
        }
    }

    /// `dst = val`, into a slot that something else may read later.
    pub(super) fn copy_into(&mut self, dst: u16, val: Val) {
        match val {
            Val::Const(imm) => {
                self.push(Uop { dst, imm, ..Uop::new(Op::Const) });
            }
            Val::Slot(a) if a == dst => {}
            Val::Slot(a) => {
                // A value that nothing else refers to is computed in place.
                let joined = self.state.landed == self.uops.len();
                match self.uops.last_mut() {
                    Some(last) if !joined && last.def() == Some(a) && a >= self.state.sealed => {
                        last.dst = dst
                    }
                    _ => {
                        self.push(Uop { dst, a, ..Uop::new(Op::Mov) });
                    }
                }
            }
        }
    }

    pub(super) fn binary(&mut self, op: Op, a: Val, b: Val, bits: u16) -> Lower<Value> {
        let val = match (a, b) {
            (Val::Const(x), Val::Const(y)) => Val::Const(fold_binary(op, x, y).ok_or(Unsupported)?),
            (Val::Const(_), Val::Slot(_)) if op.laws().contains(&Law::Commutes) => {
                return self.binary(op, b, a, bits);
            }
            (_, Val::Const(imm)) => {
                let (op, imm) = cheaper(op, imm);
                if imm == 0 && op.laws().contains(&Law::ZeroIsNeutral) {
                    a
                } else if op == Op::And && self.has_cleared(a, imm) {
                    Val::Const(0)
                } else {
                    let (a, dst) = (self.slot(a)?, self.temp()?);
                    let op = op.immediate().ok_or(Unsupported)?;
                    self.push(Uop { dst, a, imm, ..Uop::new(op) });
                    Val::Slot(dst)
                }
            }
            (_, Val::Slot(b)) => {
                let (a, dst) = (self.slot(a)?, self.temp()?);
                self.push(Uop { dst, a, b, ..Uop::new(op) });
                Val::Slot(dst)
            }
        };
        Ok(Value { val, bits: narrowed(val, bits) })
    }

    /// True if the micro-operation before cleared all of these bits of a value.
    fn has_cleared(&self, val: Val, bits: u64) -> bool {
        let joined = self.state.landed == self.uops.len();
        let last = self.uops.last().filter(|last| !joined && last.op == Op::AndNotI);
        last.is_some_and(|last| Val::Slot(last.dst) == val && bits & !last.imm == 0)
    }

    pub(super) fn unary(&mut self, op: Op, a: Val, bits: u16) -> Lower<Value> {
        let val = match a {
            Val::Const(x) => Val::Const(fold_unary(op, x).ok_or(Unsupported)?),
            Val::Slot(a) => {
                let dst = self.temp()?;
                self.push(Uop { dst, a, ..Uop::new(op) });
                Val::Slot(dst)
            }
        };
        Ok(Value { val, bits: narrowed(val, bits) })
    }

    /// Sign-extends the low `from` bits to 32 (if `to` is not more) or 64 bits.
    pub(super) fn sign_extend(&mut self, value: Val, from: u16, to: u16) -> Lower<Value> {
        let to = if to <= 32 { 32 } else { 64 };
        if from == to {
            return Ok(Value { val: value, bits: 64 });
        }
        let shift = 64 - from;
        match value {
            Val::Const(x) => {
                let val = Val::Const(((x << shift) as i64 >> shift) as u64 & mask(to));
                Ok(Value { val, bits: to })
            }
            Val::Slot(a) => {
                if let Some(last) = self.uops.last_mut()
                    && last.def() == Some(a)
                    && a >= self.state.sealed
                    && last.op.kind() == Kind::Load(Load { bits: from, signed: false, to: 64 })
                    && let Some(op) = Op::load(Load { bits: from, signed: true, to })
                {
                    last.op = op;
                    return Ok(Value { val: value, bits: to });
                }
                let dst = self.temp()?;
                self.push(Uop { dst, a, aux: shift as u8, imm: mask(to), ..Uop::new(Op::Sext) });
                Ok(Value { val: Val::Slot(dst), bits: to })
            }
        }
    }

    /// The low `width` bits, zero above.
    pub(super) fn exactly(&mut self, value: Value, width: u16) -> Lower<Val> {
        match value.val {
            Val::Const(x) => Ok(Val::Const(x & mask(width))),
            val if value.bits <= width => Ok(val),
            val => Ok(self.binary(Op::And, val, Val::Const(mask(width)), width)?.val),
        }
    }

    /// Makes the jump at `uop` go to the next micro-operation emitted.
    pub(super) fn land(&mut self, uop: usize) {
        self.state.landed = self.uops.len();
        self.uops[uop].imm = self.state.landed as u64;
    }
}

/// The same as an operation with a constant that takes hosts less time.
const fn cheaper(op: Op, imm: u64) -> (Op, u64) {
    match op {
        Op::RemU if imm.is_power_of_two() => (Op::And, imm - 1),
        Op::DivU if imm.is_power_of_two() => (Op::Shr, imm.trailing_zeros() as u64),
        _ => (op, imm),
    }
}

fn narrowed(val: Val, bits: u16) -> u16 {
    match val {
        Val::Const(x) => bits.min(64 - x.leading_zeros() as u16),
        Val::Slot(_) => bits,
    }
}
