//! Expressions. [`Lowering::value`] computes the demanded low bits and promises nothing about those
//! above, except that bits from [`Value::bits`] up are zero; [`Lowering::exact`] clears them.

use coredsl::ir::{BinaryOp, Expr, Kind, LocalId, RegId, SpaceId, TableId, UnaryOp};

use super::{Binding, Lower, Lowering, NativeSpace, Unsupported, Val, Value, mask};
use crate::uop::{Load, Op, Uop};

impl<'a> Lowering<'a, '_> {
    /// The low `demanded` bits of `expr`.
    pub(super) fn value(&mut self, expr: &'a Expr, demanded: u16) -> Lower<Value> {
        let demanded = demanded.min(expr.ty.width);
        if demanded > 64 {
            return Err(Unsupported);
        }
        match &expr.kind {
            Kind::Const(value) => Ok(constant(value.as_u64() & mask(demanded))),
            Kind::Field(field) => {
                let field = self.instruction.encoding.fields.get(field.index()).ok_or(Unsupported)?;
                Ok(constant(field.extract(self.word)))
            }
            Kind::Local(local) => self.read_local(*local, expr.ty.width, demanded),
            Kind::ReadReg(reg, index) => self.read_register(*reg, index),
            Kind::ReadSpace(space, address) => self.read_space(*space, address, expr.ty.width),
            Kind::Table(table, index) => self.read_table(*table, index),
            Kind::Unary(op, a) => {
                let a = self.value(a, demanded)?;
                match op {
                    UnaryOp::Neg => {
                        let op = if demanded <= 32 { Op::Sub32 } else { Op::Sub64 };
                        self.binary(op, Val::Const(0), a.val, wide_enough(demanded))
                    }
                    UnaryOp::Not => {
                        self.binary(Op::Xor, a.val, Val::Const(mask(demanded)), a.bits.max(demanded))
                    }
                }
            }
            Kind::Binary(op, a, b) => self.binary_expr(expr, *op, a, b, demanded),
            Kind::Resize(inner) => self.resize(inner, demanded),
            Kind::Slice { value, lsb } => self.shift_right(value, lsb, demanded, false),
            Kind::Insert { base, lsb, value } => self.insert(base, lsb, value, demanded),
            Kind::Concat(high, low) => self.concat(high, low, demanded),
            Kind::Select(cond, a, b) => self.select(cond, a, b, demanded),
            Kind::Call(function, args) => self.call(*function, args, demanded),
        }
    }

    /// The low `width` bits of `expr`, zero above.
    pub(super) fn exact(&mut self, expr: &'a Expr, width: u16) -> Lower<Val> {
        let value = self.value(expr, width)?;
        self.exactly(value, width)
    }

    /// All of `expr`, which must fit a slot; an amount, index or address.
    pub(super) fn amount(&mut self, expr: &'a Expr) -> Lower<Val> {
        let inner = strip(expr);
        self.exact(inner, inner.ty.width)
    }

    fn read_local(&mut self, local: LocalId, width: u16, demanded: u16) -> Lower<Value> {
        match self.local(local)?.clone() {
            Binding::Value(Val::Const(value)) => Ok(constant(value & mask(demanded))),
            Binding::Value(val) => Ok(Value { val, bits: width.min(64) }),
            Binding::Fixed(slot) => Ok(Value { val: Val::Slot(slot), bits: width }),
            // The registers it reads may have pending writes by now.
            Binding::Deferred(..) if !self.state.registers.is_empty() => Err(Unsupported),
            Binding::Deferred(expr, locals) => {
                let current = std::mem::replace(&mut self.state.locals, locals);
                let value = self.value(expr, demanded);
                self.state.locals = current;
                value
            }
        }
    }

    fn read_register(&mut self, reg: RegId, index: &'a Expr) -> Lower<Value> {
        if self.context.roles.is_pc(reg) {
            return match &self.state.next_pc {
                None => Ok(constant(self.pc)),
                Some(_) => Err(Unsupported),
            };
        }
        let index = self.register_index(reg, index)?;
        let bits = self.xlen();
        match self.state.registers.get(&index) {
            _ if index == 0 => Ok(constant(0)),
            Some(Binding::Value(val)) => Ok(Value { val: *val, bits }),
            Some(Binding::Fixed(slot)) => Ok(Value { val: Val::Slot(*slot), bits }),
            Some(Binding::Deferred(..)) => Err(Unsupported),
            None => Ok(Value { val: Val::Slot(index), bits }),
        }
    }

    /// The element of `X` that `index` names, known once the fields are.
    pub(super) fn register_index(&mut self, reg: RegId, index: &'a Expr) -> Lower<u16> {
        if !self.context.roles.is_x(reg) {
            return Err(Unsupported);
        }
        match self.amount(index)? {
            Val::Const(index) if index < 32 => Ok(index as u16),
            _ => Err(Unsupported),
        }
    }

    fn read_space(&mut self, space: SpaceId, address: &'a Expr, width: u16) -> Lower<Value> {
        match self.context.roles.space(space) {
            NativeSpace::Memory => {
                let op = Op::load(Load { bits: width, signed: false, to: 64 }).ok_or(Unsupported)?;
                let (a, imm) = self.address(address)?;
                let dst = self.temp()?;
                self.push(Uop { dst, a, imm, ..Uop::new(op) });
                Ok(Value { val: Val::Slot(dst), bits: width })
            }
            NativeSpace::Code => {
                let op = match width {
                    32 => Op::Fetch32,
                    64 => Op::Fetch64,
                    _ => return Err(Unsupported),
                };
                let address = self.exact(address, self.xlen())?;
                let (a, dst) = (self.slot(address)?, self.temp()?);
                self.push(Uop { dst, a, ..Uop::new(op) });
                Ok(Value { val: Val::Slot(dst), bits: width })
            }
            NativeSpace::Csr => {
                let address = self.amount(address)?;
                let (a, dst) = (self.slot(address)?, self.temp()?);
                self.push(Uop { dst, a, ..Uop::new(Op::CsrRead) });
                self.state.ends_block = true;
                Ok(Value { val: Val::Slot(dst), bits: self.xlen() })
            }
            NativeSpace::Reservation => {
                let address = self.amount(address)?;
                let (a, dst) = (self.slot(address)?, self.temp()?);
                self.push(Uop { dst, a, ..Uop::new(Op::ReservationTake) });
                Ok(Value { val: Val::Slot(dst), bits: 1 })
            }
            NativeSpace::Fence | NativeSpace::Unknown => Err(Unsupported),
        }
    }

    /// Base slot and offset of a memory access; the engine wraps their sum at XLEN.
    pub(super) fn address(&mut self, expr: &'a Expr) -> Lower<(u16, u64)> {
        let xlen = self.xlen();
        let mut sum = expr;
        while let Kind::Resize(inner) = &sum.kind {
            // What is narrower than an address is cut off or extended, which a sum of XLEN bits is not.
            if sum.ty.width.min(inner.ty.width) < xlen {
                break;
            }
            sum = inner;
        }
        if let Kind::Binary(BinaryOp::Add, base, offset) = &sum.kind
            && let Val::Const(offset) = self.value(offset, xlen)?.val
        {
            let offset = if offset >> (xlen - 1) == 1 { offset | !mask(xlen) } else { offset };
            let base = self.value(base, xlen)?;
            return Ok((self.slot(base.val)?, offset));
        }
        let address = self.value(expr, xlen)?;
        Ok((self.slot(address.val)?, 0))
    }

    fn read_table(&mut self, table: TableId, index: &'a Expr) -> Lower<Value> {
        let entry = self.context.module.tables.get(table.index()).ok_or(Unsupported)?;
        if entry.element.width > 64 {
            return Err(Unsupported);
        }
        match self.amount(index)? {
            Val::Const(index) => {
                let value = usize::try_from(index).ok().and_then(|index| entry.values.get(index));
                Ok(constant(value.map_or(0, |value| value.as_u64())))
            }
            Val::Slot(a) => {
                let dst = self.temp()?;
                self.push(Uop { dst, a, imm: u64::from(table.0), ..Uop::new(Op::Table) });
                Ok(Value { val: Val::Slot(dst), bits: entry.element.width })
            }
        }
    }

    fn resize(&mut self, inner: &'a Expr, demanded: u16) -> Lower<Value> {
        let from = inner.ty.width;
        if demanded <= from {
            return self.value(inner, demanded);
        }
        if !inner.ty.signed {
            let val = self.exact(inner, from)?;
            return Ok(Value { val, bits: from });
        }
        let value = self.value(inner, from)?;
        self.sign_extend(value.val, from, demanded)
    }

    fn insert(&mut self, base: &'a Expr, lsb: &'a Expr, value: &'a Expr, demanded: u16) -> Lower<Value> {
        let width = value.ty.width;
        if width > 64 {
            return Err(Unsupported);
        }
        let lsb = self.amount(lsb)?;
        let base = self.value(base, demanded)?;
        let value = self.exact(value, width)?;
        let hole = self.binary(Op::Shl64, Val::Const(mask(width)), lsb, 64)?;
        let kept = self.binary(Op::AndNot, base.val, hole.val, base.bits)?;
        let decoded = self.binary(Op::Shl64, value, lsb, 64)?;
        self.binary(Op::Or, kept.val, decoded.val, 64)
    }

    fn concat(&mut self, high: &'a Expr, low: &'a Expr, demanded: u16) -> Lower<Value> {
        let width = low.ty.width;
        if demanded <= width {
            return self.value(low, demanded);
        }
        let low = self.exact(low, width)?;
        let high = self.value(high, demanded - width)?;
        let bits = (high.bits + width).min(64);
        let decoded = self.binary(Op::Shl64, high.val, Val::Const(u64::from(width)), bits)?;
        self.binary(Op::Or, decoded.val, low, bits.max(width))
    }

    fn select(&mut self, cond: &'a Expr, a: &'a Expr, b: &'a Expr, demanded: u16) -> Lower<Value> {
        match self.exact(cond, 1)? {
            Val::Const(0) => self.value(b, demanded),
            Val::Const(_) => self.value(a, demanded),
            Val::Slot(cond) => {
                if a.touches_space() || b.touches_space() {
                    return Err(Unsupported);
                }
                let (a, b) = (self.value(a, demanded)?, self.value(b, demanded)?);
                let (yes, no, dst) = (self.slot(a.val)?, self.slot(b.val)?, self.temp()?);
                self.push(Uop { dst, a: cond, b: yes, imm: u64::from(no), ..Uop::new(Op::Select) });
                Ok(Value { val: Val::Slot(dst), bits: a.bits.max(b.bits) })
            }
        }
    }

    fn binary_expr(
        &mut self,
        expr: &'a Expr,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        demanded: u16,
    ) -> Lower<Value> {
        let modular = |narrow, wide| if demanded <= 32 { narrow } else { wide };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let op = match op {
                    BinaryOp::Add => modular(Op::Add32, Op::Add64),
                    BinaryOp::Sub => modular(Op::Sub32, Op::Sub64),
                    _ => modular(Op::Mul32, Op::Mul64),
                };
                let (a, b) = (self.value(a, demanded)?, self.value(b, demanded)?);
                self.binary(op, a.val, b.val, wide_enough(demanded))
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                if op == BinaryOp::Or
                    && let Some(rotated) = self.rotate(a, b, expr.ty.width, demanded)?
                {
                    return Ok(rotated);
                }
                if op == BinaryOp::And
                    && let Kind::Unary(UnaryOp::Not, b) = &b.kind
                {
                    let (a, b) = (self.value(a, demanded)?, self.value(b, demanded)?);
                    return self.binary(Op::AndNot, a.val, b.val, a.bits);
                }
                let (a, b) = (self.value(a, demanded)?, self.value(b, demanded)?);
                match op {
                    BinaryOp::And => self.binary(Op::And, a.val, b.val, a.bits.min(b.bits)),
                    BinaryOp::Or => self.binary(Op::Or, a.val, b.val, a.bits.max(b.bits)),
                    _ => self.binary(Op::Xor, a.val, b.val, a.bits.max(b.bits)),
                }
            }
            BinaryOp::Shl => self.shift_left(a, b, demanded),
            BinaryOp::Shr => self.shift_right(a, b, demanded, a.ty.signed),
            BinaryOp::Div | BinaryOp::Rem => self.divide(op, a, b),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.compare(op, a, b)
            }
        }
    }

    fn shift_left(&mut self, a: &'a Expr, amount: &'a Expr, demanded: u16) -> Lower<Value> {
        let amount = self.amount(amount)?;
        let needed = match amount {
            Val::Const(amount) if amount >= u64::from(demanded) => return Ok(constant(0)),
            Val::Const(amount) => demanded - amount as u16,
            Val::Slot(_) => demanded,
        };
        let a = self.value(a, needed)?;
        let op = if demanded <= 32 { Op::Shl32 } else { Op::Shl64 };
        self.binary(op, a.val, amount, wide_enough(demanded))
    }

    /// Bits `amount..amount + demanded` of `a`, with copies of the sign or zeros from above.
    fn shift_right(&mut self, a: &'a Expr, amount: &'a Expr, demanded: u16, signed: bool) -> Lower<Value> {
        let amount = self.amount(amount)?;
        if let Val::Const(amount) = amount
            && let Ok(amount) = u16::try_from(amount)
            && let Some(high) = self.multiply_high(a, amount, demanded)?
        {
            return Ok(high);
        }
        let a = if signed == a.ty.signed { strip(a) } else { a };
        let signed = signed && a.ty.signed;
        let width = a.ty.width;
        if let Val::Const(amount) = amount
            && amount + u64::from(demanded) <= u64::from(width)
        {
            let a = self.value(a, amount as u16 + demanded)?;
            let bits = a.bits.saturating_sub(amount as u16);
            return self.binary(Op::Shr, a.val, Val::Const(amount), bits);
        }
        if width > 64 {
            return Err(Unsupported);
        }
        let exact = self.exact(a, width)?;
        match (signed, width) {
            (false, _) => self.binary(Op::Shr, exact, amount, width),
            (true, 32) if demanded <= 32 => self.binary(Op::Sar32, exact, amount, 32),
            (true, _) => {
                let extended = self.sign_extend(exact, width, 64)?;
                self.binary(Op::Sar64, extended.val, amount, 64)
            }
        }
    }
}

pub(super) const fn constant(value: u64) -> Value {
    Value { val: Val::Const(value), bits: 64 - value.leading_zeros() as u16 }
}

/// Bits a 32- or 64-bit operation may set when `demanded` are asked of it.
const fn wide_enough(demanded: u16) -> u16 {
    if demanded <= 32 { 32 } else { 64 }
}

/// The expression without conversions that keep its value.
pub(super) fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        Kind::Resize(inner) if keeps_value(inner, expr) => strip(inner),
        _ => expr,
    }
}

fn keeps_value(from: &Expr, to: &Expr) -> bool {
    match (from.ty.signed, to.ty.signed) {
        (false, true) => from.ty.width < to.ty.width,
        (true, false) => false,
        _ => from.ty.width <= to.ty.width,
    }
}
