//! LLVM's software floating point as an oracle. It detects tininess by the delivered result, RISC-V
//! after rounding, and it raises no overflow flag where the result is the largest finite number. So these
//! two flags are taken from the same operation with far more exponents.

use rustc_apfloat::ieee::{self, IeeeFloat, Semantics};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};
use softfloat::environment::Rounding;
use softfloat::format::{Brain, Double, Format, Half, Single};

macro_rules! unbounded {
    ($($name:ident $precision:literal;)*) => {
        $(
            /// The precision of a format and far more exponents.
            pub struct $name;

            impl Semantics for $name {
                const BITS: usize = $precision + 15;
                const EXP_BITS: usize = 15;
            }
        )*
    };
}

unbounded! {
    UnboundedBrain 8;
    UnboundedHalf 11;
    UnboundedSingle 24;
    UnboundedDouble 53;
}

/// A format with its oracles.
pub trait Oracle: Format {
    /// The format itself.
    type Exact: Float + FloatConvert<Self::Unbounded>;
    /// Of its precision, with more exponents.
    type Unbounded: Float;
}

impl Oracle for Half {
    type Exact = ieee::Half;
    type Unbounded = IeeeFloat<UnboundedHalf>;
}

impl Oracle for Brain {
    type Exact = ieee::BFloat;
    type Unbounded = IeeeFloat<UnboundedBrain>;
}

impl Oracle for Single {
    type Exact = ieee::Single;
    type Unbounded = IeeeFloat<UnboundedSingle>;
}

impl Oracle for Double {
    type Exact = ieee::Double;
    type Unbounded = IeeeFloat<UnboundedDouble>;
}

/// Operations the oracle has.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    MultiplyAdd,
}

impl Operation {
    fn apply<T: Float>(self, [a, b, c]: [T; 3], round: Round) -> StatusAnd<T> {
        match self {
            Self::Add => a.add_r(b, round),
            Self::Subtract => a.sub_r(b, round),
            Self::Multiply => a.mul_r(b, round),
            Self::Divide => a.div_r(b, round),
            Self::MultiplyAdd => a.mul_add_r(b, c, round),
        }
    }
}

pub fn round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::Zero => Round::TowardZero,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Odd => panic!("the oracle does not round to odd"),
    }
}

/// Flags other than overflow and underflow, at their places in `fflags`.
pub fn flags(status: Status) -> u8 {
    [(Status::INVALID_OP, 16), (Status::DIV_BY_ZERO, 8), (Status::INEXACT, 1)]
        .into_iter()
        .filter(|&(flag, _)| status.contains(flag))
        .fold(0, |bits, (_, bit)| bits | bit)
}

/// The number in a format of more exponents.
fn widened<T: FloatConvert<U>, U: Float>(number: T) -> U {
    number.convert_r(Round::NearestTiesToEven, &mut false).value
}

/// Result and flags.
pub fn expected<F: Oracle>(operation: Operation, operands: [u64; 3], rounding: Rounding) -> (u64, u8) {
    let operands = operands.map(|bits| F::Exact::from_bits(bits.into()));
    let exact = operation.apply(operands, round(rounding));
    let unbounded = operation.apply(operands.map(widened::<F::Exact, F::Unbounded>), round(rounding));
    delivered::<F>(exact, unbounded.value)
}

/// A number of another format in this one.
pub fn narrowed<F: Oracle, T>(number: T, rounding: Rounding) -> (u64, u8)
where
    T: FloatConvert<F::Exact> + FloatConvert<F::Unbounded>,
{
    let exact = number.convert_r(round(rounding), &mut false);
    let unbounded = number.convert_r(round(rounding), &mut false);
    delivered::<F>(exact, unbounded.value)
}

/// Result and flags of an operation that was done in both formats.
pub fn delivered<F: Oracle>(exact: StatusAnd<F::Exact>, unbounded: F::Unbounded) -> (u64, u8) {
    let inexact = exact.status.contains(Status::INEXACT);
    let bound = |number: F::Exact| widened::<F::Exact, F::Unbounded>(number);
    let underflow = inexact && unbounded.abs() < bound(F::Exact::smallest_normalized());
    let overflow = inexact && unbounded.abs() > bound(F::Exact::largest());
    let bits = if exact.value.is_nan() { F::NAN } else { exact.value.to_bits() as u64 };
    (bits, flags(exact.status) | u8::from(underflow) << 1 | u8::from(overflow) << 2)
}
