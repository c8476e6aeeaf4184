//! What compiled code shares with its caller.

use std::mem::offset_of;

use hart::Core;
use hart::program::Program;

/// Computed jumps remembered, a power of two.
pub const JUMPS: usize = 1 << 12;

/// A computed jump's target that is compiled.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Jump {
    /// Guest address; in an unused entry one that belongs elsewhere.
    pub pc: u64,
    /// Its region's function, and which part of that in the bits from [`PART`] on, which addresses of the host
    /// leave zero.
    pub way: u64,
}

/// See [`Jump::way`].
pub const PART: u32 = 48;

/// The way into a part of a region.
pub const fn way(code: usize, part: usize) -> u64 {
    code as u64 | (part as u64) << PART
}

impl Jump {
    /// Index of an address.
    pub const fn index(pc: u64) -> usize {
        (pc >> 1) as usize & (JUMPS - 1)
    }

    /// An entry at `index` that no address finds.
    pub const fn unused(index: usize) -> Self {
        Self { pc: (index as u64 ^ 1) << 1, way: 0 }
    }
}

/// One stay in compiled code.
#[repr(C)]
pub struct Frame {
    /// Out: where it leads to.
    pub pc: u64,
    /// Out: what is left of the budget.
    pub budget: i64,
    /// Bytes of guest memory.
    pub bytes: *mut u8,
    /// Rights of a process's pages.
    pub rights: *const u8,
    /// [`JUMPS`] entries.
    pub jumps: *const Jump,
    /// The hart, for units.
    pub core: *mut Core,
    /// Its program.
    pub program: *const Program,
    /// The vector registers.
    pub vectors: *mut u8,
}

pub const VECTORS: i32 = offset_of!(Frame, vectors) as i32;
pub const CORE: i32 = offset_of!(Frame, core) as i32;
pub const PC: i32 = offset_of!(Frame, pc) as i32;
pub const BUDGET: i32 = offset_of!(Frame, budget) as i32;
pub const BYTES: i32 = offset_of!(Frame, bytes) as i32;
pub const RIGHTS: i32 = offset_of!(Frame, rights) as i32;
pub const JUMP_TABLE: i32 = offset_of!(Frame, jumps) as i32;
