//! Threads and handlers of signals: memory has one shadow, and each thread's registers have their own.

use engine::observer::Moved;
use rustc_hash::FxHashMap;

use crate::shadow::{Parked, Secret, Shadow};

/// First of the registers that a handler has its arguments in, and the one after the last.
const ARGUMENTS: std::ops::Range<u16> = 10..13;
/// The registers that a handler is given besides: return address and stack pointer.
const GIVEN: [u16; 2] = [1, 2];
/// Most handlers of a thread that interrupt one another and have not returned.
const MOST_NESTED: usize = 64;

/// Shadows of registers that no hart holds now.
#[derive(Default)]
pub(crate) struct Threads {
    parked: FxHashMap<u32, Parked>,
    /// What handlers interrupted, the last one last.
    interrupted: FxHashMap<u32, Vec<Parked>>,
}

impl Threads {
    /// Follows registers that are moved.
    pub fn follow(&mut self, shadow: &mut Shadow, moved: Moved) {
        match moved {
            Moved::Copied { to } => {
                self.parked.insert(to, shadow.parked());
            }
            Moved::Exchanged { from, to } => {
                self.parked.insert(from, shadow.parked());
                // Every thread but the first was copied.
                if let Some(next) = self.parked.remove(&to) {
                    shadow.resume(next);
                }
            }
            Moved::Dropped { of } => {
                self.parked.remove(&of);
                self.interrupted.remove(&of);
            }
            Moved::Saved { of, integers, units, units_bytes } => {
                shadow.save_integers(integers);
                shadow.save_units(units, units_bytes);
                let handlers = self.interrupted.entry(of).or_default();
                if handlers.len() == MOST_NESTED {
                    // One that was left by a jump.
                    handlers.remove(0);
                }
                handlers.push(shadow.parked());
                ARGUMENTS.chain(GIVEN).for_each(|register| shadow.write_x(register, Secret::default()));
            }
            Moved::Restored { of } => {
                if let Some(before) = self.interrupted.get_mut(&of).and_then(Vec::pop) {
                    shadow.resume(before);
                }
            }
        }
    }
}
