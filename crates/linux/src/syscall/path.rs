//! System calls that name files by path.

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;
use crate::executable::ExecutableFile;
use crate::files::{Object, PipeFile, Place, Status, descriptor, flag};
use crate::guest::Guest;
use crate::thread::Wait;

pub const AT_FDCWD: i32 = -100;
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
const AT_REMOVEDIR: u64 = 0x200;
pub const AT_EMPTY_PATH: u64 = 0x1000;
/// `W_OK` and `X_OK`.
const WRITE_ACCESS: u64 = 2;
const EXECUTE_ACCESS: u64 = 1;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::openat => openat,
        Sysno::fstat => |call| {
            let status = call.process.files.get(call.int(0))?.object.status()?;
            call.memory.put(call.arguments[1], &status.stat())?;
            Ok(Reply::Return(0))
        },
        Sysno::fstatat => |call| {
            let status = status(call, 3)?;
            call.memory.put(call.arguments[2], &status.stat())?;
            Ok(Reply::Return(0))
        },
        Sysno::statx => |call| {
            let status = status(call, 2)?;
            call.memory.put(call.arguments[4], &status.statx())?;
            Ok(Reply::Return(0))
        },
        Sysno::faccessat | Sysno::faccessat2 => access,
        Sysno::readlinkat => readlinkat,
        Sysno::getcwd => getcwd,
        Sysno::chdir => |call| {
            let place = place(call, None, 0)?;
            call.process.files.root.change_directory(&place)?;
            Ok(Reply::Return(0))
        },
        Sysno::fchdir => |call| {
            let path = directory_path(call, call.int(0))?;
            let place = Place::new(b"/", &path)?;
            call.process.files.root.change_directory(&place)?;
            Ok(Reply::Return(0))
        },
        Sysno::mkdirat => |call| {
            let place = place(call, Some(0), 1)?;
            call.process.files.root.make_directory(&place)?;
            Ok(Reply::Return(0))
        },
        Sysno::mknodat => mknodat,
        Sysno::unlinkat => |call| {
            let place = place(call, Some(0), 1)?;
            call.process.files.root.remove(&place, call.arguments[2] & AT_REMOVEDIR != 0)?;
            Ok(Reply::Return(0))
        },
        Sysno::renameat2 => |call| {
            if call.arguments[4] != 0 {
                return Err(Errno::EINVAL);
            }
            let (from, to) = (place(call, Some(0), 1)?, place(call, Some(2), 3)?);
            call.process.files.root.rename(&from, &to)?;
            Ok(Reply::Return(0))
        },
        Sysno::linkat => |call| {
            let (from, to) = (place(call, Some(0), 1)?, place(call, Some(2), 3)?);
            call.process.files.root.link(&from, &to)?;
            Ok(Reply::Return(0))
        },
        Sysno::symlinkat => |call| {
            let target = call.memory.string(call.arguments[0])?;
            let place = place(call, Some(1), 2)?;
            call.process.files.root.symbolic_link(&target, &place)?;
            Ok(Reply::Return(0))
        },
        Sysno::truncate => |call| {
            let place = place(call, None, 0)?;
            call.process.files.root.set_length(&place, call.wide(1))?;
            Ok(Reply::Return(0))
        },
        Sysno::fchmodat => |call| {
            let place = place(call, Some(0), 1)?;
            call.process.files.root.set_permissions(&place, call.arguments[2] as u32)?;
            Ok(Reply::Return(0))
        },
        Sysno::fchmod => |call| {
            if let Object::Regular(file) = &call.process.files.get(call.int(0))?.object {
                call.process.files.root.set_permissions_of(file, call.arguments[1] as u32)?;
            }
            Ok(Reply::Return(0))
        },
        // Owners and times of files are left as they are.
        Sysno::fchown | Sysno::fchownat | Sysno::utimensat | Sysno::utimensat_time64 => {
            |_| Ok(Reply::Return(0))
        }
        _ => return None,
    })
}

/// The place that argument `path` names, from the directory that argument `directory` names.
fn place(call: &Call<'_>, directory: Option<usize>, path: usize) -> Result<Place, Errno> {
    let path = call.memory.string(call.arguments[path])?;
    let base = match directory.map(|index| call.int(index)) {
        Some(number) if number != AT_FDCWD && !path.starts_with(b"/") => directory_path(call, number)?,
        _ => call.process.files.root.working().to_vec(),
    };
    Place::new(&base, &path)
}

/// The absolute path of an open directory.
///
/// # Errors
/// `EBADF`, `ENOTDIR`.
pub fn directory_path(call: &Call<'_>, number: i32) -> Result<Vec<u8>, Errno> {
    match &call.process.files.get(number)?.object {
        Object::Directory(directory) => Ok(directory.path().to_vec()),
        _ => Err(Errno::ENOTDIR),
    }
}

fn openat(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let place = place(call, Some(0), 1)?;
    let flags = call.arguments[2] as u32;
    if flags & flag::ACCESS == flag::ACCESS {
        return Err(Errno::EINVAL);
    }
    if ExecutableFile::is_named_by(&place) {
        return open_executable(call, flags);
    }
    let Some(number) = descriptor(&place.path()) else { return open(call, &place, flags) };
    let files = &mut call.process.files;
    let description = files.share(number).map_err(|_| Errno::ENOENT)?;
    let file = {
        let opened = description.borrow();
        matches!(opened.object, Object::Regular(_) | Object::Directory(_)).then(|| opened.path.clone())
    };
    // A file begins anew; of a pipe it is the same end once more.
    match file {
        Some(path) => open(call, &Place::new(b"/", &path)?, flags),
        None => Ok(Reply::Return(files.place(description, 0, flags & flag::CLOEXEC != 0)? as u64)),
    }
}

