//! Kernels: element-wise instructions for compiled code, which knows `vtype` and the operands beforehand and has
//! checked that the instruction is legal, unmasked and starts with element 0. They are the bodies' own
//! definitions of an element's result in loops for the widest vectors that most hosts have.

use std::cell::Cell;
use std::marker::PhantomData;

use super::element::{Element, for_sew};
use super::element_wise::Operand;
use super::fields::Fields;
use super::rules::Shape;
use super::state::{AgnosticFill, VectorUnit, Vtype};
use crate::hart::Hart;
use crate::unit::Trap;

/// Executes an instruction. Undefined on a host without what [`available`] looks for.
pub type Kernel = unsafe extern "C" fn(&mut VectorUnit, usize, usize, u64, usize, usize);

/// Where a kernel works: the arguments that follow the unit, all offsets and lengths in bytes.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Of `vd` in the register file.
    pub d: usize,
    /// Of `vs2` in the register file.
    pub a: usize,
    /// Of `vs1` in the register file, or the scalar operand.
    pub b: u64,
    /// Length of the body.
    pub body: usize,
    /// End of the tail, from the beginning of `vd`, if the tail becomes ones; else 0.
    pub tail_end: usize,
}

/// An operation of its own on all elements of a body together, unmasked and from element 0 on.
pub trait Together: 'static {
    /// Elements below the second operand stay, whatever the mask.
    const SPARES_BELOW: bool = false;

    /// Does it.
    fn run<E: Element>(unit: &mut VectorUnit, at: At);
}

/// Kernels of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// By log2 of the bytes of an element.
    of: [Kernel; 4],
    spares_below: bool,
    of_host: fn(u8) -> Option<Kernel>,
}

impl Whole {
    /// Those of `T`.
    pub const fn new<T: Together>() -> Self {
        let of: [Kernel; 4] = [kernel::<T, u8>, kernel::<T, u16>, kernel::<T, u32>, kernel::<T, u64>];
        Self { of, spares_below: T::SPARES_BELOW, of_host: |_| None }
    }

    /// Those of `T` whose result is a scalar; `T` fills the tail after it.
    pub const fn scalar<T: Together>() -> Self {
        let of: [Kernel; 4] = [scalar::<T, u8>, scalar::<T, u16>, scalar::<T, u32>, scalar::<T, u64>];
        Self { of, spares_below: false, of_host: |_| None }
    }

    /// The same, unless there is a better one for elements of a width (log2 of bytes).
    pub const fn unless(self, of_host: fn(u8) -> Option<Kernel>) -> Self {
        Self { of_host, ..self }
    }

    /// That for elements of a width, and whether those below the second operand stay.
    pub fn for_sew(self, sew: u8) -> (Kernel, bool) {
        ((self.of_host)(sew).unwrap_or(self.of[usize::from(sew) & 3]), self.spares_below)
    }
}

/// True if the host can execute kernels, and bodies without checks.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// The kernel of an operation on elements of a type.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub extern "C" fn kernel<T: Together, E: Element>(
    unit: &mut VectorUnit,
    d: usize,
    a: usize,
    b: u64,
    body: usize,
    tail_end: usize,
) {
    let at = At { d, a, b, body, tail_end };
    T::run::<E>(unit, at);
    unit.fill_tail(at);
}

/// The same of an operation that fills the tail itself.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub extern "C" fn scalar<T: Together, E: Element>(
    unit: &mut VectorUnit,
    d: usize,
    a: usize,
    b: u64,
    body: usize,
    tail_end: usize,
) {
    T::run::<E>(unit, At { d, a, b, body, tail_end });
}

