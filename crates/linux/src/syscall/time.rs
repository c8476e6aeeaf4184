//! Time: clocks, sleeping, timers, and accounts of time used.

use isa::Xlen;
use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::clock::SECOND;
use crate::errno::Errno;
use crate::guest::Guest;
use crate::signal::push_word;
use crate::thread::Wait;

const CLOCK_REALTIME: i32 = 0;
const CLOCK_TAI: i32 = 11;
const TIMER_ABSTIME: i32 = 1;
const RUSAGE_SELF: i32 = 0;
const RUSAGE_CHILDREN: i32 = -1;
const RUSAGE_THREAD: i32 = 1;
/// Ticks a second of `times`.
const TICKS: u64 = 100;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::clock_gettime => |call| clock_gettime(call, false),
        Sysno::clock_gettime64 => |call| clock_gettime(call, true),
        Sysno::clock_getres => |call| clock_getres(call, false),
        Sysno::clock_getres_time64 => |call| clock_getres(call, true),
        Sysno::clock_nanosleep => |call| clock_nanosleep(call, false),
        Sysno::clock_nanosleep_time64 => |call| clock_nanosleep(call, true),
        Sysno::nanosleep => |call| {
            let time = read(call, call.arguments[0], false)?;
            Ok(Reply::Suspend(Wait::Time, Some(call.now().saturating_add(time))))
        },
        Sysno::gettimeofday => gettimeofday,
        Sysno::times => times,
        Sysno::getrusage => getrusage,
        Sysno::setitimer => setitimer,
        Sysno::getitimer => |call| {
            let which = timer_index(call)?;
            write_timer(call, which, call.arguments[1])?;
            Ok(Reply::Return(0))
        },
        _ => return None,
    })
}

/// Reads a `struct timespec` in nanoseconds; with `time64`, the one with 64-bit fields.
///
/// # Errors
/// `EFAULT`; `EINVAL` for what is no time.
pub fn read(call: &Call<'_>, address: u64, time64: bool) -> Result<u64, Errno> {
    let memory = &*call.memory;
    let (seconds, nanoseconds) = if time64 || call.process.xlen == Xlen::Rv64 {
        (memory.get_u64(address)? as i64, memory.get_u64(address.wrapping_add(8))?)
    } else {
        let seconds = memory.get_u32(address)? as i32;
        (seconds.into(), memory.get_u32(address.wrapping_add(4))?.into())
    };
    // The upper half of a 32-bit process's nanoseconds is padding.
    let nanoseconds = if call.process.xlen == Xlen::Rv32 { nanoseconds & 0xffff_ffff } else { nanoseconds };
    match u64::try_from(seconds) {
        Ok(seconds) if nanoseconds < SECOND => Ok(seconds.saturating_mul(SECOND).saturating_add(nanoseconds)),
        _ => Err(Errno::EINVAL),
    }
}

/// The moment of the monotonic clock at which the real-time clock shows `time`.
pub fn to_monotonic(call: &Call<'_>, time: u64) -> u64 {
    let left = time.saturating_sub(call.shared.clock.realtime(call.hart.retired()));
    call.now().saturating_add(left)
}

fn pair(call: &Call<'_>, first: u64, second: u64, time64: bool) -> Vec<u8> {
    let xlen = if time64 { Xlen::Rv64 } else { call.process.xlen };
    let mut bytes = Vec::new();
    push_word(&mut bytes, first, xlen);
    push_word(&mut bytes, second, xlen);
    bytes
}

fn clock(call: &Call<'_>) -> Result<u64, Errno> {
    match call.int(0) {
        CLOCK_REALTIME | 5 | 8 | CLOCK_TAI => Ok(call.shared.clock.realtime(call.hart.retired())),
        1 | 4 | 6 | 7 | 9 => Ok(call.now()),
        // Time that the process or the thread has used, by number, too.
        2 | 3 | ..0 => Ok(call.used()),
        _ => Err(Errno::EINVAL),
    }
}

