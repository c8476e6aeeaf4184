//! Register groups, and which of them one instruction may use together ("Vector Operands", "Vector Masking").

use super::check::rule;
use super::fields::Fields;
use super::state::{VectorUnit, Vtype};

/// What a source register read with two element widths breaks.
const READ_ALIKE: &str =
    "a register must not be read with two different element widths (that of a mask is 1 bit)";
/// log2 of the element width of a mask in bytes: one bit.
const MASK_EEW: i8 = -3;

/// The registers of one operand. It is small enough to be kept in one register of the host.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Lowest-numbered register.
    register: u32,
    /// log2 of EMUL.
    emul: i8,
    /// log2 of the element width in bytes.
    eew: i8,
}

impl Group {
    /// The group at `register`, of 2^`emul` registers and elements `eew` wide (log2 of bytes).
    ///
    /// # Errors
    /// A register group begins at a multiple of its size ("Vector Register Grouping").
    #[inline(always)]
    pub fn aligned(register: u32, emul: i8, eew: i8) -> Result<Self, &'static str> {
        aligned(register, emul)?;
        Ok(Self { register, emul, eew })
    }

    /// A mask, or the carries in v0.
    pub const fn mask(register: u32) -> Self {
        Self { register, emul: 0, eew: MASK_EEW }
    }

    #[inline(always)]
    const fn end(self) -> u32 {
        self.register + if self.emul > 0 { 1 << self.emul } else { 1 }
    }

    /// One register is read with one element width only, that of a mask being 1 bit.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub fn alike(self, other: Self) -> Result<(), &'static str> {
        rule(self.eew == other.eew || !self.overlaps(other), READ_ALIKE)
    }

    /// The same of a source and the mask of the instruction.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub fn alike_mask(self, fields: Fields) -> Result<(), &'static str> {
        if fields.masked() { self.alike(Self::mask(0)) } else { Ok(()) }
    }

    /// True if the two have a register in common.
    #[inline(always)]
    pub const fn overlaps(self, other: Self) -> bool {
        self.register < other.end() && other.register < self.end()
    }

    #[inline(always)]
    const fn may_overwrite(self, source: Self) -> bool {
        if !self.overlaps(source) || self.eew == source.eew {
            return true;
        }
        if self.eew < source.eew {
            self.register == source.register
        } else {
            source.emul >= 0 && self.end() == source.end()
        }
    }
}

/// A register group begins at a multiple of its size ("Vector Register Grouping").
///
/// # Errors
/// Naming the rule.
#[inline(always)]
pub fn aligned(register: u32, emul: i8) -> Result<(), &'static str> {
    rule(
        emul <= 0 || register & ((1 << emul) - 1) == 0,
        "a register group must begin at a register number that is a multiple of its EMUL",
    )
}

/// What becomes of [`Group::alike_mask`] and [`aligned`] for a source of elements, whatever their width.
///
/// # Errors
/// Naming the rule.
#[inline(always)]
pub fn source(fields: Fields, register: u32, emul: i8) -> Result<(), &'static str> {
    aligned(register, emul)?;
    rule(!fields.masked() || register != 0, READ_ALIKE)
}

/// Which registers a destination may share with the sources.
#[derive(Clone, Copy, Debug)]
pub enum Overlap {
    /// With elements of another width, those that "Vector Operands" names; with a mask, if it is one.
    ByWidth,
    /// The same, and being a source as well, none with elements of another width.
    Accumulating,
    /// None; broken, the rule reads so.
    Apart(&'static str),
    /// None with `vs2`.
    ApartFromVs2,
    /// Any: what is read is read first.
    Any,
}

impl Overlap {
    /// A masked instruction must not overwrite its mask ("Vector Masking"), unless it writes a mask by element.
    /// Returns true if it does so nevertheless, which makes it agnostic.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub fn with_mask(self, unit: &VectorUnit, fields: Fields, vd: Group) -> Result<bool, &'static str> {
        match self {
            Self::ByWidth | Self::Accumulating if vd.eew == MASK_EEW => Ok(false),
            Self::ByWidth | Self::Accumulating | Self::Apart(_) | Self::ApartFromVs2 => {
                unit.spares_mask(fields)?;
                Ok(false)
            }
            Self::Any => Ok(fields.masked() && vd.eew != MASK_EEW && vd.register == 0),
        }
    }

    /// Whether the destination may be written while the source is read. Returns true if they share registers with
    /// elements of two widths, which makes the instruction mask- and tail-agnostic.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub fn with_source(self, vd: Group, source: Group, is_vs2: bool) -> Result<bool, &'static str> {
        match self {
            Self::ByWidth | Self::Accumulating => rule(
                vd.may_overwrite(source),
                "a destination may overlap a source of another element width only in the lowest-numbered \
                 register (if the destination is narrower) or the highest-numbered (if it is wider and the \
                 source's EMUL is at least 1)",
            )?,
            Self::Apart(reason) => rule(!vd.overlaps(source), reason)?,
            Self::ApartFromVs2 => rule(
                !is_vs2 || !vd.overlaps(source),
                "the destination register group must not overlap that of vs2",
            )?,
            Self::Any => {}
        }
        if matches!(self, Self::Accumulating) {
            vd.alike(source)?;
        }
        Ok(vd.eew != source.eew && vd.overlaps(source))
    }
}

impl VectorUnit {
    /// The group at `register` whose elements are `eew` wide (log2 of bytes): EEW/EMUL = SEW/LMUL. EMUL is at
    /// least 1/8, since LMUL is at least SEW/ELEN.
    ///
    /// # Errors
    /// If there is no such group.
    #[inline(always)]
    pub(super) fn group(&self, vtype: Vtype, register: u32, eew: i8) -> Result<Group, &'static str> {
        let emul = vtype.lmul + eew - vtype.sew as i8;
        rule(
            0 <= eew && eew <= self.elen as i8,
            "every operand's element width must be supported: from 8 bits to ELEN",
        )?;
        rule(emul <= 3, "a register group must not be larger than 8 registers: EMUL would be 16 or more")?;
        Group::aligned(register, emul, eew)
    }
}
