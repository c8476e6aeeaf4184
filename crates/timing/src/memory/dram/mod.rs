//! A DRAM and its controller, event by event, after gem5's (mem/mem_ctrl.cc and mem/dram_interface.cc of v24.0): queues
//! of reads and writes, first ready first served, rows that stay open until another is wanted or enough was accessed,
//! refreshes.
//!
//! Requests come in the order of time. What happens after the last one is told when the next one comes. The number of
//! commands in a window is not bounded, as gem5 does: eight in 10 ns are more than bursts of 5 ns can need.

mod at_rest;
mod bank;
mod chooser;
mod controller;
mod counts;
mod events;
mod open_rows;
mod parameters;
mod refresh;
#[cfg(test)]
pub mod tests;
mod written;

pub use at_rest::{KINDS, Reads};
pub use controller::Dram;
pub use parameters::{Parameters, Tick};
