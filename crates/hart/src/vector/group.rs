//! Register groups, and which of them one instruction may use together ("Vector Operands", "Vector Masking").

use super::check::rule;
use super::fields::Fields;
use super::state::VectorUnit;
use crate::unit::Trap;

/// What a source register read with two element widths breaks.
pub const READ_ALIKE: &str =
    "a register must not be read with two different element widths (that of a mask is 1 bit)";
/// log2 of the element width of a mask in bytes: one bit.
const MASK_EEW: i8 = -3;

/// The registers of one operand.
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
    /// A mask, or the carries in v0.
    pub const fn mask(register: u32) -> Self {
        Self { register, emul: 0, eew: MASK_EEW }
    }

    /// Element 0 of any register, as wide as `eew` (log2 of bytes).
    pub const fn scalar(register: u32, eew: u8) -> Self {
        Self { register, emul: 0, eew: eew as i8 }
    }

    #[inline(always)]
    const fn end(self) -> u32 {
        self.register + if self.emul > 0 { 1 << self.emul } else { 1 }
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

    /// The destination shares no register with the source: instructions that name this rule themselves.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub fn apart_from(self, source: Self) -> Result<(), Trap> {
        rule(
            !self.overlaps(source),
            "the destination register group of this instruction must not overlap a source",
        )
    }
}

impl VectorUnit {
    /// The group at `register` whose elements are `eew` wide (log2 of bytes): EEW/EMUL = SEW/LMUL. EMUL is at
    /// least 1/8, since LMUL is at least SEW/ELEN.
    ///
    /// # Errors
    /// If there is no such group.
    #[inline(always)]
    pub(super) fn group(&self, register: u32, eew: i8) -> Result<Group, Trap> {
        let emul = self.vtype.lmul + eew - self.vtype.sew as i8;
        rule(
            0 <= eew && eew <= self.elen as i8,
            "every operand's element width must be supported: from 8 bits to ELEN",
        )?;
        rule(emul <= 3, "a register group must not be larger than 8 registers: EMUL would be 16 or more")?;
        self.aligned(register, emul)?;
        Ok(Group { register, emul, eew })
    }

    /// The group at `register` of SEW and LMUL.
    ///
    /// # Errors
    /// If no group begins there.
    #[inline(always)]
    pub(super) fn plain_group(&self, register: u32) -> Result<Group, Trap> {
        self.aligned(register, self.vtype.lmul)?;
        Ok(Group { register, emul: self.vtype.lmul, eew: self.vtype.sew as i8 })
    }

    /// One register is read with one element width only, that of a mask being 1 bit.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub(super) fn read_alike(&self, fields: Fields, sources: &[Group]) -> Result<(), Trap> {
        let mask = fields.masked().then_some(Group::mask(0));
        for (index, a) in sources.iter().enumerate() {
            for b in sources[..index].iter().chain(&mask) {
                rule(a.eew == b.eew || !a.overlaps(*b), READ_ALIKE)?;
            }
        }
        Ok(())
    }

    /// The rules of an instruction that writes `destination` from `sources` and, if masked, v0. Returns true
    /// if a source shares registers with a destination of another element width, which makes the
    /// instruction mask- and tail-agnostic.
    ///
    /// # Errors
    /// Naming the rule.
    #[inline(always)]
    pub(super) fn operands(
        &self,
        fields: Fields,
        destination: Group,
        sources: &[Group],
    ) -> Result<bool, Trap> {
        self.read_alike(fields, sources)?;
        if destination.eew != MASK_EEW {
            self.spares_mask(fields)?;
        }
        let mut mixed = false;
        for &source in sources {
            rule(
                destination.may_overwrite(source),
                "a destination may overlap a source of another element width only in the lowest-numbered \
                 register (if the destination is narrower) or the highest-numbered (if it is wider and the \
                 source's EMUL is at least 1)",
            )?;
            mixed |= destination.eew != source.eew && destination.overlaps(source);
        }
        Ok(mixed)
    }
}
