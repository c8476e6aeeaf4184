//! Bounds of a run, and what a program may ask of the host at most.

use linux::Ending;

use crate::assembly::{self, ZERO};
use crate::script::{SCRATCH, SCRATCH_BYTES, Script, number};

#[test]
fn an_endless_loop_meets_the_limit_exactly() {
    let code = vec![assembly::addi(5, 5, 1), assembly::jal(ZERO, -4)];
    let outcome = Script { code: Some(code), limit: Some(99_999), ..Script::new() }.run();
    assert_eq!((outcome.ending, outcome.retired), (Ending::InstructionLimit, 99_999));
}

#[test]
fn an_endless_loop_of_system_calls_meets_it_too() {
    for number in [number::GETPID, number::SCHED_YIELD, 1000] {
        let mut code = assembly::call(number, &[]);
        code.push(assembly::jal(ZERO, -4));
        let outcome = Script { code: Some(code), limit: Some(50_000), ..Script::new() }.run();
        assert_eq!((outcome.ending, outcome.retired), (Ending::InstructionLimit, 50_000));
    }
}

#[test]
fn an_endless_console_is_bounded_by_instructions() {
    let mut code = assembly::call(number::WRITE, &[1, SCRATCH as i32, 16]);
    code.push(assembly::jal(ZERO, -4 * code.len() as i32));
    let outcome = Script { code: Some(code), limit: Some(9_000), ..Script::new() }.run();
    assert_eq!(outcome.ending, Ending::InstructionLimit);
    assert!(outcome.console.len() <= 16 * 9_000);
}

#[test]
fn a_call_moves_no_more_than_there_is() {
    let mut script = Script::new();
    let whole = SCRATCH_BYTES as u64;
    // A thousand buffers, each all of the scratch memory; then one too many, a bad one among them, none.
    let buffers: Vec<u64> = (0..1024).flat_map(|_| [SCRATCH, whole / 2]).collect();
    let place = SCRATCH + whole / 2;
    let vector = script.words(&buffers);
    let bad = script.words(&[SCRATCH, 16, 8, 16, SCRATCH, 16]);
    let huge = script.words(&[SCRATCH, 16, SCRATCH, 1 << 63]);
    let null = script.text("/dev/null");
    script.call(number::OPENAT, &[crate::script::HERE, null, 2, 0]);
    script.call(number::WRITEV, &[3, vector, 1024]);
    script.call(number::WRITEV, &[3, vector, 1025]);
    script.call(number::WRITEV, &[3, vector, u64::MAX]);
    script.call(number::WRITEV, &[3, bad, 3]);
    script.call(number::WRITEV, &[3, bad + 16, 1]);
    script.call(number::WRITEV, &[3, huge, 2]);
    script.call(number::READV, &[3, huge, 2]);
    script.call(number::WRITE, &[3, place, u64::MAX]);
    script.call(number::WRITE, &[3, 0, 0]);
    let results = script.run().results;
    assert_eq!(results, [3, 1024 * (SCRATCH_BYTES as i64 / 2), -22, -22, 16, -14, 16, 0, -14, 0]);
}

#[test]
fn unknown_calls_are_named_once() {
    let mut script = Script::new();
    for number in [1000, 1000, u64::MAX, 40, 40] {
        script.call(number, &[]);
    }
    let outcome = script.run();
    assert_eq!(outcome.results, [-38; 5]);
    let told: Vec<&str> = outcome.messages.iter().map(String::as_str).collect();
    assert_eq!(told.len(), 3);
    assert!(told[0].contains("number 1000") && told[2].contains("mount (40)"), "{told:?}");
}

#[test]
fn a_program_that_tries_all_numbers_is_told_of_once() {
    let mut script = Script::new();
    for number in 1000..1500 {
        script.call(number, &[]);
    }
    let outcome = script.run();
    assert_eq!(outcome.messages.len(), 65);
    assert!(outcome.messages[64].contains("further"));
}

#[test]
fn system_calls_are_reported_readably() {
    let mut script = Script { strace: true, ..Script::new() };
    let (text, path) = (script.text("hello\n\"you\"\x01"), script.text("/dev/null"));
    script.call(number::WRITE, &[1, text, 12]);
    script.call(number::OPENAT, &[-100i64 as u64, path, 0o200_0102, 0o644]);
    script.call(number::MMAP, &[0x1000_0000, 0x1000, 3, 0x32, -1i64 as u64, 0]);
    script.call(number::FUTEX, &[SCRATCH, 0x81, 1]);
    script.call(number::CLOSE, &[99]);
    script.call(1000, &[1]);
    let lines = script.run().messages;
    assert_eq!(
        lines,
        [
            r#"[100] write(1, "hello\n\"you\"\x01", 12) = 12"#,
            r#"[100] openat(AT_FDCWD, "/dev/null", O_RDWR|O_CREAT|O_CLOEXEC, 0o644) = 3"#,
            "[100] mmap(0x10000000, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, -1, 0x0) = 0x10000000",
            "[100] futex(0x200000, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0x0) = 0",
            "[100] close(99) = -1 EBADF",
            "system call number 1000 is not implemented; the program gets ENOSYS",
            "[100] syscall_1000(0x1, 0x0, 0x0, 0x0, 0x0, 0x0) = -1 ENOSYS",
            "[100] exit_group(0) = ? <exits 0>",
        ]
    );
}
