//! Random programs: a loop with branches anywhere within it, calls, computed jumps and a trap handler,
//! of any instructions.

use engine::Program;
use hart::csr::number;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::guest::{BASE, DATA, SIZE, encode};
use crate::instructions::{CODE, COUNTER, Choice, POINTER, SAVED};
use crate::operands::value;
use crate::pair::Image;

/// Where a handler is that skips the instruction that trapped.
const HANDLER: u64 = BASE + 0x1c00;
/// Instructions of a function.
const FUNCTION: usize = 3;

/// A random instruction: which, its operands, and where it leads to if it is a jump.
pub type Draw = (Index, u32, Index);

/// What a program is made from.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// Instructions of the loop, then of a function that it calls.
    pub body: Vec<Draw>,
    pub x: [u64; 32],
    /// Iterations.
    pub count: u64,
    /// What an iteration adds to the data pointer.
    pub step: i16,
    /// Where the data pointer begins.
    pub start: u64,
    /// Whether a trap skips an instruction instead of ending the run.
    pub handles: bool,
    pub tohost: Option<u64>,
}

impl Sketch {
    /// Programs whose loop has about so many instructions.
    pub fn strategy(length: usize) -> impl Strategy<Value = Self> {
        let draw = (any::<Index>(), any::<u32>(), any::<Index>());
        let start = prop_oneof![
            4 => (0..0x10u64).prop_map(|index| DATA + 0x800 + 8 * index),
            1 => (0..0x1000u64).prop_map(|offset| DATA + offset),
            1 => (0..0x400u64).prop_map(|offset| BASE + SIZE as u64 - 0x800 + offset),
            1 => (0..0x100u64).prop_map(|offset| BASE + 4 * offset),
        ];
        let step = prop_oneof![3 => Just(0), 1 => -16..16i16, 1 => -0x200..0x200i16];
        let tohost = proptest::option::weighted(0.3, (0..0x200u64).prop_map(|index| DATA + 8 * index));
        (
            proptest::collection::vec(draw, 2..length),
            proptest::collection::vec(value(), 32),
            1..40u64,
            step,
            start,
            proptest::bool::weighted(0.8),
            tohost,
        )
            .prop_map(|(body, x, count, step, start, handles, tohost)| Self {
                body,
                x: std::array::from_fn(|register| x[register]),
                count,
                step,
                start,
                handles,
                tohost,
            })
    }

    /// The program, of `choices` and with `first` among them.
    pub fn image(&self, program: &Program, choices: &[Choice<'_>], first: &[Choice<'_>]) -> Image {
        let mut memory = vec![0; SIZE];
        for (index, byte) in memory[(DATA - BASE) as usize..].iter_mut().enumerate() {
            // Most of what is loaded is negative.
            *byte = (index * 37 + 11) as u8 | if index % 4 == 0 { 0 } else { 0x80 };
        }
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let mv =
            |rd: u64, rs: u64, imm: i64| op("ADDI", &[("rd", rd as i64), ("rs1", rs as i64), ("imm", imm)]);
        let chosen = |index: usize, draw: &Draw| {
            first.get(index).copied().unwrap_or_else(|| choices[draw.0.index(choices.len())])
        };
        let drawn: Vec<Choice<'_>> =
            self.body.iter().enumerate().map(|(index, draw)| chosen(index, draw)).collect();
        let head = [
            mv(2, POINTER, 0),
            mv(8, POINTER, 64),
            mv(9, POINTER, 8),
            mv(POINTER, POINTER, self.step.into()),
        ];
        // Where each instruction will be; a call stands after the first half.
        let half = drawn.len() / 2;
        let mut places = Vec::new();
        let mut next = BASE + 4 * head.len() as u64;
        for (index, choice) in drawn.iter().enumerate() {
            if index == half {
                next += 4;
            }
            places.push(next);
            next += choice.length();
        }
        let (tail, function) = (next, next + 12);
        let mut put = |at: u64, word: u32| {
            let (at, length) = ((at - BASE) as usize, if isa::is_wide(word) { 4 } else { 2 });
            memory[at..at + length].copy_from_slice(&word.to_le_bytes()[..length]);
        };
        for (at, word) in (BASE..).step_by(4).zip(head) {
            put(at, word);
        }
        let mut call_at = BASE + 4 * head.len() as u64;
        for (index, (choice, draw)) in drawn.iter().zip(&self.body).enumerate() {
            let target = draw.2.get(&places);
            put(places[index], choice.word(draw.1, places[index], *target, BASE));
            if index + 1 == half {
                call_at = places[index] + choice.length();
            }
        }
        put(call_at, op("JAL", &[("rd", 1), ("imm", function.wrapping_sub(call_at) as i64)]));
        put(tail, mv(COUNTER, COUNTER, -1));
        let back = BASE.wrapping_sub(tail + 4) as i64;
        put(tail + 4, op("BNE", &[("rs1", COUNTER as i64), ("rs2", 0), ("imm", back)]));
        put(tail + 8, op("JAL", &[("rd", 0), ("imm", 0)]));
        let mut at = function;
        for draw in self.body.iter().rev().take(FUNCTION) {
            let choice = choices[draw.0.index(choices.len())];
            let target = function + 4 * (u64::from(draw.1) % 4);
            put(at, choice.word(draw.1.rotate_left(7), at, target, BASE));
            at += choice.length();
        }
        put(at, op("JALR", &[("rd", 0), ("rs1", 1)]));
        let saved = SAVED as i64;
        let handler = [
            // After the instruction that trapped; from a place without instructions back to the beginning.
            op("CSRRS", &[("rd", saved), ("csr", number::MCAUSE.into()), ("rs1", 0)]),
            mv(SAVED, SAVED, -1),
            op("BEQ", &[("rs1", saved), ("rs2", 0), ("imm", 20)]),
            op("CSRRS", &[("rd", saved), ("csr", number::MEPC.into()), ("rs1", 0)]),
            mv(SAVED, SAVED, 4),
            op("CSRRW", &[("rd", 0), ("csr", number::MEPC.into()), ("rs1", saved)]),
            op("MRET", &[]),
            op("CSRRW", &[("rd", 0), ("csr", number::MEPC.into()), ("rs1", CODE as i64)]),
            op("MRET", &[]),
        ];
        for (at, word) in (HANDLER..).step_by(4).zip(handler) {
            put(at, word);
        }
        let mut x = self.x;
        for (register, value) in [(COUNTER, self.count), (POINTER, self.start), (CODE, BASE)] {
            x[register as usize] = value;
        }
        Image { memory, x, handler: self.handles.then_some(HANDLER), tohost: self.tohost }
    }
}
