//! System calls on descriptors: duplicating, closing, pipes, event counters, terminals.

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;
use crate::files::{Epoll, Object, flag, pipe};
use crate::guest::Guest;

const F_DUPFD: i32 = 0;
const F_GETFD: i32 = 1;
const F_SETFD: i32 = 2;
const F_GETFL: i32 = 3;
const F_SETFL: i32 = 4;
const F_DUPFD_CLOEXEC: i32 = 1030;
/// `F_GETLK`, `F_SETLK`, `F_SETLKW`: nobody else could hold a lock.
const LOCKS: std::ops::RangeInclusive<i32> = 5..=7;
const EFD_SEMAPHORE: u64 = 1;
const CLOSE_RANGE_CLOEXEC: u64 = 4;
const TIOCGWINSZ: u64 = 0x5413;
const TCGETS: u64 = 0x5401;
const FIONBIO: u64 = 0x5421;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::close => |call| {
            call.process.files.close(call.int(0))?;
            call.files_changed();
            Ok(Reply::Return(0))
        },
        Sysno::close_range => |call| {
            let [first, last, flags, ..] = call.arguments;
            for number in first..=last.min(crate::files::MOST_FILES as u64) {
                let files = &mut call.process.files;
                // Numbers that are not open are passed over.
                let _ = match flags & CLOSE_RANGE_CLOEXEC {
                    0 => files.close(number as i32),
                    _ => files.set_close_on_exec(number as i32, true),
                };
            }
            call.files_changed();
            Ok(Reply::Return(0))
        },
        Sysno::dup => |call| {
            let description = call.process.files.share(call.int(0))?;
            Ok(Reply::Return(call.process.files.place(description, 0, false)? as u64))
        },
        Sysno::dup3 => |call| {
            if call.int(0) == call.int(1) {
                return Err(Errno::EINVAL);
            }
            let description = call.process.files.share(call.int(0))?;
            let close_on_exec = call.arguments[2] as u32 & flag::CLOEXEC != 0;
            call.process.files.replace(call.int(1), description, close_on_exec)?;
            call.files_changed();
            Ok(Reply::Return(call.int(1) as u64))
        },
        Sysno::fcntl => fcntl,
        Sysno::ioctl => ioctl,
        Sysno::pipe2 => pipe2,
        Sysno::eventfd2 => |call| {
            let [count, flags, ..] = call.arguments;
            let event = Object::Event { count: count & 0xffff_ffff, semaphore: flags & EFD_SEMAPHORE != 0 };
            let flags = flags as u32 & (flag::NONBLOCK | flag::CLOEXEC);
            Ok(Reply::Return(call.process.files.open(event, flags | flag::RDWR)? as u64))
        },
        Sysno::epoll_create1 => |call| {
            let flags = call.arguments[0] as u32 & flag::CLOEXEC;
            Ok(Reply::Return(
                call.process.files.open(Object::Epoll(Epoll::default()), flags | flag::RDWR)? as u64
            ))
        },
        _ => return None,
    })
}

fn fcntl(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let number = call.int(0);
    let argument = call.arguments[2];
    let files = &mut call.process.files;
    let value = match call.arguments[1] as i32 {
        command @ (F_DUPFD | F_DUPFD_CLOEXEC) => {
            let description = files.share(number)?;
            files.place(description, argument as i32, command == F_DUPFD_CLOEXEC)? as u64
        }
        F_GETFD => files.close_on_exec(number)?.into(),
        F_SETFD => {
            files.set_close_on_exec(number, argument & 1 != 0)?;
            0
        }
        F_GETFL => (files.get(number)?.flags & !flag::CLOEXEC).into(),
        F_SETFL => {
            let changeable = flag::APPEND | flag::NONBLOCK;
            let mut description = files.get_mut(number)?;
            description.flags = description.flags & !changeable | argument as u32 & changeable;
            0
        }
        command if LOCKS.contains(&command) => {
            files.get(number)?;
            0
        }
        _ => return Err(Errno::EINVAL),
    };
    Ok(Reply::Return(value))
}

fn ioctl(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, request, address, ..] = call.arguments;
    let mut description = call.process.files.get_mut(call.arguments[0] as i32)?;
    let terminal = match description.object {
        Object::Input | Object::Output | Object::ErrorOutput => call.host.terminal(),
        _ => None,
    };
    match (request & 0xffff_ffff, terminal) {
        (FIONBIO, _) => {
            let on = call.memory.get_u32(address)? != 0;
            description.flags = description.flags & !flag::NONBLOCK | if on { flag::NONBLOCK } else { 0 };
        }
        (TIOCGWINSZ, Some((columns, rows))) => {
            let size = [rows, columns, 0, 0].map(u16::to_le_bytes).concat();
            call.memory.put(address, &size)?;
        }
        // `struct termios` of a terminal that nobody may set: input, output, control and local modes,
        // line discipline, control characters.
        (TCGETS, Some(_)) => {
            let mut bytes: Vec<u8> =
                [0x500u32, 0x5, 0xbf, 0x8a3b].iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.resize(36, 0);
            call.memory.put(address, &bytes)?;
        }
        _ => return Err(Errno::ENOTTY),
    }
    Ok(Reply::Return(0))
}

fn pipe2(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let flags = call.arguments[1] as u32 & (flag::NONBLOCK | flag::CLOEXEC);
    let files = &mut call.process.files;
    let (reader, writer) = pipe(&files.pipes)?;
    let reader = files.open(Object::Reader(reader), flags)?;
    let opened = files.open(Object::Writer(writer), flags | flag::WRONLY).and_then(|writer| {
        let numbers = [reader.to_le_bytes(), writer.to_le_bytes()].concat();
        call.memory.put(call.arguments[0], &numbers).or_else(|errno| files.close(writer).and(Err(errno)))
    });
    opened.or_else(|errno| files.close(reader).and(Err(errno)))?;
    Ok(Reply::Return(0))
}