fn clock_gettime(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    let time = clock(call)?;
    let bytes = pair(call, time / SECOND, time % SECOND, time64);
    call.memory.put(call.arguments[1], &bytes)?;
    Ok(Reply::Return(0))
}

fn clock_getres(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    clock(call)?;
    if call.arguments[1] != 0 {
        let bytes = pair(call, 0, 1, time64);
        call.memory.put(call.arguments[1], &bytes)?;
    }
    Ok(Reply::Return(0))
}

fn clock_nanosleep(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    let time = read(call, call.arguments[2], time64)?;
    let deadline = match (call.int(1) & TIMER_ABSTIME, call.int(0)) {
        (0, _) => call.now().saturating_add(time),
        (_, CLOCK_REALTIME | CLOCK_TAI) => to_monotonic(call, time),
        _ => time,
    };
    Ok(Reply::Suspend(Wait::Time, Some(deadline)))
}

fn gettimeofday(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let time = call.shared.clock.realtime(call.hart.retired());
    let bytes = pair(call, time / SECOND, time % SECOND / 1000, false);
    if call.arguments[0] != 0 {
        call.memory.put(call.arguments[0], &bytes)?;
    }
    Ok(Reply::Return(0))
}

fn times(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let ticks = |time: u64| time / (SECOND / TICKS);
    if call.arguments[0] != 0 {
        let mut bytes = Vec::new();
        for word in [ticks(call.used()), 0, ticks(call.process.descendants), 0] {
            push_word(&mut bytes, word, call.process.xlen);
        }
        call.memory.put(call.arguments[0], &bytes)?;
    }
    Ok(Reply::Return(ticks(call.now())))
}

fn getrusage(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let time = match call.int(0) {
        RUSAGE_CHILDREN => call.process.descendants,
        RUSAGE_SELF | RUSAGE_THREAD => call.used(),
        _ => return Err(Errno::EINVAL),
    };
    write_usage(call, call.arguments[1], time)?;
    Ok(Reply::Return(0))
}

/// `struct rusage`: the time used, all of it the program's own; an instruction takes a nanosecond.
///
/// # Errors
/// `EFAULT`.
pub fn write_usage(call: &mut Call<'_>, address: u64, time: u64) -> Result<(), Errno> {
    let mut bytes = pair(call, time / SECOND, time % SECOND / 1000, false);
    for _ in 0..16 {
        push_word(&mut bytes, 0, call.process.xlen);
    }
    call.memory.put(address, &bytes)
}

fn timer_index(call: &Call<'_>) -> Result<usize, Errno> {
    match call.arguments[0] {
        which @ 0..=2 => Ok(which as usize),
        _ => Err(Errno::EINVAL),
    }
}

fn write_timer(call: &mut Call<'_>, which: usize, address: u64) -> Result<(), Errno> {
    let timer = call.process.timers[which];
    let left = timer.deadline.map_or(0, |deadline| deadline.saturating_sub(call.now()).max(1));
    let mut bytes = pair(call, timer.interval / SECOND, timer.interval % SECOND / 1000, false);
    bytes.extend(pair(call, left / SECOND, left % SECOND / 1000, false));
    call.memory.put(address, &bytes)
}

fn setitimer(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let which = timer_index(call)?;
    let [_, new, old, ..] = call.arguments;
    if old != 0 {
        write_timer(call, which, old)?;
    }
    let mut words = crate::signal::Words { memory: call.memory, at: new, xlen: call.process.xlen };
    let mut time = || {
        let (seconds, microseconds) = (words.next()?, words.next()?);
        if microseconds >= SECOND / 1000 {
            return Err(Errno::EINVAL);
        }
        Ok(seconds.saturating_mul(SECOND).saturating_add(microseconds * 1000))
    };
    let (interval, value) = (time()?, time()?);
    let deadline = (value > 0).then(|| call.now().saturating_add(value));
    call.process.timers[which] = crate::timer::Timer { deadline, interval };
    Ok(Reply::Return(0))
}
