//! Both tiers on the same guest: registers, memory, faults and counts are equal, wherever a run is paused.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../numbers/mod.rs"]
mod numbers;
#[path = "../stays/pair.rs"]
mod pair;
#[path = "../homes/text.rs"]
mod text;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;

mod bounds;
mod columns;
mod counting;
mod floats;
mod loops;
mod pages;
mod patterns;
mod random;
mod rounds;
mod strides;
mod watched;
mod ways_out;

use engine::{Blind, Limits, Machine, Stop};

use crate::guest::{BASE, SIZE, Screen};

/// Runs two machines up to a limit; both must be in the same state then.
fn assert_equal(interpreted: &mut Machine<'_>, compiled: &mut Machine<'_>, limit: u64) -> Stop {
    let limits = Limits { instructions: Some(limit) };
    let expected = interpreted.run(limits, &mut Blind, &mut Screen::default());
    let stop = compiled.run(limits, &mut Blind, &mut Screen::default());
    assert_eq!(stop, expected, "limit {limit}");
    assert_same_state(interpreted, compiled);
    stop
}

fn assert_same_state(interpreted: &Machine<'_>, compiled: &Machine<'_>) {
    let (a, b) = (&interpreted.hart, &compiled.hart);
    assert_eq!((a.pc(), a.retired()), (b.pc(), b.retired()));
    for register in 0..32 {
        assert_eq!(a.x(register), b.x(register), "x{register} at {:#x}", a.pc().0);
    }
    let bytes = |machine: &Machine<'_>| machine.memory.slice(hart::Address(BASE), SIZE).map(<[u8]>::to_vec);
    assert!(bytes(interpreted) == bytes(compiled), "memory differs");
}
