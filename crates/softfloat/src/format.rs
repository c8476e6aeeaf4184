//! The binary interchange formats of IEEE 754, as bits, and what bits stand for.

use crate::half;

/// A format. Its values are handled as the low [`Format::BITS`] bits of a `u64`.
pub trait Format {
    /// Width in bits.
    const BITS: u32;
    /// Bits of the fraction; one less than the precision.
    const FRACTION: u32;

    /// Biased exponent of infinities and NaNs.
    const EXPONENT_MAX: i32 = (1 << (Self::BITS - 1 - Self::FRACTION)) - 1;
    /// What is added to an exponent to store it.
    const BIAS: i32 = Self::EXPONENT_MAX >> 1;
    /// Every bit.
    const MASK: u64 = u64::MAX >> (64 - Self::BITS);
    /// The sign bit.
    const SIGN: u64 = 1 << (Self::BITS - 1);
    /// Weight of the leading bit that a normal number does not store.
    const HIDDEN: u64 = 1 << Self::FRACTION;
    /// Set in quiet NaNs, clear in signaling ones.
    const QUIET: u64 = Self::HIDDEN >> 1;
    /// Positive infinity.
    const INFINITY: u64 = (Self::EXPONENT_MAX as u64) << Self::FRACTION;
    /// The canonical NaN, the only one that arithmetic makes ("F" Extension, "NaN Generation and Propagation").
    const NAN: u64 = Self::INFINITY | Self::QUIET;
    /// What lies above a narrower value in a 64-bit register ("D" Extension, "NaN Boxing of Narrower Values").
    const BOX: u64 = !Self::MASK;

    /// The operation as the host does it, rounding to nearest even, if the host has the format or one that
    /// is wide enough.
    fn on_host(operation: HostOperation, operands: [u64; 3]) -> Option<u64>;
}

/// An operation that hosts have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostOperation {
    /// a + b.
    Add,
    /// a · b.
    Multiply,
    /// a · b + c.
    MultiplyAdd,
    /// a / b.
    Divide,
    /// √a.
    SquareRoot,
}

/// binary16.
pub struct Half;

/// BF16: binary32 with a shorter fraction ("Zfbfmin" Extension).
pub struct Brain;

/// binary32.
pub struct Single;

/// binary64.
pub struct Double;

macro_rules! formats {
    ($($format:ident $bits:literal $fraction:literal $(by $from:expr, $to:expr)?;)*) => {
        $(
            impl Format for $format {
                const BITS: u32 = $bits;
                const FRACTION: u32 = $fraction;

                #[inline(always)]
                #[allow(unused_variables, reason = "not every format is one of the host's")]
                fn on_host(operation: HostOperation, operands: [u64; 3]) -> Option<u64> {
                    $(
                        let [a, b, c] = operands.map($from);
                        let result = match operation {
                            HostOperation::Add => a + b,
                            HostOperation::Multiply => a * b,
                            HostOperation::MultiplyAdd => a.mul_add(b, c),
                            HostOperation::Divide => a / b,
                            HostOperation::SquareRoot => a.sqrt(),
                        };
                        return Some($to(result));
                    )?
                    #[allow(unreachable_code, reason = "as above")]
                    None
                }
            }
        )*
    };
}

formats! {
    Half 16 10 by half::to_double, half::of_double;
    Brain 16 7;
    Single 32 23 by |bits| f32::from_bits(bits as u32), |number: f32| number.to_bits().into();
    Double 64 52 by f64::from_bits, f64::to_bits;
}

/// What bits stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Not a number.
    Nan {
        /// Raises the invalid flag wherever it is used.
        signaling: bool,
    },
    /// An infinity.
    Infinity {
        /// Its sign.
        negative: bool,
    },
    /// A zero.
    Zero {
        /// Its sign.
        negative: bool,
    },
    /// Any other number.
    Finite(Finite),
}

/// The number ±`significand` · 2^(`exponent` − 63). Bit 63 of the significand is set; where the number
/// is the result of an operation, bit 0 is also set for whatever lies below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finite {
    /// Sign.
    pub negative: bool,
    /// Exponent of the leading bit.
    pub exponent: i32,
    /// Significand.
    pub significand: u64,
}

impl Value {
    /// True for a signaling NaN.
    pub const fn is_signaling(self) -> bool {
        matches!(self, Self::Nan { signaling: true })
    }
}

/// True if the bits are a NaN.
#[inline(always)]
pub const fn is_nan<F: Format>(bits: u64) -> bool {
    bits & !F::SIGN > F::INFINITY
}

/// True if the bits are a signaling NaN.
#[inline(always)]
pub const fn is_signaling<F: Format>(bits: u64) -> bool {
    is_nan::<F>(bits) && bits & F::QUIET == 0
}

/// True if the sign bit is set.
#[inline(always)]
pub const fn is_negative<F: Format>(bits: u64) -> bool {
    bits & F::SIGN != 0
}

/// `magnitude` with a sign.
#[inline(always)]
pub const fn signed<F: Format>(negative: bool, magnitude: u64) -> u64 {
    if negative { magnitude | F::SIGN } else { magnitude }
}

/// What the bits stand for.
#[inline(always)]
pub const fn unpack<F: Format>(bits: u64) -> Value {
    let negative = is_negative::<F>(bits);
    let fraction = bits & (F::HIDDEN - 1);
    let biased = (bits & F::INFINITY) >> F::FRACTION;
    if biased == F::EXPONENT_MAX as u64 {
        return match fraction {
            0 => Value::Infinity { negative },
            _ => Value::Nan { signaling: fraction & F::QUIET == 0 },
        };
    }
    let below = 63 - F::FRACTION;
    if biased != 0 {
        let significand = (F::HIDDEN | fraction) << below;
        return Value::Finite(Finite { negative, exponent: biased as i32 - F::BIAS, significand });
    }
    if fraction == 0 {
        return Value::Zero { negative };
    }
    let shift = fraction.leading_zeros();
    let exponent = 1 - F::BIAS + below as i32 - shift as i32;
    Value::Finite(Finite { negative, exponent, significand: fraction << shift })
}
