//! Which operands an operation has, and the rules that make an encoding of it reserved, for both tiers.

use isa::operands::{Eew, Group as Kind};

use super::check::{self, rule};
use super::element_wise::{MaskUse, Operand, Walk};
use super::fields::{Fields, Immediate, Second};
use super::formats::Numbers;
use super::group::{Group, Overlap, aligned, source};
use super::state::{VectorUnit, Vtype};
use crate::hart::Hart;
use crate::unit::Trap;

/// Elements of SEW.
pub const SEW: Option<Kind> = elements(0);
/// A bit for each element.
pub const MASK: Option<Kind> = Some(Kind::Mask);
/// A destination that shares no register with a source.
pub const APART: Overlap =
    Overlap::Apart("the destination register group of this instruction must not overlap a source");

/// Elements of 2^`power` times SEW.
pub const fn elements(power: i8) -> Option<Kind> {
    Some(Kind::Elements(Eew::Sew(power)))
}

/// log2 of how many times as wide as SEW elements are, which are no narrower.
pub const fn power(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Elements(Eew::Sew(power))) if power > 0 => power as u8,
        _ => 0,
    }
}

/// Element 0, of 2^`power` times SEW.
pub const fn scalar(power: i8) -> Option<Kind> {
    Some(Kind::Scalar(Eew::Sew(power)))
}

/// What an operation needs of `vtype` and of the hart, besides operands that fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// No more.
    Nothing,
    /// High halves of products (section "Zve*: Vector Extensions for Embedded Processors").
    HighHalves,
    /// Floating-point numbers of these widths.
    Float(Numbers),
    /// SEW = 64.
    Doublewords,
    /// Element groups ("Element Groups") of this many elements, and SEW = 32.
    Words(usize),
    /// Element groups of four words of a hash that the hart has.
    Sha2,
}

impl Needs {
    #[inline(always)]
    fn check(self, unit: &VectorUnit, vtype: Vtype) -> Result<(), &'static str> {
        match self {
            Self::Nothing => Ok(()),
            Self::HighHalves => rule(
                vtype.sew < 3 || unit.wide_products,
                "the high half of a product of 64-bit elements needs V: Zve64x has none",
            ),
            Self::Float(numbers) => unit.formats.check(numbers, vtype.sew),
            Self::Doublewords => {
                rule(vtype.sew == 3, "carry-less multiplication of vectors is defined for SEW = 64 only")
            }
            Self::Words(elements) => {
                rule(vtype.sew == 2, "the instruction is defined for SEW = 32 only")?;
                groups_fit(unit, vtype, elements)
            }
            Self::Sha2 => {
                rule(vtype.sew != 3 || unit.sha512, "SHA-2 instructions need Zvknhb for SEW = 64 (SHA-512)")?;
                rule(vtype.sew >= 2, "SHA-2 instructions are defined for SEW = 32 and SEW = 64 only")?;
                groups_fit(unit, vtype, 4)
            }
        }
    }

    /// Elements of a group.
    pub const fn elements(self) -> usize {
        match self {
            Self::Words(elements) => elements,
            Self::Sha2 => 4,
            Self::Nothing | Self::HighHalves | Self::Float(_) | Self::Doublewords => 1,
        }
    }

    #[inline(always)]
    fn check_now(self, unit: &VectorUnit) -> Result<(), &'static str> {
        let elements = self.elements();
        rule(
            unit.vl.is_multiple_of(elements),
            if elements == 4 {
                "vl must be a multiple of 4, the size of the element group"
            } else {
                "vl must be a multiple of 8, the size of the element group"
            },
        )?;
        rule(
            unit.vstart.is_multiple_of(elements),
            if elements == 4 {
                "vstart must be a multiple of 4, the size of the element group"
            } else {
                "vstart must be a multiple of 8, the size of the element group"
            },
        )
    }
}

#[inline(always)]
fn groups_fit(unit: &VectorUnit, vtype: Vtype, elements: usize) -> Result<(), &'static str> {
    rule(
        unit.vlmax(vtype.sew, vtype.lmul) >= elements,
        if elements << vtype.sew == 16 {
            "LMUL times VLEN must be at least 128 bits, the width of the element group"
        } else {
            "LMUL times VLEN must be at least 256 bits, the width of the element group"
        },
    )
}

/// Operands of an operation, and their rules.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Destination, if it is a vector.
    pub vd: Option<Kind>,
    /// First operand, likewise.
    pub vs2: Option<Kind>,
    /// Second operand, in forms where it is a vector.
    pub vs1: Option<Kind>,
    /// Second operand, in forms where it is none.
    pub immediate: Immediate,
    /// What v0 is to a masked form.
    pub mask: MaskUse,
    /// What the destination may share with the others.
    pub overlap: Overlap,
    /// What else must be.
    pub needs: Needs,
    /// It is never resumed in its middle.
    pub restarts: bool,
}

/// What the two tiers need to know of the operands of a legal instruction.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The second operand.
    pub second: Second,
    /// The instruction is mask- and tail-agnostic whatever `vtype` says.
    pub agnostic: bool,
}

impl Shape {
    /// `vtype` with the policies that the instruction has under it.
    pub const fn policies(self, vtype: Vtype) -> Vtype {
        Vtype {
            tail_agnostic: vtype.tail_agnostic || self.agnostic,
            mask_agnostic: vtype.mask_agnostic || self.agnostic,
            ..vtype
        }
    }
}

