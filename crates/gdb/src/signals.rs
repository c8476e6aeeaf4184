//! What gdb calls the ways a guest can be stopped: its own signal numbers, which are not Linux's.

use gdbstub::common::Signal;
use hart::Exception;

/// The signal of an exception that nobody handles, the one Linux sends for it.
pub const fn of_exception(exception: Exception) -> Signal {
    match exception.cause {
        0 | Exception::ILLEGAL => Signal::SIGILL,
        Exception::BREAKPOINT => Signal::SIGTRAP,
        4 | 6 => Signal::SIGBUS,
        Exception::ECALL_U | Exception::ECALL_M => Signal::SIGSYS,
        _ => Signal::SIGSEGV,
    }
}

/// The signal with a number of Linux.
pub const fn of_linux(signal: linux::Signal) -> Signal {
    match signal.0 {
        // These have the same number.
        1..=6 | 8 | 9 | 11 | 13..=15 => Signal(signal.0),
        7 => Signal::SIGBUS,
        10 => Signal::SIGUSR1,
        12 => Signal::SIGUSR2,
        17 => Signal::SIGCHLD,
        18 => Signal::SIGCONT,
        19 => Signal::SIGSTOP,
        20 => Signal::SIGTSTP,
        21 => Signal::SIGTTIN,
        22 => Signal::SIGTTOU,
        23 => Signal::SIGURG,
        24 => Signal::SIGXCPU,
        25 => Signal::SIGXFSZ,
        26 => Signal::SIGVTALRM,
        27 => Signal::SIGPROF,
        28 => Signal::SIGWINCH,
        29 => Signal::SIGIO,
        30 => Signal::SIGPWR,
        31 => Signal::SIGSYS,
        32 => Signal::SIG32,
        // Real-time signals follow each other from 33 on.
        33..=63 => Signal(Signal::SIG33.0 + signal.0 - 33),
        64 => Signal::SIG64,
        _ => Signal::UNKNOWN,
    }
}
