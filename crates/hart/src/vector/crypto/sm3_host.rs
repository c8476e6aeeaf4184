//! SM3 by the host's vectors, also those whose words it rotates at once.

use super::super::kernel::Kernel;

/// Kernels: of `vsm3me.vv` and of `vsm3c.vi`.
pub const EXPANSION: usize = 0;
pub const COMPRESSION: usize = 1;

/// Those of an instruction that the host can execute, the best first.
#[cfg(target_arch = "x86_64")]
pub fn kernels(number: usize) -> impl Iterator<Item = Kernel> {
    use std::arch::is_x86_feature_detected as has;

    let is_there = has!("avx2") && has!("bmi1") && has!("bmi2");
    let rotates = is_there && has!("avx512f") && has!("avx512vl");
    [rotates.then_some(rotating::KERNELS[number]), is_there.then_some(shifting::KERNELS[number])]
        .into_iter()
        .flatten()
}

/// Those of an instruction that the host can execute.
#[cfg(not(target_arch = "x86_64"))]
pub fn kernels(_: usize) -> impl Iterator<Item = Kernel> {
    std::iter::empty()
}

/// Modules of the same kernels for hosts with some features: the compiler makes rotations of shifts where it can.
#[cfg(target_arch = "x86_64")]
macro_rules! kernels {
    ($($module:ident $features:literal;)*) => {
        $(
            mod $module {
                use std::arch::x86_64::{
                    __m128i, __m256i, _mm_or_si128, _mm_slli_epi32, _mm_slli_si128, _mm_srli_epi32,
                    _mm_srli_si128, _mm_unpacklo_epi32, _mm_xor_si128, _mm256_alignr_epi8,
                    _mm256_blend_epi32, _mm256_castsi256_si128, _mm256_extract_epi32, _mm256_extracti128_si256, _mm256_or_si256,
                    _mm256_permute2x128_si256, _mm256_set_epi8, _mm256_set_epi32, _mm256_set_m128i,
                    _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_slli_epi32,
                    _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_srlv_epi32, _mm256_xor_si256,
                };
                use std::cell::Cell;

                use super::super::super::host_block::{load_two, store_two};
                use super::super::super::kernel::{At, Kernel, read};
                use super::super::super::state::VectorUnit;
                use super::super::super::steps::one_by_one;
                use super::super::element_group::Group;
                use super::super::sm3::{Words, compress, swapped};
                use super::{COMPRESSION, EXPANSION};

                pub const KERNELS: [Kernel; 2] = [each::<EXPANSION>, each::<COMPRESSION>];

                const BYTES: usize = 32;

                #[inline]
                #[target_feature(enable = $features)]
                fn xor(a: __m128i, b: __m128i) -> __m128i {
                    _mm_xor_si128(a, b)
                }

                #[inline]
                #[target_feature(enable = $features)]
                fn xor_two(a: __m256i, b: __m256i) -> __m256i {
                    _mm256_xor_si256(a, b)
                }

                /// Each word rotated to the left.
                #[inline]
                #[target_feature(enable = $features)]
                fn rotated<const BY: i32, const BACK: i32>(words: __m128i) -> __m128i {
                    const { assert!(BY + BACK == 32) };
                    _mm_or_si128(_mm_slli_epi32::<BY>(words), _mm_srli_epi32::<BACK>(words))
                }

                /// The same of eight words.
                #[inline]
                #[target_feature(enable = $features)]
                fn all_rotated<const BY: i32, const BACK: i32>(words: __m256i) -> __m256i {
                    const { assert!(BY + BACK == 32) };
                    _mm256_or_si256(_mm256_slli_epi32::<BY>(words), _mm256_srli_epi32::<BACK>(words))
                }

                /// What each word contributes to that three later: P1 of it rotated by 15.
                #[inline]
                #[target_feature(enable = $features)]
                fn three_later(words: __m128i) -> __m128i {
                    xor(xor(rotated::<15, 17>(words), rotated::<30, 2>(words)), rotated::<6, 26>(words))
                }

                /// The bytes of each word in the opposite order.
                #[inline]
                #[target_feature(enable = $features)]
                fn reversed(words: __m256i) -> __m256i {
                    let order = _mm256_set_epi8(
                        12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, //
                        12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
                    );
                    _mm256_shuffle_epi8(words, order)
                }

                /// Words 16 to 23 of the expanded message from words 0 to 7 and 8 to 15: P1 is linear, so that all
                /// which does not depend on new words is done for the eight together.
                #[inline]
                #[target_feature(enable = $features)]
                fn expand(from_0: __m256i, from_8: __m256i) -> __m256i {
                    let from_4 = _mm256_permute2x128_si256::<0x21>(from_0, from_8);
                    let from_12 = _mm256_permute2x128_si256::<0x81>(from_8, from_8);
                    let from_3 = _mm256_alignr_epi8::<12>(from_4, from_0);
                    let from_7 = _mm256_alignr_epi8::<12>(from_8, from_4);
                    let from_10 = _mm256_alignr_epi8::<8>(from_12, from_8);
                    let x = xor_two(from_0, from_7);
                    let p1 = xor_two(x, xor_two(all_rotated::<15, 17>(x), all_rotated::<23, 9>(x)));
                    let known = xor_two(xor_two(p1, all_rotated::<7, 25>(from_3)), from_10);
                    let (low, high) = (_mm256_castsi256_si128(known), _mm256_extracti128_si256::<1>(known));

                    // Words 13 to 15; then 16 to 18, with what is known of 19.
                    let from_13 = _mm_srli_si128::<4>(_mm256_castsi256_si128(from_12));
                    let from_16 = xor(low, three_later(from_13));
                    // Of word 16 to 19, of 17 and 18 to 20 and 21, and of what is known of 19 to 22.
                    let later = three_later(from_16);
                    let low = xor(from_16, _mm_slli_si128::<12>(later));
                    let high = xor(high, _mm_srli_si128::<4>(later));
                    // Of the rest of 19 and of 20 to 22 and 23, which words 16 and 17 are also terms of.
                    let from_19 = _mm_slli_si128::<8>(_mm_unpacklo_epi32(later, high));
                    let high = xor(xor(high, _mm_slli_si128::<8>(from_16)), three_later(from_19));
                    _mm256_set_m128i(high, low)
                }

                /// The state after two rounds, as in a register: half of its words are new, half are old ones rotated.
                #[inline]
                #[target_feature(enable = $features)]
                fn next(state: &[Cell<u8>; BYTES], words: &[Cell<u8>; BYTES], first: u32) -> __m256i {
                    let [state_words, words] = [state, words].map(|cells| swapped(Words::load(&read(cells))));
                    // Loaded once more: compilers would take one vector apart, word by word.
                    one_by_one();
                    let all = reversed(load_two(&read(state), 0));
                    // Compilers would swap the bytes of these together with those before them, at length.
                    let (d, h) = (_mm256_extract_epi32::<3>(all) as u32, _mm256_extract_epi32::<7>(all) as u32);
                    let [a, b, c, _, e, f, g, _] = state_words;
                    let [a, b, _, _, e, f, _, _] = compress([a, b, c, d, e, f, g, h], words, first);
                    let pair = |low: u32, high: u32| (u64::from(high) << 32 | u64::from(low)) as i64;
                    let new = _mm256_setr_epi64x(pair(a, b), 0, pair(e, f), 0);
                    let old = _mm256_shuffle_epi32::<0b01_00_01_00>(all);
                    let left = _mm256_sllv_epi32(old, _mm256_set_epi32(19, 19, 19, 19, 9, 9, 9, 9));
                    let right = _mm256_srlv_epi32(old, _mm256_set_epi32(13, 13, 13, 13, 23, 23, 23, 23));
                    reversed(_mm256_blend_epi32::<0b1100_1100>(new, _mm256_or_si256(left, right)))
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
                    // First, when nothing else has to be remembered: no operand is in the tail.
                    unit.fill_tail(At { d, a, b, body, tail_end });
                    // Cells, because operands may be the same registers.
                    let registers = Cell::from_mut(&mut unit.registers[..]).as_slice_of_cells();
                    let of = |start: usize| registers[start..start + body].as_chunks::<BYTES>().0;
                    let of_b = of(if KIND == EXPANSION { b as usize } else { a });
                    for ((target, of_a), of_b) in of(d).iter().zip(of(a)).zip(of_b) {
                        one_by_one();
                        let result = if KIND == EXPANSION {
                            let [first, second] = [of_b, of_a].map(|cells| read(cells));
                            reversed(expand(reversed(load_two(&first, 0)), reversed(load_two(&second, 0))))
                        } else {
                            next(target, of_a, 2 * (b as u32 & 31))
                        };
                        let mut bytes = [0; BYTES];
                        store_two(&mut bytes, 0, result);
                        for (cell, byte) in target.iter().zip(bytes) {
                            cell.set(byte);
                        }
                    }
                }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
kernels! {
    shifting "avx2,bmi1,bmi2";
    rotating "avx2,bmi1,bmi2,avx512f,avx512vl";
}
