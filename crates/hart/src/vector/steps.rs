//! Loops over whole steps of an instruction whose element `i` depends on elements `i` of its sources alone: they are of
//! constant length over arrays, which compilers turn into vector instructions of the host.

use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

use super::element::Element;

/// Bytes of the widest operand that one step works on.
pub const STEP: usize = 16;

/// The bytes of a step.
pub type Block = [u8; STEP];

/// First bytes of the operands in the register file.
#[derive(Clone, Copy)]
pub struct Starts {
    /// Of `vs2`.
    pub a: usize,
    /// Of the second operand, if it is a group.
    pub b: Option<usize>,
    /// Of `vd`.
    pub d: usize,
}

/// Elements of a step.
pub const fn lanes<A: Element, B: Element, D: Element>() -> usize {
    STEP / widest::<A, B, D>()
}

/// Bytes of an element of the widest operand.
pub const fn widest<A: Element, B: Element, D: Element>() -> usize {
    let widest = if A::BYTES > D::BYTES { A::BYTES } else { D::BYTES };
    if B::BYTES > widest { B::BYTES } else { widest }
}

/// An element of a step.
#[inline(always)]
pub fn element<E: Element>(block: &Block, lane: usize) -> E {
    E::load(&block[lane * E::BYTES..][..E::BYTES])
}

/// A number in all elements of a step.
#[inline(always)]
pub fn splat<E: Element>(value: E) -> Block {
    let mut block = [0; STEP];
    for bytes in block.chunks_exact_mut(E::BYTES) {
        value.store(bytes);
    }
    block
}

/// `length` bytes at `start`.
#[inline(always)]
pub fn load(registers: &[u8], start: usize, length: usize) -> Block {
    let mut block = [0; STEP];
    block[..length].copy_from_slice(&registers[start..start + length]);
    block
}

/// Keeps a compiler from making vectors of several rounds of the loop around it: it would find out first, at length, that
/// no operand overlaps another.
#[inline(always)]
pub fn one_by_one() {
    compiler_fence(Ordering::SeqCst);
}

/// Does the first `count` bytes of a mask: `f` makes one of the byte of v0 and eight elements of each operand; at `None`,
/// nothing is stored and no byte follows. Returns how many are done.
#[inline(always)]
pub fn bytes_of_mask<E: Element>(
    registers: &mut [u8],
    starts: &Starts,
    scalar: E,
    count: usize,
    mut f: impl FnMut(u8, [E; 8], [E; 8]) -> Option<u8>,
) -> usize {
    for index in 0..count {
        // Compilers are to make vectors of the eight elements, not of many bytes.
        let byte = black_box(index);
        let a = elements(registers, starts.a, 8 * byte);
        let b = starts.b.map_or([scalar; 8], |b| elements(registers, b, 8 * byte));
        match f(registers[byte], a, b) {
            Some(result) => registers[starts.d + byte] = result,
            None => return index,
        }
    }
    count
}

/// Elements of a group from `index` on.
#[inline(always)]
pub fn elements<E: Element, const LANES: usize>(registers: &[u8], group: usize, index: usize) -> [E; LANES] {
    let bytes = &registers[group + index * E::BYTES..][..LANES * E::BYTES];
    // Closures may be functions of their own, compiled without the host's vectors.
    let mut elements = [E::ONES; LANES];
    for (lane, element) in elements.iter_mut().enumerate() {
        *element = E::load(&bytes[lane * E::BYTES..][..E::BYTES]);
    }
    elements
}

/// A byte of the lowest bits of at most eight elements that are ones or zeros each.
#[inline(always)]
pub fn byte_of_elements<E: Element, const LANES: usize>(elements: [E; LANES]) -> u8 {
    // Otherwise compilers take the elements apart where they come from, instead of comparing them all at once.
    let elements = black_box(elements);
    let mut byte = 0;
    for (lane, element) in elements.into_iter().enumerate() {
        byte |= E::truncate(element.zero_extend() & 1 << lane).zero_extend();
    }
    byte as u8
}

/// A byte of eight bits.
#[inline(always)]
pub fn byte_of(mut bit: impl FnMut(usize) -> bool) -> u8 {
    let bits: [u8; 8] = std::array::from_fn(|lane| bit(lane).into());
    // Bit 8 i goes to bit 56 + i.
    (u64::from_le_bytes(bits).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}
