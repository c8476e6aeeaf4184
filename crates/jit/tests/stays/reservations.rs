//! Reservations: pairs of `lr` and `sc`, and halves of such pairs, among other accesses.

use engine::{Machine, Program, Stop};
use hart::csr::{Clock, number};
use hart::pages::PAGE;
use hart::{Address, Htif};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::effort::{effort, runner};
use crate::guest::{BASE, Code, DATA, SIZE, encode, program};
use crate::layouts::Layout;
use crate::pair::Pair;

/// Programs of each width.
const CASES: u32 = 250;
/// Registers of addresses.
const BASES: [i64; 3] = [5, 6, 7];
/// Instructions that use reservations, and others that access memory.
const ACCESSES: [&str; 11] =
    ["LR__W", "SC__W", "LR__W", "SC__W", "LR__D", "SC__D", "AMOADD__W", "AMOSWAP__D", "SW", "SB", "LW"];

/// One instruction of a loop.
#[derive(Clone, Debug)]
pub enum Step {
    /// Which access, through which base, and of which data.
    Access(Index, usize, i64),
    /// The instruction under test, with these registers of an address.
    Own(usize, i64),
    /// A base moves.
    Move(usize, i64),
    /// Data changes.
    Count(i64, i64),
}

pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any::<Index>(), 0..3usize, 8..12i64).prop_map(|(which, base, data)| Step::Access(which, base, data)),
        3 => (0..3usize, 8..12i64).prop_map(|(base, data)| Step::Own(base, data)),
        1 => (0..3usize, select(&[-8, -4, -1, 1, 4, 8][..])).prop_map(|(base, delta)| Step::Move(base, delta)),
        1 => (8..12i64, -3..4i64).prop_map(|(data, delta)| Step::Count(data, delta)),
    ]
}

/// Words of a loop of these steps.
pub fn words(program: &Program, steps: &[Step], own: &str) -> Vec<u32> {
    let module = program.module();
    let known = |name: &&str| module.instructions.iter().any(|instruction| instruction.name == **name);
    let accesses: Vec<&str> = ACCESSES.into_iter().filter(known).collect();
    let access = |name: &str, base: i64, data: i64| match name {
        "LW" => encode(module, name, &[("rd", data), ("rs1", base)]),
        "SW" | "SB" => encode(module, name, &[("rs2", data), ("rs1", base)]),
        _ if name.starts_with("LR") => encode(module, name, &[("rd", data), ("rs1", base)]),
        _ => encode(module, name, &[("rd", data ^ 1), ("rs2", data), ("rs1", base)]),
    };
    let addi = |register: i64, imm: i64| {
        encode(module, "ADDI", &[("rd", register), ("rs1", register), ("imm", imm)])
    };
    let word = |step: &Step| match *step {
        Step::Access(which, base, data) => access(accesses[which.index(accesses.len())], BASES[base], data),
        Step::Own(base, data) => access(own, BASES[base], data),
        Step::Move(base, delta) => addi(BASES[base], delta),
        Step::Count(data, delta) => addi(data, delta),
    };
    let mut words: Vec<u32> = steps.iter().map(word).collect();
    words.push(encode(module, "JAL", &[("rd", 0), ("imm", -4 * words.len() as i64)]));
    words
}

/// Runs a program in both tiers, paused again and again; how often it faulted.
fn compare(program: &Program, layout: Layout, words: &[u32], x: &[u64], after: u32, parts: &[u64]) -> usize {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let machine = || {
        let htif = Htif::new(layout.tohost(), None);
        let mut machine = Machine::new(program, layout.memory(&code), Address(layout.code()), htif);
        for (register, value) in (5..).zip(x) {
            machine.hart.set_x(register, value & program.isa().xlen().mask());
        }
        machine.hart.csrs.write(number::MSTATUS.into(), 3 << 13, Clock::default()).expect("a register");
        machine
    };
    let mut pair = Pair::new(machine, 0..0, after);
    let mut faults = 0;
    for &part in parts {
        let stop = pair.run(part, || format!("{words:x?} {layout:x?}"));
        if matches!(stop, Stop::Fault(_)) {
            faults += 1;
            pair.skip();
        }
    }
    let contents = |machine: &mut Machine<'_>| layout.contents(&mut machine.memory);
    let same = contents(&mut pair.interpreted) == contents(&mut pair.compiled);
    assert!(same, "memory differs: {words:x?} {layout:x?}");
    faults
}

