//! Accesses that hit in a hart's own caches, one after the other.

use super::{Access, Gem5};
use crate::serial::{Touch, Touching};

impl Gem5 {
    /// [`crate::serial::Serial::touch`].
    #[inline]
    pub(super) fn touch_all(&mut self, hart: usize, touches: &[Touching<Access>], words: &[u64]) -> usize {
        if !self.ways.are_kept() {
            return 0;
        }
        let Some(mut own) = self.memory.own(hart) else { return 0 };
        let data_of = self.ways.data_of(hart, own.accesses.is_some());
        // The line fetched from last, and the one accessed since then.
        let (mut fetched, mut accessed) = (None, None);
        let hits = |touching: &&Touching<Access>| match touching.touch {
            Touch::Fetch { line, again } => {
                // What was touched last in its set is as it was if it is touched again.
                let is_last = |fetched| {
                    own.accesses.is_some()
                        || accessed.is_none_or(|data| own.fetches.set(data) != own.fetches.set(fetched))
                };
                if !again || !fetched.is_some_and(is_last) {
                    fetched = self.ways.touch(hart, line, 1, own.fetches, false);
                }
                accessed = None;
                fetched.is_some()
            }
            Touch::Data { access: Access { bytes, kind }, word } => {
                let lines = own.accesses.as_deref_mut().unwrap_or(own.fetches);
                accessed = words
                    .get(word as usize)
                    .and_then(|&address| self.ways.touch(data_of, address, bytes, lines, kind.writes()));
                accessed.is_some()
            }
        };
        touches.iter().take_while(hits).count()
    }

    /// The line of a virtual address, which has a physical one, was fetched from.
    pub(super) fn note_fetch(&mut self, hart: usize, address: u64, physical: u64) {
        if self.ways.are_kept()
            && let Some(own) = self.memory.own(hart)
        {
            self.ways.note(hart, address, own.fetches, physical);
        }
    }

    /// It was accessed.
    pub(super) fn note_data(&mut self, hart: usize, address: u64, physical: u64) {
        if self.ways.are_kept()
            && let Some(own) = self.memory.own(hart)
        {
            let data_of = self.ways.data_of(hart, own.accesses.is_some());
            self.ways.note(data_of, address, own.accesses.unwrap_or(own.fetches), physical);
        }
    }
}