impl Rules {
    /// All operands are elements of SEW; immediates are sign-extended.
    pub const SIGNED: Self = Self {
        vd: SEW,
        vs2: SEW,
        vs1: SEW,
        immediate: Immediate::Signed,
        mask: MaskUse::Predicate,
        overlap: Overlap::ByWidth,
        needs: Needs::Nothing,
        restarts: false,
    };
    /// The same with immediates zero-extended.
    pub const UNSIGNED: Self = Self { immediate: Immediate::Unsigned, ..Self::SIGNED };
    /// The same without a second operand.
    pub const UNARY: Self = Self { immediate: Immediate::Nothing, ..Self::SIGNED };
    /// The same; only the second operand is there.
    pub const MOVE: Self = Self { vs2: None, ..Self::SIGNED };
    /// The same for the high half of a product.
    pub const HIGH: Self = Self { needs: Needs::HighHalves, ..Self::SIGNED };
    /// `vs2` has elements of 2·SEW.
    pub const NARROWING: Self = Self { vs2: elements(1), ..Self::UNSIGNED };

    /// Checks an instruction with this word under `vtype`, whatever `vl` and `vstart`.
    ///
    /// # Errors
    /// The rule that is broken.
    #[inline(always)]
    pub fn legal(self, unit: &VectorUnit, fields: Fields, vtype: Vtype) -> Result<Shape, &'static str> {
        check::supported(vtype)?;
        self.needs.check(unit, vtype)?;
        let second = Second::of(fields, self.immediate);
        if let (SEW, SEW, SEW, Overlap::ByWidth) = (self.vd, self.vs2, self.vs1, self.overlap) {
            // What follows, in short: groups of one shape share all their registers or none.
            aligned(fields.vd(), vtype.lmul)?;
            unit.spares_mask(fields)?;
            source(fields, fields.vs2(), vtype.lmul)?;
            if let Second::Group(vs1) = second {
                source(fields, vs1, vtype.lmul)?;
            }
            return Ok(Shape { second, agnostic: false });
        }
        let vd = self.group(unit, vtype, self.vd, fields.vd())?;
        let vs2 = self.group(unit, vtype, self.vs2, fields.vs2())?;
        let mut agnostic = match vd {
            Some(vd) => self.overlap.with_mask(unit, fields, vd)?,
            None => false,
        };
        if let Some(vs2) = vs2 {
            vs2.alike_mask(fields)?;
            if let Some(vd) = vd {
                agnostic |= self.overlap.with_source(vd, vs2, true)?;
            }
        }
        if let Second::Group(register) = second
            && let Some(vs1) = self.group(unit, vtype, self.vs1, register)?
        {
            vs1.alike_mask(fields)?;
            if let Some(vs2) = vs2 {
                vs1.alike(vs2)?;
            }
            if let Some(vd) = vd {
                agnostic |= self.overlap.with_source(vd, vs1, false)?;
            }
        }
        Ok(Shape { second, agnostic })
    }

    #[inline(always)]
    fn group(
        self,
        unit: &VectorUnit,
        vtype: Vtype,
        kind: Option<Kind>,
        register: u32,
    ) -> Result<Option<Group>, &'static str> {
        let sew = vtype.sew as i8;
        let Some(kind) = kind else { return Ok(None) };
        Ok(Some(match kind {
            Kind::Elements(Eew::Sew(0)) => Group::aligned(register, vtype.lmul, sew)?,
            Kind::Elements(Eew::Sew(power)) => {
                rule(
                    power > 0 || sew + power >= 0,
                    "the source of an extension must have elements of at least 8 bits",
                )?;
                unit.group(vtype, register, sew + power)?
            }
            Kind::Elements(Eew::Bits(bits)) => unit.group(vtype, register, bits.ilog2() as i8 - 3)?,
            Kind::Mask => Group::mask(register),
            Kind::Scalar(eew) => {
                let bytes = eew.bits(8 << vtype.sew) as usize / 8;
                rule(
                    bytes <= 1 << unit.elen,
                    "the double-width scalar of a widening reduction must not exceed ELEN",
                )?;
                let registers = (self.needs.elements() * bytes).div_ceil(unit.vlenb);
                Group::aligned(register, registers.trailing_zeros() as i8, bytes.trailing_zeros() as i8)?
            }
            Kind::Whole(count) => Group::aligned(register, count.trailing_zeros() as i8, sew)?,
            // Those of accesses and of other files, which are not checked here.
            Kind::Single | Kind::Segments(..) => return Ok(None),
        }))
    }

    /// Checks an instruction that is to be executed now, and marks the unit as used.
    ///
    /// # Errors
    /// The rule that is broken; nothing has changed then.
    #[inline(always)]
    pub fn check(self, hart: &mut Hart, fields: Fields) -> Result<Shape, Trap> {
        check::enabled(hart)?;
        let unit = &hart.vector;
        let shape = self.legal(unit, fields, unit.vtype)?;
        if self.needs.elements() > 1 {
            self.needs.check_now(unit)?;
        }
        rule(
            !self.restarts || unit.vstart == 0,
            "this instruction can only begin with element 0: vstart must be 0",
        )?;
        Ok(shape)
    }

    /// The walk over the elements of a legal instruction.
    #[inline(always)]
    pub fn walk(self, hart: &Hart, fields: Fields, shape: Shape) -> Walk {
        Walk {
            fields,
            operand: Operand::of(hart, shape.second),
            mask: self.mask,
            agnostic: shape.agnostic,
            done: 0,
        }
    }
}
