//! Integer literals: C's, and Verilog's with a size.

use ethnum::U256;

use crate::ir::{MAX_WIDTH, Ty};

/// A literal's value (its bits above the width zero) and type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct IntLiteral {
    pub value: U256,
    pub ty: Ty,
}

impl IntLiteral {
    pub const ZERO: Self = Self { value: U256::ZERO, ty: Ty::unsigned(1) };
}

/// Why a literal is wrong, and what to write.
pub(crate) struct LiteralFault {
    pub message: String,
    pub help: String,
}

fn fault<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, LiteralFault> {
    Err(LiteralFault { message: message.into(), help: help.into() })
}

/// Width of the narrowest unsigned type that holds `value`.
pub(crate) fn minimal_width(value: U256) -> u16 {
    (256 - value.leading_zeros()).max(1) as u16
}

/// Parses a whole literal such as `42`, `0x2a`, `052`, `0b101010`, `6'd42` or `8'shff`.
pub(crate) fn parse(text: &str) -> Result<IntLiteral, LiteralFault> {
    if let Some((size, digits)) = text.split_once('\'') {
        return sized(size, digits);
    }
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = if let Some(digits) = lower.strip_prefix("0x") {
        (16, digits)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (2, digits)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    let value = number(digits, radix)?;
    Ok(IntLiteral { value, ty: Ty::unsigned(minimal_width(value)) })
}

fn sized(size: &str, digits: &str) -> Result<IntLiteral, LiteralFault> {
    let width = match size.parse::<u16>() {
        Ok(width) if (1..=MAX_WIDTH).contains(&width) => width,
        _ => {
            return fault(
                format!("literal of {size} bits"),
                format!("the size stands before the `'` and is 1 to {MAX_WIDTH}"),
            );
        }
    };
    let lower = digits.to_ascii_lowercase();
    let (signed, rest) = match lower.strip_prefix('s') {
        Some(rest) => (true, rest),
        None => (false, lower.as_str()),
    };
    let radix = match rest.chars().next() {
        Some('b') => 2,
        Some('o') => 8,
        Some('d') => 10,
        Some('h') => 16,
        _ => {
            return fault(
                "sized literal without a base",
                "write the base after the `'`: b, o, d or h, as in `7'b0110011`",
            );
        }
    };
    let value = number(&rest[1..], radix)?;
    let needed = minimal_width(value);
    if needed > width {
        return fault(
            format!("the value does not fit into {width} bits"),
            format!("it needs {needed} bits: write `{needed}'{digits}`"),
        );
    }
    Ok(IntLiteral { value, ty: Ty { width, signed } })
}

fn number(digits: &str, radix: u32) -> Result<U256, LiteralFault> {
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    if let Some(bad) = digits.chars().find(|c| !c.is_digit(radix)) {
        return fault(format!("`{bad}` is not a digit in base {radix}"), "remove it, or change the base");
    }
    if digits.is_empty() {
        return fault("literal without digits", "write at least one digit");
    }
    match U256::from_str_radix(&digits, radix) {
        Ok(value) => Ok(value),
        Err(_) => fault("literal wider than 256 bits", "split it with `::`"),
    }
}
