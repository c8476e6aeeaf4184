//! One region as a Cranelift function: entry, blocks, exits.

use std::collections::HashMap;

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, BlockArg, BlockCall, Function, InstBuilder, JumpTableData, MemFlagsData, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use hart::tier::{Region, return_address};
use hart::uop::{FIRST_TEMP, SLOTS};

use crate::access::Checked;
use crate::code::{Elements, region_signature, status};
use crate::frame::{self, JUMPS};
use crate::known::Known;
use crate::shape::{self, Registers};
use crate::vector;

/// Most return addresses that a computed jump is compared with.
const RETURNS: usize = 4;

/// A region under construction.
pub struct Builder<'a, 'f> {
    pub region: &'a Region<'a>,
    pub ins: FunctionBuilder<'f>,
    pub tables: &'a mut HashMap<u64, Elements>,
    pub rv32: bool,
    /// Calling convention of the host's functions.
    pub host_convention: CallConv,
    pub frame: Value,
    /// Where the integer registers are kept outside compiled code.
    pub home: Value,
    /// Host address of guest memory.
    pub bytes: Value,
    /// Host address of a process's rights.
    pub rights: Value,
    variables: Vec<Option<Variable>>,
    /// Registers that compiled code writes.
    pub written: Registers,
    /// Instructions that may still be executed.
    budget: Variable,
    /// The region's blocks.
    blocks: Vec<Block>,
    /// Leaves for the address in its parameter, through the table of computed jumps.
    leave_for: Block,
    /// Leaves with a status, program counter and budget.
    leave_with: Block,
    /// Accesses already checked in the block under construction.
    pub checked: Vec<Checked>,
    /// Largest value of a slot within an instruction.
    pub largest: Vec<u64>,
    /// What is known of values.
    pub known: SecondaryMap<Value, Known>,
    /// What is known of the vector unit.
    pub vector: vector::State,
    /// Of addresses: a value and what was added to it, as far as an address has bits.
    pub sums: SecondaryMap<Value, Option<(Value, i64)>>,
    /// Values that are small: at most this.
    pub bounded: SecondaryMap<Value, Option<u64>>,
    /// Of addresses: a value, and the most that was added to it.
    pub indexed: SecondaryMap<Value, Option<(Value, u64)>>,
}

/// Flags of accesses to the frame and the registers' home.
pub fn own() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Builds the function of a region.
pub fn build<'a>(
    region: &'a Region<'a>,
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    tables: &'a mut HashMap<u64, Elements>,
    config: TargetFrontendConfig,
) {
    let mut ins = FunctionBuilder::new(function, context);
    let entry = ins.create_block();
    ins.append_block_params_for_function_params(entry);
    ins.switch_to_block(entry);
    ins.seal_block(entry);
    let [home_frame, home, budget_in, way_in] = *ins.block_params(entry) else { return };
    let bytes = ins.ins().load(types::I64, own().with_readonly(), home_frame, frame::BYTES);
    let rights = ins.ins().load(types::I64, own().with_readonly(), home_frame, frame::RIGHTS);
    let (used, written) = shape::registers(region);
    let blocks = region.parts.iter().map(|_| ins.create_block()).collect();
    let (leave_for, leave_with) = (ins.create_block(), ins.create_block());
    ins.append_block_param(leave_for, types::I64);
    for _ in 0..3 {
        ins.append_block_param(leave_with, types::I64);
    }
    let budget = ins.declare_var(types::I64);
    ins.def_var(budget, budget_in);
    let mut builder = Builder {
        region,
        ins,
        tables,
        rv32: region.program.isa().xlen() == isa::Xlen::Rv32,
        host_convention: config.default_call_conv,
        frame: home_frame,
        home,
        bytes,
        rights,
        variables: vec![None; SLOTS],
        written,
        budget,
        blocks,
        leave_for,
        leave_with,
        checked: Vec::new(),
        largest: vec![u64::MAX; SLOTS],
        known: SecondaryMap::new(),
        vector: vector::State::new(region),
        sums: SecondaryMap::new(),
        bounded: SecondaryMap::new(),
        indexed: SecondaryMap::new(),
    };
    for register in used.iter() {
        builder.load_home(register);
    }
    builder.enter(way_in);
    for index in 0..region.parts.len() {
        builder.part(index);
    }
    builder.leave_blocks();
    builder.ins.seal_all_blocks();
    builder.ins.finalize(config);
}

