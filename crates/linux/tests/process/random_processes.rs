//! Random calls of processes that start, signal, wait for and replace each other: they end within their bounds, and the
//! same way twice.

use std::os::unix::fs::PermissionsExt;

use engine::Program;
use isa::Descriptions;
use linux::{Ending, Files};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::script::{HERE, Outcome, SCRATCH, Script, number};

/// Runs in the ordinary test; `CIPHERMARK_FUZZ_PROCESSES` asks for another number.
const RUNS: u32 = 300;
const SETPGID: u64 = number::SETPGID;
const SETSID: u64 = 157;
const WAITID: u64 = 95;
const CLONE3: u64 = 435;
const ANY: u64 = u64::MAX;

fn process() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 100..108u64, 1 => Just(0), 1 => Just(ANY), 1 => (100..108u64).prop_map(u64::wrapping_neg)]
}

fn call() -> impl Strategy<Value = (u64, [u64; 6])> {
    let signal = prop::sample::select(vec![0u64, 9, 10, 13, 15, 17, 18]);
    let flags = prop::sample::select(vec![
        17u64,
        17,
        17,
        0x4111,
        0x4111,
        0,
        0x4100,
        0x111,
        0x120_0011,
        0x1_0000_0011,
    ]);
    let at = (0..8u64).prop_map(|place| SCRATCH + 64 * place);
    let made = |number: u64| move |arguments: [u64; 6]| (number, arguments);
    prop_oneof![
        4 => flags.prop_map(|flags| [flags, 0, 0, 0, SCRATCH, 0]).prop_map(made(number::CLONE)),
        1 => Just([SCRATCH + 1024, 64, 0, 0, 0, 0]).prop_map(made(CLONE3)),
        3 => (process(), at.clone(), 0..2u64)
            .prop_map(|(id, at, options)| [id, at, options, at + 8, 0, 0]).prop_map(made(number::WAIT4)),
        1 => (0..3u64, process(), at.clone(), prop::sample::select(vec![4u64, 5, 0x100_0004]))
            .prop_map(|(kind, id, at, options)| [kind, id, at, options, 0, 0]).prop_map(made(WAITID)),
        2 => (process(), signal).prop_map(|(id, signal)| [id, signal, 0, 0, 0, 0]).prop_map(made(number::KILL)),
        1 => (process(), process()).prop_map(|(id, group)| [id, group, 0, 0, 0, 0]).prop_map(made(SETPGID)),
        1 => Just([0; 6]).prop_map(made(SETSID)),
        2 => at.clone().prop_map(|at| [at, 0, 0, 0, 0, 0]).prop_map(made(number::PIPE2)),
        2 => (3..8u64, at.clone(), 0..9000u64)
            .prop_map(|(file, at, bytes)| [file, at, bytes, 0, 0, 0]).prop_map(made(number::WRITE)),
        2 => (3..8u64, at.clone(), 0..9000u64)
            .prop_map(|(file, at, bytes)| [file, at, bytes, 0, 0, 0]).prop_map(made(number::READ)),
        2 => (3..8u64).prop_map(|file| [file, 0, 0, 0, 0, 0]).prop_map(made(number::CLOSE)),
        1 => Just([0; 6]).prop_map(made(number::SCHED_YIELD)),
        // The first page of the scratch memory, shared.
        1 => Just([SCRATCH, 4096, 3, 0x31, ANY, 0]).prop_map(made(number::MMAP)),
        2 => (at.clone(), prop::sample::select(vec![0u64, 1, 3, 9, 10, 0x80, 0x81]), 0..3u64, at)
            .prop_map(|(at, operation, value, other)| [at, operation, value, 0, other, 1])
            .prop_map(made(number::FUTEX)),
        // An action of the scratch memory, which ignores or takes no signal.
        1 => (10..18u64, 0..2u64).prop_map(|(signal, which)| [signal, SCRATCH + 2048 + 64 * which, 0, 8, 0, 0])
            .prop_map(made(number::RT_SIGACTION)),
        1 => Just([0, SCRATCH + 4096, 0, 8, 0, 0]).prop_map(made(number::RT_SIGPROCMASK)),
        1 => prop::sample::select(vec![0u64, 16]).prop_map(|which| [SCRATCH + 0x8000 + which, 0, 0, 0, 0, 0])
            .prop_map(made(number::EXECVE)),
        1 => (0..4u64).prop_map(|status| [status, 0, 0, 0, 0, 0]).prop_map(made(number::EXIT_GROUP)),
        1 => Just([HERE, SCRATCH + 0x8000, 0, 0, 0, 0]).prop_map(made(number::OPENAT)),
    ]
}

fn run(program: &Program, root: &std::path::Path, calls: &[(u64, [u64; 6])]) -> Outcome {
    let files = Files::new(Some(root), false).expect("the root");
    let mut script = Script { files, limit: Some(30_000), ..Script::new() };
    let (say, _) = (script.text("/say"), script.text("/script"));
    assert_eq!(say, SCRATCH + 0x8000);
    // A struct clone_args, and two struct sigaction.
    script.scratch[1024 + 32] = 17;
    script.scratch[2048] = 1;
    script.scratch[4096 + 1] = 0xff;
    for (number, arguments) in calls {
        script.call(*number, arguments);
    }
    script.run_on(program)
}

#[test]
fn end_within_bounds_and_the_same_way_twice() {
    let runs = std::env::var("CIPHERMARK_FUZZ_PROCESSES").ok().and_then(|text| text.parse().ok());
    let descriptions = Descriptions::read(&[]).expect("none");
    let program = Program::new("rv64imafd_zicsr", &descriptions).expect("an ISA");
    let root = tempfile::tempdir().expect("a directory");
    let mut say = Script::new();
    let text = say.text("said");
    say.call(number::WRITE, &[1, text, 4]);
    for (name, content) in [("say", say.elf()), ("script", b"#!/say it\n".to_vec())] {
        std::fs::write(root.path().join(name), content).expect("a file");
        let rights = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(root.path().join(name), rights).expect("rights");
    }
    let config = Config { cases: runs.unwrap_or(RUNS), failure_persistence: None, ..Config::default() };
    let ran = TestRunner::new(config).run(&prop::collection::vec(call(), 1..40), |calls| {
        let (one, other) = (run(&program, root.path(), &calls), run(&program, root.path(), &calls));
        prop_assert!(!matches!(one.ending, Ending::Interrupted | Ending::Observed), "{:?}", one.ending);
        prop_assert!(one.retired <= 30_000);
        prop_assert_eq!(
            (&one.ending, one.retired, &one.console, &one.messages, &one.scratch),
            (&other.ending, other.retired, &other.console, &other.messages, &other.scratch)
        );
        Ok(())
    });
    ran.expect("no case fails");
}
