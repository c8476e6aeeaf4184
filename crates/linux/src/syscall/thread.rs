//! Threads: `clone`, `futex`, `exit` and what belongs to them.

use engine::observer::Moved;
use hart::{Hart, Memory};
use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply, process, time};
use crate::errno::Errno;
use crate::guest::Guest;
use crate::process::{MOST_THREADS, Process};
use crate::relation::ProcessId;
use crate::thread::{State, Thread, ThreadId, Wait};

/// The signal in the flags of `clone` (`CSIGNAL`).
const SIGNAL: u64 = 0xff;
pub const CLONE_VM: u64 = 0x100;
const CLONE_THREAD: u64 = 0x1_0000;
pub const CLONE_SETTLS: u64 = 0x8_0000;
pub const CLONE_PARENT_SETTID: u64 = 0x10_0000;
pub const CLONE_CHILD_CLEARTID: u64 = 0x20_0000;
pub const CLONE_CHILD_SETTID: u64 = 0x100_0000;

/// Identifiers end here: above them are the flags of a futex word.
const LAST_THREAD: u32 = 1 << 29;

const FUTEX_WAIT: u32 = 0;
const FUTEX_WAKE: u32 = 1;
const FUTEX_REQUEUE: u32 = 3;
const FUTEX_CMP_REQUEUE: u32 = 4;
const FUTEX_WAKE_OP: u32 = 5;
const FUTEX_WAIT_BITSET: u32 = 9;
const FUTEX_WAKE_BITSET: u32 = 10;
const FUTEX_COMMAND: u32 = 0x7f;
const FUTEX_PRIVATE: u32 = 0x80;
const FUTEX_CLOCK_REALTIME: u32 = 0x100;
const ANY_BIT: u32 = u32::MAX;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::clone => clone,
        Sysno::clone3 => clone3,
        Sysno::exit => |call| Ok(Reply::ExitThread(call.arguments[0] as u8)),
        Sysno::exit_group => |call| Ok(Reply::ExitProcess(call.arguments[0] as u8)),
        Sysno::futex => |call| futex(call, false),
        Sysno::futex_time64 => |call| futex(call, true),
        Sysno::set_tid_address => |call| {
            let address = call.arguments[0];
            let thread = call.process.thread();
            thread.clear_on_exit = address;
            Ok(Reply::Return(thread.id.0.into()))
        },
        // A thread that dies holding a lock takes the process with it here.
        Sysno::set_robust_list => |_| Ok(Reply::Return(0)),
        Sysno::rseq => rseq,
        Sysno::sched_yield => |call| {
            call.process.yielded = true;
            Ok(Reply::Return(0))
        },
        Sysno::membarrier => |call| Ok(Reply::Return(if call.int(0) == 0 { MEMBARRIER_COMMANDS } else { 0 })),
        _ => return None,
    })
}

/// Commands of `membarrier` that threads on one hart get for nothing: the private expedited ones.
const MEMBARRIER_COMMANDS: u64 = 0x1 | 0x8 | 0x10;

/// What a new thread or process starts with.
pub struct Clone {
    /// `CLONE_` flags, without the signal.
    pub flags: u64,
    /// What a parent is sent at a child's end, 0 for nothing.
    pub exit_signal: u64,
    /// Its stack pointer, 0 for the caller's.
    pub stack: u64,
    parent_id: u64,
    child_id: u64,
    tls: u64,
}

fn clone(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [flags, stack, parent_id, tls, child_id, _] = call.arguments;
    let (flags, exit_signal) = (flags & !SIGNAL, flags & SIGNAL);
    start(call, &Clone { flags, exit_signal, stack, parent_id, child_id, tls })
}

fn clone3(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [arguments, size, ..] = call.arguments;
    if size < 64 {
        return Err(Errno::EINVAL);
    }
    let word = |index: u64| call.memory.get_u64(arguments.wrapping_add(8 * index));
    // flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls.
    let stack = word(5)?.wrapping_add(word(6)?);
    let (flags, exit_signal) = (word(0)?, word(4)?);
    let (parent_id, child_id, tls) = (word(3)?, word(2)?, word(7)?);
    start(call, &Clone { flags, exit_signal, stack, parent_id, child_id, tls })
}

