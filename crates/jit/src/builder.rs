//! A region under construction: slots, what is known of values, and the ways on and out. What is compiled stands in
//! the files of its own kind.

use std::collections::HashMap;

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use engine::tier::Region;
use engine::uop::{FIRST_TEMP, SLOTS};

use crate::allowed::Allowed;
use crate::bounds::AtBlocks;
use crate::changed::Changed;
use crate::frame::{self, status};
use crate::functions::Functions;
use crate::known::Ring;
use crate::returns::Returns;
use crate::shape::Registers;
use crate::sites::Sites;
use crate::strided::{Accesses, Trips};
use crate::superword::Loop;
use crate::tables::Elements;
use crate::vector;

/// Most return addresses that a computed jump is compared with.
const RETURNS: usize = 4;

/// A region under construction.
pub struct Builder<'a, 'f> {
    pub region: &'a Region<'a>,
    /// What is known where its blocks begin.
    pub bounds: &'a AtBlocks,
    /// Where their computed jumps lead.
    pub returns: Returns,
    /// What may be accessed where they begin.
    pub allowed: Allowed,
    /// True while a way into the region is under construction: the block that it leads to has not begun.
    pub entering: bool,
    pub ins: FunctionBuilder<'f>,
    pub tables: &'a mut HashMap<u64, Elements>,
    /// Places that access memory of a process, those of earlier regions included.
    pub sites: &'a mut Sites,
    /// Functions for vector registers.
    pub wide: Functions<'a>,
    /// What addresses of counters are relative to.
    pub counters: u64,
    pub rv32: bool,
    /// Calling convention of the host's functions.
    pub host_convention: CallConv,
    pub frame: Value,
    /// Host address of guest memory.
    pub bytes: Value,
    /// What slots are to Cranelift.
    pub variables: Vec<Option<Variable>>,
    /// Registers that compiled code reads or writes.
    pub used: Registers,
    /// Those that stay in values of the host's from the region's beginning to its end; others are in their homes between
    /// blocks, and whatever changes them changes these.
    pub resident: Registers,
    /// Of the others, those that the block under construction has in values.
    pub loaded: Registers,
    /// Where their homes are, if there are any.
    pub homes: Option<Value>,
    /// Those that it writes.
    pub written: Registers,
    /// Instructions that may still be executed.
    pub budget: Variable,
    /// Of a timed run, where the next record begins.
    pub records: Variable,
    /// And where that of the block under construction began.
    pub record: Value,
    /// The region's blocks.
    pub blocks: Vec<Block>,
    /// Loops among them whose values are computed in pairs, and where these begin once a trip is paid for.
    pub loops: Vec<Option<(Loop, Block)>>,
    /// The loop under construction, if its accesses are checked before it.
    pub trips: Option<Trips>,
    /// Leaves for the address in its parameter, through the table of computed jumps.
    pub leave_for: Block,
    /// The way out of all blocks, or one for each.
    pub leave_with: Vec<Out>,
    /// Of blocks that are loops, accesses that are checked before their first trips.
    pub strided: Vec<Option<Accesses>>,
    /// Accesses already checked in the block under construction.
    pub checked: Vec<Checked>,
    /// Micro-operations of that block whose accesses were checked where it begins.
    pub ahead: Vec<usize>,
    /// Those that give values of registers which need not go to these registers' homes.
    pub unseen: Vec<usize>,
    /// Largest value of a slot within an instruction.
    pub largest: Vec<u64>,
    /// What is known of values.
    pub known: SecondaryMap<Value, Known>,
    /// What is known of the floating-point unit.
    pub float_status: FloatStatus,
    /// What is known of the vector unit.
    pub vector: vector::State,
    /// Of addresses: a value and what was added to it, as far as an address has bits.
    pub sums: SecondaryMap<Value, Option<(Value, i64)>>,
    /// Values that are small: at most this.
    pub bounded: SecondaryMap<Value, Option<u64>>,
    /// Of addresses: a value, and the most that was added to it.
    pub indexed: SecondaryMap<Value, Option<(Value, u64)>>,
}