impl Builder<'_, '_> {
    fn variable(&mut self, slot: u16) -> Variable {
        let entry = &mut self.variables[usize::from(slot) % SLOTS];
        *entry.get_or_insert_with(|| self.ins.declare_var(types::I64))
    }

    /// The value in a slot.
    pub fn get(&mut self, slot: u16) -> Value {
        if slot == 0 {
            return self.constant(0);
        }
        let variable = self.variable(slot);
        self.ins.use_var(variable)
    }

    /// Sets a slot.
    pub fn set(&mut self, slot: u16, value: Value) {
        if slot != 0 {
            let variable = self.variable(slot);
            self.ins.def_var(variable, value);
        }
    }

    /// A constant.
    pub fn constant(&mut self, value: u64) -> Value {
        let constant = self.ins.ins().iconst(types::I64, value as i64);
        self.known[constant] = Known::Constant(value);
        constant
    }

    /// Where to go on if a condition holds, and if not.
    pub fn fork(&mut self, condition: Value) -> (Block, Block) {
        let (holds, fails) = (self.ins.create_block(), self.ins.create_block());
        self.ins.ins().brif(condition, holds, &[], fails, &[]);
        // At once, so that values keep their names in them.
        self.ins.seal_block(holds);
        self.ins.seal_block(fails);
        (holds, fails)
    }

    /// Takes a register over from its home.
    pub fn load_home(&mut self, register: u16) {
        let value = self.ins.ins().load(types::I64, own(), self.home, i32::from(register) * 8);
        self.set(register, value);
    }

    /// Puts a register back.
    pub fn store_home(&mut self, register: u16) {
        if self.written.has(register) {
            let value = self.get(register);
            self.ins.ins().store(own(), value, self.home, i32::from(register) * 8);
        }
    }

    /// Goes to the part of this number.
    fn enter(&mut self, part: Value) {
        let first = self.blocks[0];
        if self.blocks.len() == 1 {
            self.ins.ins().jump(first, &[]);
            return;
        }
        let other = self.ins.create_block();
        self.ins.ins().brif(part, other, &[], first, &[]);
        self.ins.seal_block(other);
        self.ins.switch_to_block(other);
        let pool = &mut self.ins.func.dfg.value_lists;
        let mut call = |block| BlockCall::new(block, [], pool);
        let calls: Vec<BlockCall> = self.blocks.iter().map(|&block| call(block)).collect();
        let table = JumpTableData::new(call(first), &calls);
        let table = self.ins.create_jump_table(table);
        let part = self.ins.ins().ireduce(types::I32, part);
        self.ins.ins().br_table(part, table);
    }

    fn part(&mut self, index: usize) {
        let part = &self.region.parts[index];
        let block = part.block;
        let length = block.placed.len() as u64;
        self.ins.switch_to_block(self.blocks[index]);
        self.checked.clear();
        self.vector.begin(index);
        let before = self.ins.use_var(self.budget);
        let length_value = self.constant(length);
        let after = self.ins.ins().isub(before, length_value);
        let zero = self.constant(0);
        let short = self.ins.ins().icmp(IntCC::SignedLessThan, after, zero);
        let (spent, body) = self.fork(short);
        self.ins.set_cold_block(spent);
        self.ins.switch_to_block(spent);
        let (next, pc) = (self.constant(0), self.constant(part.pc));
        let leave = [BlockArg::Value(next), BlockArg::Value(pc), BlockArg::Value(before)];
        self.ins.ins().jump(self.leave_with, &leave);
        self.ins.switch_to_block(body);
        self.ins.def_var(self.budget, after);
        if let Some(executions) = part.executions {
            let counter = self.constant(executions.as_ptr() as u64);
            let count = self.ins.ins().load(types::I64, own(), counter, 0);
            let one = self.constant(1);
            let count = self.ins.ins().iadd(count, one);
            self.ins.ins().store(own(), count, counter, 0);
        }
        let compiled = shape::compiled(block);
        for instruction in 0..compiled {
            self.instruction(index, instruction);
        }
        if compiled < block.placed.len() {
            self.resume(index, shape::uops_of(block, compiled).start, false);
        }
    }

