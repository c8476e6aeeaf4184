//! Faults at every position of a hot block.

use coredsl::ir::Instruction;
use engine::{Program, Stop};
use jit::Jit;
use proptest::prelude::*;

use crate::effort::{effort, runner};
use crate::guest::{self, BASE, DATA, SIZE};
use crate::instructions::{COUNTER, Choice, POINTER, choices};
use crate::operands::{set_field, word};
use crate::pair::{Image, Pair, Watch};

/// Instructions of the loop beside the one that faults.
const LENGTH: usize = 6;
/// Iterations that pass before it faults.
const PASSES: u64 = 6;
/// What the pointer moves on in an iteration.
const STEP: u64 = 16;

/// A word of an instruction that uses memory at the pointer, or does whatever its operands say.
fn at_pointer(instruction: &Instruction, bits: u32) -> u32 {
    let narrow = |name: &str| {
        let field = instruction.encoding.fields.iter().find(|field| field.name == name);
        field.is_some_and(|field| field.width == 3)
    };
    let mut word = word(instruction, bits);
    word = set_field(instruction, word, "rs1", if narrow("rs1") { 0 } else { POINTER });
    for name in ["imm", "uimm"] {
        word = set_field(instruction, word, name, 0);
    }
    let rd = u64::from(bits >> 7 & 1);
    set_field(instruction, word, "rd", if narrow("rd") { 4 + rd } else { 12 + rd })
}

/// A loop of simple instructions with `word` at a position; the pointers walk up to the end of memory.
fn image(program: &Program, body: &[u32], position: usize, word: u32, size: u64, above: u64) -> Image {
    let op = |name: &str, fields: &[(&str, i64)]| guest::encode(program.module(), name, fields);
    let mv = |rd: i64, rs: i64, imm: i64| op("ADDI", &[("rd", rd), ("rs1", rs), ("imm", imm)]);
    let pointer = POINTER as i64;
    let mut words = vec![mv(pointer, pointer, STEP as i64), mv(8, pointer, 0), mv(2, pointer, 0)];
    words.extend(body);
    words.insert(3 + position, word);
    words.push(mv(COUNTER as i64, COUNTER as i64, -1));
    let length: i64 = words.iter().map(|&word| if isa::is_wide(word) { 4 } else { 2 }).sum();
    words.push(op("BNE", &[("rs1", COUNTER as i64), ("rs2", 0), ("imm", -length)]));
    words.push(op("JAL", &[("rd", 0), ("imm", 0)]));
    let mut memory: Vec<u8> = (0..SIZE).map(|index| (index * 37 + 11) as u8).collect();
    let code = words.iter().flat_map(|word| {
        let length = if isa::is_wide(*word) { 4 } else { 2 };
        word.to_le_bytes().into_iter().take(length)
    });
    for (at, byte) in code.enumerate() {
        memory[at] = byte;
    }
    let mut x = std::array::from_fn(|register| 0x0101_0101_0101_0101u64.wrapping_mul(register as u64));
    x[COUNTER as usize] = 2 * PASSES;
    let end = BASE + SIZE as u64;
    x[POINTER as usize] = end - size + above - PASSES * STEP;
    x[17] = DATA;
    Image { memory, x, handler: None, tohost: None }
}

fn positions(isa: &str, salt: u64) {
    let program = guest::program(isa);
    let all = choices(&program);
    let faulting: Vec<Choice<'_>> = all.iter().copied().filter(Choice::may_fault).collect();
    let calm: Vec<Choice<'_>> = all.iter().copied().filter(Choice::is_calm).collect();
    assert!(faulting.len() > 30 && calm.len() > 40);
    let draws = proptest::collection::vec((any::<proptest::sample::Index>(), any::<u32>()), LENGTH);
    let case = (any::<u32>(), draws, 0..16u64, 0..2u32);
    let (mut faults, mut runs) = (0, 0);
    for choice in &faulting {
        for position in 0..=LENGTH {
            let (mut fault, mut ran) = (0, 0);
            let counted = std::cell::RefCell::new((&mut fault, &mut ran));
            let outcome =
                runner(effort(), salt ^ position as u64).run(&case, |(bits, draws, above, after)| {
                    let word = at_pointer(choice.instruction, bits);
                    let body: Vec<u32> = draws
                        .iter()
                        .map(|(index, bits)| calm[index.index(calm.len())].word(*bits, BASE, BASE, BASE))
                        .collect();
                    let image = image(&program, &body, position, word, 16, above);
                    let mut pair = Pair::new(&program, image, Jit::new().after(after));
                    let stop = pair.run(300, &Watch::Nothing).map_err(TestCaseError::fail)?;
                    // Again, with all of it compiled long since and counted.
                    pair.rewind();
                    pair.run(300, &Watch::Counts).map_err(TestCaseError::fail)?;
                    let mut counted = counted.borrow_mut();
                    *counted.0 += u32::from(matches!(stop, Stop::Fault(_)));
                    *counted.1 += 1;
                    Ok(())
                });
            outcome.unwrap_or_else(|error| panic!("{} at {position}: {error}", choice.instruction.name));
            (faults, runs) = (faults + fault, runs + ran);
        }
    }
    assert!(faults * 4 > runs * 3, "{faults} of {runs} runs end in a fault");
}

#[test]
fn rv32_faults_at_every_position() {
    positions("rv32imafdc_zicsr_zfh_zbb_zkn", 0x100);
}

#[test]
fn rv64_faults_at_every_position() {
    positions("rv64imafdc_zicsr_zfh_zbb_zkn", 0x200);
}
