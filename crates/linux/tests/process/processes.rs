//! Processes that start others.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use linux::Ending;

use crate::assembly::{self, A0, If, T0, ZERO};
use crate::script::{HERE, Outcome, SCRATCH, Script, number};

const SIGCHLD: i32 = 17;
/// `CLONE_VM | CLONE_VFORK`.
const VFORK: i32 = 0x4100;
const ENOENT: i64 = -2;
const ENOEXEC: i64 = -8;
const ENOMEM: i64 = -12;
const EBADF: i64 = -9;
const EACCES: i64 = -13;
const ELOOP: i64 = -40;
const ENOSYS: i64 = -38;

/// Code that a child of `clone` with these flags executes; the parent goes on after it.
fn start(flags: i32, child: &[u32]) -> Vec<u32> {
    let mut code = assembly::call(number::CLONE, &[flags, 0, 0, 0, 0]);
    code.push(assembly::branch(If::Unequal, A0, ZERO, 4 * (child.len() as i32 + 1)));
    code.extend(child);
    code
}

/// Stores a number at an offset in the scratch memory.
fn put(value: i32, offset: i32) -> Vec<u32> {
    let mut code = assembly::load_immediate(T0, SCRATCH as i32);
    code.extend(assembly::load_immediate(6, value));
    code.push(assembly::store(isa::Xlen::Rv64, 6, T0, offset));
    code
}

fn wait(status: u64) -> Vec<u32> {
    assembly::call(number::WAIT4, &[-1, status as i32, 0, 0])
}

fn run(code: Vec<u32>) -> Outcome {
    Script { code: Some(code), ..Script::new() }.run()
}

fn executable(path: &Path, content: &[u8]) {
    std::fs::write(path, content).expect("a file");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("rights");
}

/// A program that writes a word and exits with a status.
fn says(text: &str, status: u64) -> Vec<u8> {
    let mut script = Script::new();
    let address = script.text(text);
    script.call(number::WRITE, &[1, address, text.len() as u64]);
    script.call(number::EXIT_GROUP, &[status]);
    script.elf()
}

#[test]
fn a_child_has_memory_of_its_own_and_its_parent_hears_how_it_ends() {
    let mut child = put(5, 8);
    child.extend(assembly::call(number::EXIT_GROUP, &[7]));
    let mut code = put(3, 8);
    code.extend(start(SIGCHLD, &child));
    code.extend(wait(SCRATCH));
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = run(code);
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert_eq!((outcome.word(SCRATCH), outcome.word(SCRATCH + 8)), (7 << 8, 3));
}

#[test]
fn a_child_of_vfork_has_its_parents_memory_first() {
    let mut child = put(5, 8);
    child.extend(assembly::call(number::EXIT_GROUP, &[7]));
    let mut code = start(VFORK | SIGCHLD, &child);
    // It waits until the child has ended: nothing is left to wait for.
    code.extend(assembly::call(number::WAIT4, &[-1, SCRATCH as i32, 1, 0]));
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = run(code);
    assert_eq!((outcome.word(SCRATCH), outcome.word(SCRATCH + 8)), (7 << 8, 5));
}

#[test]
fn the_run_ends_with_the_first_process() {
    let child = [assembly::jal(ZERO, 0)];
    let mut code = start(SIGCHLD, &child);
    code.extend(assembly::call(number::EXIT_GROUP, &[9]));
    assert_eq!(run(code).ending, Ending::Exit(9));
}

#[test]
fn a_child_that_faults_ends_alone() {
    let child = [assembly::load(isa::Xlen::Rv64, T0, ZERO, 8)];
    let mut code = start(SIGCHLD, &child);
    code.extend(wait(SCRATCH));
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = run(code);
    assert_eq!((outcome.ending.clone(), outcome.word(SCRATCH)), (Ending::Exit(0), 11));
    let told = outcome.messages.join("\n");
    assert!(told.starts_with("process 101 (script): load access fault at pc 0x"), "{told}");
}

#[test]
fn a_fork_bomb_ends_at_the_bound_and_the_same_each_time() {
    let bomb = || {
        let mut script = Script::new();
        for _ in 0..6 {
            script.call(number::CLONE, &[SIGCHLD as u64]);
        }
        script.call(number::WAIT4, &[-1i64 as u64, 0, 0, 0]);
        script.run()
    };
    let (one, other) = (bomb(), bomb());
    assert_eq!(one.ending, Ending::Exit(0));
    assert!(
        one.messages.iter().any(|text| text.contains("the bound on processes, 8, is reached")),
        "{one:?}"
    );
    assert_eq!((one.results, one.retired), (other.results, other.retired));
}

