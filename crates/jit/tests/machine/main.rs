//! The interpreter's `machine` tests, with everything compiled that can be.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../engine/tests/machine/atomics.rs"]
mod atomics;
#[path = "../../../engine/tests/machine/counters.rs"]
mod counters;
#[path = "../../../engine/tests/machine/fences.rs"]
mod fences;
#[path = "../../../engine/tests/machine/histogram.rs"]
mod histogram;
#[path = "../../../engine/tests/machine/htif.rs"]
mod htif;
#[path = "../../../engine/tests/machine/jumps.rs"]
mod jumps;
#[path = "../../../engine/tests/machine/limits.rs"]
mod limits;
#[path = "../../../engine/tests/machine/memory.rs"]
mod memory;
#[path = "../../../engine/tests/machine/pushes.rs"]
mod pushes;
#[path = "../../../engine/tests/machine/traps.rs"]
mod traps;

/// Both widths, with compressed instructions.
const WIDTHS: [&str; 2] = ["rv32imac_zicsr_zifencei_zicntr", "rv64imac_zicsr_zifencei_zicntr"];
