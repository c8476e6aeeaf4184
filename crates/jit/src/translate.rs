//! Micro-operations of one instruction: control flow, effects, and what is left to the interpreter.

use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, Signature, Value, types};
use engine::uop::{FIRST_TEMP, Kind, Op, Uop};

use crate::builder::{Builder, Place};
use crate::frame::{Frame, status};
use crate::shape::{self, Registers};
use crate::unit;

impl Builder<'_, '_> {
    /// Compiles an instruction.
    pub fn instruction(&mut self, member: usize, instruction: usize) {
        let block = self.region.members[member].block;
        let range = shape::uops_of(block, instruction);
        let jumps =
            block.uops[range.clone()].iter().filter(|uop| matches!(uop.op, Op::Goto | Op::GotoIfZero));
        let mut targets: Vec<(usize, Block)> = Vec::new();
        for jump in jumps {
            let target = jump.imm as usize;
            if targets.iter().all(|&(known, _)| known != target) {
                targets.push((target, self.ins.create_block()));
            }
        }
        self.load_operands(member, range.clone(), targets.is_empty());
        if !targets.is_empty() {
            // Before ways part within it.
            self.store_columns();
        }
        let mut reachable = true;
        for index in range.clone() {
            if let Some(here) = landing(&targets, index) {
                if reachable {
                    self.ins.ins().jump(here, &[]);
                }
                self.ins.switch_to_block(here);
                reachable = true;
            }
            if !reachable {
                continue;
            }
            let uop = block.uops[index];
            let place = Place { member, start: range.start, uop: index, straight: targets.is_empty() };
            reachable = self.uop(uop, place, &targets);
        }
        if let Some(end) = landing(&targets, range.end) {
            if reachable {
                self.ins.ins().jump(end, &[]);
            }
            self.ins.switch_to_block(end);
            reachable = true;
        }
        if reachable && block.uops[range].iter().any(|uop| uop.op.kind() == Kind::TakeReservation) {
            self.end_reservation();
        }
        for (_, target) in targets {
            self.ins.seal_block(target);
        }
    }

    /// Puts what an instruction needs of registers into values before it, unless all of it is `straight` and sets them.
    fn load_operands(&mut self, member: usize, uops: Range<usize>, straight: bool) {
        let block = self.region.members[member].block;
        for uop in &block.uops[uops] {
            uop.reads().for_each(|slot| self.take_in(slot));
            if uop.op == Op::Unit {
                let (reads, _) = shape::unit_registers(shape::site(self.region, *uop));
                reads.iter().for_each(|register| self.take_in(register));
            }
            if !straight {
                uop.def().into_iter().for_each(|slot| self.take_in(slot));
            }
        }
    }

    /// Compiles one micro-operation; false if nothing executes after it.
    fn uop(&mut self, uop: Uop, place: Place, targets: &[(usize, Block)]) -> bool {
        match uop.op.kind() {
            Kind::Pure(op) => {
                let uop = self.arranged(uop, place);
                let (value, largest) = self.compute(uop, op, place.straight);
                self.assign(uop.dst, value, largest, place);
            }
            Kind::Load(load) => {
                let (value, largest) = self.load(uop, load, place);
                self.assign(uop.dst, value, largest, place);
            }
            Kind::Store(bits) => self.store(uop, bits, place),
            Kind::Unit => self.unit(uop, place),
            Kind::Reserve => self.reserve(uop),
            Kind::TakeReservation => {
                let reserved = self.is_reserved(uop);
                self.assign(uop.dst, reserved, 1, place);
            }
            Kind::Note => self.note(uop, place),
            Kind::Goto => {
                if let Some(target) = landing(targets, uop.imm as usize) {
                    self.ins.ins().jump(target, &[]);
                }
                return false;
            }
            Kind::GotoIfZero => {
                let (condition, through) = (self.get(uop.a), self.ins.create_block());
                if let Some(target) = landing(targets, uop.imm as usize) {
                    self.ins.ins().brif(condition, through, &[], target, &[]);
                }
                self.ins.seal_block(through);
                self.ins.switch_to_block(through);
            }
            Kind::ExitIf(comparison) => {
                self.store_columns();
                let (a, b) = (self.get(uop.a), self.get(uop.b));
                let (out, through) = if self.is_next_trip(uop.imm) {
                    // Cranelift puts what follows if a condition fails next to it.
                    let ends = self.compare_not(comparison, a, b);
                    let (through, out) = self.fork(ends);
                    (out, through)
                } else {
                    let taken = self.compare(comparison, a, b);
                    self.fork(taken)
                };
                self.ins.switch_to_block(out);
                self.go(uop.imm);
                self.ins.switch_to_block(through);
            }
            Kind::Exit => {
                self.go(uop.imm);
                return false;
            }
            Kind::ExitTo => {
                let target = self.get(uop.a);
                self.go_to(target, place.member);
                return false;
            }
            Kind::Csr => return self.csr(uop, place),
            // But for the first, `shape::compiled` ends before the instruction.
            Kind::Raise | Kind::Fetch(_) | Kind::Fence | Kind::Delegate => {
                self.resume(place.member, place.start, false);
                return false;
            }
        }
        true
    }

