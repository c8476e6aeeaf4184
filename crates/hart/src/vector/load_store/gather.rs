//! Elements at indices, as long as their memory lies where a look at one part of it finds it.

use std::cell::Cell;

use super::element_by_element::Access;
use crate::hart::Hart;
use crate::memory::{Address, Memory};
use crate::vector::element::Element;

/// Loads the elements of an unmasked access one after the other; returns the first that is left to do.
#[inline(always)]
pub fn load<E: Element, I: Element>(hart: &mut Hart, memory: &Memory, access: &Access) -> usize {
    let mask = hart.csrs.xlen().mask();
    let Some(window) = memory.window(Address(access.base)) else { return 0 };
    let window = &window[..window.len().min((mask - access.base) as usize)];
    let unit = &mut hart.vector;
    let mut element = 0;
    if access.segment.count == 1 {
        let groups = groups(access, unit.vlenb);
        // Cells, because they may be the same registers.
        let registers = Cell::from_mut(&mut unit.registers[..]).as_slice_of_cells();
        let [data, indices] = elements::<_, E, I>(registers, groups, unit.vl);
        for (target, cells) in data.zip(indices) {
            let mut index = [0; 8];
            // Lengths are constants here, or compilers make loops of bytes.
            for (byte, cell) in index.iter_mut().zip(&cells[..I::BYTES]) {
                *byte = cell.get();
            }
            // Asked for as a range, it takes one comparison.
            let start = offset(u64::from_le_bytes(index));
            let Some(source) = window.get(start..start.wrapping_add(E::BYTES)) else { break };
            let value = E::load(source).zero_extend();
            for (cell, byte) in target[..E::BYTES].iter().zip(value.to_le_bytes()) {
                cell.set(byte);
            }
            element += 1;
        }
    }
    // A copy: then there is an access in memory only for what follows.
    if element == unit.vl { element } else { load_rest::<E, I>(hart, memory, &access.clone(), element) }
}

/// Where the data and the indices begin.
#[inline(always)]
fn groups(access: &Access, vlenb: usize) -> [usize; 2] {
    [access.segment.register(0), access.fields.vs2()].map(|register| register as usize * vlenb)
}

/// The data and the indices of so many elements.
#[inline(always)]
fn elements<B, E: Element, I: Element>(
    registers: &[B],
    [data, indices]: [usize; 2],
    count: usize,
) -> [std::slice::ChunksExact<'_, B>; 2] {
    let data = registers[data..][..count * E::BYTES].chunks_exact(E::BYTES);
    [data, registers[indices..][..count * I::BYTES].chunks_exact(I::BYTES)]
}

/// An index as an offset in a window.
#[inline(always)]
fn offset(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// Loads the elements from one on: segments, and elements that the window does not have.
#[inline(never)]
fn load_rest<E: Element, I: Element>(
    hart: &mut Hart,
    memory: &Memory,
    access: &Access,
    first: usize,
) -> usize {
    let mask = hart.csrs.xlen().mask();
    let Some(window) = memory.window(Address(access.base)) else { return first };
    let window = &window[..window.len().min((mask - access.base) as usize)];
    let segment = access.segment;
    let unit = &mut hart.vector;
    for element in first..unit.vl {
        let index = unit.get::<I>(access.fields.vs2(), element).zero_extend();
        let start = offset(index);
        if let Some(source) = window.get(start..start.wrapping_add(segment.bytes() as usize)) {
            for (field, source) in (0..segment.count).zip(source.chunks_exact(E::BYTES)) {
                unit.set(segment.register(field), element, E::load(source));
            }
        } else if segment.count == 1
            && let Ok(value) = E::read(memory, access.base.wrapping_add(index) & mask)
        {
            unit.set(segment.register(0), element, value);
        } else {
            return element;
        }
    }
    unit.vl
}

/// Stores likewise.
#[inline(always)]
pub fn store<E: Element, I: Element>(hart: &Hart, memory: &mut Memory, access: &Access) -> usize {
    let mask = hart.csrs.xlen().mask();
    let Some(window) = memory.quiet_window_mut(Address(access.base)) else { return 0 };
    let most = window.len().min((mask - access.base) as usize);
    let window = &mut window[..most];
    let unit = &hart.vector;
    if access.segment.count > 1 {
        return store_segments::<E, I>(hart, window, &access.clone());
    }
    let [data, indices] = elements::<_, E, I>(&unit.registers, groups(access, unit.vlenb), unit.vl);
    for (element, (source, index)) in data.zip(indices).enumerate() {
        let start = offset(I::load(index).zero_extend());
        let Some(target) = window.get_mut(start..start.wrapping_add(E::BYTES)) else { return element };
        target.copy_from_slice(source);
    }
    unit.vl
}

#[inline(never)]
fn store_segments<E: Element, I: Element>(hart: &Hart, window: &mut [u8], access: &Access) -> usize {
    let (segment, unit) = (access.segment, &hart.vector);
    for element in 0..unit.vl {
        let start = offset(unit.get::<I>(access.fields.vs2(), element).zero_extend());
        let end = start.wrapping_add(segment.bytes() as usize);
        let Some(target) = window.get_mut(start..end) else { return element };
        for (field, target) in (0..segment.count).zip(target.chunks_exact_mut(E::BYTES)) {
            unit.get::<E>(segment.register(field), element).store(target);
        }
    }
    unit.vl
}
