//! Integer reductions ("Vector Reduction Operations").

use super::arithmetic::{Extend, for_double};
use super::element::{Element, for_sew};
use super::fields::Fields;
use super::group::Overlap;
use super::kernel::{At, Together, Whole};
use super::operation::{Compiled, Operation, Unchecked, checked, operations};
use super::reducing::Reduction;
use super::rules::{Rules, scalar};
use super::state::VectorUnit;

/// A reduction and its kernels, if it has any.
struct Reducing(Reduction, Option<Whole>);

impl Reducing {
    /// With its body.
    const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Reduction(self.0, self.1, checked::<B>)
    }
}

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    single_width::operation(name).or_else(|| widening::operation(name))
}

/// Scalars of 2^`power` times SEW; the elements have SEW.
const fn reducing(power: i8) -> Rules {
    let scalar = scalar(power);
    Rules { vd: scalar, vs1: scalar, overlap: Overlap::Any, restarts: true, ..Rules::SIGNED }
}

mod single_width {
    use super::*;

    /// Rows `NAME |a: T, b: T| value`: `vd[0] = value`, folded over `a`, which begins as `vs1[0]`, and the active
    /// elements `b` of `vs2`.
    macro_rules! table {
        ($($name:ident |$a:ident, $b:ident: $t:ty| $value:expr;)*) => {
            operations! {
                $($name [VS] reducing(0) => |hart, fields, shape| {
                    let unit = &mut hart.vector;
                    for_sew!(unit.vtype.sew, E => {
                        fold::<$t, E, E>(unit, fields, shape.agnostic, |$a, $b| $value, |a| a as u64);
                    });
                    Ok(())
                } => {
                    struct Folding;

                    impl Together for Folding {
                        #[inline(always)]
                        fn run<E: Element>(unit: &mut VectorUnit, at: At) {
                            fold_all::<$t, E>(unit, at, |$a, $b| $value, |a| a as u64);
                        }
                    }

                    Reducing(Reduction::$name, Some(Whole::scalar::<Folding>()))
                };)*
            }
        };
    }

    table! {
        VREDSUM |a, b: u64| a.wrapping_add(b);
        VREDAND |a, b: u64| a & b;
        VREDOR |a, b: u64| a | b;
        VREDXOR |a, b: u64| a ^ b;
        VREDMINU |a, b: u64| a.min(b);
        VREDMIN |a, b: i64| a.min(b);
        VREDMAXU |a, b: u64| a.max(b);
        VREDMAX |a, b: i64| a.max(b);
    }
}

mod widening {
    use super::*;

    /// The sums whose scalars are twice as wide as the elements.
    macro_rules! table {
        ($($name:ident $t:ty;)*) => {
            operations! {
                $($name [VS] reducing(1) => |hart, fields, shape| {
                    let unit = &mut hart.vector;
                    for_double!(unit.vtype.sew, E, W => {
                        fold::<$t, E, W>(unit, fields, shape.agnostic, |a, b| a.wrapping_add(b), |a| a as u64);
                    });
                    Ok(())
                } => Reducing(Reduction::$name, None);)*
            }
        };
    }

    table! {
        VWREDSUMU u64;
        VWREDSUM i64;
    }
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
    if fields.masked() {
        for index in (0..unit.vl).filter(|&index| unit.active(fields, index)) {
            result = f(result, T::of(unit.get::<E>(fields.vs2(), index)));
        }
    } else {
        let start = fields.vs2() as usize * unit.vlenb;
        let elements = unit.registers[start..start + unit.vl * E::BYTES].chunks_exact(E::BYTES);
        result = elements.fold(result, |result, bytes| f(result, T::of(E::load(bytes))));
    }
    unit.set(fields.vd(), 0, S::truncate(low(result)));
    unit.finish_scalar::<S>(fields.vd(), agnostic);
}

/// The same of all elements, of one width, for compiled code.
#[inline(always)]
fn fold_all<T: Extend, E: Element>(
    unit: &mut VectorUnit,
    at: At,
    f: impl Fn(T, T) -> T,
    low: impl Fn(T) -> u64,
) {
    if at.body == 0 {
        return;
    }
    let element = |bytes: &[u8]| T::of(E::load(bytes));
    let first = element(&unit.registers[at.b as usize..][..E::BYTES]);
    let elements = unit.registers[at.a..at.a + at.body].chunks_exact(E::BYTES);
    let result = elements.fold(first, |result, bytes| f(result, element(bytes)));
    E::truncate(low(result)).store(&mut unit.registers[at.d..at.d + E::BYTES]);
    if at.tail_end > 0 {
        unit.registers[at.d + E::BYTES..at.d + unit.vlenb].fill(0xff);
    }
}
