//! Signals: handlers, masks, waiting for them, timers.

use isa::Xlen;
use linux::{Ending, Signal};

use crate::assembly::{self, A0, A7, EBREAK, S0, SP, T0, T1, ZERO};
use crate::script::{CODE, SCRATCH, Script, number};

const XLEN: Xlen = Xlen::Rv64;
const USR1: i32 = 10;
const SEGV: i32 = 11;
const ALRM: i32 = 14;
const THREAD_ITSELF: [i32; 2] = [100, 100];
const ON_STACK: u64 = 0x0800_0000;
const NO_DEFER: u64 = 0x4000_0000;

/// A program with a handler at its start, which the main part jumps over.
struct Program {
    script: Script,
    handler: Vec<u32>,
    main: Vec<u32>,
}

impl Program {
    /// The handler's code; it returns afterwards.
    fn new(handler: &[u32]) -> Self {
        let mut handler = handler.to_vec();
        handler.push(assembly::jalr(ZERO, 1));
        Self { script: Script::new(), handler, main: Vec::new() }
    }

    /// Address of the handler: after a jump.
    const HANDLER: u64 = CODE + 4;

    fn catch(&mut self, signal: i32, flags: u64) {
        let action = self.script.words(&[Self::HANDLER, flags, 0]);
        self.call(number::RT_SIGACTION, &[signal, action as i32, 0, 8]);
    }

    fn call(&mut self, number: u64, arguments: &[i32]) {
        self.main.extend(assembly::call(number, arguments));
    }

    /// Stores `a0` at an offset of the scratch memory.
    fn keep(&mut self, offset: i32) {
        self.main.extend(assembly::load_immediate(T0, SCRATCH as i32));
        self.main.push(assembly::store(XLEN, A0, T0, offset));
    }

    fn run(mut self) -> crate::script::Outcome {
        self.call(number::EXIT_GROUP, &[0]);
        let over = 4 * (self.handler.len() as i32 + 1);
        let code = [vec![assembly::jal(ZERO, over)], self.handler, self.main].concat();
        Script { code: Some(code), ..self.script }.run()
    }
}

/// Adds one to the word at SCRATCH.
fn count() -> Vec<u32> {
    let mut code = assembly::load_immediate(T0, SCRATCH as i32);
    code.extend([
        assembly::load(XLEN, T1, T0, 0),
        assembly::addi(T1, T1, 1),
        assembly::store(XLEN, T1, T0, 0),
    ]);
    code
}

#[test]
fn a_handler_runs_and_the_program_goes_on() {
    let mut program = Program::new(&count());
    program.catch(USR1, 0);
    program.main.extend(assembly::load_immediate(S0, 1234));
    program.call(number::TGKILL, &[THREAD_ITSELF[0], THREAD_ITSELF[1], USR1]);
    program.keep(8);
    program.main.extend([assembly::addi(A0, S0, 0)]);
    program.keep(16);
    let outcome = program.run();
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert_eq!([0, 8, 16].map(|offset| outcome.word(SCRATCH + offset)), [1, 0, 1234]);
}

#[test]
fn a_signal_without_handler_kills() {
    let mut script = Script::new();
    script.call(number::KILL, &[100, 15]);
    assert_eq!(script.run().ending, Ending::Killed(Signal::SIGTERM));
}

#[test]
fn a_handler_of_a_fault_may_mend_it() {
    // The handler moves the saved program counter past the instruction.
    let registers = 128 + 16 + 24 + 128 + 8;
    let handler = [
        assembly::load(XLEN, T0, SP, registers),
        assembly::addi(T0, T0, 4),
        assembly::store(XLEN, T0, SP, registers),
        assembly::load(XLEN, T1, 11, 16),
    ];
    let mut handler = handler.to_vec();
    handler.extend(assembly::load_immediate(T0, SCRATCH as i32));
    handler.push(assembly::store(XLEN, T1, T0, 0));
    let mut program = Program::new(&handler);
    program.catch(SEGV, 4);
    program.main.extend([assembly::store(XLEN, ZERO, ZERO, 0x123)]);
    let outcome = program.run();
    assert_eq!(outcome.ending, Ending::Exit(0));
    // si_addr.
    assert_eq!(outcome.word(SCRATCH), 0x123);
}

#[test]
fn an_odd_address_to_return_to_loses_its_lowest_bits() {
    // As `sepc` drops them: the handler moves the saved program counter by 4 and sets them.
    let registers = 128 + 16 + 24 + 128 + 8;
    let handler = [
        assembly::load(XLEN, T0, SP, registers),
        assembly::addi(T0, T0, 4 + 3),
        assembly::store(XLEN, T0, SP, registers),
    ];
    let mut program = Program::new(&handler);
    program.catch(SEGV, 4);
    program.main.extend([assembly::store(XLEN, ZERO, ZERO, 0x123)]);
    assert_eq!(program.run().ending, Ending::Exit(0));
}

