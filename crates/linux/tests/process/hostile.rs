//! Every system call with every kind of bad pointer.

use engine::Program;
use isa::Descriptions;
use linux::Ending;

use crate::script::{SCRATCH, SCRATCH_BYTES, Script, number};

/// Addresses at which nothing, or not enough, is.
const BAD: [u64; 7] = [0, 8, 1 << 63, u64::MAX, u64::MAX - 4, SCRATCH + SCRATCH_BYTES as u64 - 1, 64 << 30];

#[test]
fn bad_pointers_in_every_call_are_errors() {
    let never = [number::EXIT, number::EXIT_GROUP, number::RT_SIGRETURN, number::MUNMAP, number::CLONE];
    let descriptions = Descriptions::read(&[]).expect("none");
    let program = Program::new("rv64ima", &descriptions).expect("an ISA");
    for bad in BAD {
        for number in (0..470).filter(|number| !never.contains(number)) {
            let mut script = Script { limit: Some(10_000), ..Script::new() };
            script.call(number, &[bad; 6]);
            script.call(number, &[1, bad, bad, bad, bad, bad]);
            script.call(number, &[SCRATCH, SCRATCH, bad, bad, bad, bad]);
            script.call(number, &[0, SCRATCH, SCRATCH, bad, SCRATCH, bad]);
            let outcome = script.run_on(&program);
            let ended = match &outcome.ending {
                Ending::Exit(_) | Ending::Deadlock(_) | Ending::Killed(_) => true,
                // `mprotect` and the like may take away what the script itself needs.
                Ending::Fault(_) | Ending::InstructionLimit => true,
                Ending::Interrupted | Ending::Observed => false,
            };
            assert!(ended, "call {number} with {bad:#x}: {:?}", outcome.ending);
        }
    }
}