    /// A bitwise operation with its operands in the order that suits the host, whose instructions overwrite the first:
    /// a value that nobody needs afterwards saves a copy. A result that takes over another register than its own also ends
    /// what would be one long chain to the register allocator, as a state that is rotated again and again.
    fn arranged(&self, uop: Uop, place: Place) -> Uop {
        let continues = uop.op != Op::Or && uop.a == uop.dst;
        if continues || !matches!(uop.op, Op::And | Op::Or | Op::Xor) {
            return uop;
        }
        let following = &self.region.members[place.member].block.uops[place.uop + 1..];
        let ends = |slot: u16| slot == uop.dst || shape::is_overwritten(slot, following);
        if ends(uop.b) && (uop.a == uop.dst || !ends(uop.a)) {
            return Uop { a: uop.b, b: uop.a, ..uop };
        }
        uop
    }

    /// Sets a slot to a value that is at most `largest`.
    fn assign(&mut self, slot: u16, value: Value, largest: u64, place: Place) {
        match self.unseen.contains(&place.uop) {
            true => self.set_unseen(slot, value),
            false => self.set(slot, value),
        }
        if slot >= FIRST_TEMP {
            // Where paths meet in a slot, the last one compiled says nothing of the others.
            self.largest[usize::from(slot)] = if place.straight { largest } else { u64::MAX };
        }
    }

    /// Has an instruction carried out by its unit.
    fn unit(&mut self, uop: Uop, place: Place) {
        if !self.float(uop, place) && !self.vector(uop, place) {
            self.call_unit(uop, place);
        }
    }

    /// The same by a call.
    pub fn call_unit(&mut self, uop: Uop, place: Place) {
        self.call_body(uop, place, |builder| {
            let mut signature = Signature::new(builder.host_convention);
            signature.params = [types::I64, types::I32, types::I32].map(AbiParam::new).to_vec();
            signature.returns = vec![AbiParam::new(types::I64)];
            let signature = builder.ins.import_signature(signature);
            let instruction = builder.ins.ins().iconst(types::I32, i64::from(uop.instruction()));
            let word = builder.ins.ins().iconst(types::I32, i64::from(uop.word()));
            let execute = unit::execute as extern "C" fn(*mut Frame, u32, u32) -> u64 as usize;
            let callee = builder.constant(execute as u64);
            let call =
                builder.ins.ins().call_indirect(signature, callee, &[builder.frame, instruction, word]);
            builder.ins.inst_results(call)[0]
        });
    }

    /// Has `call`, which returns [`unit::DONE`] or why that is not so, execute an instruction.
    pub fn call_body(&mut self, uop: Uop, place: Place, call: impl FnOnce(&mut Self) -> Value) {
        self.clear_columns();
        let (read, written) = shape::unit_registers(shape::site(self.region, uop));
        let home = self.home();
        // What it writes, too: if it traps, that is what it was.
        for register in Registers(read.0 | written.0).iter() {
            self.store_home(register, home);
        }
        let outcome = call(self);
        let (rare, done) = self.fork(outcome);
        self.ins.set_cold_block(rare);
        self.ins.switch_to_block(rare);
        // What the unit wrote must not be overwritten on the way out.
        let home = self.home();
        for register in written.and(self.resident).iter() {
            self.load_home(register, home);
        }
        let expected = self.constant(unit::TOHOST);
        let is_tohost = self.ins.ins().icmp(IntCC::Equal, outcome, expected);
        let id = self.region.members[place.member].id;
        let tohost = self.constant(status(id, place.uop, true));
        let trapped = self.constant(status(id, place.start, false));
        let status = self.ins.ins().select(is_tohost, tohost, trapped);
        self.leave(place.member, status);
        self.ins.switch_to_block(done);
        let home = self.home();
        for register in written.and(self.resident).iter() {
            self.load_home(register, home);
        }
        self.loaded = self.loaded.without(written);
    }
}

/// Where a jump to a micro-operation of this instruction leads.
fn landing(targets: &[(usize, Block)], uop: usize) -> Option<Block> {
    targets.iter().find(|&&(target, _)| target == uop).map(|&(_, block)| block)
}
