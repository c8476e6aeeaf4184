//! An instruction at its address, as a core's model sees it.

use engine::Program;
use engine::decoded::Decoded;
use isa::Xlen;
use isa::operands::{AccessKind, Class, Control, Eew, File, Site};

/// Where execution continues.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flow {
    /// At the next instruction.
    Next,
    /// At the next instruction or at this address.
    Branch(u64),
    /// At this address.
    Jump(u64),
    /// At an address in a register.
    Indirect,
    /// In a trap handler, or after a trap.
    Trap,
}

/// An instruction at its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its address.
    pub pc: u64,
    /// Its word; the upper half of a compressed one is zero.
    pub word: u32,
    /// Bytes.
    pub length: u8,
    /// True on RV32.
    pub rv32: bool,
    /// The mnemonic in its description: `mulh`, `c.lw`.
    pub mnemonic: String,
    /// Its class.
    pub class: Class,
    /// Integer registers it reads, without x0.
    pub reads: Vec<u8>,
    /// The integer register it writes, unless that is x0.
    pub writes: Option<u8>,
    /// Bytes that it loads, or 0.
    pub loads: u8,
    /// Bytes that it stores, or 0.
    pub stores: u8,
    /// How many loads and stores it makes.
    pub accesses: u8,
    /// Where execution continues.
    pub flow: Flow,
    /// Of a jump: the register that gets the return address.
    pub link: Option<u8>,
    /// The number of words in its [`Event`](crate::Event): none, an address, or two operands. A branch has operands only
    /// if its target is the next instruction in memory.
    pub words: usize,
    /// Of a shift by a constant: that.
    pub shift: Option<u8>,
}

impl Instruction {
    /// The instruction of a decoded word.
    pub fn of(program: &Program, decoded: &Decoded) -> Self {
        let site = program.site(decoded.id, decoded.word);
        let register = |one: Option<u16>| one.map(|one| one as u8).filter(|&one| one != 0);
        let writes = site.writes(File::X).find_map(register);
        let bytes = |kind| {
            let access = site.accesses().find(|access| access.kind == kind);
            access.map_or(0, |access| match access.width {
                Eew::Bits(bits) => (bits / 8) as u8,
                Eew::Sew(_) => 0,
            })
        };
        let target = || decoded.pc.wrapping_add(offset(site)) & program.isa().xlen().mask();
        let flow = match site.effects.control {
            Control::Next | Control::Fence => Flow::Next,
            Control::Branch { .. } => Flow::Branch(target()),
            Control::Jump { indirect: false, .. } => Flow::Jump(target()),
            Control::Jump { indirect: true, .. } => Flow::Indirect,
            Control::Trap | Control::Return => Flow::Trap,
        };
        Self {
            pc: decoded.pc,
            word: decoded.word,
            length: decoded.length() as u8,
            rv32: program.isa().xlen() == Xlen::Rv32,
            mnemonic: site.instruction.mnemonic.clone(),
            class: site.effects.class,
            reads: site.reads(File::X).filter_map(register).collect(),
            writes,
            loads: bytes(AccessKind::Load),
            stores: bytes(AccessKind::Store),
            accesses: site.accesses().filter(|access| access.kind != AccessKind::Fetch).count() as u8,
            flow,
            link: if matches!(site.effects.control, Control::Jump { link: true, .. }) {
                writes
            } else {
                None
            },
            words: decoded.noted.into(),
            shift: site.number().filter(|_| site.effects.class == Class::Shift).map(|it| it as u8),
        }
    }

    /// Address of the instruction after it in memory.
    pub const fn fall_through(&self) -> u64 {
        self.pc.wrapping_add(self.length as u64)
    }

    /// True if it changes one of these CSRs.
    pub fn writes_csr(&self, numbers: std::ops::RangeInclusive<u32>) -> bool {
        let reads_only = self.word >> 12 & 3 != 1 && self.word >> 15 & 31 == 0;
        self.class == Class::Csr && !reads_only && numbers.contains(&(self.word >> 20))
    }

    /// True for a load, store or read-modify-write of one place, or none of these.
    pub const fn is_one_access(&self) -> bool {
        self.accesses < 2 || self.loads > 0 && self.stores > 0
    }

    /// True for a return from a function, by the ABI's link registers (Unprivileged ISA, "Unconditional Jumps"), also
    /// for one that loads them.
    pub fn is_return(&self) -> bool {
        self.flow == Flow::Indirect
            && self.link.is_none()
            && (self.loads > 0 || self.reads.iter().any(|&one| matches!(one, 1 | 5)))
    }
}

/// What a branch or jump adds to its address.
fn offset(site: Site<'_>) -> u64 {
    site.number().unwrap_or(0)
}
