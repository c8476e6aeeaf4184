//! Instructions that compute on floating-point registers.

use super::registers::Registers;
use super::unit::Fields;
use crate::hart::Hart;
use crate::unit::{Body, Trap};
use softfloat::arithmetic::{add, divide, multiply, multiply_add, square_root, subtract};
use softfloat::compare::{
    Nan, class, equal, less, less_or_equal, maximum, maximum_number, minimum, minimum_number,
};
use softfloat::convert::to_integral;
use softfloat::environment::Environment;
use softfloat::format::{Double, Format, Half, Single};

/// `fn body` of this module, from rows `OPERATION => body;`, in which the body calls the format `F`. Names are those
/// of the descriptions, where the format stands after `__`.
macro_rules! operations {
    ($($operation:ident => $body:expr;)*) => {
        /// The body of an instruction of this module.
        pub fn body<R: Registers>(name: &str) -> Option<Body> {
            Some(match name {
                $(
                    concat!(stringify!($operation), "__H") => { type F = Half; $body }
                    concat!(stringify!($operation), "__S") => { type F = Single; $body }
                    concat!(stringify!($operation), "__D") => { type F = Double; $body }
                )*
                _ => return None,
            })
        }
    };
}

operations! {
    FADD => |hart, word| rounded::<F, R>(hart, word, add::<F>);
    FSUB => |hart, word| rounded::<F, R>(hart, word, subtract::<F>);
    FMUL => |hart, word| rounded::<F, R>(hart, word, multiply::<F>);
    FDIV => |hart, word| rounded::<F, R>(hart, word, divide::<F>);
    FSQRT => |hart, word| rounded::<F, R>(hart, word, |a, _, env| square_root::<F>(a, env));
    FMADD => |hart, word| fused::<F, R, 0, 0>(hart, word);
    FMSUB => |hart, word| fused::<F, R, 0, 1>(hart, word);
    FNMSUB => |hart, word| fused::<F, R, 1, 0>(hart, word);
    FNMADD => |hart, word| fused::<F, R, 1, 1>(hart, word);
    FROUND => |hart, word| rounded::<F, R>(hart, word, |a, _, env| to_integral::<F>(a, false, env));
    FROUNDNX => |hart, word| rounded::<F, R>(hart, word, |a, _, env| to_integral::<F>(a, true, env));
    FMIN => |hart, word| selected::<F, R>(hart, word, minimum_number::<F>);
    FMAX => |hart, word| selected::<F, R>(hart, word, maximum_number::<F>);
    FMINM => |hart, word| selected::<F, R>(hart, word, minimum::<F>);
    FMAXM => |hart, word| selected::<F, R>(hart, word, maximum::<F>);
    FSGNJ => |hart, word| selected::<F, R>(hart, word, |a, b, _| a & !F::SIGN | b & F::SIGN);
    FSGNJN => |hart, word| selected::<F, R>(hart, word, |a, b, _| a & !F::SIGN | !b & F::SIGN);
    FSGNJX => |hart, word| selected::<F, R>(hart, word, |a, b, _| a ^ b & F::SIGN);
    FEQ => |hart, word| compared::<F, R>(hart, word, equal::<F>);
    FLT => |hart, word| compared::<F, R>(hart, word, |a, b, env| less::<F>(a, b, Nan::Signaling, env));
    FLE => {
        |hart, word| compared::<F, R>(hart, word, |a, b, env| less_or_equal::<F>(a, b, Nan::Signaling, env))
    };
    FLTQ => |hart, word| compared::<F, R>(hart, word, |a, b, env| less::<F>(a, b, Nan::Quiet, env));
    FLEQ => {
        |hart, word| compared::<F, R>(hart, word, |a, b, env| less_or_equal::<F>(a, b, Nan::Quiet, env))
    };
    FCLASS => |hart, word| {
        R::enabled(hart)?;
        let fields = Fields(word);
        let class = class::<F>(R::get::<F>(hart, fields.rs1())?);
        hart.write_x(fields.rd() as u16, class);
        Ok(())
    };
    FLI => |hart, word| {
        R::enabled(hart)?;
        let fields = Fields(word);
        R::set::<F>(hart, fields.rd(), softfloat::constants::constant::<F>(fields.rs1()))
    };
}

#[inline(always)]
fn rounded<F: Format, R: Registers>(
    hart: &mut Hart,
    word: u32,
    operation: impl Fn(u64, u64, &mut Environment) -> u64,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment::<R>(fields)?.accruing(hart.float.flags);
    let (a, b) = (R::get::<F>(hart, fields.rs1())?, R::get::<F>(hart, fields.rs2())?);
    let result = operation(a, b, &mut env);
    R::set::<F>(hart, fields.rd(), result)?;
    R::raise(hart, env.flags);
    Ok(())
}

/// ±(a · b) ± c: product and addend are negated if the parameters are 1.
#[inline(always)]
fn fused<F: Format, R: Registers, const PRODUCT: u64, const ADDEND: u64>(
    hart: &mut Hart,
    word: u32,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment::<R>(fields)?.accruing(hart.float.flags);
    let a = R::get::<F>(hart, fields.rs1())? ^ (PRODUCT * F::SIGN);
    let b = R::get::<F>(hart, fields.rs2())?;
    let c = R::get::<F>(hart, fields.rs3())? ^ (ADDEND * F::SIGN);
    let result = multiply_add::<F>(a, b, c, &mut env);
    R::set::<F>(hart, fields.rd(), result)?;
    R::raise(hart, env.flags);
    Ok(())
}

#[inline(always)]
fn selected<F: Format, R: Registers>(
    hart: &mut Hart,
    word: u32,
    operation: impl Fn(u64, u64, &mut Environment) -> u64,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.exact_environment::<R>()?;
    let (a, b) = (R::get::<F>(hart, fields.rs1())?, R::get::<F>(hart, fields.rs2())?);
    let result = operation(a, b, &mut env);
    R::set::<F>(hart, fields.rd(), result)?;
    R::raise(hart, env.flags);
    Ok(())
}

#[inline(always)]
fn compared<F: Format, R: Registers>(
    hart: &mut Hart,
    word: u32,
    holds: impl Fn(u64, u64, &mut Environment) -> bool,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.exact_environment::<R>()?;
    let (a, b) = (R::get::<F>(hart, fields.rs1())?, R::get::<F>(hart, fields.rs2())?);
    let result = holds(a, b, &mut env);
    hart.write_x(fields.rd() as u16, u64::from(result));
    R::raise(hart, env.flags);
    Ok(())
}
