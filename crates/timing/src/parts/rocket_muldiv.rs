//! Rocket's multiplier and divider (rocket-chip 1.2.6, `Multiplier.scala` with `mulUnroll` 8 and both early outs):
//! cycles from the request until the result is offered.

/// Bits that the multiplier takes a cycle.
const UNROLL: u32 = 8;

/// Cycles of a lower half of 64 bits; the multiplier is the first operand.
pub fn multiply(multiplier: u64) -> u32 {
    (bytes(multiplier).max(1) + 1).min(64 / UNROLL)
}

/// Cycles of an upper half.
pub const fn multiply_high() -> u32 {
    64 / UNROLL
}

/// Cycles of a product of 32 bits.
pub fn multiply_word(multiplier: u32) -> u32 {
    (bytes(multiplier.into()) + 1).min(32 / UNROLL)
}

/// Cycles of a division or remainder, of operands extended to 64 bits.
pub fn divide(dividend: u64, divisor: u64, signed: bool, remainder: bool) -> u32 {
    let negative = |value: u64| signed && (value as i64) < 0;
    let magnitude = |value: u64| if negative(value) { value.wrapping_neg() } else { value };
    let (signs, (a, b)) =
        ((negative(dividend), negative(divisor)), (magnitude(dividend), magnitude(divisor)));
    let by_zero = b == 0;
    let msb = |value: u64| value.max(1).ilog2();
    // Six bits, as the hardware has them.
    let skipped = 63 - (msb(a).wrapping_sub(msb(b)) & 63);
    let steps = if !by_zero && skipped >= 1 { 66 - skipped } else { 65 };
    let negates = if remainder { signs.0 } else { signs.0 != signs.1 && !by_zero };
    steps + u32::from(signs.0 || signs.1) + u32::from(negates)
}

const fn bytes(value: u64) -> u32 {
    (64 - value.leading_zeros()).div_ceil(8)
}
