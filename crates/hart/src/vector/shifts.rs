//! Kernels of shifts to the right and rotations by other numbers in each lane. Compilers take the bytes of a block apart one by
//! one where what they shift is a part of it; elements that are loaded as such, they shift together.

use super::element::{Element, for_sew};
use super::kernel::{At, Kernel};
use super::lanes::{Lane, rotate_right};
use super::mixed::{Mixed, each_mixed, mixed};
use super::state::VectorUnit;

/// That of an operation on elements of SEW, if it is one of these and its second operand is a register group.
pub fn kernel(lane: Lane, is_group: bool, sew: u8) -> Option<Kernel> {
    let kernel: Kernel = match lane {
        _ if !is_group => return None,
        Lane::VSRL => for_sew!(sew, E => mixed::<Right, E, E, false>),
        Lane::VROL => for_sew!(sew, E => mixed::<Rotated<true>, E, E, false>),
        Lane::VROR => for_sew!(sew, E => mixed::<Rotated<false>, E, E, false>),
        _ => return None,
    };
    Some(kernel)
}

struct Right;

impl Mixed for Right {
    const RESULT: Option<u8> = Some(0);

    #[inline(always)]
    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
        each_mixed::<E, E, E, SCALAR>(unit, at, at.body / E::BYTES, |a: E, b: E, _, _| {
            E::truncate(a.zero_extend() >> (b.zero_extend() % u64::from(E::BITS)))
        });
    }
}

struct Rotated<const LEFT: bool>;

impl<const LEFT: bool> Mixed for Rotated<LEFT> {
    const RESULT: Option<u8> = Some(0);

    #[inline(always)]
    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At) {
        each_mixed::<E, E, E, SCALAR>(unit, at, at.body / E::BYTES, |a: E, b: E, _, _| {
            let by = if LEFT { b.zero_extend().wrapping_neg() } else { b.zero_extend() };
            E::truncate(rotate_right::<E>(a.zero_extend(), by))
        });
    }
}
