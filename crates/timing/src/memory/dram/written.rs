//! Which bytes the writes that wait are of, looked up for every access.

use std::ops::Range;

/// Bits that bursts are told apart by before they are looked through.
const BITS: usize = 1 << 10;

/// Bursts, each once, and the bytes of the first write to each, in the order of the writes.
#[derive(Clone, Debug)]
pub struct Written {
    bursts: Vec<u64>,
    bytes: Vec<Range<u64>>,
    bits: [u64; BITS / 64],
}

impl Written {
    /// None.
    pub const fn new() -> Self {
        Self { bursts: Vec::new(), bytes: Vec::new(), bits: [0; BITS / 64] }
    }

    /// True if a write of this burst waits.
    #[inline]
    pub fn has(&self, burst: u64) -> bool {
        self.may_have(burst) && self.bursts.contains(&burst)
    }

    /// True if a write that waits has all of these bytes, which are of this burst. Later writes to the burst leave its
    /// bounds alone.
    #[inline]
    pub fn covers(&self, burst: u64, bytes: &Range<u64>) -> bool {
        self.may_have(burst)
            && self.bursts.iter().position(|&one| one == burst).is_some_and(|index| {
                self.bytes[index].start <= bytes.start && bytes.end <= self.bytes[index].end
            })
    }

    #[inline]
    fn may_have(&self, burst: u64) -> bool {
        let bit = burst as usize % BITS;
        self.bits[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// A write comes behind the others.
    pub fn push(&mut self, burst: u64, bytes: Range<u64>) {
        self.bursts.push(burst);
        self.bytes.push(bytes);
        self.mark(burst);
    }

    /// One of them is done.
    pub fn remove(&mut self, index: usize) {
        self.bursts.remove(index);
        self.bytes.remove(index);
        self.bits = [0; BITS / 64];
        (0..self.bursts.len()).for_each(|index| self.mark(self.bursts[index]));
    }

    fn mark(&mut self, burst: u64) {
        let bit = burst as usize % BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }
}