/// A way out with a status, program counter and budget.
pub struct Out {
    /// What may have changed there.
    pub changed: Changed,
    /// From where a block begins, and from within; made when they are needed.
    pub blocks: [Option<Block>; 2],
}

/// Where a micro-operation stands.
#[derive(Clone, Copy)]
pub struct Place {
    /// Index of the block in its region.
    pub member: usize,
    /// First micro-operation of the instruction.
    pub start: usize,
    /// The micro-operation.
    pub uop: usize,
    /// True if every execution of the block that comes to this instruction's end passes it once.
    pub straight: bool,
}

/// How a word became a doubleword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extension {
    Zero,
    Sign,
    /// Both: the word's highest bit is 0.
    Either,
}

impl Extension {
    /// True if what was extended so is also extended like `other`.
    pub fn is_also(self, other: Self) -> bool {
        self == other || self == Self::Either
    }

    /// How the bits are extended that two words extended so have, or combine to.
    pub fn common(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Either, as_is) | (as_is, Self::Either) => Some(as_is),
            _ => (self == other).then_some(self),
        }
    }
}

/// What is known of a doubleword.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Known {
    /// Nothing.
    #[default]
    Nothing,
    /// It is this number.
    Constant(u64),
    /// It is the extension of a word.
    Word(Value, Extension),
    /// It was computed so, and its low word depends on low words only. Said of values that nobody reads but
    /// the same instruction.
    Computed(Ring, Value, Value),
}

/// What is known of the floating-point unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum FloatStatus {
    /// Nothing.
    #[default]
    Unknown,
    /// It is on.
    On,
    /// And its state is marked as changed.
    Changed,
}

/// A range of guest memory that may be accessed without another check.
#[derive(Clone, Copy)]
pub struct Checked {
    /// The register's value.
    pub base: Value,
    /// Whether stores may.
    pub stores: bool,
    /// Offsets from it.
    pub low: i64,
    /// Past the last byte.
    pub high: i64,
    /// Where it is.
    pub host: HostRange,
}

/// Where a range of guest memory is in the host's.
#[derive(Clone, Copy)]
pub struct HostRange {
    /// What guest memory's address has to be increased by,
    pub offset: Value,
    /// to reach the byte that is so far from the register's value.
    pub at: i64,
}