fn start(call: &mut Call<'_>, clone: &Clone) -> Result<Reply, Errno> {
    if call.shared.next_id >= LAST_THREAD {
        return Err(Errno::EAGAIN);
    }
    if clone.flags & CLONE_THREAD == 0 {
        return process::start(call, clone);
    }
    if clone.flags & CLONE_VM == 0 {
        return Err(Errno::EINVAL);
    }
    if call.process.threads.len() >= MOST_THREADS {
        return Err(Errno::EAGAIN);
    }
    let id = call.shared.next_id;
    for address in clone.parent_word().into_iter().chain(clone.child_word()) {
        call.memory.put(address, &id.to_le_bytes())?;
    }
    call.process.moved.push(Moved::Copied { to: id });
    let mut thread = clone.thread(call);
    thread.hart = call.process.harts.free_for(&call.process.threads);
    call.shared.next_id += 1;
    call.process.threads.push(thread);
    Ok(Reply::Return(id.into()))
}

impl Clone {
    /// A thread with the next number that goes on where the running one does.
    pub fn thread(&self, call: &mut Call<'_>) -> Thread {
        let mut context = call.hart.clone();
        context.set_pc(context.pc().0.wrapping_add(4));
        context.set_x(10, 0);
        if self.stack != 0 {
            context.set_x(2, self.stack);
        }
        if self.flags & CLONE_SETTLS != 0 {
            context.set_x(4, self.tls);
        }
        let mut thread = Thread::new(ThreadId(call.shared.next_id), context);
        let parent = call.process.thread();
        thread.blocked = parent.blocked;
        thread.name = parent.name;
        if self.flags & CLONE_CHILD_CLEARTID != 0 {
            thread.clear_on_exit = self.child_id;
        }
        thread
    }

    /// The address of the word that is to have the number of the child, in the parent's memory.
    pub const fn parent_word(&self) -> Option<u64> {
        if self.flags & CLONE_PARENT_SETTID != 0 { Some(self.parent_id) } else { None }
    }

    /// The same in the child's memory.
    pub const fn child_word(&self) -> Option<u64> {
        if self.flags & CLONE_CHILD_SETTID != 0 { Some(self.child_id) } else { None }
    }
}

/// Clears the word that a thread gives up as it exits, and wakes who waits for that.
pub fn clear_and_wake(process: &mut Process, hart: &mut Hart, memory: &mut Memory, address: u64) {
    if memory.put(address, &[0; 4]).is_ok() {
        wake(process, hart, address, 1, ANY_BIT);
    }
}

/// Wakes at most `count` threads that wait for a futex, the first come first; returns how many.
fn wake(process: &mut Process, hart: &mut Hart, address: u64, count: u32, bits: u32) -> u64 {
    let mut woken = 0;
    while woken < u64::from(count)
        && let Some(index) = process.threads.first_waiter(address, bits)
    {
        process.threads.set_state(index, State::Runnable);
        process.set_result(hart, index, 0);
        woken += 1;
    }
    woken
}

/// Processes whose threads may wait for a futex of the caller's, which lies in memory that they share.
fn sharers(call: &Call<'_>, address: u64) -> Vec<ProcessId> {
    let is_private = call.arguments[1] as u32 & FUTEX_PRIVATE != 0;
    if is_private { Vec::new() } else { call.shared.kin.sharers(call.process, address) }
}

/// Wakes at most `count` threads that wait for a futex, the caller's own first; returns how many.
fn wake_all(call: &mut Call<'_>, address: u64, count: u32, bits: u32) -> u64 {
    let mut woken = wake(call.process, call.hart, address, count, bits);
    for id in sharers(call, address) {
        if let Some(parked) = call.shared.kin.parked.get_mut(&id) {
            let left = count - woken as u32;
            woken += wake(&mut parked.process, call.hart, address, left, bits);
        }
    }
    woken
}

/// Lets at most `count` threads wait for another futex, the caller's own first; returns how many.
fn requeue_all(call: &mut Call<'_>, from: u64, to: u64, count: u32) -> u64 {
    let mut moved = requeue(call.process, from, to, count);
    let waiting = sharers(call, to);
    for id in sharers(call, from).into_iter().filter(|id| waiting.contains(id)) {
        if let Some(parked) = call.shared.kin.parked.get_mut(&id) {
            moved += requeue(&mut parked.process, from, to, count - moved as u32);
        }
    }
    moved
}

