//! CoreDSL's type rules: widths of results, and which conversions lose nothing.

use std::fmt;

use crate::ast::BinaryOp;
use crate::ir::{self, Ty};

/// `unsigned<N>` or `signed<N>`, as a description writes it.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<{}>", if self.signed { "signed" } else { "unsigned" }, self.width)
    }
}

/// The narrowest type that holds every value of both.
pub(super) fn common(a: Ty, b: Ty) -> Ty {
    let signed = a.signed || b.signed;
    let width = |ty: Ty| ty.width + u16::from(signed && !ty.signed);
    Ty { width: width(a).max(width(b)), signed }
}

/// How an operator of the source is computed: the IR operator, the type its operands are converted to,
/// and the type of the result.
pub(super) struct Operation {
    pub op: ir::BinaryOp,
    pub operands: Ty,
    pub result: Ty,
}

/// Arithmetic and bitwise operators; `None` for shifts, comparisons and logic.
pub(super) fn arithmetic(op: BinaryOp, a: Ty, b: Ty) -> Option<Operation> {
    let both = common(a, b);
    let grown = Ty { width: both.width + 1, ..both };
    let (op, operands, result) = match op {
        BinaryOp::Add => (ir::BinaryOp::Add, grown, grown),
        BinaryOp::Sub => (ir::BinaryOp::Sub, Ty::signed(grown.width), Ty::signed(grown.width)),
        BinaryOp::Mul => {
            let product = Ty { width: a.width + b.width, signed: both.signed };
            (ir::BinaryOp::Mul, product, product)
        }
        // The one quotient wider than the dividend is that of the least number by -1.
        BinaryOp::Div => {
            let quotient = Ty { width: a.width + u16::from(b.signed), signed: both.signed };
            (ir::BinaryOp::Div, if both.signed { grown } else { both }, quotient)
        }
        BinaryOp::Rem => (ir::BinaryOp::Rem, both, remainder(a, b)),
        BinaryOp::And => (ir::BinaryOp::And, both, both),
        BinaryOp::Or => (ir::BinaryOp::Or, both, both),
        BinaryOp::Xor => (ir::BinaryOp::Xor, both, both),
        _ => return None,
    };
    Some(Operation { op, operands, result })
}

/// A remainder has the dividend's sign and less than the divisor's magnitude.
fn remainder(a: Ty, b: Ty) -> Ty {
    let divisor = match (a.signed, b.signed) {
        (true, false) => b.width + 1,
        (false, true) => b.width - 1,
        _ => b.width,
    };
    Ty { width: a.width.min(divisor).max(1), signed: a.signed }
}

/// The IR operator of a comparison.
pub(super) fn comparison(op: BinaryOp) -> Option<ir::BinaryOp> {
    Some(match op {
        BinaryOp::Eq => ir::BinaryOp::Eq,
        BinaryOp::Ne => ir::BinaryOp::Ne,
        BinaryOp::Lt => ir::BinaryOp::Lt,
        BinaryOp::Le => ir::BinaryOp::Le,
        BinaryOp::Gt => ir::BinaryOp::Gt,
        BinaryOp::Ge => ir::BinaryOp::Ge,
        _ => return None,
    })
}
