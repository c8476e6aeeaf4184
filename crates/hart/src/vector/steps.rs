//! Loops over whole steps of an instruction whose element `i` depends on elements `i` of its sources alone: they are of
//! constant length over arrays, which compilers turn into vector instructions of the host.
//!
//! Operands are cells, because they may be the same registers, and chunks of equal lengths, because compilers make more of
//! loops that cannot fail.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

use super::element::Element;

/// Bytes of the widest operand that one step works on.
pub const STEP: usize = 16;

/// The bytes of a step.
pub type Block = [u8; STEP];

/// First bytes of the operands in the register file.
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
    let widest = if A::BYTES > D::BYTES { A::BYTES } else { D::BYTES };
    STEP / if B::BYTES > widest { B::BYTES } else { widest }
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

/// Does the first `count` steps of `lanes` elements: `step` gets the index of the first element, the register file, the
/// blocks of `vs2` and the second operand and, to be changed, that of `vd`; if it returns false, the block is not stored
/// and no step follows. Returns how many steps are done.
#[inline(always)]
pub fn steps<A: Element, B: Element, D: Element>(
    registers: &mut [u8],
    starts: &Starts,
    splat: Block,
    count: usize,
    mut step: impl FnMut(usize, Cells<'_>, &Block, &Block, &mut Block) -> bool,
) -> usize {
    let lanes = const { lanes::<A, B, D>() };
    let registers = Cell::from_mut(registers).as_slice_of_cells();
    let chunks = |start: usize, bytes: usize| {
        let length = lanes * bytes;
        registers[start..start + count * length].chunks_exact(length)
    };
    let of_b = chunks(starts.b.unwrap_or(0), B::BYTES);
    let operands = chunks(starts.a, A::BYTES).zip(of_b).zip(chunks(starts.d, D::BYTES));
    for (index, ((a, b), target)) in operands.enumerate() {
        one_by_one();
        let (a, b, mut d) = (read(a), if starts.b.is_some() { read(b) } else { splat }, read(target));
        if !step(index * lanes, registers, &a, &b, &mut d) {
            return index;
        }
        for (cell, byte) in target.iter().zip(d) {
            cell.set(byte);
        }
    }
    count
}

/// Keeps a compiler from making vectors of several rounds of the loop around it: it would find out first, at length, that
/// no operand overlaps another.
#[inline(always)]
pub fn one_by_one() {
    compiler_fence(Ordering::SeqCst);
}

/// The register file.
pub type Cells<'a> = &'a [Cell<u8>];

/// Bits of v0 from element `index` on, at least as many as a step has elements.
#[inline(always)]
pub fn bits_of_v0(registers: Cells<'_>, index: usize) -> u32 {
    let byte = |byte: usize| registers.get(byte).map_or(0, |cell| u32::from(cell.get()));
    (byte(index / 8) | byte(index / 8 + 1) << 8) >> (index % 8)
}

#[inline(always)]
fn read(cells: Cells<'_>) -> Block {
    let mut block = [0; STEP];
    for (byte, cell) in block.iter_mut().zip(cells) {
        *byte = cell.get();
    }
    block
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
