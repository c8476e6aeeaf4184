//! Kernels of instructions whose operands differ in width, are a mask or take v0 as one.

use std::ops::BitOr;

use super::element::Element;
use super::kernel::{At, Kernel};
use super::state::{AgnosticFill, VectorUnit, Vtype};
use super::steps::{Starts, byte_of, bytes_of_mask, elements, one_by_one, widest};

/// An operation on elements and the bits of v0, named as in the descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::upper_case_acronyms, missing_docs, reason = "the instructions' own names")]
pub enum Carry {
    VADC,
    VSBC,
    VMERGE,
}

/// Fixed-point arithmetic, named as in the descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::upper_case_acronyms, missing_docs, reason = "the instructions' own names")]
pub enum Fixed {
    VSADDU,
    VSADD,
    VSSUBU,
    VSSUB,
    VAADDU,
    VAADD,
    VASUBU,
    VASUB,
    VSMUL,
    VSSRL,
    VSSRA,
    VNCLIPU,
    VNCLIP,
}

/// An operation on elements of SEW and of 2·SEW, named as in the descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::upper_case_acronyms, missing_docs, reason = "the instructions' own names")]
pub enum Doubling {
    VWADDU,
    VWADD,
    VWSUBU,
    VWSUB,
    VWMULU,
    VWMULSU,
    VWMUL,
    VWMACCU,
    VWMACC,
    VWMACCSU,
    VWMACCUS,
    VWSLL,
    VNSRL,
    VNSRA,
}

/// Such an operation and its kernels.
#[derive(Clone, Copy, Debug)]
pub struct Doubled {
    /// Which one.
    pub doubling: Doubling,
    /// Elements of `vs2` have 2·SEW.
    pub from_double: bool,
    /// By width.
    pub widths: Widths,
}

/// An extension of elements to SEW.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extension {
    /// log2 of how many times as wide as the elements of `vs2` SEW is.
    pub doublings: u8,
    /// They have signs.
    pub signed: bool,
}

/// An operation on elements of SEW, `E`, and of twice that, `W`, all elements of a body together.
pub trait Mixed: 'static {
    /// log2 of how many times as wide as SEW the elements of `vd` are; `None` if it is a mask.
    const RESULT: Option<u8>;

    /// Does it; the second operand is a scalar or a group.
    fn run<E: Element, W: Element, const SCALAR: bool>(unit: &mut VectorUnit, at: At);
}

/// Kernels of such an operation.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    /// By log2 of the bytes of an element, of a group and of a scalar.
    of: [[Kernel; 2]; 4],
    result: Option<u8>,
}

impl Widths {
    /// Those of `T`. There is nothing twice as wide as doublewords.
    pub const fn new<T: Mixed>() -> Self {
        let of: [[Kernel; 2]; 4] = [
            [mixed::<T, u8, u16, false>, mixed::<T, u8, u16, true>],
            [mixed::<T, u16, u32, false>, mixed::<T, u16, u32, true>],
            [mixed::<T, u32, u64, false>, mixed::<T, u32, u64, true>],
            [mixed::<T, u64, u64, false>, mixed::<T, u64, u64, true>],
        ];
        Self { of, result: T::RESULT }
    }

    /// That for elements of a width, and the end of its tail under `vtype`, 0 if it stays.
    pub fn under(self, unit: &VectorUnit, vtype: Vtype, is_scalar: bool) -> (Kernel, usize) {
        let end = match self.result {
            Some(power) => unit.vlenb.max(unit.vlmax(vtype.sew, vtype.lmul) << (vtype.sew + power)),
            None => unit.vlenb,
        };
        // Masks are tail-agnostic whatever `vtype` says.
        let becomes_ones = unit.fill == AgnosticFill::Ones && (vtype.tail_agnostic || self.result.is_none());
        (self.of[vtype.sew as usize & 3][usize::from(is_scalar)], if becomes_ones { end } else { 0 })
    }
}

/// The kernel of such an operation. It fills the tail itself.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma"))]
pub extern "C" fn mixed<T: Mixed, E: Element, W: Element, const SCALAR: bool>(
    unit: &mut VectorUnit,
    d: usize,
    a: usize,
    b: u64,
    body: usize,
    tail_end: usize,
) {
    if body > 0 {
        T::run::<E, W, SCALAR>(unit, At { d, a, b, body, tail_end });
    }
}

