//! Vector instructions. What `vtype` is, compiled code takes from the `vset` instruction before it or from where
//! the region comes from, and compares once a block; it leaves to the interpreter if it was wrong. Instructions
//! whose operands are then known are done in place if they are short, or are calls of kernels; all others are their unit's.

mod across;
mod active;
mod again;
mod at_once;
mod bits;
mod byte_indices;
mod cache;
mod carried;
mod classes;
mod clips;
mod columns;
mod configuration;
mod counts;
mod detour;
mod doubles;
mod doublewords;
mod estimates;
mod exact;
mod expectation;
mod fixed;
mod float_doubles;
mod floats;
mod folds;
mod formats;
mod fractions;
mod gather;
mod guarded;
mod halves;
mod indexed;
mod interleave;
mod kernel;
mod lanes;
mod lengths;
mod lookahead;
mod masked;
mod masks;
mod nans;
mod narrowed;
mod parts;
mod reduced;
mod scalars;
mod scattered;
mod slides;
mod splats;
mod spread;
mod state;
mod transfer;
mod unusual;
pub mod wide;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Value, types};
use engine::uop::Uop;
use hart::csr::number;
use hart::vector::Vtype;
use hart::vector::compiled::{CHANGED, Compiled, offset};

pub use floats::fuses;
pub use state::State;

use crate::builder::{Builder, Place, own};
use crate::{frame, shape};

/// Flags of casts between kinds of lanes, which are little-endian.
pub fn flags() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl Builder<'_, '_> {
    /// Compiles an instruction of a unit, if it is a vector instruction of a kind that is done here.
    pub fn vector(&mut self, uop: Uop, place: Place) -> bool {
        if self.region.vector.vlenb() == 0 || !place.straight {
            return false;
        }
        if place.uop < self.vector.next {
            return true;
        }
        let site = shape::site(self.region, uop);
        if expectation::sets_type(site) {
            return self.configure(site, place);
        }
        let Some(operation) = self.region.program.vector(uop.instruction()) else { return false };
        // Before the next line, because a load that is not trimmed leaves `vl` as it is.
        if matches!(operation.compiled, Compiled::Access) && self.transfer(site, place) {
            return true;
        }
        if site.effects.writes_csr(number::VL) {
            self.vector.vl = None;
        }
        match operation.compiled {
            Compiled::Lane(lane) => self.kernel(operation, Some(lane), uop, place),
            Compiled::Float(lane, body) => {
                self.floats(operation, lane, body, uop, place)
                    || self.half_floats(operation, body, uop, place)
                    || self.checked(operation, body, uop, place)
            }
            Compiled::FloatDoubled(doubling, body) => {
                self.doubled_floats(operation, doubling, body, uop, place)
                    || self.half_floats(operation, body, uop, place)
                    || self.checked(operation, body, uop, place)
            }
            Compiled::OfBrain(_, body) => {
                self.half_floats(operation, body, uop, place) || self.checked(operation, body, uop, place)
            }
            Compiled::Spread(spread, body) => {
                self.spread(operation, spread, body, uop, place) || self.checked(operation, body, uop, place)
            }
            Compiled::Whole(_)
            | Compiled::Slid(..)
            | Compiled::Numbers(_)
            | Compiled::Counts(_)
            | Compiled::Gather(_)
            | Compiled::GatherBy16Bits(_) => self.kernel(operation, None, uop, place),
            Compiled::Reduction(reduction, _, body) => {
                self.reduced(operation, reduction, uop, place)
                    || self.kernel(operation, None, uop, place)
                    || self.checked(operation, body, uop, place)
            }
            Compiled::Round(_) => self.rounds(place),
            Compiled::Access => self.access(uop, place),
            Compiled::Doubled(_, body)
            | Compiled::Carried(.., body)
            | Compiled::Compared(_, body)
            | Compiled::Fixed(.., body)
            | Compiled::Groups(_, body) => {
                self.kernel(operation, None, uop, place) || self.checked(operation, body, uop, place)
            }
            Compiled::Direct(directs, body) => {
                self.at_once(operation, &directs, body, uop, place)
                    || self.half_floats(operation, body, uop, place)
                    || self.direct(operation, uop, place)
                    || self.checked(operation, body, uop, place)
            }
            Compiled::Extended(extension, body) => {
                self.extended(operation, extension, site.word, place)
                    || self.checked(operation, body, uop, place)
            }
            Compiled::Masking(masking, body) => {
                self.masks(operation, masking, site, place) || self.checked(operation, body, uop, place)
            }
            Compiled::Checked(body) => self.checked(operation, body, uop, place),
            Compiled::Body => false,
        }
    }

    /// The hart.
    pub fn hart(&mut self) -> Value {
        self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::CORE)
    }

    /// Leaves to the interpreter unless the unit is on and marked as changed and, if a setting is given,
    /// `vtype` is that, `vl` as expected and `vstart` 0.
    fn expect(&mut self, vtype: Option<Vtype>, place: Place) {
        if self.vector.is_certain {
            return;
        }
        let hart = self.hart();
        let status = self.ins.ins().load(types::I64, own(), hart, offset::STATUS as i32);
        let changed = self.constant(CHANGED);
        let status = self.ins.ins().band(status, changed);
        let mut wrong = self.ins.ins().bxor(status, changed);
        if let Some(vtype) = vtype {
            let now = self.ins.ins().uload32(own(), hart, offset::VTYPE as i32);
            let expected = self.constant(vtype.packed().into());
            let differs = self.ins.ins().bxor(now, expected);
            let illegal = self.ins.ins().uload8(types::I64, own(), hart, offset::VILL as i32);
            let vstart = self.ins.ins().load(types::I64, own(), hart, offset::VSTART as i32);
            for part in [differs, illegal, vstart] {
                wrong = self.ins.ins().bor(wrong, part);
            }
            if let Some(vl) = self.vector.vl {
                let now = self.ins.ins().load(types::I64, own(), hart, offset::VL as i32);
                let expected = self.constant(vl);
                let differs = self.ins.ins().bxor(now, expected);
                wrong = self.ins.ins().bor(wrong, differs);
            }
            self.vector.is_certain = true;
        }
        let zero = self.constant(0);
        let wrong = self.ins.ins().icmp(IntCC::NotEqual, wrong, zero);
        self.leave_if(wrong, place);
    }

    /// Leaves to the interpreter unless `vl`, which is certain if it is given, is a multiple of a number.
    fn expect_multiple(&mut self, elements: u64, place: Place) {
        if elements > 1 && self.vector.vl.is_none() {
            let (vl, below) = (self.vl(), self.constant(elements - 1));
            let rest = self.ins.ins().band(vl, below);
            let zero = self.constant(0);
            let partial = self.ins.ins().icmp(IntCC::NotEqual, rest, zero);
            self.leave_if(partial, place);
        }
    }

    /// `vl`, once `vtype` is certain.
    fn vl(&mut self) -> Value {
        match self.vector.vl {
            Some(vl) => self.constant(vl),
            None => {
                let hart = self.hart();
                self.ins.ins().load(types::I64, own(), hart, offset::VL as i32)
            }
        }
    }
}
