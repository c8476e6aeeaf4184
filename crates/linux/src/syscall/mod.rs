//! System calls: which there are, and how one is carried out (Linux, `asm-generic/unistd.h`, which RISC-V
//! uses unchanged).

mod call;
mod credentials;
mod descriptor;
mod file;
mod identity;
mod memory;
mod path;
mod poll;
mod probe;
mod process;
mod signal;
mod socket;
mod thread;
mod time;

use hart::System;
use syscalls::riscv64::Sysno;

use crate::errno::Errno;
use crate::process::Process;
use crate::shared::Shared;
use crate::strace;
use crate::streams::Streams;
use crate::thread::Wait;

pub use call::{Call, Handler, Reply};
pub use path::{AT_EMPTY_PATH, AT_FDCWD, directory_path};
pub use thread::clear_and_wake;

/// `riscv_hwprobe`.
const HWPROBE: u64 = 258;
/// `riscv_flush_icache`.
const FLUSH_ICACHE: u64 = 259;

const OPENAT: u64 = Sysno::openat as u64;

/// Most system calls that are named as not implemented.
const MOST_NAMED: usize = 64;

/// Carries out the system call in the running thread's registers.
pub fn carry_out(
    process: &mut Process,
    shared: &mut Shared,
    system: &mut System,
    host: &mut dyn Streams,
) -> Reply {
    let System { hart, memory } = system;
    let number = hart.x(17);
    let arguments = std::array::from_fn(|index| hart.x(10 + index as u16));
    let (name, handler) = find(number);
    if number != OPENAT && process.thread().opening.take().is_some() {
        // A signal's handler ran instead.
        shared.kin.files_changed = true;
    }
    let mut call = Call { process, shared, hart, memory, host, arguments };
    let reply = match handler {
        Some(handler) => handler(&mut call).unwrap_or_else(|errno| Reply::Return(errno.as_result())),
        None => {
            name_unknown(&mut call, number, name);
            Reply::Return(Errno::ENOSYS.as_result())
        }
    };
    strace::report(&mut call, number, name, reply);
    reply
}

/// Names a system call that is not implemented, the first time; a program that tries them all is not told of
/// without end.
fn name_unknown(call: &mut Call<'_>, number: u64, name: Option<&str>) {
    let unknown = &mut call.shared.unknown;
    if unknown.len() == MOST_NAMED {
        call.tell_once("further system calls that are not implemented are not named");
    } else if unknown.insert(number) {
        let name = name.map_or_else(|| format!("number {number}"), |name| format!("{name} ({number})"));
        call.host.message(&format!("system call {name} is not implemented; the program gets ENOSYS"));
    }
}

/// Name and implementation of a system call by its number.
fn find(number: u64) -> (Option<&'static str>, Option<Handler>) {
    match number {
        HWPROBE => (Some("riscv_hwprobe"), Some(probe::hwprobe)),
        FLUSH_ICACHE => (Some("riscv_flush_icache"), Some(memory::flush_icache)),
        _ => {
            let Some(call) = usize::try_from(number).ok().and_then(Sysno::new) else { return (None, None) };
            let modules = [
                memory::handler,
                thread::handler,
                process::handler,
                signal::handler,
                time::handler,
                identity::handler,
                credentials::handler,
                socket::handler,
                file::handler,
                path::handler,
                descriptor::handler,
                poll::handler,
            ];
            (Some(call.name()), modules.iter().find_map(|module| module(call)))
        }
    }
}

/// What a wait returns when its deadline passes; `None` if the call is tried again.
pub const fn result_at_deadline(wait: Wait) -> Option<u64> {
    match wait {
        Wait::Futex { .. } => Some(Errno::ETIMEDOUT.as_result()),
        Wait::Time => Some(0),
        Wait::File | Wait::Poll | Wait::Child | Wait::Signal(_) => None,
    }
}
