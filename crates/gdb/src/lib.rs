//! A server of gdb's remote protocol for one guest, bare-metal or a process: breakpoints, watchpoints, steps,
//! memory, and every register through a target description made for the guest's ISA and VLEN.
//!
//! Guest and peer are both untrusted: what either sends or holds is bounded here, and nothing of the host can
//! be reached through the protocol. Nothing but this crate knows the protocol; it watches a run through
//! [`engine::Observer`] like any other observer, so that a run without it pays nothing.

mod attentive;
mod breakpoints;
mod description;
mod lookout;
mod memory;
mod monitor;
mod orders;
mod points;
mod registers;
mod resume;
mod server;
mod signals;
mod target;
mod wire;

pub use server::{Server, ServerError};
