use std::collections::BTreeMap;

use isa::operands::Class;

use super::{InOrder, PARAMETERS, State};
use crate::core::{Cause, Core, Event, Spent};
use crate::instruction::{Flow, Instruction};
use crate::machine::{Machine, MachineError, Parameter};

fn machine(given: &[(&str, i64)]) -> Machine {
    let usual = [
        ("load", 2),
        ("multiply", 3),
        ("divide", 10),
        ("cryptography", 1),
        ("custom", 4),
        ("system", 5),
        ("taken", 1),
        ("mispredicted", 3),
        ("predictor_entries", 0),
        ("return_stack", 1),
        ("instruction_cache", 0),
        ("instruction_ways", 1),
        ("data_cache", 0),
        ("data_ways", 1),
    ];
    let numbers = usual.iter().chain(given).map(|(name, it)| ((*name).to_owned(), Parameter::Number(*it)));
    let mut parameters: BTreeMap<_, _> = numbers.collect();
    parameters.insert("predictor".to_owned(), Parameter::Name("backward".to_owned()));
    Machine { core: "in-order".to_owned(), memory_latency: 1, parameters, memory: None }
}

fn plain(class: Class, writes: u8, reads: &[u8]) -> Instruction {
    Instruction {
        pc: 0x1000,
        word: 0,
        length: 4,
        rv32: false,
        mnemonic: "add".to_owned(),
        class,
        reads: reads.to_vec(),
        writes: Some(writes),
        loads: 0,
        stores: 0,
        accesses: 0,
        flow: Flow::Next,
        link: None,
        words: 0,
        shift: None,
    }
}

fn load(writes: u8) -> Instruction {
    Instruction { loads: 8, accesses: 1, words: 1, ..plain(Class::Load, writes, &[]) }
}

fn branch(target: u64) -> Instruction {
    Instruction {
        mnemonic: "beq".to_owned(),
        flow: Flow::Branch(target),
        writes: None,
        ..plain(Class::Branch, 1, &[])
    }
}

/// Cycles of instructions that follow each other, with their words and where each leads.
fn cycles(machine: &Machine, instructions: &[(Instruction, &[u64], u64)]) -> Result<Spent, MachineError> {
    let mut core = InOrder::new(machine)?;
    let (mut state, mut spent) = (State::default(), Spent::default());
    for (instruction, words, next) in instructions {
        let op = core.prepare(instruction, false);
        let outcome = if core.watches(&op) { core.look(&op, &Event { words, next: *next }) } else { 0 };
        core.issue(&mut state, &op, outcome, &mut spent);
    }
    Ok(spent)
}

fn count(given: &[(&str, i64)], instructions: &[Instruction]) -> u64 {
    let each: Vec<(Instruction, &[u64], u64)> =
        instructions.iter().map(|it| (it.clone(), &[0x8000][..it.words], it.fall_through())).collect();
    cycles(&machine(given), &each).map_or(0, |spent| spent.cycles())
}

#[test]
fn results_are_waited_for() {
    let uses = |register| plain(Class::Alu, 9, &[register]);
    assert_eq!(count(&[], &[uses(1), uses(2)]), 2);
    assert_eq!(count(&[], &[load(5), uses(5)]), 3);
    assert_eq!(count(&[], &[load(5), uses(6), uses(5)]), 3);
    assert_eq!(count(&[], &[plain(Class::Mul, 5, &[]), uses(5)]), 4);
    assert_eq!(count(&[], &[plain(Class::Custom, 5, &[]), uses(5)]), 5);
    // One register after the other, in order.
    assert_eq!(count(&[], &[load(5), plain(Class::Alu, 5, &[])]), 3);
    // The divider takes one at a time, the multiplier one a cycle.
    assert_eq!(count(&[], &[plain(Class::Div, 5, &[]), plain(Class::Div, 6, &[])]), 11);
    assert_eq!(count(&[], &[plain(Class::Mul, 5, &[]), plain(Class::Mul, 6, &[])]), 2);
    assert_eq!(count(&[], &[plain(Class::Csr, 5, &[]), uses(6)]), 6);
}

#[test]
fn a_push_takes_a_cycle_for_each_register() {
    let push = |accesses| Instruction { stores: 4, accesses, words: 1, ..plain(Class::Store, 2, &[2, 1, 8]) };
    assert_eq!(count(&[], &[push(1)]), 1);
    assert_eq!(count(&[], &[push(13)]), 13);
    // A read and a write of one place are one access.
    let swap = Instruction { loads: 8, accesses: 2, ..push(2) };
    assert_eq!(count(&[], &[swap]), 1);
}

#[test]
fn a_return_that_loads_its_address_is_foreseen() -> Result<(), MachineError> {
    let call = Instruction { flow: Flow::Jump(0x2000), link: Some(1), ..plain(Class::Jump, 1, &[]) };
    let pop = Instruction { loads: 4, accesses: 2, words: 1, ..plain(Class::Jump, 1, &[2]) };
    let back = Instruction { flow: Flow::Indirect, ..pop };
    let both = [(call, &[][..], 0x2000), (back.clone(), &[0x8000][..], 0x1004)];
    let alone = [(back, &[0x8000][..], 0x1004)];
    let [with, without] = [cycles(&machine(&[]), &both)?, cycles(&machine(&[]), &alone)?];
    assert_eq!((with.on(Cause::Branch), without.on(Cause::Branch)), (2, 3));
    Ok(())
}

