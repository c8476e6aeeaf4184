//! What is unusual about a stretch, as a number.

use rustc_hash::FxHashMap;

use crate::core::Outcome;

/// Most instructions of a stretch: what is unusual about one of them is computed anew for all.
pub const STRETCH: usize = 32;

/// An outcome out of the ordinary, and the instruction of the stretch that had it.
pub type Unusual = (u8, Outcome);

/// Outcomes as numbers, one to one.
#[derive(Default)]
pub struct Codes {
    /// Those that do not fit into a number, by what is left of it without its mark.
    long: Vec<Box<[Unusual]>>,
    numbers: FxHashMap<Box<[Unusual]>, u64>,
}

impl Codes {
    /// Marks a number that is a place in [`Codes::long`].
    const LONG: u64 = 1 << 63;
    /// Bits of an outcome, and of it with its instruction.
    const OUTCOME: u32 = u8::BITS;
    const BOTH: u32 = Self::OUTCOME + STRETCH.ilog2();
    const FIT: usize = ((u64::BITS - 1) / Self::BOTH) as usize;

    /// That of some outcomes.
    #[inline]
    pub fn of(&mut self, unusual: &[Unusual]) -> u64 {
        let fit =
            unusual.len() <= Self::FIT && unusual.iter().all(|(_, outcome)| outcome >> Self::OUTCOME == 0);
        if !fit {
            return self.of_long(unusual);
        }
        let one = |&(index, outcome): &Unusual| u64::from(index) << Self::OUTCOME | u64::from(outcome);
        unusual.iter().fold(0, |code, each| code << Self::BOTH | one(each))
    }

    #[cold]
    fn of_long(&mut self, unusual: &[Unusual]) -> u64 {
        if let Some(&number) = self.numbers.get(unusual) {
            return number;
        }
        let number = self.long.len() as u64 | Self::LONG;
        self.long.push(unusual.into());
        self.numbers.insert(unusual.into(), number);
        number
    }

    /// The outcomes of a number.
    pub fn outcomes(&self, code: u64) -> Vec<Unusual> {
        if code & Self::LONG != 0 {
            return self.long[(code & !Self::LONG) as usize].to_vec();
        }
        let each = (0..Self::FIT as u32).rev().map(|at| code >> (at * Self::BOTH) & ((1 << Self::BOTH) - 1));
        // No outcome is 0, which is the usual one.
        each.filter(|&both| both != 0)
            .map(|both| ((both >> Self::OUTCOME) as u8, (both & 0xff) as Outcome))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Codes, STRETCH};

    proptest! {
        #[test]
        fn outcomes_come_back_from_their_code(
            given in prop::collection::btree_map(0..STRETCH as u8, 1..1_u32 << 17, 0..9),
            small: bool,
        ) {
            let given: Vec<_> = given.into_iter().map(|(at, it)| (at, if small { it & 255 | 1 } else { it })).collect();
            let mut codes = Codes::default();
            let code = codes.of(&given);
            prop_assert_eq!(codes.outcomes(code), given.clone());
            prop_assert_eq!(codes.of(&given), code);
        }
    }
}
