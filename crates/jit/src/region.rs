//! One region as a Cranelift function: entry, blocks, exits.

use std::collections::HashMap;

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, Function, InstBuilder, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use engine::tier::Region;
use engine::uop::SLOTS;

use crate::allowed::Allowed;
use crate::bounds::AtBlocks;
use crate::builder::{Builder, FloatStatus, Out, own};
use crate::changed::{self, Changed};
use crate::frame::{self, JUMPS, region_signature};
use crate::functions::Functions;
use crate::homes;
use crate::late;
use crate::narrow::narrow;
use crate::returns::Returns;
use crate::shape::{self, Registers};
use crate::sink::sink;
use crate::sites::Sites;
use crate::strided;
use crate::superword::{self, Loop};
use crate::tables::Elements;
use crate::unseen::unseen;
use crate::vector;

/// Most blocks of a region that each have a way out.
const MOST_SEPARATE: usize = 16;

/// What regions have in common.
pub struct Shared<'a> {
    pub tables: &'a mut HashMap<u64, Elements>,
    pub sites: &'a mut Sites,
    pub wide: Functions<'a>,
    /// A counter of executions, if there are any; others are near.
    pub counters: u64,
    /// Whether each block has a way out of its own, if they are few. Values then need not be where other blocks want them on
    /// a way that is hardly ever taken.
    pub separates: bool,
}

/// Builds the function of a region.
pub fn build<'a>(
    region: &'a Region<'a>,
    bounds: &'a AtBlocks,
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    shared: Shared<'a>,
    config: TargetFrontendConfig,
) {
    let mut ins = FunctionBuilder::new(function, context);
    let entry = ins.create_block();
    ins.append_block_params_for_function_params(entry);
    ins.switch_to_block(entry);
    ins.seal_block(entry);
    let [home_frame, budget_in, member_in] = *ins.block_params(entry) else { return };
    let bytes = ins.ins().load(types::I64, own().with_readonly(), home_frame, frame::BYTES);
    let all = region.members.iter().flat_map(|member| &member.block.uops);
    let (used, written) = shape::registers(region, all);
    let blocks = region.members.iter().map(|_| ins.create_block()).collect();
    let loops = region.members.iter().map(|member| {
        let of = Loop::of(member);
        of.map(|of| (of, ins.create_block()))
    });
    let loops: Vec<_> = loops.collect();
    let leave_for = ins.create_block();
    ins.append_block_param(leave_for, types::I64);
    let separates = shared.separates && region.members.len() <= MOST_SEPARATE;
    let is_loop = |index: usize| loops[index].is_some();
    let strided = strided::of_region(region, bounds, shared.sites, is_loop);
    let returns = Returns::of(region);
    let allowed = Allowed::new(region, &returns, bounds, shared.sites, is_loop, |index, uop| {
        strided[index].as_ref().is_some_and(|accesses| accesses.has(uop))
    });
    let resident = homes::resident(region, |index| is_loop(index) || strided[index].is_some());
    let changed = match separates {
        true => changed::by_blocks(region, &returns, |index| strided[index].is_some()),
        false => vec![Changed { before: written, after: written }],
    };
    let leave_with = changed.into_iter().map(|changed| Out { changed, blocks: [None; 2] }).collect();
    let budget = ins.declare_var(types::I64);
    ins.def_var(budget, budget_in);
    let records = ins.declare_var(types::I64);
    if region.timed {
        let begin = ins.ins().load(types::I64, own(), home_frame, frame::RECORDS);
        ins.def_var(records, begin);
    }
    let has_trips = strided.iter().any(Option::is_some);
    let followed = strided.iter().flatten().filter_map(|accesses| accesses.followed.as_ref());
    let has_long = followed.into_iter().any(|followed| followed.trips == 1);
    let mut builder = Builder {
        region,
        bounds,
        returns,
        allowed,
        entering: false,
        ins,
        tables: shared.tables,
        rv32: region.program.isa().xlen() == isa::Xlen::Rv32,
        host_convention: config.default_call_conv,
        frame: home_frame,
        bytes,
        sites: shared.sites,
        wide: shared.wide,
        counters: shared.counters,
        variables: vec![None; SLOTS],
        used,
        resident,
        loaded: Registers::default(),
        homes: None,
        written,
        budget,
        records,
        record: home_frame,
        blocks,
        loops,
        trips: None,
        leave_for,
        leave_with,
        strided,
        checked: Vec::new(),
        ahead: Vec::new(),
        unseen: Vec::new(),
        largest: vec![u64::MAX; SLOTS],
        known: SecondaryMap::new(),
        float_status: FloatStatus::default(),
        vector: vector::State::new(region),
        sums: SecondaryMap::new(),
        bounded: SecondaryMap::new(),
        indexed: SecondaryMap::new(),
    };
    let home = builder.home();
    builder.homes = (used.without(resident) != Registers::default()).then_some(home);
    for register in used.and(resident).iter() {
        builder.load_home(register, home);
    }
    builder.enter(member_in);
    for index in 0..region.members.len() {
        builder.member(index);
    }
    builder.leave_blocks();
    builder.ins.seal_all_blocks();
    builder.ins.finalize(config);
    if has_long {
        narrow(function);
    }
    if has_trips {
        sink(function);
    }
}