/// Executes an instruction for the interpreter.
pub fn whole<T: Together>(hart: &mut Hart, fields: Fields, shape: Shape) -> Result<(), Trap> {
    let b = match Operand::of(hart, shape.second) {
        Operand::Group(register) => (register as usize * hart.vector.vlenb) as u64,
        Operand::Scalar(value) => value,
    };
    let unit = &mut hart.vector;
    let (start, vl, vtype) = (std::mem::take(&mut unit.vstart), unit.vl, unit.vtype);
    if start >= vl {
        return Ok(());
    }
    let [d, a] = [fields.vd(), fields.vs2()].map(|register| register as usize * unit.vlenb);
    let at = At { d, a, b, body: vl << vtype.sew, tail_end: unit.tail_end(vtype) };
    for_sew!(vtype.sew, E => if start == 0 && !fields.masked() {
        T::run::<E>(unit, at);
    } else {
        let masked_off = fields.masked().then(|| MaskedOff::of(unit, vtype, T::SPARES_BELOW));
        partly::<E>(unit, at, start, masked_off, |unit| T::run::<E>(unit, at));
    });
    unit.fill_tail(at);
    Ok(())
}

/// `vd[i] = f(vs2[i], operand[i], vd[i])`.
#[inline(always)]
pub fn each<E: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At, f: impl Fn(E, E, E) -> E + Copy) {
    // Cells, because operands may be the same registers.
    let registers = Cell::from_mut(&mut unit.registers[..]).as_slice_of_cells();
    let of = |start: usize| &registers[start..start + at.body];
    let (d, a) = (of(at.d), of(at.a));
    let b = if SCALAR { a } else { of(at.b as usize) };
    let g = |a, b, d| f(a, if SCALAR { E::truncate(at.b) } else { b }, d);
    let (d, a, b) = blocks::<E, 64>(d, a, b, g);
    let (d, a, b) = blocks::<E, 16>(d, a, b, g);
    match E::BYTES {
        1 => blocks::<E, 1>(d, a, b, g),
        2 => blocks::<E, 2>(d, a, b, g),
        4 => blocks::<E, 4>(d, a, b, g),
        _ => blocks::<E, 8>(d, a, b, g),
    };
}

type Cells<'a> = &'a [Cell<u8>];

#[inline(always)]
pub(super) fn read<const N: usize>(cells: &[Cell<u8>; N]) -> [u8; N] {
    let mut bytes = [0; N];
    for (byte, cell) in bytes.iter_mut().zip(cells) {
        *byte = cell.get();
    }
    bytes
}

/// As many blocks of `N` bytes as there are; returns what is left of the operands.
#[inline(always)]
fn blocks<'a, E: Element, const N: usize>(
    d: Cells<'a>,
    a: Cells<'a>,
    b: Cells<'a>,
    f: impl Fn(E, E, E) -> E,
) -> (Cells<'a>, Cells<'a>, Cells<'a>) {
    let ((blocks, d), (of_a, a), (of_b, b)) = (d.as_chunks::<N>(), a.as_chunks::<N>(), b.as_chunks::<N>());
    for ((target, a), b) in blocks.iter().zip(of_a).zip(of_b) {
        let (a, b, mut d) = (read(a), read(b), read(target));
        for lane in 0..N / E::BYTES {
            let of = |block: &[u8; N]| E::load(&block[lane * E::BYTES..][..E::BYTES]);
            let value = f(of(&a), of(&b), of(&d));
            value.store(&mut d[lane * E::BYTES..][..E::BYTES]);
        }
        for (cell, byte) in target.iter().zip(d) {
            cell.set(byte);
        }
    }
    (d, a, b)
}

/// What becomes of the elements that are masked off.
#[derive(Clone, Copy, Debug)]
pub struct MaskedOff {
    /// log2 of the bytes of an element.
    sew: u8,
    /// They become ones,
    ones: bool,
    /// except those below the second operand.
    spares_below: bool,
}

impl MaskedOff {
    /// Of an operation under `vtype`.
    pub fn of(unit: &VectorUnit, vtype: Vtype, spares_below: bool) -> Self {
        Self { sew: vtype.sew, ones: unit.fill == AgnosticFill::Ones && vtype.mask_agnostic, spares_below }
    }

    /// As an argument.
    pub const fn packed(self) -> u64 {
        self.sew as u64 | (self.ones as u64) << 8 | (self.spares_below as u64) << 16
    }

    /// True if elements that are masked off stay as they are, as an argument says.
    pub const fn keeps(bits: u64) -> bool {
        !Self::unpacked(bits).ones
    }

