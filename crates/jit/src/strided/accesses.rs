//! Which accesses of a block, if it is a loop, move by the same distance from trip to trip.

use engine::block::Block;
use engine::tier::Member;
use engine::uop::{FIRST_TEMP, Kind, Op, Pure, SLOTS, Unary, Uop};
use hart::fault::Access;

use crate::bounds::{self, Bounds, MOST_INDEX};
use crate::shape;

/// Most ranges that are looked up before the first trip.
const MOST_RANGES: usize = 8;
/// Most bytes that a trip uses of one range.
const SPAN: u64 = 2048;
/// Instructions of a trip for each range, at most: where there are more, a check is a small part of them.
const WORTH: usize = 24;
/// Longest distance between trips.
const FARTHEST: u64 = 1 << 16;

/// What a trip uses of memory through the same registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Their sum is the address that offsets are added to; register 0 stands for none.
    pub registers: [u16; 2],
    /// What that sum grows by from trip to trip.
    pub stride: i64,
    /// Loads or stores.
    pub access: Access,
    /// Offset of the first byte.
    pub low: i64,
    /// Past the last byte.
    pub high: i64,
    /// The micro-operations that access it, the first one first.
    pub uops: Vec<usize>,
}

/// Accesses of a loop of one block that move by the same distance from trip to trip.
#[derive(Debug, Default)]
pub struct Accesses {
    pub ranges: Vec<Range>,
}

/// A value as a sum of what registers hold when the trip begins.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum {
    registers: [u16; 2],
    added: i64,
    /// The most that an index adds besides.
    most: u64,
}

impl Accesses {
    /// Those of a member, if it is a loop that has any; `bounds` is what its registers hold at most when a trip begins.
    /// None of those that share a range with micro-operations that `are_checked`.
    pub fn of(member: &Member<'_>, bounds: &Bounds, are_checked: impl Fn(usize) -> bool) -> Option<Self> {
        let block = member.block;
        let is_loop = block.uops.iter().any(|uop| uop.op.is_exit() && uop.imm == member.pc);
        if !is_loop || shape::compiled(block) < block.decoded.len() {
            return None;
        }
        let all = std::array::from_fn(|slot| (slot < FIRST_TEMP.into()).then(|| Sum::of(slot as u16)));
        let ends = follow(block, all, bounds, |_, _| ());
        let stride = |register: u16| match ends[usize::from(register)] {
            Some(end) if end == (Sum { added: end.added, ..Sum::of(register) }) => Some(end.added),
            _ => None,
        };
        let strides: [Option<i64>; SLOTS] =
            std::array::from_fn(|slot| (slot < FIRST_TEMP.into()).then(|| stride(slot as u16)).flatten());
        let strided = std::array::from_fn(|slot| strides[slot].map(|_| Sum::of(slot as u16)));
        let mut found = Self::default();
        follow(block, strided, bounds, |index, sum| {
            let strides = sum.registers.map(|register| strides[usize::from(register)].unwrap_or(0));
            let stride = strides[0].wrapping_add(strides[1]);
            if stride.unsigned_abs() <= FARTHEST {
                found.add(block.uops[index], index, sum, stride);
            }
        });
        found.ranges.retain(|range| !range.uops.iter().any(|&uop| are_checked(uop)));
        let pays = found.ranges.len() * WORTH >= block.decoded.len();
        pays.then_some(found)
    }

    /// True if a micro-operation's access is among them.
    pub fn has(&self, uop: usize) -> bool {
        self.ranges.iter().any(|range| range.uops.contains(&uop))
    }

    fn add(&mut self, uop: Uop, index: usize, sum: Sum, stride: i64) {
        let Some((access, bytes)) = uop.op.access() else { return };
        let low = sum.added.wrapping_add(uop.imm as i64);
        let Some(high) = low.checked_add_unsigned(sum.most + bytes) else { return };
        let registers = sum.registers;
        let joined = |range: &&mut Range| {
            let span = high.max(range.high).wrapping_sub(low.min(range.low)) as u64;
            range.registers == registers && range.access == access && span <= SPAN
        };
        let (is_full, known) = (self.ranges.len() == MOST_RANGES, self.ranges.iter_mut().find(joined));
        match known {
            Some(range) => {
                (range.low, range.high) = (range.low.min(low), range.high.max(high));
                range.uops.push(index);
            }
            None if is_full => {}
            None => self.ranges.push(Range { registers, stride, access, low, high, uops: vec![index] }),
        }
    }
}

