//! Operations on cache blocks ("CMO" Extensions). Memory is always coherent here: managing a block only checks that
//! it may be accessed.

use crate::fault::{Access, Exception, MemoryFault};
use crate::hart::Hart;
use crate::memory::{Address, WriteEvent};
use crate::port::Port;
use crate::unit::{AnyBody, Fields, Trap};

/// Bytes of a cache block, which Zic64b and Linux's `riscv_hwprobe` name.
pub const BLOCK: usize = 64;

/// The body of an instruction of this module.
pub fn body(name: &str) -> Option<AnyBody> {
    match name {
        "CBO__ZERO" => Some(AnyBody::Memory(zero)),
        "CBO__INVAL" | "CBO__CLEAN" | "CBO__FLUSH" => Some(AnyBody::Memory(manage)),
        _ => None,
    }
}

/// The block that holds the address in rs1.
const fn block(hart: &Hart, word: u32) -> u64 {
    hart.slots[Fields(word).rs1() as usize] & !(BLOCK as u64 - 1)
}

fn zero(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    let block = block(hart, word);
    match port.memory.write(Address(block), [0; BLOCK]) {
        // The machine asks the memory for the host-target interface's word itself.
        Ok(()) | Err(WriteEvent::Host) => {
            port.note(block, BLOCK, Some(0));
            Ok(())
        }
        Err(WriteEvent::Fault(fault)) => Err(Exception::from(fault).into()),
    }
}

fn manage(hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
    let block = block(hart, word);
    let read = port.memory.read::<1>(Address(block), Access::Load);
    // The exception is that of a store, whichever access is permitted ("Cache-Block Management Instructions").
    read.map_err(|fault| Exception::from(MemoryFault { access: Access::Store, ..fault }))?;
    Ok(())
}
