//! How Rocket fetches (rocket-chip 1.2.6, `Frontend.scala`, `ShiftQueue.scala`): three stages and the queue to decode, a
//! cycle at a time. They run ahead of decode, but what a word does to them is known only when its instruction is:
//! here they stand still after the last known word, and go on from there when the next is asked for.

/// Words that the queue holds.
const QUEUE: usize = 5;
/// So many of them hide that a cycle is lost (`fetch_bubble_likely`).
const CROWD: u8 = 2;
/// Cycles after which nothing more happens until a word leaves, whatever comes in them.
const IDLE: i16 = 16;
/// When a word leaves of which that is not known yet.
const OPEN: i16 = i16::MAX;

/// Fetching, relative to now, as it is after the last known word has come to the queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Front {
    /// When that was.
    at: i16,
    /// When the words leave that are in the queue then, the first first.
    leave: [i16; QUEUE],
    held: u8,
    /// Two words or more were in the queue before the last.
    is_crowded: bool,
    /// A word is in a stage.
    first: bool,
    second: bool,
    /// One was in the first stage a cycle before (`RegNext(s1_valid)`).
    came: bool,
    /// The word in the second stage is fetched again, and no stage before it has it yet.
    again: bool,
}

impl Front {
    /// It goes on without a gap after a cycle, from an empty queue.
    pub fn running(at: i16) -> Self {
        Self { at, first: true, second: true, came: true, ..Self::default() }
    }

    /// The same, and a word arrived in that cycle.
    pub fn arrived(at: i16) -> Self {
        let mut front = Self::running(at);
        front.hold();
        front
    }

    fn hold(&mut self) {
        self.leave[usize::from(self.held)] = OPEN;
        self.held += 1;
    }

    /// A cycle goes by; true if a word comes to the queue in it, which it finds with nothing but what was in it before.
    pub fn step(&mut self) -> Step {
        self.at += 1;
        while self.held > 0 && self.leave[0] < self.at {
            self.leave.copy_within(1.., 0);
            self.held -= 1;
            self.leave[usize::from(self.held)] = 0;
        }
        let has_room = match self.held {
            ..=2 => true,
            3 => !(self.first && self.second),
            4 => !self.first && !self.second,
            _ => false,
        };
        let comes = self.came && self.second;
        let repeats = self.second && !comes || self.again;
        if comes {
            self.is_crowded = self.held >= CROWD;
            self.hold();
        }
        (self.came, self.first, self.second) = (self.first, has_room, !repeats);
        self.again = repeats && !has_room;
        Step { comes, repeats }
    }

    /// When the next word comes to the queue.
    pub fn next(&mut self) -> i16 {
        while !self.step().comes {}
        self.at
    }

    /// True if fetching stands still in the next cycle at a word that it does not have yet.
    pub const fn stands(&self) -> bool {
        self.second && !self.came
    }

    /// When the next word comes to the queue, and whether fetching stood still at it before.
    pub fn next_or_stands(&mut self) -> (i16, bool) {
        let mut stood = false;
        loop {
            stood |= self.stands();
            if self.step().comes {
                return (self.at, stood);
            }
        }
    }

    /// The last word and those that come to the queue until then, if it leaves it at a time, and one more in each cycle
    /// from another on.
    pub fn until(mut self, leaves: i16, from: i16, until: i16) -> Ahead {
        let mut ahead = Ahead::default();
        ahead.come(u8::from(self.is_crowded) * CROWD);
        self.leave(leaves.max(self.at));
        for at in from.. {
            if self.next() > until {
                break;
            }
            ahead.come(self.held - 1);
            self.leave(at.max(self.at));
        }
        ahead
    }

    /// The last word had fetching directed elsewhere when it was seen: what came after it is dropped.
    pub fn turn(&mut self) {
        self.second = false;
    }

