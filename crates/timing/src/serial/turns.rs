//! Several harts on such a core each: what they execute is timed access by access in the order of their time, so that
//! what they share sees them in that order.
//!
//! A hart executes ahead of its time, a turn ([`engine::Observer::next_turn`]); what it executed waits in its queue. Of
//! all harts with something to do, the one whose time is the least goes on: through accesses that no other hart can
//! notice to one that others can, which is done only while its time is the least; and when its queue is empty, it has
//! the next turn.

use engine::timed::Record;

use super::OnSerial;
use super::block::Block;
use super::core::{Serial, Step, both};
use super::cycles::Cycles;
use crate::dump::Work;

/// Marks the number of a block without one.
pub const LOOSE: u64 = 1 << 32;
/// Words of an execution in a queue before what it noted: its block's number, instructions that retired, words noted.
const HEADER: usize = 3;

/// The harts.
pub struct Harts {
    each: Vec<Hart>,
    turn: usize,
    /// No other hart has anything to do.
    alone: bool,
}

/// A hart.
#[derive(Default)]
struct Hart {
    /// The cycle at which its next access begins.
    now: u64,
    /// Executions whose time is not known yet, and where the first one begins.
    queue: Vec<u64>,
    first: usize,
    /// When that one began, and later by what it took beyond the usual.
    began: u64,
    /// How far it is: among what must be looked at, and in that.
    watched: usize,
    step: u64,
    /// What was looked at so far took this.
    taken: Cycles,
    /// Instructions retired, and cycles in which it was not without anything to do.
    instructions: u64,
    busy: u64,
    /// Each instruction's cycles beyond the usual, of an execution that is not counted with its block.
    each: Vec<(usize, Cycles)>,
}

impl Hart {
    fn is_done(&self) -> bool {
        self.first == self.queue.len()
    }
}

impl Harts {
    /// This many harts, at reset.
    pub fn new(count: usize) -> Self {
        let each = std::iter::repeat_with(Hart::default).take(count.max(1)).collect();
        Self { each, turn: 0, alone: true }
    }

    pub const fn count(&self) -> usize {
        self.each.len()
    }

    /// Whose turn it is.
    pub const fn turn(&self) -> usize {
        self.turn
    }

    /// True if what is executed now can be timed at once.
    pub const fn are_alone(&self) -> bool {
        self.alone
    }

    /// A hart's time.
    pub fn now(&self, hart: usize) -> u64 {
        self.each[hart].now
    }

    /// A hart was at work until then, and has retired more instructions.
    pub fn work(&mut self, hart: usize, now: u64, retired: usize) {
        let hart = &mut self.each[hart];
        hart.busy += now - hart.began;
        hart.instructions += retired as u64;
        (hart.now, hart.began) = (now, now);
    }

    /// What each did so far.
    pub fn work_of_each(&self) -> Vec<Work> {
        self.each.iter().map(|hart| Work { instructions: hart.instructions, cycles: hart.busy }).collect()
    }

    /// The time of the hart that is furthest.
    pub fn last(&self) -> u64 {
        self.each.iter().map(|hart| hart.now).max().unwrap_or(0)
    }

    /// A hart goes on at the time of another one, unless it is later.
    pub fn wake(&mut self, hart: usize, by: usize) {
        let now = self.now(hart).max(self.now(by));
        (self.each[hart].now, self.each[hart].began) = (now, now);
    }

    /// The hart whose turn it is executed a block.
    pub fn push(&mut self, block: u64, record: &Record<'_>) {
        let hart = &mut self.each[self.turn];
        hart.queue.extend([block, record.retired as u64, record.words.len() as u64]);
        hart.queue.extend(record.words);
    }

    /// Of some harts the first one by its time.
    fn first_of(&self, harts: u64) -> Option<(u64, usize)> {
        let among = (0..self.each.len()).filter(|hart| harts >> hart & 1 != 0);
        among.map(|hart| (self.each[hart].now, hart)).min()
    }

    /// Those that executed what is not timed yet.
    fn busy(&self) -> u64 {
        let each = self.each.iter().enumerate();
        each.fold(0, |busy, (number, hart)| busy | u64::from(!hart.is_done()) << number)
    }
}

impl<C: Serial> OnSerial<C> {
    /// Times what was executed, until the hart that comes next has executed nothing yet: it has the next turn.
    pub(super) fn take_turns(&mut self, ready: u64) -> usize {
        loop {
            let all = ready | self.harts.busy();
            let Some((_, hart)) = self.harts.first_of(all) else { return self.harts.turn };
            if self.harts.each[hart].is_done() {
                self.harts.turn = hart;
                self.harts.alone = all == 1 << hart;
                return hart;
            }
            let other = self.harts.first_of(all & !(1 << hart));
            self.go_on(hart, other.unwrap_or((u64::MAX, usize::MAX)));
        }
    }

    /// Times all that was executed.
    pub(super) fn take_all_turns(&mut self) {
        while let busy @ 1.. = self.harts.busy()
            && let Some((_, hart)) = self.harts.first_of(busy)
        {
            let other = self.harts.first_of(busy & !(1 << hart));
            self.go_on(hart, other.unwrap_or((u64::MAX, usize::MAX)));
        }
        self.loose.clear();
    }

    /// Times all that a hart executed.
    pub(super) fn catch_up(&mut self, hart: usize) {
        self.go_on(hart, (u64::MAX, usize::MAX));
    }

