//! Which accesses of a block, if it is a loop, move by the same distance from trip to trip.

use engine::tier::Member;
use engine::uop::{FIRST_TEMP, Uop};
use hart::fault::Access;

use super::Followed;
use crate::bounds::Bounds;
use crate::shape::{self, Registers};
use crate::sums::{Sum, follow};

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
    /// If trips that others follow are compiled apart.
    pub followed: Option<Followed>,
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
        // What an instruction of a unit writes, only its word says.
        let any = |_| Registers::ALL;
        let ends = follow(block, Sum::of_all(), bounds, any, || None, |_, _| ());
        let stride = |register: u16| match ends[usize::from(register)] {
            Some(end) if end == (Sum { added: end.added, ..Sum::of(register) }) => Some(end.added),
            _ => None,
        };
        let strides: [Option<i64>; FIRST_TEMP as usize] =
            std::array::from_fn(|register| stride(register as u16));
        let strided = std::array::from_fn(|register| strides[register].map(|_| Sum::of(register as u16)));
        let mut found = Self::default();
        follow(
            block,
            strided,
            bounds,
            any,
            || None,
            |index, sum| {
                let strides = sum.registers.map(|register| strides[usize::from(register)].unwrap_or(0));
                let stride = strides[0].wrapping_add(strides[1]);
                if stride.unsigned_abs() <= FARTHEST {
                    found.add(block.uops[index], index, sum, stride);
                }
            },
        );
        found.ranges.retain(|range| !range.uops.iter().any(|&uop| are_checked(uop)));
        let is_safe = |index: usize| block.uops[index].op.access().is_none() || found.has(index);
        let followed = Followed::of(block, bounds).filter(|_| (0..block.uops.len()).all(is_safe));
        found.followed = followed;
        let pays = found.ranges.len() * WORTH >= block.decoded.len() || found.followed.is_some();
        pays.then_some(found)
    }

    /// True if a micro-operation's access is among them.
    pub fn has(&self, uop: usize) -> bool {
        self.ranges.iter().any(|range| range.uops.contains(&uop))
    }

    /// Adds the access of the micro-operation at `index`, at what is added to a sum that grows by `stride`.
    pub fn add(&mut self, uop: Uop, index: usize, sum: Sum, stride: i64) {
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
