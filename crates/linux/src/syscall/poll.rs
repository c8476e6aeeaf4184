//! Waiting for files: `poll`, `select`, `epoll`.

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply, signal, time};
use crate::errno::Errno;
use crate::files::{MOST_FILES, Object, Readiness};
use crate::guest::Guest;
use crate::signal::Words;
use crate::thread::Wait;

const MILLISECOND: u64 = 1_000_000;
const POLLNVAL: u32 = 32;
const ALWAYS: u32 = Readiness::ERROR | Readiness::HANG_UP;
/// Most events that one call returns.
const MOST_EVENTS: u64 = 1024;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::ppoll => |call| ppoll(call, false),
        Sysno::ppoll_time64 => |call| ppoll(call, true),
        Sysno::pselect6 => |call| pselect(call, false),
        Sysno::pselect6_time64 => |call| pselect(call, true),
        Sysno::epoll_ctl => epoll_ctl,
        Sysno::epoll_pwait => epoll_pwait,
        _ => return None,
    })
}

/// Waits, unless the time is over or there is none; then the call returns 0.
fn wait(call: &mut Call<'_>, timeout: Option<u64>) -> Reply {
    let now = call.now();
    let deadline = match (call.process.thread().retry_deadline, timeout) {
        (Some(deadline), _) => Some(deadline),
        (None, Some(timeout)) => Some(now.saturating_add(timeout)),
        (None, None) => None,
    };
    match deadline {
        Some(deadline) if deadline <= now => Reply::Return(0),
        _ => Reply::Retry(Wait::Poll, deadline),
    }
}

/// Blocks the signals in the mask at `address` for the time of the call, if there is one.
fn block_meanwhile(call: &mut Call<'_>, address: u64) -> Result<(), Errno> {
    if address == 0 {
        return Ok(());
    }
    let mask = call.memory.get_u64(address)?;
    signal::block_meanwhile(call, mask)
}

fn timeout(call: &Call<'_>, address: u64, time64: bool) -> Result<Option<u64>, Errno> {
    if address == 0 { Ok(None) } else { time::read(call, address, time64).map(Some) }
}

fn ppoll(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    let [entries, count, time, ..] = call.arguments;
    if count > MOST_FILES as u64 {
        return Err(Errno::EINVAL);
    }
    let mut ready = 0;
    for index in 0..count {
        // fd, events, revents.
        let entry = entries.wrapping_add(8 * index);
        let number = call.memory.get_u32(entry)? as i32;
        let events = u32::from(u16::from_le_bytes(call.memory.get(entry.wrapping_add(4))?));
        let returned = match call.process.files.get(number) {
            _ if number < 0 => 0,
            Ok(description) => description.readiness().0 & (events | ALWAYS),
            Err(_) => POLLNVAL,
        };
        call.memory.put(entry.wrapping_add(6), &(returned as u16).to_le_bytes())?;
        ready += u64::from(returned != 0);
    }
    if ready > 0 {
        return Ok(Reply::Return(ready));
    }
    let timeout = timeout(call, time, time64)?;
    block_meanwhile(call, call.arguments[3])?;
    Ok(wait(call, timeout))
}

fn pselect(call: &mut Call<'_>, time64: bool) -> Result<Reply, Errno> {
    let [count, reads, writes, exceptions, time, mask] = call.arguments;
    let count = count.min(MOST_FILES as u64);
    let bytes = count.div_ceil(8).next_multiple_of(u64::from(call.process.xlen.bits() / 8)) as usize;
    let sets = [(reads, Readiness::READ | Readiness::HANG_UP), (writes, Readiness::WRITE), (exceptions, 0)];
    let mut results = Vec::new();
    let mut ready = 0;
    for (address, wanted) in sets.into_iter().filter(|(address, _)| *address != 0) {
        let asked = call.memory.bytes(address, bytes)?;
        let mut result = vec![0u8; bytes];
        for number in (0..count as usize).filter(|number| asked[number / 8] >> (number % 8) & 1 == 1) {
            if call.process.files.get(number as i32)?.readiness().0 & wanted != 0 {
                result[number / 8] |= 1 << (number % 8);
                ready += 1;
            }
        }
        results.push((address, result));
    }
    if ready == 0 {
        let timeout = timeout(call, time, time64)?;
        if mask != 0 {
            // Where the mask is, and its size.
            let address = Words { memory: call.memory, at: mask, xlen: call.process.xlen }.next()?;
            block_meanwhile(call, address)?;
        }
        let reply = wait(call, timeout);
        if reply != Reply::Return(0) {
            return Ok(reply);
        }
    }
    for (address, result) in results {
        call.memory.put(address, &result)?;
    }
    Ok(Reply::Return(ready))
}

fn epoll_ctl(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let files = &call.process.files;
    let number = call.arguments[2] as i32;
    let description = files.share(number)?;
    // Files that never make one wait cannot be watched.
    if matches!(description.borrow().object, Object::Regular(_) | Object::Directory(_) | Object::Text { .. })
    {
        return Err(Errno::EPERM);
    }
    let mut poll = files.get_mut(call.arguments[0] as i32)?;
    let Object::Epoll(epoll) = &mut poll.object else { return Err(Errno::EINVAL) };
    let event = |address: u64| -> Result<(u32, u64), Errno> {
        Ok((call.memory.get_u32(address)?, call.memory.get_u64(address.wrapping_add(8))?))
    };
    match call.arguments[1] {
        1 => {
            let (events, data) = event(call.arguments[3])?;
            epoll.add(number, &description, events, data)?;
        }
        2 => epoll.remove(number)?,
        3 => {
            let (events, data) = event(call.arguments[3])?;
            epoll.modify(number, events, data)?;
        }
        _ => return Err(Errno::EINVAL),
    }
    drop(poll);
    call.files_changed();
    Ok(Reply::Return(0))
}

fn epoll_pwait(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, address, most, ..] = call.arguments;
    if call.int(2) <= 0 {
        return Err(Errno::EINVAL);
    }
    let ready = {
        let mut poll = call.process.files.get_mut(call.arguments[0] as i32)?;
        let Object::Epoll(epoll) = &mut poll.object else { return Err(Errno::EINVAL) };
        epoll.ready(most.min(MOST_EVENTS) as usize)
    };
    for (index, &(events, data)) in (0..).zip(&ready) {
        let mut bytes = u64::from(events).to_le_bytes().to_vec();
        bytes.extend_from_slice(&data.to_le_bytes());
        call.memory.put(address.wrapping_add(16 * index), &bytes)?;
    }
    if !ready.is_empty() {
        return Ok(Reply::Return(ready.len() as u64));
    }
    let milliseconds = call.int(3);
    let timeout = u64::try_from(milliseconds).ok().map(|time| time * MILLISECOND);
    block_meanwhile(call, call.arguments[4])?;
    Ok(wait(call, timeout))
}
