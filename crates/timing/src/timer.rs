//! The timer: hears what was executed, and knows what time it is.

use std::collections::BTreeMap;

use engine::Program;
use engine::block::BlockId;
use engine::observer::Observer;
use engine::timed::Record;

use crate::core::{Core, Event, Outcome, Spent, USUAL};
use crate::instruction::Instruction;
use crate::schedule::{Known, Pipeline, Watched};

/// The time of a guest on some core.
pub trait Timing {
    /// A block was executed.
    fn pass(&mut self, program: &Program, record: &Record<'_>);

    /// Blocks have other numbers from now on.
    fn renumbered(&mut self);

    /// Cycles so far.
    fn cycles(&self) -> u64;

    /// Cycles as the only instruction of a block reads them, which is executed next.
    fn cycles_in(&mut self, program: &Program, next: &Record<'_>) -> u64;

    /// How often each instruction was executed, and what its cycles were spent on.
    fn account(&self) -> Account;
}

/// How time is told.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Schedules are computed once only; time is the same either way.
    pub remembers: bool,
    /// Accounts tell addresses apart; if not, all is under address 0.
    pub by_address: bool,
}

/// Executions and cycles by address.
pub type Account = BTreeMap<u64, (u64, Spent)>;

fn add(account: &mut Account, pc: u64, times: u64, spent: &Spent) {
    let (executions, total) = account.entry(pc).or_default();
    *executions += times;
    total.add(spent, times);
}

/// A block and the addresses of its instructions.
type Block<C> = (Vec<u64>, Known<C>);

/// The time of a guest on one core.
pub struct On<C: Core> {
    core: C,
    pipeline: Pipeline<C>,
    /// By number of the block.
    known: Vec<Option<Box<Block<C>>>>,
    /// Of schedules that are not remembered, or no longer.
    told: Account,
    /// Whether accounts tell addresses apart, which takes memory for each instruction a guest ever executes.
    by_address: bool,
    outcomes: Vec<Outcome>,
    /// Of the instruction that comes next, if it was looked at already.
    seen: Option<Outcome>,
    cycles: u64,
}

impl<C: Core> On<C> {
    /// At reset.
    pub fn new(core: C, options: Options) -> Self {
        let pipeline = Pipeline::new(options.remembers);
        Self {
            core,
            pipeline,
            known: Vec::new(),
            told: Account::new(),
            by_address: options.by_address,
            outcomes: Vec::new(),
            seen: None,
            cycles: 0,
        }
    }

    fn know(core: &C, program: &Program, record: &Record<'_>) -> Block<C> {
        let (mut ops, mut watched, mut words) = (Vec::new(), Vec::new(), 0);
        for (index, decoded) in record.block.decoded.iter().enumerate() {
            let instruction = Instruction::of(program, decoded);
            let op = core.has(instruction.class).then(|| core.prepare(&instruction, index == 0));
            let end = words + instruction.words;
            if op.as_ref().is_some_and(|op| core.watches(op)) {
                let next = record.block.decoded.get(index + 1).map(|next| next.pc);
                watched.push(Watched { index, words: words..end, next });
            }
            ops.push(op);
            words = end;
        }
        (record.block.decoded.iter().map(|decoded| decoded.pc).collect(), Known::new(ops, watched))
    }

    /// A block, known from now on; it is to be put back.
    fn take(&mut self, id: BlockId, program: &Program, record: &Record<'_>) -> Box<Block<C>> {
        if self.pipeline.is_full() {
            self.renumbered();
            self.pipeline.forget();
        }
        let index = id.number() as usize;
        if index >= self.known.len() {
            self.known.resize_with(index + 1, || None);
        }
        self.known[index].take().unwrap_or_else(|| Box::new(Self::know(&self.core, program, record)))
    }

    fn advance(&mut self, (pcs, known): &mut Block<C>, record: &Record<'_>) {
        self.outcomes.clear();
        let mut seen = self.seen.take();
        for watched in &known.watched {
            if watched.index >= record.retired {
                break;
            }
            let event = Event {
                words: &record.words[watched.words.clone()],
                next: watched.next.unwrap_or(record.next),
            };
            let op = known.ops[watched.index].as_ref();
            let look = || op.map_or(USUAL, |op| self.core.look(op, &event));
            self.outcomes.push(seen.take().unwrap_or_else(look));
        }
        let place = |pc| if self.by_address { pc } else { 0 };
        let tell = |index: usize, spent: &Spent| add(&mut self.told, place(pcs[index]), 1, spent);
        let cycles = self.pipeline.pass(&self.core, known, record.retired, &self.outcomes, tell);
        self.cycles += cycles;
        self.core.settle(self.pipeline.state());
        if let Some(&pc) = pcs.get(record.retired) {
            let spent = self.pipeline.trap(&self.core);
            self.cycles += spent.cycles();
            self.told.entry(place(pc)).or_default().1.add(&spent, 1);
        }
    }
}

impl<C: Core> Timing for On<C> {
    fn pass(&mut self, program: &Program, record: &Record<'_>) {
        let Some(id) = record.id else {
            let mut known = Self::know(&self.core, program, record);
            return self.advance(&mut known, record);
        };
        let mut known = self.take(id, program, record);
        self.advance(&mut known, record);
        self.known[id.number() as usize] = Some(known);
    }

    fn renumbered(&mut self) {
        self.told = self.account();
        self.known.clear();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn cycles_in(&mut self, program: &Program, next: &Record<'_>) -> u64 {
        let (Some(id), 1) = (next.id, next.block.decoded.len()) else { return self.cycles };
        let block = self.take(id, program, next);
        let known = &block.1;
        let mut waits = 0;
        if let Some(op) = &known.ops[0] {
            let event = Event { words: next.words, next: next.next };
            // Caches see it once.
            let outcome = known.watched.first().map(|_| self.core.look(op, &event));
            self.seen = outcome;
            waits = self.core.reads_after(self.pipeline.state(), op, outcome.unwrap_or(USUAL));
        }
        self.known[id.number() as usize] = Some(block);
        self.cycles + u64::from(waits)
    }

    fn account(&self) -> Account {
        let mut account = self.told.clone();
        for (pcs, known) in self.known.iter().flatten().map(|block| &**block) {
            known.replay(&self.core, &self.pipeline, |index, times, spent| {
                let place = if self.by_address { pcs[index] } else { 0 };
                add(&mut account, place, times, spent);
            });
        }
        account
    }
}

/// Observes a run for its time.
pub struct Timer<'p> {
    program: &'p Program,
    timing: Box<dyn Timing>,
}

impl<'p> Timer<'p> {
    /// Times a program.
    pub fn new(program: &'p Program, timing: Box<dyn Timing>) -> Self {
        Self { program, timing }
    }

    /// How often each instruction was executed, and what its cycles were spent on.
    pub fn account(&self) -> Account {
        self.timing.account()
    }
}

impl Observer for Timer<'_> {
    const TIMED: bool = true;

    fn executed(&mut self, record: &Record<'_>) {
        self.timing.pass(self.program, record);
    }

    fn renumbered(&mut self) {
        self.timing.renumbered();
    }

    fn cycles(&self) -> u64 {
        self.timing.cycles()
    }

    fn cycles_in(&mut self, next: &Record<'_>) -> u64 {
        self.timing.cycles_in(self.program, next)
    }
}
