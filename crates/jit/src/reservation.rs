//! Reservations: what a load-reserved claims in guest memory, and a store-conditional asks for.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::Uop;
use hart::Memory;
use hart::memory::Reservation;

use crate::builder::{Builder, own};
use crate::frame;

const FIRST: i32 = (offset_of!(Memory, reservation) + offset_of!(Reservation, first)) as i32;
const BYTES: i32 = (offset_of!(Memory, reservation) + offset_of!(Reservation, bytes)) as i32;

impl Builder<'_, '_> {
    fn memory(&mut self) -> Value {
        self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::MEMORY)
    }

    /// Reserves bytes.
    pub fn reserve(&mut self, uop: Uop) {
        let (first, bytes, memory) = (self.get(uop.a), self.get(uop.b), self.memory());
        self.ins.ins().store(own(), first, memory, FIRST);
        self.ins.ins().store(own(), bytes, memory, BYTES);
    }

    /// 1 if an address is reserved. [`Builder::end_reservation`] follows.
    pub fn is_reserved(&mut self, uop: Uop) -> Value {
        let (address, memory) = (self.get(uop.a), self.memory());
        let first = self.ins.ins().load(types::I64, own(), memory, FIRST);
        let bytes = self.ins.ins().load(types::I64, own(), memory, BYTES);
        let distance = self.ins.ins().isub(address, first);
        let covered = self.ins.ins().icmp(IntCC::UnsignedLessThan, distance, bytes);
        self.ins.ins().uextend(types::I64, covered)
    }

    /// Ends the reservation, at the end of an instruction that takes it.
    pub fn end_reservation(&mut self) {
        let (none, memory) = (self.constant(0), self.memory());
        self.ins.ins().store(own(), none, memory, FIRST);
        self.ins.ins().store(own(), none, memory, BYTES);
    }
}
