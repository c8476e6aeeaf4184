//! Micro-operations of one instruction: control flow, effects, and what is left to the interpreter.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, Signature, Value, types};
use hart::uop::{FIRST_TEMP, Op, Uop};

use crate::builder::{Builder, Place};
use crate::frame::{Frame, status};
use crate::operation;
use crate::shape::{self, Registers};

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
        let land = |uop: usize| targets.iter().find(|&&(target, _)| target == uop).map(|&(_, block)| block);
        let mut reachable = true;
        for index in range.clone() {
            if let Some(here) = land(index) {
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
            match uop.op {
                Op::Goto => {
                    if let Some(target) = land(uop.imm as usize) {
                        self.ins.ins().jump(target, &[]);
                    }
                    reachable = false;
                }
                Op::GotoIfZero => {
                    let (condition, through) = (self.get(uop.a), self.ins.create_block());
                    if let Some(target) = land(uop.imm as usize) {
                        self.ins.ins().brif(condition, through, &[], target, &[]);
                    }
                    self.ins.seal_block(through);
                    self.ins.switch_to_block(through);
                }
                _ => reachable = self.uop(uop, place),
            }
        }
        if let Some(behind) = land(range.end) {
            if reachable {
                self.ins.ins().jump(behind, &[]);
            }
            self.ins.switch_to_block(behind);
        }
        for (_, target) in targets {
            self.ins.seal_block(target);
        }
    }

    /// Compiles one micro-operation; false if nothing executes behind it.
    fn uop(&mut self, uop: Uop, place: Place) -> bool {
        match uop.op {
            Op::Raise => self.resume(place.member, place.start, false),
            Op::Exit => self.go(uop.imm),
            Op::ExitTo => {
                let target = self.get(uop.a);
                self.go_to(target);
            }
            Op::Unit => {
                self.unit(uop, place);
                return true;
            }
            op if shape::is_load(op) => {
                let value = self.load(uop, place);
                self.assign(uop.dst, value, loaded_at_most(op), place);
                return true;
            }
            op if shape::is_store(op) => {
                self.store(uop, place);
                return true;
            }
            _ => {
                if let Some((condition, a, b)) = self.exit_condition(uop) {
                    let taken = self.ins.ins().icmp(condition, a, b);
                    let (out, through) = self.fork(taken);
                    self.ins.switch_to_block(out);
                    self.go(uop.imm);
                    self.ins.switch_to_block(through);
                } else {
                    let (value, largest) = self.compute(uop);
                    self.assign(uop.dst, value, largest, place);
                }
                return true;
            }
        }
        false
    }

    /// Sets a slot to a value that is at most `largest`.
    fn assign(&mut self, slot: u16, value: Value, largest: u64, place: Place) {
        self.set(slot, value);
        if slot >= FIRST_TEMP {
            // Where paths meet in a slot, the last one compiled says nothing of the others.
            self.largest[usize::from(slot)] = if place.straight { largest } else { u64::MAX };
        }
    }

    fn exit_condition(&mut self, uop: Uop) -> Option<(IntCC, Value, Value)> {
        let condition = match uop.op {
            Op::ExitIfNonzero => {
                let (a, zero) = (self.get(uop.a), self.constant(0));
                return Some((IntCC::NotEqual, a, zero));
            }
            Op::ExitIfEq => IntCC::Equal,
            Op::ExitIfNe => IntCC::NotEqual,
            Op::ExitIfLtu => IntCC::UnsignedLessThan,
            Op::ExitIfGeu => IntCC::UnsignedGreaterThanOrEqual,
            Op::ExitIfLts64 | Op::ExitIfLts32 => IntCC::SignedLessThan,
            Op::ExitIfGes64 | Op::ExitIfGes32 => IntCC::SignedGreaterThanOrEqual,
            _ => return None,
        };
        let (mut a, mut b) = (self.get(uop.a), self.get(uop.b));
        if matches!(uop.op, Op::ExitIfLts32 | Op::ExitIfGes32) {
            (a, b) = (self.narrow(a), self.narrow(b));
        }
        Some((condition, a, b))
    }

    /// Has an instruction carried out by its unit.
    fn unit(&mut self, uop: Uop, place: Place) {
        if self.vector(uop, place) {
            return;
        }
        self.clear_vector_cache();
        let word = uop.imm as u32;
        let (read, written) = shape::unit_registers(shape::site(self.region, uop));
        // What it writes, too: if it traps, that is what it was.
        for register in Registers(read.0 | written.0).iter() {
            self.store_home(register);
        }
        let mut signature = Signature::new(self.host_convention);
        signature.params = [types::I64, types::I32, types::I32].map(AbiParam::new).to_vec();
        signature.returns = vec![AbiParam::new(types::I64)];
        let signature = self.ins.import_signature(signature);
        let instruction = self.ins.ins().iconst(types::I32, i64::from(uop.dst));
        let word_value = self.ins.ins().iconst(types::I32, i64::from(word));
        let unit = operation::unit as extern "C" fn(*mut Frame, u32, u32) -> u64 as usize;
        let callee = self.constant(unit as u64);
        let call = self.ins.ins().call_indirect(signature, callee, &[self.frame, instruction, word_value]);
        let outcome = self.ins.inst_results(call)[0];
        let (rare, done) = self.fork(outcome);
        self.ins.set_cold_block(rare);
        self.ins.switch_to_block(rare);
        // What the unit wrote must not be overwritten on the way out.
        for register in written.iter() {
            self.load_home(register);
        }
        let expected = self.constant(operation::TOHOST);
        let is_tohost = self.ins.ins().icmp(IntCC::Equal, outcome, expected);
        let id = self.region.members[place.member].id;
        let tohost = self.constant(status(id, place.uop, true));
        let trapped = self.constant(status(id, place.start, false));
        let status = self.ins.ins().select(is_tohost, tohost, trapped);
        self.leave(place.member, status);
        self.ins.switch_to_block(done);
        for register in written.iter() {
            self.load_home(register);
        }
    }
}

/// Largest value that a load gives.
const fn loaded_at_most(op: Op) -> u64 {
    match op {
        Op::Load8 => 0xff,
        Op::Load16 => 0xffff,
        Op::Load32 | Op::Load8S32 | Op::Load16S32 => 0xffff_ffff,
        _ => u64::MAX,
    }
}
