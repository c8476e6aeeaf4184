//! Reading, writing and moving within open files.

use std::io::SeekFrom;
use std::rc::Rc;

use isa::Xlen;
use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;
use crate::files::{Object, Outcome};
use crate::guest::Guest;
use crate::options::Ending;
use crate::signal::{SI_USER, Sent, Signal, Words, push_word};
use crate::thread::Wait;

/// Most bytes that one call moves (`MAX_RW_COUNT`).
const MOST_BYTES: u64 = 0x7fff_f000;
/// Most bytes of directory entries that one call returns.
const MOST_ENTRIES: u64 = 1 << 20;
/// Most buffers of one call (`IOV_MAX`).
const MOST_BUFFERS: u64 = 1024;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::read => |call| {
            let [_, address, bytes, ..] = call.arguments;
            read(call, &[(address, bytes)])
        },
        Sysno::write => |call| {
            let [_, address, bytes, ..] = call.arguments;
            write(call, &[(address, bytes)])
        },
        Sysno::readv => |call| {
            let buffers = buffers(call)?;
            read(call, &buffers)
        },
        Sysno::writev => |call| {
            let buffers = buffers(call)?;
            write(call, &buffers)
        },
        Sysno::pread64 => pread,
        Sysno::pwrite64 => pwrite,
        Sysno::lseek => lseek,
        Sysno::ftruncate => ftruncate,
        Sysno::getdents64 => getdents,
        Sysno::sendfile => sendfile,
        // What is written is the host's to keep.
        Sysno::fsync
        | Sysno::fdatasync
        | Sysno::sync
        | Sysno::fadvise64
        | Sysno::readahead
        | Sysno::flock => |_| Ok(Reply::Return(0)),
        _ => return None,
    })
}

fn buffers(call: &Call<'_>) -> Result<Vec<(u64, u64)>, Errno> {
    let [_, vector, count, ..] = call.arguments;
    if count > MOST_BUFFERS {
        return Err(Errno::EINVAL);
    }
    let mut words = Words { memory: call.memory, at: vector, xlen: call.process.xlen };
    (0..count).map(|_| Ok((words.next()?, words.next()?))).collect()
}

fn read(call: &mut Call<'_>, buffers: &[(u64, u64)]) -> Result<Reply, Errno> {
    let process = &mut *call.process;
    let mut description = process.files.get_mut(call.arguments[0] as i32)?;
    let mut total = 0;
    for &(address, bytes) in buffers {
        let wanted = bytes.min(MOST_BYTES - total);
        if wanted == 0 {
            continue;
        }
        let target = call.memory.bytes_mut(address, wanted as usize);
        match target.and_then(|target| description.read(target, call.host, &mut call.shared.random)) {
            Ok(Outcome::Done(read)) => {
                total += read as u64;
                if (read as u64) < wanted {
                    break;
                }
            }
            Ok(Outcome::Ended) => {
                process.ended = Some(Ending::Interrupted);
                return Ok(Reply::Resume);
            }
            _ if total > 0 => break,
            Ok(Outcome::Blocks) if description.never_blocks() => return Err(Errno::EAGAIN),
            Ok(Outcome::Blocks) => return Ok(Reply::Retry(Wait::File, None)),
            Err(errno) => return Err(errno),
        }
    }
    let shared = description.is_shared();
    drop(description);
    if shared && total > 0 {
        call.files_changed();
    }
    Ok(Reply::Return(total))
}

fn write(call: &mut Call<'_>, buffers: &[(u64, u64)]) -> Result<Reply, Errno> {
    let process = &mut *call.process;
    // What a pipe took before the call had to wait.
    let before = std::mem::take(&mut process.thread().written);
    let mut description = process.files.get_mut(call.arguments[0] as i32)?;
    let waits =
        matches!(description.object, Object::Writer(_) | Object::Ends(..)) && !description.never_blocks();
    let (mut total, mut blocks) = (0, false);
    'buffers: for &(address, bytes) in buffers {
        let wanted = bytes.min(MOST_BYTES - total);
        let mut done = before.saturating_sub(total).min(wanted);
        total += done;
        while done < wanted {
            let content = call.memory.bytes(address.wrapping_add(done), (wanted - done) as usize);
            match content.and_then(|content| description.write(content, call.host)) {
                Ok(Outcome::Done(written)) => {
                    done += written as u64;
                    total += written as u64;
                    if done < wanted && !waits {
                        break 'buffers;
                    }
                }
                Ok(Outcome::Blocks) if waits => {
                    blocks = true;
                    break 'buffers;
                }
                _ if total > 0 => break 'buffers,
                Ok(Outcome::Blocks) if description.never_blocks() => return Err(Errno::EAGAIN),
                Ok(Outcome::Blocks | Outcome::Ended) => return Ok(Reply::Retry(Wait::File, None)),
                Err(Errno::EPIPE) => {
                    drop(description);
                    return Err(broken_pipe(call));
                }
                Err(errno) => return Err(errno),
            }
        }
    }
    let shared = description.is_shared();
    drop(description);
    if shared && total > before {
        call.files_changed();
    }
    if blocks {
        call.process.thread().written = total;
        return Ok(Reply::Retry(Wait::File, None));
    }
    Ok(Reply::Return(total))
}

