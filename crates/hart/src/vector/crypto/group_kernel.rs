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

#[cfg(test)]
pub mod tests {
    use isa::{Isa, Vlen};

    use super::super::super::kernel::{Kernel, available};
    use super::super::super::state::VectorUnit;
    use super::super::element_group::Group;
    use super::{Step, of};

    /// Bytes of a group of eight registers.
    const APART: usize = 1024;

    /// Asserts that the step's kernel and others do what the step does: bodies of all lengths, operands apart or the same,
    /// tails, and nothing else.
    pub fn agree<S: Step>(kernels: impl Iterator<Item = Kernel>) {
        if !available() {
            return;
        }
        let mut unit = VectorUnit::new(&Isa::parse("rv64gcv", &[]).expect("it is one"));
        unit.set_vlen(Vlen::new(1024).expect("a power of two"));
        let mut state = 1u64;
        for (number, kernel) in [of::<S>()].into_iter().chain(kernels).enumerate() {
            for round in 0..1000 {
                for byte in unit.registers.iter_mut() {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                    *byte = if state >> 40 & 15 == 0 { 0xff } else { (state >> 56) as u8 };
                }
                let body = round % 8 * S::Group::BYTES;
                let tail_end = if round % 3 == 0 { body + 16 } else { 0 };
                let (d, a) =
                    (APART + 16, if S::IS_SCALAR || round % 5 != 0 { 2 * APART + 16 } else { APART + 16 });
                let b = match S::HAS_VS1 {
                    true if round % 7 == 0 => d,
                    true => 3 * APART + 16,
                    false => round / 8 % 32,
                };
                let before = unit.registers.clone();
                #[allow(unsafe_code, reason = "kernels need instructions that not every host has")]
                // SAFETY: the host has them.
                unsafe {
                    kernel(&mut unit, d, a, b as u64, body, tail_end);
                }
                let mut wanted = before.clone();
                for offset in (0..body).step_by(S::Group::BYTES) {
                    let group = |at: usize| S::Group::load(&before[at..at + S::Group::BYTES]);
                    let vs2 = group(if S::IS_SCALAR { a } else { a + offset });
                    let vs1 = if S::HAS_VS1 { group(b + offset) } else { vs2 };
                    let result = S::step(group(d + offset), vs2, vs1, b as u32);
                    result.store(&mut wanted[d + offset..d + offset + S::Group::BYTES]);
                }
                if 0 < body && body < tail_end {
                    wanted[d + body..d + tail_end].fill(0xff);
                }
                assert!(unit.registers == wanted, "kernel {number}, round {round}");
            }
        }
    }
}
