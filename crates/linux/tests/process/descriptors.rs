//! Pipes, event counters, polls.

use linux::Ending;

use crate::script::{SCRATCH, Script, number};

const NONBLOCK: u64 = 0o4000;
const EAGAIN: i64 = -11;

#[test]
fn a_pipe_gives_what_was_put_in_and_then_its_end() {
    let mut script = Script::new();
    let text = script.text("through the pipe");
    script.call(number::PIPE2, &[SCRATCH, NONBLOCK]);
    script.call(number::WRITE, &[4, text, 16]);
    script.call(number::READ, &[3, SCRATCH + 16, 7]);
    script.call(number::READ, &[3, SCRATCH + 32, 100]);
    script.call(number::READ, &[3, SCRATCH + 32, 100]);
    script.call(number::CLOSE, &[4]);
    script.call(number::READ, &[3, SCRATCH + 64, 100]);
    let outcome = script.run();
    assert_eq!(outcome.results, [0, 16, 7, 9, EAGAIN, 0, 0]);
    assert_eq!(outcome.scratch.expect("scratch")[16..41], *b"through\0\0\0\0\0\0\0\0\0 the pipe");
}

#[test]
fn a_pipe_holds_64_kib() {
    let mut script = Script::new();
    script.call(number::PIPE2, &[SCRATCH, NONBLOCK]);
    let writes: Vec<usize> = (0..5).map(|_| script.call(number::WRITE, &[4, SCRATCH, 0x4000])).collect();
    script.call(number::WRITE, &[4, SCRATCH, 1]);
    let results = script.run().results;
    assert_eq!(
        writes.iter().map(|&index| results[index]).collect::<Vec<_>>(),
        [0x4000, 0x4000, 0x4000, 0x4000, EAGAIN]
    );
    assert_eq!(results[6], EAGAIN);
}

#[test]
fn writing_to_a_pipe_without_reader_kills() {
    let mut script = Script::new();
    script.call(number::PIPE2, &[SCRATCH, 0]);
    script.call(number::CLOSE, &[3]);
    script.call(number::WRITE, &[4, SCRATCH, 1]);
    assert_eq!(script.run().ending, Ending::Killed(linux::Signal::SIGPIPE));
}

#[test]
fn an_event_counter_counts() {
    let mut script = Script::new();
    let three = script.words(&[3]);
    script.call(number::EVENTFD2, &[2, NONBLOCK]);
    script.call(number::WRITE, &[3, three, 8]);
    script.call(number::READ, &[3, SCRATCH, 8]);
    script.call(number::READ, &[3, SCRATCH + 8, 8]);
    script.call(number::READ, &[3, SCRATCH, 4]);
    // As a semaphore.
    script.call(number::EVENTFD2, &[2, NONBLOCK | 1]);
    script.call(number::READ, &[4, SCRATCH + 8, 8]);
    let outcome = script.run();
    assert_eq!(outcome.results, [3, 8, 8, EAGAIN, -22, 4, 8]);
    assert_eq!((outcome.word(SCRATCH), outcome.word(SCRATCH + 8)), (5, 1));
}

#[test]
fn polls_tell_what_is_ready() {
    let mut script = Script::new();
    script.call(number::PIPE2, &[SCRATCH, 0]);
    // Reader for input, writer for output, a number that is not open.
    let entries = script.words(&[3 | 1 << 32, 4 | 4 << 32, 77 | 1 << 32]);
    let now = script.words(&[0, 0]);
    let poll = script.call(number::PPOLL, &[entries, 3, now, 0, 8]);
    script.call(number::WRITE, &[4, SCRATCH, 1]);
    let second = script.call(number::PPOLL, &[entries, 1, now, 0, 8]);
    let epoll = script.call(number::EPOLL_CREATE1, &[0]);
    let event = script.words(&[1, 0x1234_5678_9abc]);
    let added = script.call(number::EPOLL_CTL, &[5, 1, 3, event]);
    let again = script.call(number::EPOLL_CTL, &[5, 1, 3, event]);
    let itself = script.call(number::EPOLL_CTL, &[5, 1, 5, event]);
    let waited = script.call(number::EPOLL_PWAIT, &[5, SCRATCH + 64, 8, 0, 0, 8]);
    let removed = script.call(number::EPOLL_CTL, &[5, 2, 3, event]);
    let empty = script.call(number::EPOLL_PWAIT, &[5, SCRATCH + 64, 8, 10, 0, 8]);
    let outcome = script.run();
    assert_eq!(outcome.word(entries) >> 48, 1);
    assert_eq!(outcome.word(entries + 8) >> 48, 4);
    assert_eq!(outcome.word(entries + 16) >> 48, 32);
    let expected = [
        (poll, 2),
        (second, 1),
        (epoll, 5),
        (added, 0),
        (again, -17),
        (itself, 0),
        (waited, 1),
        (removed, 0),
        (empty, 0),
    ];
    for (index, expected) in expected {
        assert_eq!(outcome.results[index], expected, "call {index}");
    }
    assert_eq!((outcome.word(SCRATCH + 64), outcome.word(SCRATCH + 72)), (1, 0x1234_5678_9abc));
}

#[test]
fn descriptors_are_numbered_from_the_lowest_and_bounded() {
    let mut script = Script::new();
    let dups: Vec<usize> = (0..1100).map(|_| script.call(number::DUP, &[1])).collect();
    let replaced = script.call(number::DUP3, &[1, 1024, 0]);
    let results = script.run().results;
    assert_eq!(results[dups[0]], 3);
    assert_eq!(results[dups[1020]], 1023);
    assert_eq!(results[dups[1021]], -24);
    assert_eq!(results[replaced], -9);
}
