//! Where translated blocks are found, and how they are dropped.

use super::{JUMPS, Machine};
use crate::block::BlockId;

impl Machine<'_> {
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

    /// Drops every translated block, because guest memory that holds code may have changed.
    pub fn flush_code(&mut self) {
        self.flush();
    }

    pub(super) fn flush(&mut self) {
        self.drop_compiled();
        self.cache.flush();
        self.jumps.fill(None);
    }
}
