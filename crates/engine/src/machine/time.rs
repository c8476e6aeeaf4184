//! What the observer of a timed run is told, and when: before it is asked anything, before a guest can see the time, and
//! before blocks get other numbers.

use isa::operands::Class;

use super::Machine;
use crate::block::{Block, BlockId};
use crate::observer::Observer;
use crate::timed::{self, Record};

impl Machine<'_> {
    /// Tells what was executed.
    pub(super) fn tell<O: Observer>(&mut self, observer: &mut O) {
        if !O::TIMED {
            return;
        }
        if self.told != self.cache.generation() {
            self.told = self.cache.generation();
            observer.renumbered();
        }
        if !self.records.is_empty() {
            let next = self.system.hart.pc;
            self.records.drain(&self.cache, next, |record| observer.executed(record));
        }
        self.system.hart.stalls = observer.cycles().wrapping_sub(self.system.hart.retired);
    }

    /// Tells of the first instructions of a block that is not in the cache.
    pub(super) fn tell_of<O: Observer>(&mut self, block: &Block, retired: usize, observer: &mut O) {
        let words = &self.effects.noted[..timed::words(block, retired)];
        observer.executed(&Record { id: None, block, retired, words, next: self.system.hart.pc });
        self.effects.noted.clear();
    }

    /// Before a block is executed.
    #[inline(always)]
    pub(super) fn make_room<O: Observer>(&mut self, id: BlockId, observer: &mut O) {
        if !O::TIMED {
            return;
        }
        let block = self.cache.block(id);
        let last = &block.decoded[block.decoded.len() - 1];
        let sees_time = self.program.site(last.id, last.word).effects.class == Class::Csr;
        if sees_time || self.records.room() < block.decoded.len() {
            self.tell(observer);
        }
        if sees_time {
            let block = self.cache.block(id);
            let next = Record { id: Some(id), block, retired: 0, words: &[], next: self.system.hart.pc };
            self.system.hart.stalls = observer.cycles_in(&next).wrapping_sub(self.system.hart.retired);
        }
    }

    /// What the interpreter noted of a block.
    #[inline(always)]
    pub(super) fn note<O: Observer>(&mut self) {
        if O::TIMED {
            self.records.note(&self.effects.noted);
            self.effects.noted.clear();
            self.effects.accesses.clear();
        }
    }

    /// The interpreter takes a block up where compiled code left it: at an instruction, or in it after a store to the
    /// host.
    pub(super) fn reopen<O: Observer>(&mut self, id: BlockId, uop: usize, is_host: bool) {
        if O::TIMED {
            let block = self.cache.block(id);
            self.records.reopen(block, block.instruction_of(uop) + usize::from(is_host));
        }
    }
}
