//! Loops that keep their registers among blocks that keep none.

use std::rc::Rc;

use engine::{Machine, Stop};
use hart::pages::PAGE;
use hart::{Address, Htif};

use crate::effort::{effort, runner};
use crate::guest::{BASE, program};
use crate::layouts::Layout;
use crate::pair::Watch;
use crate::times::{Seen, Times, Told};
use crate::{Check, paged, registers, text};

/// Four rounds of two columns that are computed alike.
fn rounds() -> String {
    let column = |a: usize| {
        let [b, c] = [a + 1, a + 2];
        format!(
            "ADD rd={a} rs1={a} rs2={b}
            XOR rd={c} rs1={c} rs2={a}
            SLLI rd=5 rs1={c} shamt=13
            SRLI rd={c} rs1={c} shamt=51
            OR rd={c} rs1={c} rs2=5
            SUB rd={b} rs1={b} rs2={c}\n"
        )
    };
    (column(8) + &column(12)).repeat(4)
}

/// A loop of pairs between blocks that use what it leaves.
#[test]
fn pairs_among_cold_registers() {
    let rounds = rounds();
    let text = format!(
        "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        XOR rd=8 rs1=8 rs2=21
        ADD rd=22 rs1=22 rs2=12
        ADDI rd=20 rs1=0 imm=3
        BEQ rs1=22 rs2=0 >head
        ADD rd=24 rs1=22 rs2=24
        loop:
        {rounds}
        ADDI rd=20 rs1=20 imm=-1
        BNE rs1=20 rs2=0 >loop
        ADD rd=21 rs1=21 rs2=10
        BEQ rs1=21 rs2=0 >head
        SUB rd=22 rs1=21 rs2=5
        ADD rd=23 rs1=24 rs2=15
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK"
    );
    let program = program("rv64i_zicsr");
    for watch in [Watch::Counts, Watch::Time] {
        let mut check = Check::new(&program, &text, &[(30, BASE), (31, 5)]).watched(watch);
        check.step = 11;
        check.all();
    }
}

/// Before the loop, blocks begin with values that are overwritten; what leads into it does not.
#[test]
fn pairs_after_overwritten_values() {
    let rounds = rounds();
    let [twice, again] = ["ADDI rd=26 rs1=26 imm=1", "XOR rd=26 rs1=26 rs2=24"];
    let text = format!(
        "head:
        {twice}
        {again}
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        {twice}
        {again}
        ADDI rd=20 rs1=0 imm=3
        BEQ rs1=31 rs2=0 >head
        ADDI rd=24 rs1=24 imm=5
        XORI rd=25 rs1=24 imm=9
        loop:
        {rounds}
        ADDI rd=20 rs1=20 imm=-1
        BNE rs1=20 rs2=0 >loop
        {twice}
        {again}
        ADD rd=21 rs1=21 rs2=24
        ADD rd=22 rs1=22 rs2=25
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK"
    );
    let program = program("rv64i_zicsr");
    let mut check = Check::new(&program, &text, &[(30, BASE), (31, 5)]);
    check.step = 11;
    check.all();
}

/// Loops through arrays of a process, whose trips have no checks of their own, between blocks that use what they leave.
const ARRAYS: &str = "head:
    ADDI rd=31 rs1=31 imm=-1
    BEQ rs1=31 rs2=0 >end
    ADDI rd=5 rs1=29 imm=0
    ADDI rd=20 rs1=21 imm=0
    ADD rd=22 rs1=22 rs2=6
    copy:
    LD rd=6 rs1=5 imm=0
    ADD rd=7 rs1=7 rs2=6
    SD rs1=5 rs2=7 imm=256
    ADDI rd=5 rs1=5 imm=8
    ADDI rd=20 rs1=20 imm=-1
    BNE rs1=20 rs2=0 >copy
    SUB rd=23 rs1=7 rs2=22
    BEQ rs1=23 rs2=0 >head
    ADDI rd=24 rs1=5 imm=-8
    ADD rd=22 rs1=23 rs2=6
    sum:
    LW rd=25 rs1=24 imm=0
    ADD rd=26 rs1=26 rs2=25
    ADDI rd=24 rs1=24 imm=-8
    BLTU rs1=29 rs2=24 >sum
    XOR rd=7 rs1=7 rs2=26
    ADDI rd=27 rs1=24 imm=1
    JALR rd=0 rs1=30 imm=0
    end:
    EBREAK";

#[test]
fn strides_among_cold_registers() {
    let program = program("rv64i_zicsr");
    let words = text::words(&program, ARRAYS);
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let layout = Layout::Pages { size: 8 * PAGE, readable: (PAGE, 6 * PAGE), writable: (3 * PAGE, 7 * PAGE) };
    let starts = proptest::sample::select(&[4 * PAGE + 0x800, 6 * PAGE - 24, 3 * PAGE - 264, 5 * PAGE][..]);
    let case = (starts, 1..6u64, 0..Times::ALL.len(), 0..5u32, proptest::collection::vec(1..40u64, 4..12));
    let outcome = runner(60 * effort(), 0x57).run(&case, |(start, trips, times, after, parts)| {
        let machine = || Machine::new(&program, layout.memory(&code), Address(PAGE), Htif::default());
        let mut pair = paged::Pair::new(machine, 0..8 * PAGE, after);
        let seen = Rc::new(Seen::default());
        pair.compiled.set_compiler(Box::new(Told::new(after, Times::ALL[times], &seen)));
        let context = || format!("from {start:#x}, {trips} trips, {:?}, {parts:?}", Times::ALL[times]);
        let begin = |pair: &mut paged::Pair<'_>, start| {
            pair.each(|machine| {
                let set = [(30, PAGE), (31, 7), (29, start), (21, trips)];
                for (register, value) in registers(&set).into_iter().enumerate() {
                    machine.hart.set_x(register as u16, value);
                }
                machine.hart.set_pc(PAGE);
            });
        };
        for _ in 0..3 {
            begin(&mut pair, 4 * PAGE + 0x900);
            let stop = pair.run(5000, context);
            assert!(matches!(stop, Stop::Fault(_)), "{}", context());
        }
        begin(&mut pair, start);
        for &part in parts.iter().cycle().take(30) {
            if pair.run(part, context) != Stop::InstructionLimit {
                pair.skip();
            }
        }
        pair.assert_same_memory(context);
        assert!(seen.entered.get() > 0 && seen.has_region_of(2), "{}", context());
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
