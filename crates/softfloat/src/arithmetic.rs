//! Addition, multiplication, fused multiply-add, division and square root on bits of one format, rounded
//! once, with every flag of IEEE 754 ("F" Extension, "Single-Precision Floating-Point Computational
//! Instructions").

use crate::environment::{Environment, Flags};
use crate::format::{Finite, Format, HostOperation, Value, signed, unpack};

/// a + b.
#[inline]
pub fn add<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    if let Some(result) = env.on_host::<F>(HostOperation::Add, [a, b, 0]) {
        return result;
    }
    match (unpack::<F>(a), unpack::<F>(b)) {
        (Value::Finite(x), Value::Finite(y)) => round_sum::<F>(narrow(x).plus(narrow(y)).normal(), env),
        (x @ Value::Nan { .. }, y) | (x, y @ Value::Nan { .. }) => {
            env.nan::<F>(x.is_signaling() || y.is_signaling())
        }
        (Value::Infinity { negative: x }, Value::Infinity { negative: y }) if x != y => env.invalid::<F>(),
        (Value::Infinity { .. }, _) => a,
        (_, Value::Infinity { .. }) => b,
        (Value::Zero { negative: x }, Value::Zero { negative: y }) if x != y => env.cancelled::<F>(),
        (Value::Zero { .. }, _) => b,
        (_, Value::Zero { .. }) => a,
    }
}

/// a − b.
#[inline]
pub fn subtract<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    add::<F>(a, b ^ F::SIGN, env)
}

/// a · b.
#[inline]
pub fn multiply<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    if let Some(result) = env.on_host::<F>(HostOperation::Multiply, [a, b, 0]) {
        return result;
    }
    let negative = (a ^ b) & F::SIGN != 0;
    match (unpack::<F>(a), unpack::<F>(b)) {
        (Value::Finite(x), Value::Finite(y)) => round_sum::<F>(product(x, y).normal(), env),
        (x @ Value::Nan { .. }, y) | (x, y @ Value::Nan { .. }) => {
            env.nan::<F>(x.is_signaling() || y.is_signaling())
        }
        (Value::Infinity { .. }, Value::Zero { .. }) | (Value::Zero { .. }, Value::Infinity { .. }) => {
            env.invalid::<F>()
        }
        (Value::Infinity { .. }, _) | (_, Value::Infinity { .. }) => signed::<F>(negative, F::INFINITY),
        (Value::Zero { .. }, _) | (_, Value::Zero { .. }) => signed::<F>(negative, 0),
    }
}

/// a · b + c, rounded once.
#[inline]
pub fn multiply_add<F: Format>(a: u64, b: u64, c: u64, env: &mut Environment) -> u64 {
    if let Some(result) = env.on_host::<F>(HostOperation::MultiplyAdd, [a, b, c]) {
        return result;
    }
    let (x, y, z) = (unpack::<F>(a), unpack::<F>(b), unpack::<F>(c));
    if let (Value::Finite(x), Value::Finite(y)) = (x, y) {
        return match z {
            Value::Finite(z) => round_sum::<F>(product(x, y).plus(wide(z)).normal(), env),
            Value::Zero { .. } => round_sum::<F>(product(x, y).normal(), env),
            Value::Infinity { .. } => c,
            Value::Nan { signaling } => env.nan::<F>(signaling),
        };
    }
    // The product is not a finite number other than zero. ∞ · 0 is invalid whatever is added.
    if let (Value::Infinity { .. }, Value::Zero { .. }) | (Value::Zero { .. }, Value::Infinity { .. }) =
        (x, y)
    {
        return env.invalid::<F>();
    }
    if [x, y, z].iter().any(|value| matches!(value, Value::Nan { .. })) {
        return env.nan::<F>([x, y, z].iter().any(|value| value.is_signaling()));
    }
    let product = multiply::<F>(a, b, env);
    add::<F>(product, c, env)
}

/// a / b.
#[inline]
pub fn divide<F: Format>(a: u64, b: u64, env: &mut Environment) -> u64 {
    if let Some(result) = env.on_host::<F>(HostOperation::Divide, [a, b, 0]) {
        return result;
    }
    let negative = (a ^ b) & F::SIGN != 0;
    match (unpack::<F>(a), unpack::<F>(b)) {
        (Value::Finite(x), Value::Finite(y)) => env.round::<F>(quotient(x, y)),
        (x @ Value::Nan { .. }, y) | (x, y @ Value::Nan { .. }) => {
            env.nan::<F>(x.is_signaling() || y.is_signaling())
        }
        (Value::Infinity { .. }, Value::Infinity { .. }) | (Value::Zero { .. }, Value::Zero { .. }) => {
            env.invalid::<F>()
        }
        (Value::Infinity { .. }, _) => signed::<F>(negative, F::INFINITY),
        (Value::Zero { .. }, _) | (_, Value::Infinity { .. }) => signed::<F>(negative, 0),
        (Value::Finite(_), Value::Zero { .. }) => {
            env.raise(Flags::DIVIDE_BY_ZERO);
            signed::<F>(negative, F::INFINITY)
        }
    }
}

