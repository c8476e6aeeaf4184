//! Memory: `brk`, `mmap` and what belongs to them.

use hart::pages::{PAGE, Rights};
use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;
use crate::guest::Guest;

const MAP_SHARED: u64 = 0x01;
const MAP_TYPE: u64 = 0x0f;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
const MREMAP_MAYMOVE: u64 = 1;
const MREMAP_FIXED: u64 = 2;
const MADV_DONTNEED: i32 = 4;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::brk => brk,
        Sysno::mmap => mmap,
        Sysno::munmap => munmap,
        Sysno::mprotect => mprotect,
        Sysno::mremap => mremap,
        Sysno::madvise => madvise,
        // Nothing is ever paged out, and no mapping is written back.
        Sysno::mlock
        | Sysno::munlock
        | Sysno::mlockall
        | Sysno::munlockall
        | Sysno::mlock2
        | Sysno::msync => |_| Ok(Reply::Return(0)),
        _ => return None,
    })
}

fn rights(protection: u64) -> Result<Rights, Errno> {
    if protection & !7 != 0 {
        return Err(Errno::EINVAL);
    }
    let mut rights = Rights::NONE;
    // As on hardware that knows no pages to write without reading, nor, here, to execute without it.
    if protection & 7 != 0 {
        rights = rights | Rights::READ;
    }
    if protection & 2 != 0 {
        rights = rights | Rights::WRITE;
    }
    if protection & 4 != 0 {
        rights = rights | Rights::EXECUTE;
    }
    Ok(rights)
}

/// Something else comes to a range, or nothing: code there is stale, and what was written to memory that is shared goes
/// to the others first.
fn leave(call: &mut Call<'_>, address: u64, bytes: u64) {
    call.process.code_changed |= call.process.space.is_executable(address, bytes);
    if call.process.space.is_shared(address, bytes) {
        call.shared.kin.publish(&call.process.space, call.memory);
    }
}

fn brk(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let released = call.process.space.released_by_break(call.arguments[0]);
    leave(call, released.start, released.end - released.start);
    let pages = call.memory.pages()?;
    Ok(Reply::Return(call.process.space.set_break(pages, call.arguments[0])))
}

fn mmap(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, bytes, protection, flags, _, offset] = call.arguments;
    let rights = rights(protection)?;
    let offset = match call.process.xlen {
        // `mmap2` counts in pages.
        isa::Xlen::Rv32 => offset * PAGE,
        isa::Xlen::Rv64 => offset,
    };
    if !offset.is_multiple_of(PAGE) || bytes == 0 {
        return Err(Errno::EINVAL);
    }
    let content = if flags & MAP_ANONYMOUS == 0 {
        let file = call.process.files.mapped(call.int(4))?;
        // What the guest writes there would have to reach the file.
        if flags & MAP_TYPE == MAP_SHARED && rights.include(Rights::WRITE) {
            call.tell_once("a file mapped shared and writable is not implemented: the program gets ENODEV");
            return Err(Errno::ENODEV);
        }
        Some(file)
    } else {
        None
    };
    let fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0;
    if fixed && flags & MAP_FIXED_NOREPLACE == 0 {
        leave(call, address, bytes);
    }
    let process = &mut *call.process;
    let pages = call.memory.pages()?;
    // A file's content takes memory even where the guest may not see it yet.
    let first = if content.is_some() { rights | Rights::READ } else { rights };
    let start = if fixed {
        if flags & MAP_FIXED_NOREPLACE != 0 && !process.space.is_free_at(address, bytes)? {
            return Err(Errno::EEXIST);
        }
        process.space.map_at(pages, address, bytes, first)?;
        address
    } else {
        process.space.map_anywhere(pages, address, bytes, first)?
    };
    if let Some(file) = content {
        let room = usize::try_from(bytes).map_err(|_| Errno::ENOMEM)?;
        let target = pages.raw_mut(start, room).ok_or(Errno::ENOMEM)?;
        if let Err(errno) = process.files.read_at(file, offset, target) {
            process.space.unmap(pages, start, bytes)?;
            return Err(errno);
        }
        if first != rights {
            process.space.protect(pages, start, bytes, rights)?;
        }
    }
    // A shared mapping of a file is never writable, so that a copy does as well.
    if content.is_none() && flags & MAP_TYPE == MAP_SHARED {
        process.space.share(start, bytes)?;
    }
    Ok(Reply::Return(start))
}

fn munmap(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, bytes, ..] = call.arguments;
    leave(call, address, bytes);
    let pages = call.memory.pages()?;
    call.process.space.unmap(pages, address, bytes)?;
    Ok(Reply::Return(0))
}

fn mprotect(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, bytes, protection, ..] = call.arguments;
    let rights = rights(protection)?;
    call.process.code_changed |= call.process.space.is_executable(address, bytes);
    let pages = call.memory.pages()?;
    call.process.space.protect(pages, address, bytes, rights)?;
    Ok(Reply::Return(0))
}

fn mremap(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, old, new, flags, ..] = call.arguments;
    if flags & MREMAP_FIXED != 0 || flags & !MREMAP_MAYMOVE != 0 {
        return Err(Errno::EINVAL);
    }
    leave(call, address, old);
    let pages = call.memory.pages()?;
    let moved = call.process.space.remap(pages, address, old, new, flags & MREMAP_MAYMOVE != 0)?;
    Ok(Reply::Return(moved))
}

fn madvise(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, bytes, ..] = call.arguments;
    if call.int(2) == MADV_DONTNEED {
        call.process.code_changed |= call.process.space.is_executable(address, bytes);
        let pages = call.memory.pages()?;
        call.process.space.discard(pages, address, bytes)?;
    }
    // Everything else is advice.
    Ok(Reply::Return(0))
}

/// `riscv_flush_icache`.
///
/// # Errors
/// None.
pub fn flush_icache(call: &mut Call<'_>) -> Result<Reply, Errno> {
    call.process.code_changed = true;
    Ok(Reply::Return(0))
}
