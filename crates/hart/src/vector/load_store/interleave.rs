//! Segments side by side in memory, taken apart into the registers of their fields and put together from them: tile
//! by tile, sixteen bytes of each field, by instructions of the host that choose bytes of two registers.

#[cfg(target_arch = "x86_64")]
use std::marker::PhantomData;

use crate::vector::element::Element;

/// Bytes of a field in a tile.
#[cfg(target_arch = "x86_64")]
const TILE: usize = 16;

/// Takes apart `body` bytes of each field. `registers` begins with those of the first field, and the next field's
/// are `distance` bytes further on, at least `body`.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline]
pub fn load<E: Element, const FIELDS: usize>(
    source: &[u8],
    registers: &mut [u8],
    distance: usize,
    body: usize,
) {
    let mut fields = split_mut::<FIELDS>(registers, distance, body);
    let done = load_tiles::<E, FIELDS>(source, &mut fields);
    for index in done / E::BYTES..body / E::BYTES {
        let segment = &source[index * FIELDS * E::BYTES..(index + 1) * FIELDS * E::BYTES];
        for (field, element) in fields.iter_mut().zip(segment.chunks_exact(E::BYTES)) {
            field[index * E::BYTES..(index + 1) * E::BYTES].copy_from_slice(element);
        }
    }
}

/// Puts together what [`load`] takes apart.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline]
pub fn store<E: Element, const FIELDS: usize>(
    target: &mut [u8],
    registers: &[u8],
    distance: usize,
    body: usize,
) {
    let fields = split::<FIELDS>(registers, distance, body);
    let done = store_tiles::<E, FIELDS>(target, &fields);
    for index in done / E::BYTES..body / E::BYTES {
        let segment = &mut target[index * FIELDS * E::BYTES..(index + 1) * FIELDS * E::BYTES];
        for (field, element) in fields.iter().zip(segment.chunks_exact_mut(E::BYTES)) {
            element.copy_from_slice(&field[index * E::BYTES..(index + 1) * E::BYTES]);
        }
    }
}

// Neither closures nor iterators' adapters are inlined into functions for hosts with more instructions: there are loops
// here where they would be shorter.

/// The registers of each field.
#[inline(always)]
fn split<const FIELDS: usize>(registers: &[u8], distance: usize, body: usize) -> [&[u8]; FIELDS] {
    let (mut first, last) = registers.split_at((FIELDS - 1) * distance);
    let mut fields = [&last[..body]; FIELDS];
    for field in &mut fields[..FIELDS - 1] {
        let (registers, rest) = first.split_at(distance);
        *field = &registers[..body];
        first = rest;
    }
    fields
}

/// The same to be changed.
#[inline(always)]
fn split_mut<const FIELDS: usize>(registers: &mut [u8], distance: usize, body: usize) -> [&mut [u8]; FIELDS] {
    let (mut first, last) = registers.split_at_mut((FIELDS - 1) * distance);
    let mut fields: [&mut [u8]; FIELDS] = empty();
    for field in &mut fields[..FIELDS - 1] {
        let (registers, rest) = first.split_at_mut(distance);
        *field = &mut registers[..body];
        first = rest;
    }
    fields[FIELDS - 1] = &mut last[..body];
    fields
}

#[inline(always)]
fn empty<'a, T, const FIELDS: usize>() -> [&'a mut [T]; FIELDS] {
    std::array::from_fn(|_| &mut [][..])
}

#[cfg(target_arch = "x86_64")]
mod tiles {
    use std::arch::x86_64::{
        __m128i, _mm_cvtsi128_si64, _mm_or_si128, _mm_set_epi64x, _mm_setzero_si128, _mm_shuffle_epi8,
        _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8,
        _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
    };

    use super::{Choice, Element, TILE};

