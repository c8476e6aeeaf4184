//! How often blocks were executed.

use std::cell::Cell;

/// Counters in one piece.
const CHUNK: usize = 1 << 10;

/// Counters that stay where they are, because compiled code adds to them.
#[derive(Debug, Default)]
pub struct Counters {
    chunks: Vec<Box<[Cell<u64>; CHUNK]>>,
    length: usize,
}

impl Counters {
    /// One more, at 0.
    pub fn push(&mut self) {
        if self.length.is_multiple_of(CHUNK) {
            self.chunks.push(Box::new([const { Cell::new(0) }; CHUNK]));
        }
        self.length += 1;
    }

    /// That of a number.
    pub fn get(&self, index: usize) -> &Cell<u64> {
        &self.chunks[index / CHUNK][index % CHUNK]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.chunks.iter().flat_map(|chunk| chunk.iter().map(Cell::get))
    }
}
