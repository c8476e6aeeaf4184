//! Cores that do one access at a time, each to its end: their time is the sum of what their accesses take, so that there
//! is no pipeline whose state decides what follows.

use engine::Program;
use engine::timed::Record;
use hart::pages::Change;

use crate::core::{Event, Spent};
use crate::dump::Work;
use crate::memory::Seen;
use crate::memory::description::MOST_HARTS;
use crate::steps::Kept;
use crate::timer::{Account, Timing};

mod block;
mod core;
mod cycles;
mod known;
mod run;
mod touches;
mod turns;

pub use self::block::Accessing;
use self::block::{Block, Watched};
use self::core::both;
pub use self::core::{Serial, Step};
pub use self::cycles::Cycles;
use self::known::{Known, Part};
pub use self::run::{Place, Runs};
pub use self::touches::{Touch, Touching};
use self::turns::Harts;

/// The time of a guest on such a core.
pub struct OnSerial<C: Serial> {
    core: C,
    known: Known<C>,
    told: Account,
    by_address: bool,
    harts: Harts,
    /// [`OnSerial::fetched`] of the hart whose turn it is.
    fetched_now: Option<u64>,
    /// Fetches and data accesses of what is not counted with its block.
    accesses: [u64; 2],
    kept: Kept,
    /// Blocks without a number whose time is not known yet.
    loose: Vec<Option<Block<C>>>,
}

impl<C: Serial> OnSerial<C> {
    /// At reset.
    pub fn new(core: C, by_address: bool) -> Self {
        Self {
            harts: Harts::new(core.harts()),
            fetched_now: None,
            core,
            known: Known::default(),
            told: Account::new(),
            by_address,
            accesses: [0; 2],
            kept: Kept::default(),
            loose: Vec::new(),
        }
    }

    /// Steps are those of the first hart.
    fn keeps(&self, hart: usize) -> bool {
        hart == 0 && self.kept.is_open()
    }

    fn advance(&mut self, block: &mut Block<C>, record: &Record<'_>) {
        let hart = self.harts.turn();
        if record.retired < block.ops.len() || self.keeps(hart) {
            self.advance_each(hart, block, record);
            self.fetched_now = self.fetched(hart);
            return;
        }
        block.times += 1;
        if !block.runs.is_empty() {
            // Only cores without an instruction cache have any: nothing is known to be fetched again.
            let now = self.advance_runs(hart, block, record);
            self.harts.work(hart, now.wrapping_add_signed(block.usual_sum), block.ops.len());
            return;
        }
        let fetched = self.fetched(hart);
        let now = if fetched.is_some() && fetched == block.there {
            advance_there(&mut self.core, hart, self.harts.now(hart), block, record, 0)
        } else {
            let now = self.advance_all(hart, block, record);
            block.there = fetched.filter(|_| fetched == self.fetched(hart));
            now
        };
        self.fetched_now = self.fetched(hart);
        self.harts.work(hart, now.wrapping_add_signed(block.usual_sum), block.ops.len());
    }

    /// As long as this is the same, what the hart fetched last it may fetch again in the usual time.
    #[inline]
    fn fetched(&self, hart: usize) -> Option<u64> {
        self.core.fetch_changes(hart).map(|changes| changes * MOST_HARTS as u64 + hart as u64)
    }

    /// What most executions are: all is fetched again that was fetched last, and what is accessed was used last. False:
    /// this is not one.
    #[inline]
    fn repeat(&mut self, index: usize, record: &Record<'_>) -> bool {
        let hart = self.harts.turn();
        let Some(there) = self.known.hot(index).and_then(|hot| hot.there) else { return false };
        if self.fetched_now != Some(there) || self.keeps(hart) {
            return false;
        }
        let Some(Part { hot, accessing, block }) = self.known.part(index) else { return false };
        if record.retired < hot.instructions as usize {
            return false;
        }
        let done = self.core.access_last(hart, accessing, record.words);
        let mut now = self.harts.now(hart);
        if done < accessing.len() {
            now = advance_there(&mut self.core, hart, now, block, record, done);
            self.fetched_now = None;
        }
        hot.times += 1;
        self.harts.work(hart, now.wrapping_add(hot.usual), hot.instructions as usize);
        if self.fetched_now.is_none() {
            self.fetched_now = self.fetched(hart);
        }
        true
    }

