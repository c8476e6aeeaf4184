//! Random system calls with random arguments: whatever comes, the process ends, within its bounds.

use engine::Program;
use isa::Descriptions;
use linux::{Ending, Files};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::script::{SCRATCH, SCRATCH_BYTES, Script, number};

/// Processes in the ordinary run; `CIPHERMARK_FUZZ_PROCESSES` asks for another number.
const PROCESSES: u32 = 1500;
const CALLS: usize = 40;

fn argument() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..8u64,
        2 => SCRATCH..SCRATCH + SCRATCH_BYTES as u64,
        2 => (0..16u64).prop_map(|index| SCRATCH + 4096 * index),
        // Strings and structures that the script has put there.
        3 => (0..40u64).prop_map(|index| SCRATCH + SCRATCH_BYTES as u64 / 2 + 16 * index),
        1 => prop::sample::select(vec![u64::MAX, 1 << 63, 1 << 31, 1 << 32, 0x1_0000, 0x30_0000, 4096, -100i64 as u64]),
        1 => (0..64u32).prop_map(|bit| 1 << bit),
        1 => (0..64u32).prop_map(|bit| (1u64 << bit).wrapping_sub(1)),
        1 => (0..100u64).prop_map(|small| small.wrapping_neg()),
        1 => prop::sample::select(vec![100u64, 101, 0x5_0f00, 0x22, 0x32, 3, 0o102, 0o20_0000, 0x80, 0x89]),
        1 => any::<u64>(),
    ]
}

fn call() -> impl Strategy<Value = (u64, [u64; 6])> {
    let known = prop::sample::select(
        (0..470u64).filter(|number| ![number::EXIT, number::EXIT_GROUP].contains(number)).collect::<Vec<_>>(),
    );
    let number = prop_oneof![30 => known, 1 => any::<u64>()];
    (number, prop::array::uniform6(argument()))
}

#[test]
fn end_and_stay_within_bounds() {
    let processes = std::env::var("CIPHERMARK_FUZZ_PROCESSES").ok().and_then(|text| text.parse().ok());
    let descriptions = Descriptions::read(&[]).expect("none");
    let programs =
        ["rv32imac_zicsr", "rv64imafdv_zicsr"].map(|isa| Program::new(isa, &descriptions).expect("an ISA"));
    let place = tempfile::tempdir().expect("a directory");
    let root = place.path().join("root");
    std::fs::create_dir_all(root.join("folder")).expect("folders");
    let config =
        Config { cases: processes.unwrap_or(PROCESSES), failure_persistence: None, ..Config::default() };
    let calls = (any::<bool>(), prop::collection::vec(call(), 1..CALLS));
    let ran = TestRunner::new(config).run(&calls, |(wide, calls)| {
        let program = &programs[usize::from(wide)];
        let files = Files::new(Some(&root), true).expect("the root");
        let mut script = Script { xlen: program.isa().xlen(), files, limit: Some(20_000), ..Script::new() };
        for text in [
            "/dev/null",
            "file",
            "folder",
            "folder/file",
            "..",
            "/",
            "/proc/self/exe",
            "../../etc/passwd",
            "link",
        ] {
            script.text(text);
        }
        for words in [[1, 0], [0, 1000], [SCRATCH, 64], [0x1_0000, 4]] {
            script.words(&words);
        }
        for (number, arguments) in &calls {
            script.call(*number, arguments);
        }
        let outcome = script.run_on(program);
        prop_assert!(
            !matches!(outcome.ending, Ending::Interrupted | Ending::Observed),
            "{:?}",
            outcome.ending
        );
        prop_assert!(outcome.retired <= 20_000);
        Ok(())
    });
    ran.expect("no case fails");
    // What the calls made is in the root, and nothing beside it.
    assert_eq!(std::fs::read_dir(place.path()).expect("the place").count(), 1);
    let resident = resident_bytes();
    assert!(resident < 2 << 30, "{resident} bytes resident");
}

/// Most memory that this process has held so far, in bytes.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
