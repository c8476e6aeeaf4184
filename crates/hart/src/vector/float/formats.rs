//! Which formats vectors have, and which an instruction takes.

use isa::Isa;
use softfloat::format::{Brain, Double, Half, Single};

use super::super::check::rule;
use super::super::element_wise::Operand;
use super::super::fields::Second;
use super::super::rules::Shape;
use crate::hart::Hart;

/// Formats of vector elements (sections "Zve*: Vector Extensions for Embedded Processors", "Zvfh", "Zvfhmin").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    half: bool,
    half_conversions: bool,
    single: bool,
    double: bool,
}

/// The widths of an instruction's operands that are floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    of_sew: bool,
    of_double: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// With all operations on them.
    Any,
    /// Only converted between formats.
    Converted,
    /// Those of SEW are BF16.
    Brain,
}

impl Numbers {
    /// Of SEW.
    pub const OF_SEW: Self = Self { of_sew: true, of_double: false, kind: Kind::Any };
    /// Of 2·SEW; what has SEW are integers.
    pub const OF_DOUBLE: Self = Self { of_sew: false, of_double: true, kind: Kind::Any };
    /// Of SEW and 2·SEW.
    pub const OF_BOTH: Self = Self { of_sew: true, of_double: true, kind: Kind::Any };
    /// The same, only converted.
    pub const CONVERTED: Self = Self { of_sew: true, of_double: true, kind: Kind::Converted };
    /// The same, BF16 and single precision.
    pub const BRAIN: Self = Self { of_sew: true, of_double: true, kind: Kind::Brain };
}

impl Formats {
    /// Those of a hart.
    pub fn of(isa: &Isa) -> Self {
        Self {
            half: isa.has("zvfh"),
            half_conversions: isa.has("zvfhmin"),
            single: isa.has("zve32f"),
            double: isa.has("zve64d"),
        }
    }

    /// Whether an instruction with these numbers exists for a SEW (log2 of bytes).
    ///
    /// # Errors
    /// The rule that is broken.
    #[inline(always)]
    pub fn check(self, numbers: Numbers, sew: u8) -> Result<(), &'static str> {
        let half = match numbers.kind {
            Kind::Brain => {
                return rule(sew == 1, "BF16 instructions are defined for SEW = 16 only");
            }
            Kind::Any => self.half,
            Kind::Converted => self.half_conversions,
        };
        let has = |width| match width {
            1 => rule(half, "vectors of half precision need Zvfh, or Zvfhmin to be converted to single precision"),
            2 => rule(self.single, "vectors of single precision need Zve32f"),
            3 => rule(self.double, "vectors of double precision need V or Zve64d"),
            _ => Err("there is no floating-point format of this width: SEW, or 2 SEW where it is wider"),
        };
        if numbers.of_sew {
            has(sew)?;
        }
        if numbers.of_double {
            has(sew + 1)?;
        }
        Ok(())
    }
}

impl Hart {
    /// A floating-point register as a number of SEW; the canonical NaN if it holds none that is boxed as such.
    #[inline(always)]
    pub fn vector_float(&self, register: u16) -> u64 {
        let register = register.into();
        match self.vector.vtype.sew {
            1 => self.float.get::<Half>(register),
            2 => self.float.get::<Single>(register),
            _ => self.float.get::<Double>(register),
        }
    }
}

/// The second operand of an instruction on BF16 numbers.
pub fn brain_operand(hart: &Hart, shape: Shape, operand: Operand) -> Operand {
    match shape.second {
        Second::Float(register) => Operand::Scalar(hart.float.get::<Brain>(register.into())),
        Second::Group(_) | Second::Register(_) | Second::Immediate(_) => operand,
    }
}

/// Calls a generic function with the format of SEW and the integer type of its bits.
macro_rules! for_format {
    ($sew:expr, $format:ident, $element:ident => $call:expr) => {
        match $sew {
            1 => {
                type $format = softfloat::format::Half;
                type $element = u16;
                $call
            }
            2 => {
                type $format = softfloat::format::Single;
                type $element = u32;
                $call
            }
            _ => {
                type $format = softfloat::format::Double;
                type $element = u64;
                $call
            }
        }
    };
}
pub(super) use for_format;

/// The same with those of SEW and of 2·SEW, which need not both be used.
macro_rules! for_two_formats {
    ($sew:expr, $format:ident, $element:ident, $wide_format:ident, $wide:ident => $call:expr) => {
        match $sew {
            1 => {
                type $format = softfloat::format::Half;
                type $element = u16;
                #[allow(dead_code, reason = "integers have no format")]
                type $wide_format = softfloat::format::Single;
                type $wide = u32;
                $call
            }
            _ => {
                type $format = softfloat::format::Single;
                type $element = u32;
                #[allow(dead_code, reason = "integers have no format")]
                type $wide_format = softfloat::format::Double;
                type $wide = u64;
                $call
            }
        }
    };
}
pub(super) use for_two_formats;

/// Calls a generic function with the integer type of SEW, the format of 2·SEW and the type of its bits.
macro_rules! for_wide_format {
    ($sew:expr, $element:ident, $wide_format:ident, $wide:ident => $call:expr) => {
        match $sew {
            0 => {
                type $element = u8;
                type $wide_format = softfloat::format::Half;
                type $wide = u16;
                $call
            }
            1 => {
                type $element = u16;
                type $wide_format = softfloat::format::Single;
                type $wide = u32;
                $call
            }
            _ => {
                type $element = u32;
                type $wide_format = softfloat::format::Double;
                type $wide = u64;
                $call
            }
        }
    };
}
pub(super) use for_wide_format;