#[test]
fn zombies_count_until_they_are_waited_for() {
    let child = assembly::call(number::EXIT_GROUP, &[0]);
    let mut code = Vec::new();
    for _ in 0..8 {
        code.extend(start(SIGCHLD, &child));
        code.extend(assembly::call(number::SCHED_YIELD, &[]));
    }
    // Seven have ended, and the eighth did not start.
    code.extend(wait(0));
    code.extend(start(SIGCHLD, &child));
    code.push(assembly::add(T0, A0, ZERO));
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = run(code);
    assert_eq!(outcome.messages.len(), 1);
}

#[test]
fn the_memory_of_all_processes_is_bounded() {
    let mut script = Script { memory_bytes: 4 << 20, ..Script::new() };
    script.call(number::MMAP, &[0, 2 << 20, 3, 0x22, u64::MAX, 0]);
    script.call(number::CLONE, &[SIGCHLD as u64]);
    script.call(number::MUNMAP, &[0, 0]);
    assert_eq!(script.run().results[1], ENOMEM);
}

#[test]
fn all_memory_is_not_shared_but_for_a_while() {
    let mut script = Script::new();
    script.call(number::CLONE, &[0x100]);
    let outcome = script.run();
    assert_eq!(outcome.results, [ENOSYS]);
    assert_eq!(outcome.messages.len(), 1);
}

#[test]
fn a_child_writes_to_memory_that_it_shares() {
    let place = 0x1000_0000;
    let shared = [place, 4096, 3, 0x31, -1, 0];
    let mut child = assembly::load_immediate(T0, place);
    child.extend(assembly::load_immediate(6, 77));
    child.push(assembly::store(isa::Xlen::Rv64, 6, T0, 8));
    child.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let mut code = assembly::call(number::MMAP, &shared);
    code.extend(start(SIGCHLD, &child));
    code.extend(wait(0));
    code.extend(assembly::load_immediate(T0, place));
    code.push(assembly::load(isa::Xlen::Rv64, A0, T0, 8));
    code.extend(assembly::call(number::EXIT_GROUP, &[]));
    assert_eq!(run(code).ending, Ending::Exit(77));
}

#[test]
fn an_open_program_is_executed() {
    let root = tempfile::tempdir().expect("a folder");
    executable(&root.path().join("other"), &says("other", 4));
    executable(&root.path().join("first"), b"#!/other");
    std::fs::write(root.path().join("text"), b"#!/other").expect("a file");
    let from = |name: &str| {
        let mut script = Script::below(root.path(), false);
        let (path, empty) = (script.text(name), script.text(""));
        script.call(number::OPENAT, &[HERE, path, 0, 0]);
        script.call(number::EXECVEAT, &[3, empty, 0, 0, 0]);
        script.call(number::EXECVEAT, &[9, empty, 0, 0, 0x1000]);
        script.call(number::EXECVEAT, &[1, empty, 0, 0, 0x1000]);
        script.call(number::EXECVEAT, &[3, empty, 0, 0, 0x1000]);
        script.run()
    };
    for name in ["/other", "/first"] {
        assert_eq!(from(name).console, b"other", "{name}");
    }
    assert_eq!(from("/text").results, [3, ENOENT, EBADF, EACCES, EACCES]);
}

#[test]
fn a_program_is_executed_in_place_of_another() {
    let root = tempfile::tempdir().expect("a folder");
    executable(&root.path().join("other"), &says("other", 4));
    let mut script = Script::below(root.path(), false);
    let path = script.text("/other");
    script.call(number::EXECVE, &[path, 0, 0]);
    let outcome = script.run();
    assert_eq!((outcome.ending, outcome.console), (Ending::Exit(4), b"other".to_vec()));
}

#[test]
fn a_program_is_executed_from_an_open_directory() {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(root.path().join("folder")).expect("a folder");
    executable(&root.path().join("folder/other"), &says("other", 4));
    let mut script = Script::below(root.path(), false);
    let (folder, path) = (script.text("/folder"), script.text("other"));
    script.call(number::OPENAT, &[HERE, folder, 0, 0]);
    script.call(number::EXECVEAT, &[HERE, path, 0, 0, 0]);
    script.call(number::EXECVEAT, &[1, path, 0, 0, 0]);
    script.call(number::EXECVEAT, &[3, path, 0, 0, 0]);
    assert_eq!(script.run().console, b"other");
}

