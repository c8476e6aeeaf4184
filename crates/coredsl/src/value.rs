//! Arithmetic on fixed-width values: one definition for constant folding and for the evaluator.
//!
//! A value is a [`U256`] whose bits above its type's width are zero, also when it is negative.

use ethnum::{I256, U256};

use crate::ir::{BinaryOp, Ty, UnaryOp};

/// The low `width` bits set.
pub(crate) fn mask(width: u16) -> U256 {
    if width >= 256 { U256::MAX } else { (U256::ONE << u32::from(width)) - U256::ONE }
}

/// As a number: sign-extended if the type is signed. An unsigned 256-bit value above the range of
/// `I256` wraps; callers compare those as `U256`.
fn number(value: U256, ty: Ty) -> I256 {
    if ty.signed { extend(value, ty).as_i256() } else { value.as_i256() }
}

/// All 256 bits: copies of the sign above the width if the type is signed, else zeros.
pub(crate) fn extend(value: U256, ty: Ty) -> U256 {
    if is_negative(value, ty) { value | !mask(ty.width) } else { value }
}

/// True if the type is signed and the sign bit set.
pub(crate) fn is_negative(value: U256, ty: Ty) -> bool {
    ty.signed && (value >> u32::from(ty.width - 1)) & U256::ONE == U256::ONE
}

/// `value` of type `from` as `to`: extended by its own signedness, or truncated.
pub(crate) fn resize(value: U256, from: Ty, to: Ty) -> U256 {
    extend(value, from) & mask(to.width)
}

/// True if `to` can represent the number.
pub(crate) fn fits(value: U256, from: Ty, to: Ty) -> bool {
    let resized = resize(value, from, to);
    is_negative(value, from) == is_negative(resized, to) && extend(value, from) == extend(resized, to)
}

/// One operand of type `ty`.
pub(crate) fn unary(op: UnaryOp, ty: Ty, a: U256) -> U256 {
    let result = match op {
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::Not => !a,
    };
    result & mask(ty.width)
}

/// An operator whose operands both have type `ty`, which is also the result's.
pub(crate) fn arithmetic(op: BinaryOp, ty: Ty, a: U256, b: U256) -> U256 {
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Div | BinaryOp::Rem => divide(op, ty, a, b),
        _ => U256::from(u8::from(compare(op, ty, a, b))),
    };
    result & mask(ty.width)
}

fn divide(op: BinaryOp, ty: Ty, a: U256, b: U256) -> U256 {
    let is_div = op == BinaryOp::Div;
    if b == U256::ZERO {
        return if is_div { U256::MAX } else { a };
    }
    if !ty.signed {
        return if is_div { a / b } else { a % b };
    }
    let (a, b) = (number(a, ty), number(b, ty));
    let result = if is_div { a.wrapping_div(b) } else { a.wrapping_rem(b) };
    result.as_u256()
}

/// A comparison of two values of type `ty`.
pub(crate) fn compare(op: BinaryOp, ty: Ty, a: U256, b: U256) -> bool {
    let order = if ty.signed { number(a, ty).cmp(&number(b, ty)) } else { a.cmp(&b) };
    match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// A shift of a value of type `ty` by an unsigned amount.
pub(crate) fn shift(op: BinaryOp, ty: Ty, a: U256, amount: U256) -> U256 {
    let amount = u32::try_from(amount).unwrap_or(u32::MAX);
    let result = match op {
        BinaryOp::Shr if ty.signed => (extend(a, ty).as_i256() >> amount.min(255)).as_u256(),
        _ if amount >= 256 => U256::ZERO,
        BinaryOp::Shl => a << amount,
        _ => a >> amount,
    };
    result & mask(ty.width)
}

/// `width` bits of `a` from bit `lsb`; bits past the top are zero.
pub(crate) fn slice(a: U256, lsb: U256, width: u16) -> U256 {
    match u32::try_from(lsb) {
        Ok(lsb) if lsb < 256 => (a >> lsb) & mask(width),
        _ => U256::ZERO,
    }
}

/// `a` of type `ty` with the low `width` bits of `bits` at `lsb`; bits past the top are dropped.
pub(crate) fn insert(a: U256, ty: Ty, lsb: U256, bits: U256, width: u16) -> U256 {
    match u32::try_from(lsb) {
        Ok(lsb) if lsb < 256 => {
            let hole = mask(width) << lsb;
            ((a & !hole) | ((bits << lsb) & hole)) & mask(ty.width)
        }
        _ => a,
    }
}
