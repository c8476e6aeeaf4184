//! Products, quotients and remainders: what all values of an interval have in common is public.

use crate::bits::{self, Bits, filled, ones};

/// All numbers from one to another.
#[derive(Clone, Copy)]
struct Interval {
    least: i128,
    most: i128,
}

impl Interval {
    /// What a value of a width may be.
    fn of(bits: Bits, is_signed: bool, width: u32) -> Self {
        let sign = if is_signed { 1 << (width - 1) } else { 0 };
        let number = |value: u64| i128::from(value) - if value & sign != 0 { 1 << width } else { 0 };
        // With its sign bit set, a number is less.
        Self {
            least: number(bits.least() | bits.secret & sign),
            most: number(bits.most() & !(bits.secret & sign)),
        }
    }

    /// The smallest that has all of these.
    fn around(numbers: impl IntoIterator<Item = i128>) -> Option<Self> {
        let mut numbers = numbers.into_iter();
        let first = numbers.next()?;
        let one = Self { least: first, most: first };
        Some(numbers.fold(one, |all, number| all.with(number)))
    }

    fn with(self, number: i128) -> Self {
        Self { least: self.least.min(number), most: self.most.max(number) }
    }

    const fn ends(self) -> [i128; 2] {
        [self.least, self.most]
    }

    /// Bits of a width in which two of its numbers may differ: those after what all have in common.
    fn differing(self, width: u32) -> u64 {
        let across = (self.least < 0) != (self.most < 0) || self.most >> width != self.least >> width;
        if across { ones(width) } else { filled((self.least ^ self.most) as u64 & ones(width)) }
    }
}

/// The high half of a product of numbers that are signed or not.
pub fn mul_high(a: Bits, b: Bits, (a_signed, b_signed): (bool, bool), width: u32) -> u64 {
    if a.secret | b.secret == 0 {
        return 0;
    }
    if !a_signed && !b_signed {
        let high = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> width) as u64;
        return filled(high(a.least(), b.least()) ^ high(a.most(), b.most()));
    }
    let (a, b) = (Interval::of(a, a_signed, width), Interval::of(b, b_signed, width));
    let products = a.ends().into_iter().flat_map(|a| b.ends().map(|b| (a * b) >> width));
    Interval::around(products).map_or(0, |all| all.differing(width))
}

/// A quotient; all ones if `b` is zero.
pub fn div(a: Bits, b: Bits, is_signed: bool, width: u32) -> u64 {
    if a.secret | b.secret == 0 || b.most() == 0 {
        return 0;
    }
    if !is_signed && b.secret == 0 && b.value.is_power_of_two() {
        return a.secret >> b.value.trailing_zeros();
    }
    let (of_a, of_b) = (Interval::of(a, is_signed, width), Interval::of(b, is_signed, width));
    let divisors = [of_b.least, -1, 1, of_b.most];
    let divisors = divisors.into_iter().filter(|&by| by != 0 && (of_b.least..=of_b.most).contains(&by));
    let quotients = divisors.flat_map(|by| of_a.ends().map(|a| a / by));
    let by_zero = (b.least() == 0).then_some(if is_signed { -1 } else { ones(width).into() });
    let all = Interval::around(quotients.chain(by_zero));
    // One that overflows wraps.
    let wraps = is_signed && all.is_some_and(|all| all.most >> (width - 1) != 0);
    if wraps { ones(width) } else { all.map_or(0, |all| all.differing(width)) }
}

/// `a / a`: 1, or all ones if `a` is zero.
pub const fn div_by_itself(a: Bits, width: u32) -> u64 {
    if a.secret != 0 && a.least() == 0 { ones(width) & !1 } else { 0 }
}

/// A remainder; `a` if `b` is zero.
pub fn rem(a: Bits, b: Bits, is_signed: bool, width: u32) -> u64 {
    if a.secret | b.secret == 0 || b.most() == 0 {
        return a.secret;
    }
    if !is_signed && b.secret == 0 && b.value.is_power_of_two() {
        return a.secret & (b.value - 1);
    }
    let (of_a, of_b) = (Interval::of(a, is_signed, width), Interval::of(b, is_signed, width));
    let magnitudes = of_b.ends().map(i128::abs);
    let least = if of_b.least <= 0 && of_b.most >= 0 { 1 } else { magnitudes[0].min(magnitudes[1]) };
    let most = magnitudes[0].max(magnitudes[1]);
    if of_a.least > -least && of_a.most < least {
        return a.secret;
    }
    let quotient = of_a.least.checked_div(of_b.least).unwrap_or(0);
    if b.secret == 0 && of_a.most / of_b.most == quotient && (of_a.least < 0) == (of_a.most < 0) {
        // The same number is taken off of each.
        return bits::sub(a, Bits::public((quotient * of_b.least) as u64 & ones(width)), width);
    }
    let remainders = [of_a.least.clamp(1 - most, 0), of_a.most.clamp(0, most - 1)];
    let by_zero = if b.least() == 0 { of_a.ends().to_vec() } else { Vec::new() };
    Interval::around(remainders.into_iter().chain(by_zero)).map_or(0, |all| all.differing(width))
}
