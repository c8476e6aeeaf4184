//! Threads and futexes.

use isa::Xlen;
use linux::Ending;

use crate::assembly::{self, A0, ECALL, If, S0, T0, T1, ZERO};
use crate::script::{SCRATCH, Script, number};

const THREAD: i32 = 0x5_0f00;
const XLEN: Xlen = Xlen::Rv64;
const WAIT: i32 = 0;
const WAKE: i32 = 1;

/// `clone`, and a branch of `skip` instructions around what the new thread does.
fn start(thread: &[u32]) -> Vec<u32> {
    let mut code = assembly::call(number::CLONE, &[THREAD, 0, 0, 0, 0]);
    code.push(assembly::branch(If::Unequal, A0, ZERO, 4 * (thread.len() as i32 + 1)));
    code.extend(thread);
    code
}

fn run(code: Vec<u32>) -> crate::script::Outcome {
    Script { code: Some(code), limit: Some(20_000_000), ..Script::new() }.run()
}

/// Adds one to the word at SCRATCH, and leaves it in `t1`.
fn increment() -> Vec<u32> {
    let mut code = assembly::load_immediate(T0, SCRATCH as i32);
    code.extend([
        assembly::load(XLEN, T1, T0, 0),
        assembly::addi(T1, T1, 1),
        assembly::store(XLEN, T1, T0, 0),
    ]);
    code
}

#[test]
fn a_million_threads_are_too_many() {
    // A loop that makes threads that wait for ever, and counts them until it is refused one.
    let futex = SCRATCH as i32 + 64;
    let mut code = start(&assembly::call(number::FUTEX, &[futex, WAIT, 0, 0]));
    let refused = code.len();
    code.push(0);
    code.extend(increment());
    code.push(assembly::jal(ZERO, -4 * code.len() as i32));
    code[refused] = assembly::branch(If::Less, A0, ZERO, 4 * (code.len() - refused) as i32);
    code.extend(assembly::call(number::EXIT_GROUP, &[3]));
    let started = std::time::Instant::now();
    let outcome = run(code);
    assert_eq!(outcome.ending, Ending::Exit(3));
    assert_eq!(outcome.word(SCRATCH), 4095);
    assert!(started.elapsed().as_secs() < 30);
}

#[test]
fn threads_take_turns_and_the_process_ends_with_the_last() {
    let mut thread = increment();
    thread.extend(assembly::call(number::EXIT, &[1]));
    let mut code = Vec::new();
    for _ in 0..5 {
        code.extend(start(&thread));
    }
    code.extend(increment());
    code.extend(assembly::call(number::EXIT, &[9]));
    let outcome = run(code);
    assert!(matches!(outcome.ending, Ending::Exit(1 | 9)));
    assert_eq!(outcome.word(SCRATCH), 6);
}

#[test]
fn a_futex_wakes_who_came_first() {
    let futex = SCRATCH as i32 + 64;
    let mut code = Vec::new();
    for index in 1..=3 {
        // Each waits, then writes its number where the count of those before it says.
        let mut thread = assembly::call(number::FUTEX, &[futex, WAIT, 0, 0]);
        thread.extend(increment());
        thread.extend([
            assembly::addi(S0, ZERO, index),
            assembly::slli(T1, T1, 3),
            assembly::add(T0, T0, T1),
            assembly::store(XLEN, S0, T0, 0),
        ]);
        thread.extend(assembly::call(number::EXIT, &[0]));
        code.extend(start(&thread));
        code.extend(assembly::call(number::SCHED_YIELD, &[]));
    }
    for _ in 0..3 {
        code.extend(assembly::call(number::FUTEX, &[futex, WAKE, 1]));
        code.extend(assembly::call(number::SCHED_YIELD, &[]));
    }
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = run(code);
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert_eq!([0, 1, 2, 3].map(|index| outcome.word(SCRATCH + 8 * index)), [3, 1, 2, 3]);
}

#[test]
fn a_futex_wait_ends_when_its_time_is_over() {
    let mut script = Script::new();
    let second = script.words(&[1, 0]);
    let wrong = script.words(&[0, 1_000_000_000]);
    script.call(number::FUTEX, &[SCRATCH, 0, 0, second]);
    script.call(number::FUTEX, &[SCRATCH, 0, 1, 0]);
    script.call(number::FUTEX, &[SCRATCH + 1, 0, 0, 0]);
    script.call(number::FUTEX, &[8, 0, 0, 0]);
    script.call(number::FUTEX, &[SCRATCH, 0, 0, wrong]);
    script.call(number::CLOCK_GETTIME, &[1, SCRATCH + 32]);
    let outcome = script.run();
    // ETIMEDOUT, EAGAIN, EINVAL, EFAULT, EINVAL.
    assert_eq!(outcome.results[..5], [-110, -11, -22, -14, -22]);
    assert_eq!(outcome.word(SCRATCH + 32), 1);
}

#[test]
fn a_bit_set_chooses_whom_a_futex_wakes() {
    let futex = SCRATCH as i32 + 64;
    let wait = |bits| assembly::call(number::FUTEX, &[futex, 9, 0, 0, 0, bits]);
    let mut first = wait(1);
    first.extend(assembly::call(number::EXIT_GROUP, &[1]));
    let mut second = wait(2);
    second.extend(assembly::call(number::EXIT_GROUP, &[2]));
    let mut code = start(&first);
    code.extend(start(&second));
    code.extend(assembly::call(number::SCHED_YIELD, &[]));
    code.extend(assembly::call(number::FUTEX, &[futex, 10, 5, 0, 0, 2]));
    code.extend(assembly::call(number::FUTEX, &[SCRATCH as i32, WAIT, 0, 0]));
    code.push(ECALL);
    assert_eq!(run(code).ending, Ending::Exit(2));
}

#[test]
fn two_runs_are_the_same() {
    // Threads that race for a word without a lock.
    let mut thread = Vec::new();
    let body = increment();
    thread.extend(assembly::load_immediate(S0, 50_000));
    thread.extend(&body);
    thread.push(assembly::addi(S0, S0, -1));
    thread.push(assembly::branch(If::Unequal, S0, ZERO, -4 * (body.len() as i32 + 1)));
    thread.extend(assembly::call(number::EXIT, &[0]));
    let mut code = Vec::new();
    for _ in 0..3 {
        code.extend(start(&thread));
    }
    code.extend(&thread);
    let (one, other) = (run(code.clone()), run(code));
    assert_eq!(one.retired, other.retired);
    assert_eq!(one.scratch, other.scratch);
    assert!(one.word(SCRATCH) > 50_000);
}
