//! Registers that hold small numbers where a block of a region begins: most often bytes that the block before loaded, or
//! combined, as indices of a table. Accesses through the table's address then need one check together
//! (`access.rs`).
//!
//! That holds for ways within the region only. Where it helps, a block is no way into the region from elsewhere.

use engine::tier::Region;
use engine::uop::{Binary, FIRST_TEMP, Kind, Op, Pure, SLOTS, Unary, Uop};

use crate::returns::Returns;
use crate::shape;

/// Largest index of a table that is checked as a whole.
pub const MOST_INDEX: u64 = 1020;
/// Times that a block's bounds may grow before they are given up, as in a loop that counts.
const PATIENCE: u32 = 3;

/// What registers hold at most; [`u64::MAX`] if that is not known, or too much to be of use.
pub type Bounds = [u64; FIRST_TEMP as usize];

/// Nothing is known but of the register that is zero.
pub const UNKNOWN: Bounds = {
    let mut bounds = [u64::MAX; FIRST_TEMP as usize];
    bounds[0] = 0;
    bounds
};

/// What is known where the blocks of a region begin.
pub struct AtBlocks {
    bounds: Vec<Bounds>,
    entries: Vec<bool>,
}

impl AtBlocks {
    /// Of a region.
    pub fn new(region: &Region<'_>) -> Self {
        let members = &region.members;
        let wanted: Vec<bool> = members.iter().map(|member| member.is_entry).collect();
        let alone: Vec<bool> = (0..members.len()).map(|index| index == 0).collect();
        let hoped = solve(region, &alone);
        let gains = |(index, bounds): (usize, &Bounds)| {
            index > 0 && walk(region, index, bounds, |_, _| ()) > walk(region, index, &UNKNOWN, |_, _| ())
        };
        let gaining: Vec<bool> = hoped.iter().enumerate().map(gains).collect();
        if !gaining.contains(&true) {
            return Self { bounds: vec![UNKNOWN; members.len()], entries: wanted };
        }
        let entries: Vec<bool> =
            wanted.iter().zip(&gaining).map(|(&entry, &gains)| entry && !gains).collect();
        Self { bounds: solve(region, &entries), entries }
    }

    /// Where a block begins.
    pub fn of(&self, member: usize) -> &Bounds {
        &self.bounds[member]
    }

    /// True if the region may be entered there from elsewhere.
    pub fn is_entry(&self, member: usize) -> bool {
        self.entries[member]
    }
}

/// What is known at blocks, if the region is entered only at some.
fn solve(region: &Region<'_>, entries: &[bool]) -> Vec<Bounds> {
    let members = &region.members;
    let mut found: Vec<Option<(Bounds, u32)>> =
        entries.iter().map(|&entry| entry.then_some((UNKNOWN, 0))).collect();
    let mut waiting: Vec<usize> = (0..members.len()).filter(|&index| entries[index]).collect();
    let returns = Returns::of(region);
    while let Some(index) = waiting.pop() {
        let Some((bounds, _)) = found[index] else { continue };
        let mut ways: Vec<(usize, Bounds)> = Vec::new();
        walk(region, index, &bounds, |pc, bounds| {
            for (next, member) in members.iter().enumerate() {
                let returned = || returns.from(index).contains(&next);
                if pc.map_or_else(returned, |pc| pc == member.pc) {
                    ways.push((next, *bounds));
                }
            }
        });
        for (next, bounds) in ways {
            let joined = match found[next] {
                None => (bounds, 0),
                Some((before, times)) => {
                    let grown = |register: usize| match bounds[register] > before[register] {
                        true if times >= PATIENCE => u64::MAX,
                        true => bounds[register],
                        false => before[register],
                    };
                    (std::array::from_fn(grown), times + 1)
                }
            };
            if found[next].is_none_or(|(before, _)| before != joined.0) {
                found[next] = Some(joined);
                waiting.push(next);
            }
        }
    }
    found.into_iter().map(|found| found.map_or(UNKNOWN, |(bounds, _)| bounds)).collect()
}

/// Follows a block: what holds where it goes on, at a known address or a computed one; returns how many sums of an
/// address and a small index it makes.
fn walk(
    region: &Region<'_>,
    index: usize,
    begin: &Bounds,
    mut leave: impl FnMut(Option<u64>, &Bounds),
) -> u32 {
    let block = region.members[index].block;
    let mut slots = [u64::MAX; SLOTS];
    slots[..begin.len()].copy_from_slice(begin);
    let mut indexed = 0;
    for instruction in 0..shape::compiled(block) {
        let uops = &block.uops[shape::uops_of(block, instruction)];
        let straight = !uops.iter().any(|uop| matches!(uop.op, Op::Goto | Op::GotoIfZero));
        for &uop in uops {
            let mut bounds = UNKNOWN;
            let mut here = |pc, slots: &[u64; SLOTS]| {
                bounds.copy_from_slice(&slots[..begin.len()]);
                leave(pc, &bounds);
            };
            match uop.op.kind() {
                Kind::ExitIf(_) | Kind::Exit => here(Some(uop.imm), &slots),
                Kind::ExitTo => here(None, &slots),
                Kind::Unit => {
                    let (_, written) = shape::unit_registers(shape::site(region, uop));
                    written.iter().for_each(|register| slots[usize::from(register)] = u64::MAX);
                }
                _ => {}
            }
            if uop.op == Op::Add64 {
                let is_small = |slot: u16| slots[usize::from(slot)] <= MOST_INDEX;
                indexed += u32::from(is_small(uop.a) != is_small(uop.b));
            }
            if let Some(slot @ 1..) = uop.def() {
                let most = if straight { bound(uop, &slots) } else { u64::MAX };
                slots[usize::from(slot)] = if most <= MOST_INDEX { most } else { u64::MAX };
            }
        }
    }
    indexed
}

/// The most that a micro-operation can give.
pub fn bound(uop: Uop, slots: &[u64]) -> u64 {
    let (a, b) = (slots[usize::from(uop.a)], slots[usize::from(uop.b)]);
    match uop.op.kind() {
        Kind::Load(load) if !load.signed => u64::MAX >> (64 - load.bits),
        Kind::Pure(Pure::Const) => uop.imm,
        Kind::Pure(Pure::Compare { .. }) => 1,
        Kind::Pure(Pure::Unary(Unary::Mov)) => a,
        Kind::Pure(Pure::Binary { op, immediate }) => {
            let b = if immediate { uop.imm } else { b };
            match op {
                Binary::And => a.min(b),
                Binary::Or | Binary::Xor => u64::MAX >> (a | b).leading_zeros().min(63),
                Binary::AndNot => a,
                Binary::Shr if immediate => a.checked_shr(b as u32).unwrap_or(0),
                Binary::Shl64 if immediate && b < 32 && a <= MOST_INDEX => a << b,
                _ => u64::MAX,
            }
        }
        _ => u64::MAX,
    }
}