#[test]
fn transfers_cost_what_the_file_says() -> Result<(), MachineError> {
    let taken =
        |target, next| cycles(&machine(&[]), &[(branch(target), &[], next)]).map(|spent| spent.cycles());
    // Backward branches are expected to be taken.
    assert_eq!([taken(0xf00, 0xf00)?, taken(0xf00, 0x1004)?], [2, 4]);
    assert_eq!([taken(0x1100, 0x1100)?, taken(0x1100, 0x1004)?], [4, 1]);
    let call = Instruction { flow: Flow::Jump(0x2000), link: Some(1), ..plain(Class::Jump, 1, &[]) };
    let back = Instruction { flow: Flow::Indirect, writes: None, ..plain(Class::Jump, 0, &[1]) };
    let both = [(call, &[][..], 0x2000), (back.clone(), &[][..], 0x1004)];
    assert_eq!(cycles(&machine(&[]), &both)?.cycles(), 4);
    assert_eq!(cycles(&machine(&[]), &[(back, &[], 0x1004)])?.cycles(), 4);
    Ok(())
}

#[test]
fn memory_is_waited_for_with_a_cache_once() -> Result<(), MachineError> {
    let slow = Machine { memory_latency: 20, ..machine(&[("data_cache", 128), ("instruction_cache", 64)]) };
    let at = |address: &'static [u64]| (load(5), address, 0x1004);
    // A miss: the latency, and eight transfers; lines 0 and 128 share a set of the two.
    let spent = cycles(&slow, &[at(&[0]), at(&[8]), at(&[64]), at(&[128]), at(&[0])])?;
    assert_eq!((spent.on(Cause::Data), spent.on(Cause::Issue)), (4 * 28, 5));
    let none = Machine { memory_latency: 20, ..machine(&[]) };
    let spent = cycles(&none, &[at(&[0]), at(&[8])])?;
    assert_eq!((spent.on(Cause::Data), spent.on(Cause::Fetch)), (2 * 19, 2 * 19));
    Ok(())
}

#[test]
fn what_is_written_wrong_is_refused() {
    let refused = |given: &[(&str, i64)]| InOrder::new(&machine(given)).err().map(|error| error.to_string());
    let is_refused = |name, value| refused(&[(name, value)]).is_some_and(|said| said.contains(name));
    assert!(refused(&[]).is_none());
    for (name, value) in
        [("load", 0), ("load", 1001), ("divide", -1), ("data_cache", 100), ("data_cache", 3 << 6)]
    {
        assert!(is_refused(name, value), "{name} {value}");
    }
    assert!(is_refused("loads", 1));
    // Files from before there were serial shifters have none.
    for name in PARAMETERS.iter().filter(|name| **name != "shift_bits") {
        let mut without = machine(&[]);
        without.parameters.remove(*name);
        assert!(InOrder::new(&without).is_err(), "{name}");
    }
}

/// Cycles of one shift by a constant, or by a register that holds `amount`.
fn shifted(bits: i64, shift: Option<u8>, amount: u64, mnemonic: &str) -> u64 {
    let mut core = InOrder::new(&machine(&[("shift_bits", bits)])).expect("a machine");
    let words = if shift.is_some() { 0 } else { 2 };
    let instruction =
        Instruction { shift, words, mnemonic: mnemonic.to_owned(), ..plain(Class::Shift, 5, &[6, 7]) };
    let op = core.prepare(&instruction, false);
    let event = [1, amount];
    let event = Event { words: if shift.is_some() { &[] } else { &event }, next: 0x1004 };
    let outcome = if core.watches(&op) { core.look(&op, &event) } else { 0 };
    let mut spent = Spent::default();
    core.issue(&mut State::default(), &op, outcome, &mut spent);
    spent.cycles()
}

#[test]
fn a_serial_shifter_takes_as_long_as_it_shifts() {
    for (bits, shift, amount, mnemonic, cycles) in [
        (0, None, 63, "sll", 1),
        (1, None, 0, "sll", 1),
        (1, None, 17, "sll", 18),
        (4, None, 17, "sll", 6),
        (1, None, 64 + 3, "srl", 4),
        (1, None, 32 + 3, "srlw", 4),
        (1, Some(9), 0, "slli", 10),
        (8, Some(9), 0, "slli", 3),
        (64, Some(63), 0, "slli", 2),
    ] {
        assert_eq!(
            shifted(bits, shift, amount, mnemonic),
            cycles,
            "{mnemonic} by {shift:?}, {amount}, {bits} per cycle"
        );
    }
    assert!(InOrder::new(&machine(&[("shift_bits", 65)])).is_err());
}
