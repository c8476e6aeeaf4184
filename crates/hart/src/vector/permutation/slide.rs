//! Slides.

use super::super::element::Element;
use super::super::kernel::{At, Together, Whole, whole};
use super::super::operation::{Compiled, Slide, operations};
use super::super::rules::{APART, Rules};
use super::super::state::VectorUnit;

const UP: Rules = Rules { overlap: APART, ..Rules::UNSIGNED };

operations! {
    VSLIDEUP [VX VI] UP => whole::<Up>,
        Compiled::Slid(Slide::Up, Whole::new::<Up>());
    VSLIDEDOWN [VX VI] Rules::UNSIGNED => whole::<Down>,
        Compiled::Slid(Slide::Down, Whole::new::<Down>());
    VSLIDE1UP [VX] UP => whole::<Up1>,
        Compiled::Slid(Slide::Up1, Whole::new::<Up1>());
    VSLIDE1DOWN [VX] Rules::UNSIGNED => whole::<Down1>,
        Compiled::Slid(Slide::Down1, Whole::new::<Down1>());
}

/// `vd[i + b] = vs2[i]`; elements below `b` stay, whatever the mask.
struct Up;

impl Together for Up {
    const SPARES_BELOW: bool = true;

    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        let offset = at.body.min((at.b as usize).saturating_mul(E::BYTES));
        unit.registers.copy_within(at.a..at.a + at.body - offset, at.d + offset);
    }
}

/// `vd[i] = vs2[i + b]`, 0 from VLMAX on.
struct Down;

impl Together for Down {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        let end = unit.vlmax(0, unit.vtype.lmul);
        let offset = end.min((at.b as usize).saturating_mul(E::BYTES));
        let moved = at.body.min(end - offset);
        let from = at.a + offset;
        unit.registers.copy_within(from..from + moved, at.d);
        unit.registers[at.d + moved..at.d + at.body].fill(0);
    }
}

/// `vd[i + 1] = vs2[i]`, `vd[0] = b`.
pub struct Up1;

impl Together for Up1 {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        if let Some(moved) = at.body.checked_sub(E::BYTES) {
            unit.registers.copy_within(at.a..at.a + moved, at.d + E::BYTES);
            E::truncate(at.b).store(&mut unit.registers[at.d..at.d + E::BYTES]);
        }
    }
}

/// `vd[i] = vs2[i + 1]`, and `b` in the last element.
pub struct Down1;

impl Together for Down1 {
    #[inline(always)]
    fn run<E: Element>(unit: &mut VectorUnit, at: At) {
        if let Some(moved) = at.body.checked_sub(E::BYTES) {
            unit.registers.copy_within(at.a + E::BYTES..at.a + at.body, at.d);
            E::truncate(at.b).store(&mut unit.registers[at.d + moved..at.d + at.body]);
        }
    }
}
