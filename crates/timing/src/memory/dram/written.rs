//! Which bursts the writes that wait are of, looked up for every access.

/// Bits that bursts are told apart by before they are looked through.
const BITS: usize = 1 << 10;

/// The bursts, in the order of the writes.
#[derive(Clone, Debug)]
pub struct Written {
    bursts: Vec<u64>,
    bits: [u64; BITS / 64],
}

impl Written {
    /// None.
    pub const fn new() -> Self {
        Self { bursts: Vec::new(), bits: [0; BITS / 64] }
    }

    /// True if a write of this burst waits.
    #[inline]
    pub fn has(&self, burst: u64) -> bool {
        let bit = burst as usize % BITS;
        self.bits[bit / 64] >> (bit % 64) & 1 != 0 && self.bursts.contains(&burst)
    }

    /// A write comes behind the others.
    pub fn push(&mut self, burst: u64) {
        self.bursts.push(burst);
        self.mark(burst);
    }

    /// One of them is done.
    pub fn remove(&mut self, index: usize) {
        self.bursts.remove(index);
        self.bits = [0; BITS / 64];
        (0..self.bursts.len()).for_each(|index| self.mark(self.bursts[index]));
    }

    fn mark(&mut self, burst: u64) {
        let bit = burst as usize % BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }
}
