//! Code before the first trip of a loop, and between its trips.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::accesses::Range;
use super::{Accesses, Followed};
use crate::builder::{Builder, Place, own};
use crate::frame;
use crate::granted::MOST_SITES;

/// The trips of a loop under construction.
pub struct Trips {
    /// The loop, and what need not be checked in it.
    pub member: usize,
    pub accesses: Accesses,
    /// Where a trip begins that is paid for.
    begin: Block,
}

impl Trips {
    /// If the loop has trips of their own that others follow, what is known of these, and where a trip begins.
    pub fn followed(&self) -> Option<(Followed, Block)> {
        Some((self.accesses.followed.clone()?, self.begin))
    }
}

impl Builder<'_, '_> {
    /// Goes on with the first trip of a loop, paid for, once it is known how many others need no checks; leaves if not even
    /// the first does. `None`, and nothing is done, if the member is not such a loop.
    pub fn begin_trips(&mut self, index: usize) -> Option<Trips> {
        let accesses = self.strided[index].take()?;
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
            let length = self.constant(self.region.members[index].block.decoded.len() as u64);
            let cost = self.ins.ins().imul(others, length);
            self.ins.ins().umin(cost, budget)
        });
        let spend = spend.unwrap_or(budget);
        let kept = self.ins.ins().isub(budget, spend);
        // It would take a register of the host's that trips are in want of.
        self.ins.ins().store(own(), kept, self.frame, frame::KEPT);
        self.may_spend(index, spend);
        self.ins.def_var(self.budget, spend);
        if self.region.members.len() == 1 {
            // Nothing has changed yet. Loaded here, values leave the host's registers to the checks above, and have them in
            // trips.
            let home = self.home();
            for register in self.used.and(self.resident).iter() {
                self.load_home(register, home);
            }
        }
        let begin = self.ins.create_block();
        self.ins.ins().jump(begin, &[]);
        self.ins.switch_to_block(begin);
        Some(Trips { member: index, accesses, begin })
    }

    /// How many trips after the first stay within a range that was granted; `None` if all do, wherever they lead.
    fn other_trips(&mut self, index: usize, range: &Range) -> Option<Value> {
        let place = Place { member: index, start: 0, uop: range.uops[0], straight: true };
        let number = self.sites.count();
        if number == MOST_SITES {
            self.begin_block(index);
            self.give_up(place);
            return None;
        }
        let size = range.high.abs_diff(range.low);
        let spot = (self.region.members[index].pc, range.uops[0]);
        self.sites.add(range.low as u64, size, range.access, spot);
        let [first, second] = range.registers.map(|register| self.get(register));
        let base = if range.registers[0] == 0 { second } else { self.ins.ins().iadd(first, second) };
        let granted = self.ins.create_block();
        let distance = self.ins.append_block_param(granted, types::I64);
        let span = self.ins.append_block_param(granted, types::I64);
        self.find_granted(base, number, granted, true);
        // The interpreter takes up a block that has begun: it is counted, and has its record.
        self.begin_block(index);
        self.ask_for(base, number, place);
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

    /// Goes on with the next trip, or leaves to enter the loop anew if it has to.
    pub fn next_trip(&mut self, trips: &Trips) {
        // Of a long loop whose followed trips have one of their own, this one cannot be paid for.
        if trips.accesses.followed.as_ref().is_none_or(|followed| followed.trips > 1) {
            let budget = self.ins.use_var(self.budget);
            let length = self.constant(self.region.members[trips.member].block.decoded.len() as u64);
            let after = self.ins.ins().isub(budget, length);
            let zero = self.constant(0);
            let pays = self.ins.ins().icmp(IntCC::SignedGreaterThanOrEqual, after, zero);
            // Cranelift puts what follows if a condition fails next to it, so that a trip ends with one branch.
            let (paid, spent) = self.fork(pays);
            self.ins.switch_to_block(paid);
            self.ins.def_var(self.budget, after);
            self.ins.ins().jump(trips.begin, &[]);
            self.ins.switch_to_block(spent);
            // Computed again, so that only one of the two is kept.
            let before = self.ins.ins().iadd(after, length);
            self.ins.def_var(self.budget, before);
        }
        self.end_trips(trips.member);
        let (next, budget) = (self.constant(0), self.ins.use_var(self.budget));
        self.leave_at(trips.member, next, budget, true);
    }

    /// The loop is constructed.
    pub fn close_trips(&mut self) {
        if let Some(trips) = self.trips.take() {
            // Before the block in front of it, so that what no trip changes has one value in both.
            self.ins.seal_block(trips.begin);
        }
    }

    /// Adds to the budget what was kept of it, and counts the trips.
    pub fn end_trips(&mut self, index: usize) {
        self.count_paid(index, 1);
        let budget = self.ins.use_var(self.budget);
        let kept = self.ins.ins().load(types::I64, own(), self.frame, frame::KEPT);
        let budget = self.ins.ins().iadd(budget, kept);
        self.ins.def_var(self.budget, budget);
    }
}
