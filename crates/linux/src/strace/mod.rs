//! Report of system calls, as `strace` gives it: arguments and results by what they mean, where that is known.

mod flags;
mod signature;

use std::fmt::Write;

use crate::errno::Errno;
use crate::guest::Guest;
use crate::signal::Signal;
use crate::syscall::{Call, Reply};
use signature::{Kind, Signature};

/// Most bytes shown of what is read and written.
const MOST_SHOWN: usize = 32;
/// `AT_FDCWD`.
const WORKING_DIRECTORY: i32 = -100;

/// Reports a call that was carried out, if asked to.
pub fn report(call: &mut Call<'_>, number: u64, name: Option<&str>, reply: Reply) {
    if !call.shared.options.strace {
        return;
    }
    let mut line = format!("[{}] ", call.process.thread().id.0);
    match name {
        Some(name) => line.push_str(name),
        None => push(&mut line, format_args!("syscall_{number}")),
    }
    line.push('(');
    let signature = signature::of(number);
    for (index, &kind) in signature.arguments.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        argument(&mut line, call, index, kind, reply);
    }
    line.push_str(") = ");
    result(&mut line, signature, reply);
    call.host.message(&line);
}

/// Arguments that a system call takes.
pub fn arguments(number: u64) -> usize {
    signature::of(number).arguments.len()
}

fn push(line: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = line.write_fmt(text);
}

fn argument(line: &mut String, call: &Call<'_>, index: usize, kind: Kind, reply: Reply) {
    let value = call.arguments[index];
    match kind {
        Kind::Int => push(line, format_args!("{}", value as i32)),
        Kind::Size => push(line, format_args!("{value}")),
        Kind::Hex => push(line, format_args!("{value:#x}")),
        Kind::Address if value == 0 => line.push_str("NULL"),
        Kind::Address => push(line, format_args!("{value:#x}")),
        Kind::Octal => push(line, format_args!("{value:#o}")),
        Kind::Directory if value as i32 == WORKING_DIRECTORY => line.push_str("AT_FDCWD"),
        Kind::Directory => push(line, format_args!("{}", value as i32)),
        Kind::Path => match call.memory.string(value) {
            Ok(path) => quote(line, &path, path.len()),
            Err(_) => push(line, format_args!("{value:#x}")),
        },
        Kind::Sent => text(line, call, value, call.arguments[index + 1]),
        Kind::Received => match reply {
            Reply::Return(count) if Errno::in_result(count).is_none() => text(line, call, value, count),
            _ => push(line, format_args!("{value:#x}")),
        },
        Kind::Signal => match Signal::new(value).ok().and_then(Signal::name) {
            Some(name) => line.push_str(name),
            None => push(line, format_args!("{value}")),
        },
        Kind::Flags(names) => flags::push(line, value, names),
        Kind::Choice(names) => match names.iter().find(|(number, _)| *number == value) {
            Some((_, name)) => line.push_str(name),
            None => push(line, format_args!("{value}")),
        },
    }
}

/// What lies at an address, as far as it is shown.
fn text(line: &mut String, call: &Call<'_>, address: u64, bytes: u64) {
    let shown = bytes.min(MOST_SHOWN as u64) as usize;
    match call.memory.bytes(address, shown) {
        Ok(content) => quote(line, content, usize::try_from(bytes).unwrap_or(usize::MAX)),
        Err(_) => push(line, format_args!("{address:#x}")),
    }
}

/// Bytes between quotes, with dots if there are `all` of them.
fn quote(line: &mut String, bytes: &[u8], all: usize) {
    line.push('"');
    for &byte in bytes {
        match byte {
            b'\n' => line.push_str("\\n"),
            b'\t' => line.push_str("\\t"),
            b'\r' => line.push_str("\\r"),
            b'"' | b'\\' => push(line, format_args!("\\{}", byte as char)),
            b' '..=b'~' => line.push(byte as char),
            _ => push(line, format_args!("\\x{byte:02x}")),
        }
    }
    line.push('"');
    if bytes.len() < all {
        line.push_str("...");
    }
}

fn result(line: &mut String, signature: &Signature, reply: Reply) {
    match reply {
        Reply::Return(value) => match Errno::in_result(value) {
            Some(errno) => match errno.name() {
                Some(name) => push(line, format_args!("-1 {name}")),
                None => push(line, format_args!("-1 errno {}", errno.number())),
            },
            None if signature.returns_address => push(line, format_args!("{value:#x}")),
            None => push(line, format_args!("{value}")),
        },
        Reply::Suspend(..) | Reply::Retry(..) => line.push_str("? <waits>"),
        Reply::Resume => line.push_str("? <resumes>"),
        Reply::Fork { child, .. } => push(line, format_args!("{}", child.0)),
        Reply::Exec => line.push('0'),
        Reply::ExitThread(status) | Reply::ExitProcess(status) => {
            push(line, format_args!("? <exits {status}>"))
        }
    }
}
