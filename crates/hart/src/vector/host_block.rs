//! Blocks of sixteen bytes in registers of an x86-64 host.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_set_m128i,
};

/// The block at an offset.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load(registers: &[u8], at: usize) -> __m128i {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&registers[at..at + 16]);
    let block = u128::from_le_bytes(bytes);
    _mm_set_epi64x((block >> 64) as i64, block as i64)
}

/// Puts a block there.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store(registers: &mut [u8], at: usize, block: __m128i) {
    let (low, high) = (_mm_cvtsi128_si64(block), _mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block)));
    let bytes = ((high as u64 as u128) << 64 | low as u64 as u128).to_le_bytes();
    registers[at..at + 16].copy_from_slice(&bytes);
}

/// Two blocks, side by side.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_two(registers: &[u8], at: usize) -> __m256i {
    let bytes = &registers[at..at + 32];
    _mm256_set_m128i(load(bytes, 16), load(bytes, 0))
}

/// Puts two blocks there.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_two(registers: &mut [u8], at: usize, blocks: __m256i) {
    let bytes = &mut registers[at..at + 32];
    store(bytes, 0, _mm256_castsi256_si128(blocks));
    store(bytes, 16, _mm256_extracti128_si256::<1>(blocks));
}

/// Fewer bytes as the first of a block, with zeros after them.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_part(bytes: &[u8]) -> __m128i {
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    load(&block, 0)
}

/// Puts as many of a block's bytes as there is room for.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_part(bytes: &mut [u8], block: __m128i) {
    let mut all = [0; 16];
    store(&mut all, 0, block);
    bytes.copy_from_slice(&all[..bytes.len()]);
}
