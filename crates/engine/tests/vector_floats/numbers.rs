//! Numbers of which most of a group are alike and a few are not.

use proptest::prelude::*;
use proptest::sample::select;

/// What most numbers of a group are like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Near one.
    Near,
    /// Of magnitudes that an integer of so many bits has, and fractions.
    Integers(u32),
    /// A few of the smallest normal numbers.
    Small,
    /// The smallest of all.
    Smallest,
    /// One, or what is next to it below.
    BelowOne,
    /// Zeros and ones of both signs, so that two are often equal.
    Few,
    /// Whatever random bits say.
    Bits,
}

/// The numbers of a group.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    kind: Kind,
    /// None is negative but for those of another kind.
    positive: bool,
    /// So many of 32 are of another kind.
    others: u64,
    seed: u64,
}

/// Of `vd`, `vs2` and the second operand.
pub fn groups() -> impl Strategy<Value = [Numbers; 3]> {
    let integers = || select(&[7u32, 8, 15, 16, 31, 32, 50, 51, 52, 53, 63, 64][..]).prop_map(Kind::Integers);
    let kind =
        || prop_oneof![3 => Just(Kind::Near), 4 => integers(), 2 => Just(Kind::Small), 1 => Just(Kind::Bits)];
    let kinds = prop_oneof![
        10 => [kind(), kind(), kind()],
        // Products round to the smallest normal number.
        1 => Just([Kind::Smallest, Kind::Smallest, Kind::BelowOne]),
        1 => Just([Kind::Few; 3]),
    ];
    let each = || (any::<bool>(), select(&[0, 0, 1, 1, 4, 32][..]), any::<u64>());
    (kinds, [each(), each(), each()]).prop_map(|(kinds, each)| {
        std::array::from_fn(|group| {
            let (kind, (positive, others, seed)) = (kinds[group], each[group]);
            Numbers { kind, positive, others, seed }
        })
    })
}

/// The generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators".
fn random(state: u64) -> u64 {
    let z = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Numbers {
    /// Number `index`, of so many bits.
    pub fn number(self, bits: u32, index: usize) -> u64 {
        let random = random(self.seed.wrapping_add(index as u64 + 1));
        let (exponent, significand) = match bits {
            16 => (5, 10),
            32 => (8, 23),
            64 => (11, 52),
            _ => return random & 0xff,
        };
        if random >> 8 & 31 < self.others {
            return number(exponent, significand, None, random);
        }
        let number = number(exponent, significand, Some(self.kind), random);
        if self.positive { number & !(1 << (exponent + significand)) } else { number }
    }

    /// So many bytes of them.
    pub fn bytes(self, bits: u32, length: usize) -> Vec<u8> {
        let width = bits as usize / 8;
        (0..length / width)
            .flat_map(|index| self.number(bits, index).to_le_bytes()[..width].to_vec())
            .collect()
    }
}

/// A number of a kind; without one, of those that are special.
fn number(exponent: u32, significand: u32, kind: Option<Kind>, random: u64) -> u64 {
    let all = (1 << significand) - 1;
    let half = 1 << (significand - 1);
    let largest = (1u64 << exponent) - 1;
    let bias = largest >> 1;
    let (sign, rest) = (random >> 63, random >> 13);
    let edges = [0, 1, all, all - 1, half];
    let fraction = match random >> 55 & 7 {
        // Few bits: ties between integers, among others.
        0..2 => random & all & !(all >> (1 + random % 9)),
        2..5 => random & all,
        _ => edges[(random >> 58 & 31) as usize % 5],
    };
    let (power, fraction) = match kind {
        Some(Kind::Near) => (bias - 2 + rest % 4, fraction),
        Some(Kind::Integers(bits)) => ((bias - 3 + rest % u64::from(3 + bits)).min(largest - 1), fraction),
        Some(Kind::Small) => (1 + rest % 3, edges[(random >> 58 & 31) as usize % 5]),
        Some(Kind::Smallest) => (1 + rest % 3, rest / 8 % 2),
        Some(Kind::BelowOne) => [(bias, 0), (bias - 1, all), (bias - 1, all)][(rest % 3) as usize],
        Some(Kind::Few) => ([0, 0, bias][(rest % 3) as usize], 0),
        Some(Kind::Bits) => return random & u64::MAX >> (63 - exponent - significand),
        None => {
            let powers = [7, 8, 15, 16, 31, 32, 50, 51, 52, 53, 62, 63, 64];
            let power = match rest % 8 {
                0 => 0,
                1 => 1,
                2 => largest,
                3 => largest - 1,
                4 => bias - 1 - rest / 8 % 3,
                5 => bias + powers[(rest / 8 % 13) as usize],
                // About where the numbers of half the width end.
                6 if exponent == 11 => {
                    [895, 896, 897, 872, 873, 1023 + 127, 1023 + 128][(rest / 8 % 7) as usize]
                }
                6 if exponent == 8 => [111, 112, 113, 101, 102, 127 + 15, 127 + 16][(rest / 8 % 7) as usize],
                _ => rest / 8 % largest,
            };
            (power.min(largest), fraction)
        }
    };
    sign << (exponent + significand) | power << significand | fraction
}
