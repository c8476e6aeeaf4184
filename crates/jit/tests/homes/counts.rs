//! What a compiler is told of how often blocks were executed.

use std::rc::Rc;

use crate::guest::{BASE, program};
use crate::pair::{Pair, Watch};
use crate::times::{Seen, Times, Told};
use crate::{image, registers, text};

/// A loop whose parts are executed in every round, in every fourth, and four times a round; then again and again two
/// rounds of it.
const TEXT: &str = "head:
    ANDI rd=5 rs1=31 imm=3
    BNE rs1=5 rs2=0 >seldom
    ADDI rd=6 rs1=6 imm=1
    JAL rd=0 >seldom
    seldom:
    ADDI rd=7 rs1=0 imm=4
    BEQ rs1=0 rs2=0 >often
    often:
    ADDI rd=7 rs1=7 imm=-1
    BNE rs1=7 rs2=0 >often
    ADDI rd=31 rs1=31 imm=-1
    BEQ rs1=31 rs2=0 >end
    JALR rd=0 rs1=30 imm=0
    end:
    ADDI rd=31 rs1=0 imm=2
    BEQ rs1=0 rs2=0 >head";

#[test]
fn as_often_as_they_were_interpreted() {
    let program = program("rv64i_zicsr");
    let image = image(&text::words(&program, TEXT), registers(&[(30, BASE), (31, 60)]));
    let seen = Rc::new(Seen::default());
    let mut pair = Pair::with(&program, image, Box::new(Told::new(39, Times::AsCounted, &seen)));
    assert_eq!(pair.run(4000, &Watch::Nothing).expect("no difference"), engine::Stop::InstructionLimit);
    let address = |(instruction, times): (u64, u32)| (BASE + 4 * instruction, times);
    let of = |all: &[(u64, u32)]| -> Vec<(u64, u32)> { all.iter().copied().map(address).collect() };
    // What is compiled is not counted any more.
    const MORE: u32 = u32::MAX;
    let expected = [
        of(&[(6, 40), (8, 9), (10, 9)]),
        of(&[(0, 40), (4, 39), (2, 10), (6, MORE), (8, MORE), (10, MORE)]),
        of(&[(11, 40), (0, MORE), (4, MORE), (2, MORE), (6, MORE), (8, MORE), (10, MORE)]),
    ];
    assert_eq!(*seen.times.borrow(), expected);
}
