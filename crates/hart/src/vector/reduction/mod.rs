//! Integer reductions ("Vector Reduction Operations").

use super::arithmetic::{Extend, for_double};
use super::check::{self, rule};
use super::element::{Element, for_sew};
use super::fields::Fields;
use super::group::Group;
use super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    let operation = name.strip_suffix("__VS")?;
    single_width(operation).or_else(|| widening(operation))
}

/// Rows `NAME |a: T, b: T| value`: `vd[0] = value`, folded over `a`, which begins as `vs1[0]`, and the active
/// elements `b` of `vs2`.
macro_rules! single_width {
    ($($name:literal |$a:ident, $b:ident: $t:ty| $value:expr;)*) => {
        fn single_width(operation: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let agnostic = checked(hart, fields, false)?;
                    let unit = &mut hart.vector;
                    for_sew!(unit.vtype.sew, E => {
                        fold::<$t, E, E>(unit, fields, agnostic, |$a, $b| $value, |a| a as u64);
                    });
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

single_width! {
    "VREDSUM" |a, b: u64| a.wrapping_add(b);
    "VREDAND" |a, b: u64| a & b;
    "VREDOR" |a, b: u64| a | b;
    "VREDXOR" |a, b: u64| a ^ b;
    "VREDMINU" |a, b: u64| a.min(b);
    "VREDMIN" |a, b: i64| a.min(b);
    "VREDMAXU" |a, b: u64| a.max(b);
    "VREDMAX" |a, b: i64| a.max(b);
}

/// The sums whose scalars are twice as wide as the elements.
macro_rules! widening {
    ($($name:literal $t:ty;)*) => {
        fn widening(operation: &str) -> Option<Body> {
            Some(match operation {
                $($name => |hart, word| {
                    let fields = Fields(word);
                    let agnostic = checked(hart, fields, true)?;
                    let unit = &mut hart.vector;
                    for_double!(unit.vtype.sew, E, W => {
                        fold::<$t, E, W>(unit, fields, agnostic, |a, b| a.wrapping_add(b), |a| a as u64);
                    });
                    Ok(())
                },)*
                _ => return None,
            })
        }
    };
}

widening! {
    "VWREDSUMU" u64;
    "VWREDSUM" i64;
}

/// `vd[0]` = `f` folded over `vs1[0]`, of type `S`, and the active elements of `vs2`, of type `E`.
#[inline(always)]
fn fold<T: Extend, E: Element, S: Element>(
    unit: &mut VectorUnit,
    fields: Fields,
    agnostic: bool,
    f: impl Fn(T, T) -> T,
    low: impl Fn(T) -> u64,
) {
    if unit.vl == 0 {
        return;
    }
    let mut result = T::of(unit.get::<S>(fields.rs1(), 0));
    for index in 0..unit.vl {
        if unit.active(fields, index) {
            result = f(result, T::of(unit.get::<E>(fields.vs2(), index)));
        }
    }
    unit.set(fields.vd(), 0, S::truncate(low(result)));
    unit.finish_scalar::<S>(fields.vd(), agnostic);
}

/// If the instruction is legal, whether its destination overlaps a source of another element width, so that it
/// is tail-agnostic.
fn checked(hart: &mut Hart, fields: Fields, widening: bool) -> Result<bool, Trap> {
    check::configured(hart)?;
    let unit = &hart.vector;
    check::restarted(unit)?;
    let sew = unit.vtype.sew;
    let scalar = if widening { sew + 1 } else { sew };
    rule(scalar <= unit.elen, "the double-width scalar of a widening reduction must not exceed ELEN")?;
    let vs2 = unit.plain_group(fields.vs2())?;
    unit.read_alike(fields, &[vs2, Group::scalar(fields.rs1(), scalar)])?;
    let destination = Group::scalar(fields.vd(), scalar);
    let over_mask = fields.masked() && fields.vd() == 0;
    Ok(over_mask || widening && destination.overlaps(vs2))
}