impl Builder<'_, '_> {
    fn member(&mut self, index: usize) {
        let member = &self.region.members[index];
        let block = member.block;
        self.ins.switch_to_block(self.blocks[index]);
        self.loaded = Registers::default();
        self.vector.forget();
        let paid = self.pay(index);
        let (next, budget) = (self.constant(0), self.ins.use_var(self.budget));
        self.leave_at(index, next, budget, false);
        self.ins.switch_to_block(paid);
        self.trips = self.begin_trips(index);
        self.begin_knowing(index);
        self.begin_block(index);
        if let Some((of, begin)) = self.loops[index].take() {
            self.ins.ins().jump(begin, &[]);
            self.ins.switch_to_block(begin);
            self.loop_of_pairs(index, &of);
            self.loops[index] = Some((of, begin));
            return;
        }
        let inner = (0..self.loops.len()).find_map(|other| {
            let begin = self.loops[other].as_ref().filter(|_| self.trips.is_none())?.1;
            Some((superword::before(block, self.region.members[other].block)?, begin))
        });
        if let Some((before, begin)) = inner {
            for instruction in 0..before {
                self.instruction(index, instruction);
            }
            self.store_columns();
            self.ins.ins().jump(begin, &[]);
            return;
        }
        self.followed_trip(index);
        self.check_ahead(index);
        let compiled = shape::compiled(block);
        let order = self.order(index, compiled);
        self.unseen = unseen(block, &order, |uop| self.never_leaves(uop));
        self.vector.look_ahead(self.region, index, &order);
        self.instructions(index, &order);
        self.close_trips();
    }

    /// The instructions of a block in the order to compile them in.
    pub fn order(&self, index: usize, compiled: usize) -> Vec<usize> {
        if self.region.timed {
            return (0..compiled).collect();
        }
        late::order(self.region.members[index].block, compiled, |uop| self.never_leaves(uop))
    }

    /// True if an access of the block under construction was checked before it, or before the loop.
    fn never_leaves(&self, uop: usize) -> bool {
        self.ahead.contains(&uop) || self.trips.as_ref().is_some_and(|trips| trips.accesses.has(uop))
    }

