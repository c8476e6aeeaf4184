//! Users and groups. A process is one ordinary user for all its life: it may become what it is, and nobody else
//! (Linux, `credentials(7)`).

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;
use crate::guest::Guest;

/// User and group.
pub const USER: u32 = 1000;
/// In calls that set several identifiers: leave this one.
const KEEP: u32 = u32::MAX;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::getuid | Sysno::geteuid | Sysno::getgid | Sysno::getegid => |_| Ok(Reply::Return(USER.into())),
        // These tell who it was before, whatever they are asked for.
        Sysno::setfsuid | Sysno::setfsgid => |_| Ok(Reply::Return(USER.into())),
        Sysno::setuid | Sysno::setgid => |call| {
            if call.arguments[0] as u32 == USER { Ok(Reply::Return(0)) } else { Err(Errno::EPERM) }
        },
        Sysno::setreuid | Sysno::setregid => |call| become_all(call, 2),
        Sysno::setresuid | Sysno::setresgid => |call| become_all(call, 3),
        Sysno::getresuid | Sysno::getresgid => |call| {
            for address in call.arguments.into_iter().take(3) {
                call.memory.put(address, &USER.to_le_bytes())?;
            }
            Ok(Reply::Return(0))
        },
        Sysno::getgroups => |call| {
            let [room, list, ..] = call.arguments;
            match room as i32 {
                ..0 => return Err(Errno::EINVAL),
                0 => {}
                1.. => call.memory.put(list, &USER.to_le_bytes())?,
            }
            Ok(Reply::Return(1))
        },
        Sysno::setgroups => |_| Err(Errno::EPERM),
        _ => return None,
    })
}

/// Sets the first `count` identifiers.
fn become_all(call: &mut Call<'_>, count: usize) -> Result<Reply, Errno> {
    let mut wanted = call.arguments.iter().take(count).map(|&id| id as u32);
    if wanted.all(|id| id == USER || id == KEEP) { Ok(Reply::Return(0)) } else { Err(Errno::EPERM) }
}
