//! Processes in which nothing can happen any more.

use linux::Ending;

use crate::script::{CODE, SCRATCH, Script, number};

fn waits_for_ever(script: Script) -> Vec<(u32, u64, Option<u64>)> {
    match script.run().ending {
        Ending::Deadlock(threads) => threads.into_iter().map(|(id, pc, futex)| (id.0, pc, futex)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_futex_that_nobody_wakes() {
    let mut script = Script::new();
    script.call(number::FUTEX, &[SCRATCH, 0, 0, 0]);
    let threads = waits_for_ever(script);
    assert_eq!(threads.len(), 1);
    assert_eq!((threads[0].0, threads[0].2), (100, Some(SCRATCH)));
    assert!((CODE..CODE + 0x100).contains(&threads[0].1));
}

#[test]
fn a_pipe_that_only_the_reader_can_write_to() {
    let mut script = Script::new();
    script.call(number::PIPE2, &[SCRATCH, 0]);
    script.call(number::READ, &[3, SCRATCH, 1]);
    assert_eq!(waits_for_ever(script)[0].2, None);
}

#[test]
fn a_timer_whose_signal_is_blocked() {
    let mut script = Script::new();
    let mask = script.words(&[1 << 13]);
    let every_millisecond = script.words(&[0, 1000, 0, 1000]);
    script.call(number::RT_SIGPROCMASK, &[0, mask, 0, 8]);
    script.call(number::SETITIMER, &[0, every_millisecond, 0]);
    script.call(number::FUTEX, &[SCRATCH, 0, 0, 0]);
    assert_eq!(waits_for_ever(script).len(), 1);
}

#[test]
fn polling_nothing() {
    let mut script = Script::new();
    script.call(number::PPOLL, &[0, 0, 0, 0, 8]);
    assert_eq!(waits_for_ever(script).len(), 1);
}
