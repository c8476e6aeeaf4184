//! Arithmetic on numbers of binary16.

use std::arch::x86_64::{
    __m256, _mm256_add_ps, _mm256_and_ps, _mm256_cvtph_ps, _mm256_div_ps, _mm256_fmsub_ps, _mm256_mul_ps,
    _mm256_or_ps, _mm256_setzero_ps, _mm256_sqrt_ps, _mm256_sub_ps,
};

use super::super::super::host_block::load;
use super::super::arithmetic::FloatLane;
use super::super::host::Kind;
use super::call::{Call, Halves};
use super::pairs::pairs;
use super::rounding::{
    DIVIDES, Look, are_finite, differ, fused_to_odd, loses, narrowed, negated, ordered, signaling, unordered,
};
use super::step::{bits_of_singles, each_from, put_halves};
use crate::hart::Hart;

/// Rows `LANE name KIND |a, b| [x, y], number, error;`: a number of single precision from two operands `x` and `y`, and lanes of
/// ones where the one called `r` is not exact. A root has the same operand twice.
macro_rules! table {
    (plain { $($lane:ident $name:ident $kind:ident |$a:ident, $b:ident| [$x:expr, $y:expr], |$p:ident, $q:ident, $r:ident| $number:expr, $error:expr;)* }
     fused { $($fused:ident $fused_name:ident |$fa:ident, $fb:ident, $fd:ident| [$fx:expr, $fy:expr, $fz:expr];)* }) => {
        /// How compiled code does an operation, if it is one of these.
        pub fn entry(lane: FloatLane) -> Option<Halves> {
            Some(match lane {
                $(FloatLane::$lane => $name,)*
                $(FloatLane::$fused => $fused_name,)*
                _ => return None,
            })
        }

        $(
            #[target_feature(enable = "avx2,f16c,fma")]
            extern "C" fn $name(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
                /// From an element on, whatever the numbers.
                #[inline(never)]
                #[target_feature(enable = "avx2,f16c,fma")]
                fn others(hart: &mut Hart, call: Call, first: usize) {
                    each_from(hart, call, first, 2, |registers, step| {
                        let ($a, $b) = (load(registers, step.at(call.a, 2)), step.b);
                        let (x, y) = ($x, $y);
                        let ($p, $q) = (_mm256_cvtph_ps(x), _mm256_cvtph_ps(y));
                        let $r: __m256 = $number;
                        let (halves, flags) = narrowed(step, $r, DIVIDES, || Look {
                            invalid: signaling(x) | signaling(y)
                                | bits_of_singles(_mm256_and_ps(unordered($r, $r), ordered($p, $q))),
                            inexact: $error,
                            finite: _mm256_and_ps(are_finite($p), are_finite($q)),
                        });
                        put_halves(registers, step.at(call.d, 2), step.active, halves);
                        flags
                    });
                }

                let call = Call { d, a, second, how, tail_end };
                let done = pairs::<false>(hart, call, Kind::$kind, |$a, $b, _| {
                    let ($p, $q) = ($x, $y);
                    $number
                });
                if let Some(first) = done {
                    others(hart, call, first);
                }
            }
        )*

        $(
            #[target_feature(enable = "avx2,f16c,fma")]
            extern "C" fn $fused_name(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
                /// From an element on, whatever the numbers.
                #[inline(never)]
                #[target_feature(enable = "avx2,f16c,fma")]
                fn others(hart: &mut Hart, call: Call, first: usize) {
                    each_from(hart, call, first, 2, |registers, step| {
                        let (a, d) = (load(registers, step.at(call.a, 2)), load(registers, step.at(call.d, 2)));
                        let ($fa, $fb, $fd) = (_mm256_cvtph_ps(a), _mm256_cvtph_ps(step.b), _mm256_cvtph_ps(d));
                        let (x, y, z) = ($fx, $fy, $fz);
                        let number = fused_to_odd(x, y, z);
                        let (halves, flags) = narrowed(step, number, DIVIDES, || {
                            let product = _mm256_mul_ps(x, y);
                            let of_product = _mm256_and_ps(unordered(product, product), ordered(x, y));
                            let of_sum = _mm256_and_ps(unordered(number, number), ordered(product, z));
                            Look {
                                invalid: signaling(a) | signaling(step.b) | signaling(d)
                                    | bits_of_singles(_mm256_or_ps(of_product, of_sum)),
                                // Where it is not exact, it has more digits than binary16.
                                inexact: _mm256_setzero_ps(),
                                finite: _mm256_setzero_ps(),
                            }
                        });
                        put_halves(registers, step.at(call.d, 2), step.active, halves);
                        flags
                    });
                }

                let call = Call { d, a, second, how, tail_end };
                let done = pairs::<true>(hart, call, Kind::Product, |$fa, $fb, $fd| fused_to_odd($fx, $fy, $fz));
                if let Some(first) = done {
                    others(hart, call, first);
                }
            }
        )*
    };
}

table! {
    plain {
        VFADD vfadd Sum |a, b| [a, b], |p, q, r| _mm256_add_ps(p, q), loses(p, q, r);
        VFSUB vfsub Sum |a, b| [a, b], |p, q, r| _mm256_sub_ps(p, q), loses(p, negated(q), r);
        VFRSUB vfrsub Sum |a, b| [b, a], |p, q, r| _mm256_sub_ps(p, q), loses(p, negated(q), r);
        VFMUL vfmul Product |a, b| [a, b], |p, q, r| _mm256_mul_ps(p, q), _mm256_setzero_ps();
        VFDIV vfdiv Quotient |a, b| [a, b], |p, q, r| _mm256_div_ps(p, q), is_not(r, q, p);
        VFRDIV vfrdiv Quotient |a, b| [b, a], |p, q, r| _mm256_div_ps(p, q), is_not(r, q, p);
        VFSQRT vfsqrt Product |a, _b| [a, a], |p, _q, r| _mm256_sqrt_ps(p), is_not(r, r, p);
    }
    fused {
        VFMACC vfmacc |a, b, d| [a, b, d];
        VFNMACC vfnmacc |a, b, d| [negated(a), b, negated(d)];
        VFMSAC vfmsac |a, b, d| [a, b, negated(d)];
        VFNMSAC vfnmsac |a, b, d| [negated(a), b, d];
        VFMADD vfmadd |a, b, d| [d, b, a];
        VFNMADD vfnmadd |a, b, d| [negated(d), b, negated(a)];
        VFMSUB vfmsub |a, b, d| [d, b, negated(a)];
        VFNMSUB vfnmsub |a, b, d| [negated(d), b, a];
    }
}

/// Lanes of ones where x · y is not a number.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_not(x: __m256, y: __m256, number: __m256) -> __m256 {
    differ(_mm256_fmsub_ps(x, y, number), _mm256_setzero_ps())
}
