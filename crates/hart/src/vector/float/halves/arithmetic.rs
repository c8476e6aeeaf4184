//! Arithmetic on numbers of binary16.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_EQ_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_castps_si256, _mm256_cmp_ps,
    _mm256_cmpeq_epi32, _mm256_cvtph_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_mul_ps,
    _mm256_or_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256,
    _mm256_slli_epi32, _mm256_sqrt_ps, _mm256_sub_ps,
};

use softfloat::environment::Flags;
use softfloat::format::{Format, Half, Single};

use super::super::super::host_block::load;
use super::super::arithmetic::FloatLane;
use super::super::host::Kind;
use super::blocks::in_blocks;
use super::call::{Call, Halves};
use super::narrow::{AllLimits, Bounds};
use super::pairs::pairs;
use super::rounding::{
    DIVIDES, Look, absolute, are_finite, differ, fused_to_odd, loses, narrowed, negated, ordered, signaling,
    unordered,
};
use super::step::{bits_of_singles, each, put_halves};
use crate::hart::Hart;

/// Rows `LANE name KIND |a, b| [x, y], number, error;`: a number of single precision from two operands `x` and `y`, and lanes of
/// ones where the one called `r` is not exact. A root has the same operand twice.
macro_rules! table {
    (plain { $($lane:ident $name:ident $kind:ident |$a:ident, $b:ident| [$x:expr, $y:expr], |$p:ident, $q:ident, $r:ident| $number:expr, $error:expr;)* }
     fused { $($fused:ident $fused_name:ident |$fa:ident, $fb:ident, $fd:ident| [$fx:expr, $fy:expr, $fz:expr];)* }) => {
        /// How compiled code does an operation, if it is one of these.
        pub fn entry(lane: FloatLane) -> Option<Halves> {
            Some(match lane {
                $(FloatLane::$lane => $name::function,)*
                $(FloatLane::$fused => $fused_name::function,)*
                _ => return None,
            })
        }

        $(
            mod $name {
                use super::*;

                /// Whatever the numbers.
                #[cold]
                #[inline(never)]
                #[target_feature(enable = "avx2,f16c,fma")]
                extern "C" fn others(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
                    let call = Call { d, a, second, how, tail_end };
                    each(hart, call, 2, |registers, step| {
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

                /// As long as results raise nothing new.
                #[inline]
                #[target_feature(enable = "avx2,f16c,fma")]
                fn usual<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
                    const LIMITS: AllLimits = bounds(Kind::$kind).limits::<Half>();
                    let number = |$a, $b, _| {
                        let ($p, $q) = ($x, $y);
                        $number
                    };
                    #[allow(unused_variables, reason = "some are inexact only where they have too many digits")]
                    let error = |$a, $b, _, $r| {
                        let ($p, $q): (__m256, __m256) = ($x, $y);
                        let error = $error;
                        // An infinite quotient may come of a division by zero.
                        let divides = matches!(Kind::$kind, Kind::Quotient);
                        if divides { _mm256_or_ps(error, is_infinite($r)) } else { error }
                    };
                    pairs::<false, PARTS>((hart, call), &LIMITS, number, error, |_| _mm256_setzero_si256())
                }

                in_blocks! { function [], 16, [2, 2, 2], usual, others }
            }
        )*

        $(
            mod $fused_name {
                use super::*;

                /// Whatever the numbers.
                #[cold]
                #[inline(never)]
                #[target_feature(enable = "avx2,f16c,fma")]
                extern "C" fn others(hart: &mut Hart, d: usize, a: usize, second: u64, how: u64, tail_end: usize) {
                    let call = Call { d, a, second, how, tail_end };
                    each(hart, call, 2, |registers, step| {
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

                /// As long as results raise nothing new.
                #[inline]
                #[target_feature(enable = "avx2,f16c,fma")]
                fn usual<const PARTS: bool>(hart: &mut Hart, call: Call) -> Option<()> {
                    const LIMITS: AllLimits = OF_FUSED.limits::<Half>();
                    let number = |$fa, $fb, $fd| _mm256_fmadd_ps($fx, $fy, $fz);
                    let error = |$fa, $fb, $fd, number| loses(_mm256_mul_ps($fx, $fy), $fz, number);
                    pairs::<true, PARTS>((hart, call), &LIMITS, number, error, |number| are_halfway(number))
                }

                in_blocks! { function [], 16, [2, 2, 2], usual, others }
            }
        )*
    };
}

/// Where results of a kind may raise a flag.
const fn bounds(kind: Kind) -> Bounds {
    match kind {
        Kind::Sum => Bounds::of_sums::<Half>(),
        Kind::Product => Bounds::of_others::<Half>(),
        Kind::Quotient => Bounds {
            infinite: Flags(Flags::OVERFLOW.0 | Flags::DIVIDE_BY_ZERO.0),
            ..Bounds::of_others::<Half>()
        },
    }
}

/// The same of sums with products: how tiny ones are rounded is not known at once.
const OF_FUSED: Bounds = Bounds { first_tiny: Half::HIDDEN + 1, ..Bounds::of_others::<Half>() };

/// Lanes of ones where numbers are in the middle between two of binary16 that are not tiny: what they were rounded from may
/// not be.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn are_halfway(number: __m256) -> __m256i {
    const { assert!(Half::HIDDEN << 13 == Single::HIDDEN) };
    let cut = _mm256_slli_epi32::<19>(_mm256_castps_si256(number));
    _mm256_cmpeq_epi32(cut, _mm256_set1_epi32(i32::MIN))
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

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_infinite(number: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_EQ_OQ>(absolute(number), _mm256_set1_ps(f32::INFINITY))
}

/// Lanes of ones where x · y is not a number.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_not(x: __m256, y: __m256, number: __m256) -> __m256 {
    differ(_mm256_fmsub_ps(x, y, number), _mm256_setzero_ps())
}
