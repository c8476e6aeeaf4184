//! Conversion and move instructions.

use super::registers::{Float, Registers};
use super::unit::Fields;
use crate::hart::Hart;
use crate::unit::{Body, Trap};
use softfloat::convert::{Integer, between, from_integer, to_integer, to_integer_modulo};
use softfloat::format::{Brain, Double, Format, Half, Single};

/// The body of a conversion.
pub fn body<R: Registers>(name: &str) -> Option<Body> {
    Some(match name {
        "FCVT__S__D" => convert::<Double, Single, R>,
        "FCVT__D__S" => convert::<Single, Double, R>,
        "FCVT__S__H" => convert::<Half, Single, R>,
        "FCVT__H__S" => convert::<Single, Half, R>,
        "FCVT__S__BF16" => convert::<Brain, Single, R>,
        "FCVT__BF16__S" => convert::<Single, Brain, R>,
        "FCVT__D__H" => convert::<Half, Double, R>,
        "FCVT__H__D" => convert::<Double, Half, R>,
        "FCVTMOD__W__D" => |hart, word| {
            let fields = Fields(word);
            let mut env = hart.exact_environment::<R>()?;
            let result = to_integer_modulo(R::get::<Double>(hart, fields.rs1())?, &mut env);
            hart.write_x(fields.rd() as u16, result);
            R::raise(hart, env.flags);
            Ok(())
        },
        _ => return with_integers::<R>(name),
    })
}

/// The body of an instruction that moves bits between floating-point and integer registers.
pub fn moving(name: &str) -> Option<Body> {
    Some(match name {
        "FMV__X__H" => move_to_integer::<Half>,
        "FMV__X__W" => move_to_integer::<Single>,
        "FMV__X__D" => move_to_integer::<Double>,
        "FMV__H__X" => move_from_integer::<Half>,
        "FMV__W__X" => move_from_integer::<Single>,
        "FMV__D__X" => move_from_integer::<Double>,
        "FMVH__X__D" => |hart, word| {
            Float::enabled(hart)?;
            let fields = Fields(word);
            hart.write_x(fields.rd() as u16, hart.float.raw(fields.rs1()) >> 32);
            Ok(())
        },
        "FMVP__D__X" => |hart, word| {
            Float::enabled(hart)?;
            let fields = Fields(word);
            let (low, high) = (hart.x(fields.rs1() as u16), hart.x(fields.rs2() as u16));
            hart.write_f::<Double>(fields.rd(), high << 32 | low);
            Ok(())
        },
        _ => return None,
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
        fn with_integers<R: Registers>(name: &str) -> Option<Body> {
            Some(match name {
                $(
                    concat!("FCVT__", stringify!($integer), "__", $letter) =>
                        |hart, word| convert_to_integer::<$format, R>(hart, word, Integer::$integer),
                    concat!("FCVT__", $letter, "__", stringify!($integer)) =>
                        |hart, word| convert_from_integer::<$format, R>(hart, word, Integer::$integer),
                )*
                _ => return None,
            })
        }
    };
}

with_integers! { W WU L LU }

fn convert<F: Format, G: Format, R: Registers>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment::<R>(fields)?;
    let result = between::<F, G>(R::get::<F>(hart, fields.rs1())?, &mut env);
    R::set::<G>(hart, fields.rd(), result)?;
    R::raise(hart, env.flags);
    Ok(())
}

#[inline(always)]
fn convert_to_integer<F: Format, R: Registers>(
    hart: &mut Hart,
    word: u32,
    integer: Integer,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment::<R>(fields)?;
    let result = to_integer::<F>(R::get::<F>(hart, fields.rs1())?, integer, &mut env);
    hart.write_x(fields.rd() as u16, result);
    R::raise(hart, env.flags);
    Ok(())
}

#[inline(always)]
fn convert_from_integer<F: Format, R: Registers>(
    hart: &mut Hart,
    word: u32,
    integer: Integer,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment::<R>(fields)?;
    let result = from_integer::<F>(hart.x(fields.rs1() as u16), integer, &mut env);
    R::set::<F>(hart, fields.rd(), result)?;
    R::raise(hart, env.flags);
    Ok(())
}

/// Bits as they are, sign-extended; a value that is not boxed has its low bits moved all the same.
fn move_to_integer<F: Format>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    Float::enabled(hart)?;
    let fields = Fields(word);
    let above = 64 - F::BITS;
    let bits = (hart.float.raw(fields.rs1()) << above) as i64 >> above;
    hart.write_x(fields.rd() as u16, bits as u64);
    Ok(())
}

fn move_from_integer<F: Format>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    Float::enabled(hart)?;
    let fields = Fields(word);
    hart.write_f::<F>(fields.rd(), hart.x(fields.rs1() as u16) & F::MASK);
    Ok(())
}
