//! Which bits of a result depend on secret bits of its operands.
//!
//! A [`Bits`] stands for every value that agrees with `value` where `secret` has zeros. A rule gives the bits in which
//! the results of two such choices may differ: never fewer, and for most operations no more. Values are zero above their
//! width, and so are the rules' answers.

/// A value, and which of its bits are secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    /// The value that it has in this run.
    pub value: u64,
    /// Ones where it may be another one.
    pub secret: u64,
}

/// Ones in the low `width` bits.
pub const fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Ones up to the highest bit of `bits`.
pub const fn filled(bits: u64) -> u64 {
    ones(64 - bits.leading_zeros())
}

impl Bits {
    /// A value without a secret bit.
    pub const fn public(value: u64) -> Self {
        Self { value, secret: 0 }
    }

    /// The low bits.
    pub const fn low(self, width: u32) -> Self {
        Self { value: self.value & ones(width), secret: self.secret & ones(width) }
    }

    /// Sign-extended from a width to another.
    pub const fn sign_extended(self, from: u32, to: u32) -> Self {
        Self {
            value: sign_extended(self.value, from) & ones(to),
            secret: sign_extended(self.secret, from) & ones(to),
        }
    }

    /// The smallest value it may have.
    pub const fn least(self) -> u64 {
        self.value & !self.secret
    }

    /// The largest.
    pub const fn most(self) -> u64 {
        self.value | self.secret
    }

    /// True if it may be this number.
    const fn may_be(self, number: u64) -> bool {
        (number ^ self.value) & !self.secret == 0
    }

    /// With its sign bit inverted, so that signed values are in the order of unsigned ones.
    pub(crate) const fn in_order(self, width: u32) -> Self {
        Self { value: self.value ^ 1 << (width - 1), secret: self.secret }
    }
}

/// The low `from` bits, sign-extended.
pub const fn sign_extended(value: u64, from: u32) -> u64 {
    let shift = 64 - from;
    ((value << shift) as i64 >> shift) as u64
}

/// `a & b`.
pub const fn and(a: Bits, b: Bits) -> u64 {
    a.secret & b.most() | b.secret & a.most()
}

/// `a | b`.
pub const fn or(a: Bits, b: Bits) -> u64 {
    a.secret & !b.least() | b.secret & !a.least()
}

/// `a ^ b`.
pub const fn xor(a: Bits, b: Bits) -> u64 {
    a.secret | b.secret
}

/// `!a`, of a width.
pub const fn not(a: Bits, width: u32) -> Bits {
    Bits { value: !a.value & ones(width), secret: a.secret }
}

/// `a + b`: a carry is secret only if the sums of the least and of the largest values differ in it.
pub const fn add(a: Bits, b: Bits, width: u32) -> u64 {
    let least = a.least().wrapping_add(b.least());
    let most = a.most().wrapping_add(b.most());
    (a.secret | b.secret | least ^ most) & ones(width)
}

/// `a + b + c`, where `c` is one bit.
pub const fn add_with_carry(a: Bits, b: Bits, carry: Bits, width: u32) -> u64 {
    let least = a.least().wrapping_add(b.least()).wrapping_add(carry.least());
    let most = a.most().wrapping_add(b.most()).wrapping_add(carry.most());
    (a.secret | b.secret | carry.secret | least ^ most) & ones(width)
}

/// `a - b`.
pub const fn sub(a: Bits, b: Bits, width: u32) -> u64 {
    let least = a.least().wrapping_sub(b.most());
    let most = a.most().wrapping_sub(b.least());
    (a.secret | b.secret | least ^ most) & ones(width)
}

/// `a - b - c`, where `c` is one bit.
pub const fn sub_with_borrow(a: Bits, b: Bits, borrow: Bits, width: u32) -> u64 {
    let least = a.least().wrapping_sub(b.most()).wrapping_sub(borrow.most());
    let most = a.most().wrapping_sub(b.least()).wrapping_sub(borrow.least());
    (a.secret | b.secret | borrow.secret | least ^ most) & ones(width)
}

