//! The types that SEW stands for.

use softfloat::format::Brain;

use super::super::element_wise::Operand;
use super::super::fields::Second;
use super::super::rules::Shape;
use crate::hart::Hart;

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