impl Sum {
    const fn of(register: u16) -> Self {
        Self { registers: [0, register], added: 0, most: 0 }
    }

    const fn constant(number: u64) -> Self {
        Self { added: number as i64, ..Self::of(0) }
    }

    /// The sum of two, if it is not one of too many registers.
    fn plus(self, other: Self) -> Option<Self> {
        let mut registers = [self.registers, other.registers].concat();
        registers.sort_unstable();
        let &[0, 0, first, second] = registers.as_slice() else { return None };
        let registers = [first, second];
        let added = self.added.wrapping_add(other.added);
        Some(Self { registers, added, most: self.most + other.most })
    }
}

/// Follows a trip from what slots hold when it begins; returns what they hold when it ends. `access` gets the address of
/// each load and store that every trip executes, without its offset.
fn follow(
    block: &Block,
    mut slots: [Option<Sum>; SLOTS],
    bounds: &Bounds,
    mut access: impl FnMut(usize, Sum),
) -> [Option<Sum>; SLOTS] {
    let mut largest = [u64::MAX; SLOTS];
    largest[..bounds.len()].copy_from_slice(bounds);
    for instruction in 0..block.decoded.len() {
        let range = shape::uops_of(block, instruction);
        let uops = &block.uops[range.clone()];
        let straight = !uops.iter().any(|uop| matches!(uop.op, Op::Goto | Op::GotoIfZero));
        for (index, &uop) in range.zip(uops) {
            if let (Some(_), Some(address), true) = (uop.op.access(), slots[usize::from(uop.a)], straight) {
                access(index, address);
            }
            if uop.op == Op::Unit {
                // What it writes, only its word says.
                slots[1..].fill(None);
                largest[1..].fill(u64::MAX);
            }
            if let Some(slot @ 1..) = uop.def() {
                let sum = if straight { sum(uop, &slots, &largest) } else { None };
                let most = if straight { bounds::bound(uop, &largest) } else { u64::MAX };
                slots[usize::from(slot)] = sum;
                largest[usize::from(slot)] = if most <= MOST_INDEX { most } else { u64::MAX };
            }
        }
    }
    slots
}

/// What a micro-operation gives, if that is a sum.
fn sum(uop: Uop, slots: &[Option<Sum>; SLOTS], largest: &[u64; SLOTS]) -> Option<Sum> {
    let [a, b] = [uop.a, uop.b].map(|slot| slots[usize::from(slot)]);
    let [most_a, most_b] = [uop.a, uop.b].map(|slot| largest[usize::from(slot)]);
    let index = |base: Sum, most: u64| (most <= MOST_INDEX).then(|| Sum { most: base.most + most, ..base });
    match uop.op.kind() {
        Kind::Pure(Pure::Const) => Some(Sum::constant(uop.imm)),
        Kind::Pure(Pure::Unary(Unary::Mov)) => a,
        // Rounded down to a multiple, it is less by at most what is cut off.
        _ if uop.op == Op::AndI && (!uop.imm).wrapping_add(1).is_power_of_two() && !uop.imm <= MOST_INDEX => {
            a?.plus(Sum { added: -(!uop.imm as i64), most: !uop.imm, ..Sum::of(0) })
        }
        _ if uop.op == Op::Add64I => a?.plus(Sum::constant(uop.imm)),
        _ if uop.op == Op::Add64 => match (a, b) {
            (Some(a), Some(b)) => a.plus(b),
            (Some(base), None) => index(base, most_b),
            (None, Some(base)) => index(base, most_a),
            (None, None) => None,
        },
        _ => None,
    }
}