#[test]
fn a_handler_has_the_alternate_stack() {
    let mut handler = assembly::load_immediate(T0, SCRATCH as i32);
    handler.push(assembly::store(XLEN, SP, T0, 0));
    let mut program = Program::new(&handler);
    let stack = program.script.put(&[0; 0x2000]);
    let description = program.script.words(&[stack, 0, 0x2000]);
    program.call(132, &[description as i32, 0]);
    program.catch(SEGV, ON_STACK);
    // Without a stack of its own.
    program.main.push(assembly::addi(SP, ZERO, 0));
    program.call(number::TGKILL, &[THREAD_ITSELF[0], THREAD_ITSELF[1], SEGV]);
    let outcome = program.run();
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert!((stack..stack + 0x2000).contains(&outcome.word(SCRATCH)));
}

#[test]
fn no_stack_for_a_handler_kills() {
    let mut program = Program::new(&[]);
    program.catch(SEGV, 0);
    program.main.push(assembly::addi(SP, ZERO, 0));
    program.main.push(EBREAK);
    let outcome = program.run();
    // The breakpoint has no handler; a signal that has one finds no stack.
    assert!(matches!(outcome.ending, Ending::Fault(_)));
    let mut program = Program::new(&[]);
    program.catch(SEGV, 0);
    program.main.push(assembly::addi(SP, ZERO, 0));
    program.call(number::TGKILL, &[THREAD_ITSELF[0], THREAD_ITSELF[1], SEGV]);
    assert_eq!(program.run().ending, Ending::Killed(Signal::SIGSEGV));
}

#[test]
fn a_handler_that_faults_again_and_again_ends() {
    for flags in [NO_DEFER, NO_DEFER | ON_STACK, 0] {
        let mut program = Program::new(&[EBREAK]);
        let stack = program.script.put(&[0; 0x2000]);
        let description = program.script.words(&[stack, 0, 0x2000]);
        program.call(132, &[description as i32, 0]);
        program.catch(5, flags);
        program.main.push(EBREAK);
        let outcome = program.run();
        assert!(matches!(outcome.ending, Ending::Killed(_) | Ending::Fault(_)), "{:?}", outcome.ending);
    }
}

#[test]
fn a_return_from_no_handler_to_itself_meets_the_limit() {
    // A frame that returns to the very call, which retires nothing.
    let mut script = Script::new();
    let frame = script.put(&[0; 2048]);
    let mut code = assembly::load_immediate(SP, frame as i32);
    code.push(assembly::addi(A7, ZERO, number::RT_SIGRETURN as i32));
    let call = CODE + 4 * code.len() as u64;
    code.push(assembly::ECALL);
    let registers = (frame - SCRATCH) as usize + 128 + 16 + 24 + 128 + 8;
    for (register, value) in [(0, call), (SP, frame), (A7, number::RT_SIGRETURN)] {
        script.scratch[registers + 8 * usize::from(register)..][..8].copy_from_slice(&value.to_le_bytes());
    }
    let outcome = Script { code: Some(code), limit: Some(10_000), ..script }.run();
    assert_eq!(outcome.ending, Ending::InstructionLimit);
}

#[test]
fn a_blocked_signal_waits() {
    let mut program = Program::new(&count());
    let mask = program.script.words(&[1 << (USR1 - 1)]) as i32;
    program.catch(USR1, 0);
    program.call(number::RT_SIGPROCMASK, &[0, mask, 0, 8]);
    program.call(number::KILL, &[100, USR1]);
    program.call(number::KILL, &[100, USR1]);
    program.call(number::RT_SIGPENDING, &[SCRATCH as i32 + 8, 8]);
    program.main.extend(assembly::load_immediate(T0, SCRATCH as i32));
    program.main.push(assembly::load(XLEN, A0, T0, 0));
    program.keep(16);
    program.call(number::RT_SIGPROCMASK, &[1, mask, 0, 8]);
    let outcome = program.run();
    assert_eq!([0, 8, 16].map(|offset| outcome.word(SCRATCH + offset)), [1, 1 << (USR1 - 1), 0]);
}

