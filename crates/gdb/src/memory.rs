//! Guest memory as a debugger reads and writes it: whatever is mapped, whether or not the guest may write it.

use hart::fault::Access;
use hart::{Address, Memory};

const PAGE: u64 = hart::pages::PAGE;

/// Reads as many bytes as there are; returns how many.
pub fn read(memory: &mut Memory, address: u64, target: &mut [u8]) -> usize {
    let mut done = 0;
    while done < target.len() {
        let Some(at) = address.checked_add(done as u64) else { break };
        let left = (PAGE - at % PAGE) as usize;
        let chunk = left.min(target.len() - done);
        // A region of a bare machine may end anywhere.
        let Some(size) = [chunk, 1].into_iter().find(|&size| is_there(memory, at, size)) else { break };
        let Some(source) = bytes(memory, at, size) else { break };
        target[done..done + size].copy_from_slice(source);
        done += size;
    }
    done
}

/// Writes bytes; false if some of them are not there, and then none is written.
pub fn write(memory: &mut Memory, address: u64, source: &[u8]) -> bool {
    let Some(end) = address.checked_add(source.len() as u64) else { return false };
    let mut at = address;
    while at < end {
        let next = (at - at % PAGE).saturating_add(PAGE).min(end);
        if !is_there(memory, at, (next - at) as usize) {
            return false;
        }
        at = next;
    }
    match bytes(memory, address, source.len()) {
        Some(target) => target.copy_from_slice(source),
        None => return false,
    }
    true
}

fn is_there(memory: &mut Memory, address: u64, size: usize) -> bool {
    if let Some(pages) = memory.pages_mut() {
        let permits = |access| pages.permits(address, size, access);
        return permits(Access::Load) || permits(Access::Fetch);
    }
    memory.contains(Address(address), size)
}

fn bytes(memory: &mut Memory, address: u64, size: usize) -> Option<&mut [u8]> {
    if memory.pages_mut().is_some() {
        return memory.pages_mut()?.raw_mut(address, size);
    }
    memory.slice_mut(Address(address), size)
}
