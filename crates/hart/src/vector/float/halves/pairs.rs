//! Arithmetic on sixteen numbers of binary16 at a time, as long as no flag is raised that is not raised already.

use std::arch::x86_64::{__m256, __m256i, _CMP_EQ_OQ, _mm256_andnot_ps, _mm256_cmp_ps, _mm256_cvtph_ps};

use softfloat::format::Half;

use super::blocks::{Block, halves, second};
use super::call::Call;
use super::narrow::{AllLimits, nearest, widened};
use crate::hart::Hart;

/// Does an instruction of one block, if its results raise nothing new; does nothing otherwise. `f` makes a result in single
/// precision of numbers of `vs2`, the second operand and, if it is one, `vd`; `error` has lanes of ones where such a result is
/// not exact, unless it has more digits than binary16; `is_doubtful`, where it may not be rounded to the right number, though
/// it is not tiny, if it is not exact.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub fn pairs<const HAS_D: bool, const PARTS: bool>(
    (hart, call): (&mut Hart, Call),
    limits: &'static AllLimits,
    f: impl Fn(__m256, __m256, __m256) -> __m256,
    error: impl Fn(__m256, __m256, __m256, __m256) -> __m256,
    is_doubtful: impl Fn(__m256) -> __m256i,
) -> Option<()> {
    let a = halves(hart, call.a)?;
    let b = second::<Half>(hart, &call)?;
    let d = if HAS_D { halves(hart, call.d)? } else { a };
    let (low_a, low_b, low_d) = (_mm256_cvtph_ps(a.0), _mm256_cvtph_ps(b.0), _mm256_cvtph_ps(d.0));
    let (high_a, high_b, high_d) = (_mm256_cvtph_ps(a.1), _mm256_cvtph_ps(b.1), _mm256_cvtph_ps(d.1));
    let number = (f(low_a, low_b, low_d), f(high_a, high_b, high_d));
    let doubts = (is_doubtful(number.0), is_doubtful(number.1));
    let value = nearest(number);
    Block::<PARTS>::of(hart, call).put_usual::<Half>(hart, limits, value, doubts, || {
        let back = widened(value);
        let low = error(low_a, low_b, low_d, number.0);
        let high = error(high_a, high_b, high_d, number.1);
        (is_exact(number.0, back.0, low), is_exact(number.1, back.1, high))
    })
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn is_exact(number: __m256, back: __m256, error: __m256) -> __m256 {
    _mm256_andnot_ps(error, _mm256_cmp_ps::<_CMP_EQ_OQ>(number, back))
}
