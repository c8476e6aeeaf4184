//! Architectural state of one hart.

use std::collections::HashMap;

use coredsl::ir::RegId;
use ethnum::U256;

use crate::csr::Csrs;
use crate::exec::Reservation;
use crate::memory::{Address, Memory};
use crate::observer::MemoryAccess;
use crate::uop::SLOTS;

/// Architectural state and memory of one hart.
pub struct Core {
    /// Value slots; the first 32 are the integer registers, zero-extended on RV32.
    pub(crate) slots: Box<[u64; SLOTS]>,
    /// Address of the next instruction.
    pub(crate) pc: u64,
    /// Guest memory.
    pub memory: Memory,
    /// Control and status registers.
    pub csrs: Csrs,
    /// Instructions retired.
    pub(crate) retired: u64,
    pub(crate) reservation: Option<Reservation>,
    /// Registers that user descriptions declare, by register file and element.
    pub(crate) custom: HashMap<(RegId, u32), U256>,
    pub(crate) accesses: Vec<MemoryAccess>,
    pub(crate) written_csr: Option<(u16, u64)>,
}

impl Core {
    /// A hart at reset.
    pub(crate) fn new(isa: &isa::Isa, memory: Memory, entry: Address) -> Self {
        Self {
            slots: Box::new([0; SLOTS]),
            pc: entry.0,
            memory,
            csrs: Csrs::new(isa),
            retired: 0,
            reservation: None,
            custom: HashMap::new(),
            accesses: Vec::new(),
            written_csr: None,
        }
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
}