    /// Pays for a block: returns where to go on if the budget suffices. What is compiled next is executed if it does not.
    pub fn pay(&mut self, index: usize) -> Block {
        let before = self.ins.use_var(self.budget);
        let length = self.constant(self.region.members[index].block.decoded.len() as u64);
        let after = self.ins.ins().isub(before, length);
        let zero = self.constant(0);
        let short = self.ins.ins().icmp(IntCC::SignedLessThan, after, zero);
        let (spent, paid) = self.fork(short);
        self.ins.set_cold_block(spent);
        self.ins.switch_to_block(paid);
        self.ins.def_var(self.budget, after);
        self.ins.switch_to_block(spent);
        // Computed again, so that only one of the two is kept.
        let before = self.ins.ins().iadd(after, length);
        self.ins.def_var(self.budget, before);
        paid
    }

    /// True if a block reads a register.
    fn reads_register(&self, index: usize, register: u16) -> bool {
        self.region.members[index].block.uops.iter().any(|uop| uop.reads().any(|read| read == register))
    }

    /// What is known where a block begins.
    fn begin_knowing(&mut self, index: usize) {
        self.checked.clear();
        self.ahead.clear();
        self.unseen.clear();
        self.vector.begin(index);
        self.float_status = FloatStatus::default();
        for (register, &most) in self.bounds.of(index).iter().enumerate().skip(1) {
            if most != u64::MAX
                && (self.resident.has(register as u16) || self.reads_register(index, register as u16))
            {
                let value = self.get(register as u16);
                self.note_bound(value, most);
            }
        }
        self.begin_allowed(index);
    }

    /// The ways out: every register that may have changed goes back to its home.
    fn leave_blocks(&mut self) {
        self.ins.switch_to_block(self.leave_for);
        self.store_changed(self.written);
        let pc = self.ins.block_params(self.leave_for)[0];
        let budget = self.ins.use_var(self.budget);
        let table = self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::JUMP_TABLE);
        // (pc >> 1) % JUMPS, in entries of sixteen bytes.
        let (three, mask) = (self.constant(3), self.constant((JUMPS as u64 - 1) << 4));
        let offset = self.ins.ins().ishl(pc, three);
        let offset = self.ins.ins().band(offset, mask);
        let jump = self.ins.ins().iadd(table, offset);
        let tag = self.ins.ins().load(types::I64, own(), jump, 0);
        let hit = self.ins.ins().icmp(IntCC::Equal, tag, pc);
        let (chain, miss) = self.fork(hit);
        self.ins.switch_to_block(chain);
        let way = self.ins.ins().load(types::I64, own(), jump, 8);
        let bits = self.constant(frame::MEMBER.into());
        let member = self.ins.ins().ushr(way, bits);
        let mask = self.constant((1 << frame::MEMBER) - 1);
        let code = self.ins.ins().band(way, mask);
        let signature = self.ins.import_signature(region_signature());
        self.ins.ins().return_call_indirect(signature, code, &[self.frame, budget, member]);
        self.ins.switch_to_block(miss);
        let next = self.constant(0);
        self.give_back(next, pc, budget);

        for Out { changed, blocks } in std::mem::take(&mut self.leave_with) {
            for (leave, changed) in blocks.into_iter().zip([changed.before, changed.after]) {
                let Some(leave) = leave else { continue };
                self.ins.switch_to_block(leave);
                self.ins.set_cold_block(leave);
                let [status, pc, budget] = *self.ins.block_params(leave) else { continue };
                self.store_changed(changed);
                self.give_back(status, pc, budget);
            }
        }
    }

    /// What outlives the region goes where it is kept.
    fn store_changed(&mut self, registers: Registers) {
        if self.region.timed {
            let records = self.ins.use_var(self.records);
            self.ins.ins().store(own(), records, self.frame, frame::RECORDS);
        }
        let home = self.home();
        for register in registers.and(self.resident).iter() {
            self.store_home(register, home);
        }
    }

    fn give_back(&mut self, status: Value, pc: Value, budget: Value) {
        self.ins.ins().store(own(), pc, self.frame, frame::PC);
        self.ins.ins().store(own(), budget, self.frame, frame::BUDGET);
        self.ins.ins().return_(&[status]);
    }
}
