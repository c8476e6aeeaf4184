//! Timed runs: what an observer is told of, in order and in time.

use engine::native::Marker;
use engine::observer::Observer;
use engine::timed::Record;
use engine::{Limits, Stop, block::Cache};
use hart::system::System;
use hart::{Address, Htif};
use isa::InstructionId;

use crate::guest::{BASE, Code, DATA, Screen, program};

/// Three cycles an instruction; addresses of those told of, and cycles at each marker.
#[derive(Default)]
struct Slow {
    told: Vec<u64>,
    marked: Vec<u64>,
}

impl Observer for Slow {
    const TIMED: bool = true;

    fn executed(&mut self, record: &Record<'_>) {
        self.told.extend(record.block.decoded[..record.retired].iter().map(|decoded| decoded.pc));
    }

    fn cycles(&self) -> u64 {
        3 * self.told.len() as u64
    }

    fn marked(&mut self, _: Marker, _: InstructionId, system: &System, _: &Cache) {
        self.marked.push(system.hart.clock(0).cycle);
    }
}

fn run(code: Code<'_>, limit: u64) -> (Stop, Slow, u64) {
    let mut machine = code.machine_with(Htif::new(Some(Address(DATA)), Some(Address(DATA + 64))));
    machine.hart.set_x(6, DATA);
    let (mut slow, mut screen) = (Slow::default(), Screen::default());
    let stop = machine.run(Limits { instructions: Some(limit) }, &mut slow, &mut screen);
    (stop, slow, machine.hart.x(10))
}

#[test]
fn a_fence_of_fetches_after_a_write_to_the_host_loses_nothing() {
    let program = program("rv64i_zifencei");
    let code = Code::new(&program).nops(1).op("SD", &[("rs2", 0), ("rs1", 6)]).op("FENCE__I", &[]).nops(2);
    let (_, slow, _) = run(code, 5);
    assert_eq!(slow.told, [0, 4, 8, 12, 16].map(|offset| BASE + offset));
}

#[test]
fn a_guest_reads_the_cycles_of_what_came_before() {
    let program = program("rv64i_zicsr_zicntr");
    let (_, slow, read) = run(Code::new(&program).nops(4).csrr(10, 0xb00).nops(1), 6);
    assert_eq!((slow.told.len(), read), (6, 12));
}

#[test]
fn a_marker_is_told_after_what_came_before() {
    let program = program("rv64i_xm5ops");
    let (_, slow, _) = run(Code::new(&program).nops(3).op("M5_RESET_STATS", &[]).nops(1), 5);
    assert_eq!(slow.marked, [12]);
}

#[test]
fn what_traps_is_not_told_of() {
    let program = program("rv64i");
    let (stop, slow, _) = run(Code::new(&program).nops(2).word(0), 9);
    assert!(matches!(stop, Stop::Fault(_)));
    assert_eq!(slow.told, [BASE, BASE + 4]);
}