#[test]
fn a_suspended_thread_gets_its_mask_back() {
    let mut program = Program::new(&count());
    let all = program.script.words(&[u64::MAX]) as i32;
    let none = program.script.words(&[0]) as i32;
    program.catch(USR1, 0);
    program.call(number::RT_SIGPROCMASK, &[2, all, 0, 8]);
    program.call(number::KILL, &[100, USR1]);
    program.call(number::RT_SIGSUSPEND, &[none, 8]);
    program.keep(8);
    program.call(number::RT_SIGPROCMASK, &[0, 0, SCRATCH as i32 + 16, 8]);
    let outcome = program.run();
    let unblockable = 1 << 8 | 1 << 18;
    assert_eq!([0, 8, 16].map(|offset| outcome.word(SCRATCH + offset)), [1, -4i64 as u64, !unblockable]);
}

#[test]
fn a_poll_may_unblock_a_signal_meanwhile() {
    let mut program = Program::new(&count());
    let all = program.script.words(&[u64::MAX]) as i32;
    let none = program.script.words(&[0]) as i32;
    let timer = program.script.words(&[0, 0, 0, 5000]) as i32;
    program.catch(ALRM, 0x1000_0000);
    program.call(number::RT_SIGPROCMASK, &[2, all, 0, 8]);
    program.call(number::SETITIMER, &[0, timer, 0]);
    program.call(number::PPOLL, &[0, 0, 0, none, 8]);
    program.keep(8);
    program.call(number::RT_SIGPROCMASK, &[0, 0, SCRATCH as i32 + 16, 8]);
    let outcome = program.run();
    let unblockable = 1 << 8 | 1 << 18;
    // Once, though the action restarts system calls: a poll never is.
    assert_eq!([0, 8, 16].map(|offset| outcome.word(SCRATCH + offset)), [1, -4i64 as u64, !unblockable]);
}

#[test]
fn a_timer_strikes_again_and_again() {
    let mut program = Program::new(&count());
    let every = program.script.words(&[0, 1000, 0, 1000]) as i32;
    let sleep = program.script.words(&[0, 2_500_000]) as i32;
    program.catch(ALRM, 0);
    program.call(number::SETITIMER, &[0, every, 0]);
    for _ in 0..3 {
        program.call(number::NANOSLEEP, &[sleep, 0]);
    }
    program.keep(8);
    let outcome = program.run();
    assert_eq!((outcome.word(SCRATCH), outcome.word(SCRATCH + 8)), (3, -4i64 as u64));
}

#[test]
fn waiting_for_a_signal_takes_one_sent_to_the_process() {
    let mut script = Script::new();
    let set = script.words(&[1 << (USR1 - 1) | 1 << (ALRM - 1)]);
    let timer = script.words(&[0, 0, 0, 5000]);
    let short = script.words(&[0, 1000]);
    script.call(number::RT_SIGPROCMASK, &[0, set, 0, 8]);
    script.call(number::KILL, &[100, USR1 as u64]);
    script.call(number::RT_SIGTIMEDWAIT, &[set, SCRATCH, 0, 8]);
    script.call(number::SETITIMER, &[0, timer, 0]);
    script.call(number::RT_SIGTIMEDWAIT, &[set, 0, 0, 8]);
    script.call(number::RT_SIGTIMEDWAIT, &[set, 0, short, 8]);
    let outcome = script.run();
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert_eq!(outcome.results, [0, 0, USR1.into(), 0, ALRM.into(), -11]);
}

#[test]
fn a_signal_to_the_process_finds_the_thread_that_waits_for_it() {
    // The first thread blocks it and waits for ever; the second, made with the same mask, waits for it.
    let mut script = Script::new();
    let set = script.words(&[1 << (USR1 - 1)]) as i32;
    let timer = script.words(&[0, 0, 0, 5000]) as i32;
    let alarm = script.words(&[1 << (ALRM - 1)]) as i32;
    let mut thread = assembly::call(number::RT_SIGTIMEDWAIT, &[set, 0, 0, 8]);
    thread.extend(assembly::call(number::EXIT_GROUP, &[5]));
    let mut code = assembly::call(number::RT_SIGPROCMASK, &[0, set, 0, 8]);
    code.extend(assembly::call(number::RT_SIGPROCMASK, &[0, alarm, 0, 8]));
    code.extend(assembly::call(number::CLONE, &[0x5_0f00, 0, 0, 0, 0]));
    code.push(assembly::branch(assembly::If::Unequal, A0, ZERO, 4 * (thread.len() as i32 + 1)));
    code.extend(thread);
    code.extend(assembly::call(number::SCHED_YIELD, &[]));
    code.extend(assembly::call(number::SETITIMER, &[0, timer, 0]));
    code.extend(assembly::call(number::KILL, &[100, USR1]));
    code.extend(assembly::call(number::FUTEX, &[SCRATCH as i32, 0, 0, 0]));
    let outcome = Script { code: Some(code), ..script }.run();
    assert_eq!(outcome.ending, Ending::Exit(5));
}