fn futex(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    let [address, operation, value, timeout, second, bits] = call.arguments;
    let (operation, value, bits) = (operation as u32, value as u32, bits as u32);
    if !address.is_multiple_of(4) {
        return Err(Errno::EINVAL);
    }
    match operation & FUTEX_COMMAND {
        command @ (FUTEX_WAIT | FUTEX_WAIT_BITSET) => {
            let bits = if command == FUTEX_WAIT { ANY_BIT } else { bits };
            if bits == 0 {
                return Err(Errno::EINVAL);
            }
            if call.memory.get_u32(address)? != value {
                return Err(Errno::EAGAIN);
            }
            let deadline = if timeout == 0 {
                None
            } else {
                let time = time::read(call, timeout, time64)?;
                Some(if command == FUTEX_WAIT {
                    call.now().saturating_add(time)
                } else if operation & FUTEX_CLOCK_REALTIME != 0 {
                    time::to_monotonic(call, time)
                } else {
                    time
                })
            };
            Ok(Reply::Suspend(Wait::Futex { address, bits }, deadline))
        }
        command @ (FUTEX_WAKE | FUTEX_WAKE_BITSET) => {
            let bits = if command == FUTEX_WAKE { ANY_BIT } else { bits };
            Ok(Reply::Return(wake_all(call, address, value, bits)))
        }
        command @ (FUTEX_REQUEUE | FUTEX_CMP_REQUEUE) => {
            if command == FUTEX_CMP_REQUEUE && call.memory.get_u32(address)? != bits {
                return Err(Errno::EAGAIN);
            }
            let woken = wake_all(call, address, value, ANY_BIT);
            Ok(Reply::Return(woken + requeue_all(call, address, second, timeout as u32)))
        }
        FUTEX_WAKE_OP => wake_after_operation(call, address, value, timeout as u32, second, bits),
        _ => Err(Errno::ENOSYS),
    }
}

/// Lets at most `count` threads wait for another futex; returns how many.
fn requeue(process: &mut Process, from: u64, to: u64, count: u32) -> u64 {
    let mut moved = 0;
    while from != to
        && moved < u64::from(count)
        && let Some(index) = process.threads.first_waiter(from, ANY_BIT)
        && let State::Waiting { wait: Wait::Futex { bits, .. }, deadline } = process.threads[index].state()
    {
        let wait = Wait::Futex { address: to, bits };
        process.threads.set_state(index, State::Waiting { wait, deadline });
        moved += 1;
    }
    moved
}

/// `FUTEX_WAKE_OP`: changes the second futex, wakes waiters of the first, and of the second if its old
/// value compares.
fn wake_after_operation(
    call: &mut Call<'_>,
    address: u64,
    count: u32,
    second_count: u32,
    second: u64,
    encoded: u32,
) -> Result<Reply, Errno> {
    let sign_extended = |field: u32| ((field << 20) as i32 >> 20) as u32;
    let old = call.memory.get_u32(second)?;
    let operand = sign_extended(encoded >> 12 & 0xfff);
    let operand = if encoded >> 31 == 1 { 1u32.wrapping_shl(operand) } else { operand };
    let new = match encoded >> 28 & 7 {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old | operand,
        3 => old & !operand,
        4 => old ^ operand,
        _ => return Err(Errno::ENOSYS),
    };
    call.memory.put(second, &new.to_le_bytes())?;
    let (left, right) = (old as i32, sign_extended(encoded & 0xfff) as i32);
    let compares = match encoded >> 24 & 15 {
        0 => left == right,
        1 => left != right,
        2 => left < right,
        3 => left <= right,
        4 => left > right,
        5 => left >= right,
        _ => return Err(Errno::ENOSYS),
    };
    let mut woken = wake_all(call, address, count, ANY_BIT);
    if compares {
        woken += wake_all(call, second, second_count, ANY_BIT);
    }
    Ok(Reply::Return(woken))
}

/// Restartable sequences: a thread stays on its hart, and learns of it here.
fn rseq(call: &mut Call<'_>) -> Result<Reply, Errno> {
    const UNREGISTER: u64 = 1;
    let [area, bytes, flags, ..] = call.arguments;
    let thread = call.process.thread();
    if flags & UNREGISTER != 0 {
        thread.restartable = 0;
        return Ok(Reply::Return(0));
    }
    if thread.restartable != 0 {
        return Err(Errno::EBUSY);
    }
    if bytes < 32 || !area.is_multiple_of(32) {
        return Err(Errno::EINVAL);
    }
    // cpu_id_start, cpu_id.
    let hart = (call.process.thread().hart as u32).to_le_bytes();
    call.memory.put(area, &[hart, hart].concat())?;
    call.process.thread().restartable = area;
    Ok(Reply::Return(0))
}
