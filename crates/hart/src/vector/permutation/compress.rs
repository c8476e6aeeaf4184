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

/// The kernel for elements of a width (log2 of bytes) that the host can shuffle eight at a time. Undefined on a host
/// without what [`super::super::kernel::available`] looks for.
#[cfg(target_arch = "x86_64")]
fn of_host(sew: u8) -> Option<Kernel> {
    match sew {
        0 => Some(host::compress::<u8>),
        1 => Some(host::compress::<u16>),
        _ => None,
    }
}

/// There is none.
#[cfg(not(target_arch = "x86_64"))]
const fn of_host(_: u8) -> Option<Kernel> {
    None
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::_mm_shuffle_epi8;
    use std::marker::PhantomData;

    use super::super::super::element::Element;
    use super::super::super::host_block::{load, store};
    use super::super::super::kernel::At;
    use super::super::super::state::VectorUnit;
    use super::{Compress, Together};

    /// Elements that one shuffle packs.
    const CHUNK: usize = 8;
    /// Bytes that one shuffle stores.
    const BLOCK: usize = 16;

    /// Which bytes of eight elements come first if those of a mask are packed.
    struct Packing<E>(PhantomData<E>);

    impl<E: Element> Packing<E> {
        const TABLE: [[u8; BLOCK]; 256] = {
            let mut table = [[0; BLOCK]; 256];
            let mut bits = 0;
            while bits < 256 {
                let (mut packed, mut index) = (0, 0);
                while index < CHUNK {
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
        let (at, mask) = (At { d, a, b, body, tail_end }, b as usize);
        let registers = &mut unit.registers[..];
        let chunk = CHUNK * E::BYTES;
        // What is stored last may reach a block beyond the packed elements.
        let is_inside = d + body + BLOCK <= registers.len() && a + body + BLOCK <= registers.len();
        if !body.is_multiple_of(chunk) || !is_inside {
            Compress::run::<E>(unit, at);
            unit.fill_tail(at);
            return;
        }
        let masks = mask..mask + body / chunk;
        let ones: u32 = registers[masks.clone()].iter().map(|bits| bits.count_ones()).sum();
        let end = d + ones as usize * E::BYTES;
        let after = load(registers, end);
        let (mut target, mut source) = (d, a);
        for byte in masks {
            let bits = registers[byte];
            let choice = load(&Packing::<E>::TABLE[usize::from(bits)], 0);
            let packed = _mm_shuffle_epi8(load(registers, source), choice);
            store(registers, target, packed);
            target += bits.count_ones() as usize * E::BYTES;
            source += chunk;
        }
        store(registers, end, after);
        if tail_end > 0 {
            registers[end..d + body].fill(0xff);
        }
        unit.fill_tail(at);
    }
}
