//! Entries for compiled code, which knows the operands beforehand, of instructions on numbers that are done at once unless
//! something special is among them. They have none of the code for what is special, which is the unit's body.

use std::marker::PhantomData;

use softfloat::environment::Environment;
use softfloat::format::{Double, Format, Half, Single};

use super::super::fields::{Fields, Second};
use super::super::kernel::{At, available};
use super::super::operation::{Compiled, Operation, Unchecked, checked};
use super::super::state::{AgnosticFill, VectorUnit, Vtype};
use super::super::steps::Starts;
use super::host::Numeric;
use super::plain::Plain;
use crate::hart::Hart;

/// Executes an unmasked instruction that is known to be legal where the floating-point unit is on and rounds: with the
/// offset of `vd`, that of `vs2`, that of `vs1` or the number of a floating-point register, the end of the tail (0 if it
/// stays), and the word. Returns what a body without checks does. Undefined on a host without what [`available`] looks for.
pub type Direct = unsafe extern "C" fn(&mut Hart, usize, usize, u64, usize, u32) -> u64;

/// What an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// Elements of SEW.
    Elements,
    /// A mask.
    Mask,
    /// Element 0.
    Scalar,
}

/// An operation on numbers of SEW.
pub trait AtOnce: 'static {
    /// What `vd` is.
    const WRITTEN: Written = Written::Elements;

    /// Does it for elements from 0 on, as long as no flag is raised that is not raised already. Returns how many are done.
    fn run<F: Format, E: Numeric>(registers: &mut [u8], plain: Plain, environment: Environment) -> usize;
}

/// Entries of such an operation.
#[derive(Clone, Copy, Debug)]
pub struct Directs {
    /// By log2 of the bytes of an element, from 1 on, with a group and with a scalar.
    of: [[Direct; 2]; 3],
    written: Written,
}

/// The same without a body.
pub struct Bodiless<T>(PhantomData<T>);

impl<T: AtOnce> Bodiless<T> {
    /// Those of `T`.
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        let of: [[Direct; 2]; 3] = [
            [direct::<T, B, Half, u16, false>, direct::<T, B, Half, u16, true>],
            [direct::<T, B, Single, u32, false>, direct::<T, B, Single, u32, true>],
            [direct::<T, B, Double, u64, false>, direct::<T, B, Double, u64, true>],
        ];
        Compiled::Direct(Directs { of, written: T::WRITTEN }, checked::<B>)
    }
}

/// An instruction that is executed so: what its entry gets.
#[derive(Clone, Copy, Debug)]
pub struct DirectCall {
    /// The entry.
    pub entry: Direct,
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Offset of `vs1`, or number of a register.
    pub second: u64,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
}

impl Operation {
    /// How an instruction is executed by one of these entries, if it is unmasked and legal under `vtype` wherever the
    /// floating-point unit is on and rounds.
    pub fn direct(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<DirectCall> {
        let Compiled::Direct(directs, _) = self.compiled else { return None };
        let fields = Fields(word);
        let shape =
            self.rules?.legal(unit, fields, vtype).ok().filter(|_| available() && !fields.masked())?;
        let of = directs.of.get(usize::from(vtype.sew).checked_sub(1)?)?;
        let (entry, second) = match shape.second {
            Second::Group(register) => (of[0], u64::from(register) * unit.vlenb as u64),
            Second::Float(register) => (of[1], register.into()),
            Second::Register(_) => return None,
            Second::Immediate(_) => (of[0], 0),
        };
        let ones = unit.fill == AgnosticFill::Ones;
        let tail_end = match directs.written {
            Written::Elements => unit.tail_end(vtype),
            Written::Scalar if ones && vtype.tail_agnostic => unit.vlenb,
            // The entry finds out itself.
            Written::Mask | Written::Scalar => 0,
        };
        let [d, a] = [fields.vd(), fields.vs2()].map(|register| register as usize * unit.vlenb);
        let is_known = directs.written == Written::Mask || !shape.agnostic;
        is_known.then_some(DirectCall { entry, d, a, second, tail_end })
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma"))]
extern "C" fn direct<T: AtOnce, B: Unchecked, F: Format, E: Numeric, const SCALAR: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    tail_end: usize,
    word: u32,
) -> u64 {
    if let Some(environment) = hart.nearest_environment() {
        let scalar = if SCALAR { hart.float.get::<F>(second as u32) } else { 0 };
        let unit = &mut hart.vector;
        let starts = Starts { a, b: if SCALAR { None } else { Some(second as usize) }, d };
        let plain = Plain { starts, scalar, count: unit.vl };
        let done = T::run::<F, E>(&mut unit.registers, plain, environment);
        if done == unit.vl {
            match T::WRITTEN {
                Written::Elements => unit.fill_tail(At { d, a, b: second, body: done * E::BYTES, tail_end }),
                Written::Mask if done > 0 => unit.finish_mask(Fields(word).vd()),
                Written::Scalar if done > 0 && tail_end > 0 => {
                    unit.registers[d + E::BYTES..d + tail_end].fill(0xff);
                }
                // With `vl` = 0 nothing changes.
                Written::Mask | Written::Scalar => {}
            }
            hart.csrs.float_changed();
            return 0;
        }
        unit.vstart = done;
    }
    checked::<B>(hart, word, 0)
}
