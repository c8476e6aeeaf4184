//! Kernels of instructions on element groups, of what they do to one group.

use std::cell::Cell;

use super::super::kernel::{At, Kernel};
use super::super::state::VectorUnit;
use super::super::steps::one_by_one;
use super::element_group::Group;

/// Bytes of the longest group.
const MOST: usize = 32;

/// What an instruction does to a group.
pub trait Step: 'static {
    /// The groups of `vd`, `vs2` and `vs1`.
    type Group: Group;
    /// True if `vs1` is a vector register, not a number.
    const HAS_VS1: bool = false;
    /// True if the first group of `vs2` is the operand of all others.
    const IS_SCALAR: bool = false;

    /// The new group of `vd`; `vs1` is that of `vs2` where it is none, and `immediate` the number in its place.
    fn step(vd: Self::Group, vs2: Self::Group, vs1: Self::Group, immediate: u32) -> Self::Group;
}

/// The kernel of an instruction.
pub const fn of<S: Step>() -> Kernel {
    each::<S>
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2"))]
extern "C" fn each<S: Step>(unit: &mut VectorUnit, d: usize, a: usize, b: u64, body: usize, tail_end: usize) {
    // First, when nothing else has to be remembered: no operand is in the tail.
    unit.fill_tail(At { d, a, b, body, tail_end });
    let bytes = S::Group::BYTES;
    // Cells, because operands may be the same registers.
    let registers = Cell::from_mut(&mut unit.registers[..]).as_slice_of_cells();
    let of = |start: usize| registers[start..start + body].chunks_exact(bytes);
    let (of_a, of_b) = (of(if S::IS_SCALAR { d } else { a }), of(if S::HAS_VS1 { b as usize } else { d }));
    for ((target, vs2), vs1) in of(d).zip(of_a).zip(of_b) {
        one_by_one();
        let vs2 = group::<S::Group>(if S::IS_SCALAR { &registers[a..a + bytes] } else { vs2 });
        let vs1 = if S::HAS_VS1 { group(vs1) } else { vs2 };
        let mut result = [0; MOST];
        S::step(group(target), vs2, vs1, b as u32).store(&mut result[..bytes]);
        for (cell, byte) in target.iter().zip(result) {
            cell.set(byte);
        }
    }
}

/// The group in these cells.
#[inline(always)]
fn group<G: Group>(cells: &[Cell<u8>]) -> G {
    let mut bytes = [0; MOST];
    for (byte, cell) in bytes.iter_mut().zip(cells) {
        *byte = cell.get();
    }
    G::load(&bytes[..G::BYTES])
}
