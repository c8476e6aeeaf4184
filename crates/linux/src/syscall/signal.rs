//! Signals: actions, masks, stacks, and sending.

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply, time};
use crate::errno::Errno;
use crate::guest::Guest;
use crate::options::Ending;
use crate::relation::ProcessId;
use crate::signal::{Action, SI_TKILL, SI_USER, Sent, Signal, UNBLOCKABLE, Words, push_word};
use crate::thread::{ThreadId, Wait};

/// Bytes of the mask that system calls take (`sizeof(sigset_t)` in the kernel).
const MASK_BYTES: u64 = 8;
const SS_ONSTACK: u64 = 1;
const SS_DISABLE: u64 = 2;
const SMALLEST_STACK: u64 = 2048;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::rt_sigaction => action,
        Sysno::rt_sigprocmask => mask,
        Sysno::rt_sigpending => pending,
        Sysno::rt_sigsuspend => suspend,
        Sysno::rt_sigtimedwait => |call| wait(call, false),
        Sysno::rt_sigtimedwait_time64 => |call| wait(call, true),
        Sysno::rt_sigreturn => |call| {
            if call.process.leave_handler(call.hart, call.memory).is_err() {
                call.process.ended = Some(Ending::Killed(Signal::SIGSEGV));
            }
            Ok(Reply::Resume)
        },
        Sysno::sigaltstack => alternate_stack,
        Sysno::kill => kill,
        Sysno::tkill => |call| send_to(call, None, call.arguments[0], call.arguments[1]),
        Sysno::tgkill => |call| {
            let [process, thread, number, ..] = call.arguments;
            send_to(call, Some(process), thread, number)
        },
        _ => return None,
    })
}

fn action(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [number, new, old, bytes, ..] = call.arguments;
    let signal = Signal::new(number)?;
    if bytes != MASK_BYTES {
        return Err(Errno::EINVAL);
    }
    let xlen = call.process.xlen;
    let before = call.process.action(signal);
    if new != 0 {
        if signal.bit() & UNBLOCKABLE != 0 {
            return Err(Errno::EINVAL);
        }
        call.process.actions[usize::from(signal.0) - 1] = Action::read(call.memory, new, xlen)?;
    }
    if old != 0 {
        before.write(call.memory, old, xlen)?;
    }
    Ok(Reply::Return(0))
}

fn mask(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, new, old, bytes, ..] = call.arguments;
    if bytes != MASK_BYTES {
        return Err(Errno::EINVAL);
    }
    let before = call.process.thread().blocked;
    if new != 0 {
        let mask = call.memory.get_u64(new)?;
        let blocked = match call.int(0) {
            0 => before | mask,
            1 => before & !mask,
            2 => mask,
            _ => return Err(Errno::EINVAL),
        };
        call.process.thread().blocked = blocked & !UNBLOCKABLE;
    }
    if old != 0 {
        call.memory.put(old, &before.to_le_bytes())?;
    }
    Ok(Reply::Return(0))
}

fn pending(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let shared = call.process.pending.mask();
    let thread = call.process.thread();
    let pending = (thread.pending.mask() | shared) & thread.blocked;
    call.memory.put(call.arguments[0], &pending.to_le_bytes())?;
    Ok(Reply::Return(0))
}

fn suspend(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let mask = call.memory.get_u64(call.arguments[0])?;
    Ok(match block_meanwhile(call, mask) {
        Ok(()) => Reply::Suspend(Wait::Time, None),
        Err(errno) => Reply::Return(errno.as_result()),
    })
}

/// Blocks these signals instead for the time of a system call.
///
/// # Errors
/// `EINTR` if one that is pending is not among them: its handler runs now.
pub fn block_meanwhile(call: &mut Call<'_>, mask: u64) -> Result<(), Errno> {
    let shared = call.process.pending.mask();
    let thread = call.process.thread();
    // A call that is made again has saved it.
    thread.saved_mask.get_or_insert(thread.blocked);
    thread.blocked = mask & !UNBLOCKABLE;
    if (thread.pending.mask() | shared) & !thread.blocked == 0 { Ok(()) } else { Err(Errno::EINTR) }
}

