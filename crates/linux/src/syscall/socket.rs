//! Sockets, of which there are none: a program is refused as by a kernel without any address family.

use syscalls::riscv64::Sysno;

use super::{Call, Handler, Reply};
use crate::errno::Errno;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::socket | Sysno::socketpair => |_| Err(Errno::EAFNOSUPPORT),
        Sysno::accept
        | Sysno::accept4
        | Sysno::bind
        | Sysno::connect
        | Sysno::getpeername
        | Sysno::getsockname
        | Sysno::getsockopt
        | Sysno::listen
        | Sysno::recvfrom
        | Sysno::recvmsg
        | Sysno::sendmsg
        | Sysno::sendto
        | Sysno::setsockopt
        | Sysno::shutdown => on_descriptor,
        _ => return None,
    })
}

/// `EBADF` if the descriptor is not open, else `ENOTSOCK`.
fn on_descriptor(call: &mut Call<'_>) -> Result<Reply, Errno> {
    call.process.files.share(call.int(0))?;
    Err(Errno::ENOTSOCK)
}
