//! Vector instructions. What `vtype` is, compiled code takes from the `vset` instruction before it or from where
//! the region comes from, and compares once a block; it leaves to the interpreter if it was wrong. Instructions
//! whose operands are then known are calls of kernels; all others are their unit's.

mod columns;
mod configuration;
mod expectation;
mod kernel;
mod lanes;
mod transfer;

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Value, types};
use hart::tier::Region;
use hart::uop::Uop;
use hart::vector::Vtype;
use hart::vector::compiled::{CHANGED, offset};

use crate::frame;
use crate::region::{Builder, own};
use crate::translate::Place;

/// What is known of the vector unit at a point of a block.
#[derive(Default)]
pub struct State {
    /// `vtype` at the beginning of each block, most likely.
    expected: Vec<Option<Vtype>>,
    /// `vl` under the `vtype` of now, if the region never sets it.
    steady: Option<(Vtype, u64)>,
    /// `vtype` here, most likely.
    vtype: Option<Vtype>,
    /// It is so, `vstart` is 0, and the unit is on and marked as changed.
    is_certain: bool,
    /// `vl`, most likely, and certain with `vtype`.
    vl: Option<u64>,
    /// First micro-operation that has not been compiled yet together with one before it.
    next: usize,
    /// Host address of the register file, if it is at hand.
    register_file: Option<Value>,
    /// Columns of the register file that are at hand, by their offsets.
    columns: HashMap<usize, Value>,
}

/// Flags of casts between kinds of lanes, which are little-endian.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl State {
    /// What can be expected of a region.
    pub fn new(region: &Region<'_>) -> Self {
        let (expected, steady) = (expectation::at_blocks(region), expectation::steady(region));
        Self { expected, steady, ..Self::default() }
    }

    /// At the beginning of a block.
    pub fn begin(&mut self, part: usize) {
        self.vtype = self.expected.get(part).copied().flatten();
        let steady = self.steady.filter(|&(vtype, _)| self.vtype == Some(vtype));
        (self.is_certain, self.vl, self.next) = (false, steady.map(|(_, vl)| vl), 0);
        self.register_file = None;
        self.columns.clear();
    }
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
        let name = expectation::name(self.region, uop);
        let word = uop.imm as u32;
        if name.starts_with("VSET") {
            return self.configure(name, word, place);
        }
        if name.ends_with("FF__V") {
            self.vector.vl = None;
        }
        self.rounds(place) || self.kernel(name, word, place) || self.transfer(name, word, place)
    }

    /// The hart.
    fn core(&mut self) -> Value {
        self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::CORE)
    }

    /// Leaves to the interpreter unless the unit is on and marked as changed and, if a setting is given,
    /// `vtype` is that, `vl` as expected and `vstart` 0.
    fn expect(&mut self, vtype: Option<Vtype>, place: Place) {
        if self.vector.is_certain {
            return;
        }
        let core = self.core();
        let status = self.ins.ins().load(types::I64, own(), core, offset::STATUS as i32);
        let changed = self.constant(CHANGED);
        let status = self.ins.ins().band(status, changed);
        let mut wrong = self.ins.ins().bxor(status, changed);
        if let Some(vtype) = vtype {
            let now = self.ins.ins().uload32(own(), core, offset::VTYPE as i32);
            let expected = self.constant(vtype.packed().into());
            let differs = self.ins.ins().bxor(now, expected);
            let illegal = self.ins.ins().uload8(types::I64, own(), core, offset::VILL as i32);
            let vstart = self.ins.ins().load(types::I64, own(), core, offset::VSTART as i32);
            for part in [differs, illegal, vstart] {
                wrong = self.ins.ins().bor(wrong, part);
            }
            if let Some(vl) = self.vector.vl {
                let now = self.ins.ins().load(types::I64, own(), core, offset::VL as i32);
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

    /// `vl`, once `vtype` is certain.
    fn vl(&mut self) -> Value {
        match self.vector.vl {
            Some(vl) => self.constant(vl),
            None => {
                let core = self.core();
                self.ins.ins().load(types::I64, own(), core, offset::VL as i32)
            }
        }
    }
}
