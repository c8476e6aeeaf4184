//! Conversion and move instructions.

use super::unit::Fields;
use crate::hart::Hart;
use crate::unit::{Body, Trap};
use softfloat::convert::{Integer, between, from_integer, to_integer, to_integer_modulo};
use softfloat::format::{Brain, Double, Format, Half, Single};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    Some(match name {
        "FCVT__S__D" => convert::<Double, Single>,
        "FCVT__D__S" => convert::<Single, Double>,
        "FCVT__S__H" => convert::<Half, Single>,
        "FCVT__H__S" => convert::<Single, Half>,
        "FCVT__S__BF16" => convert::<Brain, Single>,
        "FCVT__BF16__S" => convert::<Single, Brain>,
        "FCVT__D__H" => convert::<Half, Double>,
        "FCVT__H__D" => convert::<Double, Half>,
        "FMV__X__H" => move_to_integer::<Half>,
        "FMV__X__W" => move_to_integer::<Single>,
        "FMV__X__D" => move_to_integer::<Double>,
        "FMV__H__X" => move_from_integer::<Half>,
        "FMV__W__X" => move_from_integer::<Single>,
        "FMV__D__X" => move_from_integer::<Double>,
        "FMVH__X__D" => |hart, word| {
            hart.float_enabled()?;
            let fields = Fields(word);
            hart.write_x(fields.rd() as u16, hart.float.raw(fields.rs1()) >> 32);
            Ok(())
        },
        "FMVP__D__X" => |hart, word| {
            hart.float_enabled()?;
            let fields = Fields(word);
            let (low, high) = (hart.x(fields.rs1() as u16), hart.x(fields.rs2() as u16));
            hart.write_f::<Double>(fields.rd(), high << 32 | low);
            Ok(())
        },
        "FCVTMOD__W__D" => |hart, word| {
            let fields = Fields(word);
            let mut env = hart.exact_environment()?;
            let result = to_integer_modulo(hart.float.get::<Double>(fields.rs1()), &mut env);
            hart.write_x(fields.rd() as u16, result);
            hart.raise_flags(env.flags);
            Ok(())
        },
        _ => return with_integers(name),
    })
}

/// Conversions between integers and each format.
macro_rules! with_integers {
    ($($integer:ident)*) => {
        with_integers! {
            $($integer "H" Half,)*
            $($integer "S" Single,)*
            $($integer "D" Double,)*
        }
    };
    ($($integer:ident $letter:literal $format:ident,)*) => {
        fn with_integers(name: &str) -> Option<Body> {
            Some(match name {
                $(
                    concat!("FCVT__", stringify!($integer), "__", $letter) =>
                        |hart, word| convert_to_integer::<$format>(hart, word, Integer::$integer),
                    concat!("FCVT__", $letter, "__", stringify!($integer)) =>
                        |hart, word| convert_from_integer::<$format>(hart, word, Integer::$integer),
                )*
                _ => return None,
            })
        }
    };
}

with_integers! { W WU L LU }

fn convert<F: Format, G: Format>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment(fields)?;
    let result = between::<F, G>(hart.float.get::<F>(fields.rs1()), &mut env);
    hart.write_f::<G>(fields.rd(), result);
    hart.raise_flags(env.flags);
    Ok(())
}

#[inline(always)]
fn convert_to_integer<F: Format>(hart: &mut Hart, word: u32, integer: Integer) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment(fields)?;
    let result = to_integer::<F>(hart.float.get::<F>(fields.rs1()), integer, &mut env);
    hart.write_x(fields.rd() as u16, result);
    hart.raise_flags(env.flags);
    Ok(())
}

#[inline(always)]
fn convert_from_integer<F: Format>(hart: &mut Hart, word: u32, integer: Integer) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment(fields)?;
    let result = from_integer::<F>(hart.x(fields.rs1() as u16), integer, &mut env);
    hart.write_f::<F>(fields.rd(), result);
    hart.raise_flags(env.flags);
    Ok(())
}

/// Bits as they are, sign-extended; a value that is not boxed has its low bits moved all the same.
fn move_to_integer<F: Format>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    hart.float_enabled()?;
    let fields = Fields(word);
    let above = 64 - F::BITS;
    let bits = (hart.float.raw(fields.rs1()) << above) as i64 >> above;
    hart.write_x(fields.rd() as u16, bits as u64);
    Ok(())
}

fn move_from_integer<F: Format>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    hart.float_enabled()?;
    let fields = Fields(word);
    hart.write_f::<F>(fields.rd(), hart.x(fields.rs1() as u16) & F::MASK);
    Ok(())
}
