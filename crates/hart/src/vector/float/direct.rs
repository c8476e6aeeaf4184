//! Entries for compiled code, which knows the operands beforehand, of instructions on numbers that are done at once unless
//! something special is among them. They have none of the code for what is special, which is the unit's body.

use std::marker::PhantomData;

use softfloat::environment::Environment;
use softfloat::format::{Double, Format, Half, Single};

use super::super::fields::Fields;
use super::super::kernel::At;
use super::super::steps::Starts;
use super::super::unchecked::{Unchecked, checked};
use super::entries::{Direct, DirectLane, Directs, Written};
use super::host::Numeric;
use super::plain::Plain;
use crate::hart::Hart;

/// An operation on numbers of SEW.
pub trait AtOnce: 'static {
    /// What `vd` is.
    const WRITTEN: Written = Written::Elements;
    /// What it is on lanes of the host's registers, if it is that.
    const LANE: Option<DirectLane> = None;

    /// Does it for elements from 0 on, as long as no flag is raised that is not raised already. Returns how many are done.
    fn run<F: Format, E: Numeric>(registers: &mut [u8], plain: Plain, environment: Environment) -> usize;
}

/// Entries of such an operation, but for its body.
pub struct Bodiless<T>(PhantomData<T>);

impl<T: AtOnce> Bodiless<T> {
    /// Those of `T`.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl Directs {
    /// Those of `T`, with the body `B` of the operation.
    pub const fn new<T: AtOnce, B: Unchecked>() -> Self {
        let of: [[Direct; 2]; 3] = [
            [direct::<T, B, Half, u16, false>, direct::<T, B, Half, u16, true>],
            [direct::<T, B, Single, u32, false>, direct::<T, B, Single, u32, true>],
            [direct::<T, B, Double, u64, false>, direct::<T, B, Double, u64, true>],
        ];
        Self { of, written: T::WRITTEN, lane: T::LANE }
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
        let plain = Plain { starts, scalar, count: unit.vl, masked: false };
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
