//! Elements at indices, as long as their memory lies where a look at one part of it finds it.

use super::element_by_element::Access;
use crate::hart::Hart;
use crate::memory::{Address, Memory};
use crate::vector::element::Element;

/// Elements whose indices are read together, before any of them is transferred: what is legal overwrites no index that
/// is still to be read.
const BLOCK: usize = 4;

/// Loads the elements of an unmasked access one after the other; returns the first that is left to do.
#[inline(always)]
pub fn load<E: Element, I: Element>(hart: &mut Hart, memory: &Memory, access: &Access) -> usize {
    let mask = hart.csrs.xlen().mask();
    let Some(window) = memory.window(Address(access.base)) else { return 0 };
    let window = &window[..window.len().min((mask - access.base) as usize)];
    let (segment, index_group) = (access.segment, access.fields.vs2());
    let unit = &mut hart.vector;
    let Some(last) = window.len().checked_sub(segment.bytes() as usize) else { return 0 };
    let mut element = 0;
    if segment.count == 1 {
        let group = segment.register(0) as usize * unit.vlenb;
        while element + BLOCK <= unit.vl {
            let offsets = block::<I>(&unit.registers, index_group as usize * unit.vlenb, element);
            let start = group + element * E::BYTES;
            let target = &mut unit.registers[start..start + BLOCK * E::BYTES];
            for (number, (target, offset)) in target.chunks_exact_mut(E::BYTES).zip(offsets).enumerate() {
                if offset <= last as u64 {
                    target.copy_from_slice(&window[offset as usize..offset as usize + E::BYTES]);
                } else if let Ok(value) = E::read(memory, access.base.wrapping_add(offset) & mask) {
                    value.store(target);
                } else {
                    return element + number;
                }
            }
            element += BLOCK;
        }
    }
    for element in element..unit.vl {
        let offset = unit.get::<I>(index_group, element).zero_extend();
        if offset > last as u64 {
            return element;
        }
        let source = &window[offset as usize..offset as usize + segment.bytes() as usize];
        for (field, source) in (0..segment.count).zip(source.chunks_exact(E::BYTES)) {
            unit.set(segment.register(field), element, E::load(source));
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
    let (segment, index_group) = (access.segment, access.fields.vs2());
    let unit = &hart.vector;
    let Some(last) = window.len().checked_sub(segment.bytes() as usize) else { return 0 };
    let mut element = 0;
    if segment.count == 1 {
        let group = segment.register(0) as usize * unit.vlenb;
        while element + BLOCK <= unit.vl {
            let offsets = block::<I>(&unit.registers, index_group as usize * unit.vlenb, element);
            let start = group + element * E::BYTES;
            let source = &unit.registers[start..start + BLOCK * E::BYTES];
            for (number, (source, offset)) in source.chunks_exact(E::BYTES).zip(offsets).enumerate() {
                if offset > last as u64 {
                    return element + number;
                }
                window[offset as usize..offset as usize + E::BYTES].copy_from_slice(source);
            }
            element += BLOCK;
        }
    }
    for element in element..unit.vl {
        let offset = unit.get::<I>(index_group, element).zero_extend();
        if offset > last as u64 {
            return element;
        }
        let target = &mut window[offset as usize..offset as usize + segment.bytes() as usize];
        for (field, target) in (0..segment.count).zip(target.chunks_exact_mut(E::BYTES)) {
            unit.get::<E>(segment.register(field), element).store(target);
        }
    }
    unit.vl
}

/// Indices of a block that begins with this element.
#[inline(always)]
fn block<I: Element>(registers: &[u8], group: usize, element: usize) -> [u64; BLOCK] {
    let start = group + element * I::BYTES;
    let bytes = &registers[start..start + BLOCK * I::BYTES];
    std::array::from_fn(|number| I::load(&bytes[number * I::BYTES..(number + 1) * I::BYTES]).zero_extend())
}
