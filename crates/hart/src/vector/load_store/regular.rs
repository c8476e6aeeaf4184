//! Segments at a regular distance from each other, all of whose memory is there: nothing can happen on the way,
//! so that no access looks at more than its own bytes.

use std::ops::Range;

use super::element_by_element::Access;
use crate::hart::Hart;
use crate::memory::Address;
use crate::port::Port;
use crate::vector::element::Element;

/// Loads an unmasked access whose segments are `stride` bytes apart; false, with nothing done, if it may not
/// all be there or if a trace wants to see each element.
pub fn load<E: Element>(hart: &mut Hart, port: &mut Port<'_>, access: &Access, stride: u64) -> bool {
    let Some((address, length)) = hull::<E>(hart, port, access, stride) else { return false };
    let vector = &mut hart.vector;
    let Some(source) = port.memory.slice(address, length) else { return false };
    for field in 0..access.segment.count {
        let group = access.segment.register(field) as usize * vector.vlenb;
        let target = &mut vector.registers[bytes::<E>(group, &access.elements)];
        let mut rest = &source[field as usize * E::BYTES..];
        if stride < E::BYTES as u64 {
            for element in target.chunks_exact_mut(E::BYTES) {
                element.copy_from_slice(&rest[..E::BYTES]);
                rest = rest.get(stride as usize..).unwrap_or_default();
            }
            continue;
        }
        let (others, last) = target.split_at_mut(target.len() - E::BYTES);
        for element in others.chunks_exact_mut(E::BYTES) {
            let (bytes, next) = rest.split_at(stride as usize);
            element.copy_from_slice(&bytes[..E::BYTES]);
            rest = next;
        }
        last.copy_from_slice(&rest[..E::BYTES]);
    }
    true
}

/// Stores likewise; false, too, if that might be an event.
pub fn store<E: Element>(hart: &Hart, port: &mut Port<'_>, access: &Access, stride: u64) -> bool {
    let Some((address, length)) = hull::<E>(hart, port, access, stride) else { return false };
    let overlaps = stride < access.segment.bytes().max(E::BYTES as u64);
    let vector = &hart.vector;
    let Some(target) = port.memory.quiet_slice_mut(address, length).filter(|_| !overlaps) else {
        return false;
    };
    for field in 0..access.segment.count {
        let group = access.segment.register(field) as usize * vector.vlenb;
        let source = &vector.registers[bytes::<E>(group, &access.elements)];
        let mut rest = &mut target[field as usize * E::BYTES..];
        let (others, last) = source.split_at(source.len() - E::BYTES);
        for element in others.chunks_exact(E::BYTES) {
            let (bytes, next) = rest.split_at_mut(stride as usize);
            bytes[..E::BYTES].copy_from_slice(element);
            rest = next;
        }
        rest[..E::BYTES].copy_from_slice(last);
    }
    true
}

fn bytes<E: Element>(group: usize, elements: &Range<usize>) -> Range<usize> {
    group + elements.start * E::BYTES..group + elements.end * E::BYTES
}

/// Address and length of the memory from the first byte to the last.
#[inline(always)]
pub fn hull<E: Element>(
    hart: &Hart,
    port: &Port<'_>,
    access: &Access,
    stride: u64,
) -> Option<(Address, usize)> {
    let last = access.elements.len().checked_sub(1)? as u64;
    let length = stride.checked_mul(last)?.checked_add(access.segment.bytes())?;
    let start = access.base.checked_add(stride.checked_mul(access.elements.start as u64)?)?;
    let fits = start.checked_add(length)? <= hart.csrs.xlen().mask();
    let plain = fits && !access.fields.masked() && port.effects.is_none();
    plain.then_some((Address(start), usize::try_from(length).ok()?))
}
