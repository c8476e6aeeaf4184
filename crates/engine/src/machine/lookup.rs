//! How blocks are translated, where they are found, and how they are dropped.

use super::{JUMPS, Machine, Stop};
use crate::block::{self, BlockId};

impl Machine<'_> {
    /// Translates the block at `pc`, to which the block before leads unless a trap or a flush comes between.
    ///
    /// # Errors
    /// It cannot be fetched: how the run ends, or nothing if the guest handles that.
    #[cold]
    pub(super) fn translate(
        &mut self,
        pc: u64,
        came_from: &mut Option<(BlockId, u8)>,
    ) -> Result<BlockId, Option<Stop>> {
        match block::translate(self.program, &self.system.memory, pc, self.cuts.cut(false)) {
            Ok(block) => {
                if self.cache.is_full() {
                    self.flush();
                    *came_from = None;
                }
                self.cache.remember(&self.system.memory, &block);
                Ok(self.cache.insert(pc, block))
            }
            Err(exception) => {
                *came_from = None;
                Err(self.raise(pc, exception))
            }
        }
    }

    pub(super) fn jump_target(&mut self, pc: u64) -> Option<BlockId> {
        let entry = &mut self.jumps[(pc >> 1) as usize & (JUMPS - 1)];
        match *entry {
            Some((target, id)) if target == pc => Some(id),
            _ => {
                let id = self.cache.find(pc)?;
                *entry = Some((pc, id));
                Some(id)
            }
        }
    }

    /// Has jumps to an address look for the block there.
    pub(super) fn forget_jump(&mut self, pc: u64) {
        self.jumps[(pc >> 1) as usize & (JUMPS - 1)] = None;
    }

    /// Drops all translated code if any of it has changed in guest memory, or is gone. To drop only that was tried: a
    /// process that makes code for ever then took more memory.
    pub fn flush_code(&mut self) {
        if self.cache.is_stale(&self.system.memory) {
            self.flush();
        }
    }

    /// Drops every translated block, as before the memory is exchanged for another one.
    pub fn drop_code(&mut self) {
        self.flush();
    }

    pub(super) fn flush(&mut self) {
        self.drop_compiled();
        self.cache.flush();
        self.jumps.fill(None);
    }
}
