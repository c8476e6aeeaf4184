//! Who and where a process is: identifiers, limits, the system's name, randomness.

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;
use crate::guest::Guest;
use crate::options::Startup;
use crate::process::MOST_THREADS;
use crate::signal::push_word;

/// Most bytes of randomness in one call, as Linux bounds it without a signal.
const MOST_RANDOM: u64 = 256 << 20;
const PR_SET_NAME: i32 = 15;
const PR_GET_NAME: i32 = 16;
const RLIM_INFINITY: u64 = u64::MAX;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::gettid => |call| Ok(Reply::Return(call.process.thread().id.0.into())),
        Sysno::umask => |_| Ok(Reply::Return(0o022)),
        Sysno::personality | Sysno::getpriority | Sysno::setpriority => |_| Ok(Reply::Return(0)),
        Sysno::sched_getaffinity => affinity,
        Sysno::sched_setaffinity | Sysno::sched_setscheduler | Sysno::sched_setparam => {
            |_| Ok(Reply::Return(0))
        }
        Sysno::sched_getscheduler | Sysno::sched_get_priority_max | Sysno::sched_get_priority_min => {
            |_| Ok(Reply::Return(0))
        }
        Sysno::sched_getparam => |call| {
            call.memory.put(call.arguments[1], &[0; 4])?;
            Ok(Reply::Return(0))
        },
        Sysno::getcpu => |call| {
            let [hart, node, ..] = call.arguments;
            let number = call.process.thread().hart as u32;
            for (address, number) in [(hart, number), (node, 0)] {
                if address != 0 {
                    call.memory.put(address, &number.to_le_bytes())?;
                }
            }
            Ok(Reply::Return(0))
        },
        Sysno::uname => uname,
        Sysno::sysinfo => sysinfo,
        Sysno::getrandom => getrandom,
        Sysno::prlimit64 => prlimit,
        Sysno::getrlimit => |call| limit(call, 0, 1, false),
        Sysno::setrlimit => |_| Ok(Reply::Return(0)),
        Sysno::prctl => prctl,
        _ => return None,
    })
}

fn affinity(call: &mut Call<'_>) -> Result<Reply, Errno> {
    // A bit for each hart, in whole words.
    let (word, harts) = (call.process.xlen.bits() as usize, call.process.harts.count());
    let bytes = harts.div_ceil(word) * word / 8;
    if call.arguments[1] < bytes as u64 {
        return Err(Errno::EINVAL);
    }
    let mut mask = (u64::MAX >> (64 - harts)).to_le_bytes();
    if call.shared.options.startup == Startup::Gem5 {
        // Bits that are set there already stay so (sim/syscall_emul.hh, `schedGetaffinityFunc`).
        let there = call.memory.bytes(call.arguments[2], bytes)?;
        mask.iter_mut().zip(there).for_each(|(bits, &there)| *bits |= there);
    }
    call.memory.put(call.arguments[2], &mask[..bytes])?;
    Ok(Reply::Return(bytes as u64))
}

fn uname(call: &mut Call<'_>) -> Result<Reply, Errno> {
    const FIELD: usize = 65;
    let machine = if call.process.xlen == isa::Xlen::Rv32 { "riscv32" } else { "riscv64" };
    let mut bytes = Vec::new();
    // A version that no C library thinks too old.
    for field in ["Linux", "ciphermark", "6.12.0", "#1", machine, "(none)"] {
        bytes.extend_from_slice(field.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(FIELD).max(FIELD), 0);
    }
    call.memory.put(call.arguments[0], &bytes)?;
    Ok(Reply::Return(0))
}

fn sysinfo(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let xlen = call.process.xlen;
    let seconds = call.now() / crate::clock::SECOND;
    let mut bytes = Vec::new();
    push_word(&mut bytes, seconds, xlen);
    for _ in 0..3 {
        push_word(&mut bytes, 0, xlen);
    }
    for word in [call.shared.options.memory_bytes, call.process.space.room(), 0, 0, 0, 0] {
        push_word(&mut bytes, word, xlen);
    }
    // Processes, padding, high memory, and its unit of one byte.
    bytes.extend_from_slice(&1u16.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(usize::from(xlen.bits() / 8)), 0);
    push_word(&mut bytes, 0, xlen);
    push_word(&mut bytes, 0, xlen);
    bytes.extend_from_slice(&1u32.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    call.memory.put(call.arguments[0], &bytes)?;
    Ok(Reply::Return(0))
}

fn getrandom(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [address, bytes, ..] = call.arguments;
    let bytes = bytes.min(MOST_RANDOM);
    let target = call.memory.bytes_mut(address, bytes as usize)?;
    call.shared.random.fill(target);
    Ok(Reply::Return(bytes))
}

fn prlimit(call: &mut Call<'_>) -> Result<Reply, Errno> {
    if !matches!(call.arguments[0], 0) && call.arguments[0] != u64::from(call.process.id.0) {
        return Err(Errno::ESRCH);
    }
    limit(call, 1, 3, true)
}

/// Writes the limit that argument `which` names to where argument `target` says.
fn limit(call: &mut Call<'_>, which: usize, target: usize, wide: bool) -> Result<Reply, Errno> {
    let value = match call.arguments[which] {
        3 => call.shared.options.stack_bytes,
        6 => MOST_THREADS as u64,
        7 => crate::files::MOST_FILES as u64,
        9 => call.shared.options.memory_bytes,
        4 => 0,
        0..=15 => RLIM_INFINITY,
        _ => return Err(Errno::EINVAL),
    };
    if call.arguments[target] != 0 {
        let mut bytes = Vec::new();
        for _ in 0..2 {
            if wide {
                bytes.extend_from_slice(&value.to_le_bytes());
            } else {
                push_word(&mut bytes, value, call.process.xlen);
            }
        }
        call.memory.put(call.arguments[target], &bytes)?;
    }
    Ok(Reply::Return(0))
}

fn prctl(call: &mut Call<'_>) -> Result<Reply, Errno> {
    match call.int(0) {
        PR_SET_NAME => {
            let mut name = [0; 16];
            let text = call.memory.string(call.arguments[1])?;
            let kept = text.len().min(15);
            name[..kept].copy_from_slice(&text[..kept]);
            call.process.thread().name = name;
            Ok(Reply::Return(0))
        }
        PR_GET_NAME => {
            let name = call.process.thread().name;
            call.memory.put(call.arguments[1], &name)?;
            Ok(Reply::Return(0))
        }
        _ => Err(Errno::EINVAL),
    }
}
