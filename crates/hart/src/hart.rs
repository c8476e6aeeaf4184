//! Architectural state of one hart.

use std::collections::HashMap;

use coredsl::ir::RegId;
use ethnum::U256;

use crate::csr::{Clock, Csrs};
use crate::float::FloatUnit;
use crate::memory::Address;
use crate::vector::VectorUnit;

/// Value slots of a hart: its integer registers, and room for what is computed within one instruction. A
/// power of two, so that an index is bounded by a mask.
pub const SLOTS: usize = 512;
/// The first slot that is no integer register.
pub const FIRST_TEMP: u16 = 32;

/// Architectural state of one hart.
#[derive(Clone)]
pub struct Hart {
    /// Value slots; the first 32 are the integer registers, zero-extended on RV32.
    pub slots: [u64; SLOTS],
    /// Address of the next instruction.
    pub pc: u64,
    /// Control and status registers.
    pub csrs: Csrs,
    /// Floating-point registers and `fcsr`.
    pub float: FloatUnit,
    /// Vector registers and CSRs.
    pub vector: VectorUnit,
    /// Instructions retired.
    pub retired: u64,
    /// Cycles beyond one for each instruction, as far as a timed run has told; may wrap.
    pub stalls: u64,
    /// Registers that user descriptions declare, by register file and element.
    pub custom: HashMap<(RegId, u32), U256>,
    /// Rule of the specification that made the last instruction of a unit illegal.
    pub broken_rule: Option<&'static str>,
    /// What the guest wrote to the host so far, in writes.
    pub host_requests: u64,
}

impl Hart {
    /// The hart of number `id` at reset.
    pub fn new(isa: &isa::Isa, id: u64, entry: Address) -> Self {
        Self {
            slots: [0; SLOTS],
            pc: entry.0,
            csrs: Csrs::new(isa, id),
            float: FloatUnit::default(),
            vector: VectorUnit::new(isa),
            broken_rule: None,
            retired: 0,
            stalls: 0,
            custom: HashMap::new(),
            host_requests: 0,
        }
    }

    /// How often the guest has written to the host's console.
    pub const fn host_requests(&self) -> u64 {
        self.host_requests
    }

    /// The integer registers, and room after them. `x0` must stay zero, and on RV32 all are zero-extended.
    pub fn registers_mut(&mut self) -> *mut u64 {
        self.slots.as_mut_ptr()
    }

    /// Takes note of what compiled code has done: instructions retired, and where it leads to.
    pub const fn advance(&mut self, retired: u64, pc: u64) {
        self.retired += retired;
        self.pc = pc;
    }

    /// Number of instructions retired so far.
    pub const fn retired(&self) -> u64 {
        self.retired
    }

    /// The clock once `more` instructions than are counted have retired.
    pub const fn clock(&self, more: u64) -> Clock {
        let instret = self.retired + more;
        Clock { instret, cycle: instret.wrapping_add(self.stalls) }
    }

    /// Address of the next instruction.
    pub const fn pc(&self) -> Address {
        Address(self.pc)
    }

    /// Continues at `pc`.
    pub const fn set_pc(&mut self, pc: u64) {
        self.pc = pc;
    }

    /// Exchanges everything but the counts with another hart's, so that one can execute several threads in turn.
    pub const fn swap(&mut self, other: &mut Self) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.retired, &mut other.retired);
        std::mem::swap(&mut self.stalls, &mut other.stalls);
        std::mem::swap(&mut self.host_requests, &mut other.host_requests);
    }

    /// An integer register.
    pub fn x(&self, register: u16) -> u64 {
        self.slots[usize::from(register & 31)]
    }

    /// Sets an integer register; `x0` stays zero.
    pub fn set_x(&mut self, register: u16, value: u64) {
        if !register.is_multiple_of(32) {
            self.slots[usize::from(register & 31)] = value;
        }
    }

    /// Writes an integer register for an instruction of a unit; on RV32 its low 32 bits.
    pub fn write_x(&mut self, register: u16, value: u64) {
        self.set_x(register, value & self.csrs.xlen().mask());
    }
}
