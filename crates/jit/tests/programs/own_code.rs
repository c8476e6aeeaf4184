//! Programs that write into their own code, with and without `fence.i`.

use isa::{Instructions, Xlen};
use jit::Jit;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::effort::{effort, runner};
use crate::guest::{self, BASE, DATA, SIZE, encode};
use crate::instructions::{Choice, choices};
use crate::pair::{Image, Pair, Watch};

/// Instructions of the loop that are overwritten in turn.
const SLOTS: i64 = 6;

/// A loop that copies a random word into the middle of itself in each iteration. With `fence`, the new
/// word executes in the same iteration; without, nothing has to be seen of it, in either tier alike.
fn image(program: &engine::Program, calm: &[Choice<'_>], draws: &[(Index, u32)], fence: bool) -> Image {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let drawn: Vec<u32> = draws
        .iter()
        .map(|(index, bits)| calm[index.index(calm.len())].word(*bits, BASE, BASE, BASE))
        .collect();
    let nop = op("ADDI", &[]);
    let mut words = vec![
        // x26: where, x27: what, both moving on.
        op("LW", &[("rd", 28), ("rs1", 27), ("imm", 0)]),
        op("SW", &[("rs2", 28), ("rs1", 26), ("imm", 0)]),
        op("ADDI", &[("rd", 27), ("rs1", 27), ("imm", 4)]),
        op("ADDI", &[("rd", 26), ("rs1", 26), ("imm", 4)]),
        op("BLT", &[("rs1", 26), ("rs2", 4), ("imm", 8)]),
        op("ADDI", &[("rd", 26), ("rs1", 26), ("imm", -4 * SLOTS)]),
        if fence { op("FENCE__I", &[]) } else { nop },
    ];
    let slots = words.len() as u64;
    words.extend((0..SLOTS).map(|_| nop));
    words.push(op("ADDI", &[("rd", 3), ("rs1", 3), ("imm", -1)]));
    words.push(op("BNE", &[("rs1", 3), ("rs2", 0), ("imm", -4 * words.len() as i64)]));
    words.push(op("JAL", &[("rd", 0), ("imm", 0)]));
    let mut memory = vec![0; SIZE];
    for (at, word) in words.iter().enumerate() {
        memory[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
    }
    let source = (DATA - BASE) as usize;
    for (at, word) in drawn.iter().cycle().take(0x100).enumerate() {
        memory[source + 4 * at..source + 4 * at + 4].copy_from_slice(&word.to_le_bytes());
    }
    let mut x = [7; 32];
    x[3] = 60;
    x[4] = BASE + 4 * (slots + SLOTS as u64);
    x[26] = BASE + 4 * slots;
    x[27] = DATA;
    Image { memory, x, handler: None, tohost: None }
}

fn check(xlen: Xlen, fence: bool) {
    let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
    let program = guest::program(&all.isa().to_string());
    let calm: Vec<Choice<'_>> = choices(&program).into_iter().filter(Choice::is_calm).collect();
    let draws = proptest::collection::vec((any::<Index>(), any::<u32>()), 5..20);
    let case = (draws, 0..3u32, proptest::collection::vec(1..300u64, 3));
    let outcome = runner(12 * effort(), u64::from(fence)).run(&case, |(draws, after, parts)| {
        let image = image(&program, &calm, &draws, fence);
        let mut pair = Pair::new(&program, image, Jit::new().after(after));
        for (part, watch) in parts.iter().zip([Watch::Nothing, Watch::Counts, Watch::Nothing]) {
            pair.run(*part, &watch).map_err(TestCaseError::fail)?;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{xlen:?}: {error}"));
}

#[test]
fn what_is_fenced_is_executed() {
    check(Xlen::Rv32, true);
    check(Xlen::Rv64, true);
}

#[test]
fn what_is_not_fenced_is_the_same_in_both_tiers() {
    check(Xlen::Rv32, false);
    check(Xlen::Rv64, false);
}