    fn advance_all(&mut self, hart: usize, block: &mut Block<C>, record: &Record<'_>) -> u64 {
        let mut now = self.harts.now(hart);
        let mut number = 0;
        loop {
            number = block.touched(&mut self.core, hart, number, record.words);
            let Some(watched) = block.watched.get(number) else { return now };
            let op = &block.ops[watched.index];
            let more = self.core.look(hart, op, &event(watched, record), now + watched.before);
            count(&mut block.extra[watched.index], &mut now, more);
            number += 1;
        }
    }

    /// What must be looked at is so in runs.
    fn advance_runs(&mut self, hart: usize, block: &mut Block<C>, record: &Record<'_>) -> u64 {
        let mut now = self.harts.now(hart);
        let Block { ops, watched, runs, extra, .. } = block;
        let core = &mut self.core;
        let all = Runs { runs, ops, words: record.words };
        let mut place = Place::default();
        while let Some(run) = runs.get(place.run) {
            let begin = now + watched[run.first + place.fetched].before;
            let late = |number: usize, more: Cycles| count(&mut extra[watched[number].index], &mut now, more);
            place = core.pass_runs(hart, &all, place, begin, late);
            let Some(run) = runs.get(place.run) else { break };
            let number = run.first + place.fetched;
            if place.fetched < run.words.len() {
                let watched = &watched[number];
                let (op, begin) = (&ops[watched.index], now + watched.before);
                let more = core.look(hart, op, &event(watched, record), begin);
                count(&mut extra[watched.index], &mut now, more);
                place.fetched += 1;
            } else {
                // All but the last one's access.
                let last = &watched[number - 1];
                let fetched = now + last.before + last.fetch;
                let more = core.look_at_data(hart, &ops[last.index], &event(last, record), fetched);
                count(&mut extra[last.index], &mut now, more);
            }
            if place.fetched == run.words.len() {
                place = place.next();
            }
        }
        now
    }

    /// Instruction by instruction: not all were executed, or each is kept.
    fn advance_each(&mut self, hart: usize, block: &Block<C>, record: &Record<'_>) {
        let mut now = self.harts.now(hart);
        let mut watched = block.watched.iter().peekable();
        for index in 0..record.retired.min(block.ops.len()) {
            let op = &block.ops[index];
            let mut taken = self.core.usual(op);
            if let Some(watched) = watched.next_if(|watched| watched.index == index) {
                let words = &record.words[watched.words.clone()];
                let event = Event { words, next: watched.next.unwrap_or(record.next) };
                taken = taken.and(self.core.look(hart, op, &event, now));
            }
            now = now.wrapping_add_signed(taken.sum());
            self.accesses = both(self.accesses, self.core.accesses(op));
            self.executed(hart, block.pcs[index], taken);
        }
        if let Some(op) = block.ops.get(record.retired) {
            let taken = self.core.trap(hart, op, now);
            now = now.wrapping_add_signed(taken.sum());
            self.trapped(hart, block.pcs[record.retired], op, taken);
        }
        self.harts.work(hart, now, record.retired.min(block.ops.len()));
    }

    /// An instruction was executed that is not counted with its block.
    fn executed(&mut self, hart: usize, pc: u64, taken: Cycles) {
        let spent = taken.spent();
        tell(&mut self.told, if self.by_address { pc } else { 0 }, 1, &spent);
        if self.keeps(hart)
            && let Some(steps) = self.kept.open()
        {
            steps.push(pc, &spent);
        }
    }

    /// One trapped.
    fn trapped(&mut self, hart: usize, pc: u64, op: &C::Op, taken: Cycles) {
        self.accesses[0] += self.core.accesses(op)[0];
        let spent = taken.spent();
        tell(&mut self.told, if self.by_address { pc } else { 0 }, 0, &spent);
        if self.keeps(hart)
            && let Some(steps) = self.kept.open()
        {
            steps.push_trap(&spent);
        }
    }

    /// A block that is not executed again.
    fn forget(&mut self, block: &Block<C>) {
        let mut told = std::mem::take(&mut self.told);
        self.tell_of(block, block.times, &mut told);
        self.told = told;
        self.accesses = both(self.accesses, block.accesses(block.times));
    }

    /// Fetches and data accesses so far.
    fn accesses(&self) -> [u64; 2] {
        self.known.iter().fold(self.accesses, |sum, (block, times)| both(sum, block.accesses(times)))
    }

