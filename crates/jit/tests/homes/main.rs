//! Regions that keep only some of their registers in values: all others are in their homes, where blocks load what they
//! read and store what they change. Both tiers are in the same state wherever a run is paused, however often the compiler
//! believes that blocks were executed.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../reach/layouts.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod layouts;
#[path = "../stays/pair.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod paged;
#[path = "../programs/pair.rs"]
#[allow(dead_code, reason = "of which a part is used")]
mod pair;
#[path = "../programs/state.rs"]
mod state;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;
#[path = "../tiers/watched.rs"]
mod watched;
#[path = "../programs/watching.rs"]
mod watching;

mod blocks;
mod calls;
mod counts;
mod faults;
mod long;
mod loops;
mod memory;
mod overwritten;
mod own;
mod random;
mod text;
mod times;
mod units;
mod watches;

use std::rc::Rc;

use engine::{Program, Stop};

use crate::guest::{BASE, DATA, SIZE};
use crate::pair::{Image, Pair, Watch};
use crate::times::{Seen, Times, Told};

/// Instructions that no program here executes in one run.
const LONG: u64 = 5000;
/// Where a handler is, if there is one.
const HANDLER: u64 = BASE + 0x1c00;

/// Registers that are all different, of which `set` are as told.
fn registers(set: &[(usize, u64)]) -> [u64; 32] {
    let mut x = std::array::from_fn(|register| 0x0123_4567_89ab_cdef_u64.rotate_left(5 * register as u32));
    x[0] = 0;
    for &(register, value) in set {
        x[register] = value;
    }
    x
}

/// A guest with these words, and data in which all bytes differ from their neighbours.
fn image(words: &[u32], x: [u64; 32]) -> Image {
    let mut memory = vec![0; SIZE];
    for (index, byte) in memory[(DATA - BASE) as usize..].iter_mut().enumerate() {
        *byte = (index * 37 + index / 256 + 11) as u8;
    }
    let mut image = Image { memory, x, handler: None, tohost: None };
    put(&mut image, BASE, words);
    image
}

/// Puts words into a guest's memory.
fn put(image: &mut Image, address: u64, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let start = (address - BASE) as usize;
    image.memory[start..start + bytes.len()].copy_from_slice(&bytes);
}

/// A program, which ends with a fault, run from its beginning to every limit up to that, and on to its end.
struct Check<'p> {
    program: &'p Program,
    image: Image,
    /// What watches: always the same, since some of what is compiled depends on it.
    watch: Watch,
    /// Blocks that some region has to have.
    blocks: usize,
    /// Distance of the limits.
    step: usize,
    /// Instructions of a run that does not end with a fault.
    length: Option<u64>,
}

impl<'p> Check<'p> {
    fn new(program: &'p Program, text: &str, set: &[(usize, u64)]) -> Self {
        let image = image(&text::words(program, text), registers(set));
        Self { program, image, watch: Watch::Nothing, blocks: 2, step: 1, length: None }
    }

    fn watched(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// With a handler of exceptions, which end no run then: it has so many instructions.
    fn handled(mut self, handler: &str, length: u64) -> Self {
        put(&mut self.image, HANDLER, &text::words(self.program, handler));
        (self.image.handler, self.length) = (Some(HANDLER), Some(length));
        self
    }

    /// Whatever the compiler is told.
    fn all(&self) {
        for (after, times) in Times::ALL.into_iter().enumerate() {
            self.one([2, 3, 4, 0, 5][after], times);
        }
    }

    /// One of many: if the compiler is told that nothing was executed, and something else each time.
    fn some(&self, index: usize) {
        self.one(2, Times::Never);
        let other = index % Times::ALL.len();
        let times = if other == 0 { Times::AsCounted } else { Times::Drawn(index as u64) };
        self.one([3, 1, 4, 0, 5][other], times);
    }

    fn one(&self, after: u32, times: Times) {
        let seen = Rc::new(Seen::default());
        let compiler = Told::new(after, times, &seen);
        let mut pair = Pair::with(self.program, self.image.clone(), Box::new(compiler));
        // Hot, with all that it leads to.
        let mut length = 0;
        for _ in 0..=after {
            pair.rewind();
            let before = pair.retired();
            self.to_end(&mut pair, self.length.unwrap_or(LONG), times);
            length = pair.retired() - before;
        }
        assert!(length < LONG, "it does not end");
        for limit in (0..=length).step_by(self.step) {
            pair.rewind();
            self.part(&mut pair, limit, times);
            let rest = self.length.map_or(LONG, |length| length - limit);
            self.to_end(&mut pair, rest, times);
        }
        assert!(seen.entered.get() > 0, "hardly anything was compiled, {times:?}");
        assert!(seen.has_region_of(self.blocks), "{:?}, {times:?}", seen.blocks.borrow());
    }

    fn to_end(&self, pair: &mut Pair<'_>, instructions: u64, times: Times) {
        let stop = self.part(pair, instructions, times);
        assert_eq!(matches!(stop, Stop::Fault(_)), self.length.is_none(), "{stop:x?}, {times:?}");
    }

    fn part(&self, pair: &mut Pair<'_>, instructions: u64, times: Times) -> Stop {
        let result = pair.run(instructions, &self.watch);
        result.unwrap_or_else(|difference| panic!("{difference}, {times:?}, {instructions} instructions"))
    }
}
