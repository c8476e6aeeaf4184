//! What compiled code shares with its caller.

use std::mem::offset_of;

use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::CallConv;
use engine::block::BlockId;
use engine::program::Program;
use engine::tier::Return;
use hart::{Hart, Memory};

use crate::granted::{Asked, Granted, MOST_SITES, RANGES, Recent};

/// Computed jumps remembered, a power of two.
pub const JUMPS: usize = 1 << 15;

/// A computed jump's target that is compiled.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Jump {
    /// Guest address; in an unused entry one that belongs elsewhere, zero but in the first.
    pub pc: u64,
    /// Its region's function, and which member of that in the bits from [`MEMBER`] on, which addresses of the host
    /// leave zero.
    pub way: u64,
}

/// See [`Jump::way`].
pub const MEMBER: u32 = 48;

/// The way into a member of a region.
pub const fn way(code: usize, member: usize) -> u64 {
    code as u64 | (member as u64) << MEMBER
}

impl Jump {
    /// Index of an address.
    pub const fn index(pc: u64) -> usize {
        (pc >> 1) as usize & (JUMPS - 1)
    }

    /// As many entries as there are, which no address finds.
    pub fn none() -> Box<[Self; JUMPS]> {
        // SAFETY: zeros are numbers.
        #[allow(unsafe_code, reason = "memory that the host gives out as it is touched")]
        let mut jumps: Box<[Self; JUMPS]> = unsafe { Box::new_zeroed().assume_init() };
        jumps[0] = Self::unused(0);
        jumps
    }

    /// An entry at `index` that no address finds.
    pub const fn unused(index: usize) -> Self {
        Self { pc: if index == 0 { 1 << 1 } else { 0 }, way: 0 }
    }
}

/// What lasts from one stay to the next are the ranges at its end.
#[repr(C)]
pub struct Frame {
    /// Out: where it leads to.
    pub pc: u64,
    /// Out: what is left of the budget.
    pub budget: i64,
    /// Bytes of guest memory.
    pub bytes: *mut u8,
    /// Of a process, the rights of its pages.
    pub rights: *const u8,
    /// [`JUMPS`] entries.
    pub jumps: *const Jump,
    /// The hart, for units.
    pub hart: *mut Hart,
    /// Guest memory, likewise.
    pub memory: *mut Memory,
    /// The guest's program.
    pub program: *const Program,
    /// The vector registers.
    pub vectors: *mut u8,
    /// Where the integer registers are kept.
    pub home: *mut u64,
    /// What addresses of counters are relative to.
    pub counters: u64,
    /// In and out: where the next record of a timed run begins.
    pub records: *mut u64,
    /// In a loop whose accesses are checked before it, what is kept of the budget for after these trips.
    pub kept: i64,
    /// In a loop whose trips are counted where it ends, what they may spend once the first is paid for.
    pub spendable: i64,
    /// Out: what a CSR holds.
    pub csr: u64,
    /// Scalars of [`crate::vector::wide`].
    pub scalars: [[u8; crate::vector::wide::SCALAR]; crate::vector::wide::SCALARS],
    /// Where vector instructions store what is masked off, or keep what they take apart.
    pub nowhere: [u8; NOWHERE_SIZE],
    /// Out: what rights are to be looked up for.
    pub asked: Asked,
    /// What sites were granted, the last first.
    pub granted: [[Granted; RANGES]; MOST_SITES],
    /// How often each may still look at the pages' rights before it leaves for another range.
    pub patience: [u32; MOST_SITES],
    /// The last of what was granted.
    pub recent: Recent,
}

impl Frame {
    /// One to be filled in.
    pub fn new() -> Box<Self> {
        // SAFETY: zeros are null pointers, numbers, and ranges of no byte.
        #[allow(unsafe_code, reason = "too big for the stack")]
        unsafe {
            Box::new_zeroed().assume_init()
        }
    }
}

pub const REGISTER: i32 = (offset_of!(Frame, asked) + offset_of!(Asked, register)) as i32;
pub const SITE: i32 = (offset_of!(Frame, asked) + offset_of!(Asked, site)) as i32;

/// Where a range of a site stands.
pub const fn granted(site: usize, range: usize) -> i32 {
    (offset_of!(Frame, granted) + (site * RANGES + range) * size_of::<Granted>()) as i32
}

pub const MEMORY: i32 = offset_of!(Frame, memory) as i32;
/// Where a site's patience stands.
pub const fn patience(site: usize) -> i32 {
    (offset_of!(Frame, patience) + site * size_of::<u32>()) as i32
}

pub const RIGHTS: i32 = offset_of!(Frame, rights) as i32;
pub const HOME: i32 = offset_of!(Frame, home) as i32;
pub const CSR: i32 = offset_of!(Frame, csr) as i32;
pub const COUNTERS: i32 = offset_of!(Frame, counters) as i32;
pub const KEPT: i32 = offset_of!(Frame, kept) as i32;
pub const SPENDABLE: i32 = offset_of!(Frame, spendable) as i32;
pub const SCALARS: i32 = offset_of!(Frame, scalars) as i32;
/// Bytes there.
pub const NOWHERE_SIZE: usize = 320;
pub const NOWHERE: i32 = offset_of!(Frame, nowhere) as i32;
pub const RECORDS: i32 = offset_of!(Frame, records) as i32;
pub const VECTORS: i32 = offset_of!(Frame, vectors) as i32;
pub const CORE: i32 = offset_of!(Frame, hart) as i32;
pub const PC: i32 = offset_of!(Frame, pc) as i32;
pub const BUDGET: i32 = offset_of!(Frame, budget) as i32;
pub const BYTES: i32 = offset_of!(Frame, bytes) as i32;
pub const JUMP_TABLE: i32 = offset_of!(Frame, jumps) as i32;

/// A region's `fn(frame, budget, member) -> status`. Regions call each other as tails, which only
/// this convention has.
pub fn region_signature() -> Signature {
    let mut signature = Signature::new(CallConv::Tail);
    signature.params = vec![AbiParam::new(types::I64); 3];
    signature.returns = vec![AbiParam::new(types::I64)];
    signature
}

/// What a region returns to have a block taken up at a micro-operation.
pub const fn status(block: BlockId, uop: usize, host: bool) -> u64 {
    (block.number() as u64) << 32 | (uop as u64) << 2 | (host as u64) << 1 | 1
}

/// What a region's status says.
pub const fn returned(status: u64) -> Return {
    let (block, uop) = (BlockId::of((status >> 32) as u32), (status as u32 >> 2) as usize);
    match status & 3 {
        0 => Return::Next,
        1 => Return::Resume(block, uop),
        _ => Return::Host(block, uop),
    }
}
