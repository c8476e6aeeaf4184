//! Loads and stores ("Vector Loads and Stores").
//!
//! An access that faults at element `i` has transferred the elements before it and leaves `i` in `vstart`.

mod contiguous;
mod element_by_element;
mod entry;
mod gather;
mod indexed;
mod interleave;
mod regular;
mod segment;
mod strided;
mod transfer;
mod unit_stride;
mod whole;

#[cfg(test)]
mod tests;

use isa::operands::{Access, AccessKind, Shape};

use super::operation::{Compiled, Operation};
use crate::unit::{AnyBody, MemoryBody};

pub use entry::Entry;
pub use transfer::{Places, Scattered, Transfer};

/// The operation of an instruction that makes one access. Widths and numbers of registers are in its word.
pub fn operation(access: &Access) -> Option<Operation> {
    use AccessKind::{Fetch, Load, Store};
    let body: MemoryBody = match (access.kind, access.shape) {
        (Load, Shape::UnitStride) => unit_stride::load,
        (Load, Shape::FaultOnlyFirst) => unit_stride::load_first,
        (Store, Shape::UnitStride) => unit_stride::store,
        (Load, Shape::Strided) => strided::load,
        (Store, Shape::Strided) => strided::store,
        (Load, Shape::Indexed | Shape::IndexedOrdered) => indexed::load,
        (Store, Shape::Indexed | Shape::IndexedOrdered) => indexed::store,
        (Load, Shape::Mask) => whole::load_mask,
        (Store, Shape::Mask) => whole::store_mask,
        (Load, Shape::WholeRegister) => whole::load_registers,
        (Store, Shape::WholeRegister) => whole::store_registers,
        (Fetch, _) | (Store, Shape::FaultOnlyFirst) | (_, Shape::Scalar) => return None,
    };
    Some(Operation::unruled(AnyBody::Memory(body), Compiled::Access))
}