/// √a.
#[inline]
pub fn square_root<F: Format>(a: u64, env: &mut Environment) -> u64 {
    if let Some(result) = env.on_host::<F>(HostOperation::SquareRoot, [a, 0, 0]) {
        return result;
    }
    match unpack::<F>(a) {
        Value::Nan { signaling } => env.nan::<F>(signaling),
        Value::Zero { .. } | Value::Infinity { negative: false } => a,
        Value::Infinity { negative: true } | Value::Finite(Finite { negative: true, .. }) => {
            env.invalid::<F>()
        }
        Value::Finite(x) => env.round::<F>(root(x)),
    }
}

/// Rounds a number, or gives the zero of two that cancel.
#[inline(always)]
fn round_sum<F: Format>(number: Option<Finite>, env: &mut Environment) -> u64 {
    match number {
        Some(number) => env.round::<F>(number),
        None => env.cancelled::<F>(),
    }
}

/// The number ±`significand` · 2^`exponent`, without rounding.
struct Scaled<Word> {
    negative: bool,
    exponent: i32,
    significand: Word,
}

/// Two bits of room above a significand; the formats' own leave 11 zeros below it.
#[inline(always)]
const fn narrow(number: Finite) -> Scaled<u64> {
    let Finite { negative, exponent, significand } = number;
    Scaled { negative, exponent: exponent - 61, significand: significand >> 2 }
}

/// The same in the place of [`product`].
#[inline(always)]
const fn wide(number: Finite) -> Scaled<u128> {
    let Finite { negative, exponent, significand } = number;
    Scaled { negative, exponent: exponent - 124, significand: (significand as u128) << 61 }
}

#[inline(always)]
const fn product(x: Finite, y: Finite) -> Scaled<u128> {
    // From 2^124 to 2^126; both factors end in 11 zeros or more.
    let significand = (x.significand as u128 * y.significand as u128) >> 2;
    Scaled { negative: x.negative != y.negative, exponent: x.exponent + y.exponent - 124, significand }
}

macro_rules! scaled {
    ($($word:ty)*) => {
        $(
            impl Scaled<$word> {
                /// The sum, with a significand of 0 if the two cancel. Where the one with the smaller exponent
                /// loses bits, its bit 0 stands for them: few of the other's leading bits cancel then, so that it
                /// stays below the last bit of any result.
                #[inline(always)]
                const fn plus(self, other: Self) -> Self {
                    let (x, y) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
                    let distance = (x.exponent - y.exponent) as u32;
                    let aligned = if distance < <$word>::BITS {
                        let kept = y.significand >> distance;
                        kept | (kept << distance != y.significand) as $word
                    } else {
                        1
                    };
                    let (negative, significand) = if x.negative == y.negative {
                        (x.negative, x.significand + aligned)
                    } else if x.significand >= aligned {
                        (x.negative, x.significand - aligned)
                    } else {
                        (y.negative, aligned - x.significand)
                    };
                    Self { negative, exponent: x.exponent, significand }
                }

                /// The number with its leading bit in place; `None` if it is 0.
                #[inline(always)]
                const fn normal(self) -> Option<Finite> {
                    if self.significand == 0 {
                        return None;
                    }
                    let shift = self.significand.leading_zeros();
                    let fixed = self.significand << shift;
                    let below = <$word>::BITS - 64;
                    let high = (fixed >> below) as u64;
                    let significand = high | (((high as $word) << below) != fixed) as u64;
                    let exponent = self.exponent + <$word>::BITS as i32 - 1 - shift as i32;
                    Some(Finite { negative: self.negative, exponent, significand })
                }
            }
        )*
    };
}

scaled!(u64 u128);

#[inline(always)]
fn quotient(x: Finite, y: Finite) -> Finite {
    // The quotient's leading bit is bit 63.
    let smaller = x.significand < y.significand;
    let dividend = u128::from(x.significand) << (63 + u32::from(smaller));
    let divisor = u128::from(y.significand);
    let (whole, rest) = (dividend / divisor, dividend % divisor);
    Finite {
        negative: x.negative != y.negative,
        exponent: x.exponent - y.exponent - i32::from(smaller),
        significand: whole as u64 | u64::from(rest != 0),
    }
}

#[inline(always)]
fn root(x: Finite) -> Finite {
    // Under the root an even power of two, and a significand whose root has 64 bits.
    let odd = x.exponent & 1;
    let radicand = u128::from(x.significand) << (63 + odd);
    let whole = radicand.isqrt();
    Finite {
        negative: false,
        exponent: (x.exponent - odd) / 2,
        significand: whole as u64 | u64::from(whole * whole != radicand),
    }
}
