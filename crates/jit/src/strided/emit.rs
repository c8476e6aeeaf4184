//! Code before the first trip of a loop, and between its trips.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::Accesses;
use super::accesses::Range;
use crate::builder::Builder;
use crate::granted::MOST_SITES;

/// The trips of a loop under construction.
pub struct Trips {
    /// The loop, and what need not be checked in it.
    pub member: usize,
    pub accesses: Accesses,
    /// Where a trip begins that is paid for.
    begin: Block,
    /// What is kept of the budget for after these trips.
    kept: Value,
}

impl Builder<'_, '_> {
    /// Goes on with the first trip of a loop, paid for, once it is known how many others need no checks; leaves if not even
    /// the first does. `None`, and nothing is done, if the member is not such a loop.
    pub fn begin_trips(&mut self, index: usize) -> Option<Trips> {
        if !self.region.layout.paged || !self.is_address() || self.loops[index].is_some() {
            return None;
        }
        let member = &self.region.members[index];
        let is_restless = |uop| self.sites.is_restless((member.pc, uop));
        let accesses = Accesses::of(member, self.bounds.of(index), is_restless)?;
        if self.sites.count() + accesses.ranges.len() > MOST_SITES {
            return None;
        }
        let mut others: Option<Value> = None;
        for range in &accesses.ranges {
            let room = self.other_trips(index, range);
            others = match (others, room) {
                (Some(least), Some(room)) => Some(self.ins.ins().umin(least, room)),
                (least, room) => least.or(room),
            };
        }
        let budget = self.ins.use_var(self.budget);
        let spend = others.map(|others| {
            let length = self.constant(member.block.decoded.len() as u64);
            let cost = self.ins.ins().imul(others, length);
            self.ins.ins().umin(cost, budget)
        });
        let spend = spend.unwrap_or(budget);
        let kept = self.ins.ins().isub(budget, spend);
        self.ins.def_var(self.budget, spend);
        let begin = self.ins.create_block();
        self.ins.ins().jump(begin, &[]);
        self.ins.switch_to_block(begin);
        Some(Trips { member: index, accesses, begin, kept })
    }

    /// How many trips after the first stay within a range that was granted; `None` if all do, wherever they lead.
    fn other_trips(&mut self, index: usize, range: &Range) -> Option<Value> {
        let number = self.sites.count();
        let size = range.high.abs_diff(range.low);
        self.sites.add(range.low as u64, size, range.access, (self.region.members[index].pc, range.uop));
        let [first, second] = range.registers.map(|register| self.get(register));
        let base = if range.registers[0] == 0 { second } else { self.ins.ins().iadd(first, second) };
        let granted = self.ins.create_block();
        let distance = self.ins.append_block_param(granted, types::I64);
        let span = self.ins.append_block_param(granted, types::I64);
        self.find_granted(base, number, granted, true);
        self.ask_for(base, number, index, 0);
        self.ins.seal_block(granted);
        self.ins.switch_to_block(granted);
        // A longer stride that is a power of two makes it fewer.
        let bits = u64::from(range.stride.unsigned_abs().next_power_of_two().ilog2());
        let room = match range.stride {
            0 => return None,
            1.. => {
                let left = self.ins.ins().isub(span, distance);
                let one = self.constant(1);
                self.ins.ins().isub(left, one)
            }
            _ => distance,
        };
        if bits == 0 {
            return Some(room);
        }
        let bits = self.constant(bits);
        Some(self.ins.ins().ushr(room, bits))
    }

    /// Goes on with the next trip, or enters the loop anew if it has to.
    pub fn next_trip(&mut self, trips: &Trips) {
        let before = self.ins.use_var(self.budget);
        let length = self.constant(self.region.members[trips.member].block.decoded.len() as u64);
        let after = self.ins.ins().isub(before, length);
        let zero = self.constant(0);
        let ends = self.ins.ins().icmp(IntCC::SignedLessThan, after, zero);
        let (anew, next) = self.fork(ends);
        self.ins.set_cold_block(anew);
        self.ins.switch_to_block(anew);
        // Computed again, so that only one of the two is kept.
        let before = self.ins.ins().iadd(after, length);
        self.ins.def_var(self.budget, before);
        self.end_trips(trips);
        self.ins.ins().jump(self.blocks[trips.member], &[]);
        self.ins.switch_to_block(next);
        self.ins.def_var(self.budget, after);
        self.ins.ins().jump(trips.begin, &[]);
    }

    /// Adds to the budget what was kept of it.
    pub fn end_trips(&mut self, trips: &Trips) {
        let budget = self.ins.use_var(self.budget);
        let budget = self.ins.ins().iadd(budget, trips.kept);
        self.ins.def_var(self.budget, budget);
    }
}
