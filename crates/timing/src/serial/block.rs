//! A block on a core that does one access at a time.

use std::ops::Range;

use engine::Program;
use engine::timed::Record;

use super::core::{Serial, both};
use super::cycles::Cycles;
use super::run::Run;
use super::touches::{Touch, Touching};
use crate::instruction::Instruction;

/// A block, as far as its time depends on it.
pub struct Block<C: Serial> {
    pub pcs: Vec<u64>,
    pub ops: Vec<C::Op>,
    pub watched: Vec<Watched>,
    /// All of these, if they are worth looking at together.
    pub runs: Vec<Run>,
    /// Accesses to data, and which of those that must be looked at does each.
    pub accessing: Vec<Accessing<C::Access>>,
    pub accessed_by: Vec<usize>,
    /// What it touches in its hart's own caches, and where that of each of those begins that must be looked at.
    pub touches: Vec<Touching<C::Access>>,
    pub begins: Vec<u32>,
    /// What [`super::OnSerial::fetched`] was while all was fetched last.
    pub there: Option<u64>,
    /// Of all instructions, and their sum.
    pub usual: Cycles,
    pub usual_sum: i64,
    /// Executions to its end.
    pub times: u64,
    /// Beyond the usual, of each instruction, in those.
    pub extra: Vec<Cycles>,
    /// Fetches and data accesses of an execution.
    each: [u64; 2],
}

/// An instruction that must be looked at.
pub struct Watched {
    pub index: usize,
    /// Usual cycles of those before it, and of its fetches.
    pub before: u64,
    pub fetch: u64,
    pub words: Range<usize>,
    pub next: Option<u64>,
}

/// An access to data; small, since most executions look at nothing else.
#[derive(Clone, Copy)]
pub struct Accessing<Access> {
    pub access: Access,
    /// Which of a record's words is its address.
    pub word: u32,
}

impl<C: Serial> Block<C> {
    /// The block of a record.
    pub fn of(core: &C, program: &Program, record: &Record<'_>) -> Self {
        let decoded = &record.block.decoded;
        let (mut ops, mut watched, mut usual, mut words) = (Vec::new(), Vec::new(), Cycles::default(), 0);
        for (index, each) in decoded.iter().enumerate() {
            let instruction = Instruction::of(program, each);
            let op = core.prepare(&instruction, ops.last());
            let end = words + instruction.words;
            if core.watches(&op) {
                let next = decoded.get(index + 1).map(|next| next.pc);
                let fetch = core.usual(&op).fetch as u64;
                let before = usual.sum() as u64;
                watched.push(Watched { index, before, fetch, words: words..end, next });
            }
            usual = usual.and(core.usual(&op));
            words = end;
            ops.push(op);
        }
        let extra = vec![Cycles::default(); ops.len()];
        let each = ops.iter().fold([0; 2], |sum, op| both(sum, core.accesses(op)));
        let runs = Run::all(core, &ops, &watched);
        let (touches, begins) = touches(core, &ops, &watched);
        let accessing = |(number, watched): (usize, &Watched)| {
            let access = core.access_of(&ops[watched.index]).filter(|_| !watched.words.is_empty())?;
            Some((Accessing { access, word: watched.words.start as u32 }, number))
        };
        let (accessing, accessed_by) = watched.iter().enumerate().filter_map(accessing).unzip();
        Self {
            pcs: decoded.iter().map(|each| each.pc).collect(),
            ops,
            watched,
            runs,
            accessing,
            accessed_by,
            touches,
            begins,
            there: None,
            usual,
            usual_sum: usual.sum(),
            times: 0,
            extra,
            each,
        }
    }

    /// From one of the instructions that must be looked at on, goes through all that hit; the one that does not, or how
    /// many there are.
    #[inline]
    pub fn touched(&self, core: &mut C, hart: usize, number: usize, words: &[u64]) -> usize {
        let Some(&begin) = self.begins.get(number) else { return number };
        let touches = &self.touches[begin as usize..];
        let done = core.touch(hart, touches, words);
        touches.get(done).map_or(self.watched.len(), |touching| touching.watched as usize)
    }

    /// Fetches and data accesses of so many executions to its end.
    pub const fn accesses(&self, times: u64) -> [u64; 2] {
        let [fetches, accesses] = self.each;
        [fetches * times, accesses * times]
    }
}

/// All that a block touches, in order, and where those of each instruction begin; none if the core cannot tell what hits.
fn touches<C: Serial>(core: &C, ops: &[C::Op], watched: &[Watched]) -> (Vec<Touching<C::Access>>, Vec<u32>) {
    let (mut touches, mut begins) = (Vec::new(), Vec::new());
    let mut last = None;
    let mut follows_data = false;
    for (number, each) in watched.iter().enumerate() {
        let op = &ops[each.index];
        begins.push(touches.len() as u32);
        let mut push = |touch| touches.push(Touching { touch, watched: number as u32 });
        for fetch in 0..core.fetches(op, false) {
            let Some(line) = core.line_fetched(op, fetch) else { return (Vec::new(), Vec::new()) };
            let again = last == Some(line);
            if !again || follows_data {
                push(Touch::Fetch { line, again });
            }
            (last, follows_data) = (Some(line), false);
        }
        if let Some(access) = core.access_of(op).filter(|_| !each.words.is_empty()) {
            push(Touch::Data { access, word: each.words.start as u32 });
            follows_data = true;
        }
    }
    (touches, begins)
}