    fn tell_of(&self, block: &Block<C>, times: u64, account: &mut Account) {
        for (index, op) in block.ops.iter().enumerate() {
            let spent = block.extra[index].and(self.core.usual(op).times(times)).spent();
            let place = if self.by_address { block.pcs[index] } else { 0 };
            tell(account, place, times, &spent);
        }
    }
}

/// All that is fetched is where it was, and so many of the accesses are done; the cycle after it, but for the usual.
#[inline(never)]
fn advance_there<C: Serial>(
    core: &mut C,
    hart: usize,
    mut now: u64,
    block: &mut Block<C>,
    record: &Record<'_>,
    mut done: usize,
) -> u64 {
    done += core.access_last(hart, &block.accessing[done..], record.words);
    while let Some(&number) = block.accessed_by.get(done) {
        let watched = &block.watched[number];
        let begin = now + watched.before + watched.fetch;
        let more = core.look_at_data(hart, &block.ops[watched.index], &event(watched, record), begin);
        count(&mut block.extra[watched.index], &mut now, more);
        done += 1;
        done += core.access_last(hart, &block.accessing[done..], record.words);
    }
    now
}

/// What a core learns of an execution.
fn event<'a>(watched: &Watched, record: &Record<'a>) -> Event<'a> {
    Event { words: &record.words[watched.words.clone()], next: watched.next.unwrap_or(record.next) }
}

/// An execution took more than usual.
#[inline]
fn count(extra: &mut Cycles, now: &mut u64, more: Cycles) {
    if more != Cycles::default() {
        *extra = extra.and(more);
        *now = now.wrapping_add_signed(more.sum());
    }
}

/// Executions, and what all of them spent.
fn tell(account: &mut Account, place: u64, times: u64, spent: &Spent) {
    let (executions, total) = account.entry(place).or_default();
    *executions += times;
    total.add(spent, 1);
}

impl<C: Serial> Timing for OnSerial<C> {
    fn pages_changed(&mut self, change: &Change) {
        self.catch_up(self.harts.turn());
        self.core.pages_changed(change);
        self.fetched_now = self.fetched(self.harts.turn());
    }

    fn pass(&mut self, program: &Program, record: &Record<'_>) {
        let Some(id) = record.id else {
            let mut known = Block::of(&self.core, program, record);
            if self.harts.are_alone() {
                self.advance(&mut known, record);
                self.forget(&known);
            } else {
                self.harts.push(turns::LOOSE | self.loose.len() as u64, record);
                self.loose.push(Some(known));
            }
            return;
        };
        let index = id.number() as usize;
        if self.harts.are_alone() && self.repeat(index, record) {
            return;
        }
        let known = self.known.take(index);
        let mut known = known.unwrap_or_else(|| Box::new(Block::of(&self.core, program, record)));
        if self.harts.are_alone() {
            self.advance(&mut known, record);
        } else {
            self.harts.push(index as u64, record);
        }
        self.known.put(index, known);
    }

    fn renumbered(&mut self) {
        self.finish();
        self.told = self.account();
        self.accesses = self.accesses();
        self.known.clear();
    }

    fn cycles(&self) -> u64 {
        self.harts.now(self.harts.turn())
    }

    fn elapsed(&self) -> u64 {
        self.harts.last()
    }

    fn harts(&self) -> usize {
        self.harts.count()
    }

    fn next_turn(&mut self, ready: u64) -> usize {
        let hart = self.take_turns(ready);
        self.fetched_now = self.fetched(hart);
        hart
    }

    fn wake(&mut self, hart: usize, by: usize) {
        self.catch_up(by);
        self.harts.wake(hart, by);
    }

    fn work_of_each(&self) -> Vec<Work> {
        self.harts.work_of_each()
    }

    fn finish(&mut self) {
        self.take_all_turns();
    }

    fn until_seen(&self, _: &Program, _: &engine::block::Block) -> u64 {
        0
    }

    fn seen(&self) -> Vec<Seen> {
        self.core.seen(self.accesses())
    }

    fn account(&self) -> Account {
        let mut account = self.told.clone();
        self.known.iter().for_each(|(block, times)| self.tell_of(block, times, &mut account));
        account
    }

    fn spent(&self) -> Spent {
        let mut whole = Spent::default();
        self.account().values().for_each(|(_, spent)| whole.add(spent, 1));
        whole
    }

    fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }
}
