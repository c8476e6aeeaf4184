//! Users, groups and sockets: what the kernel grants an ordinary user without networks, and what it refuses.

use crate::script::{Outcome, SCRATCH, Script, number};

const EPERM: i64 = -1;
const EBADF: i64 = -9;
const EINVAL: i64 = -22;
const ENOTSOCK: i64 = -88;
const EAFNOSUPPORT: i64 = -97;
const OWN: u64 = 1000;
const KEEP: u64 = 0xffff_ffff;

/// Makes the calls, each with its result, of which the user is told nothing.
fn outcome_of(calls: &[(u64, &[u64], i64)]) -> Outcome {
    let mut script = Script::new();
    for (call, arguments, _) in calls {
        script.call(*call, arguments);
    }
    let outcome = script.run();
    assert_eq!(outcome.results, calls.iter().map(|(.., result)| *result).collect::<Vec<_>>());
    assert!(outcome.messages.is_empty(), "{:?}", outcome.messages);
    outcome
}

#[test]
fn a_process_may_become_what_it_is_and_nobody_else() {
    let calls: &[(u64, &[u64], i64)] = &[
        (number::SETUID, &[OWN], 0),
        (number::SETUID, &[0], EPERM),
        (number::SETGID, &[OWN], 0),
        (number::SETGID, &[OWN + 1], EPERM),
        (number::SETREUID, &[KEEP, OWN], 0),
        (number::SETREUID, &[OWN, 0], EPERM),
        (number::SETRESUID, &[KEEP, KEEP, OWN], 0),
        (number::SETRESUID, &[OWN, OWN, 5], EPERM),
        (number::GETRESUID, &[SCRATCH, SCRATCH + 4, SCRATCH + 8], 0),
        (number::GETGROUPS, &[0, 0], 1),
        (number::GETGROUPS, &[8, SCRATCH + 16], 1),
        (number::GETGROUPS, &[KEEP, SCRATCH + 16], EINVAL),
        (number::SETGROUPS, &[0, 0], EPERM),
    ];
    let outcome = outcome_of(calls);
    let own = 1000u32.to_le_bytes();
    let scratch = outcome.scratch.expect("scratch");
    assert_eq!(scratch[..12], [own, own, own].concat());
    assert_eq!(scratch[16..24], [own, [0; 4]].concat());
}

#[test]
fn there_are_no_sockets_and_nobody_is_told_of_an_attempt() {
    outcome_of(&[
        (number::SOCKET, &[1, 1, 0], EAFNOSUPPORT),
        (number::SOCKET, &[2, 1, 0], EAFNOSUPPORT),
        (number::GETPEERNAME, &[0, SCRATCH, SCRATCH + 64], ENOTSOCK),
        (number::GETPEERNAME, &[77, SCRATCH, SCRATCH + 64], EBADF),
        (number::CONNECT, &[1, SCRATCH, 16], ENOTSOCK),
    ]);
}
