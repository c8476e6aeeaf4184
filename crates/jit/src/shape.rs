//! What can be known of a region before it is compiled: which instructions are left to the interpreter, and
//! which registers matter.

use std::ops::Range;

use hart::block::Block;
use hart::tier::{Region, is_exit};
use hart::uop::{FIRST_TEMP, Op, Uop};
use isa::InstructionId;
use isa::operands::{File, Site};

/// Registers as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers(pub u32);

impl Registers {
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
    let Uop { a: slot, imm: offset, .. } = block.uops[access];
    if slot != 0 && slot < FIRST_TEMP {
        return Some((slot, offset as i64));
    }
    let sum = block.uops[start..access].iter().rev().find(|uop| uop.op.writes() && uop.dst == slot)?;
    let added = added(*sum, rv32).filter(|_| sum.a != 0 && sum.a < FIRST_TEMP)?;
    Some((sum.a, added.wrapping_add(offset as i64)))
}

/// What a micro-operation adds to its first operand, if it does only that to an address. Sums of 32 bits do on RV32,
/// where they wrap with the address.
pub const fn added(sum: Uop, rv32: bool) -> Option<i64> {
    match sum.op {
        Op::Add64I => Some(sum.imm as i64),
        Op::Add32I if rv32 => Some(sum.imm as i32 as i64),
        _ => None,
    }
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
/// effect, because the interpreter executes it from its beginning: it must not have had any by then.
fn can_compile(uops: &[Uop], start: usize) -> bool {
    let mut changed = false;
    let mut repeats = false;
    for (at, uop) in uops.iter().enumerate() {
        match uop.op {
            Op::CsrRead
            | Op::CsrWrite
            | Op::ReservationTake
            | Op::ReservationSet
            | Op::FenceI
            | Op::Native
            | Op::Evaluate => return false,
            Op::Goto | Op::GotoIfZero => repeats |= uop.imm as usize <= start + at,
            _ => {}
        }
        if changed && may_leave(uop.op) {
            return false;
        }
        changed |= is_store(uop.op) || uop.op.writes() && uop.dst < FIRST_TEMP;
    }
    !(repeats && uops.iter().any(|uop| is_store(uop.op)))
}

const fn may_leave(op: Op) -> bool {
    matches!(op, Op::Raise | Op::Unit) || is_store(op) || is_load(op)
}

/// True for stores.
pub const fn is_store(op: Op) -> bool {
    matches!(op, Op::Store8 | Op::Store16 | Op::Store32 | Op::Store64)
}

/// True for loads.
pub const fn is_load(op: Op) -> bool {
    matches!(
        op,
        Op::Load8
            | Op::Load16
            | Op::Load32
            | Op::Load64
            | Op::Load8S64
            | Op::Load16S64
            | Op::Load32S64
            | Op::Load8S32
            | Op::Load16S32
    )
}

/// Bytes that a load or store moves.
pub const fn access_bytes(op: Op) -> u64 {
    match op {
        Op::Load8 | Op::Load8S64 | Op::Load8S32 | Op::Store8 => 1,
        Op::Load16 | Op::Load16S64 | Op::Load16S32 | Op::Store16 => 2,
        Op::Load32 | Op::Load32S64 | Op::Store32 => 4,
        _ => 8,
    }
}

/// What is known of an instruction of a unit.
pub fn site<'a>(region: &Region<'a>, uop: Uop) -> Site<'a> {
    region.program.site(InstructionId(uop.dst), uop.imm as u32)
}

/// Integer registers that an instruction of a unit reads, and those it writes.
pub fn unit_registers(site: Site<'_>) -> (Registers, Registers) {
    let add = |mut all: Registers, register: Option<u16>| {
        register.map_or(Registers(!1), |register| {
            all.add(register);
            all
        })
    };
    let none = Registers::default();
    (site.reads(File::X).fold(none, add), site.writes(File::X).fold(none, add))
}

/// Registers that a region reads or writes, and those it writes.
pub fn registers(region: &Region<'_>) -> (Registers, Registers) {
    let (mut used, mut written) = (Registers::default(), Registers::default());
    for uop in region.members.iter().flat_map(|member| &member.block.uops) {
        match uop.op {
            Op::Unit => {
                let (reads, writes) = unit_registers(site(region, *uop));
                used.0 |= reads.0 | writes.0;
                written.0 |= writes.0;
                continue;
            }
            Op::Const | Op::Goto | Op::Exit | Op::Native | Op::Evaluate | Op::FenceI => {}
            _ => used.add(uop.a),
        }
        if uop.op == Op::Select {
            used.add(uop.imm as u16);
        }
        if reads_second(uop.op) {
            used.add(uop.b);
        }
        if uop.op.writes() {
            used.add(uop.dst);
            written.add(uop.dst);
        }
    }
    (used, written)
}

const fn reads_second(op: Op) -> bool {
    is_store(op) || is_exit(op) || op.is_pure() || matches!(op, Op::Raise)
}
