//! Which registers hold the data of an access ("Vector Load/Store Segment Instructions").

use crate::hart::Hart;
use crate::vector::check::rule;
use crate::vector::element::Element;
use crate::vector::fields::Fields;
use crate::vector::group::Group;
use crate::vector::state::{VectorUnit, Vtype};

/// Register groups in a row, one for each field of a segment; a plain access has one field.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// First register of the first field.
    first: u32,
    /// Registers of a field.
    registers: u32,
    /// Number of fields.
    pub count: u32,
    /// log2 of the element width in bytes.
    eew: u8,
}

impl Segment {
    /// The data registers of an instruction whose data are `eew` wide (log2 of bytes).
    ///
    /// # Errors
    /// If there are no such registers.
    #[inline(always)]
    pub fn of(unit: &VectorUnit, fields: Fields, eew: u8) -> Result<Self, &'static str> {
        Self::under(unit, unit.vtype, fields, eew)
    }

    /// The same under a `vtype`.
    ///
    /// # Errors
    /// Likewise.
    #[inline(always)]
    pub fn under(unit: &VectorUnit, vtype: Vtype, fields: Fields, eew: u8) -> Result<Self, &'static str> {
        unit.group(vtype, fields.vd(), eew as i8)?;
        let emul = vtype.lmul + eew as i8 - vtype.sew as i8;
        let segment = Self { first: fields.vd(), registers: 1 << emul.max(0), count: fields.fields(), eew };
        let registers = segment.registers * segment.count;
        rule(
            registers <= 8,
            "the fields of a segment must not take more than 8 registers: EMUL * NFIELDS <= 8",
        )?;
        rule(segment.first + registers <= 32, "the registers of a segment must not go past v31")?;
        Ok(segment)
    }

    /// As many whole registers as the instruction names, without regard to `vtype`.
    pub const fn whole(fields: Fields) -> Self {
        Self { first: fields.vd(), registers: fields.fields(), count: 1, eew: 0 }
    }

    /// The data registers of an instruction that is legal with so many for a field.
    #[inline(always)]
    pub const fn known(fields: Fields, registers: u32, eew: u8) -> Self {
        Self { first: fields.vd(), registers, count: fields.fields(), eew }
    }

    /// Registers of a field.
    pub const fn registers(self) -> u32 {
        self.registers
    }

    /// First register of a field's group.
    #[inline(always)]
    pub const fn register(self, field: u32) -> u32 {
        self.first + field * self.registers
    }

    /// Bytes from one segment to the next where they lie side by side.
    #[inline(always)]
    pub const fn bytes(self) -> u64 {
        (self.count as u64) << self.eew
    }

    /// The register group of each field under `vtype`.
    ///
    /// # Errors
    /// None once the segment stands.
    pub fn groups(
        self,
        unit: &VectorUnit,
        vtype: Vtype,
    ) -> impl Iterator<Item = Result<Group, &'static str>> {
        (0..self.count).map(move |field| unit.group(vtype, self.register(field), self.eew as i8))
    }

    /// A store under `vtype` may read these registers together with its mask and its index.
    ///
    /// # Errors
    /// Naming the rule.
    pub fn readable(
        self,
        unit: &VectorUnit,
        vtype: Vtype,
        fields: Fields,
        index: Option<Group>,
    ) -> Result<(), &'static str> {
        if !fields.masked() && index.is_none() {
            return Ok(());
        }
        for data in self.groups(unit, vtype) {
            let data = data?;
            data.alike_mask(fields)?;
            if let Some(index) = index {
                index.alike_mask(fields)?;
                data.alike(index)?;
            }
        }
        Ok(())
    }

    /// Ends a load of `vl` elements: fills the tails of all fields as the policy says.
    #[inline(always)]
    pub fn finish<E: Element>(self, hart: &mut Hart, agnostic: bool) {
        for field in 0..self.count {
            hart.vector.finish::<E>(self.register(field), agnostic);
        }
    }
}
