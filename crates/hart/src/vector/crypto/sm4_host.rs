//! SM4 by the host's affine maps and inversions of bytes (GFNI).

use super::super::kernel::Kernel;

/// Kernels: of `vsm4r.vv`, of `vsm4r.vs` and of `vsm4k.vi`.
pub const ROUNDS: usize = 0;
pub const ROUNDS_OF_ONE_KEY: usize = 1;
pub const KEYS: usize = 2;

#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 16;

/// Those of an instruction that the host can execute, the best first.
#[cfg(target_arch = "x86_64")]
pub fn kernels(number: usize) -> impl Iterator<Item = Kernel> {
    use std::arch::is_x86_feature_detected as has;

    let is_there = has!("gfni") && has!("avx2");
    let adds_three = is_there && has!("avx512f") && has!("avx512vl");
    [adds_three.then_some(three::KERNELS[number]), is_there.then_some(twice_two::KERNELS[number])]
        .into_iter()
        .flatten()
}

/// Those of an instruction that the host can execute.
#[cfg(not(target_arch = "x86_64"))]
pub fn kernels(_: usize) -> impl Iterator<Item = Kernel> {
    std::iter::empty()
}

/// Modules of the same kernels for hosts with some features, given how these add three numbers without carries.
#[cfg(target_arch = "x86_64")]
macro_rules! kernels {
    ($($module:ident $features:literal |$a:ident, $b:ident, $c:ident| $sum:expr;)*) => {
        $(
            mod $module {
                use std::arch::x86_64::{
                    __m128i, __m256i, _mm_setr_epi32, _mm_setzero_si128, _mm256_blend_epi32,
                    _mm256_broadcastsi128_si256, _mm256_bsrli_epi128, _mm256_castsi256_si128,
                    _mm256_gf2p8affine_epi64_epi8, _mm256_gf2p8affineinv_epi64_epi8, _mm256_set1_epi64x,
                    _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_xor_si256,
                };

                use super::super::super::host_block::{each_two, load, load_two, operands, store};
                use super::super::super::kernel::{At, Kernel};
                use super::super::super::state::VectorUnit;
                use super::super::sm4::KEY_CONSTANTS;
                use super::super::sm4_maps::{
                    BEFORE, BEFORE_CONSTANT, SAME, constant, in_words, image, inverted, pair, rotated, rows,
                };
                use super::{BLOCK, KEYS, ROUNDS_OF_ONE_KEY};

                pub const KERNELS: [Kernel; 3] = [each::<0>, each::<ROUNDS_OF_ONE_KEY>, each::<KEYS>];

                #[inline]
                #[target_feature(enable = $features)]
                fn xor(a: __m256i, b: __m256i) -> __m256i {
                    _mm256_xor_si256(a, b)
                }

                #[inline]
                #[target_feature(enable = $features)]
                fn sum_of($a: __m256i, $b: __m256i, $c: __m256i) -> __m256i {
                    $sum
                }

                /// Twice the same in both halves of a group.
                #[inline]
                #[target_feature(enable = $features)]
                fn in_groups([low, high]: [i64; 2]) -> __m256i {
                    _mm256_setr_epi64x(low, high, low, high)
                }

                /// The two terms of a word's image, of which one is in the first half of each group and one in the
                /// second, from four copies of the word, with what follows the inversion for each of the two.
                #[inline]
                #[target_feature(enable = $features)]
                fn halves(word: __m256i, [low, high]: [[i64; 2]; 2]) -> __m256i {
                    let low = _mm256_gf2p8affineinv_epi64_epi8::<0>(word, in_groups(low));
                    let high = _mm256_gf2p8affineinv_epi64_epi8::<0>(word, in_groups(high));
                    let (by_01, by_23) = const { (rotated([0, 1]), rotated([2, 3])) };
                    xor(_mm256_shuffle_epi8(low, load_two(&by_01, 0)), _mm256_shuffle_epi8(high, load_two(&by_23, 0)))
                }

                /// The halves of each group exchanged.
                #[inline]
                #[target_feature(enable = $features)]
                fn exchanged(halves: __m256i) -> __m256i {
                    _mm256_shuffle_epi32::<0b01_00_11_10>(halves)
                }

                /// The sum that is inverted after a given one, and how it differs from the rest of it, which is known
                /// before.
                #[inline]
                #[target_feature(enable = $features)]
                fn step<const IS_KEY: bool>(sum: __m256i, rest: __m256i) -> (__m256i, __m256i) {
                    let terms = halves(sum, const { [pair(IS_KEY, 0, BEFORE), pair(IS_KEY, 2, BEFORE)] });
                    let next = sum_of(terms, rest, exchanged(terms));
                    (next, xor(next, rest))
                }

                /// Four rounds of two groups, or steps of the key schedule.
                ///
                /// The new words are `x_i ^ f_i` with `f_i` from an inversion of the sum of `k_i`, of the old words but
                /// `x_i`, and of the `f` before. So that there is but one instruction between an inversion and the
                /// next, sums are images under the affine map before an inversion, and so are all `f` but the last. A
                /// sum is in all four words of its group.
                #[inline]
                #[target_feature(enable = $features)]
                fn four_steps<const IS_KEY: bool>(words: __m256i, keys: __m256i) -> __m256i {
                    let others = xor(
                        xor(_mm256_shuffle_epi32::<0b00_11_10_01>(words), _mm256_shuffle_epi32::<0b10_01_00_11>(words)),
                        _mm256_shuffle_epi32::<0b01_00_11_10>(words),
                    );
                    let before = _mm256_set1_epi64x(const { rows(BEFORE) });
                    let known = _mm256_gf2p8affine_epi64_epi8::<BEFORE_CONSTANT>(xor(others, keys), before);
                    let sum = _mm256_shuffle_epi32::<0b00_00_00_00>(known);
                    // What every `f` lacks, which are sums of linear maps alone, cancels out after two.
                    let lacking = const { in_words(image(BEFORE, constant(IS_KEY)), 0b1010) };
                    let known = xor(known, load_two(&lacking, 0));
                    let changes = xor(known, _mm256_bsrli_epi128::<4>(known));

                    let (sum, f_0) = step::<IS_KEY>(sum, _mm256_shuffle_epi32::<0b01_01_01_01>(known));
                    let (sum, f_1) = step::<IS_KEY>(sum, xor(sum, _mm256_shuffle_epi32::<0b01_01_01_01>(changes)));
                    let (sum, f_2) = step::<IS_KEY>(sum, xor(sum, _mm256_shuffle_epi32::<0b10_10_10_10>(changes)));
                    let at_last = const { [pair(IS_KEY, 0, SAME), pair(IS_KEY, 2, SAME)] };
                    let terms = halves(sum, at_last);
                    let f_3 = xor(terms, exchanged(terms));

                    let back = _mm256_set1_epi64x(const { rows(inverted(BEFORE)) });
                    let first = _mm256_blend_epi32::<0b1100_1100>(_mm256_blend_epi32::<0b1010_1010>(f_0, f_1), f_2);
                    let all = _mm256_blend_epi32::<0b1000_1000>(_mm256_gf2p8affine_epi64_epi8::<0>(first, back), f_3);
                    let lacking = const { in_words(constant(IS_KEY), 0b1111) };
                    sum_of(words, load_two(&lacking, 0), all)
                }

                #[inline]
                #[target_feature(enable = $features)]
                fn words([a, b, c, d]: [u32; 4]) -> __m128i {
                    _mm_setr_epi32(a as i32, b as i32, c as i32, d as i32)
                }

                #[inline]
                #[target_feature(enable = $features)]
                fn twice(group: __m128i) -> __m256i {
                    _mm256_broadcastsi128_si256(group)
                }

                #[target_feature(enable = $features)]
                extern "C" fn each<const KIND: usize>(
                    unit: &mut VectorUnit,
                    d: usize,
                    a: usize,
                    b: u64,
                    body: usize,
                    tail_end: usize,
                ) {
                    let at = At { d, a: if KIND == ROUNDS_OF_ONE_KEY { d } else { a }, b, body, tail_end };
                    let one = twice(match KIND {
                        ROUNDS_OF_ONE_KEY => load(&unit.registers, a),
                        KEYS => words(KEY_CONSTANTS[b as usize & 7]),
                        _ => _mm_setzero_si128(),
                    });
                    let step = |a, d| match KIND {
                        ROUNDS_OF_ONE_KEY => four_steps::<false>(d, one),
                        KEYS => four_steps::<true>(a, one),
                        _ => four_steps::<false>(d, a),
                    };
                    each_two(operands(unit, at, false), |a, _, d| step(a, d));
                    if body % (2 * BLOCK) != 0 {
                        let [d, a] = [at.d, at.a].map(|start| start + body - BLOCK);
                        let group = step(twice(load(&unit.registers, a)), twice(load(&unit.registers, d)));
                        store(&mut unit.registers, d, _mm256_castsi256_si128(group));
                    }
                    unit.fill_tail(at);
                }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
kernels! {
    twice_two "gfni,avx2" |a, b, c| xor(xor(a, b), c);
    three "gfni,avx2,avx512f,avx512vl" |a, b, c| std::arch::x86_64::_mm256_ternarylogic_epi32::<0b1001_0110>(a, b, c);
}
