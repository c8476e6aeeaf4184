//! What a traced instruction does that the state after it does not show.

use crate::csr::Privilege;
use crate::memory::{Address, MemoryAccess};

/// The log of one instruction. A run that is not traced writes none.
#[derive(Default)]
pub struct Effects {
    /// Mode it executes in.
    pub privilege: Privilege,
    /// Memory accesses in order.
    pub accesses: Vec<MemoryAccess>,
    /// The CSR it wrote, with its new value.
    pub csr: Option<(u16, u64)>,
    /// What its time may depend on, in order: addresses, operands. Only of a timed run.
    pub noted: Vec<u64>,
    /// The vector registers before it, if it may write them.
    pub vectors: Vec<u8>,
}

impl Effects {
    /// Notes a memory access.
    pub fn access(&mut self, address: u64, size: usize, stored: Option<u64>) {
        self.accesses.push(MemoryAccess { address: Address(address), size: size as u8, stored });
    }
}
