//! Compression, of narrow elements by shuffles of the host's.

use super::super::element::Element;
use super::super::kernel::{At, Kernel, Together, Whole, whole};
use super::super::operation::{Compiled, operations};
use super::super::rules::{APART, MASK, Rules};
use super::super::state::VectorUnit;

const SELECTING: Rules = Rules { vs1: MASK, overlap: APART, restarts: true, ..Rules::SIGNED };

operations! {
    VCOMPRESS [VM] SELECTING => whole::<Compress>,
        Compiled::Whole(Whole::new::<Compress>().unless(of_host));
}

/// Packs the elements of `vs2` that the mask `vs1` selects; those after them are tail.
struct Compress;

impl Together for Compress {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        let elements = at.body / E::BYTES;
        let mut packed = 0;
        for first in (0..elements).step_by(8) {
            let here = 0xff >> (8 - (elements - first).min(8));
            let mut bits = unit.registers[at.b as usize + first / 8] & here;
            while bits != 0 {
                let index = first + bits.trailing_zeros() as usize;
                let element = E::load(&unit.registers[at.a + index * E::BYTES..][..E::BYTES]);
                element.store(&mut unit.registers[at.d + packed..][..E::BYTES]);
                packed += E::BYTES;
                bits &= bits - 1;
            }
        }
        if at.tail_end > 0 {
            unit.registers[at.d + packed..at.d + at.body].fill(0xff);
        }
    }
}

