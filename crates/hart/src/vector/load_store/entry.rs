//! Accesses for compiled code, which knows `vtype` beforehand and has checked that the instruction is legal, unmasked
//! and starts with element 0. What is not all there, or might be an event, is left to the instruction's body.

use isa::operands::{AccessKind, Shape, Site};

use super::element_by_element::Access;
use super::segment::Segment;
use super::{gather, indexed, interleave, regular, strided, unit_stride};
use crate::hart::Hart;
use crate::memory::Memory;
use crate::port::Port;
use crate::unit::MemoryBody;
use crate::vector::element::{Element, for_sew};
use crate::vector::fields::Fields;
use crate::vector::state::{AgnosticFill, VectorUnit, Vtype};
use crate::vector::{check, kernel};

/// Executes the access with this word, each field of which takes so many registers. Returns 0, or 1 if it traps, or 2 if
/// it is done and was an event. Undefined on a host without what [`kernel::available`] looks for.
pub type Entry = unsafe extern "C" fn(&mut Hart, &mut Memory, u32, u64) -> u64;

/// `call` with the number of fields as a constant.
macro_rules! for_fields {
    ($count:expr, $fields:ident => $call:expr) => {
        for_fields!(@ $count, $fields => $call, 2 3 4 5 6 7)
    };
    (@ $count:expr, $fields:ident => $call:expr, $($number:literal)*) => {
        match $count {
            $($number => {
                const $fields: usize = $number;
                $call
            })*
            _ => {
                const $fields: usize = 8;
                $call
            }
        }
    };
}

impl VectorUnit {
    /// The entry of an access and its last argument, if it is unmasked, leaves no tail to be filled and is legal under
    /// `vtype` whatever `vl`.
    pub fn entry(&self, site: &Site<'_>, vtype: Vtype) -> Option<(Entry, u64)> {
        use AccessKind::{Load, Store};
        let [access] = &site.effects.memory[..] else { return None };
        let fields = Fields(site.word);
        let fills = self.fill == AgnosticFill::Ones;
        if fields.masked() || fills || !kernel::available() || check::supported(vtype).is_err() {
            return None;
        }
        let (width, count) = (fields.width(), fields.fields());
        let named = || Segment::under(self, vtype, fields, width).ok();
        let (segment, entry): (Segment, Entry) = match (access.kind, access.shape) {
            (Load, Shape::UnitStride) if count > 1 => {
                (named()?, for_fields!(count, N => for_sew!(width, E => load_segments::<E, N>)))
            }
            (Store, Shape::UnitStride) if count > 1 => {
                (named()?, for_fields!(count, N => for_sew!(width, E => store_segments::<E, N>)))
            }
            (Load, Shape::Strided) => (named()?, for_sew!(width, E => load_strided::<E>)),
            (Store, Shape::Strided) => (named()?, for_sew!(width, E => store_strided::<E>)),
            (Load, Shape::Indexed | Shape::IndexedOrdered) => (
                indexed::loadable(self, vtype, fields).ok()?.0,
                for_sew!(vtype.sew, E => for_sew!(width, I => load_indexed::<E, I>)),
            ),
            (Store, Shape::Indexed | Shape::IndexedOrdered) => (
                indexed::storable(self, vtype, fields).ok()?,
                for_sew!(vtype.sew, E => for_sew!(width, I => store_indexed::<E, I>)),
            ),
            _ => return None,
        };
        Some((entry, segment.registers().into()))
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
extern "C" fn load_segments<E: Element, const FIELDS: usize>(
    hart: &mut Hart,
    memory: &mut Memory,
    word: u32,
    registers: u64,
) -> u64 {
    let access = access::<E>(hart, word, registers);
    let port = Port { memory, effects: None };
    if let Some((address, length)) = regular::hull::<E>(hart, &port, &access, (FIELDS * E::BYTES) as u64)
        && let Some(source) = port.memory.slice(address, length)
    {
        let unit = &mut hart.vector;
        let (distance, first) = (registers as usize * unit.vlenb, access.fields.vd() as usize * unit.vlenb);
        interleave::load::<E, FIELDS>(source, &mut unit.registers[first..], distance, unit.vl * E::BYTES);
        return 0;
    }
    execute(unit_stride::load, hart, memory, word)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
extern "C" fn store_segments<E: Element, const FIELDS: usize>(
    hart: &mut Hart,
    memory: &mut Memory,
    word: u32,
    registers: u64,
) -> u64 {
    let access = access::<E>(hart, word, registers);
    let port = Port { memory, effects: None };
    if let Some((address, length)) = regular::hull::<E>(hart, &port, &access, (FIELDS * E::BYTES) as u64)
        && let Some(target) = port.memory.quiet_slice_mut(address, length)
    {
        let unit = &hart.vector;
        let (distance, first) = (registers as usize * unit.vlenb, access.fields.vd() as usize * unit.vlenb);
        interleave::store::<E, FIELDS>(target, &unit.registers[first..], distance, unit.vl * E::BYTES);
        return 0;
    }
    execute(unit_stride::store, hart, memory, word)
}

extern "C" fn load_strided<E: Element>(
    hart: &mut Hart,
    memory: &mut Memory,
    word: u32,
    registers: u64,
) -> u64 {
    let access = access::<E>(hart, word, registers);
    let stride = strided::stride(hart, &access);
    if regular::load::<E>(hart, &mut Port { memory, effects: None }, &access, stride) {
        return 0;
    }
    execute(strided::load, hart, memory, word)
}

extern "C" fn store_strided<E: Element>(
    hart: &mut Hart,
    memory: &mut Memory,
    word: u32,
    registers: u64,
) -> u64 {
    let access = access::<E>(hart, word, registers);
    let stride = strided::stride(hart, &access);
    if regular::store::<E>(hart, &mut Port { memory, effects: None }, &access, stride) {
        return 0;
    }
    execute(strided::store, hart, memory, word)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
extern "C" fn load_indexed<E: Element, I: Element>(
    hart: &mut Hart,
    memory: &mut Memory,
    word: u32,
    registers: u64,
) -> u64 {
    let access = access::<E>(hart, word, registers);
    let done = gather::load::<E, I>(hart, memory, &access);
    rest(indexed::load, hart, memory, word, done)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
extern "C" fn store_indexed<E: Element, I: Element>(
    hart: &mut Hart,
    memory: &mut Memory,
    word: u32,
    registers: u64,
) -> u64 {
    let access = access::<E>(hart, word, registers);
    let done = gather::store::<E, I>(hart, memory, &access);
    rest(indexed::store, hart, memory, word, done)
}

#[inline(always)]
fn access<E: Element>(hart: &Hart, word: u32, registers: u64) -> Access {
    let fields = Fields(word);
    Access::new(hart, fields, Segment::known(fields, registers as u32, E::BYTES.ilog2() as u8))
}

/// Has an instruction's body do the elements from `done` on.
#[inline(always)]
fn rest(body: MemoryBody, hart: &mut Hart, memory: &mut Memory, word: u32, done: usize) -> u64 {
    if done == hart.vector.vl {
        return 0;
    }
    hart.vector.vstart = done;
    execute(body, hart, memory, word)
}

#[cold]
fn execute(body: MemoryBody, hart: &mut Hart, memory: &mut Memory, word: u32) -> u64 {
    match body(hart, &mut Port { memory, effects: None }, word) {
        Err(_) => 1,
        Ok(()) if memory.host_touched() => 2,
        Ok(()) => 0,
    }
}
