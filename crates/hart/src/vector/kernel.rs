//! Kernels: element-wise instructions for compiled code, which knows `vtype` and the operands beforehand and has
//! checked that the instruction is legal, unmasked and starts with element 0. They are the bodies' own
//! definitions of an element's result in loops for the widest vectors that most hosts have.

use std::cell::Cell;
use std::marker::PhantomData;

use super::element::{Element, for_sew};
use super::fields::Fields;
use super::state::VectorUnit;

/// Executes an instruction. Undefined on a host without what [`available`] looks for.
pub type Kernel = unsafe extern "C" fn(&mut VectorUnit, usize, usize, u64, usize, usize);

/// Where a kernel works: the arguments behind the unit, all offsets and lengths in bytes.
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

/// How the immediate of a `vi` form is extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(non_camel_case_types, reason = "named as in the tables of operations")]
pub enum Immediate {
    /// Sign-extended.
    signed,
    /// Zero-extended.
    unsigned,
    /// There is no such form.
    register,
    /// The field is a part of the operation.
    none,
    /// Zero-extended, with a sixth bit in funct6.
    six_bits,
}

impl Immediate {
    /// The value.
    pub const fn of(self, fields: Fields) -> u64 {
        match self {
            Self::signed => fields.simm5() as u64,
            Self::unsigned => fields.rs1() as u64,
            Self::register | Self::none => 0,
            Self::six_bits => (fields.rs1() | (fields.0 >> 26 & 1) << 5) as u64,
        }
    }
}

/// A kernel, and what its second operand is.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The kernel.
    pub run: Kernel,
    /// The immediate of a `vi` form.
    pub immediate: Immediate,
}

/// True if the host can execute kernels.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// Defines a kernel for an element type `$e` and, in `$scalar`, whether its second operand is a scalar.
macro_rules! kernel {
    (fn $name:ident<$e:ident, $scalar:ident>($unit:ident, $at:ident) $body:block) => {
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
        extern "C" fn $name<$e: $crate::vector::element::Element, const $scalar: bool>(
            $unit: &mut $crate::vector::VectorUnit,
            d: usize,
            a: usize,
            b: u64,
            body: usize,
            tail_end: usize,
        ) {
            let $at = $crate::vector::kernel::At { d, a, b, body, tail_end };
            $body
        }
    };
}
pub(in crate::vector) use kernel;

/// `vd[i] = f(vs2[i], operand[i], vd[i])`, and the tail.
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
    unit.fill_tail(at);
}

type Cells<'a> = &'a [Cell<u8>];

#[inline(always)]
fn read<const N: usize>(cells: &[Cell<u8>; N]) -> [u8; N] {
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

/// Which elements a masked instruction leaves alone, and how wide they are, for [`masked`].
#[derive(Clone, Copy, Debug)]
pub struct MaskedOff {
    /// log2 of the bytes of an element.
    pub sew: u8,
    /// They become ones.
    pub ones: bool,
}

impl MaskedOff {
    /// As an argument.
    pub const fn packed(self) -> u64 {
        self.sew as u64 | (self.ones as u64) << 8
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
    let mut before = std::mem::take(&mut unit.scratch);
    before[..body].copy_from_slice(&unit.registers[d..d + body]);
    if masked_off >> 8 != 0 {
        before[..body].fill(0xff);
    }
    // SAFETY: the caller's.
    unsafe { kernel(unit, d, a, b, body, tail_end) };
    let (mask, rest) = unit.registers.split_at_mut(d);
    for_sew!(masked_off as u8, E => keep::<E>(mask, &before[..body], &mut rest[..body]));
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