    /// Leaves for the interpreter to take this block up at a micro-operation.
    pub fn resume(&mut self, part: usize, uop: usize, host: bool) {
        let status = self.constant(status(self.region.parts[part].id, uop, host));
        self.leave(part, status);
    }

    /// Leaves from within a block, none of which counts as retired, with a status.
    pub fn leave(&mut self, part: usize, status: Value) {
        let part = &self.region.parts[part];
        let budget = self.ins.use_var(self.budget);
        let length = self.constant(part.block.placed.len() as u64);
        let budget = self.ins.ins().iadd(budget, length);
        let pc = self.constant(part.pc);
        let leave = [BlockArg::Value(status), BlockArg::Value(pc), BlockArg::Value(budget)];
        self.ins.ins().jump(self.leave_with, &leave);
    }

    /// Goes on at a known address.
    pub fn go(&mut self, pc: u64) {
        match self.region.parts.iter().position(|part| part.pc == pc) {
            Some(part) => {
                self.ins.ins().jump(self.blocks[part], &[]);
            }
            None => {
                let pc = self.constant(pc);
                self.ins.ins().jump(self.leave_for, &[BlockArg::Value(pc)]);
            }
        }
    }

    /// Goes on at a computed address: behind a call of this region, or elsewhere.
    pub fn go_to(&mut self, pc: Value) {
        let behind: Vec<u64> =
            self.region.parts.iter().filter_map(|part| return_address(part.block)).collect();
        let mut compared = 0;
        for index in 0..self.region.parts.len() {
            let target = self.region.parts[index].pc;
            if !behind.contains(&target) || compared == RETURNS {
                continue;
            }
            compared += 1;
            let known = self.constant(target);
            let hit = self.ins.ins().icmp(IntCC::Equal, pc, known);
            let miss = self.ins.create_block();
            self.ins.ins().brif(hit, self.blocks[index], &[], miss, &[]);
            self.ins.seal_block(miss);
            self.ins.switch_to_block(miss);
        }
        self.ins.ins().jump(self.leave_for, &[BlockArg::Value(pc)]);
    }

    /// The ways out: every register that may have changed goes back to its home.
    fn leave_blocks(&mut self) {
        self.ins.switch_to_block(self.leave_for);
        self.store_written();
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
        let bits = self.constant(frame::PART.into());
        let part = self.ins.ins().ushr(way, bits);
        let mask = self.constant((1 << frame::PART) - 1);
        let code = self.ins.ins().band(way, mask);
        let signature = self.ins.import_signature(region_signature());
        self.ins.ins().return_call_indirect(signature, code, &[self.frame, self.home, budget, part]);
        self.ins.switch_to_block(miss);
        let next = self.constant(0);
        self.give_back(next, pc, budget);

        self.ins.switch_to_block(self.leave_with);
        self.ins.set_cold_block(self.leave_with);
        let parameters = self.ins.block_params(self.leave_with).to_vec();
        self.store_written();
        let [status, pc, budget] = parameters[..] else { return };
        self.give_back(status, pc, budget);
    }

    fn store_written(&mut self) {
        for register in self.written.iter() {
            self.store_home(register);
        }
    }

    fn give_back(&mut self, status: Value, pc: Value, budget: Value) {
        self.ins.ins().store(own(), pc, self.frame, frame::PC);
        self.ins.ins().store(own(), budget, self.frame, frame::BUDGET);
        self.ins.ins().return_(&[status]);
    }

    /// True if a slot is a register.
    pub const fn is_register(slot: u16) -> bool {
        slot < FIRST_TEMP
    }
}
