//! Instructions on element groups ("Element Groups", "Instruction Constraints"): what they have in common
//! is who may be an operand, which groups are processed, and the tail. None of them has a mask.

use std::array;

use super::super::element::Element;
use super::super::fields::{Fields, Immediate};
use super::super::group::Overlap;
use super::super::rules::{Needs, Rules, scalar as scalar_of};
use super::super::state::VectorUnit;
use crate::hart::Hart;
use crate::unit::Trap;

/// An element group: EGS elements of EEW bits each, the lowest element first.
pub trait Group: Copy {
    /// One of the elements.
    type Element: Element;
    /// EGS.
    const ELEMENTS: usize;
    /// EGW, in bytes.
    const BYTES: usize;

    /// The group in these bytes; `bytes` holds [`Self::BYTES`].
    fn load(bytes: &[u8]) -> Self;
    /// Puts the group into these bytes.
    fn store(self, bytes: &mut [u8]);
}

impl<E: Element, const N: usize> Group for [E; N] {
    type Element = E;
    const ELEMENTS: usize = N;
    const BYTES: usize = N * E::BYTES;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        array::from_fn(|i| E::load(&bytes[i * E::BYTES..(i + 1) * E::BYTES]))
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        for (element, bytes) in self.into_iter().zip(bytes.chunks_exact_mut(E::BYTES)) {
            element.store(bytes);
        }
    }
}

/// `vd` and `vs2` hold groups of this many words.
pub const fn words(elements: usize) -> Rules {
    Rules { needs: Needs::Words(elements), ..Rules::UNARY }
}

/// The same, and an immediate.
pub const fn with_immediate(elements: usize) -> Rules {
    Rules { immediate: Immediate::Field, ..words(elements) }
}

/// The same, and `vs1` instead.
pub const fn three(elements: usize) -> Rules {
    Rules { needs: Needs::Words(elements), ..Rules::SIGNED }
}

/// Groups of four words, of which `vs2` holds one ("scalar") group, whatever LMUL.
pub const SCALAR: Rules = Rules {
    vs2: scalar_of(0),
    overlap: Overlap::Apart(
        "the destination register group must not overlap the scalar element group in vs2",
    ),
    ..words(4)
};

/// `vd[i] = f(vd[i], vs2[i])`.
#[inline(always)]
pub fn binary<G: Group>(hart: &mut Hart, fields: Fields, f: impl Fn(G, G) -> G) -> Result<(), Trap> {
    each(hart, fields, |unit, i, vd| f(vd, unit.element_group(fields.vs2(), i)))
}

/// `vd[i] = f(vd[i], vs2[i], vs1[i])`.
#[inline(always)]
pub fn ternary<G: Group>(hart: &mut Hart, fields: Fields, f: impl Fn(G, G, G) -> G) -> Result<(), Trap> {
    each(hart, fields, |unit, i, vd| {
        f(vd, unit.element_group(fields.vs2(), i), unit.element_group(fields.rs1(), i))
    })
}

/// `vd[i] = f(vd[i], k)`, where `k = prepare(vs2[0])`.
#[inline(always)]
pub fn scalar<G: Group>(
    hart: &mut Hart,
    fields: Fields,
    prepare: impl FnOnce(G) -> G,
    f: impl Fn(G, G) -> G,
) -> Result<(), Trap> {
    let operand = prepare(hart.vector.element_group(fields.vs2(), 0));
    each(hart, fields, |_, _, vd| f(vd, operand))
}

/// `vd[i] = f(unit, i, vd[i])`; then applies the tail policy and leaves `vstart` zero.
#[inline(always)]
fn each<G: Group>(
    hart: &mut Hart,
    fields: Fields,
    f: impl Fn(&VectorUnit, usize, G) -> G,
) -> Result<(), Trap> {
    let unit = &mut hart.vector;
    let (start, vl) = (std::mem::take(&mut unit.vstart), unit.vl);
    for i in start / G::ELEMENTS..vl / G::ELEMENTS {
        let result = f(unit, i, unit.element_group(fields.vd(), i));
        unit.set_element_group(fields.vd(), i, result);
    }
    if start < vl {
        unit.finish::<G::Element>(fields.vd(), false);
    }
    Ok(())
}

impl VectorUnit {
    /// Element group `index` of the register group that begins at `register`.
    #[inline(always)]
    fn element_group<G: Group>(&self, register: u32, index: usize) -> G {
        let start = register as usize * self.vlenb + index * G::BYTES;
        G::load(&self.registers[start..start + G::BYTES])
    }

    #[inline(always)]
    fn set_element_group<G: Group>(&mut self, register: u32, index: usize, value: G) {
        let start = register as usize * self.vlenb + index * G::BYTES;
        value.store(&mut self.registers[start..start + G::BYTES]);
    }
}