    const fn unpacked(bits: u64) -> Self {
        Self { sew: bits as u8, ones: bits >> 8 & 1 == 1, spares_below: bits >> 16 & 1 == 1 }
    }
}

/// Executes a masked instruction: the kernel does every element, those masked off get back what they had.
///
/// # Safety
/// As for the kernel.
#[allow(unsafe_code, reason = "kernels need instructions that not every host has")]
#[allow(clippy::too_many_arguments, reason = "those of a kernel and two more")]
pub unsafe extern "C" fn masked(
    unit: &mut VectorUnit,
    d: usize,
    a: usize,
    b: u64,
    body: usize,
    tail_end: usize,
    kernel: Kernel,
    masked_off: u64,
) {
    let (at, masked_off) = (At { d, a, b, body, tail_end }, MaskedOff::unpacked(masked_off));
    // SAFETY: the caller's.
    let run = |unit: &mut VectorUnit| unsafe { kernel(unit, d, a, b, body, tail_end) };
    for_sew!(masked_off.sew, E => partly::<E>(unit, at, 0, Some(masked_off), run));
}

/// Runs an operation on all elements, then undoes it in those before `start` and in those masked off.
fn partly<E: Element>(
    unit: &mut VectorUnit,
    at: At,
    start: usize,
    masked_off: Option<MaskedOff>,
    run: impl FnOnce(&mut VectorUnit),
) {
    let mut before = std::mem::take(&mut unit.scratch);
    before[..at.body].copy_from_slice(&unit.registers[at.d..at.d + at.body]);
    run(unit);
    let start = start * E::BYTES;
    let (mask, rest) = unit.registers.split_at_mut(at.d);
    let after = &mut rest[..at.body];
    after[..start].copy_from_slice(&before[..start]);
    if let Some(masked_off) = masked_off {
        if masked_off.ones {
            let below = if masked_off.spares_below { (at.b as usize).saturating_mul(E::BYTES) } else { 0 };
            before[start.max(below).min(at.body)..at.body].fill(0xff);
        }
        keep::<E>(mask, &before[..at.body], after);
    }
    unit.scratch = before;
}

/// Puts elements back whose mask bit is 0, doubleword by doubleword.
#[inline(always)]
fn keep<E: Element>(mask: &[u8], before: &[u8], after: &mut [u8]) {
    let lanes = 8 / E::BYTES;
    for (word, (before, after)) in before.chunks(8).zip(after.chunks_mut(8)).enumerate() {
        let bits = mask[word * lanes / 8] >> (word * lanes % 8);
        let active = Spread::<E>::TABLE[usize::from(bits) % (1 << lanes)];
        match (before.try_into(), <&mut [u8; 8]>::try_from(&mut *after)) {
            (Ok(old), Ok(new)) => {
                let kept = u64::from_le_bytes(old) & !active;
                *new = (u64::from_le_bytes(*new) & active | kept).to_le_bytes();
            }
            _ => {
                for ((old, new), active) in before.iter().zip(after).zip(active.to_le_bytes()) {
                    *new = *new & active | old & !active;
                }
            }
        }
    }
}

/// Mask bits as masks of whole elements, as many as fit into a doubleword.
struct Spread<E>(PhantomData<E>);

impl<E: Element> Spread<E> {
    const TABLE: [u64; 256] = {
        let mut table = [0; 256];
        let mut bits = 0;
        while bits < 256 {
            let mut lane = 0;
            while lane < 8 / E::BYTES {
                if bits >> lane & 1 == 1 {
                    table[bits] |= (u64::MAX >> (64 - 8 * E::BYTES)) << (8 * E::BYTES * lane);
                }
                lane += 1;
            }
            bits += 1;
        }
        table
    };
}

impl VectorUnit {
    /// Makes the tail ones, if it is to be.
    #[inline(always)]
    pub(super) fn fill_tail(&mut self, at: At) {
        // With `vl` = 0 there is no tail.
        if at.body != 0 && at.body < at.tail_end {
            self.registers[at.d + at.body..at.d + at.tail_end].fill(0xff);
        }
    }
}
