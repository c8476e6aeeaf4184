//! What is known of words of instructions, most of it found by one comparison.

use rustc_hash::FxHashMap;

/// Words at whose place in front is nothing are not known; of those whose place another one has, a map tells.
const FRONT: usize = 1 << 12;
/// No word has this number.
const NONE: u64 = u64::MAX;

/// By the number of a word, which is its address ÷ 4.
pub struct Known<T> {
    front: Box<[(u64, u32)]>,
    places: FxHashMap<u64, u32>,
    each: Vec<T>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { front: vec![(NONE, 0); FRONT].into(), places: FxHashMap::default(), each: Vec::new() }
    }
}

impl<T: Default> Known<T> {
    /// What is known of a word.
    #[inline]
    pub fn get(&self, word: u64) -> Option<&T> {
        match self.front[word as usize % FRONT] {
            (front, place) if front == word => self.each.get(place as usize),
            (NONE, _) => None,
            _ => self.places.get(&word).and_then(|&place| self.each.get(place as usize)),
        }
    }

    /// What is known of a word, to be added to.
    pub fn of(&mut self, word: u64) -> &mut T {
        let fresh = self.each.len() as u32;
        let place = *self.places.entry(word).or_insert(fresh);
        if place == fresh {
            self.each.push(T::default());
        }
        let front = &mut self.front[word as usize % FRONT];
        if front.0 == NONE {
            *front = (word, place);
        }
        &mut self.each[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{FRONT, Known};

    #[test]
    fn words_that_share_a_place_are_told_apart() {
        let (mut known, mut plain) = (Known::<u64>::default(), HashMap::<u64, u64>::new());
        let words = (0..500_u64).map(|step| step * step % 31 + step % 3 * FRONT as u64);
        for (number, word) in words.enumerate() {
            *known.of(word) += number as u64;
            *plain.entry(word).or_default() += number as u64;
        }
        for word in (0..40).flat_map(|word| (0..4).map(move |other| word + other * FRONT as u64)) {
            assert_eq!(known.get(word), plain.get(&word));
        }
    }
}