/// Random loops around what ends or begins in every layout of memory.
pub fn check(program: &Program, rv32: bool, own: &str, cases: u32, salt: u64) {
    let layouts = Layout::all(rv32);
    let case = (
        proptest::collection::vec(step(), 2..9),
        (any::<Index>(), any::<Index>(), select(&[-16, 0, 0, 8][..])),
        proptest::collection::vec(select(&[-8, -4, -4, 0, 0, 0, 0, 2, 4, 8][..]), 3),
        proptest::collection::vec(any::<u64>(), 4),
        0..3u32,
        proptest::collection::vec(1..40u64, 12),
    );
    let (mut faults, mut runs) = (0, 0);
    let counted = std::cell::RefCell::new((&mut faults, &mut runs));
    let outcome = runner(cases * effort(), salt).run(
        &case,
        |(steps, (layout, edge, near), offsets, data, after, parts)| {
            let layout = *layout.get(&layouts);
            let mut edges = layout.edges();
            edges.extend([layout.code() + 0x200; 6]);
            let around = edge.get(&edges).wrapping_add_signed(near);
            let bases = offsets.iter().map(|&offset| around.wrapping_add_signed(offset));
            let x: Vec<u64> = bases.chain(data).collect();
            let found = compare(program, layout, &words(program, &steps, own), &x, after, &parts);
            let mut counted = counted.borrow_mut();
            *counted.0 += usize::from(found > 0);
            *counted.1 += 1;
            Ok(())
        },
    );
    outcome.unwrap_or_else(|error| panic!("{own}: {error}"));
    assert!(faults * 8 > runs && faults < runs, "{faults} of {runs} programs fault");
}

#[test]
fn rv32_reservations_among_other_accesses() {
    check(&program("rv32ima_zicsr"), true, "SC__W", CASES, 1);
}

#[test]
fn rv64_reservations_among_other_accesses() {
    check(&program("rv64ima_zicsr"), false, "SC__D", CASES, 2);
}

/// A loop of these instructions and how often it goes round; the data pointer is x5, and four bytes after it x6.
fn hot<'p>(program: &'p Program, code: impl Fn(Code<'p>) -> Code<'p>) -> Pair<'p> {
    let machine = || {
        let code = code(Code::new(program)).addi(9, 9, 1);
        let back = BASE.wrapping_sub(code.here()) as i64;
        let mut machine = code.op("JAL", &[("imm", back)]).machine();
        machine.hart.set_x(5, DATA);
        machine.hart.set_x(6, DATA + 4);
        machine
    };
    Pair::new(machine, BASE..BASE + SIZE as u64, 2)
}

fn lr<'p>(code: Code<'p>, name: &str, base: i64) -> Code<'p> {
    code.op(name, &[("rd", 10), ("rs1", base)])
}

fn sc<'p>(code: Code<'p>, name: &str, base: i64) -> Code<'p> {
    code.op(name, &[("rd", 11), ("rs2", 9), ("rs1", base)])
}

/// A pair takes no part of a hot loop out of compiled code, and does what its rules say.
#[test]
fn pairs_stay_in_compiled_code() {
    for (isa, lr_name, sc_name, base, fails) in [
        ("rv32ima", "LR__W", "SC__W", 5, 0),
        ("rv32ima", "LR__W", "SC__W", 6, 1),
        ("rv64ima", "LR__W", "SC__W", 5, 0),
        ("rv64ima", "LR__D", "SC__D", 5, 0),
        // Of a doubleword, any byte is reserved; of a word, not the next.
        ("rv64ima", "LR__D", "SC__W", 6, 0),
        ("rv64ima", "LR__W", "SC__D", 5, 0),
        ("rv64ima", "LR__W", "SC__W", 6, 1),
    ] {
        let program = program(isa);
        let mut pair = hot(&program, |code| sc(lr(code, lr_name, 5), sc_name, base));
        let context = || format!("{isa} {lr_name} {sc_name} x{base}");
        pair.run(40, context);
        let before = pair.seen.entered.get();
        pair.run(40_000, context);
        let entered = pair.seen.entered.get() - before;
        assert!(entered < 8, "entered {entered} times: {}", context());
        assert_eq!(pair.compiled.hart.x(11), fails, "{}", context());
        assert!(!pair.compiled.memory.is_reserved());
        pair.assert_same_memory(context);
    }
}

