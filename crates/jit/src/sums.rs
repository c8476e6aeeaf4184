//! Values of a block as sums of what registers hold when it begins.

use engine::block::Block;
use engine::uop::{FIRST_TEMP, Kind, Op, Pure, Unary, Uop};

use crate::bounds::{self, Bounds, MOST_INDEX};
use crate::shape::{self, Registers};

/// What registers hold, as far as it is a sum.
pub type Sums = [Option<Sum>; FIRST_TEMP as usize];

/// A value as a sum of what registers hold when a block begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum {
    /// Register 0 stands for none.
    pub registers: [u16; 2],
    /// What is added to them.
    pub added: i64,
    /// The most that an index adds besides.
    pub most: u64,
}

impl Sum {
    /// What registers hold when a block begins.
    pub fn of_all() -> Sums {
        std::array::from_fn(|register| Some(Self::of(register as u16)))
    }

    /// What a register holds.
    pub const fn of(register: u16) -> Self {
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

/// Follows a block from what registers hold when it begins; returns what they hold when it ends. `unit_writes` says which
/// registers an instruction of a unit may write. `access` gets the address of each load and store that every execution of
/// the block gets to, without its offset. `unknown` gives a value that is none of these sums a name, or does not.
pub fn follow(
    block: &Block,
    registers: Sums,
    bounds: &Bounds,
    unit_writes: impl Fn(Uop) -> Registers,
    mut unknown: impl FnMut() -> Option<Sum>,
    mut access: impl FnMut(usize, Sum),
) -> Sums {
    let named = block.uops.iter().flat_map(|uop| [uop.a, uop.b].into_iter().chain(uop.def()));
    let slots = usize::from(named.max().unwrap_or(0).max(FIRST_TEMP - 1)) + 1;
    let (mut sums, mut largest) = (vec![None; slots], vec![u64::MAX; slots]);
    sums[..registers.len()].copy_from_slice(&registers);
    largest[..bounds.len()].copy_from_slice(bounds);
    for instruction in 0..block.decoded.len() {
        let range = shape::uops_of(block, instruction);
        let uops = &block.uops[range.clone()];
        let straight = !uops.iter().any(|uop| matches!(uop.op, Op::Goto | Op::GotoIfZero));
        for (index, &uop) in range.zip(uops) {
            if let (Some(_), Some(address), true) = (uop.op.access(), sums[usize::from(uop.a)], straight) {
                access(index, address);
            }
            if uop.op == Op::Unit {
                for register in unit_writes(uop).iter().map(usize::from) {
                    (sums[register], largest[register]) = (None, u64::MAX);
                }
            }
            if let Some(slot @ 1..) = uop.def() {
                let most = if straight { bounds::bound(uop, &largest) } else { u64::MAX };
                // An index has a bound in place of a name.
                let name = || if most <= MOST_INDEX { None } else { unknown() };
                let sum = if straight { sum(uop, &sums, &largest).or_else(name) } else { None };
                sums[usize::from(slot)] = sum;
                largest[usize::from(slot)] = if most <= MOST_INDEX { most } else { u64::MAX };
            }
        }
    }
    std::array::from_fn(|register| sums[register])
}

/// What a micro-operation gives, if that is a sum.
fn sum(uop: Uop, slots: &[Option<Sum>], largest: &[u64]) -> Option<Sum> {
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