impl At {
    const fn starts(self, is_scalar: bool) -> Starts {
        Starts { a: self.a, b: if is_scalar { None } else { Some(self.b as usize) }, d: self.d }
    }
}

/// What becomes of an element. Not a closure: what is used in two places, compilers call, and then it is compiled without
/// the host's vectors.
pub trait Mixing<A, B, D>: Copy {
    /// What an element raises, if it is not the default.
    type Raised: Copy + Default + PartialEq + BitOr<Output = Self::Raised>;

    /// `vd[i]`, of `vs2[i]`, `operand[i]`, `vd[i]` and `v0[i]`, and what it raises.
    fn of(self, a: A, b: B, d: D, bit: bool) -> (D, Self::Raised);
}

/// Raises nothing.
#[derive(Clone, Copy)]
struct Silent<F>(F);

impl<A, B, D, F: Fn(A, B, D, bool) -> D + Copy> Mixing<A, B, D> for Silent<F> {
    type Raised = bool;

    #[inline(always)]
    fn of(self, a: A, b: B, d: D, bit: bool) -> (D, bool) {
        (self.0(a, b, d, bit), false)
    }
}

/// The same where elements are active: others stay, and raise nothing.
#[derive(Clone, Copy)]
pub struct WhereActive<M>(pub M);

impl<A, B, D: Copy, M: Mixing<A, B, D>> Mixing<A, B, D> for WhereActive<M> {
    type Raised = M::Raised;

    #[inline(always)]
    fn of(self, a: A, b: B, d: D, bit: bool) -> (D, Self::Raised) {
        let (value, raised) = self.0.of(a, b, d, bit);
        if bit { (value, raised) } else { (d, Self::Raised::default()) }
    }
}

/// `vd[i] = f(vs2[i], operand[i], vd[i], v0[i])` of `count` elements of three types, and the tail.
#[inline(always)]
pub fn each_mixed<A: Element, B: Element, D: Element, const SCALAR: bool>(
    unit: &mut VectorUnit,
    at: At,
    count: usize,
    f: impl Fn(A, B, D, bool) -> D + Copy,
) {
    mix::<A, B, D, SCALAR>(unit, at, count, Silent(f));
}

/// Does it to `count` elements of three types, and fills the tail. Returns whether any was raised.
#[inline(always)]
pub fn mix<A: Element, B: Element, D: Element, const SCALAR: bool>(
    unit: &mut VectorUnit,
    at: At,
    count: usize,
    mixing: impl Mixing<A, B, D>,
) -> bool {
    let scalar = B::truncate(at.b);
    let registers = &mut unit.registers[..];
    let mut raised = nothing(&mixing);
    // As many elements as two registers of AVX2 hold of the widest operand, or one of all alike; then as many as half a
    // register: a group can be as short.
    let range = [0, count];
    let mut index = match const { (B::BYTES, widest::<A, B, D>()) } {
        (1, 1) => mix_steps::<A, B, D, _, SCALAR, 32, 16>(registers, at, range, mixing, &mut raised),
        (1, _) => mix_steps::<A, B, D, _, SCALAR, 32, 8>(registers, at, range, mixing, &mut raised),
        (2, 2) => mix_steps::<A, B, D, _, SCALAR, 16, 8>(registers, at, range, mixing, &mut raised),
        (2, _) => mix_steps::<A, B, D, _, SCALAR, 16, 4>(registers, at, range, mixing, &mut raised),
        (4, 4) => mix_steps::<A, B, D, _, SCALAR, 8, 4>(registers, at, range, mixing, &mut raised),
        (4, _) => mix_steps::<A, B, D, _, SCALAR, 8, 2>(registers, at, range, mixing, &mut raised),
        _ => mix_steps::<A, B, D, _, SCALAR, 4, 2>(registers, at, range, mixing, &mut raised),
    };
    while index < count {
        one_by_one();
        let a = A::load(&registers[at.a + index * A::BYTES..][..A::BYTES]);
        let b =
            if SCALAR { scalar } else { B::load(&registers[at.b as usize + index * B::BYTES..][..B::BYTES]) };
        let bit = registers[index / 8] >> (index % 8) & 1 == 1;
        let target = &mut registers[at.d + index * D::BYTES..][..D::BYTES];
        let (value, raises) = mixing.of(a, b, D::load(target), bit);
        raised = raised | raises;
        value.store(target);
        index += 1;
    }
    let end = count * D::BYTES;
    if end < at.tail_end {
        registers[at.d + end..at.d + at.tail_end].fill(0xff);
    }
    raised != nothing(&mixing)
}

