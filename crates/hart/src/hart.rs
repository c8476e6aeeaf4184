//! Architectural state of one hart.

use std::collections::HashMap;

use coredsl::ir::RegId;
use ethnum::U256;

use crate::csr::Csrs;
use crate::float::FloatUnit;
use crate::memory::{Address, Memory, MemoryAccess};
use crate::uop::SLOTS;
use crate::vector::VectorUnit;

/// A load-reserved's claim.
#[derive(Clone, Copy, Debug)]
pub struct Reservation {
    /// First byte.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u64,
}

impl Reservation {
    /// True if the byte at `address` is reserved.
    pub const fn covers(self, address: u64) -> bool {
        address.wrapping_sub(self.address) < self.bytes
    }
}

/// Architectural state and memory of one hart.
pub struct Hart {
    /// Value slots; the first 32 are the integer registers, zero-extended on RV32.
    pub(crate) slots: Box<[u64; SLOTS]>,
    /// Address of the next instruction.
    pub(crate) pc: u64,
    /// Guest memory.
    pub memory: Memory,
    /// Control and status registers.
    pub csrs: Csrs,
    /// Floating-point registers and `fcsr`.
    pub float: FloatUnit,
    /// Vector registers and CSRs.
    pub vector: VectorUnit,
    /// Instructions retired.
    pub(crate) retired: u64,
    pub(crate) reservation: Option<Reservation>,
    /// Registers that user descriptions declare, by register file and element.
    pub(crate) custom: HashMap<(RegId, u32), U256>,
    /// Memory accesses of the last instruction, if the run is traced.
    pub(crate) accesses: Vec<MemoryAccess>,
    pub(crate) traced: bool,
    pub(crate) written_csr: Option<(u16, u64)>,
    /// Rule of the specification that made the last instruction of a unit illegal.
    pub(crate) broken_rule: Option<&'static str>,
    /// What the guest wrote to the host so far, in writes.
    pub(crate) host_requests: u64,
}

impl Hart {
    /// A hart at reset.
    pub(crate) fn new(isa: &isa::Isa, memory: Memory, entry: Address) -> Self {
        Self {
            slots: Box::new([0; SLOTS]),
            pc: entry.0,
            memory,
            csrs: Csrs::new(isa),
            float: FloatUnit::default(),
            vector: VectorUnit::new(isa),
            broken_rule: None,
            retired: 0,
            reservation: None,
            custom: HashMap::new(),
            accesses: Vec::new(),
            traced: false,
            written_csr: None,
            host_requests: 0,
        }
    }

    /// How often the guest has written to the host's console.
    pub const fn host_requests(&self) -> u64 {
        self.host_requests
    }

    /// The integer registers, and room behind them. `x0` must stay zero, and on RV32 all are zero-extended.
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

    /// Address of the next instruction.
    pub const fn pc(&self) -> Address {
        Address(self.pc)
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

    /// Notes a memory access of an instruction of a unit, if the run is traced.
    #[inline(always)]
    pub(crate) fn trace_access(&mut self, address: u64, size: usize, stored: Option<u64>) {
        if self.traced {
            self.accesses.push(MemoryAccess { address: Address(address), size: size as u8, stored });
        }
    }

    /// Writes an integer register for an instruction of a unit; on RV32 its low 32 bits.
    pub(crate) fn write_x(&mut self, register: u16, value: u64) {
        self.set_x(register, value & self.csrs.xlen().mask());
    }
}
