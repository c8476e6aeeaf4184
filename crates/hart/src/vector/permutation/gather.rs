//! Register gathers. An index of VLMAX or more gives 0.

use isa::operands::{Eew, Group as Kind};

use super::super::element::Element;
use super::super::kernel::{At, Together, Whole, whole};
use super::super::operation::{Compiled, Slide, operations};
use super::super::rules::{APART, Rules};
use super::super::state::VectorUnit;

const GATHERING: Rules = Rules { overlap: APART, ..Rules::UNSIGNED };
const BY_16_BITS: Rules = Rules { vs1: Some(Kind::Elements(Eew::Bits(16))), ..GATHERING };

operations! {
    VRGATHER [VV] GATHERING => whole::<Gather>,
        Compiled::Gather(Whole::new::<Gather>());
    VRGATHEREI16 [VV] BY_16_BITS => whole::<GatherBy16Bits>,
        Compiled::GatherBy16Bits(Whole::new::<GatherBy16Bits>());
    VRGATHER [VX VI] GATHERING => whole::<Splat>,
        Compiled::Slid(Slide::All, Whole::new::<Splat>());
}

/// `vd[i] = vs2[vs1[i]]`.
struct Gather;

impl Together for Gather {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        gather::<E, E>(unit, at);
    }
}

/// The same with indices of 16 bits.
struct GatherBy16Bits;

impl Together for GatherBy16Bits {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        gather::<E, u16>(unit, at);
    }
}

/// `vd[i] = vs2[b]`.
struct Splat;

impl Together for Splat {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        let value = element::<E>(unit, at, at.b);
        for element in unit.registers[at.d..at.d + at.body].chunks_exact_mut(E::BYTES) {
            value.store(element);
        }
    }
}

/// Gathers with indices of type `I`.
#[inline(always)]
fn gather<E: Element, I: Element>(unit: &mut VectorUnit, at: At) {
    for index in 0..at.body / E::BYTES {
        let from = I::load(&unit.registers[at.b as usize + index * I::BYTES..][..I::BYTES]);
        let value = element::<E>(unit, at, from.zero_extend());
        value.store(&mut unit.registers[at.d + index * E::BYTES..][..E::BYTES]);
    }
}

/// The element of `vs2` at an index.
#[inline(always)]
fn element<E: Element>(unit: &VectorUnit, at: At, index: u64) -> E {
    let vlmax = unit.vlmax(0, unit.vtype.lmul) / E::BYTES;
    if index < vlmax as u64 {
        E::load(&unit.registers[at.a + index as usize * E::BYTES..][..E::BYTES])
    } else {
        E::truncate(0)
    }
}
