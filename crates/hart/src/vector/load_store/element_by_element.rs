//! The general access: one element after another, each field of a segment by itself.

use std::ops::Range;

use super::segment::Segment;
use crate::hart::Hart;
use crate::memory::WriteEvent;
use crate::port::Port;
use crate::unit::Trap;
use crate::vector::element::Element;
use crate::vector::fields::Fields;
use crate::vector::state::VectorUnit;

/// An access that is known to be legal.
#[derive(Clone, Debug)]
pub struct Access {
    /// Mask bit.
    pub fields: Fields,
    /// Data registers.
    pub segment: Segment,
    /// Base address.
    pub base: u64,
    /// Element indices of the body from `vstart` on.
    pub elements: Range<usize>,
}

/// What a fault past element 0 of a load does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It traps.
    Traps,
    /// It ends the load, and `vl` becomes the element's index ("Unit-stride Fault-Only-First Loads").
    Trims,
}

impl Access {
    /// The access of an instruction that `vl` and `vstart` bound.
    #[inline(always)]
    pub fn new(hart: &Hart, fields: Fields, segment: Segment) -> Self {
        let unit = &hart.vector;
        Self { fields, segment, base: hart.x(fields.rs1() as u16), elements: unit.vstart..unit.vl }
    }

    /// Loads; `offset` gives the distance of an element from the base address. Masked-off elements become
    /// ones if `fill` is set.
    ///
    /// # Errors
    /// A fault, with `vstart` set.
    pub fn load<E: Element>(
        self,
        hart: &mut Hart,
        port: &mut Port<'_>,
        offset: impl Fn(&VectorUnit, usize) -> u64,
        fill: bool,
        fault: Fault,
    ) -> Result<(), Trap> {
        let mask = hart.csrs.xlen().mask();
        for index in self.elements {
            if !hart.vector.active(self.fields, index) {
                for field in (0..self.segment.count).filter(|_| fill) {
                    hart.vector.set(self.segment.register(field), index, E::ONES);
                }
                continue;
            }
            let start = self.base.wrapping_add(offset(&hart.vector, index));
            for field in 0..self.segment.count {
                let address = start.wrapping_add(u64::from(field) * E::BYTES as u64) & mask;
                match E::read(port.memory, address) {
                    Ok(value) => {
                        hart.vector.set(self.segment.register(field), index, value);
                        port.note(address, E::BYTES, None);
                    }
                    Err(_) if fault == Fault::Trims && index > 0 => {
                        hart.vector.vl = index;
                        return Ok(());
                    }
                    Err(exception) => {
                        hart.vector.vstart = index;
                        return Err(Trap::Raised(exception.into()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores.
    ///
    /// # Errors
    /// A fault, with `vstart` set.
    pub fn store<E: Element>(
        self,
        hart: &mut Hart,
        port: &mut Port<'_>,
        offset: impl Fn(&VectorUnit, usize) -> u64,
    ) -> Result<(), Trap> {
        let mask = hart.csrs.xlen().mask();
        for index in self.elements {
            if !hart.vector.active(self.fields, index) {
                continue;
            }
            let start = self.base.wrapping_add(offset(&hart.vector, index));
            for field in 0..self.segment.count {
                let address = start.wrapping_add(u64::from(field) * E::BYTES as u64) & mask;
                let value: E = hart.vector.get(self.segment.register(field), index);
                if let Err(WriteEvent::Fault(fault)) = value.write(port.memory, address) {
                    hart.vector.vstart = index;
                    return Err(Trap::Raised(fault.into()));
                }
                port.note(address, E::BYTES, Some(value.zero_extend()));
            }
        }
        Ok(())
    }
}
