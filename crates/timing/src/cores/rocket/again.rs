//! What a schedule of Rocket relies on: fetching changes what is remembered, and when it does that depends on the
//! pipeline. A transfer is looked at before what was issued before it; that what it was told then is so is checked.

use super::{Op, Rocket, State, TAKEN, UNFORESEEN};
use crate::core::{Outcome, Relied, USUAL};
use crate::parts::rocket_branch::Foreseen;
use crate::parts::rocket_front::Ahead;

/// Kinds of what is relied on, in the upper bits: the core directed fetching elsewhere from write-back; fetching stood
/// still at a word; a transfer was fetched before, with so many words, its own included; nothing followed an instruction
/// into the pipeline.
const REDIRECTED: u32 = 0;
const STOOD: u32 = 1 << 30;
const REPEATED: u32 = 2 << 30;
const ALONE: u32 = 3 << 30;
const KIND: u32 = 3 << 30;
const JUMPED: u32 = 1 << 29;
const SPANS: u32 = 1 << 28;
const PLACE: u32 = SPANS - 1;

/// Where what is relied on is noted, if it is.
pub struct Noted<'r> {
    pub on: Option<&'r mut Vec<u32>>,
}

impl Noted<'_> {
    /// Nowhere.
    pub const fn nowhere() -> Self {
        Self { on: None }
    }

    fn note(&mut self, what: u32) {
        if let Some(on) = &mut self.on {
            on.push(what);
        }
    }

    /// Write-back directs fetching elsewhere.
    pub fn redirect(&mut self) {
        self.note(REDIRECTED);
    }

    /// An instruction that left decode then is fetched again from write-back, and so is what was fetched after it.
    pub fn refuse(&mut self, state: &mut State, op: &Op, at: i16) {
        state.refuse(at, op.leaves_half);
        self.redirect();
    }

    /// The last instruction was in the memory stage, and nothing after it.
    pub fn leaves_alone(&mut self) {
        self.note(ALONE);
    }

    /// Fetching stood still at a word of an instruction, its last or the one before.
    pub fn stands(&mut self, op: &Op, is_last: bool, jumped: bool) {
        let place = if is_last { op.last } else { op.last.wrapping_sub(1) } & PLACE;
        let (jumped, spans) = (jumped && op.words.1 == 1, op.words.0 == 1 && op.is_upper);
        let flags = if jumped { JUMPED } else { 0 } | if spans && !jumped { SPANS } else { 0 };
        self.note(STOOD | flags | place);
    }

    /// A transfer leaves decode.
    pub fn transfers(&mut self, state: &State) {
        for ahead in state.ahead.iter().rev().filter(|ahead| ahead.words() > 0) {
            self.note(REPEATED | ahead.bits());
        }
    }
}

/// What came of what is relied on in a stretch so far.
#[derive(Default)]
pub struct Heeded {
    /// What the transfer of the stretch was told.
    pub told: Outcome,
    /// How much of what is relied on has changed what is remembered.
    done: usize,
    passed: usize,
    /// The transfer is told something else.
    other: bool,
}

impl Rocket {
    /// What is relied on changes what is remembered; true if the transfer is told what it was.
    pub(super) fn heed(&self, what: u32) -> bool {
        let (mut predictor, mut heeded) = (self.predictor.borrow_mut(), self.heeded.borrow_mut());
        heeded.done += 1;
        let foreseen = match what & KIND {
            REDIRECTED => predictor.redirect(),
            ALONE => predictor.leave_alone(),
            STOOD => {
                let is_it = |word: u64| (word >> 2) as u32 & PLACE == what & PLACE;
                predictor.stand_at(is_it, what & JUMPED != 0, what & SPANS != 0)
            }
            _ => predictor.repeat(Ahead::of(what & !KIND)),
        };
        let told = foreseen.map_or(heeded.told, outcome);
        heeded.other |= told != heeded.told;
        heeded.told = told;
        !heeded.other
    }

    /// The same, of what comes again in the same order after it was found that it is not so.
    pub(super) fn heed_once(&self, what: u32) {
        let is_done = {
            let mut heeded = self.heeded.borrow_mut();
            heeded.passed += 1;
            heeded.passed <= heeded.done
        };
        if !is_done {
            self.heed(what);
        }
    }

    /// Notes what an instruction relies on, and whether that is so.
    pub(super) fn rely(&self, relied: &mut Relied, from: usize) {
        relied.broken |= !relied.on[from..].iter().all(|&what| self.heed(what));
    }
}

/// Of a transfer that was foreseen so.
pub fn outcome(foreseen: Foreseen) -> Outcome {
    match foreseen {
        Foreseen::AfterFetch => super::AFTER_FETCH | TAKEN,
        Foreseen::Not => UNFORESEEN,
        Foreseen::Elsewhere => UNFORESEEN | TAKEN,
        Foreseen::AtOnce => TAKEN,
        Foreseen::Straight => USUAL,
    }
}
