//! Rounding modes, exception flags, and rounding itself ("F" Extension, "Floating-Point Control and Status
//! Register").

use crate::format::{Finite, Format, HostOperation, signed};

/// A rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// RNE: to nearest, ties to even.
    NearestEven,
    /// RTZ: towards zero.
    Zero,
    /// RDN: towards −∞.
    Down,
    /// RUP: towards +∞.
    Up,
    /// RMM: to nearest, ties to the larger magnitude.
    NearestAway,
    /// To odd: a number between two becomes the one whose last bit is 1 ("V" Extension, "Narrowing
    /// Floating-Point/Integer Type-Convert Instructions"). No field holds it.
    Odd,
}

impl Rounding {
    /// The mode of an `rm` or `frm` field; `None` for reserved values, and for 7, which stands for `frm`.
    pub const fn from_field(field: u32) -> Option<Self> {
        Some(match field {
            0 => Self::NearestEven,
            1 => Self::Zero,
            2 => Self::Down,
            3 => Self::Up,
            4 => Self::NearestAway,
            _ => return None,
        })
    }
}

/// Exception flags, at their places in `fflags`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(pub u8);

impl Flags {
    /// NX: the result is rounded.
    pub const INEXACT: Self = Self(1);
    /// UF: it is rounded and tiny.
    pub const UNDERFLOW: Self = Self(2);
    /// OF: it is too large for the format.
    pub const OVERFLOW: Self = Self(4);
    /// DZ: a finite number was divided by zero.
    pub const DIVIDE_BY_ZERO: Self = Self(8);
    /// NV: the operation has no meaningful result.
    pub const INVALID: Self = Self(16);
}

/// What an operation depends on beside its operands, and what it leaves beside its result.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    /// Rounding mode.
    pub rounding: Rounding,
    /// Flags raised so far.
    pub flags: Flags,
}

impl Environment {
    /// An environment without flags.
    pub const fn new(rounding: Rounding) -> Self {
        Self { rounding, flags: Flags(0) }
    }

    /// The environment in which these flags are raised already.
    pub const fn accruing(mut self, flags: Flags) -> Self {
        self.raise(flags);
        self
    }

    /// Whether the host's own arithmetic can be used where it gives a normal number larger than the smallest: rounded
    /// to nearest even, it is the same to the bit then, and no flag is raised but inexact, which is raised already. (A
    /// larger number is not tiny however it came about.)
    #[inline(always)]
    pub const fn leaves_flags_to_host(&self) -> bool {
        matches!(self.rounding, Rounding::NearestEven) && self.flags.0 & Flags::INEXACT.0 != 0
    }

    /// The result of the host, if it is the right one.
    #[inline(always)]
    pub(crate) fn on_host<F: Format>(&self, operation: HostOperation, operands: [u64; 3]) -> Option<u64> {
        if !self.leaves_flags_to_host() {
            return None;
        }
        let result = F::on_host(operation, operands)?;
        let magnitude = result & !F::SIGN;
        (F::HIDDEN < magnitude && magnitude < F::INFINITY).then_some(result)
    }

    /// Raises a flag.
    pub const fn raise(&mut self, flags: Flags) {
        self.flags.0 |= flags.0;
    }

    /// The result of an operation that has none.
    pub const fn invalid<F: Format>(&mut self) -> u64 {
        self.raise(Flags::INVALID);
        F::NAN
    }

    /// The result of an operation on a NaN.
    pub const fn nan<F: Format>(&mut self, signaling: bool) -> u64 {
        if signaling {
            self.raise(Flags::INVALID);
        }
        F::NAN
    }

    /// The zero that is the sum of two numbers which cancel.
    pub fn cancelled<F: Format>(&self) -> u64 {
        signed::<F>(self.rounding == Rounding::Down, 0)
    }

    /// The nearest number of a format that the rounding mode allows.
    #[inline]
    pub fn round<F: Format>(&mut self, number: Finite) -> u64 {
        let Finite { negative, exponent, significand } = number;
        let biased = exponent + F::BIAS;
        if biased >= F::EXPONENT_MAX {
            return self.overflow::<F>(negative);
        }
        let below = 63 - F::FRACTION;
        let subnormal = biased < 1;
        let shift = if subnormal { below + (1 - biased) as u32 } else { below };
        let (kept, inexact) = self.round_off(significand, shift, negative);
        // Rounding up to the next power of two carries into the exponent.
        let bits = ((biased.max(1) - 1) as u64) << F::FRACTION;
        let bits = bits + kept;
        if bits >= F::INFINITY {
            return self.overflow::<F>(negative);
        }
        if inexact {
            self.raise(Flags::INEXACT);
            // Tininess is detected after rounding: as if the exponent had no lower bound.
            let grows = || self.round_off(significand, below, negative).0 == 2 * F::HIDDEN;
            if subnormal && (biased < 0 || !grows()) {
                self.raise(Flags::UNDERFLOW);
            }
        }
        signed::<F>(negative, bits)
    }

    /// ±`significand` · 2^−`shift` as an integer without sign, and whether it was rounded.
    #[inline(always)]
    pub fn round_off(&self, significand: u64, shift: u32, negative: bool) -> (u64, bool) {
        const HALF: u64 = 1 << 63;
        let (kept, rest) = match shift {
            0 => (significand, 0),
            1..=63 => (significand >> shift, significand << (64 - shift)),
            64 => (0, significand),
            // Less than a half, and not 0.
            _ => (0, 1),
        };
        let up = match self.rounding {
            Rounding::NearestEven => rest > HALF || rest == HALF && kept & 1 == 1,
            Rounding::NearestAway => rest >= HALF,
            Rounding::Zero => false,
            Rounding::Down => negative && rest != 0,
            Rounding::Up => !negative && rest != 0,
            Rounding::Odd => kept & 1 == 0 && rest != 0,
        };
        (kept + u64::from(up), rest != 0)
    }

    /// The result that is too large for the format.
    #[cold]
    pub(crate) const fn overflow<F: Format>(&mut self, negative: bool) -> u64 {
        self.raise(Flags::OVERFLOW);
        self.raise(Flags::INEXACT);
        let infinite = match self.rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Zero | Rounding::Odd => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        signed::<F>(negative, if infinite { F::INFINITY } else { F::INFINITY - 1 })
    }
}
