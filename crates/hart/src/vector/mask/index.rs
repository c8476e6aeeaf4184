//! Element indices, and running counts of a mask's set bits.

use super::super::element::Element;
use super::super::fields::Immediate;
use super::super::kernel::{At, Together, Whole, whole};
use super::super::operation::{Compiled, operations};
use super::super::rules::{APART, MASK, Rules};
use super::super::state::VectorUnit;

const COUNTING: Rules =
    Rules { vs2: MASK, immediate: Immediate::Masked, overlap: APART, restarts: true, ..Rules::UNARY };
const NUMBERING: Rules = Rules { vs2: None, ..Rules::UNARY };

operations! {
    VIOTA [M] COUNTING => whole::<Iota>,
        Compiled::Counts(Whole::new::<Iota>());
    VID [V] NUMBERING => whole::<Indices>,
        Compiled::Numbers(Whole::new::<Indices>());
}

/// `vd[i]` = how many active bits of `vs2` below `i` are set.
struct Iota;

impl Together for Iota {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        let masked = at.b == 1;
        let mut count = 0;
        for byte in 0..(at.body / E::BYTES).div_ceil(8) {
            let mask = if masked { unit.registers[byte] } else { 0xff };
            let bits = unit.registers[at.a + byte] & mask;
            let (start, end) = (8 * byte * E::BYTES, at.body.min(8 * (byte + 1) * E::BYTES));
            let below = bits_below(bits);
            let target = &mut unit.registers[at.d + start..at.d + end];
            match <&mut [u8; 8]>::try_from(&mut *target) {
                Ok(bytes) if E::BYTES == 1 => *bytes = add_to_each(count as u8, below).to_le_bytes(),
                _ => {
                    for (below, element) in
                        below.to_le_bytes().into_iter().zip(target.chunks_exact_mut(E::BYTES))
                    {
                        E::truncate(count + u64::from(below)).store(element);
                    }
                }
            }
            count += u64::from(bits.count_ones());
        }
    }
}

/// `vd[i] = i`.
struct Indices;

impl Together for Indices {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        let body = &mut unit.registers[at.d..at.d + at.body];
        for (index, element) in body.chunks_exact_mut(E::BYTES).enumerate() {
            E::truncate(index as u64).store(element);
        }
    }
}

/// Adds a number to each byte, all of which are below 0x80.
const fn add_to_each(number: u8, bytes: u64) -> u64 {
    let low = (number & 0x7f) as u64 * ONES;
    (low + bytes) ^ ((number & 0x80) as u64 * ONES)
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// In byte `i`, how many of the bits below bit `i` are set.
const fn bits_below(bits: u8) -> u64 {
    let apart = (bits as u64 * ONES) & 0x8040_2010_0804_0201;
    let one_each = (apart + 0x7f * ONES) >> 7 & ONES;
    one_each.wrapping_mul(ONES) << 8
}
