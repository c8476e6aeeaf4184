//! Instructions whose fetches are looked at together.

use std::ops::Range;

use super::block::Watched;
use super::core::Serial;
use crate::memory::pages::PAGE;

/// Instructions that are fetched one after the other; the last one may do something else besides.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where their words are; some may be fetched twice. Of words in two pages none: these are looked at alone.
    pub bytes: Range<u64>,
    /// Fetches of each, and of all.
    pub words: Vec<u64>,
    pub fetches: u64,
    /// Cycles from the end of the run before, if it is not the block's first one.
    pub pause: u64,
    /// Which they are of those that must be looked at.
    pub first: usize,
    /// Of the last one, if it accesses data: which it is of all, and where its address is among a record's words.
    pub data: Option<(usize, usize)>,
}

impl Run {
    /// All that must be looked at, in such runs; none if that is not worth it.
    pub fn all<C: Serial>(core: &C, ops: &[C::Op], watched: &[Watched]) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        let (mut is_open, mut pause) = (false, 0);
        for (number, each) in watched.iter().enumerate() {
            let op = &ops[each.index];
            let Some(bytes) = core.span(op) else { return Vec::new() };
            let words = core.accesses(op)[0];
            match runs.last_mut() {
                Some(run)
                    if is_open
                        && !run.bytes.is_empty()
                        && run.bytes.start / PAGE == (bytes.end - 1) / PAGE =>
                {
                    run.bytes.end = bytes.end;
                    run.words.push(words);
                    run.fetches += words;
                }
                _ => {
                    let is_in_page = bytes.start / PAGE == (bytes.end - 1) / PAGE;
                    let bytes = if is_in_page { bytes } else { bytes.start..bytes.start };
                    runs.push(Self {
                        bytes,
                        words: vec![words],
                        fetches: words,
                        pause,
                        first: number,
                        data: None,
                    });
                }
            }
            let accesses = core.accesses(op)[1] != 0 && !each.words.is_empty();
            if let Some(run) = runs.last_mut().filter(|_| accesses) {
                run.data = Some((each.index, each.words.start));
            }
            pause = core.usual(op).unmodelled as u64;
            is_open = core.accesses(op)[1] == 0 && pause == 0;
        }
        runs
    }
}

/// The runs of a block that was executed.
pub struct Runs<'a, Op> {
    pub runs: &'a [Run],
    pub ops: &'a [Op],
    /// What the block's instructions noted.
    pub words: &'a [u64],
}

/// How far they are timed: which run comes next, and how many of its instructions are fetched.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Place {
    pub run: usize,
    pub fetched: usize,
}

impl Place {
    /// Where the run after it begins.
    pub const fn next(self) -> Self {
        Self { run: self.run + 1, fetched: 0 }
    }
}
