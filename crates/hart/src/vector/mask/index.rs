//! Element indices, and running counts of a mask's set bits.

use super::super::check;
use super::super::element::{Element, for_sew};
use super::super::element_wise::walk_indexed;
use super::super::fields::Fields;
use super::super::group::Group;
use super::super::kernel::{Kernel, kernel};
use crate::unit::Body;

/// The kernel of an instruction of this module. `b` is 1 if the instruction is masked.
pub fn kernel(name: &str, sew: u8) -> Option<Kernel> {
    kernel! {
        fn iota<E, SCALAR>(unit, at) {
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
                        for (below, element) in below.to_le_bytes().into_iter().zip(target.chunks_exact_mut(E::BYTES)) {
                            E::truncate(count + u64::from(below)).store(element);
                        }
                    }
                }
                count += u64::from(bits.count_ones());
            }
            unit.fill_tail(at);
        }
    }
    kernel! {
        fn indices<E, SCALAR>(unit, at) {
            let body = &mut unit.registers[at.d..at.d + at.body];
            for (index, element) in body.chunks_exact_mut(E::BYTES).enumerate() {
                E::truncate(index as u64).store(element);
            }
            unit.fill_tail(at);
        }
    }
    Some(match name {
        "VIOTA__M" => for_sew!(sew, E => iota::<E, true>),
        "VID__V" => for_sew!(sew, E => indices::<E, true>),
        _ => return None,
    })
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

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "VIOTA__M" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            let unit = &mut hart.vector;
            check::restarted(unit)?;
            unit.spares_mask(fields)?;
            unit.plain_group(fields.vd())?.apart_from(Group::mask(fields.vs2()))?;
            let mut count = 0;
            for_sew!(unit.vtype.sew, E => walk_indexed(unit, fields, 0, |unit, index| {
                let before = E::truncate(count);
                count += u64::from(unit.mask_bit(fields.vs2(), index));
                before
            }));
            Ok(())
        },
        "VID__V" => |hart, word| {
            let fields = Fields(word);
            check::configured(hart)?;
            let unit = &mut hart.vector;
            unit.spares_mask(fields)?;
            unit.plain_group(fields.vd())?;
            for_sew!(unit.vtype.sew, E => walk_indexed(unit, fields, 0, |_, index| E::truncate(index as u64)));
            Ok(())
        },
        _ => return None,
    })
}
