//! Which bits of signals and fields are read: tools warn of the others, unless somebody says that it is meant.

use std::collections::HashMap;

use coredsl::fold;
use coredsl::ir::{Expr, FieldId, Kind, LocalId, Ty};
use ethnum::U256;

use crate::straight::{Straight, stripped};

/// Something with bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Atom {
    Signal(LocalId),
    Field(FieldId),
}

impl Atom {
    pub fn of(expr: &Expr) -> Option<Self> {
        match stripped(expr).kind {
            Kind::Local(id) => Some(Self::Signal(id)),
            Kind::Field(id) => Some(Self::Field(id)),
            _ => None,
        }
    }
}

/// The bits read of everything that is read at all.
pub(crate) fn bits(straight: &Straight) -> HashMap<Atom, U256> {
    let mut found = HashMap::new();
    straight.exprs().for_each(|expr| walk(expr, &mut found));
    found
}

fn walk(expr: &Expr, found: &mut HashMap<Atom, U256>) {
    let (inner, lsb) = match &expr.kind {
        Kind::Local(_) | Kind::Field(_) => (expr, 0),
        Kind::Resize(inner) => (&**inner, 0),
        Kind::Slice { value, lsb } => match fold::as_const(lsb).map(u32::try_from) {
            Some(Ok(lsb)) => (&**value, lsb),
            _ => (expr, 0),
        },
        _ => (expr, 0),
    };
    match Atom::of(inner) {
        Some(atom) => {
            let ones = |width| fold::as_const(&fold::constant(U256::MAX, Ty::unsigned(width)));
            let width = expr.ty.width.min(inner.ty.width);
            let bits = ones(width).unwrap_or_default().checked_shl(lsb).unwrap_or_default();
            *found.entry(atom).or_default() |= bits & ones(inner.ty.width).unwrap_or_default();
        }
        None => expr.operands().for_each(|operand| walk(operand, found)),
    }
}
