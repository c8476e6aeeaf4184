//! Architectural state of one hart.

use std::collections::HashMap;

use coredsl::ir::RegId;
use ethnum::U256;

use crate::csr::{Csrs, Refused, number};
use crate::exec::Reservation;
use crate::float::{self, FloatUnit};
use crate::memory::{Address, Memory};
use crate::observer::MemoryAccess;
use crate::uop::SLOTS;
use crate::vector::{self, VectorUnit};

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
    /// Integer register that an instruction of a unit wrote, for traces.
    pub(crate) unit_wrote: Option<u16>,
    /// What the guest wrote to the host so far, in writes.
    pub(crate) host_requests: u64,
}

impl Core {
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
            unit_wrote: None,
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

    /// Reads a CSR; `retired` is the number of instructions retired before this one.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or may not be read now.
    pub fn read_csr(&mut self, csr: u64, retired: u64) -> Result<u64, Refused> {
        let unit = vector::csr::read(self, csr).or_else(|| float::csr::read(self, csr));
        unit.unwrap_or_else(|| self.csrs.read(csr, retired))
    }

    /// Writes a CSR.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or may not be written now.
    pub fn write_csr(&mut self, csr: u64, value: u64, retired: u64) -> Result<(), Refused> {
        let unit = vector::csr::write(self, csr, value).or_else(|| float::csr::write(self, csr, value));
        unit.unwrap_or_else(|| self.csrs.write(csr, value, retired))
    }

    /// What a CSR holds after `value` was written to it; of the entropy source, which reading changes, the
    /// value written.
    pub(crate) fn held_csr(&mut self, csr: u64, value: u64, retired: u64) -> u64 {
        if csr == u64::from(number::SEED) { value } else { self.read_csr(csr, retired).unwrap_or(value) }
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
        self.unit_wrote = Some(register);
    }
}