/// Flags of accesses to the frame and the registers' home.
pub fn own() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl Builder<'_, '_> {
    /// What a slot is to Cranelift.
    pub fn variable(&mut self, slot: u16) -> Variable {
        let entry = &mut self.variables[usize::from(slot) % SLOTS];
        *entry.get_or_insert_with(|| self.ins.declare_var(types::I64))
    }

    /// The value in a slot.
    pub fn get(&mut self, slot: u16) -> Value {
        if slot == 0 {
            return self.constant(0);
        }
        self.take_in(slot);
        let variable = self.variable(slot);
        let value = self.ins.use_var(variable);
        // Where ways meet again, the same value has another name.
        self.ins.func.dfg.resolve_aliases(value)
    }

    /// Sets a slot.
    pub fn set(&mut self, slot: u16, value: Value) {
        self.set_unseen(slot, value);
        if slot != 0 && self.is_away(slot) {
            let home = self.home();
            self.ins.ins().store(own(), value, home, i32::from(slot) * 8);
        }
    }

    /// True if a slot is a register that is in its home between blocks.
    pub const fn is_away(&self, slot: u16) -> bool {
        Self::is_register(slot) && !self.resident.has(slot)
    }

    /// Makes sure that a register is in a value, which has to be done where all that follows in its block comes from.
    pub fn take_in(&mut self, slot: u16) {
        if slot != 0 && self.is_away(slot) && !self.loaded.has(slot) {
            let home = self.home();
            self.load_home(slot, home);
            self.loaded.add(slot);
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

    /// Where the integer registers are kept outside compiled code. If all are resident, it has no register of the host's
    /// to itself, which loops are in want of.
    pub fn home(&mut self) -> Value {
        if let Some(homes) = self.homes {
            return homes;
        }
        self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::HOME)
    }

    /// Takes a register over from its home.
    pub fn load_home(&mut self, register: u16, home: Value) {
        let value = self.ins.ins().load(types::I64, own(), home, i32::from(register) * 8);
        let variable = self.variable(register);
        self.ins.def_var(variable, value);
    }

    /// Puts a register back that is not in its home.
    pub fn store_home(&mut self, register: u16, home: Value) {
        if self.written.has(register) && self.resident.has(register) {
            let value = self.get(register);
            self.ins.ins().store(own(), value, home, i32::from(register) * 8);
        }
    }

    /// Leaves for the interpreter to take this block up at a micro-operation.
    pub fn resume(&mut self, member: usize, uop: usize, host: bool) {
        if self.entering {
            self.begin_block(member);
        }
        let status = self.constant(status(self.region.members[member].id, uop, host));
        // Before the first instruction, the block has changed nothing, but trips before this one may have.
        let has_changed = uop > 0 || self.trips.is_some();
        self.leave_within(member, status, has_changed);
    }

    /// Leaves from within a block, none of which counts as retired, with a status.
    pub fn leave(&mut self, member: usize, status: Value) {
        self.leave_within(member, status, true);
    }

    fn leave_within(&mut self, member: usize, status: Value, has_changed: bool) {
        self.leave_loop();
        let budget = self.ins.use_var(self.budget);
        let length = self.constant(self.region.members[member].block.decoded.len() as u64);
        let budget = self.ins.ins().iadd(budget, length);
        self.leave_at(member, status, budget, has_changed);
    }

    /// Leaves with a status and the program counter of a block, which `has_begun` since it was entered or not.
    pub fn leave_at(&mut self, member: usize, status: Value, budget: Value, has_begun: bool) {
        self.store_columns_here();
        let out = member.min(self.leave_with.len() - 1);
        let known = self.leave_with[out].blocks[usize::from(has_begun)];
        let leave = known.unwrap_or_else(|| self.ins.create_block());
        if known.is_none() {
            (0..3).for_each(|_| _ = self.ins.append_block_param(leave, types::I64));
            self.leave_with[out].blocks[usize::from(has_begun)] = Some(leave);
        }
        let pc = self.constant(self.region.members[member].pc);
        self.ins.ins().jump(leave, &[status, pc, budget].map(BlockArg::Value));
    }

    /// True if an address is that of the loop under construction, whose accesses are checked before it.
    pub fn is_next_trip(&self, pc: u64) -> bool {
        self.trips.as_ref().is_some_and(|trips| self.region.members[trips.member].pc == pc)
    }

    /// Goes on at a known address.
    pub fn go(&mut self, pc: u64) {
        self.store_columns_here();
        if self.is_next_trip(pc)
            && let Some(trips) = self.trips.take()
        {
            self.next_trip(&trips);
            self.trips = Some(trips);
            return;
        }
        self.leave_loop();
        match self.region.members.iter().position(|member| member.pc == pc) {
            Some(member) => {
                self.ins.ins().jump(self.blocks[member], &[]);
            }
            None => {
                let pc = self.constant(pc);
                self.ins.ins().jump(self.leave_for, &[BlockArg::Value(pc)]);
            }
        }
    }

    /// Goes on at an address that a member computes: after a call in this region, or elsewhere.
    pub fn go_to(&mut self, pc: Value, member: usize) {
        self.store_columns_here();
        self.leave_loop();
        let next: Vec<usize> = self.returns.from(member).iter().copied().take(RETURNS).collect();
        for index in next {
            let known = self.constant(self.region.members[index].pc);
            let hit = self.ins.ins().icmp(IntCC::Equal, pc, known);
            let miss = self.ins.create_block();
            self.ins.ins().brif(hit, self.blocks[index], &[], miss, &[]);
            self.ins.seal_block(miss);
            self.ins.switch_to_block(miss);
        }
        self.ins.ins().jump(self.leave_for, &[BlockArg::Value(pc)]);
    }

    /// What is kept of the budget for after the loop under construction is needed now.
    fn leave_loop(&mut self) {
        if let Some(member) = self.trips.as_ref().map(|trips| trips.member) {
            self.end_trips(member);
        }
    }

    /// True if a slot is a register.
    pub const fn is_register(slot: u16) -> bool {
        slot < FIRST_TEMP
    }
}
