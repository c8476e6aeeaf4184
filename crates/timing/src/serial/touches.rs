//! What a block touches in its hart's own caches: as long as all of that hits, no other hart notices, and every
//! instruction takes the usual time.

use super::block::{Block, Watched};
use super::core::Serial;

/// What is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch<Access> {
    /// The line of an address is fetched from. `again`: the one before it that is fetched from is the same, and between
    /// them is an access to data.
    Fetch { line: u64, again: bool },
    /// Data, at the address that is this one of a record's words.
    Data { access: Access, word: u32 },
}

/// By which of the instructions that must be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touching<Access> {
    pub touch: Touch<Access>,
    pub watched: u32,
}

/// All of a block in order, and where those of each instruction begin; none if the core cannot tell what hits.
pub fn all<C: Serial>(core: &C, ops: &[C::Op], watched: &[Watched]) -> (Vec<Touching<C::Access>>, Vec<u32>) {
    let (mut touches, mut begins) = (Vec::new(), Vec::new());
    let mut last = None;
    let mut is_behind_data = false;
    for (number, each) in watched.iter().enumerate() {
        let op = &ops[each.index];
        begins.push(touches.len() as u32);
        let mut push = |touch| touches.push(Touching { touch, watched: number as u32 });
        for fetch in 0..core.fetches(op, false) {
            let Some(line) = core.line_fetched(op, fetch) else { return (Vec::new(), Vec::new()) };
            let again = last == Some(line);
            if !again || is_behind_data {
                push(Touch::Fetch { line, again });
            }
            (last, is_behind_data) = (Some(line), false);
        }
        if let Some(access) = core.access_of(op).filter(|_| !each.words.is_empty()) {
            push(Touch::Data { access, word: each.words.start as u32 });
            is_behind_data = true;
        }
    }
    (touches, begins)
}

impl<C: Serial> Block<C> {
    /// From one of the instructions that must be looked at on, goes through all that hit; the one that does not, or how
    /// many there are.
    #[inline]
    pub fn touched(&self, core: &mut C, hart: usize, number: usize, words: &[u64]) -> usize {
        let Some(&begin) = self.begins.get(number) else { return number };
        let touches = &self.touches[begin as usize..];
        let done = core.touch(hart, touches, words);
        touches.get(done).map_or(self.watched.len(), |touching| touching.watched as usize)
    }
}
