//! Constructors of IR expressions that fold constants, so that "constant after elaboration" means
//! "is a [`Kind::Const`]". Who rewrites expressions, such as the generator of datapaths, uses them too.

use ethnum::U256;

use crate::ir::{BinaryOp, Expr, Kind, Ty, UnaryOp};
use crate::literal::minimal_width;
use crate::value;

/// A constant; bits above the width are cleared.
pub fn constant(bits: U256, ty: Ty) -> Expr {
    Expr { ty, kind: Kind::Const(bits & value::mask(ty.width)) }
}

/// The value of a constant expression.
pub fn as_const(expr: &Expr) -> Option<U256> {
    match expr.kind {
        Kind::Const(bits) => Some(bits),
        _ => None,
    }
}

/// True if `to` can represent every value of `from`.
pub fn widens(from: Ty, to: Ty) -> bool {
    match (from.signed, to.signed) {
        (false, true) => from.width < to.width,
        (true, false) => false,
        _ => from.width <= to.width,
    }
}

/// `expr` as `ty`: extended by its own signedness, or truncated.
pub fn resize(expr: Expr, ty: Ty) -> Expr {
    if expr.ty == ty {
        return expr;
    }
    match expr.kind {
        Kind::Const(bits) => constant(value::resize(bits, expr.ty, ty), ty),
        // Truncating, or extending what extended without loss, looks through the inner conversion.
        Kind::Resize(inner) if ty.width <= expr.ty.width || widens(inner.ty, expr.ty) => resize(*inner, ty),
        kind => Expr { ty, kind: Kind::Resize(Box::new(Expr { ty: expr.ty, kind })) },
    }
}

/// An operator with one operand; the result has its type.
pub fn unary(op: UnaryOp, expr: Expr) -> Expr {
    let ty = expr.ty;
    match expr.kind {
        Kind::Const(bits) => constant(value::unary(op, ty, bits), ty),
        kind => Expr { ty, kind: Kind::Unary(op, Box::new(Expr { ty, kind })) },
    }
}

/// An arithmetic or bitwise operator on operands converted to `ty`, which is also the result's type.
pub fn arithmetic(op: BinaryOp, ty: Ty, left: Expr, right: Expr) -> Expr {
    let (left, right) = (resize(left, ty), resize(right, ty));
    let (a, b) = (as_const(&left), as_const(&right));
    if let (Some(a), Some(b)) = (a, b) {
        return constant(value::arithmetic(op, ty, a, b), ty);
    }
    let ones = value::mask(ty.width);
    match (op, a, b) {
        (BinaryOp::And, Some(U256::ZERO), _) | (BinaryOp::Or, Some(_), _)
            if a == Some(absorbing(op, ones)) =>
        {
            left
        }
        (BinaryOp::And | BinaryOp::Or, _, Some(b)) if b == absorbing(op, ones) => right,
        (BinaryOp::And, Some(a), _) if a == ones => right,
        (BinaryOp::And, _, Some(b)) if b == ones => left,
        (BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add, Some(U256::ZERO), _) => right,
        (BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub, _, Some(U256::ZERO)) => left,
        _ => Expr { ty, kind: Kind::Binary(op, Box::new(left), Box::new(right)) },
    }
}

/// What swallows the other operand: zero for `&`, all ones for `|`.
fn absorbing(op: BinaryOp, ones: U256) -> U256 {
    if op == BinaryOp::Or { ones } else { U256::ZERO }
}

/// A comparison of operands converted to `ty`.
pub fn compare(op: BinaryOp, ty: Ty, left: Expr, right: Expr) -> Expr {
    let decided = decide(op, &left, &right);
    let (left, right) = (resize(left, ty), resize(right, ty));
    let decided = decided.or_else(|| match (as_const(&left), as_const(&right)) {
        (Some(a), Some(b)) => Some(value::compare(op, ty, a, b)),
        _ => None,
    });
    match decided {
        Some(result) => constant(U256::from(u8::from(result)), Ty::BOOL),
        None => Expr { ty: Ty::BOOL, kind: Kind::Binary(op, Box::new(left), Box::new(right)) },
    }
}

/// A comparison whose result the operands' ranges settle, such as `rd >= 32` for a field of 5 bits.
fn decide(op: BinaryOp, left: &Expr, right: &Expr) -> Option<bool> {
    let ((min_a, max_a), (min_b, max_b)) = (range(left)?, range(right)?);
    let (below, above) = (max_a < min_b, min_a > max_b);
    match op {
        BinaryOp::Lt if below => Some(true),
        BinaryOp::Lt if min_a >= max_b => Some(false),
        BinaryOp::Le if max_a <= min_b => Some(true),
        BinaryOp::Le if above => Some(false),
        BinaryOp::Gt if above => Some(true),
        BinaryOp::Gt if max_a <= min_b => Some(false),
        BinaryOp::Ge if min_a >= max_b => Some(true),
        BinaryOp::Ge if below => Some(false),
        BinaryOp::Eq if below || above => Some(false),
        BinaryOp::Ne if below || above => Some(true),
        _ => None,
    }
}