/// What is raised at first.
#[inline(always)]
fn nothing<A, B, D, M: Mixing<A, B, D>>(_: &M) -> M::Raised {
    M::Raised::default()
}

/// As much of that as there are whole steps of `LONG` elements, then of `SHORT`. Returns the first element that is left.
#[inline(always)]
fn mix_steps<
    A: Element,
    B: Element,
    D: Element,
    M: Mixing<A, B, D>,
    const SCALAR: bool,
    const LONG: usize,
    const SHORT: usize,
>(
    registers: &mut [u8],
    at: At,
    [first, count]: [usize; 2],
    mixing: M,
    raised: &mut M::Raised,
) -> usize {
    let mut index = first;
    while index + LONG <= count {
        mix_step::<A, B, D, M, SCALAR, LONG>(registers, at, index, mixing, raised);
        index += LONG;
    }
    while index + SHORT <= count {
        mix_step::<A, B, D, M, SCALAR, SHORT>(registers, at, index, mixing, raised);
        index += SHORT;
    }
    index
}

/// `LANES` elements from `index` on.
#[inline(always)]
fn mix_step<
    A: Element,
    B: Element,
    D: Element,
    M: Mixing<A, B, D>,
    const SCALAR: bool,
    const LANES: usize,
>(
    registers: &mut [u8],
    at: At,
    index: usize,
    mixing: M,
    raised: &mut M::Raised,
) {
    one_by_one();
    let mask = bits_of_v0::<LANES>(registers, index);
    let a: [A; LANES] = elements(registers, at.a, index);
    let scalar = B::truncate(at.b);
    let b = if SCALAR { [scalar; LANES] } else { elements(registers, at.b as usize, index) };
    let mut d: [D; LANES] = elements(registers, at.d, index);
    let mut all = [M::Raised::default(); LANES];
    for lane in 0..LANES {
        // Compilers are to know that it is the same number in all lanes.
        let b = if SCALAR { scalar } else { b[lane] };
        (d[lane], all[lane]) = mixing.of(a[lane], b, d[lane], mask >> lane & 1 == 1);
    }
    for raises in all {
        *raised = *raised | raises;
    }
    let target = &mut registers[at.d + index * D::BYTES..][..LANES * D::BYTES];
    for (bytes, value) in target.chunks_exact_mut(D::BYTES).zip(d) {
        value.store(bytes);
    }
}

/// Bits of v0 from element `index` on, a multiple of `LANES`, as many as these.
#[inline(always)]
fn bits_of_v0<const LANES: usize>(registers: &[u8], index: usize) -> u32 {
    let mut bits = 0;
    for byte in 0..LANES.div_ceil(8) {
        bits |= registers.get(index / 8 + byte).map_or(0, |&bits| u32::from(bits)) << (8 * byte);
    }
    bits >> (index % 8)
}

/// `vd.mask[i] = f(vs2[i], operand[i], v0[i])`, and the tail.
#[inline(always)]
pub fn each_to_mask<E: Element, const SCALAR: bool>(
    unit: &mut VectorUnit,
    at: At,
    f: impl Fn(E, E, bool) -> bool,
) {
    let count = at.body / E::BYTES;
    let scalar = E::truncate(at.b);
    let registers = &mut unit.registers[..];
    bytes_of_mask(registers, &at.starts(SCALAR), scalar, count / 8, |mask, a, b| {
        Some(byte_of(|lane| f(a[lane], b[lane], mask >> lane & 1 == 1)))
    });
    let (byte, rest) = (count / 8, count % 8);
    if rest > 0 {
        let mut bits = 0;
        for lane in 0..rest {
            let place = (8 * byte + lane) * E::BYTES;
            let a = E::load(&registers[at.a + place..][..E::BYTES]);
            let b = if SCALAR { scalar } else { E::load(&registers[at.b as usize + place..][..E::BYTES]) };
            bits |= u8::from(f(a, b, registers[byte] >> lane & 1 == 1)) << lane;
        }
        let tail = if at.tail_end > 0 { 0xff } else { registers[at.d + byte] };
        registers[at.d + byte] = bits | tail & 0xff << rest;
    }
    let end = count.div_ceil(8);
    if end < at.tail_end {
        registers[at.d + end..at.d + at.tail_end].fill(0xff);
    }
}
