//! Instructions on element groups ("Element Groups", "Instruction Constraints"): what they have in common
//! is who may be an operand, which groups are processed, and the tail. None of them has a mask.

use std::array;
use std::ops::Range;

use super::super::check::{self, rule};
use super::super::element::Element;
use super::super::fields::Fields;
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
    /// log2 of the bytes of an element, as in `vtype`.
    const SEW: u8;

    /// The group in these bytes; `bytes` holds [`Self::BYTES`].
    fn load(bytes: &[u8]) -> Self;
    /// Puts the group into these bytes.
    fn store(self, bytes: &mut [u8]);
}

impl<E: Element, const N: usize> Group for [E; N] {
    type Element = E;
    const ELEMENTS: usize = N;
    const BYTES: usize = N * E::BYTES;
    const SEW: u8 = E::BYTES.trailing_zeros() as u8;

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

/// Which sources the destination must not overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    /// Any overlap of whole groups is allowed.
    None,
    /// Not `vs2`.
    Vs2,
    /// Neither `vs1` nor `vs2`.
    Sources,
}

impl Apart {
    #[inline(always)]
    fn check(self, fields: Fields) -> Result<(), Trap> {
        let (vd, vs1, vs2) = (fields.vd(), fields.rs1(), fields.vs2());
        // Aligned groups of one size overlap only if they are the same.
        match self {
            Self::None => Ok(()),
            Self::Vs2 => rule(vd != vs2, "the destination register group must not overlap that of vs2"),
            Self::Sources => rule(
                vd != vs1 && vd != vs2,
                "the destination register group must not overlap that of vs1 or vs2",
            ),
        }
    }
}

/// `vd[i] = f(vd[i], vs2[i])`, `vs1` being no register.
///
/// # Errors
/// A rule of element groups is broken; nothing has changed then.
#[inline(always)]
pub fn binary<G: Group>(hart: &mut Hart, word: u32, apart: Apart, f: impl Fn(G, G) -> G) -> Result<(), Trap> {
    let fields = Fields(word);
    let unit = begin::<G>(hart, fields)?;
    unit.aligned(fields.vs2(), unit.vtype.lmul)?;
    apart.check(fields)?;
    for i in unit.element_groups::<G>() {
        let result = f(unit.element_group(fields.vd(), i), unit.element_group(fields.vs2(), i));
        unit.set_element_group(fields.vd(), i, result);
    }
    unit.end::<G>(fields);
    Ok(())
}

/// `vd[i] = f(vd[i], vs2[i], vs1[i])`.
///
/// # Errors
/// A rule of element groups is broken; nothing has changed then.
#[inline(always)]
pub fn ternary<G: Group>(
    hart: &mut Hart,
    word: u32,
    apart: Apart,
    f: impl Fn(G, G, G) -> G,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let unit = begin::<G>(hart, fields)?;
    unit.aligned(fields.vs2(), unit.vtype.lmul)?;
    unit.aligned(fields.rs1(), unit.vtype.lmul)?;
    apart.check(fields)?;
    for i in unit.element_groups::<G>() {
        let (vd, vs2, vs1) = (fields.vd(), fields.vs2(), fields.rs1());
        let result = f(unit.element_group(vd, i), unit.element_group(vs2, i), unit.element_group(vs1, i));
        unit.set_element_group(vd, i, result);
    }
    unit.end::<G>(fields);
    Ok(())
}

/// `vd[i] = f(vd[i], k)`, where `k = prepare(vs2[0])`: `vs2` is one ("scalar") element group, whatever LMUL.
///
/// # Errors
/// A rule of element groups is broken; nothing has changed then.
#[inline(always)]
pub fn scalar<G: Group>(
    hart: &mut Hart,
    word: u32,
    prepare: impl FnOnce(G) -> G,
    f: impl Fn(G, G) -> G,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let unit = begin::<G>(hart, fields)?;
    // EMUL of the scalar group, at most LMUL since the group fits.
    let registers = G::BYTES.div_ceil(unit.vlenb);
    unit.aligned(fields.vs2(), registers.trailing_zeros() as i8)?;
    let whole = unit.vtype.lmul.max(0);
    rule(
        fields.vd() >> whole != fields.vs2() >> whole,
        "the destination register group must not overlap the scalar element group in vs2",
    )?;
    let operand = prepare(unit.element_group(fields.vs2(), 0));
    for i in unit.element_groups::<G>() {
        let result = f(unit.element_group(fields.vd(), i), operand);
        unit.set_element_group(fields.vd(), i, result);
    }
    unit.end::<G>(fields);
    Ok(())
}

/// Checks what every instruction on groups `G` requires of `vtype`, `vl`, `vstart` and `vd`.
#[inline(always)]
fn begin<G: Group>(hart: &mut Hart, fields: Fields) -> Result<&mut VectorUnit, Trap> {
    check::configured(hart)?;
    let unit = &mut hart.vector;
    rule(
        unit.vtype.sew == G::SEW,
        if G::SEW == 2 {
            "the instruction is defined for SEW = 32 only"
        } else {
            "the instruction is defined for SEW = 64 only"
        },
    )?;
    rule(
        unit.vlmax(G::SEW, unit.vtype.lmul) >= G::ELEMENTS,
        if G::BYTES == 16 {
            "LMUL times VLEN must be at least 128 bits, the width of the element group"
        } else {
            "LMUL times VLEN must be at least 256 bits, the width of the element group"
        },
    )?;
    rule(
        unit.vl.is_multiple_of(G::ELEMENTS),
        if G::ELEMENTS == 4 {
            "vl must be a multiple of 4, the size of the element group"
        } else {
            "vl must be a multiple of 8, the size of the element group"
        },
    )?;
    rule(
        unit.vstart.is_multiple_of(G::ELEMENTS),
        if G::ELEMENTS == 4 {
            "vstart must be a multiple of 4, the size of the element group"
        } else {
            "vstart must be a multiple of 8, the size of the element group"
        },
    )?;
    unit.aligned(fields.vd(), unit.vtype.lmul)?;
    Ok(unit)
}

impl VectorUnit {
    /// The groups to process.
    #[inline(always)]
    fn element_groups<G: Group>(&self) -> Range<usize> {
        self.vstart / G::ELEMENTS..self.vl / G::ELEMENTS
    }

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

    /// Applies the tail policy and leaves `vstart` zero.
    #[inline(always)]
    fn end<G: Group>(&mut self, fields: Fields) {
        if self.vstart < self.vl {
            self.finish::<G::Element>(fields.vd(), false);
        }
        self.vstart = 0;
    }
}
