//! What of a hart belongs to one thread of a process, so that a hart can carry out several in turn.

use std::collections::HashMap;

use coredsl::ir::RegId;
use ethnum::U256;
use isa::{Isa, Xlen};

use crate::csr::Csrs;
use crate::float::FloatUnit;
use crate::hart::Hart;
use crate::uop::FIRST_TEMP;
use crate::vector::{self, VectorUnit};

/// Where the header of vector state is in the floating-point part of a signal frame: the last eight bytes
/// of `union __riscv_fp_state`.
const VECTOR_HEADER: usize = 520;
/// Bytes of [`Hart::unit_context`] at least.
pub const LEAST_UNIT_CONTEXT: usize = 528;

/// Bytes of [`Hart::unit_context`] at most, if vector registers have `vlenb` bytes, 0 without them.
pub const fn most_unit_context(xlen: Xlen, vlenb: usize) -> usize {
    if vlenb == 0 { LEAST_UNIT_CONTEXT } else { VECTOR_HEADER + vector::most_frame_bytes(xlen, vlenb) }
}

const REGISTERS: usize = FIRST_TEMP as usize;

/// Registers of a thread.
#[derive(Clone)]
pub struct Context {
    x: [u64; REGISTERS],
    pc: u64,
    csrs: Csrs,
    float: FloatUnit,
    vector: VectorUnit,
    custom: HashMap<(RegId, u32), U256>,
}

impl Hart {
    /// A copy of the registers.
    pub fn context(&self) -> Context {
        let mut x = [0; REGISTERS];
        x.copy_from_slice(&self.slots[..REGISTERS]);
        Context {
            x,
            pc: self.pc,
            csrs: self.csrs.clone(),
            float: self.float.clone(),
            vector: self.vector.clone(),
            custom: self.custom.clone(),
        }
    }

    /// Exchanges the registers for those of another thread.
    pub fn swap(&mut self, other: &mut Context) {
        self.slots[..REGISTERS].swap_with_slice(&mut other.x);
        std::mem::swap(&mut self.pc, &mut other.pc);
        std::mem::swap(&mut self.csrs, &mut other.csrs);
        std::mem::swap(&mut self.float, &mut other.float);
        std::mem::swap(&mut self.vector, &mut other.vector);
        std::mem::swap(&mut self.custom, &mut other.custom);
    }

    /// Continues at `pc`.
    pub const fn set_pc(&mut self, pc: u64) {
        self.pc = pc;
    }

    /// Prepares the hart for a process, as a kernel would: user mode, counters readable, units on.
    pub fn enter_process(&mut self, isa: &Isa) {
        self.csrs = Csrs::of_process(isa);
    }
}

impl Hart {
    /// Floating-point and vector state as a signal frame holds it from `address`: `struct
    /// __riscv_d_ext_state` in room for the Q extension's, and from its last eight bytes on the headed
    /// states of other extensions.
    pub fn unit_context(&self, address: u64) -> Vec<u8> {
        let mut bytes = self.float.state().to_vec();
        bytes.resize(VECTOR_HEADER, 0);
        bytes.extend(self.vector.frame(address.wrapping_add(VECTOR_HEADER as u64)));
        bytes
    }

    /// Restores what [`Hart::unit_context`] gave, whatever a program has made of it since; what follows it
    /// does not matter.
    pub fn restore_units(&mut self, bytes: &[u8]) {
        if let Some(state) = bytes.first_chunk() {
            self.float.set_state(state);
        }
        self.vector.restore_frame(bytes.get(VECTOR_HEADER..).unwrap_or_default());
    }
}

impl Context {
    /// An integer register.
    pub fn x(&self, register: u16) -> u64 {
        self.x[usize::from(register) % REGISTERS]
    }

    /// Sets an integer register; `x0` stays zero.
    pub fn set_x(&mut self, register: u16, value: u64) {
        if register != 0 {
            self.x[usize::from(register) % REGISTERS] = value;
        }
    }

    /// Address of the next instruction.
    pub const fn pc(&self) -> u64 {
        self.pc
    }

    /// Continues at `pc`.
    pub const fn set_pc(&mut self, pc: u64) {
        self.pc = pc;
    }
}
