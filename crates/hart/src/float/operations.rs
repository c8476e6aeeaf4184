//! Instructions that compute on floating-point registers.

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
        pub fn body(name: &str) -> Option<Body> {
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
    FADD => |hart, word| rounded::<F>(hart, word, add::<F>);
    FSUB => |hart, word| rounded::<F>(hart, word, subtract::<F>);
    FMUL => |hart, word| rounded::<F>(hart, word, multiply::<F>);
    FDIV => |hart, word| rounded::<F>(hart, word, divide::<F>);
    FSQRT => |hart, word| rounded::<F>(hart, word, |a, _, env| square_root::<F>(a, env));
    FMADD => |hart, word| fused::<F, 0, 0>(hart, word);
    FMSUB => |hart, word| fused::<F, 0, 1>(hart, word);
    FNMSUB => |hart, word| fused::<F, 1, 0>(hart, word);
    FNMADD => |hart, word| fused::<F, 1, 1>(hart, word);
    FROUND => |hart, word| rounded::<F>(hart, word, |a, _, env| to_integral::<F>(a, false, env));
    FROUNDNX => |hart, word| rounded::<F>(hart, word, |a, _, env| to_integral::<F>(a, true, env));
    FMIN => |hart, word| selected::<F>(hart, word, minimum_number::<F>);
    FMAX => |hart, word| selected::<F>(hart, word, maximum_number::<F>);
    FMINM => |hart, word| selected::<F>(hart, word, minimum::<F>);
    FMAXM => |hart, word| selected::<F>(hart, word, maximum::<F>);
    FSGNJ => |hart, word| selected::<F>(hart, word, |a, b, _| a & !F::SIGN | b & F::SIGN);
    FSGNJN => |hart, word| selected::<F>(hart, word, |a, b, _| a & !F::SIGN | !b & F::SIGN);
    FSGNJX => |hart, word| selected::<F>(hart, word, |a, b, _| a ^ b & F::SIGN);
    FEQ => |hart, word| compared::<F>(hart, word, equal::<F>);
    FLT => |hart, word| compared::<F>(hart, word, |a, b, env| less::<F>(a, b, Nan::Signaling, env));
    FLE => {
        |hart, word| compared::<F>(hart, word, |a, b, env| less_or_equal::<F>(a, b, Nan::Signaling, env))
    };
    FLTQ => |hart, word| compared::<F>(hart, word, |a, b, env| less::<F>(a, b, Nan::Quiet, env));
    FLEQ => {
        |hart, word| compared::<F>(hart, word, |a, b, env| less_or_equal::<F>(a, b, Nan::Quiet, env))
    };
    FCLASS => |hart, word| {
        hart.float_enabled()?;
        let fields = Fields(word);
        let class = class::<F>(hart.float.get::<F>(fields.rs1()));
        hart.write_x(fields.rd() as u16, class);
        Ok(())
    };
    FLI => |hart, word| {
        hart.float_enabled()?;
        let fields = Fields(word);
        hart.write_f::<F>(fields.rd(), softfloat::constants::constant::<F>(fields.rs1()));
        Ok(())
    };
}

#[inline(always)]
fn rounded<F: Format>(
    hart: &mut Hart,
    word: u32,
    operation: impl Fn(u64, u64, &mut Environment) -> u64,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment(fields)?.accruing(hart.float.flags);
    let (a, b) = (hart.float.get::<F>(fields.rs1()), hart.float.get::<F>(fields.rs2()));
    let result = operation(a, b, &mut env);
    hart.write_f::<F>(fields.rd(), result);
    hart.raise_flags(env.flags);
    Ok(())
}

/// ±(a · b) ± c: product and addend are negated if the parameters are 1.
#[inline(always)]
fn fused<F: Format, const PRODUCT: u64, const ADDEND: u64>(hart: &mut Hart, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.rounding_environment(fields)?.accruing(hart.float.flags);
    let a = hart.float.get::<F>(fields.rs1()) ^ (PRODUCT * F::SIGN);
    let b = hart.float.get::<F>(fields.rs2());
    let c = hart.float.get::<F>(fields.rs3()) ^ (ADDEND * F::SIGN);
    let result = multiply_add::<F>(a, b, c, &mut env);
    hart.write_f::<F>(fields.rd(), result);
    hart.raise_flags(env.flags);
    Ok(())
}

#[inline(always)]
fn selected<F: Format>(
    hart: &mut Hart,
    word: u32,
    operation: impl Fn(u64, u64, &mut Environment) -> u64,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.exact_environment()?;
    let (a, b) = (hart.float.get::<F>(fields.rs1()), hart.float.get::<F>(fields.rs2()));
    let result = operation(a, b, &mut env);
    hart.write_f::<F>(fields.rd(), result);
    hart.raise_flags(env.flags);
    Ok(())
}

#[inline(always)]
fn compared<F: Format>(
    hart: &mut Hart,
    word: u32,
    holds: impl Fn(u64, u64, &mut Environment) -> bool,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = hart.exact_environment()?;
    let (a, b) = (hart.float.get::<F>(fields.rs1()), hart.float.get::<F>(fields.rs2()));
    let result = holds(a, b, &mut env);
    hart.write_x(fields.rd() as u16, u64::from(result));
    hart.raise_flags(env.flags);
    Ok(())
}
