//! What can be known of a region before it is compiled: which instructions are left to the interpreter, and
//! which registers matter.

use std::ops::Range;

use engine::block::Block;
use engine::tier::Region;
use engine::timed;
use engine::uop::{FIRST_TEMP, Kind, Op, Uop};
use isa::InstructionId;
use isa::operands::{File, Site};

use crate::csr::which;

/// Registers as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers(pub u32);

impl Registers {
    /// All that can change.
    pub const ALL: Self = Self(!1);

    /// Adds a slot, if it is a register that can change.
    pub const fn add(&mut self, slot: u16) {
        if slot != 0 && slot < FIRST_TEMP {
            self.0 |= 1 << slot;
        }
    }

    /// True if it has the register.
    pub const fn has(self, register: u16) -> bool {
        self.0 >> register & 1 == 1
    }

    /// Those in either.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those in both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that are not in another set.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The registers, in order.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (1..FIRST_TEMP).filter(move |&register| self.has(register))
    }
}

/// Micro-operations of the instruction at `index`.
pub fn uops_of(block: &Block, index: usize) -> Range<usize> {
    let start = index.checked_sub(1).map_or(0, |before| block.decoded[before].end as usize);
    start..block.decoded[index].end as usize
}

/// True if a micro-operation is the last of its instruction.
pub fn ends_instruction(block: &Block, uop: usize) -> bool {
    block.decoded[block.instruction_of(uop)].end as usize == uop + 1
}

/// What a load or store adds to which register, if that can be seen within its instruction, which begins at
/// `start`.
pub fn address(block: &Block, start: usize, access: usize, rv32: bool) -> Option<(u16, i64)> {
    timed::address(&block.uops[start..], access - start, rv32)
}

/// How many of a block's instructions are compiled, from its first on.
pub fn compiled(block: &Block) -> usize {
    let fits = |&index: &usize| {
        let range = uops_of(block, index);
        can_compile(&block.uops[range.clone()], range.start)
    };
    (0..block.decoded.len()).take_while(fits).count()
}

/// True if there is anything to compile at the region's entry.
pub fn worthwhile(region: &Region<'_>) -> bool {
    region.members.first().is_some_and(|member| compiled(member.block) > 0)
}

/// True if an instruction can be compiled. One that leaves to the interpreter does so before its first
/// effect, because the interpreter executes it from its beginning: it must not have had any by then, but for stores of
/// an instruction that loads nothing, which stores the same once more.
fn can_compile(uops: &[Uop], start: usize) -> bool {
    let (mut changed, mut reserves, mut stores, mut repeats) = (false, false, false, false);
    let loads = uops.iter().any(|uop| matches!(uop.op.kind(), Kind::Load(_) | Kind::Unit));
    for (at, uop) in uops.iter().enumerate() {
        let may_leave = match uop.op.kind() {
            Kind::Csr if which::is_compiled(uops, at) => true,
            Kind::Fetch(_) | Kind::Csr | Kind::Fence | Kind::Delegate => return false,
            Kind::Goto | Kind::GotoIfZero => {
                repeats |= uop.imm as usize <= start + at;
                false
            }
            Kind::Load(_) | Kind::Store(_) | Kind::Raise | Kind::Unit => true,
            Kind::Reserve => {
                reserves = true;
                false
            }
            Kind::TakeReservation
            | Kind::Pure(_)
            | Kind::Note
            | Kind::ExitIf(_)
            | Kind::Exit
            | Kind::ExitTo => false,
        };
        if changed && may_leave {
            return false;
        }
        let is_store = matches!(uop.op.kind(), Kind::Store(_));
        stores |= is_store;
        changed |= uop.op == Op::CsrWrite;
        changed |= reserves || is_store && loads || uop.def().is_some_and(|slot| slot < FIRST_TEMP);
    }
    !(repeats && stores) && reserves_simply(uops, start)
}

/// True if an instruction, whose first micro-operation is at `start` in its block, uses reservations in a way that is
/// compiled: it takes one on each way to its end, and not before it leaves. Until then it may be executed again.
fn reserves_simply(uops: &[Uop], start: usize) -> bool {
    let is_taken = |uop: &Uop| uop.op.kind() == Kind::TakeReservation;
    let Some(taken) = uops.iter().position(is_taken) else { return true };
    let (before, after) = uops.split_at(taken);
    let passes = |uop: &Uop| {
        let jumps = matches!(uop.op.kind(), Kind::Goto | Kind::GotoIfZero);
        !jumps || uop.imm as usize <= start + taken
    };
    let stays = |uop: &Uop| {
        let (jumps, leaves) = match uop.op.kind() {
            Kind::Goto | Kind::GotoIfZero => (true, false),
            Kind::Exit | Kind::ExitTo | Kind::ExitIf(_) | Kind::Unit => (false, true),
            Kind::Reserve | Kind::TakeReservation => (false, true),
            _ => (false, false),
        };
        !leaves && (!jumps || uop.imm as usize > start + taken)
    };
    before.iter().all(passes) && after[1..].iter().all(stays)
}

/// What is known of an instruction of a unit.
pub fn site<'a>(region: &Region<'a>, uop: Uop) -> Site<'a> {
    region.program.site(InstructionId(uop.instruction()), uop.word())
}

/// Integer registers that an instruction of a unit reads, and those it writes.
pub fn unit_registers(site: Site<'_>) -> (Registers, Registers) {
    let add = |mut all: Registers, register: Option<u16>| {
        register.map_or(Registers::ALL, |register| {
            all.add(register);
            all
        })
    };
    let none = Registers::default();
    (site.reads(File::X).fold(none, add), site.writes(File::X).fold(none, add))
}

/// Registers that micro-operations of a region read or write, and those they write.
pub fn registers<'a>(region: &Region<'_>, uops: impl IntoIterator<Item = &'a Uop>) -> (Registers, Registers) {
    let (mut used, mut written) = (Registers::default(), Registers::default());
    for uop in uops {
        if uop.op == Op::Unit {
            let (reads, writes) = unit_registers(site(region, *uop));
            used.0 |= reads.0 | writes.0;
            written.0 |= writes.0;
        }
        uop.reads().chain(uop.def()).for_each(|slot| used.add(slot));
        uop.def().into_iter().for_each(|slot| written.add(slot));
    }
    (used, written)
}

/// Micro-operations that [`is_overwritten`] looks at.
const AHEAD: usize = 24;

/// True if a slot is known to be written before it is read or the block left: what is in it now ends.
pub fn is_overwritten(slot: u16, following: &[Uop]) -> bool {
    let near = following.iter().take(AHEAD);
    let mut only_computing = near.take_while(|uop| matches!(uop.op.kind(), Kind::Pure(_) | Kind::Note));
    let next = only_computing.find(|uop| uop.def() == Some(slot) || uop.reads().any(|read| read == slot));
    next.is_some_and(|uop| uop.reads().all(|read| read != slot))
}
