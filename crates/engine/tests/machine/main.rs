//! The machine around the instructions: limits, counts, traps, registers of control, memory's ends and
//! the host-target interface.

#[path = "../guest/mod.rs"]
mod guest;
#[path = "../tier/interpreter.rs"]
mod tier;

mod atomics;
mod counters;
mod fences;
mod histogram;
mod htif;
mod jumps;
mod limits;
mod memory;
mod pushes;
mod timed;
mod traps;

/// Both widths, with compressed instructions.
const WIDTHS: [&str; 2] = ["rv32imac_zicsr_zifencei_zicntr", "rv64imac_zicsr_zifencei_zicntr"];
