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
    /// Bits that their pages are told apart by before that.
    pages: u64,
}

/// Bits of an address within what is called a page here.
const PAGE: u32 = 12;

const fn page_bit(address: u64) -> u64 {
    1 << (address >> PAGE & 63)
}

impl Written {
    /// None.
    pub const fn new() -> Self {
        Self { bursts: Vec::new(), bytes: Vec::new(), bits: [0; BITS / 64], pages: 0 }
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

    /// True unless no write waits that is of a burst of these bytes, which are of one page.
    #[inline]
    pub const fn is_near(&self, bytes: &Range<u64>) -> bool {
        self.pages & page_bit(bytes.start) != 0
    }

    #[inline]
    fn may_have(&self, burst: u64) -> bool {
        let bit = burst as usize % BITS;
        self.bits[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// A write comes behind the others.
    pub fn push(&mut self, burst: u64, bytes: Range<u64>) {
        self.mark(burst, &bytes);
        self.bursts.push(burst);
        self.bytes.push(bytes);
    }

    /// One of them is done.
    pub fn remove(&mut self, index: usize) {
        self.bursts.remove(index);
        self.bytes.remove(index);
        self.bits = [0; BITS / 64];
        self.pages = 0;
        for index in 0..self.bursts.len() {
            let (burst, bytes) = (self.bursts[index], self.bytes[index].clone());
            self.mark(burst, &bytes);
        }
    }

    fn mark(&mut self, burst: u64, bytes: &Range<u64>) {
        self.pages |= page_bit(bytes.start);
        let bit = burst as usize % BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }
}