#[test]
fn a_second_or_strayed_conditional_store_fails() {
    for isa in ["rv32ima", "rv64ima"] {
        let program = program(isa);
        // Never reserved; taken by one that fails; taken by one that succeeds; kept by stores and AMOs of the same hart.
        let twice = |base| {
            move |code| {
                let code = lr(code, "LR__W", 5).op("SC__W", &[("rd", 12), ("rs2", 9), ("rs1", base)]);
                sc(code, "SC__W", 5)
            }
        };
        let store = |code| sc(lr(code, "LR__W", 5).sw(9, 0, 5), "SC__W", 5);
        let amo = |code| {
            let code = lr(code, "LR__W", 5).op("AMOADD__W", &[("rd", 13), ("rs2", 9), ("rs1", 5)]);
            sc(code, "SC__W", 5)
        };
        let mut pairs = [
            (hot(&program, |code| sc(code, "SC__W", 5)), 1),
            (hot(&program, twice(6)), 1),
            (hot(&program, twice(5)), 1),
            (hot(&program, store), 0),
            (hot(&program, amo), 0),
        ];
        for (number, (pair, fails)) in pairs.iter_mut().enumerate() {
            let context = || format!("{isa}, {number}");
            for part in [7, 13, 50, 600, 1] {
                pair.run(part, context);
            }
            assert_eq!(pair.compiled.hart.x(11), *fails, "{}", context());
            pair.assert_same_memory(context);
        }
    }
}

/// An exception of either instruction that comes before its access to memory leaves a reservation as it was.
#[test]
fn exceptions_keep_a_reservation() {
    for isa in ["rv32ima", "rv64ima"] {
        let program = program(isa);
        let beyond = BASE + SIZE as u64;
        for (name, address) in [("LR__W", DATA + 2), ("SC__W", DATA + 1), ("LR__W", beyond)] {
            let code = |code| {
                let second = if name == "LR__W" { lr } else { sc };
                second(lr(code, "LR__W", 5), name, 7)
            };
            let mut pair = hot(&program, code);
            let context = || format!("{isa} {name} {address:#x}");
            pair.each(|machine| machine.hart.set_x(7, DATA));
            pair.run(100, context);
            pair.each(|machine| machine.hart.set_x(7, address));
            for _ in 0..3 {
                assert!(matches!(pair.run(9, context), Stop::Fault(_)), "{}", context());
                assert!(pair.compiled.memory.is_reserved(), "{}", context());
                pair.skip();
            }
        }
    }
}

/// In a process, a conditional store first leaves for its rights to be looked up; it succeeds all the same. One to a
/// page that can only be read faults, and its reservation is gone.
#[test]
fn conditional_stores_need_the_right_to_store() {
    for isa in ["rv32ima", "rv64ima"] {
        let program = program(isa);
        let code = sc(lr(Code::new(&program), "LR__W", 5), "SC__W", 5).addi(9, 9, 1);
        let code: Vec<u8> =
            code.op("JAL", &[("imm", -12)]).words().into_iter().flat_map(u32::to_le_bytes).collect();
        let layout =
            Layout::Pages { size: 8 * PAGE, readable: (PAGE, 4 * PAGE), writable: (3 * PAGE, 6 * PAGE) };
        let machine = || {
            let mut machine =
                Machine::new(&program, layout.memory(&code), Address(layout.code()), Htif::default());
            machine.hart.set_x(5, 4 * PAGE - 4);
            machine
        };
        let mut pair = Pair::new(machine, PAGE..6 * PAGE, 0);
        let context = || isa.to_string();
        for _ in 0..40 {
            pair.run(4, context);
            assert_eq!(pair.compiled.hart.x(11), 0, "{isa}");
        }
        let before = pair.seen.entered.get();
        pair.run(4000, context);
        assert!(pair.seen.entered.get() - before < 4, "{isa}");
        pair.each(|machine| machine.hart.set_x(5, 3 * PAGE - 4));
        for _ in 0..3 {
            assert!(matches!(pair.run(9, context), Stop::Fault(_)), "{isa}");
            assert!(!pair.compiled.memory.is_reserved(), "{isa}");
            pair.skip();
        }
        pair.assert_same_memory(context);
    }
}
