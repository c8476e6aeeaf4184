//! Kernels of instructions on element groups, of what they do to one group.

use super::super::kernel::{At, Kernel};
use super::super::state::VectorUnit;
use super::super::steps::one_by_one;
use super::element_group::Group;

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
    let bytes = S::Group::BYTES;
    let group = |unit: &VectorUnit, at: usize| S::Group::load(&unit.registers[at..at + bytes]);
    for offset in (0..body / bytes).map(|number| number * bytes) {
        one_by_one();
        let vs2 = group(unit, if S::IS_SCALAR { a } else { a + offset });
        let vs1 = if S::HAS_VS1 { group(unit, b as usize + offset) } else { vs2 };
        let result = S::step(group(unit, d + offset), vs2, vs1, b as u32);
        result.store(&mut unit.registers[d + offset..d + offset + bytes]);
    }
    unit.fill_tail(At { d, a, b, body, tail_end });
}
