//! Loops of one block that compute the same of several columns of a state, as ciphers do, and almost such loops: what
//! compiled code computes of two columns together is what each gives by itself.

use std::rc::Rc;

use engine::observer::Observer;
use engine::timed::Record;
use engine::{Limits, Machine, Program, Stop};
use jit::Jit;

use crate::assert_equal;
use crate::effort::{effort, runner};
use crate::guest::{BASE, Code, Screen, program, program_of_ones_own, run};
use crate::rounds::{COUNTER, STATE, case};
use crate::watched::{Seen, Watched};

/// Most pauses of a run, and instructions past them.
const PAUSES: u64 = 90;
const REST: u64 = 30_000;

const SETS: [&str; 6] = ["rv64i", "rv64i_zbb", "rv64imac_zbb", "rv64imac", "rv32i_zbb", "rv32imac"];

fn check(isa: &str, cases: u32) {
    let program = program(isa);
    let outcome = runner(cases * effort(), 0xc011).run(&case(), |case| {
        let (first, length) = case.first_trip(&program);
        let steps = [1, 3, 7, length - 1, length, length + 1, 2 * length + 1, REST][case.pause];
        let (mut interpreted, mut compiled) = (case.machine(&program), case.machine(&program));
        compiled.set_compiler(Box::new(Jit::new().after(case.threshold)));
        // Where single instructions lie between pauses, from within the first trips or later ones.
        let begin = if steps < length - 1 { first + u64::from(case.threshold) * length } else { steps };
        for limit in (0..PAUSES).map(|pause| begin + pause * steps).take_while(|&limit| limit < REST) {
            assert_equal(&mut interpreted, &mut compiled, limit);
        }
        assert_equal(&mut interpreted, &mut compiled, 2 * REST);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{isa}: {error}"));
}

#[test]
fn columns_of_doublewords_and_words() {
    for isa in &SETS[..2] {
        check(isa, 50);
    }
}

#[test]
fn columns_in_compressed_code() {
    for isa in &SETS[2..4] {
        check(isa, 28);
    }
}

#[test]
fn columns_of_rv32() {
    for isa in &SETS[4..] {
        check(isa, 32);
    }
}

struct Profiling;

impl Observer for Profiling {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}

/// Histograms and profiles after any number of trips, and of those that begin in the middle of another block.
#[test]
fn trips_are_counted_one_by_one() {
    let program = program("rv64i_zbb");
    let outcome = runner(36 * effort(), 0xc011).run(&case(), |case| {
        let (first, length) = case.first_trip(&program);
        let (mut interpreted, mut compiled) = (case.machine(&program), case.machine(&program));
        compiled.set_compiler(Box::new(Jit::new().after(case.threshold)));
        let steps = [length / 2, length - 1, length, length + 1][case.pause % 4];
        let limits = (0..PAUSES / 2).map(|pause| first + pause * steps).take_while(|&limit| limit < REST);
        for limit in limits.chain([REST, 2 * REST]) {
            let limits = Limits { instructions: Some(limit) };
            let expected = interpreted.run(limits, &mut Profiling, &mut Screen::default());
            assert_eq!(compiled.run(limits, &mut Profiling, &mut Screen::default()), expected);
            assert_eq!(compiled.hart.retired(), interpreted.hart.retired());
            assert_eq!(compiled.histogram(), interpreted.histogram(), "paused at {limit}");
            assert_eq!(compiled.profile(), interpreted.profile(), "paused at {limit}");
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Addresses of what a timed run tells of.
#[derive(Default)]
struct Told(Vec<(u64, usize, u64)>);

impl Observer for Told {
    const TIMED: bool = true;

    fn executed(&mut self, record: &Record<'_>) {
        self.0.push((record.block.pc, record.retired, record.next));
    }

    fn cycles(&self) -> u64 {
        self.0.len() as u64
    }
}

#[test]
fn a_timed_run_is_told_of_every_trip() {
    let program = program("rv64i_zbb");
    let outcome = runner(14 * effort(), 0xc011).run(&case(), |case| {
        let (mut interpreted, mut compiled) = (case.machine(&program), case.machine(&program));
        compiled.set_compiler(Box::new(Jit::new().after(case.threshold)));
        let records = |machine: &mut Machine<'_>| {
            let mut told = Told::default();
            machine.run(Limits { instructions: Some(REST) }, &mut told, &mut Screen::default());
            told.0
        };
        assert!(records(&mut compiled) == records(&mut interpreted), "other records");
        // What was compiled for it is of no use to a run that is not.
        assert_equal(&mut interpreted, &mut compiled, 2 * REST);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

fn three<'p>(code: Code<'p>, name: &str, rd: i64, rs1: i64, rs2: i64) -> Code<'p> {
    code.op(name, &[("rd", rd), ("rs1", rs1), ("rs2", rs2)])
}

/// Two columns of a round with additions, exclusive ors and rotations.
fn rounds<'p>(code: Code<'p>, times: usize) -> Code<'p> {
    let three =
        |code: Code<'p>, name: &str, rd, rs1, rs2| code.op(name, &[("rd", rd), ("rs1", rs1), ("rs2", rs2)]);
    let shift = |code: Code<'p>, name: &str, rd, rs1, shamt| {
        code.op(name, &[("rd", rd), ("rs1", rs1), ("shamt", shamt)])
    };
    (0..times).fold(code, |code, _| {
        [STATE, STATE + 4].iter().fold(code, |code, &a| {
            let code = three(code, "ADD", a, a, a + 1);
            let code = three(code, "XOR", a + 2, a + 2, a);
            let code = shift(code, "SLLI", 5, a + 2, 13);
            let code = shift(code, "SRLI", a + 2, a + 2, 51);
            let code = three(code, "OR", a + 2, a + 2, 5);
            three(code, "SUB", a + 1, a + 1, a + 2)
        })
    })
}

/// Ends a loop that begins at `top`, and then the program.
fn end(code: Code<'_>, top: u64) -> Code<'_> {
    let code = code.addi(COUNTER, COUNTER, -1);
    let back = top.wrapping_sub(code.here()) as i64;
    code.op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", back)]).op("JAL", &[("imm", 0)])
}

fn started(code: Code<'_>) -> Machine<'_> {
    let mut machine = code.machine();
    for register in 5..32 {
        machine.hart.set_x(register, u64::from(register) * 0x0135_79bd);
    }
    machine.hart.set_x(COUNTER as u16, 30);
    machine
}

/// Compares the tiers every so many instructions of a loop with trips of `trip`, to the end of the run.
fn compare<'p>(machine: impl Fn() -> Machine<'p>, trip: u64, last: u64) {
    for steps in [1, 7, trip - 1, trip, trip + 1, 2 * trip, last] {
        for threshold in [1, 4] {
            let (mut interpreted, mut compiled) = (machine(), machine());
            compiled.set_compiler(Box::new(Jit::new().after(threshold)));
            // The first trips at once.
            let begin = steps.max(7 * trip);
            for limit in (begin..last + 2 * steps).step_by(steps as usize) {
                assert_eq!(assert_equal(&mut interpreted, &mut compiled, limit), Stop::InstructionLimit);
            }
        }
    }
}

/// Registers that take over what others held: `a = b, b = c`, with `a` read after the loop only.
#[test]
fn registers_take_over_what_others_held() {
    let program = program("rv64i");
    for [a, b, c] in [[28, 29, 31], [28, 29, STATE], [29, 28, STATE + 2], [31, 28, COUNTER], [28, STATE, 29]]
    {
        let code = || {
            let code = Code::new(&program).addi(0, 0, 0);
            let top = code.here();
            end(rounds(code.addi(a, b, 0).addi(b, c, 0), 4), top)
        };
        compare(|| started(code()), 52, 30 * 52 + 2);
    }
}

/// Sums of sums of words are computed once each, not once for everything that is computed from them.
#[test]
fn sums_of_sums_of_words_are_little_code() {
    let program = program("rv32i");
    let code = || {
        let code = Code::new(&program).addi(0, 0, 0);
        let top = code.here();
        let sums = (0..100).fold(code, |code, index: i64| {
            let (a, b) = (STATE + index / 2 % 2, STATE + (index / 2 + 1) % 2);
            let (a, b) = (a + index % 2 * 4, b + index % 2 * 4);
            code.op(if index < 40 { "ADD" } else { "XOR" }, &[("rd", a), ("rs1", a), ("rs2", b)])
        });
        end(sums, top)
    };
    compare(|| started(code()), 102, 30 * 102 + 2);
    let seen = Rc::new(Seen::default());
    let mut machine = started(code());
    machine.set_compiler(Box::new(Watched(Jit::new().after(2), Rc::clone(&seen))));
    run(&mut machine, 2000);
    assert!(seen.most_bytes.get() < 0x8000, "{} bytes", seen.most_bytes.get());
}

/// What has to be computed early, because its partner is needed, brings its operands along.
#[test]
fn operands_do_not_get_into_each_others_way() {
    let program = program("rv64i");
    let code = || {
        let code = Code::new(&program).addi(0, 0, 0);
        let top = code.here();
        let code = code.op("ANDI", &[("rd", 26), ("rs1", 26), ("imm", 0xff)]);
        let code = three(code, "SLTU", 27, 26, STATE);
        let code = three(code, "SLTU", 28, STATE, STATE + 4);
        let code = three(code, "SLTU", 29, STATE + 1, STATE + 5);
        let code = three(code, "SLT", 30, 28, 29);
        let code = code.op("ANDI", &[("rd", 30), ("rs1", 30), ("imm", 0x7f)]);
        // What it was in every trip.
        let code = three(three(code, "ADD", 31, 31, 31), "XOR", 31, 31, 30);
        end(rounds(code, 10), top)
    };
    compare(|| started(code()), 130, 30 * 130 + 2);
}

/// Differences the other way round in the other column, and words that are extended by their sign although they are not
/// shifted.
#[test]
fn differences_and_signs_are_those_of_each_column() {
    let program = program("rv64i");
    let code = || {
        let code = Code::new(&program).addi(0, 0, 0);
        let top = code.here();
        let code = three(rounds(code, 4), "SUB", 26, STATE, STATE + 1);
        let code = three(code, "SUB", 27, STATE + 5, STATE + 4);
        let code = code.op("SRLIW", &[("rd", 28), ("rs1", STATE), ("shamt", 0)]);
        let code = code.op("SRLIW", &[("rd", 29), ("rs1", STATE + 4), ("shamt", 0)]);
        end(rounds(code, 4), top)
    };
    compare(|| started(code()), 102, 30 * 102 + 2);
}

/// Sums of words that are not extended by their sign, which only a user's own instructions leave: their upper halves are
/// zero, whatever those of the operands are.
#[test]
fn sums_of_words_have_no_upper_halves() {
    let behavior =
        |op: &str| format!("X[rd] = (unsigned<64>)(unsigned<32>)(X[rs1][31:0] {op} X[rs2][31:0]);");
    let instruction = |name: &str, number: u32, op: &str| {
        format!(
            "{name} {{
                encoding: 7'd{number} :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                assembly: \"{{name(rd)}}, {{name(rs1)}}, {{name(rs2)}}\";
                behavior: {}
            }}",
            behavior(op)
        )
    };
    let description = format!(
        "import \"RISCVBase.core_desc\"
        InstructionSet XWords extends RISCVBase {{ instructions {{ {} {} }} }}",
        instruction("ADDZ", 0, "+"),
        instruction("SUBZ", 1, "-")
    );
    let program = program_of_ones_own("rv64i_xwords", &description);
    let code = || {
        let code = Code::new(&program).addi(0, 0, 0);
        let top = code.here();
        let words = (0..12).fold(rounds(code, 4), |code, index: i64| {
            let (name, a) = (["ADDZ", "SUBZ"][index as usize / 2 % 2], STATE + index % 2 * 4);
            let code = code.op(name, &[("rd", a + 3), ("rs1", a), ("rs2", a + 1)]);
            code.op("XOR", &[("rd", a), ("rs1", a + 3), ("rs2", a + 2)])
        });
        end(rounds(words, 4), top)
    };
    compare(|| started(code()), 122, 30 * 122 + 2);
}

/// A block that falls into a loop, again and again, goes on with it.
#[test]
fn a_block_falls_into_the_loop() {
    let program = program("rv64i");
    let regions = {
        let code = || falling(&program);
        let seen = Rc::new(Seen::default());
        let (mut interpreted, mut compiled) = (started(code()), started(code()));
        compiled.set_compiler(Box::new(Watched(Jit::new().after(2), Rc::clone(&seen))));
        for limit in (11..5000).step_by(11) {
            assert_equal(&mut interpreted, &mut compiled, limit);
        }
        seen.regions.take()
    };
    let has = |region: &Vec<u64>, pc: u64| region.contains(&pc);
    let together = |region: &Vec<u64>| has(region, BASE + 4) && has(region, BASE + 16);
    assert!(regions.iter().any(together), "{regions:x?}");
    compare(|| started(falling(&program)), 50, 4 * (5 * 50 + 5) + 2);
}

/// Four times five trips, whose registers change in between.
fn falling(program: &Program) -> Code<'_> {
    let code = Code::new(program).addi(30, 0, 4);
    let outer = code.here();
    let code = code.addi(COUNTER, 0, 5);
    let code = code.op("XOR", &[("rd", STATE), ("rs1", STATE), ("rs2", 30)]);
    let code = code.op("SUB", &[("rd", STATE + 1), ("rs1", STATE + 5), ("rs2", 30)]);
    let top = code.here();
    let code = rounds(code, 4).addi(COUNTER, COUNTER, -1);
    let back = top.wrapping_sub(code.here()) as i64;
    let code = code.op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", back)]).addi(30, 30, -1);
    let back = outer.wrapping_sub(code.here()) as i64;
    code.op("BNE", &[("rs1", 30), ("rs2", 0), ("imm", back)]).op("JAL", &[("imm", 0)])
}
