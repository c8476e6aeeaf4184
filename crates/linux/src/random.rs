//! What a guest gets for randomness: a fixed sequence, unless the host's is asked for.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A source of random bytes. Not for keys: a guest's secrets are test data.
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence that begins at `seed`; without one, an unpredictable one.
    pub fn new(seed: Option<u64>) -> Self {
        // The standard library seeds its hash tables from the host's entropy.
        let state = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        Self { state }
    }

    /// The next 64 bits (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// Fills a slice.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }

    /// `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}
