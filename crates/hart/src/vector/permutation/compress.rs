//! Compression.

use super::super::element::Element;
use super::super::kernel::{At, Together, Whole, whole};
use super::super::operation::{Compiled, operations};
use super::super::rules::{APART, MASK, Rules};
use super::super::state::VectorUnit;

const SELECTING: Rules = Rules { vs1: MASK, overlap: APART, restarts: true, ..Rules::SIGNED };

operations! {
    VCOMPRESS [VM] SELECTING => whole::<Compress>,
        Compiled::Whole(Whole::new::<Compress>());
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