/// The signal of one who writes where nobody reads, and the error.
fn broken_pipe(call: &mut Call<'_>) -> Errno {
    let process = &mut *call.process;
    process.send_to_thread(
        process.current,
        Sent { signal: Signal::SIGPIPE, code: SI_USER, value: 0, status: 0 },
    );
    Errno::EPIPE
}

fn pread(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, address, bytes, ..] = call.arguments;
    let offset = offset(call, 3)?;
    let target = call.memory.bytes_mut(address, bytes.min(MOST_BYTES) as usize)?;
    let read = call.process.files.get(call.arguments[0] as i32)?.read_at(offset, target)?;
    Ok(Reply::Return(read as u64))
}

fn pwrite(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, address, bytes, ..] = call.arguments;
    let offset = offset(call, 3)?;
    let content = call.memory.bytes(address, bytes.min(MOST_BYTES) as usize)?;
    let written = call.process.files.get(call.arguments[0] as i32)?.write_at(offset, content)?;
    Ok(Reply::Return(written as u64))
}

/// A file offset from argument `index`; on RV32 a pair that begins there, at an even index or not.
fn offset(call: &Call<'_>, index: usize) -> Result<u64, Errno> {
    let offset = call.wide(index);
    if i64::try_from(offset).is_ok() { Ok(offset) } else { Err(Errno::EINVAL) }
}

fn lseek(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let (offset, whence, result) = match call.process.xlen {
        // `_llseek`: high half, low half, where the result goes, whence.
        Xlen::Rv32 => {
            let [_, high, low, result, whence, _] = call.arguments;
            ((high << 32 | low & 0xffff_ffff) as i64, whence, Some(result))
        }
        Xlen::Rv64 => (call.arguments[1] as i64, call.arguments[2], None),
    };
    let to = match whence {
        0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::EINVAL)?),
        1 => SeekFrom::Current(offset),
        2 => SeekFrom::End(offset),
        _ => return Err(Errno::EINVAL),
    };
    let position = call.process.files.get_mut(call.arguments[0] as i32)?.seek(to)?;
    match result {
        Some(address) => {
            call.memory.put(address, &position.to_le_bytes())?;
            Ok(Reply::Return(0))
        }
        None => Ok(Reply::Return(position)),
    }
}

fn ftruncate(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let length = offset(call, 1)?;
    let description = call.process.files.get(call.arguments[0] as i32)?;
    match &description.object {
        Object::Regular(file) if description.is_writable() => file.set_len(length)?,
        _ => return Err(Errno::EINVAL),
    }
    Ok(Reply::Return(0))
}

/// Copies from a regular file to any other. Programs copy by themselves what this refuses.
fn sendfile(call: &mut Call<'_>) -> Result<Reply, Errno> {
    /// Bytes that one call moves at most.
    const MOST: u64 = 1 << 16;
    let [_, _, place, bytes, ..] = call.arguments;
    let files = &call.process.files;
    let (target, source) = (files.share(call.int(0))?, files.share(call.int(1))?);
    if Rc::ptr_eq(&target, &source) || !matches!(source.borrow().object, Object::Regular(_)) {
        return Err(Errno::EINVAL);
    }
    let offset = match place {
        0 => source.borrow_mut().seek(SeekFrom::Current(0))?,
        _ => Words { memory: call.memory, at: place, xlen: call.process.xlen }.next()?,
    };
    let mut content = vec![0; bytes.min(MOST) as usize];
    let read = source.borrow().read_at(offset, &mut content)?;
    let mut target = target.borrow_mut();
    let written = match target.write(&content[..read], call.host) {
        Ok(Outcome::Done(written)) => written as u64,
        Ok(Outcome::Blocks) if target.never_blocks() => return Err(Errno::EAGAIN),
        Ok(Outcome::Blocks | Outcome::Ended) => return Ok(Reply::Retry(Wait::File, None)),
        Err(Errno::EPIPE) => return Err(broken_pipe(call)),
        Err(errno) => return Err(errno),
    };
    let shared = target.is_shared();
    drop(target);
    if place == 0 {
        source.borrow_mut().seek(SeekFrom::Start(offset + written))?;
    } else {
        let mut word = Vec::new();
        push_word(&mut word, offset + written, call.process.xlen);
        call.memory.put(place, &word)?;
    }
    if shared && written > 0 {
        call.files_changed();
    }
    Ok(Reply::Return(written))
}

fn getdents(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, address, bytes, ..] = call.arguments;
    let mut description = call.process.files.get_mut(call.arguments[0] as i32)?;
    let Object::Directory(directory) = &mut description.object else { return Err(Errno::ENOTDIR) };
    // Entries that cannot be delivered must not be lost.
    let target = call.memory.bytes_mut(address, bytes.min(MOST_ENTRIES) as usize)?;
    let entries = directory.read(target.len())?;
    target[..entries.len()].copy_from_slice(&entries);
    Ok(Reply::Return(entries.len() as u64))
}
