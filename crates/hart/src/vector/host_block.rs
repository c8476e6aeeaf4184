//! Blocks of sixteen bytes in registers of an x86-64 host.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_set_epi64x, _mm256_extract_epi64,
    _mm256_set_m128i,
};
use std::cell::Cell;

use super::kernel::{At, read};
use super::state::VectorUnit;

/// What is left to do of `vd`, `vs2` and the second operand. Cells, because they may be the same registers.
pub type Operands<'a> = [&'a [Cell<u8>]; 3];

/// The operands of a body; where the second is not a group, `vs2` is in its place.
#[inline(always)]
pub fn operands(unit: &mut VectorUnit, at: At, is_group: bool) -> Operands<'_> {
    let registers = Cell::from_mut(&mut unit.registers[..]).as_slice_of_cells();
    let of = |start: usize| &registers[start..start + at.body];
    let (d, a) = (of(at.d), of(at.a));
    [d, a, if is_group { of(at.b as usize) } else { a }]
}

/// Loops that begin with one look at where operands end, not several a block.
macro_rules! loops {
    ($($name:ident $bytes:literal $block:ident $load:ident $store:ident;)*) => {
        $(
            /// `vd = f(vs2, operand, vd)` as many bytes at a time; returns what is left.
            #[inline]
            #[target_feature(enable = "avx2")]
            pub fn $name<'a>(
                [d, a, b]: Operands<'a>,
                f: impl Fn($block, $block, $block) -> $block,
            ) -> Operands<'a> {
                let ((blocks, d), (of_a, a), (of_b, b)) =
                    (d.as_chunks::<$bytes>(), a.as_chunks::<$bytes>(), b.as_chunks::<$bytes>());
                for ((target, a), b) in blocks.iter().zip(of_a).zip(of_b) {
                    let (a, b, d) = ($load(&read(a), 0), $load(&read(b), 0), $load(&read(target), 0));
                    let mut bytes = [0; $bytes];
                    $store(&mut bytes, 0, f(a, b, d));
                    for (cell, byte) in target.iter().zip(bytes) {
                        cell.set(byte);
                    }
                }
                [d, a, b]
            }
        )*
    };
}

loops! {
    each_one 16 __m128i load store;
    each_two 32 __m256i load_two store_two;
}

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
    // Two halves side by side become one store; as one integer, they would be two.
    let (low, high) = registers[at..at + 16].split_at_mut(8);
    low.copy_from_slice(&_mm_cvtsi128_si64(block).to_le_bytes());
    high.copy_from_slice(&_mm_extract_epi64::<1>(block).to_le_bytes());
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
    let (low, high) = registers[at..at + 32].split_at_mut(16);
    let ((first, second), (third, last)) = (low.split_at_mut(8), high.split_at_mut(8));
    first.copy_from_slice(&_mm256_extract_epi64::<0>(blocks).to_le_bytes());
    second.copy_from_slice(&_mm256_extract_epi64::<1>(blocks).to_le_bytes());
    third.copy_from_slice(&_mm256_extract_epi64::<2>(blocks).to_le_bytes());
    last.copy_from_slice(&_mm256_extract_epi64::<3>(blocks).to_le_bytes());
}

/// Fewer bytes as the first of a block, with zeros after them.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_part(cells: &[Cell<u8>]) -> __m128i {
    let mut block = [0; 16];
    for (byte, cell) in block.iter_mut().zip(cells) {
        *byte = cell.get();
    }
    load(&block, 0)
}

/// Puts as many of a block's bytes as there is room for.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_part(cells: &[Cell<u8>], block: __m128i) {
    let mut all = [0; 16];
    store(&mut all, 0, block);
    for (cell, byte) in cells.iter().zip(all) {
        cell.set(byte);
    }
}
