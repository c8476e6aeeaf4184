//! Random floating-point numbers: of formats, near and far.

#![allow(dead_code, reason = "each test program that includes this module uses a part of it")]

use proptest::prelude::*;

/// A format: the widths of its exponent and significand, and its letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub letter: char,
    exponent: u32,
    significand: u32,
}

pub const FORMATS: [Format; 3] = [
    Format { letter: 'S', exponent: 8, significand: 23 },
    Format { letter: 'D', exponent: 11, significand: 52 },
    Format { letter: 'H', exponent: 5, significand: 10 },
];

/// What the numbers of a run are like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Near one.
    Near,
    /// Powers of two that add up exactly.
    Exact,
    /// So large or small that products leave the range.
    Far,
    /// The smallest normal numbers and the largest subnormal ones.
    Small,
    /// Zeros, infinities, NaNs, the smallest and the largest numbers.
    Special,
    /// Whatever the bits say, boxed or not.
    Any,
}

/// Numbers near one for the most part.
pub fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        5 => Just(Kind::Near),
        2 => Just(Kind::Exact),
        1 => Just(Kind::Far),
        1 => Just(Kind::Small),
        1 => Just(Kind::Special),
        1 => Just(Kind::Any),
    ]
}

/// Random bits without end.
pub fn randoms(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed | 1;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state ^ state >> 29
    })
}

/// So many random bytes.
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count + 8);
    let mut words = randoms(seed);
    while bytes.len() < count {
        bytes.extend_from_slice(&words.next().unwrap_or(0).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

impl Format {
    /// What a register holds of a number made of random bits.
    pub fn register(self, kind: Kind, random: u64) -> u64 {
        let width = 1 + self.exponent + self.significand;
        let boxed = u64::MAX.checked_shl(width).unwrap_or(0);
        match kind {
            Kind::Any if random & 1 == 0 => random.rotate_left(7),
            _ => boxed | self.number(kind, random),
        }
    }

    /// The bits of a number made of random ones.
    pub fn number(self, kind: Kind, random: u64) -> u64 {
        let Self { exponent, significand, .. } = self;
        let sign = random >> 63 << (exponent + significand);
        let bias = (1 << (exponent - 1)) - 1;
        let all = (1 << significand) - 1;
        let fraction = random & all;
        let of = |power: u64, fraction: u64| sign | power << significand | fraction;
        let largest = (1 << exponent) - 1;
        match kind {
            Kind::Near => of(bias - 2 + (random >> 56 & 3), fraction),
            Kind::Exact => of(bias + (random >> 56 & 3), 0),
            Kind::Far => of(1 + (random >> 40) % (largest - 1), fraction),
            Kind::Small => match random >> 56 & 3 {
                0 => of(1, random & 1),
                1 => of(0, all - (random & 1)),
                2 => of(2, random & 3),
                _ => of(bias - 1, all - (random & 3)),
            },
            Kind::Special => match random >> 56 & 7 {
                0 => of(0, 0),
                1 => of(largest, 0),
                2 => of(largest, 1 << (significand - 1)),
                3 => of(largest, 1),
                4 => of(0, 1),
                5 => of(1, 0),
                6 => of(largest - 1, all),
                _ => of(bias, 0),
            },
            Kind::Any => random & (u64::MAX >> (63 - exponent - significand)),
        }
    }
}

/// So many numbers of a format and kind; one in eight is of another kind, and one in 32 not of the format.
pub fn row(format: Format, kinds: [Kind; 2], seed: u64, count: usize) -> Vec<u64> {
    let number = |(index, random)| {
        let kind = kinds[usize::from(index % 8 == 5)];
        match index % 32 {
            // A double, which is no boxed single.
            18 => FORMATS[1].register(Kind::Near, random),
            _ => format.register(kind, random),
        }
    };
    randoms(seed).take(count).enumerate().map(number).collect()
}