    /// The last word leaves the queue.
    pub fn leave(&mut self, at: i16) {
        let Some(last) = usize::from(self.held).checked_sub(1).filter(|&last| self.leave[last] == OPEN)
        else {
            return;
        };
        self.leave[last] = if at > self.at { at } else { 0 };
        self.held -= u8::from(at <= self.at);
    }

    /// Time goes on by so many cycles; what is long ago may be taken to be less.
    pub fn pass(&mut self, cycles: i16, may_shorten: bool) {
        self.at -= cycles;
        for time in &mut self.leave[..self.held.into()] {
            *time -= cycles;
        }
        if !may_shorten {
            return;
        }
        let (mut was, mut is) = (0, 0);
        for time in self.leave[..self.held.into()].iter_mut().rev().chain([&mut self.at]) {
            is -= (was - *time).min(IDLE);
            was = *time;
            *time = is;
        }
    }

    /// True if the last word found two or more in the queue.
    pub const fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    /// When the last known word came.
    pub const fn at(&self) -> i16 {
        self.at
    }

    /// True if the next word comes a cycle after the last.
    pub fn goes_on(mut self) -> bool {
        let last = self.at;
        self.next() == last + 1
    }
}

/// Words that were fetched and are fetched again, the next first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ahead {
    words: u8,
    /// For each, two bits: how many words it found in the queue, 3 at most.
    found: u16,
}

impl Ahead {
    /// Words that it has room for.
    const MOST: u8 = 8;

    /// One more is fetched.
    fn come(&mut self, found: u8) {
        if self.words < Self::MOST {
            self.found |= u16::from(found.min(3)) << (2 * self.words);
            self.words += 1;
        }
    }

    /// The next was fetched again.
    pub fn pass(&mut self) {
        self.words = self.words.saturating_sub(1);
        self.found >>= 2;
    }

    pub const fn words(self) -> u8 {
        self.words
    }

    /// True if the queue held enough in a cycle, so many of which fetching has lost.
    pub fn is_crowded(self, cycle: u8, lost: u8) -> bool {
        (self.found >> (2 * cycle) & 3) as u8 >= CROWD + lost
    }

    /// As few bits as it is told by.
    pub const fn bits(self) -> u32 {
        (self.found as u32) << 4 | self.words as u32
    }

    /// What they tell.
    pub const fn of(bits: u32) -> Self {
        Self { words: (bits & 15) as u8, found: (bits >> 4) as u16 }
    }
}

/// What happens in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// A word comes to the queue.
    pub comes: bool,
    /// The word in the second stage is fetched again.
    pub repeats: bool,
}

#[cfg(test)]
mod tests {
    use super::Front;

    #[test]
    fn a_word_a_cycle_comes_while_decode_keeps_up() {
        let mut front = Front::running(0);
        for cycle in 1..20 {
            assert_eq!(front.next(), cycle);
            front.leave(cycle);
        }
        assert!(!front.is_crowded());
    }

    #[test]
    fn a_word_that_directs_fetching_elsewhere_is_followed_by_a_gap() {
        let mut front = Front::running(0);
        front.next();
        front.leave(1);
        assert!(front.goes_on());
        front.turn();
        assert!(!front.goes_on());
        assert_eq!(front.next(), 3);
    }

    #[test]
    fn fetching_stands_still_at_the_word_that_has_no_room() {
        // As in a trace of the RTL: five words wait, and the sixth comes three cycles after the first of them has left.
        let mut front = Front::running(0);
        let stood: Vec<_> = (0..6)
            .map(|word| {
                let came = front.next_or_stands();
                front.leave(10 + word);
                came
            })
            .collect();
        assert_eq!(stood, [(1, false), (2, false), (3, false), (4, false), (5, false), (13, true)]);
    }

    #[test]
    fn long_ago_is_as_if_it_were_less() {
        let at = |cycles| {
            let mut front = Front::running(0);
            front.next();
            front.leave(cycles);
            front.pass(cycles, true);
            front
        };
        assert_eq!(at(100), at(1000));
        assert_ne!(at(3), at(4));
    }
}
