//! Histograms and profiles, of runs paused anywhere.

use engine::observer::Flow;
use engine::{Limits, Machine, Observer, Program, Stop, block::Cache};
use hart::{Address, System};
use jit::Jit;

use crate::guest::{BASE, Code, DATA, Screen, program};

struct Profiling;

impl Observer for Profiling {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}

/// Two nested loops with a store and a call, then a fault.
fn nested(program: &Program) -> Machine<'_> {
    let mut machine = Code::new(program)
        .addi(5, 0, 7)
        .addi(6, 0, 9)
        .sw(6, 0, 8)
        .op("JAL", &[("rd", 1), ("imm", 24)])
        .addi(6, 6, -1)
        .op("BNE", &[("rs1", 6), ("rs2", 0), ("imm", -12)])
        .addi(5, 5, -1)
        .op("BNE", &[("rs1", 5), ("rs2", 0), ("imm", -24)])
        .sw(6, 0, 0)
        .addi(7, 7, 1)
        .op("JALR", &[("rs1", 1)])
        .machine();
    machine.hart.set_x(8, DATA);
    machine
}

#[test]
fn what_is_counted_does_not_depend_on_the_tier() {
    let program = program("rv64i");
    for pause in 0..470 {
        let (mut interpreted, mut compiled) = (nested(&program), nested(&program));
        compiled.set_compiler(Box::new(Jit::new().after(pause as u32 % 4)));
        for limit in [pause, 1000] {
            let limits = Limits { instructions: Some(limit) };
            let expected = interpreted.run(limits, &mut Profiling, &mut Screen::default());
            assert_eq!(compiled.run(limits, &mut Profiling, &mut Screen::default()), expected);
            assert_eq!(compiled.hart.retired(), interpreted.hart.retired());
            assert_eq!(compiled.histogram(), interpreted.histogram(), "paused at {pause}");
            assert_eq!(compiled.profile(), interpreted.profile(), "paused at {pause}");
        }
    }
}

/// Stops at every other visit of two addresses.
struct Stopping([Address; 2], Vec<(usize, u64)>);

impl Observer for Stopping {
    fn probes(&self) -> impl Iterator<Item = Address> {
        self.0.into_iter()
    }

    fn reached(&mut self, index: usize, system: &System, _: &Cache) -> Flow {
        self.1.push((index, system.hart.retired()));
        if self.1.len().is_multiple_of(2) { Flow::Stop } else { Flow::Continue }
    }
}

#[test]
fn every_visit_of_a_probe_is_seen() {
    let program = program("rv64i");
    let visits = |compile: bool| {
        let mut machine = nested(&program);
        if compile {
            machine.set_compiler(Box::new(Jit::new().after(0)));
        }
        let mut observer = Stopping([Address(BASE + 16), Address(BASE + 36)], Vec::new());
        while machine.run(Limits { instructions: Some(5000) }, &mut observer, &mut Screen::default())
            == Stop::Observed
        {}
        observer.1
    };
    let seen = visits(true);
    assert!(seen.len() > 100);
    assert_eq!(seen, visits(false));
}

#[test]
fn each_of_two_observers_sees_its_own_probes() {
    let program = program("rv64i");
    let watch =
        |first: u64, second: u64| Stopping([Address(BASE + first), Address(BASE + second)], Vec::new());
    let mut alone = nested(&program);
    let mut one = watch(16, 36);
    while alone.run(Limits::default(), &mut one, &mut Screen::default()) == Stop::Observed {}
    let mut together = nested(&program);
    together.set_compiler(Box::new(Jit::new().after(0)));
    let mut pair = (watch(16, 36), (watch(36, 20), Profiling));
    while together.run(Limits::default(), &mut pair, &mut Screen::default()) == Stop::Observed {}
    let (one_of_pair, (other, _)) = pair;
    assert_eq!(one_of_pair.1, one.1);
    let times = |seen: &Stopping, index| seen.1.iter().filter(|visit| visit.0 == index).count();
    assert_eq!(times(&other, 0), times(&one, 1));
    assert!(times(&other, 1) > 10);
    assert_eq!(together.hart.retired(), alone.hart.retired());
    assert!(together.profile().contains_key(&(BASE + 36)));
}