    /// Times what a hart executed up to an access that others may notice and that begins when another hart is first.
    fn go_on(&mut self, number: usize, other: (u64, usize)) {
        loop {
            let hart = &mut self.harts.each[number];
            if hart.is_done() {
                hart.queue.clear();
                hart.first = 0;
                return;
            }
            let place = hart.queue[hart.first];
            let retired = hart.queue[hart.first + 1] as usize;
            let end = hart.first + HEADER + hart.queue[hart.first + 2] as usize;
            let is_over = if place & LOOSE == 0 {
                // It was known when it was put there.
                let Some(mut block) = self.known.take(place as usize) else { return };
                let is_over = self.pass_through(number, &mut block, retired, other);
                self.known.put(place as usize, block);
                is_over
            } else {
                let index = (place & !LOOSE) as usize;
                let Some(mut block) = self.loose[index].take() else { return };
                let is_over = self.pass_through(number, &mut block, retired, other);
                if is_over {
                    self.forget(&block);
                } else {
                    self.loose[index] = Some(block);
                }
                is_over
            };
            if !is_over {
                return;
            }
            self.harts.each[number].first = end;
        }
    }

    /// Times a block that a hart executed, from where it was left. False if another hart comes first.
    fn pass_through(
        &mut self,
        number: usize,
        block: &mut Block<C>,
        retired: usize,
        other: (u64, usize),
    ) -> bool {
        let is_apart = retired < block.ops.len() || self.keeps(number);
        let hart = &mut self.harts.each[number];
        loop {
            if hart.step == 0 && !is_apart {
                let words = &hart.queue[hart.first + HEADER..];
                hart.watched = block.touched(&mut self.core, number, hart.watched, words);
            }
            let watched = block.watched.get(hart.watched).filter(|watched| watched.index < retired);
            let Some(watched) = watched else { break };
            let op = &block.ops[watched.index];
            let usual = self.core.usual(op);
            let fetches = self.core.fetches(op, false);
            if hart.step == 0 {
                hart.now = hart.began + watched.before;
                hart.taken = Cycles::default();
                if fetches == 0 {
                    hart.taken.fetch = usual.fetch;
                    hart.now += watched.fetch;
                }
            }
            while hart.step <= fetches {
                let words = hart.first + HEADER + watched.words.start;
                let noted = (!watched.words.is_empty()).then(|| hart.queue[words]);
                let step = if hart.step < fetches { Step::Fetch(hart.step) } else { Step::Data(noted) };
                let took = match self.core.step_alone(number, op, step) {
                    Some(took) => took,
                    None if (hart.now, number) > other => return false,
                    None => self.core.step(number, op, step, hart.now) - hart.now,
                };
                hart.now += took;
                *(if hart.step < fetches { &mut hart.taken.fetch } else { &mut hart.taken.data }) +=
                    took as i64;
                hart.step += 1;
            }
            let (fetch, data) = (hart.taken.fetch - usual.fetch, hart.taken.data - usual.data);
            let more = Cycles { fetch, data, unmodelled: 0 };
            if is_apart {
                hart.each.push((watched.index, more));
            } else {
                block.extra[watched.index] = block.extra[watched.index].and(more);
            }
            hart.began = hart.began.wrapping_add_signed(more.sum());
            hart.busy = hart.busy.wrapping_add_signed(more.sum());
            hart.watched += 1;
            hart.step = 0;
        }
        self.leave(number, block, retired, other)
    }

    /// The rest of a block, after all that must be looked at.
    fn leave(&mut self, number: usize, block: &mut Block<C>, retired: usize, other: (u64, usize)) -> bool {
        let mut end = self.harts.each[number].began;
        if let Some(op) = block.ops.get(retired) {
            let before: i64 = block.ops[..retired].iter().map(|op| self.core.usual(op).sum()).sum();
            let hart = &mut self.harts.each[number];
            if hart.step == 0 {
                hart.now = hart.began.wrapping_add_signed(before);
            }
            while hart.step < self.core.fetches(op, true) {
                let step = Step::Fetch(hart.step);
                let took = match self.core.step_alone(number, op, step) {
                    Some(took) => took,
                    None if (hart.now, number) > other => return false,
                    None => self.core.step(number, op, step, hart.now) - hart.now,
                };
                hart.now += took;
                hart.step += 1;
            }
            end = hart.now;
        } else {
            end = end.wrapping_add_signed(block.usual.sum());
        }
        let is_whole = retired >= block.ops.len();
        let hart = &mut self.harts.each[number];
        let each = std::mem::take(&mut hart.each);
        let rest = hart.began;
        (hart.watched, hart.step) = (0, 0);
        self.harts.work(number, end, retired.min(block.ops.len()));
        if is_whole && !self.keeps(number) {
            block.times += 1;
            return true;
        }
        let mut extra = each.into_iter().peekable();
        let mut spent = 0;
        for index in 0..retired.min(block.ops.len()) {
            let op = &block.ops[index];
            let usual = self.core.usual(op);
            spent += usual.sum();
            self.accesses = both(self.accesses, self.core.accesses(op));
            let more = extra.next_if(|&(at, _)| at == index).map_or_else(Cycles::default, |(_, more)| more);
            self.executed(number, block.pcs[index], usual.and(more));
        }
        if let Some(op) = block.ops.get(retired) {
            let taken = Cycles { fetch: (end as i64).wrapping_sub(rest as i64) - spent, ..Cycles::default() };
            self.trapped(number, block.pcs[retired], op, taken);
        }
        true
    }
}
