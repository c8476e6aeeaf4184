//! The constants of `fli` ("Zfa" Extension, "Load-Immediate Instructions").

use crate::convert::between;
use crate::environment::{Environment, Rounding};
use crate::format::{Format, Single};

/// The values that every format has, but for what is too large for one.
const VALUES: [f32; 30] = [
    -1.0,
    f32::MIN_POSITIVE,
    1.0 / 65_536.0,
    1.0 / 32_768.0,
    1.0 / 256.0,
    1.0 / 128.0,
    0.0625,
    0.125,
    0.25,
    0.3125,
    0.375,
    0.4375,
    0.5,
    0.625,
    0.75,
    0.875,
    1.0,
    1.25,
    1.5,
    1.75,
    2.0,
    2.5,
    3.0,
    4.0,
    8.0,
    16.0,
    128.0,
    256.0,
    32_768.0,
    65_536.0,
];

/// The constant with this number, 0 to 31.
pub fn constant<F: Format>(number: u32) -> u64 {
    match number {
        // The format's own smallest normal number.
        1 => F::HIDDEN,
        30 => F::INFINITY,
        31 => F::NAN,
        _ => {
            let value = VALUES.get(number as usize).map_or(0, |value| value.to_bits());
            let mut env = Environment::new(Rounding::NearestEven);
            between::<Single, F>(value.into(), &mut env)
        }
    }
}
