//! Random programs of blocks with branches in all directions, in which each register is read and written by many.

use std::cell::Cell;
use std::fmt::Write;
use std::rc::Rc;

use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::guest::{BASE, DATA};
use crate::own::{OWN, own};
use crate::pair::{Pair, Watch};
use crate::times::{Seen, Times, Told};
use crate::{HANDLER, image, put, registers, text};

/// Instructions of three registers, in the plain.
const THREE: [&str; 12] =
    ["ADD", "SUB", "XOR", "AND", "SLL", "SRA", "SLTU", "ADDW", "MUL", "DIV", "REMU", "MAX"];
/// Others; of operands, `D` is a register to set, `S` and `T` are two to read.
const OTHERS: [&str; 24] = [
    "ADDI rd=D rs1=S imm=N",
    "ADDI rd=D rs1=D imm=N",
    "SLLI rd=D rs1=S shamt=5",
    "LUI rd=D imm=0x12345000",
    "LD rd=D rs1=29 imm=64",
    "LW rd=D rs1=29 imm=80",
    "SD rs1=29 rs2=S imm=64",
    "SB rs1=29 rs2=S imm=81",
    "LBU rd=D rs1=S imm=0",
    "FMV__D__X rd=1 rs1=S",
    "FCVT__D__L rd=2 rs1=S rm=0",
    "FCVT__L__D rd=D rs1=1 rm=1",
    "FCLASS__D rd=D rs1=2",
    "FEQ__D rd=D rs1=1 rs2=2",
    "FADD__D rd=3 rs1=1 rs2=2 rm=0",
    "FMV__X__D rd=D rs1=3",
    "VSETVLI rd=D rs1=S zimm=216",
    "VMV__S__X rs1=S vd=4",
    "VADD__VX vm=1 vs2=4 rs1=S vd=5",
    "VMV__X__S vs2=5 rd=D",
    "VCPOP__M vm=1 vs2=5 rd=D",
    "AMOADD__D rd=D rs1=29 rs2=S",
    "LR__D rd=D rs1=29",
    "SC__D rd=D rs1=29 rs2=S",
];
/// What a block ends with besides going on with the next one; `L` is another.
const ENDS: [&str; 10] = [
    "BEQ rs1=S rs2=T >L",
    "BNE rs1=S rs2=T >L",
    "BLT rs1=S rs2=T >L",
    "BGEU rs1=S rs2=T >L",
    "JAL rd=0 >L",
    "JAL rd=1 >L",
    "JALR rd=0 rs1=1 imm=0",
    "JALR rd=0 rs1=30 imm=0",
    "ADDI",
    "EBREAK",
];
/// Goes on behind what failed, or, where there is no code, at the beginning.
const CATCH: &str = "CSRRS rd=26 csr=0x342 rs1=0
    ADDI rd=26 rs1=26 imm=-1
    BEQ rs1=26 rs2=0 >again
    CSRRS rd=26 csr=0x341 rs1=0
    ADDI rd=26 rs1=26 imm=4
    CSRRW rd=0 csr=0x341 rs1=26
    MRET
    again:
    CSRRW rd=0 csr=0x341 rs1=30
    MRET";

/// Random numbers that say which instruction, and its operands.
type Draw = [u8; 5];

/// An instruction, by what was drawn for it.
fn line([which, kind, d, s, t]: Draw) -> String {
    // The addresses of code and data stay as they are.
    let d = [d % 32, 28][usize::from(matches!(d % 32, 29 | 30))];
    let (s, t) = (s % 32, t % 32);
    let kind = usize::from(kind);
    match which % 8 {
        0..3 => format!("{} rd={d} rs1={s} rs2={t}", THREE[kind % THREE.len()]),
        3 => {
            // Some set their operands, too.
            let [s, t] = [s, t].map(|register| if matches!(register, 29 | 30) { 27 } else { register });
            format!("{} rd={d} rs1={s} rs2={t}", OWN[kind % OWN.len()].0)
        }
        _ => of(OTHERS[kind % OTHERS.len()], [d, s, t]).replace("=N", &format!("={}", i16::from(t) - 16)),
    }
}

fn of(pattern: &str, [d, s, t]: [u8; 3]) -> String {
    let operand = |text: String, letter: &str, register| text.replace(letter, &format!("={register}"));
    operand(operand(operand(pattern.to_owned(), "=D", d), "=S", s), "=T", t)
}

fn program_text(blocks: &[(Vec<Draw>, Draw)]) -> String {
    let mut text = String::new();
    for (index, (body, [which, to, s, t, _])) in blocks.iter().enumerate() {
        writeln!(text, "b{index}:").expect("a string");
        for &draw in body {
            writeln!(text, "{}", line(draw)).expect("a string");
        }
        let end = of(ENDS[usize::from(*which) % ENDS.len()], [0, s % 32, t % 32]);
        let to = usize::from(*to) % blocks.len();
        writeln!(text, "{}", end.replace(">L", &format!(">b{to}"))).expect("a string");
    }
    text + "JALR rd=0 rs1=30 imm=0"
}

fn watch() -> impl Strategy<Value = Watch> {
    prop_oneof![6 => Just(Watch::Nothing), 2 => Just(Watch::Counts), 2 => Just(Watch::Time)]
}

#[test]
fn blocks_of_any_instructions() {
    let program = own("rv64imafdv_zbb_zicsr");
    let block = (proptest::collection::vec(any::<Draw>(), 0..7), any::<Draw>());
    let case = (
        proptest::collection::vec(block, 3..=10),
        proptest::collection::vec((0..32usize, any::<u64>()), 8),
        proptest::collection::vec((1..120u64, watch()), 4..9),
        (0..Times::ALL.len(), any::<u32>(), 0..5u32, 0..4u8),
    );
    let [together, entered, all] = [const { Cell::new(0) }; 3];
    let outcome =
        runner(CASES * effort(), 0x40).run(&case, |(blocks, set, parts, (times, salt, after, handled))| {
            let text = program_text(&blocks);
            let mut set = set;
            set.extend([(29, DATA), (30, BASE), (0, 0)]);
            let mut image = image(&text::words(&program, &text), registers(&set));
            put(&mut image, HANDLER, &text::words(&program, CATCH));
            image.handler = (handled > 0).then_some(HANDLER);
            let times = match Times::ALL[times] {
                Times::Drawn(_) => Times::Drawn(salt.into()),
                other => other,
            };
            let seen = Rc::new(Seen::default());
            let mut pair = Pair::with(&program, image, Box::new(Told::new(after, times, &seen)));
            for round in 0..3 {
                for (instructions, watch) in &parts {
                    let result = pair.run(*instructions, watch);
                    let context = |difference| {
                        TestCaseError::fail(format!(
                            "{difference}, {times:?}, round {round}, {instructions} of\n{text}"
                        ))
                    };
                    if !matches!(result.map_err(context)?, engine::Stop::InstructionLimit) {
                        break;
                    }
                }
                pair.rewind();
            }
            all.set(all.get() + 1);
            together.set(together.get() + usize::from(seen.has_region_of(3)));
            entered.set(entered.get() + seen.entered.get());
            Ok(())
        });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let [together, entered, all] = [together, entered, all].map(Cell::into_inner);
    assert!(4 * together > all && entered > 5 * all, "{together} of {all}, entered {entered} times");
}

/// Programs.
const CASES: u32 = 130;