/// The kernel for elements of a width (log2 of bytes) by the host's shuffles. Undefined on a host without what
/// [`super::super::kernel::available`] looks for.
#[cfg(target_arch = "x86_64")]
fn of_host(sew: u8) -> Option<Kernel> {
    let of: [Kernel; 4] =
        [host::compress::<u8>, host::compress::<u16>, host::compress::<u32>, host::compress::<u64>];
    of.get(usize::from(sew)).copied()
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
const fn of_host(_: u8) -> Option<Kernel> {
    None
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m128i, _mm_blendv_epi8, _mm_or_si128, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_si128,
    };
    use std::marker::PhantomData;

    use super::super::super::element::Element;
    use super::super::super::host_block::{load, store};
    use super::super::super::kernel::At;
    use super::super::super::state::VectorUnit;
    use super::{Compress, Together};

    /// Bytes that are packed together.
    const BLOCK: usize = 16;
    /// Most elements that one shuffle packs.
    const CHUNK: usize = 8;
    /// Says of a byte of a shuffle that it becomes zero.
    const NONE: u8 = 0x80;
    /// Shuffles that move a block up by `n` bytes from `BLOCK - n` on, and down from `BLOCK + n` on.
    const SHIFTS: [u8; 3 * BLOCK] = {
        let mut shifts = [NONE; 3 * BLOCK];
        let mut byte = 0;
        while byte < BLOCK {
            shifts[BLOCK + byte] = byte as u8;
            byte += 1;
        }
        shifts
    };
    /// Ones in the first `n` bytes of two blocks, and no others, from `2 * BLOCK - n` on.
    const EDGE: [u8; 4 * BLOCK] = {
        let mut edge = [0; 4 * BLOCK];
        let mut byte = 0;
        while byte < 2 * BLOCK {
            edge[byte] = 0xff;
            byte += 1;
        }
        edge
    };

    /// Which bytes of a chunk's elements come first if those of a mask are packed.
    struct Packing<E>(PhantomData<E>);

    impl<E: Element> Packing<E> {
        const TABLE: [[u8; BLOCK]; 256] = {
            let mut table = [[NONE; BLOCK]; 256];
            let mut bits = 0;
            while bits < 256 {
                let (mut packed, mut index) = (0, 0);
                while index < CHUNK && (index + 1) * E::BYTES <= BLOCK {
                    let mut byte = 0;
                    while byte < E::BYTES && bits >> index & 1 == 1 {
                        table[bits][packed] = (index * E::BYTES + byte) as u8;
                        packed += 1;
                        byte += 1;
                    }
                    index += 1;
                }
                bits += 1;
            }
            table
        };
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub extern "C" fn compress<E: Element>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let at = At { d, a, b, body, tail_end };
        let are_inside = d.max(a) + 2 * BLOCK <= unit.registers.len();
        if (1..=2 * BLOCK).contains(&body) && are_inside {
            pack_short::<E>(&mut unit.registers, at);
        } else if unit.vlenb.is_multiple_of(BLOCK) {
            pack::<E>(&mut unit.registers, at);
        } else {
            Compress::run::<E>(unit, at);
        }
        unit.fill_tail(at);
    }

    /// Does it for a body of at most two blocks, all in registers of the host.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn pack_short<E: Element>(registers: &mut [u8], At { d, a, b, body, tail_end }: At) {
        let lanes = const { BLOCK / E::BYTES };
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&registers[b as usize..][..4]);
        let bits = (u32::from_le_bytes(bytes) & u32::MAX >> (32 - body / E::BYTES)) as usize;
        let (low_bits, high_bits) = (bits % (1 << lanes), bits >> lanes);
        let low = packed::<E>(load(registers, a), low_bits);
        let high = packed::<E>(load(registers, a + BLOCK), high_bits);
        let (length, end) =
            (low_bits.count_ones() as usize * E::BYTES, bits.count_ones() as usize * E::BYTES);
        let low = _mm_or_si128(low, shifted(high, BLOCK - length));
        let high = shifted(high, 2 * BLOCK - length);
        let until = |block: usize| load(&EDGE, 2 * BLOCK - end + block);
        store(registers, d, _mm_blendv_epi8(load(registers, d), low, until(0)));
        store(registers, d + BLOCK, _mm_blendv_epi8(load(registers, d + BLOCK), high, until(BLOCK)));
        if tail_end > 0 {
            registers[d + end..d + body].fill(0xff);
        }
    }

    /// Does it. What is stored are whole blocks from the beginning of `vd` on: hosts are slow to load what they have just
    /// stored in other pieces.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn pack<E: Element>(registers: &mut [u8], At { d, a, b, body, tail_end }: At) {
        let lanes = const { BLOCK / E::BYTES };
        let (mask, elements) = (b as usize, body / E::BYTES);
        let mut ones = 0;
        for first in (0..elements).step_by(64) {
            ones += mask_bits(registers, mask, first, elements).count_ones() as usize;
        }
        let end = d + ones * E::BYTES;
        let last = end - end % BLOCK;
        let is_inside = last < d + body;
        let old = if is_inside { load(registers, last) } else { _mm_setzero_si128() };
        // Packed elements from `target` on that do not fill a block yet.
        let (mut pending, mut length, mut target) = (_mm_setzero_si128(), 0, d);
        for first in (0..elements).step_by(64) {
            let mut bits = mask_bits(registers, mask, first, elements);
            for index in (first..elements.min(first + 64)).step_by(lanes) {
                let bits_here = bits as usize & const { (1 << (BLOCK / E::BYTES)) - 1 };
                bits >>= lanes;
                let packed = packed::<E>(load(registers, a + index * E::BYTES), bits_here);
                let joined = _mm_or_si128(pending, shifted(packed, BLOCK - length));
                store(registers, target, joined);
                let sum = length + bits_here.count_ones() as usize * E::BYTES;
                pending = if sum < BLOCK { joined } else { shifted(packed, 2 * BLOCK - length) };
                (length, target) = (sum % BLOCK, target + sum / BLOCK * BLOCK);
            }
        }
        if is_inside {
            store(registers, last, _mm_blendv_epi8(old, pending, load(&EDGE, 2 * BLOCK - length % BLOCK)));
        }
        if tail_end > 0 {
            registers[end..d + body].fill(0xff);
        }
    }

    /// Bits of a mask from element `first` on, at most 64; those from `end` on are zero.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mask_bits(registers: &[u8], mask: usize, first: usize, end: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&registers[mask + first / 8..][..8]);
        u64::from_le_bytes(bytes) & u64::MAX >> (64 - (end - first).min(64))
    }

    /// The elements of a block that bits select, with zeros after them.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn packed<E: Element>(block: __m128i, bits: usize) -> __m128i {
        let chunk = |block: __m128i, bits: usize| {
            _mm_shuffle_epi8(block, load(&Packing::<E>::TABLE[bits % (1 << CHUNK)], 0))
        };
        if E::BYTES > 1 {
            return chunk(block, bits);
        }
        let (low, high) = (chunk(block, bits), chunk(_mm_srli_si128::<8>(block), bits >> CHUNK));
        let ones = (bits % (1 << CHUNK)).count_ones() as usize;
        _mm_or_si128(low, shifted(high, BLOCK - ones))
    }

    /// A block moved as by that of [`SHIFTS`].
    #[inline]
    #[target_feature(enable = "avx2")]
    fn shifted(block: __m128i, which: usize) -> __m128i {
        _mm_shuffle_epi8(block, load(&SHIFTS, which))
    }
}
