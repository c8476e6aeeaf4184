//! The difference of two expressions, where it is a constant: the width of `x[i+7:i]`.

use crate::fold;
use crate::ir::{BinaryOp, Expr, Kind};
use crate::value;
use ethnum::U256;

/// A sum of terms with factors, and a constant; all modulo 2^256, which no width exceeds.
struct Linear<'a> {
    terms: Vec<(U256, &'a Expr)>,
    constant: U256,
}

/// `high - low` if it is the same for all values of what both contain, and not negative.
pub(super) fn difference(high: &Expr, low: &Expr) -> Option<u32> {
    let mut sum = Linear { terms: vec![], constant: U256::ZERO };
    sum.add(high, U256::ONE);
    sum.add(low, U256::MAX);
    let is_constant = sum.terms.iter().all(|(factor, _)| *factor == U256::ZERO);
    if is_constant { u32::try_from(sum.constant).ok() } else { None }
}

impl<'a> Linear<'a> {
    fn add(&mut self, expr: &'a Expr, factor: U256) {
        match &expr.kind {
            Kind::Const(bits) => {
                let number = value::extend(*bits, expr.ty);
                self.constant = self.constant.wrapping_add(number.wrapping_mul(factor));
            }
            // CoreDSL's sums and products are wide enough not to wrap.
            Kind::Binary(BinaryOp::Add, a, b) => {
                self.add(a, factor);
                self.add(b, factor);
            }
            Kind::Binary(BinaryOp::Sub, a, b) => {
                self.add(a, factor);
                self.add(b, factor.wrapping_neg());
            }
            Kind::Binary(BinaryOp::Mul, a, b) => match (fold::as_const(a), fold::as_const(b)) {
                (Some(bits), _) => self.add(b, factor.wrapping_mul(value::extend(bits, a.ty))),
                (_, Some(bits)) => self.add(a, factor.wrapping_mul(value::extend(bits, b.ty))),
                _ => self.term(expr, factor),
            },
            Kind::Resize(inner) if fold::widens(inner.ty, expr.ty) => self.add(inner, factor),
            _ => self.term(expr, factor),
        }
    }

    fn term(&mut self, expr: &'a Expr, factor: U256) {
        match self.terms.iter_mut().find(|(_, other)| *other == expr) {
            Some((sum, _)) => *sum = sum.wrapping_add(factor),
            None => self.terms.push((factor, expr)),
        }
    }
}
