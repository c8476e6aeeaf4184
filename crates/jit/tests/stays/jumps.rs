//! Computed jumps to functions whose addresses share a place in the table.

use engine::{Machine, Program};
use hart::{Address, Htif, Memory};

use crate::guest::{BASE, encode, program};
use crate::pair::Pair;

/// Bytes after which places in the table come again.
const APART: u64 = 1 << 16;
const SIZE: usize = 5 << 16;
/// Functions, all with the same place.
const FUNCTIONS: u64 = 4;

/// A function at `at` from each multiple of [`APART`], and a loop that calls the one in x5; x5 and x6 are exchanged in
/// each round.
fn machine(program: &Program, at: u64) -> Machine<'_> {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let addi = |rd: i64, rs1: i64, imm: i64| op("ADDI", &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
    let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
    let mut put = |at: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.slice_mut(Address(at), bytes.len()).expect("room").copy_from_slice(&bytes);
    };
    put(
        BASE,
        &[
            op("JALR", &[("rd", 1), ("rs1", 5)]),
            addi(7, 5, 0),
            addi(5, 6, 0),
            addi(6, 7, 0),
            addi(9, 9, 1),
            op("JAL", &[("imm", -20)]),
        ],
    );
    for function in 0..FUNCTIONS {
        let number = function as i64 + 1;
        let words = [
            addi(10, 10, number),
            op("SLLI", &[("rd", 11), ("rs1", 10), ("shamt", number)]),
            op("XOR", &[("rd", 12), ("rs1", 12), ("rs2", 11)]),
            op("JALR", &[("rs1", 1)]),
        ];
        put(BASE + at + function * APART, &words);
    }
    Machine::new(program, memory, Address(BASE), Htif::default())
}

/// Instructions of a round.
const ROUND: u64 = 10;

fn pair<'p>(program: &'p Program, at: u64) -> Pair<'p> {
    Pair::new(|| machine(program, at), BASE..BASE + 0x1000, 10)
}

/// From now on the functions are these, in turn.
fn call(pair: &mut Pair<'_>, at: u64, first: u64, second: u64) {
    let address = |function: u64| BASE + at + function * APART;
    pair.each(|machine| {
        machine.hart.set_pc(BASE);
        machine.hart.set_x(5, address(first));
        machine.hart.set_x(6, address(second));
    });
}

/// Also where the loop itself, and where it goes on after a call, share the functions' place.
const PLACES: [u64; 4] = [0x4000, 0x4002, APART, APART + 4];

#[test]
fn functions_in_turn() {
    for isa in ["rv32ic", "rv64ic"] {
        let program = program(isa);
        for at in PLACES {
            let mut pair = pair(&program, at);
            let context = || format!("{isa} {at:#x}");
            for first in 0..FUNCTIONS {
                for second in 0..FUNCTIONS {
                    call(&mut pair, at, first, second);
                    for part in [7, 400, 1, 33, 2000] {
                        pair.run(part, context);
                    }
                }
            }
            // Whatever they alternate with, all four are compiled once, besides the loop.
            assert!(pair.seen.compiled.get() <= 16, "{} regions: {}", pair.seen.compiled.get(), context());
            pair.assert_same_memory(context);
        }
    }
}

/// The function that is called again and again is the one in the table, whichever was before.
#[test]
fn the_last_function_takes_the_place() {
    for isa in ["rv32ic", "rv64ic"] {
        let program = program(isa);
        // One that stands where the loop goes on takes turns with that.
        for at in [0x4000, 0x4002] {
            let mut pair = pair(&program, at);
            let context = || format!("{isa} {at:#x}");
            for function in 0..FUNCTIONS {
                call(&mut pair, at, function, function);
                pair.run(200 * ROUND, context);
            }
            for function in [0, 3, 1, 1, 2, 0] {
                call(&mut pair, at, function, function);
                let before = pair.seen.entered.get();
                pair.run(1000 * ROUND, context);
                let entered = pair.seen.entered.get() - before;
                assert!(entered < 12, "function {function}: entered {entered} times, {}", context());
            }
        }
    }
}

/// Until there is code of the block at zero, nothing in the table is taken for it.
#[test]
fn nothing_stands_for_address_zero() {
    for isa in ["rv32ic", "rv64ic"] {
        let program = program(isa);
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let function =
            |imm: i64| [op("ADDI", &[("rd", 10), ("rs1", 10), ("imm", imm)]), op("JALR", &[("rs1", 1)])];
        let rest = [op("JALR", &[("rd", 1), ("rs1", 5)]), op("JAL", &[("imm", -4)])];
        let words = [function(1), function(2), rest].concat();
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let machine = || {
            let mut memory = Memory::new(Address(0), 0x1000).expect("a small memory");
            memory.slice_mut(Address(0), code.len()).expect("room").copy_from_slice(&code);
            let mut machine = Machine::new(&program, memory, Address(16), Htif::default());
            machine.hart.set_x(5, 8);
            machine
        };
        let mut pair = Pair::new(machine, 0..0x1000, 10);
        let context = || isa.to_string();
        for target in [8, 0, 8, 0] {
            pair.each(|machine| machine.hart.set_x(5, target));
            for part in [401, 3, 400] {
                pair.run(part, context);
            }
        }
        assert_eq!(pair.compiled.hart.x(10), 1206, "{isa}");
    }
}
