//! Accesses at distances from what registers hold where their block begins: they are checked there. What the block computes
//! then need not be kept for the case that a check fails, and what is overwritten before its end not even computed.

use engine::block::Block;
use hart::fault::Access;

use crate::bounds::Bounds;
use crate::builder::{Builder, Checked, Place};
use crate::shape::{self, Registers};
use crate::strided::{Accesses, Range};
use crate::sums::{Sum, follow};

/// Least instructions of a block that it pays for: in a shorter one little is kept, and registers that the host has no room
/// for are loaded twice.
const LONG: usize = 16;

/// Those accesses of a block, but for any after an exit.
fn accesses(block: &Block, bounds: &Bounds) -> Accesses {
    let compiled = (0..shape::compiled(block)).flat_map(|instruction| shape::uops_of(block, instruction));
    let end = compiled.take_while(|&uop| !block.uops[uop].op.is_exit()).count();
    let mut found = Accesses::default();
    follow(
        block,
        Sum::of_all(),
        bounds,
        |_| Registers::ALL,
        || None,
        |index, sum| {
            if index < end && sum.registers[0] == 0 && sum.registers[1] != 0 {
                found.add(block.uops[index], index, sum, 0);
            }
        },
    );
    found
}

impl Builder<'_, '_> {
    /// Checks these accesses of a block, which begins.
    pub fn check_ahead(&mut self, member: usize) {
        let block = self.region.members[member].block;
        if block.decoded.len() < LONG {
            return;
        }
        let found = accesses(block, self.bounds.of(member));
        for Range { registers: [_, register], access, low, high, uops, .. } in found.ranges {
            let is_checked = |&uop: &usize| self.trips.as_ref().is_some_and(|trips| trips.accesses.has(uop));
            if uops.iter().all(is_checked) {
                continue;
            }
            let place = Place { member, start: 0, uop: uops[0], straight: true };
            let (base, stores) = (self.get(register), access == Access::Store);
            if self.covering(base, low, high, stores).is_some() {
                self.ahead.extend(uops);
                continue;
            }
            let host = self.check_range(base, low, high.abs_diff(low), access, place);
            self.checked.push(Checked { base, stores, low, high, host });
            self.ahead.extend(uops);
        }
    }
}
