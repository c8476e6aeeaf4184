//! Unmasked instructions that begin with element 0, a step of elements at a time, as long as each result is known to be the
//! right one. What is left is done element by element.

use std::ops::BitOr;

use super::super::element::Element;
use super::super::element_wise::Walk;
use super::super::state::VectorUnit;
use super::super::steps::{Starts, elements, lanes};

/// The operands of such an instruction.
#[derive(Clone, Copy)]
pub struct Plain {
    /// Where they begin.
    pub starts: Starts,
    /// The second one, if it is a number.
    pub scalar: u64,
    /// How many elements there are.
    pub count: usize,
    /// Those whose bits of v0 are not set stay.
    pub masked: bool,
}

impl Plain {
    /// Those of an instruction, if it is one.
    #[inline(always)]
    pub fn of(unit: &VectorUnit, walk: Walk) -> Option<Self> {
        let is_plain = !walk.fields.masked() && unit.vstart == 0;
        is_plain.then(|| Self {
            starts: walk.starts(unit),
            scalar: walk.operand.scalar::<u64>(),
            count: unit.vl,
            masked: false,
        })
    }

    /// The same of an instruction whose results are elements, masked or not.
    #[inline(always)]
    pub fn of_elements(unit: &VectorUnit, walk: Walk) -> Option<Self> {
        if !walk.fields.masked() {
            return Self::of(unit, walk);
        }
        (unit.vstart == 0 && !unit.fills()).then(|| Self {
            starts: walk.starts(unit),
            scalar: walk.operand.scalar::<u64>(),
            count: unit.vl,
            masked: true,
        })
    }
}

/// What says whether a result may not be the right one. As wide as the numbers it comes from, hosts find it at once for many.
pub trait Wrong: Copy + Default + PartialEq + BitOr<Output = Self> {}

impl<T: Copy + Default + PartialEq + BitOr<Output = Self>> Wrong for T {}

/// Does `vd[i] = f(vs2[i], operand[i], vd[i])` for elements from 0 on, in whole steps, until `f` says of a result, by
/// other than the default, that it may not be the right one. Returns how many elements are done.
#[inline(always)]
pub fn steps<A: Element, B: Element, D: Element, W: Wrong>(
    registers: &mut [u8],
    plain: Plain,
    f: impl Fn(A, B, D) -> (D, W) + Copy,
) -> usize {
    if plain.masked {
        steps_of::<A, B, D, W, true>(registers, plain, f)
    } else {
        steps_of::<A, B, D, W, false>(registers, plain, f)
    }
}

#[inline(always)]
fn steps_of<A: Element, B: Element, D: Element, W: Wrong, const MASKED: bool>(
    registers: &mut [u8],
    plain: Plain,
    f: impl Fn(A, B, D) -> (D, W) + Copy,
) -> usize {
    // As many as a register of AVX2 holds, then what is left by halves: a group can be as short as that.
    match const { lanes::<A, B, D>() } {
        2 => {
            let done = steps_from::<A, B, D, W, 4, MASKED>(registers, plain, 0, f);
            steps_from::<A, B, D, W, 2, MASKED>(registers, plain, done, f)
        }
        4 => {
            let done = steps_from::<A, B, D, W, 8, MASKED>(registers, plain, 0, f);
            steps_from::<A, B, D, W, 4, MASKED>(registers, plain, done, f)
        }
        _ => steps_from::<A, B, D, W, 8, MASKED>(registers, plain, 0, f),
    }
}

/// The same in steps of `LANES` elements from element `first` on.
#[inline(always)]
fn steps_from<A: Element, B: Element, D: Element, W: Wrong, const LANES: usize, const MASKED: bool>(
    registers: &mut [u8],
    Plain { starts, scalar, count, .. }: Plain,
    first: usize,
    f: impl Fn(A, B, D) -> (D, W),
) -> usize {
    let mut index = first;
    while index + LANES <= count {
        let a: [A; LANES] = elements(registers, starts.a, index);
        let b = starts.b.map_or([B::truncate(scalar); LANES], |b| elements(registers, b, index));
        let mut d: [D; LANES] = elements(registers, starts.d, index);
        let mut wrong = [W::default(); LANES];
        // Those of one byte of v0, for there are at most eight.
        let active = if MASKED { registers[index / 8] >> (index % 8) } else { 0xff };
        for lane in 0..LANES {
            let (value, is_wrong) = f(a[lane], b[lane], d[lane]);
            if !MASKED || active >> lane & 1 != 0 {
                (d[lane], wrong[lane]) = (value, is_wrong);
            }
        }
        let mut any = W::default();
        for wrong in wrong {
            any = any | wrong;
        }
        if any != W::default() {
            return index;
        }
        let target = &mut registers[starts.d + index * D::BYTES..][..LANES * D::BYTES];
        for (bytes, value) in target.chunks_exact_mut(D::BYTES).zip(d) {
            value.store(bytes);
        }
        index += LANES;
    }
    index
}
