//! User-mode Linux for RISC-V guests: static programs, their system calls, processes, threads, and files below one
//! directory of the host.
//!
//! A guest is untrusted: whatever it asks for is bounded, nothing of the host is reachable but the root
//! directory it was given, and what it gets of time and randomness repeats from run to run unless asked
//! otherwise.

mod clock;
mod delivery;
mod errno;
mod exec;
mod executable;
mod files;
mod guest;
mod harts;
mod image;
mod inspect;
mod kin;
mod options;
mod process;
mod processes;
mod random;
mod relation;
mod restart;
mod schedule;
mod semihosting;
mod shared;
mod signal;
mod space;
mod stack;
mod strace;
mod streams;
mod syscall;
mod thread;
mod threads;
mod timer;
mod units;

pub use clock::TimeSource;
pub use errno::Errno;
pub use files::Files;
pub use image::ImageError;
pub use kin::Account;
pub use options::{Ending, Options, Startup};
pub use processes::Processes;
pub use relation::ProcessId;
pub use semihosting::Semihosting;
pub use signal::Signal;
pub use strace::arguments;
pub use streams::Streams;
pub use thread::ThreadId;