/// The low half of `a * b`: nothing below the lowest secret bit times the other's lowest one, nothing above the largest
/// product.
pub const fn mul(a: Bits, b: Bits, width: u32) -> u64 {
    if a.secret | b.secret == 0 {
        return 0;
    }
    let low_a = if a.secret == 0 { 128 } else { a.secret.trailing_zeros() + b.most().trailing_zeros() };
    let low_b = if b.secret == 0 { 128 } else { b.secret.trailing_zeros() + a.most().trailing_zeros() };
    let low = if low_a < low_b { low_a } else { low_b };
    if low >= 64 {
        return 0;
    }
    let largest = a.most() as u128 * b.most() as u128;
    let top = if largest >> 64 != 0 { u64::MAX } else { filled(largest as u64) };
    let within = top & !ones(low) & ones(width);
    match (a.secret, b.secret) {
        (0, _) if a.value.count_ones() <= SUMMANDS => within & sum_of_shifts(b, a.value, width),
        (_, 0) if b.value.count_ones() <= SUMMANDS => within & sum_of_shifts(a, b.value, width),
        _ => within,
    }
}

/// Most ones of a public factor for which the product's carries are followed.
const SUMMANDS: u32 = 8;

/// `a * by`, as the sum of `a` shifted to each one of `by`.
const fn sum_of_shifts(a: Bits, by: u64, width: u32) -> u64 {
    let mut sum = Bits::public(0);
    let mut left = by;
    while left != 0 {
        let shift = left.trailing_zeros();
        let shifted = Bits { value: a.value << shift, secret: a.secret << shift };
        let secret = add(sum, shifted, width);
        sum = Bits { value: sum.value.wrapping_add(shifted.value), secret };
        left &= left - 1;
    }
    sum.secret
}

/// Anything that all bits may depend on.
pub const fn any(a: Bits, b: Bits, width: u32) -> u64 {
    if a.secret | b.secret == 0 { 0 } else { ones(width) }
}

/// A shift or rotation by `b`, where amounts of `limit` or more do what `limit` does; `shift` moves bits, and so the
/// secret ones.
pub fn shifted(a: Bits, b: Bits, limit: u64, shift: impl Fn(u64, u64) -> u64) -> u64 {
    let amount = b.value.min(limit);
    let mut secret = shift(a.secret, amount);
    if b.secret != 0 && (a.most() != 0) {
        let here = shift(a.value, amount);
        let is_possible = |amount| if amount < limit { b.may_be(amount) } else { b.most() >= limit };
        for amount in (0..=limit).filter(|&amount| is_possible(amount)) {
            secret |= shift(a.secret, amount) | shift(a.value, amount) ^ here;
        }
    }
    secret
}

/// A left rotation of a width, a power of two, by the low bits of `b`.
pub fn rotated_left(a: Bits, b: Bits, width: u32) -> u64 {
    let amount = Bits { value: b.value & u64::from(width - 1), secret: b.secret & u64::from(width - 1) };
    shifted(a, amount, width.into(), |bits, by| rotate_left(bits, by as u32, width))
}

/// A right rotation.
pub fn rotated_right(a: Bits, b: Bits, width: u32) -> u64 {
    let amount = Bits { value: b.value & u64::from(width - 1), secret: b.secret & u64::from(width - 1) };
    shifted(a, amount, width.into(), |bits, by| rotate_left(bits, width - by as u32, width))
}

fn rotate_left(bits: u64, by: u32, width: u32) -> u64 {
    let by = by % width;
    if by == 0 { bits } else { (bits << by | bits >> (width - by)) & ones(width) }
}

