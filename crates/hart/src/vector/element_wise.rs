//! Walks the elements of an instruction whose element `i` depends on elements `i` of its sources alone.
//!
//! Elements are taken in steps of [`STEP`] bytes of the widest operand: loads, then results, then the store.
//! Groups that the overlap rules allow to share registers may then do so: going upwards, a step never
//! overwrites what a later one reads. Where a whole step is active, it is loops of constant length over
//! arrays, which compilers turn into vector instructions of the host.

use softfloat::format::{Double, Half, Single};

use super::element::Element;
use super::fields::{Fields, Second};
use super::policy::mask_bits;
use super::state::VectorUnit;
use super::steps::{Block, STEP, Starts, byte_of, bytes_of_mask, element, lanes, load, splat};
use crate::hart::Hart;

/// The second operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// The register group that begins here.
    Group(u32),
    /// The same for every element; sign-extended.
    Scalar(u64),
}

impl Operand {
    /// With the value of a register; of a floating-point one, as a number of SEW.
    #[inline(always)]
    pub fn of(hart: &Hart, second: Second) -> Self {
        match second {
            Second::Group(register) => Self::Group(register),
            Second::Register(register) => Self::Scalar(hart.vector.scalar(hart.x(register))),
            Second::Float(register) => Self::Scalar(hart.vector_float(register)),
            Second::Immediate(value) => Self::Scalar(value),
        }
    }

    /// The number, if it is one.
    #[inline(always)]
    pub fn scalar<E: Element>(self) -> E {
        match self {
            Self::Scalar(value) => E::truncate(value),
            Self::Group(_) => E::truncate(0),
        }
    }

    /// The register group, if it is one.
    #[inline(always)]
    pub const fn group(self) -> Option<u32> {
        match self {
            Self::Group(register) => Some(register),
            Self::Scalar(_) => None,
        }
    }
}

/// What v0 is to a masked instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskUse {
    /// It says which elements are active.
    Predicate,
    /// It is an operand, and every body element is active.
    Operand,
}

/// An element-wise instruction that writes vector elements.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Operand fields.
    pub fields: Fields,
    /// Second operand.
    pub operand: Operand,
    /// What v0 is.
    pub mask: MaskUse,
    /// The instruction is agnostic whatever `vtype` says.
    pub agnostic: bool,
    /// Elements that are done already.
    pub done: usize,
}

impl Walk {
    /// Writes `vd[i] = f(vs2[i], operand[i], vd[i], v0[i])` and what the policies say; `f` also gives bits
    /// that the element raises. Ends the instruction: `vstart` becomes 0. Returns what active elements raised.
    #[inline(always)]
    pub fn run<A: Element, B: Element, D: Element>(
        self,
        unit: &mut VectorUnit,
        f: impl Fn(A, B, D, bool) -> (D, u8) + Copy,
    ) -> u8 {
        let lanes = const { lanes::<A, B, D>() };
        let (start, vl) = (unit.vstart, unit.vl);
        unit.vstart = 0;
        if start >= vl {
            return 0;
        }
        let mut raised = 0;
        let mut index = start.max(self.done);
        if index == 0 && (!self.fields.masked() || self.mask == MaskUse::Operand) {
            index = vl / lanes * lanes;
            raised = self.whole_steps(unit, vl / lanes, f);
        }
        if index < vl {
            raised |= self.partial_steps(unit, index, f);
        }
        unit.finish::<D>(self.fields.vd(), self.agnostic);
        raised
    }

    /// The first `count` steps, all of whose elements are active.
    #[inline(always)]
    fn whole_steps<A: Element, B: Element, D: Element>(
        self,
        unit: &mut VectorUnit,
        count: usize,
        f: impl Fn(A, B, D, bool) -> (D, u8),
    ) -> u8 {
        let lanes = const { lanes::<A, B, D>() };
        let (starts, splat) = (self.starts(unit), splat::<B>(self.operand.scalar()));
        let is_operand = self.mask == MaskUse::Operand && self.fields.masked();
        let registers = &mut unit.registers[..];
        let mut raised = 0;
        for index in (0..count).map(|step| step * lanes) {
            let a = load(registers, starts.a + index * A::BYTES, lanes * A::BYTES);
            let b = match starts.b {
                Some(b) => load(registers, b + index * B::BYTES, lanes * B::BYTES),
                None => splat,
            };
            let at = starts.d + index * D::BYTES;
            let mut d = load(registers, at, lanes * D::BYTES);
            let mask = if is_operand { mask_bits(registers, index) } else { u32::MAX };
            for lane in 0..lanes {
                let bit = mask >> lane & 1 == 1;
                let (value, raises) = f(element(&a, lane), element(&b, lane), element(&d, lane), bit);
                value.store(&mut d[lane * D::BYTES..][..D::BYTES]);
                raised |= raises;
            }
            registers[at..at + lanes * D::BYTES].copy_from_slice(&d[..lanes * D::BYTES]);
        }
        raised
    }

