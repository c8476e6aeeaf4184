//! The ways into a region, and what is checked there so that it need not be in its blocks.

use cranelift_codegen::ir::{Block, BlockCall, InstBuilder, JumpTableData, Value, types};

use crate::allowed::{Extent, KINDS};
use crate::builder::{Builder, Checked, Place};
use crate::shape::Registers;
use crate::sites::early;

impl Builder<'_, '_> {
    /// Goes to the member of this number.
    pub fn enter(&mut self, member: Value) {
        let members = 0..self.blocks.len();
        let ways: Vec<Block> = members.map(|index| self.way_in(index)).collect();
        let first = ways[0];
        if ways.len() == 1 {
            self.ins.ins().jump(first, &[]);
        } else {
            let other = self.ins.create_block();
            self.ins.ins().brif(member, other, &[], first, &[]);
            self.ins.seal_block(other);
            self.ins.switch_to_block(other);
            let pool = &mut self.ins.func.dfg.value_lists;
            let mut call = |block| BlockCall::new(block, [], pool);
            let way = |(index, &block)| call(if self.bounds.is_entry(index) { block } else { first });
            let calls: Vec<BlockCall> = ways.iter().enumerate().map(way).collect();
            let table = JumpTableData::new(call(first), &calls);
            let table = self.ins.create_jump_table(table);
            let member = self.ins.ins().ireduce(types::I32, member);
            self.ins.ins().br_table(member, table);
        }
        for (index, way) in ways.into_iter().enumerate() {
            if way != self.blocks[index] {
                self.ins.seal_block(way);
                self.ins.switch_to_block(way);
                self.check_on_entry(index);
            }
        }
    }

    /// Where the region is entered to get to a member.
    fn way_in(&mut self, index: usize) -> Block {
        let checks = self.allowed.checked(index).next().is_some();
        if checks { self.ins.create_block() } else { self.blocks[index] }
    }

    /// Goes on with a member if it may access what it and those after it will; leaves for the interpreter to execute it
    /// if not.
    fn check_on_entry(&mut self, index: usize) {
        self.loaded = Registers::default();
        // The interpreter executes all of it, so that the budget has to suffice.
        let before = self.ins.use_var(self.budget);
        let paid = self.pay(index);
        let (next, budget) = (self.constant(0), self.ins.use_var(self.budget));
        self.leave_at(index, next, budget, false);
        self.ins.switch_to_block(paid);
        self.entering = true;
        let checks: Vec<(u16, usize, Extent)> = self.allowed.checked(index).collect();
        for (register, kind, Extent { low, high }) in checks {
            let place = Place { member: index, start: 0, uop: early(register.into(), kind), straight: true };
            let base = self.get(register);
            self.check_range(base, low, high.abs_diff(low), KINDS[kind], place);
        }
        self.entering = false;
        self.ins.def_var(self.budget, before);
        let begin = self.blocks[index];
        self.ins.ins().jump(begin, &[]);
    }

    /// What may be accessed without a check where a member begins.
    pub fn begin_allowed(&mut self, index: usize) {
        let allowed: Vec<(u16, usize, Extent)> = self.allowed.at(index).collect();
        for (register, kind, Extent { low, high }) in allowed {
            let value = self.get(register);
            let (base, added) = self.sums[value].unwrap_or((value, 0));
            let (Some(low), Some(high)) = (low.checked_add(added), high.checked_add(added)) else { continue };
            let host = self.host_range(base, low, high.abs_diff(low));
            self.checked.push(Checked { base, stores: kind == 1, low, high, host });
        }
    }
}