/// Carry-less product: every bit that a secret bit of one and a possible bit of the other make.
pub fn clmul(a: Bits, b: Bits) -> u128 {
    let product = |secret: u64, other: u64| {
        (0..64).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum | u128::from(secret) << bit)
    };
    product(a.secret, b.most()) | product(b.secret, a.most())
}

/// Carry-less square: products of bits of two places cancel each other.
pub fn clmul_square(a: Bits) -> u128 {
    (0..64).fold(0, |spread, bit| spread | u128::from(a.secret >> bit & 1) << (2 * bit))
}

/// Whether `a == b` is secret.
pub const fn eq(a: Bits, b: Bits) -> bool {
    a.secret | b.secret != 0 && (a.value ^ b.value) & !(a.secret | b.secret) == 0
}

/// Whether `a < b` is secret.
pub const fn less(a: Bits, b: Bits) -> bool {
    a.least() < b.most() && a.most() >= b.least()
}

/// The same of signed values.
pub const fn less_signed(a: Bits, b: Bits, width: u32) -> bool {
    less(a.in_order(width), b.in_order(width))
}

/// `if condition { b } else { c }`, where `condition` is any number.
pub const fn select(condition: Bits, b: Bits, c: Bits) -> u64 {
    if condition.secret == 0 || condition.least() != 0 {
        return if condition.value != 0 { b.secret } else { c.secret };
    }
    b.secret | c.secret | b.value ^ c.value
}

/// A number that lies between two others, both included: what is not common to all of them.
pub const fn between(a: u64, b: u64) -> u64 {
    filled(a ^ b)
}

/// Leading zeros.
pub const fn leading_zeros(a: Bits, width: u32) -> u64 {
    let spare = 64 - width as u64;
    between(a.most().leading_zeros() as u64 - spare, a.least().leading_zeros() as u64 - spare)
}

/// Trailing zeros, at most `width`.
pub const fn trailing_zeros(a: Bits, width: u32) -> u64 {
    let most = (a.least() | !ones(width)).trailing_zeros() as u64;
    let least = (a.most() | !ones(width)).trailing_zeros() as u64;
    let width = width as u64;
    between(if least < width { least } else { width }, if most < width { most } else { width })
}

/// Ones.
pub const fn count_ones(a: Bits) -> u64 {
    between(a.least().count_ones() as u64, a.most().count_ones() as u64)
}

/// `min` or `max`, whose choice is secret or not.
pub const fn chosen(a: Bits, b: Bits, takes_a: bool, is_secret: bool) -> u64 {
    match (is_secret, takes_a) {
        (true, _) => a.secret | b.secret | a.value ^ b.value,
        (false, true) => a.secret,
        (false, false) => b.secret,
    }
}

/// An element of a table, of which `index` says the number; zero past its end. Elements are as `entry` gives them.
pub fn looked_up(index: Bits, length: u64, entry: impl Fn(u64) -> u64) -> u64 {
    if index.secret == 0 {
        return 0;
    }
    let here = entry(index.value);
    let elements = (0..length).filter(|&number| index.may_be(number));
    let differing = elements.fold(0, |differing, number| differing | entry(number) ^ here);
    if index.most() >= length { differing | here } else { differing }
}

/// The lanes of `bits` each that `indices` choose of `table`, zero where there is none.
pub fn permuted(table: Bits, indices: Bits, bits: u32) -> u64 {
    let lanes = 64 / bits;
    let lane = |of: u64, number: u64| of >> (number as u32 * bits) & ones(bits);
    (0..lanes).fold(0, |result, at| {
        let index = Bits { value: lane(indices.value, at.into()), secret: lane(indices.secret, at.into()) };
        let taken = |number: u64| if number < lanes.into() { lane(table.value, number) } else { 0 };
        let mut secret = looked_up(index, lanes.into(), taken);
        for number in (0..u64::from(lanes)).filter(|&number| index.may_be(number)) {
            secret |= lane(table.secret, number);
        }
        result | secret << (at * bits)
    })
}
