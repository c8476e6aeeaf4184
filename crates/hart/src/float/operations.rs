//! Instructions that compute on floating-point registers.

use super::arithmetic::{add, divide, multiply, multiply_add, square_root, subtract};
use super::compare::{
    Nan, class, equal, less, less_or_equal, maximum, maximum_number, minimum, minimum_number,
};
use super::convert::to_integral;
use super::environment::Environment;
use super::format::{Double, Format, Half, Single};
use super::unit::Fields;
use crate::core::Core;
use crate::unit::{Body, Trap};

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<Body> {
    let (operation, format) = name.rsplit_once("__")?;
    match format {
        "H" => of::<Half>(operation),
        "S" => of::<Single>(operation),
        "D" => of::<Double>(operation),
        _ => None,
    }
}

fn of<F: Format>(operation: &str) -> Option<Body> {
    Some(match operation {
        "FADD" => |core, word| rounded::<F>(core, word, add::<F>),
        "FSUB" => |core, word| rounded::<F>(core, word, subtract::<F>),
        "FMUL" => |core, word| rounded::<F>(core, word, multiply::<F>),
        "FDIV" => |core, word| rounded::<F>(core, word, divide::<F>),
        "FSQRT" => |core, word| rounded::<F>(core, word, |a, _, env| square_root::<F>(a, env)),
        "FMADD" => |core, word| fused::<F, 0, 0>(core, word),
        "FMSUB" => |core, word| fused::<F, 0, 1>(core, word),
        "FNMSUB" => |core, word| fused::<F, 1, 0>(core, word),
        "FNMADD" => |core, word| fused::<F, 1, 1>(core, word),
        "FROUND" => |core, word| rounded::<F>(core, word, |a, _, env| to_integral::<F>(a, false, env)),
        "FROUNDNX" => |core, word| rounded::<F>(core, word, |a, _, env| to_integral::<F>(a, true, env)),
        "FMIN" => |core, word| selected::<F>(core, word, minimum_number::<F>),
        "FMAX" => |core, word| selected::<F>(core, word, maximum_number::<F>),
        "FMINM" => |core, word| selected::<F>(core, word, minimum::<F>),
        "FMAXM" => |core, word| selected::<F>(core, word, maximum::<F>),
        "FSGNJ" => |core, word| selected::<F>(core, word, |a, b, _| a & !F::SIGN | b & F::SIGN),
        "FSGNJN" => |core, word| selected::<F>(core, word, |a, b, _| a & !F::SIGN | !b & F::SIGN),
        "FSGNJX" => |core, word| selected::<F>(core, word, |a, b, _| a ^ b & F::SIGN),
        "FEQ" => |core, word| compared::<F>(core, word, equal::<F>),
        "FLT" => |core, word| compared::<F>(core, word, |a, b, env| less::<F>(a, b, Nan::Signaling, env)),
        "FLE" => {
            |core, word| compared::<F>(core, word, |a, b, env| less_or_equal::<F>(a, b, Nan::Signaling, env))
        }
        "FLTQ" => |core, word| compared::<F>(core, word, |a, b, env| less::<F>(a, b, Nan::Quiet, env)),
        "FLEQ" => {
            |core, word| compared::<F>(core, word, |a, b, env| less_or_equal::<F>(a, b, Nan::Quiet, env))
        }
        "FCLASS" => |core, word| {
            core.float_enabled()?;
            let fields = Fields(word);
            let class = class::<F>(core.float.get::<F>(fields.rs1()));
            core.write_x(fields.rd() as u16, class);
            Ok(())
        },
        "FLI" => |core, word| {
            core.float_enabled()?;
            let fields = Fields(word);
            core.write_f::<F>(fields.rd(), super::constants::constant::<F>(fields.rs1()));
            Ok(())
        },
        _ => return None,
    })
}

#[inline(always)]
fn rounded<F: Format>(
    core: &mut Core,
    word: u32,
    operation: impl Fn(u64, u64, &mut Environment) -> u64,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = core.rounding_environment(fields)?;
    let (a, b) = (core.float.get::<F>(fields.rs1()), core.float.get::<F>(fields.rs2()));
    let result = operation(a, b, &mut env);
    core.write_f::<F>(fields.rd(), result);
    core.raise_flags(env.flags);
    Ok(())
}

/// ±(a · b) ± c: product and addend are negated if the parameters are 1.
#[inline(always)]
fn fused<F: Format, const PRODUCT: u64, const ADDEND: u64>(core: &mut Core, word: u32) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = core.rounding_environment(fields)?;
    let a = core.float.get::<F>(fields.rs1()) ^ (PRODUCT * F::SIGN);
    let b = core.float.get::<F>(fields.rs2());
    let c = core.float.get::<F>(fields.rs3()) ^ (ADDEND * F::SIGN);
    let result = multiply_add::<F>(a, b, c, &mut env);
    core.write_f::<F>(fields.rd(), result);
    core.raise_flags(env.flags);
    Ok(())
}

#[inline(always)]
fn selected<F: Format>(
    core: &mut Core,
    word: u32,
    operation: impl Fn(u64, u64, &mut Environment) -> u64,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = core.exact_environment()?;
    let (a, b) = (core.float.get::<F>(fields.rs1()), core.float.get::<F>(fields.rs2()));
    let result = operation(a, b, &mut env);
    core.write_f::<F>(fields.rd(), result);
    core.raise_flags(env.flags);
    Ok(())
}

#[inline(always)]
fn compared<F: Format>(
    core: &mut Core,
    word: u32,
    holds: impl Fn(u64, u64, &mut Environment) -> bool,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let mut env = core.exact_environment()?;
    let (a, b) = (core.float.get::<F>(fields.rs1()), core.float.get::<F>(fields.rs2()));
    let result = holds(a, b, &mut env);
    core.write_x(fields.rd() as u16, u64::from(result));
    core.raise_flags(env.flags);
    Ok(())
}
