//! The interpreter's `machine` tests, with everything compiled that can be.

#[path = "../../../hart/tests/guest/mod.rs"]
mod guest;
#[path = "../tier/compiler.rs"]
mod tier;

#[path = "../../../hart/tests/machine/atomics.rs"]
mod atomics;
#[path = "../../../hart/tests/machine/counters.rs"]
mod counters;
#[path = "../../../hart/tests/machine/fences.rs"]
mod fences;
#[path = "../../../hart/tests/machine/histogram.rs"]
mod histogram;
#[path = "../../../hart/tests/machine/htif.rs"]
mod htif;
#[path = "../../../hart/tests/machine/jumps.rs"]
mod jumps;
#[path = "../../../hart/tests/machine/limits.rs"]
mod limits;
#[path = "../../../hart/tests/machine/memory.rs"]
mod memory;
#[path = "../../../hart/tests/machine/traps.rs"]
mod traps;

/// Both widths, with compressed instructions.
const WIDTHS: [&str; 2] = ["rv32imac_zicsr_zifencei_zicntr", "rv64imac_zicsr_zifencei_zicntr"];
