//! Which bytes the writes that wait are of, looked up for every access.

use std::ops::Range;

/// Places that bursts are looked up in, by their last bits.
const PLACES: usize = 1 << 10;
/// Bits of an address within what is called a page here.
const PAGE: u32 = 12;

/// Bursts, each once, and the bytes of the first write to each, in the order of the writes.
#[derive(Clone, Debug)]
pub struct Written {
    bursts: Vec<u64>,
    bytes: Vec<Range<u64>>,
    /// One more than where one of the bursts is that belong to a place; 0 is none.
    places: Box<[u16; PLACES]>,
    /// A bit for each page that one is of, by its last bits.
    pages: u64,
}

impl Written {
    /// None.
    pub fn new() -> Self {
        Self { bursts: Vec::new(), bytes: Vec::new(), places: Box::new([0; PLACES]), pages: 0 }
    }

    /// True if a write of this burst waits.
    #[inline]
    pub fn has(&self, burst: u64) -> bool {
        self.find(burst).is_some()
    }

    /// True if a write that waits has all of these bytes, which are of this burst. Later writes to the burst leave its
    /// bounds alone.
    #[inline]
    pub fn covers(&self, burst: u64, bytes: &Range<u64>) -> bool {
        self.find(burst)
            .is_some_and(|index| self.bytes[index].start <= bytes.start && bytes.end <= self.bytes[index].end)
    }

    /// True unless no write waits that is of a burst of these bytes, which are of one page.
    #[inline]
    pub const fn is_near(&self, bytes: &Range<u64>) -> bool {
        self.pages & page_bit(bytes.start) != 0
    }

    #[inline]
    fn find(&self, burst: u64) -> Option<usize> {
        let place = usize::from(self.places[burst as usize % PLACES]);
        if place == 0 {
            return None;
        }
        let index = place - 1;
        if self.bursts[index] == burst { Some(index) } else { self.search(burst) }
    }

    /// Of two that belong to the same place, the other one.
    #[cold]
    fn search(&self, burst: u64) -> Option<usize> {
        self.bursts.iter().position(|&one| one == burst)
    }

    /// A write comes after the others.
    pub fn push(&mut self, burst: u64, bytes: Range<u64>) {
        self.bursts.push(burst);
        self.bytes.push(bytes);
        self.mark(self.bursts.len() - 1);
    }

    /// One of them is done.
    pub fn remove(&mut self, index: usize) {
        self.bursts.remove(index);
        self.bytes.remove(index);
        self.places.fill(0);
        self.pages = 0;
        (0..self.bursts.len()).for_each(|index| self.mark(index));
    }

    fn mark(&mut self, index: usize) {
        // A queue has 4096 places at most.
        self.places[self.bursts[index] as usize % PLACES] = index as u16 + 1;
        self.pages |= page_bit(self.bytes[index].start);
    }
}

const fn page_bit(address: u64) -> u64 {
    1 << (address >> PAGE & 63)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PLACES, Written};

    proptest! {
        #[test]
        fn what_waits_is_found(steps in prop::collection::vec((0..3_u64, 0..4_u64, 0..8_usize), 1..100)) {
            let (mut written, mut model) = (Written::new(), Vec::new());
            for (high, low, which) in steps {
                // Some of them belong to one place.
                let burst = high * PLACES as u64 + low;
                let at = burst * 64 + 8;
                if which < model.len() && which != 0 {
                    model.remove(which);
                    written.remove(which);
                } else if !model.contains(&burst) {
                    model.push(burst);
                    written.push(burst, at..at + 8);
                }
                for burst in (0..3).flat_map(|high| (0..4).map(move |low| high * PLACES as u64 + low)) {
                    let (waits, at) = (model.contains(&burst), burst * 64 + 8);
                    prop_assert_eq!(written.has(burst), waits);
                    prop_assert_eq!(written.covers(burst, &(at + 4..at + 8)), waits);
                    prop_assert!(!written.covers(burst, &(at + 4..at + 12)));
                    prop_assert!(written.is_near(&(at..at + 4)) || !waits);
                }
            }
        }
    }
}