    /// The steps from the one that holds element `first`, with mask and policy for each element.
    #[inline(never)]
    fn partial_steps<A: Element, B: Element, D: Element>(
        self,
        unit: &mut VectorUnit,
        first: usize,
        f: impl Fn(A, B, D, bool) -> (D, u8),
    ) -> u8 {
        let lanes = const { lanes::<A, B, D>() };
        let starts = self.starts(unit);
        let ones = unit.fills_inactive(self.agnostic);
        let mut raised = 0;
        let splat = splat::<B>(self.operand.scalar());
        let mut index = first / lanes * lanes;
        while index < unit.vl {
            let body = body_bits(index, first, unit.vl);
            let mask = if self.fields.masked() { unit.mask_bits(0, index) } else { u32::MAX };
            let active = if self.mask == MaskUse::Operand { body } else { body & mask };
            let a = load_part(&unit.registers, starts.a + index * A::BYTES, lanes * A::BYTES);
            let b = match starts.b {
                Some(b) => load_part(&unit.registers, b + index * B::BYTES, lanes * B::BYTES),
                None => splat,
            };
            let at = starts.d + index * D::BYTES;
            let mut d = load_part(&unit.registers, at, lanes * D::BYTES);
            for lane in 0..lanes {
                let old = element(&d, lane);
                let (value, raises) = f(element(&a, lane), element(&b, lane), old, mask >> lane & 1 == 1);
                let value = if active >> lane & 1 == 1 {
                    value
                } else if ones && body >> lane & 1 == 1 {
                    D::ONES
                } else {
                    old
                };
                value.store(&mut d[lane * D::BYTES..][..D::BYTES]);
                raised |= if active >> lane & 1 == 1 { raises } else { 0 };
            }
            let target = &mut unit.registers[at..];
            match target.get_mut(..lanes * D::BYTES) {
                Some(target) => target.copy_from_slice(&d[..lanes * D::BYTES]),
                None => target.copy_from_slice(&d[..target.len()]),
            }
            index += lanes;
        }
        raised
    }

    /// Where its operands begin.
    #[inline(always)]
    pub fn starts(self, unit: &VectorUnit) -> Starts {
        let at = |register: u32| register as usize * unit.vlenb;
        Starts { a: at(self.fields.vs2()), b: self.operand.group().map(at), d: at(self.fields.vd()) }
    }
}

/// The same as far as the register file reaches: the last step of a short group may reach beyond its end.
#[inline(always)]
fn load_part(registers: &[u8], start: usize, length: usize) -> Block {
    let source = &registers[start..];
    if source.len() >= length { load(source, 0, length) } else { load_rest(source) }
}

/// All of the bytes, fewer than a step's. Not a part of its caller, where it would make each load one of unknown length.
#[cold]
#[inline(never)]
fn load_rest(source: &[u8]) -> Block {
    let mut block = [0; STEP];
    block[..source.len()].copy_from_slice(source);
    block
}

/// Which of the elements from `index` on lie in `first..end`; bit 0 is element `index`.
#[inline(always)]
pub const fn body_bits(index: usize, first: usize, end: usize) -> u32 {
    let below_end = if end - index >= 32 { u32::MAX } else { (1 << (end - index)) - 1 };
    if first > index { below_end & u32::MAX << (first - index) } else { below_end }
}

/// Calls `f(vs2[i], operand[i], v0[i])` for the elements of a mask-producing instruction and writes the
/// results to the mask `vd`. Ends the instruction.
#[inline(always)]
pub fn walk_to_mask<E: Element>(unit: &mut VectorUnit, walk: Walk, f: impl Fn(E, E, bool) -> bool) {
    let Walk { fields, operand, mask: mask_use, agnostic, .. } = walk;
    let (start, vl) = (unit.vstart, unit.vl);
    unit.vstart = 0;
    if start >= vl {
        return;
    }
    let ones = unit.fills_inactive(agnostic);
    let starts = walk.starts(unit);
    let mut first = start / 8;
    if start == 0 && (!fields.masked() || mask_use == MaskUse::Operand) {
        first = bytes_of_mask(&mut unit.registers, &starts, operand.scalar(), vl / 8, |mask, a, b| {
            Some(byte_of(|lane| f(a[lane], b[lane], mask >> lane & 1 == 1)))
        });
    }
    for byte in first..vl.div_ceil(8) {
        let index = 8 * byte;
        let body = body_bits(index, start, vl) as u8;
        let mask = if fields.masked() { unit.mask_bits(0, index) as u8 } else { u8::MAX };
        let holds = |a, b, lane| f(a, b, mask >> lane & 1 == 1);
        let result = byte_of_mask(unit, fields, operand, index, 8.min(vl - index), holds);
        let active = if mask_use == MaskUse::Operand { body } else { body & mask };
        let target = &mut unit.registers[fields.vd() as usize * unit.vlenb + byte];
        *target = *target & !active | result & active;
        if ones {
            *target |= body & !active;
        }
    }
    unit.finish_mask(fields.vd());
}

/// The bits `f(vs2[i], operand[i], lane)` of `lanes` elements from `index` on.
#[inline(always)]
fn byte_of_mask<E: Element>(
    unit: &VectorUnit,
    fields: Fields,
    operand: Operand,
    index: usize,
    lanes: usize,
    f: impl Fn(E, E, usize) -> bool,
) -> u8 {
    let elements = |register: u32| {
        let start = register as usize * unit.vlenb + index * E::BYTES;
        &unit.registers[start..start + lanes * E::BYTES]
    };
    let a = elements(fields.vs2()).chunks_exact(E::BYTES).map(E::load);
    let bit = |lane, a, b| u8::from(f(a, b, lane)) << lane;
    match operand {
        Operand::Group(register) => {
            let b = elements(register).chunks_exact(E::BYTES).map(E::load);
            a.zip(b).enumerate().fold(0, |byte, (lane, (a, b))| byte | bit(lane, a, b))
        }
        Operand::Scalar(value) => {
            let b = E::truncate(value);
            a.enumerate().fold(0, |byte, (lane, a)| byte | bit(lane, a, b))
        }
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

impl VectorUnit {
    /// An integer register's value, sign-extended.
    #[inline(always)]
    pub(super) const fn scalar(&self, x: u64) -> u64 {
        match self.xlen {
            isa::Xlen::Rv32 => x as i32 as i64 as u64,
            isa::Xlen::Rv64 => x,
        }
    }
}
