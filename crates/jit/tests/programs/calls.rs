//! Functions that call each other from many places, jump tables and recursion.

use isa::{Instructions, Xlen};
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::effort::{effort, runner};
use crate::guest::{self, BASE, DATA, SIZE, encode};
use crate::instructions::{Choice, choices};
use crate::operands::set_field;
use crate::pair::{Image, Pair, Watch};

/// Functions, each of which calls those after it.
const FUNCTIONS: usize = 7;
/// Register that keeps the return address of the first function; the others' follow.
const KEPT: i64 = 18;
/// Bytes between the beginnings of functions, a power of two.
const APART: u64 = 128;

/// What a function does between its beginning and its return.
#[derive(Clone, Copy, Debug)]
enum Step {
    Compute(Index, u32),
    /// Calls a function after this one, by its address or, through a register, by a number in memory.
    Call(Index, bool),
    /// Returns at once if a bit of the loop's counter is set.
    Return(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (any::<Index>(), any::<u32>()).prop_map(|(which, bits)| Step::Compute(which, bits)),
        3 => (any::<Index>(), any::<bool>()).prop_map(|(which, computed)| Step::Call(which, computed)),
        1 => (0..6u8).prop_map(Step::Return),
    ]
}

/// Words of a function: `number`, which is `here`.
fn function(
    program: &engine::Program,
    calm: &[Choice<'_>],
    number: usize,
    steps: &[Step],
    link: i64,
) -> Vec<u32> {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let here = BASE + APART * (number as u64 + 1);
    let kept = KEPT + number as i64;
    let back = op("JALR", &[("rd", 0), ("rs1", kept)]);
    let mut words = vec![op("ADDI", &[("rd", kept), ("rs1", link)])];
    for step in steps {
        let callees: Vec<usize> = (number + 1..FUNCTIONS).collect();
        match *step {
            Step::Compute(which, bits) => {
                let choice = calm[which.index(calm.len())];
                let word = choice.word(bits, here, here, here);
                words.push(set_field(choice.instruction, word, "rd", u64::from(10 + bits % 6)));
            }
            Step::Call(which, _) if callees.is_empty() => {
                words.push(op("ADDI", &[("rd", 10), ("rs1", 10), ("imm", which.index(64) as i64)]));
            }
            Step::Call(which, false) => {
                let target = BASE + APART * (which.get(&callees) + 1) as u64;
                let at = here + 4 * words.len() as u64;
                words.push(op("JAL", &[("rd", link), ("imm", target.wrapping_sub(at) as i64)]));
            }
            Step::Call(which, true) => {
                // Which of the later functions it is changes with the loop's counter.
                let target = *which.get(&callees);
                words.push(op("ANDI", &[("rd", 7), ("rs1", 3), ("imm", 1)]));
                words.push(op("SLLI", &[("rd", 7), ("rs1", 7), ("shamt", APART.trailing_zeros().into())]));
                words.push(op("ADD", &[("rd", 7), ("rs1", 7), ("rs2", 27)]));
                let least = target.min(FUNCTIONS - 2) as i64;
                words.push(op("JALR", &[("rd", link), ("rs1", 7), ("imm", APART as i64 * (least + 1))]));
            }
            Step::Return(bit) => {
                words.push(op("ANDI", &[("rd", 7), ("rs1", 3), ("imm", 1 << bit)]));
                words.push(op("BEQ", &[("rs1", 7), ("rs2", 0), ("imm", 8)]));
                words.push(back);
            }
        }
    }
    words.push(back);
    assert!(words.len() as u64 * 4 <= APART);
    words
}

fn image(program: &engine::Program, calm: &[Choice<'_>], bodies: &[Vec<Step>], link: i64) -> Image {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let mut memory: Vec<u8> = (0..SIZE).map(|index| (index * 37 + 11) as u8).collect();
    let mut put = |at: u64, words: &[u32]| {
        let at = (at - BASE) as usize;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory[at..at + bytes.len()].copy_from_slice(&bytes);
    };
    put(
        BASE,
        &[
            op("JAL", &[("rd", link), ("imm", APART as i64)]),
            op("ADDI", &[("rd", 3), ("rs1", 3), ("imm", -1)]),
            op("JAL", &[("rd", link), ("imm", 2 * APART as i64 - 8)]),
            op("BNE", &[("rs1", 3), ("rs2", 0), ("imm", -12)]),
            op("JAL", &[("rd", 0), ("imm", 0)]),
        ],
    );
    for (number, steps) in bodies.iter().enumerate() {
        put(BASE + APART * (number as u64 + 1), &function(program, calm, number, steps, link));
    }
    let mut x = std::array::from_fn(|register| 0x1234_5678_9abc_def1u64.rotate_left(register as u32));
    (x[3], x[4], x[27]) = (200, DATA, BASE);
    Image { memory, x, handler: None, tohost: None }
}

fn check(xlen: Xlen) {
    let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
    let program = guest::program(&all.isa().to_string());
    let calm: Vec<Choice<'_>> = choices(&program).into_iter().filter(Choice::is_calm).collect();
    let bodies = proptest::collection::vec(proptest::collection::vec(step(), 1..7), FUNCTIONS);
    // The usual link register, the alternate one, and one that no return is expected of.
    let link = proptest::sample::select(&[1i64, 5, 6][..]);
    let case = (bodies, link, 0..4u32, proptest::collection::vec(1..900u64, 4));
    let outcome = runner(12 * effort(), xlen.bits().into()).run(&case, |(bodies, link, after, parts)| {
        let image = image(&program, &calm, &bodies, link);
        let mut pair = Pair::new(&program, image, Jit::new().after(after));
        for (index, part) in parts.iter().enumerate() {
            let watch = if index == 2 { Watch::Counts } else { Watch::Nothing };
            pair.run(*part, &watch).map_err(TestCaseError::fail)?;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{xlen:?}: {error}"));
}

#[test]
fn rv32_functions_call_each_other() {
    check(Xlen::Rv32);
}

#[test]
fn rv64_functions_call_each_other() {
    check(Xlen::Rv64);
}

/// The n-th Fibonacci number as the definition has it, with a stack.
#[test]
fn a_function_calls_itself() {
    for isa in ["rv32i", "rv64i"] {
        let program = guest::program(isa);
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let addi = |rd: i64, rs: i64, imm: i64| op("ADDI", &[("rd", rd), ("rs1", rs), ("imm", imm)]);
        let (store, load) = if isa == "rv32i" { ("SW", "LW") } else { ("SD", "LD") };
        let sw = |rs: i64, imm: i64| op(store, &[("rs2", rs), ("rs1", 2), ("imm", imm)]);
        let lw = |rd: i64, imm: i64| op(load, &[("rd", rd), ("rs1", 2), ("imm", imm)]);
        let jal = |rd: i64, imm: i64| op("JAL", &[("rd", rd), ("imm", imm)]);
        let words = [
            jal(1, 8),
            jal(0, 0),
            // n < 2: itself
            addi(5, 0, 2),
            op("BLT", &[("rs1", 10), ("rs2", 5), ("imm", 52)]),
            addi(2, 2, -16),
            sw(1, 8),
            sw(10, 0),
            addi(10, 10, -1),
            jal(1, -24),
            lw(5, 0),
            sw(10, 0),
            addi(10, 5, -2),
            jal(1, -40),
            lw(5, 0),
            op("ADD", &[("rd", 10), ("rs1", 10), ("rs2", 5)]),
            jal(0, 8),
            op("JALR", &[("rd", 0), ("rs1", 1)]),
            lw(1, 8),
            addi(2, 2, 16),
            op("JALR", &[("rd", 0), ("rs1", 1)]),
        ];
        let mut memory = vec![0; SIZE];
        for (at, word) in words.iter().enumerate() {
            memory[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let mut x = [0; 32];
        (x[1], x[2], x[10]) = (0, DATA, 12);
        for after in 0..3 {
            let image = Image { memory: memory.clone(), x, handler: None, tohost: None };
            let mut pair = Pair::new(&program, image, Jit::new().after(after));
            for part in [10, 300, 1, 5000, 20_000] {
                pair.run(part, &Watch::Nothing).unwrap_or_else(|error| panic!("{isa}: {error}"));
            }
            assert_eq!(pair.x(10), 144);
        }
    }
}
