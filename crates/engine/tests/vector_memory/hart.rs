//! A hart that executes one instruction at a time, with a look at its state in between.

use engine::{Machine, Program, Stop};
use hart::csr::Clock;
use hart::{Address, AgnosticFill, Fault, Htif, Memory};
use isa::Vlen;

use crate::guest::{BASE, encode, run};

/// Bytes of memory.
pub const SIZE: usize = 1 << 20;
/// Where memory ends.
pub const END: u64 = BASE + SIZE as u64;
/// A place for data.
pub const DATA: u64 = BASE + 0x4_0000;
/// A word of the host-target interface.
pub const TOHOST: u64 = BASE + 0x1000;

pub const MSTATUS: u64 = 0x300;
pub const VSTART: u64 = 0x008;
pub const VL: u64 = 0xc20;
pub const VTYPE: u64 = 0xc21;

/// Tail and mask agnostic.
pub const AGNOSTIC: i64 = 0xc0;
/// Neither.
pub const UNDISTURBED: i64 = 0;

/// A hart with its vector unit on.
pub struct Hart<'p> {
    program: &'p Program,
    pub machine: Machine<'p>,
}

impl<'p> Hart<'p> {
    pub fn new(program: &'p Program, vlen: u32) -> Self {
        let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
        memory.set_tohost(Address(TOHOST));
        let htif = Htif::new(Some(Address(TOHOST)), None);
        let mut machine = crate::tier::prepare(Machine::new(program, memory, Address(BASE), htif));
        machine.hart.vector.set_vlen(Vlen::new(vlen).expect("a vector length"));
        machine.hart.write_csr(MSTATUS, 0x600, Clock::default()).expect("a writable register");
        Self { program, machine }
    }

    /// The same, with agnostic elements becoming ones.
    pub fn with_ones(program: &'p Program, vlen: u32) -> Self {
        let mut hart = Self::new(program, vlen);
        hart.machine.hart.vector.set_fill(AgnosticFill::Ones);
        hart
    }

    /// Executes one instruction.
    ///
    /// # Errors
    /// The fault that kept it from retiring.
    pub fn op(&mut self, name: &str, fields: &[(&str, i64)]) -> Result<(), Fault> {
        self.word(encode(self.program.module(), name, fields))
    }

    /// Executes a word.
    ///
    /// # Errors
    /// The fault that kept it from retiring.
    pub fn word(&mut self, word: u32) -> Result<(), Fault> {
        match self.try_word(word) {
            Stop::Fault(fault) => Err(fault),
            stop => {
                assert_eq!(stop, Stop::InstructionLimit, "{word:#x}");
                Ok(())
            }
        }
    }

    /// Executes a word at an address where none was before.
    pub fn try_word(&mut self, word: u32) -> Stop {
        let pc = self.machine.hart.pc().0 + 4;
        self.machine.hart.set_pc(pc);
        self.put(pc, &word.to_le_bytes());
        let limit = self.machine.hart.retired() + 1;
        run(&mut self.machine, limit)
    }

    /// Sets element width (bits), LMUL (log2), policies and `vl`.
    pub fn configure(&mut self, sew: u32, lmul: i64, policy: i64, vl: usize) {
        let zimm = lmul & 7 | i64::from(sew.ilog2() - 3) << 3 | policy;
        self.machine.hart.set_x(31, vl as u64);
        self.op("VSETVLI", &[("rd", 30), ("rs1", 31), ("zimm", zimm)]).expect("a supported type");
        assert_eq!(self.machine.hart.x(30), vl as u64);
    }

    pub fn csr(&mut self, number: u64) -> u64 {
        self.machine.hart.read_csr(number, Clock::default()).expect("a readable register")
    }

    pub fn set_csr(&mut self, number: u64, value: u64) {
        self.machine.hart.write_csr(number, value, Clock::default()).expect("a writable register");
    }

    /// The registers from `register` on, as many as the bytes need.
    pub fn v(&self, register: usize, bytes: usize) -> Vec<u8> {
        let vector = &self.machine.hart.vector;
        (register..32).flat_map(|register| vector.register(register)).take(bytes).copied().collect()
    }

    pub fn set_v(&mut self, register: usize, bytes: &[u8]) {
        let vlenb = self.machine.hart.vector.vlenb();
        for (index, chunk) in bytes.chunks(vlenb).enumerate() {
            self.machine.hart.vector.register_mut(register + index)[..chunk.len()].copy_from_slice(chunk);
        }
    }

    pub fn memory(&self, address: u64, size: usize) -> Vec<u8> {
        self.machine.memory.slice(Address(address), size).expect("in memory").to_vec()
    }

    pub fn put(&mut self, address: u64, bytes: &[u8]) {
        let target = self.machine.memory.slice_mut(Address(address), bytes.len()).expect("in memory");
        target.copy_from_slice(bytes);
    }
}

/// Bytes that differ from their neighbours, the same for the same seed.
pub fn pattern(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}
