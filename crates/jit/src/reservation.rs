//! Reservations: what a load-reserved claims in guest memory, and a store-conditional asks for.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use engine::uop::{Kind, Uop};
use hart::Memory;
use hart::memory::Reservation;

use crate::builder::{Builder, own};
use crate::frame;

const FIRST: i32 = (offset_of!(Memory, reservation) + offset_of!(Reservation, first)) as i32;
const BYTES: i32 = (offset_of!(Memory, reservation) + offset_of!(Reservation, bytes)) as i32;

/// True if an instruction, whose first micro-operation is at `start` in its block, uses reservations in a way that is
/// compiled: it takes one on each way to its end, and not before it leaves. Until then it may be executed again.
pub fn is_simple(uops: &[Uop], start: usize) -> bool {
    let is_taken = |uop: &Uop| uop.op.kind() == Kind::TakeReservation;
    let Some(taken) = uops.iter().position(is_taken) else { return true };
    let (before, after) = uops.split_at(taken);
    let passes = |uop: &Uop| {
        let jumps = matches!(uop.op.kind(), Kind::Goto | Kind::GotoIfZero);
        !jumps || uop.imm as usize <= start + taken
    };
    let stays = |uop: &Uop| {
        let (jumps, leaves) = match uop.op.kind() {
            Kind::Goto | Kind::GotoIfZero => (true, false),
            Kind::Exit | Kind::ExitTo | Kind::ExitIf(_) | Kind::Unit => (false, true),
            Kind::Reserve | Kind::TakeReservation => (false, true),
            _ => (false, false),
        };
        !leaves && (!jumps || uop.imm as usize > start + taken)
    };
    before.iter().all(passes) && after[1..].iter().all(stays)
}

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