    /// Takes apart as many whole tiles as there are; returns the bytes of each field that are done.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn load_tiles<E: Element, const FIELDS: usize>(
        source: &[u8],
        fields: &mut [&mut [u8]; FIELDS],
    ) -> usize {
        let count = fields[0].len() / TILE;
        let mut tiles: [&mut [[u8; TILE]]; FIELDS] = super::empty();
        for (tiles, field) in tiles.iter_mut().zip(fields) {
            (*tiles, _) = field.as_chunks_mut();
        }
        let (source, _) = source.as_chunks::<TILE>();
        let (source, _) = source.as_chunks::<FIELDS>();
        for (tile, source) in source[..count].iter().enumerate() {
            let mut rows = [_mm_setzero_si128(); FIELDS];
            for (row, bytes) in rows.iter_mut().zip(source) {
                *row = get(bytes);
            }
            // A zip of the tile's halves rotates the number of an element in memory by one bit: the number of
            // the segment goes to the place of the number of the field.
            let columns = if FIELDS.is_power_of_two() && FIELDS > 2 {
                for _ in 0..(TILE / E::BYTES).ilog2() {
                    rows = zip_halves::<E, FIELDS>(&rows);
                }
                rows
            } else {
                choose(&rows, &Choice::<E, FIELDS>::COLUMNS)
            };
            for (tiles, column) in tiles.iter_mut().zip(columns) {
                put(column, &mut tiles[tile]);
            }
        }
        count * TILE
    }

    /// Puts together likewise.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn store_tiles<E: Element, const FIELDS: usize>(
        target: &mut [u8],
        fields: &[&[u8]; FIELDS],
    ) -> usize {
        let count = fields[0].len() / TILE;
        let mut tiles = [const { &[] as &[[u8; TILE]] }; FIELDS];
        for (tiles, field) in tiles.iter_mut().zip(fields) {
            (*tiles, _) = field.as_chunks();
        }
        let (target, _) = target.as_chunks_mut::<TILE>();
        let (target, _) = target.as_chunks_mut::<FIELDS>();
        for (tile, target) in target[..count].iter_mut().enumerate() {
            let mut columns = [_mm_setzero_si128(); FIELDS];
            for (column, tiles) in columns.iter_mut().zip(&tiles) {
                *column = get(&tiles[tile]);
            }
            // The other way round, the number of the field goes to the place of the number of the segment.
            let rows = if FIELDS.is_power_of_two() && E::BYTES < 8 {
                for _ in 0..FIELDS.ilog2() {
                    columns = zip_halves::<E, FIELDS>(&columns);
                }
                columns
            } else {
                choose(&columns, &Choice::<E, FIELDS>::ROWS)
            };
            for (row, bytes) in rows.into_iter().zip(target) {
                put(row, bytes);
            }
        }
        count * TILE
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn get(bytes: &[u8; TILE]) -> __m128i {
        let (low, high) = bytes.split_at(8);
        _mm_set_epi64x(u64::load(high) as i64, u64::load(low) as i64)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn put(value: __m128i, bytes: &mut [u8; TILE]) {
        let (low, high) = bytes.split_at_mut(8);
        (_mm_cvtsi128_si64(value) as u64).store(low);
        (_mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value)) as u64).store(high);
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn zip_halves<E: Element, const FIELDS: usize>(all: &[__m128i; FIELDS]) -> [__m128i; FIELDS] {
        let mut zipped = *all;
        for pair in 0..FIELDS / 2 {
            [zipped[2 * pair], zipped[2 * pair + 1]] = zip::<E>(all[pair], all[pair + FIELDS / 2]);
        }
        zipped
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn zip<E: Element>(a: __m128i, b: __m128i) -> [__m128i; 2] {
        match E::BYTES {
            1 => [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)],
            2 => [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)],
            4 => [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)],
            _ => [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)],
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn choose<const FIELDS: usize>(
        all: &[__m128i; FIELDS],
        choice: &[[[u8; TILE]; FIELDS]; FIELDS],
    ) -> [__m128i; FIELDS] {
        let mut chosen = [_mm_setzero_si128(); FIELDS];
        for (target, choice) in chosen.iter_mut().zip(choice) {
            for (source, choice) in all.iter().zip(choice) {
                *target = _mm_or_si128(*target, _mm_shuffle_epi8(*source, get(choice)));
            }
        }
        chosen
    }
}

#[cfg(target_arch = "x86_64")]
use tiles::{load_tiles, store_tiles};

/// Elsewhere all elements are what is left of the tiles.
#[cfg(not(target_arch = "x86_64"))]
const fn load_tiles<E: Element, const FIELDS: usize>(
    _source: &[u8],
    _fields: &mut [&mut [u8]; FIELDS],
) -> usize {
    0
}

#[cfg(not(target_arch = "x86_64"))]
const fn store_tiles<E: Element, const FIELDS: usize>(
    _target: &mut [u8],
    _fields: &[&[u8]; FIELDS],
) -> usize {
    0
}

/// Which bytes of which registers of a tile make each byte of the others.
#[cfg(target_arch = "x86_64")]
struct Choice<E, const FIELDS: usize>(PhantomData<E>);

/// No byte of this register.
#[cfg(target_arch = "x86_64")]
const NONE: u8 = 0x80;

#[cfg(target_arch = "x86_64")]
impl<E: Element, const FIELDS: usize> Choice<E, FIELDS> {
    /// A field's register of those in memory order.
    const COLUMNS: [[[u8; TILE]; FIELDS]; FIELDS] = Self::all(true);
    /// A register in memory order of those of the fields.
    const ROWS: [[[u8; TILE]; FIELDS]; FIELDS] = Self::all(false);

    const fn all(columns: bool) -> [[[u8; TILE]; FIELDS]; FIELDS] {
        let mut all = [[[NONE; TILE]; FIELDS]; FIELDS];
        let mut at = 0;
        while at < TILE * FIELDS {
            let (unit, byte) = (at / E::BYTES, at % E::BYTES);
            let (segment, field) = (unit / FIELDS, unit % FIELDS);
            let within = segment * E::BYTES + byte;
            if columns {
                all[field][at / TILE][within] = (at % TILE) as u8;
            } else {
                all[at / TILE][field][at % TILE] = within as u8;
            }
            at += 1;
        }
        all
    }
}