#[test]
fn a_script_is_executed_by_what_its_first_line_names() {
    let root = tempfile::tempdir().expect("a folder");
    executable(&root.path().join("other"), &says("other", 5));
    executable(&root.path().join("first"), b"#! /second  with an argument \nnothing\n");
    executable(&root.path().join("second"), b"#!other");
    let mut script = Script::below(root.path(), false);
    let first = script.text("first");
    script.call(number::EXECVE, &[first, 0, 0]);
    let outcome = script.run();
    assert_eq!((outcome.ending, outcome.console), (Ending::Exit(5), b"other".to_vec()));
}

#[test]
fn what_is_no_program_is_not_executed() {
    let root = tempfile::tempdir().expect("a folder");
    executable(&root.path().join("text"), b"echo hello");
    executable(&root.path().join("torn"), &says("torn", 0)[..80]);
    executable(&root.path().join("empty"), b"#!\n");
    executable(&root.path().join("itself"), b"#!/itself\n");
    std::fs::write(root.path().join("plain"), says("plain", 0)).expect("a file");
    std::fs::create_dir(root.path().join("folder")).expect("a folder");
    std::os::unix::fs::symlink("/bin/true", root.path().join("out")).expect("a link");
    let mut script = Script::below(root.path(), false);
    for path in ["text", "torn", "empty", "itself", "plain", "folder", "none", "out"] {
        let path = script.text(path);
        script.call(number::EXECVE, &[path, 0, 0]);
    }
    let results = script.run().results;
    assert_eq!(results[..7], [ENOEXEC, ENOEXEC, ENOEXEC, ELOOP, EACCES, EACCES, ENOENT]);
    assert!(results[7] < 0);
}

#[test]
fn without_a_root_there_are_no_programs() {
    let mut script = Script::new();
    let path = script.text("/bin/sh");
    script.call(number::EXECVE, &[path, 0, 0]);
    assert_eq!(script.run().results, [ENOENT]);
}

#[test]
fn a_pipe_ends_with_its_last_writer() {
    let mut child = assembly::call(number::WRITE, &[4, SCRATCH as i32, 3]);
    child.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let mut code = assembly::call(number::PIPE2, &[SCRATCH as i32 + 64, 0]);
    code.extend(put(0x63_6261, 0));
    code.extend(start(SIGCHLD, &child));
    code.extend(assembly::call(number::CLOSE, &[4]));
    for at in [16, 32] {
        code.extend(assembly::call(number::READ, &[3, SCRATCH as i32 + at, 8]));
        code.extend(assembly::load_immediate(T0, SCRATCH as i32));
        code.push(assembly::store(isa::Xlen::Rv64, A0, T0, at + 8));
    }
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = run(code);
    assert_eq!([16, 24, 40].map(|at| outcome.word(SCRATCH + at)), [0x63_6261, 3, 0]);
}

#[test]
fn who_waits_for_a_child_that_waits_for_ever_is_told_of() {
    let child = assembly::call(number::FUTEX, &[SCRATCH as i32, 0, 0, 0]);
    let mut code = start(SIGCHLD, &child);
    code.extend(wait(0));
    let outcome = run(code);
    assert!(matches!(outcome.ending, Ending::Deadlock(threads) if threads.len() == 1));
    let told = outcome.messages.join("\n");
    assert!(told.contains("process 101 (script), thread 101 at 0x1"), "{told}");
    assert!(told.ends_with("waits for the futex at 0x200000"), "{told}");
}

#[test]
fn numbers_of_processes_are_checked() {
    let mut script = Script::new();
    script.call(number::GETPID, &[]);
    script.call(number::GETPPID, &[]);
    script.call(number::KILL, &[101, 0]);
    script.call(number::KILL, &[-101i64 as u64, 0]);
    script.call(number::SETPGID, &[101, 0]);
    script.call(number::WAIT4, &[-1i64 as u64, 0, 0, 0]);
    script.call(number::OPENAT, &[HERE, 0, 0, 0]);
    assert_eq!(script.run().results[..6], [100, 1, -3, -3, -3, -10]);
}