fn wait(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    let [set, information, timeout, ..] = call.arguments;
    let set = call.memory.get_u64(set)? & !UNBLOCKABLE;
    if let Some(sent) = call.process.take_pending(!set) {
        if information != 0 {
            call.memory.put(information, &sent.information(call.process.xlen))?;
        }
        return Ok(Reply::Return(sent.signal.0.into()));
    }
    if timeout == 0 {
        return Ok(Reply::Retry(Wait::Signal(set), None));
    }
    let now = call.now();
    let deadline = match call.process.thread().retry_deadline {
        Some(deadline) if deadline <= now => return Err(Errno::EAGAIN),
        Some(deadline) => deadline,
        None => now.saturating_add(time::read(call, timeout, time64)?),
    };
    if deadline <= now { Err(Errno::EAGAIN) } else { Ok(Reply::Retry(Wait::Signal(set), Some(deadline))) }
}

fn alternate_stack(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [new, old, ..] = call.arguments;
    let xlen = call.process.xlen;
    let sp = call.hart.x(2);
    let (base, bytes) = call.process.thread().alternate_stack;
    let on_it = sp.wrapping_sub(base) < bytes;
    if old != 0 {
        let flags = if bytes == 0 {
            SS_DISABLE
        } else if on_it {
            SS_ONSTACK
        } else {
            0
        };
        let mut content = Vec::new();
        for word in [base, flags, bytes] {
            push_word(&mut content, word, xlen);
        }
        call.memory.put(old, &content)?;
    }
    if new != 0 {
        if on_it {
            return Err(Errno::EPERM);
        }
        let mut words = Words { memory: call.memory, at: new, xlen };
        let (base, flags, bytes) = (words.next()?, words.next()? & 0xffff_ffff, words.next()?);
        call.process.thread().alternate_stack = if flags & SS_DISABLE != 0 {
            (0, 0)
        } else if bytes < SMALLEST_STACK {
            return Err(Errno::ENOMEM);
        } else {
            (base, bytes)
        };
    }
    Ok(Reply::Return(0))
}

fn kill(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let own = call.process.id;
    let relations = &call.shared.kin.relations;
    let of_group = |group: ProcessId| {
        let members = relations.iter().filter(|(_, relation)| relation.group == group);
        members.map(|(&id, _)| id).collect::<Vec<_>>()
    };
    let targets = match call.int(0) {
        0 => of_group(relations.get(&own).map_or(own, |relation| relation.group)),
        // All others; where there are none, the process itself.
        -1 if relations.len() == 1 => vec![own],
        -1 => relations.keys().copied().filter(|&id| id != own).collect(),
        id @ 1.. => vec![ProcessId(id.unsigned_abs())],
        group => of_group(ProcessId(group.unsigned_abs())),
    };
    let signal = if call.arguments[1] == 0 { None } else { Some(Signal::new(call.arguments[1])?) };
    let sent = signal.map(|signal| Sent { signal, code: SI_USER, value: own.0.into(), status: 0 });
    let mut found = false;
    for id in targets {
        found |= match call.process_mut(id) {
            Some(process) => {
                sent.into_iter().for_each(|sent| process.send_to_process(sent));
                true
            }
            None => call.is_zombie(id),
        };
    }
    if found { Ok(Reply::Return(0)) } else { Err(Errno::ESRCH) }
}

/// Sends a signal to a thread, of the process if one is named, else of the caller's.
fn send_to(call: &mut Call<'_>, process: Option<u64>, thread: u64, number: u64) -> Result<Reply, Errno> {
    let number_of = |value: u64| u32::try_from(value).map_err(|_| Errno::ESRCH);
    let own = call.process.id;
    let id = ThreadId(number_of(thread)?);
    let process = process.map_or(Ok(own), |process| number_of(process).map(ProcessId))?;
    let process = call.process_mut(process).ok_or(Errno::ESRCH)?;
    let index = process.threads.position(id).ok_or(Errno::ESRCH)?;
    if number != 0 {
        let sent = Sent { signal: Signal::new(number)?, code: SI_TKILL, value: own.0.into(), status: 0 };
        process.send_to_thread(index, sent);
    }
    Ok(Reply::Return(0))
}
