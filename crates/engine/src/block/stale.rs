//! Which blocks are stale: what they were translated from is no longer in memory. A page is compared with what it held when
//! blocks were translated from it, so that code that nobody wrote to is kept.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use hart::fault::Access;
use hart::memory::{Address, Memory};

use super::pages::{BYTES, Page};
use super::{Block, Cache, translate};

/// Bytes compared at once.
const PAGE: u64 = BYTES as u64;
/// What the copy of a page counts in the size of a cache, whose unit are 32 bytes.
const SIZE: usize = BYTES / 32;

impl Cache {
    /// Remembers the pages that a block was translated from just now; call it for each block that is added.
    pub fn remember(&mut self, memory: &Memory, block: &Block) {
        for number in pages(block) {
            let known = self.pages.get(&number);
            if known.is_none_or(|page| page.as_ref().is_some_and(|page| !held(page, number, block))) {
                let page = if known.is_none() { read(memory, number) } else { None };
                self.size += if known.is_none() { SIZE } else { 0 };
                self.pages.insert(number, page);
            }
        }
    }

    /// How many pages are compared.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// True if a block is not in memory any more.
    pub fn is_stale(&mut self, memory: &Memory) -> bool {
        let is_same = |number: u64, page: &Option<Page>| {
            page.as_ref().is_some_and(|page| bytes(memory, number).is_some_and(|now| **page == now))
        };
        let written = self.pages.iter().filter(|&(&number, page)| !is_same(number, page));
        let written: HashSet<u64> = written.map(|(&number, _)| number).collect();
        // Blocks that others took the place of are in compiled code still.
        let mut on_these =
            self.blocks.iter().filter(|block| pages(block).any(|number| written.contains(&number)));
        if !written.is_empty() && on_these.any(|block| !is_current(memory, block)) {
            return true;
        }
        for number in written {
            self.pages.insert(number, read(memory, number));
        }
        false
    }
}

/// Numbers of the pages that a block is on.
fn pages(block: &Block) -> RangeInclusive<u64> {
    let end = block.decoded.last().map_or(block.pc, |last| last.pc.wrapping_add(last.length() - 1));
    block.pc / PAGE..=end / PAGE
}

fn read(memory: &Memory, number: u64) -> Option<Page> {
    bytes(memory, number).map(Arc::new)
}

fn bytes(memory: &Memory, number: u64) -> Option<[u8; BYTES]> {
    memory.read(Address(number * PAGE), Access::Fetch).ok()
}

/// True if a page held those words of a block that are on it.
fn held(page: &Page, number: u64, block: &Block) -> bool {
    block.decoded.iter().all(|decoded| {
        let word = decoded.word.to_le_bytes();
        let bytes = (0..decoded.length()).map(|index| (decoded.pc.wrapping_add(index), word[index as usize]));
        bytes.filter(|(at, _)| at / PAGE == number).all(|(at, byte)| page[(at % PAGE) as usize] == byte)
    })
}

/// True if memory holds the words of a block.
fn is_current(memory: &Memory, block: &Block) -> bool {
    let mut all = block.decoded.iter();
    all.all(|decoded| translate::word(memory, decoded.pc).is_ok_and(|word| word == decoded.word))
}
