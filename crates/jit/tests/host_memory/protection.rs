//! Machine code is writable or executable, never both.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Blind, Limits, Stop};
use hart::Host;
use jit::Jit;

use crate::alone;
use crate::guest::{Code, DATA, program};

/// Looks at the host's memory whenever the machine asks whether to go on.
struct Looking<'a>(&'a AtomicBool);

impl Host for Looking<'_> {
    fn console(&mut self, _: &[u8]) {}

    fn keep_going(&mut self) -> bool {
        assert_separate();
        !self.0.swap(true, Ordering::Relaxed)
    }
}

/// Permissions of the process's mappings without a file.
fn anonymous() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a Linux host");
    maps.lines()
        .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>())
        .filter(|fields| fields.len() == 5)
        .map(|fields| fields[1].to_owned())
        .collect()
}

fn assert_separate() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a Linux host");
    let both = maps.lines().find(|line| {
        let rights = line.split_ascii_whitespace().nth(1).unwrap_or_default();
        rights.contains('w') && rights.contains('x')
    });
    assert_eq!(both, None);
    anonymous().iter().filter(|rights| rights.contains('x')).count()
}

#[test]
fn nothing_is_writable_and_executable() {
    alone("protection::nothing_is_writable_and_executable", executes_what_is_not_writable);
}

fn executes_what_is_not_writable() {
    let program = program("rv64i");
    let before = assert_separate();
    // Blocks enough for several regions, compiled while others have been executed.
    let mut code = Code::new(&program);
    for _ in 0..400 {
        code = code.sw(6, 0, 5).op("JAL", &[("imm", 4)]);
    }
    let mut machine = code.op("JAL", &[("imm", -3200 + (1 << 11))]).machine();
    machine.hart.set_x(5, DATA);
    machine.set_compiler(Box::new(Jit::new().after(0)));
    for limit in (1..40).map(|part| part * 100) {
        let limits = Limits { instructions: Some(limit) };
        let seen = AtomicBool::new(false);
        let stop = machine.run(limits, &mut Blind, &mut Looking(&seen));
        assert_eq!(stop, Stop::InstructionLimit);
        assert_separate();
    }
    let seen = AtomicBool::new(false);
    assert_eq!(machine.run(Limits::default(), &mut Blind, &mut Looking(&seen)), Stop::Interrupted);
    assert!(assert_separate() > before, "nothing was compiled");
}