/// Opens the file that the process executes.
fn open_executable(call: &mut Call<'_>, flags: u32) -> Result<Reply, Errno> {
    let file = call.process.executable.clone();
    match file.open(flags)? {
        Some(object) => Ok(Reply::Return(call.process.files.open(object, flags)? as u64)),
        None => open(call, &file.place()?, flags),
    }
}

fn open(call: &mut Call<'_>, place: &Place, flags: u32) -> Result<Reply, Errno> {
    let mode = call.arguments[3] as u32;
    let files = &mut call.process.files;
    let object = match files.root.open(place, flags, mode) {
        Err(Errno::EACCES) if let Some(file) = files.root.pipe(place) => {
            let Some(end) = open_pipe(call, file, flags)? else { return Ok(Reply::Retry(Wait::File, None)) };
            end
        }
        Err(errno) if files.root.is_bare() => {
            let path = call.memory.string(call.arguments[1])?;
            call.shared.remember_unopened(path);
            return Err(errno);
        }
        opened => opened?,
    };
    let files = &mut call.process.files;
    let number = files.open(object, flags)?;
    files.get_mut(number)?.path = place.path();
    Ok(Reply::Return(number as u64))
}

/// An end of a named pipe, once another one is there (fifo(7)); it counts as there while its opener waits.
fn open_pipe(call: &mut Call<'_>, file: PipeFile, flags: u32) -> Result<Option<Object>, Errno> {
    let waiting = call.process.thread().opening.take().filter(|(other, _)| *other == file);
    let (is_new, waits) = (waiting.is_none(), flags & flag::NONBLOCK == 0);
    let pipes = &call.process.files.pipes;
    let end = match (waiting, flags & flag::ACCESS) {
        (Some((_, end)), _) => end,
        (None, 0) => Object::Reader(pipes.reader(file)?),
        (None, flag::WRONLY) => {
            let writer = pipes.writer(file)?;
            if !waits && !writer.is_read() {
                return Err(Errno::ENXIO);
            }
            Object::Writer(writer)
        }
        (None, _) => Object::Ends(pipes.reader(file)?, pipes.writer(file)?),
    };
    if is_new {
        call.files_changed();
    }
    let has_met = match &end {
        Object::Reader(reader) => reader.has_met(),
        Object::Writer(writer) => writer.has_met(),
        _ => true,
    };
    if has_met || !waits {
        return Ok(Some(end));
    }
    call.process.thread().opening = Some((file, end));
    Ok(None)
}

fn mknodat(call: &mut Call<'_>) -> Result<Reply, Errno> {
    const FORMAT: u32 = 0o170_000;
    let place = place(call, Some(0), 1)?;
    let mode = call.arguments[2] as u32;
    let root = &call.process.files.root;
    match mode & FORMAT {
        0 | 0o100_000 => drop(root.open(&place, flag::CREAT | flag::EXCL, mode)?),
        0o010_000 => root.make_pipe(&place, mode)?,
        0o020_000 | 0o060_000 | 0o140_000 => return Err(Errno::EPERM),
        _ => return Err(Errno::EINVAL),
    }
    Ok(Reply::Return(0))
}

/// What is known of the file of a name, an open one's (`/dev/fd/3`) too.
fn named(call: &Call<'_>, place: &Place, follows: bool) -> Result<Status, Errno> {
    let files = &call.process.files;
    if ExecutableFile::is_named_by(place) {
        return call.process.executable.status(&files.root, follows);
    }
    match descriptor(&place.path()) {
        Some(number) => files.get(number).map_err(|_| Errno::ENOENT)?.object.status(),
        None => files.root.status(place, follows),
    }
}

/// Status of what arguments 0 and 1 name, by the flags in argument `flags`.
fn status(call: &Call<'_>, flags: usize) -> Result<Status, Errno> {
    let flags = call.arguments[flags];
    let path = call.arguments[1];
    let empty = path == 0 || call.memory.string(path)?.is_empty();
    if flags & AT_EMPTY_PATH != 0 && empty && call.int(0) != AT_FDCWD {
        return call.process.files.get(call.int(0))?.object.status();
    }
    let place = if flags & AT_EMPTY_PATH != 0 && empty {
        Place::new(b"/", call.process.files.root.working())?
    } else {
        place(call, Some(0), 1)?
    };
    named(call, &place, flags & AT_SYMLINK_NOFOLLOW == 0)
}

fn access(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let place = place(call, Some(0), 1)?;
    let status = named(call, &place, true)?;
    if call.arguments[2] & EXECUTE_ACCESS != 0 && !status.is_executable() {
        return Err(Errno::EACCES);
    }
    if call.arguments[2] & WRITE_ACCESS != 0 && descriptor(&place.path()).is_none() {
        call.process.files.root.check_writable()?;
    }
    Ok(Reply::Return(0))
}

fn readlinkat(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, _, address, bytes, ..] = call.arguments;
    let place = place(call, Some(0), 1)?;
    let target = if ExecutableFile::is_named_by(&place) {
        call.process.executable.path.clone()
    } else {
        call.process.files.root.read_link(&place)?
    };
    let length = target.len().min(bytes as usize);
    call.memory.put(address, &target[..length])?;
    Ok(Reply::Return(length as u64))
}

fn getcwd(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, bytes, ..] = call.arguments;
    let mut path = call.process.files.root.working().to_vec();
    path.push(0);
    if (path.len() as u64) > bytes {
        return Err(Errno::ERANGE);
    }
    call.memory.put(address, &path)?;
    Ok(Reply::Return(path.len() as u64))
}
