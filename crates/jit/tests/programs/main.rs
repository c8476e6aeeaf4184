//! Random programs of every instruction there is, hot ones, in both tiers: wherever a run is paused and
//! whatever watches it, the state of the hart, memory, faults and counts are equal.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../../../engine/tests/semantics/operands.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod operands;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;

mod calls;
mod every_instruction;
mod faults;
mod instructions;
mod limits;
mod own_code;
mod pair;
mod sketch;
mod state;
mod watching;

/// What `operands` needs to know of its own tests.
mod reference {
    pub const MEMORY: usize = crate::guest::SIZE;
}