/// Least and greatest value of an expression that cannot be negative.
fn range(expr: &Expr) -> Option<(U256, U256)> {
    let full = (!expr.ty.signed).then(|| (U256::ZERO, value::mask(expr.ty.width)));
    match &expr.kind {
        Kind::Const(bits) => (!value::is_negative(*bits, expr.ty)).then_some((*bits, *bits)),
        Kind::Resize(inner) => range(inner).filter(|(_, max)| *max <= greatest(expr.ty)).or(full),
        Kind::Binary(BinaryOp::Add, a, b) => {
            let ((min_a, max_a), (min_b, max_b)) = (range(a)?, range(b)?);
            let max = max_a.checked_add(max_b).filter(|max| *max <= greatest(expr.ty));
            max.map(|max| (min_a + min_b, max)).or(full)
        }
        Kind::Binary(BinaryOp::Sub, a, b) => {
            let ((min_a, max_a), (min_b, max_b)) = (range(a)?, range(b)?);
            if min_a >= max_b { Some((min_a - max_b, max_a - min_b)) } else { full }
        }
        _ => full,
    }
}

/// The greatest value of a type.
fn greatest(ty: Ty) -> U256 {
    value::mask(ty.width - u16::from(ty.signed))
}

/// A shift; a signed amount becomes an unsigned one in which a negative number is past every width.
pub fn shift(op: BinaryOp, left: Expr, amount: Expr) -> Expr {
    let ty = left.ty;
    let amount = position(amount);
    match (as_const(&left), as_const(&amount)) {
        (Some(a), Some(b)) => constant(value::shift(op, ty, a, b), ty),
        (_, Some(U256::ZERO)) => left,
        _ => Expr { ty, kind: Kind::Binary(op, Box::new(left), Box::new(amount)) },
    }
}

/// A shift amount, bit number or index as an unsigned expression; negative numbers become at least 2^17,
/// past every width, register file and table.
pub fn position(expr: Expr) -> Expr {
    if !expr.ty.signed {
        return expr;
    }
    if let Some((_, max)) = range(&expr) {
        return resize(expr, Ty::unsigned(minimal_width(max)));
    }
    let width = expr.ty.width.max(18);
    resize(resize(expr, Ty::signed(width)), Ty::unsigned(width))
}

/// `width` bits from bit `lsb`.
pub fn slice(expr: Expr, lsb: Expr, width: u16) -> Expr {
    let ty = Ty::unsigned(width);
    let lsb = position(lsb);
    match (&expr.kind, as_const(&lsb)) {
        (Kind::Const(bits), Some(at)) => constant(value::slice(*bits, at, width), ty),
        (_, Some(U256::ZERO)) if width <= expr.ty.width => resize(expr, ty),
        _ => Expr { ty, kind: Kind::Slice { value: Box::new(expr), lsb: Box::new(lsb) } },
    }
}

/// `base` with `bits` at `lsb`.
pub fn insert(base: Expr, lsb: Expr, bits: Expr) -> Expr {
    let ty = base.ty;
    let lsb = position(lsb);
    if let (Some(a), Some(at), Some(b)) = (as_const(&base), as_const(&lsb), as_const(&bits)) {
        return constant(value::insert(a, ty, at, b, bits.ty.width), ty);
    }
    Expr { ty, kind: Kind::Insert { base: Box::new(base), lsb: Box::new(lsb), value: Box::new(bits) } }
}

/// `high :: low`.
pub fn concat(high: Expr, low: Expr) -> Expr {
    let ty = Ty::unsigned(high.ty.width + low.ty.width);
    match (as_const(&high), as_const(&low)) {
        (Some(a), Some(b)) => constant((a << u32::from(low.ty.width)) | b, ty),
        _ => Expr { ty, kind: Kind::Concat(Box::new(high), Box::new(low)) },
    }
}

/// `cond ? then : els`, both converted to `ty`.
pub fn select(cond: Expr, ty: Ty, then: Expr, els: Expr) -> Expr {
    let (then, els) = (resize(then, ty), resize(els, ty));
    match as_const(&cond) {
        Some(U256::ZERO) => els,
        Some(_) => then,
        None if then == els => then,
        None => Expr { ty, kind: Kind::Select(Box::new(cond), Box::new(then), Box::new(els)) },
    }
}

/// Whether a value is not zero.
pub fn truth(expr: Expr) -> Expr {
    if expr.ty == Ty::BOOL {
        return expr;
    }
    let ty = expr.ty;
    compare(BinaryOp::Ne, ty, expr, constant(U256::ZERO, ty))
}

/// `!cond` of a condition.
pub fn not(cond: Expr) -> Expr {
    unary(UnaryOp::Not, cond)
}
