//! CVA6's divider (c5947082, `serdiv.sv`): one quotient bit per cycle, skipping leading bits known to be zero.

/// The cycles of a division; `None` if the quotient is known to be zero. Operands have `width` bits, like registers.
pub fn steps(dividend: u64, divisor: u64, signed: bool, width: u32) -> Option<u32> {
    let mask = u64::MAX >> (64 - width);
    let leading = |value: u64| (value & mask).leading_zeros() - (64 - width);
    let negative = |value: u64| signed && value >> (width - 1) & 1 == 1;
    // What is negative is inverted, the dividend with a zero after it.
    let zeros_of_dividend = match (negative(dividend), dividend & mask == mask) {
        (true, true) => width - 1,
        (true, false) => leading(!dividend) - 1,
        (false, _) => leading(dividend),
    };
    let divisor = if negative(divisor) { !divisor & mask } else { divisor & mask };
    if divisor == 0 { Some(width) } else { leading(divisor).checked_sub(zeros_of_dividend) }
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn takes_the_difference_of_lengths() {
        assert_eq!(steps(100, 3, false, 64), Some(5));
        assert_eq!(steps(3, 100, false, 64), None);
        assert_eq!(steps(0, 1, false, 32), None);
        assert_eq!(steps(1, 0, false, 64), Some(64));
        assert_eq!(steps(1, 0, false, 32), Some(32));
        assert_eq!(steps(-8_i64 as u64, 3, true, 64), Some(2));
    }
}
