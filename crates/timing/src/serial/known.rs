//! The blocks that were executed, by number. What most executions need of a block is kept apart from the rest of it, all
//! blocks' in one place: the rest is too much for a host's first cache.

use super::block::{Accessing, Block};
use super::core::Serial;

/// All blocks.
pub struct Known<C: Serial> {
    blocks: Vec<Option<Box<Block<C>>>>,
    hot: Vec<Hot>,
    /// Accesses to data of one block after the other.
    accessing: Vec<Accessing<C::Access>>,
}

/// What most executions need of a block.
pub struct Hot {
    /// [`Block::there`].
    pub there: Option<u64>,
    /// Cycles that its instructions usually take.
    pub usual: u64,
    /// Executions to its end that the block has not counted.
    pub times: u64,
    pub instructions: u32,
    /// Where its accesses begin, and how many there are; none yet if it was never put.
    first: u32,
    accesses: u32,
}

const NEVER: Hot = Hot { there: None, usual: 0, times: 0, instructions: 0, first: 0, accesses: 0 };

/// A block, as far as most executions need it; the rest of it if more is needed.
pub struct Part<'a, C: Serial> {
    pub hot: &'a mut Hot,
    pub accessing: &'a [Accessing<C::Access>],
    pub block: &'a mut Block<C>,
}

impl<C: Serial> Default for Known<C> {
    fn default() -> Self {
        Self { blocks: Vec::new(), hot: Vec::new(), accessing: Vec::new() }
    }
}

impl<C: Serial> Known<C> {
    /// What most executions need, if that is known.
    #[inline]
    pub fn hot(&self, index: usize) -> Option<&Hot> {
        self.hot.get(index)
    }

    /// Of one that is known.
    #[inline]
    pub fn part(&mut self, index: usize) -> Option<Part<'_, C>> {
        let hot = self.hot.get_mut(index)?;
        let accessing = &self.accessing[hot.first as usize..][..hot.accesses as usize];
        Some(Part { hot, accessing, block: self.blocks[index].as_deref_mut()? })
    }

    /// A block, to be put back.
    #[inline]
    pub fn take(&mut self, index: usize) -> Option<Box<Block<C>>> {
        self.blocks.get_mut(index)?.take()
    }

    /// A block that was taken, or is new.
    #[inline]
    pub fn put(&mut self, index: usize, block: Box<Block<C>>) {
        match (self.blocks.get_mut(index), self.hot.get_mut(index)) {
            (Some(place), Some(hot)) if hot.instructions != 0 => {
                hot.there = block.there;
                *place = Some(block);
            }
            _ => self.put_first(index, block),
        }
    }

    #[cold]
    #[inline(never)]
    fn put_first(&mut self, index: usize, block: Box<Block<C>>) {
        if index >= self.blocks.len() {
            self.blocks.resize_with(index + 1, || None);
            self.hot.resize_with(index + 1, || NEVER);
        }
        let first = self.accessing.len() as u32;
        self.accessing.extend_from_slice(&block.accessing);
        self.hot[index] = Hot {
            there: block.there,
            usual: block.usual_sum as u64,
            times: 0,
            instructions: block.ops.len() as u32,
            first,
            accesses: block.accessing.len() as u32,
        };
        self.blocks[index] = Some(block);
    }

    /// Each with its executions.
    pub fn iter(&self) -> impl Iterator<Item = (&Block<C>, u64)> {
        let each = self.blocks.iter().zip(&self.hot);
        each.filter_map(|(block, hot)| block.as_deref().map(|block| (block, block.times + hot.times)))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
