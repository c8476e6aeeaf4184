//! Operations on the bits of numbers, which raise nothing ("Vector Floating-Point Sign-Injection Instructions", "Vector
//! Floating-Point Classify Instruction").

use softfloat::compare::class;
use softfloat::format::Format;

use super::super::element::Element;
use super::super::operation::operations;
use super::arithmetic::FloatLane;
use super::formats::for_format;
use super::rules::{PLAIN, UNARY};

/// Rows `NAME [FORMS] RULES |a, b| value;`: `vd[i] = value`, with the bits `a` of `vs2` and `b` of the second operand.
/// `F` is the format of SEW. After it, how compiled code does it.
macro_rules! table {
    ($($name:ident [$($form:ident)*] $rules:path, |$a:ident, $b:ident| $value:expr $(=> $lane:expr)?;)*) => {
        operations! {
            $($name [$($form)*] $rules => fn(hart, fields, shape) {
                hart.vector_environment()?;
                let walk = $rules.walk(hart, fields, shape);
                let unit = &mut hart.vector;
                for_format!(unit.vtype.sew, F, E => walk.run::<E, E, E>(unit, |a, b, _, _| {
                    let ($a, $b) = (a.zero_extend(), b.zero_extend());
                    (E::truncate($value), 0)
                }));
                Ok(())
            } $(=> $lane)?;)*
        }
    };
}

table! {
    VFSGNJ [VV VF] PLAIN, |a, b| a & !F::SIGN | b & F::SIGN => FloatLane::VFSGNJ;
    VFSGNJN [VV VF] PLAIN, |a, b| a & !F::SIGN | !b & F::SIGN => FloatLane::VFSGNJN;
    VFSGNJX [VV VF] PLAIN, |a, b| a ^ b & F::SIGN => FloatLane::VFSGNJX;
    VFCLASS [V] UNARY, |a, _b| class::<F>(a) => FloatLane::VFCLASS;
}
