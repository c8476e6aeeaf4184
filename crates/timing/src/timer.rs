//! The timer: hears what was executed, and knows what time it is.

use std::collections::BTreeMap;

use engine::Program;
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

/// Most instructions of a stretch: what is unusual about one of them is computed anew for all.
const STRETCH: usize = 32;

/// The addresses of a block's instructions, and its stretches.
type Block<C> = (Vec<u64>, Vec<Known<C>>);

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
            cycles: 0,
        }
    }

    fn know(core: &C, program: &Program, record: &Record<'_>) -> Block<C> {
        let decoded = &record.block.decoded;
        let (mut stretches, mut words) = (Vec::new(), 0);
        for begin in (0..decoded.len()).step_by(STRETCH) {
            let (mut ops, mut watched) = (Vec::new(), Vec::new());
            for at in begin..decoded.len().min(begin + STRETCH) {
                let instruction = Instruction::of(program, &decoded[at]);
                let op = core.has(instruction.class).then(|| core.prepare(&instruction, at == 0));
                let end = words + instruction.words;
                if op.as_ref().is_some_and(|op| core.watches(op)) {
                    let next = decoded.get(at + 1).map(|next| next.pc);
                    watched.push(Watched { index: at - begin, words: words..end, next });
                }
                ops.push(op);
                words = end;
            }
            stretches.push(Known::new(ops, watched));
        }
        (decoded.iter().map(|decoded| decoded.pc).collect(), stretches)
    }

    fn advance(&mut self, (pcs, stretches): &mut Block<C>, record: &Record<'_>) {
        let place = |pc| if self.by_address { pc } else { 0 };
        for (number, known) in stretches.iter_mut().enumerate() {
            let begin = number * STRETCH;
            let retired = known.ops.len().min(record.retired.saturating_sub(begin));
            if retired == 0 {
                break;
            }
            self.outcomes.clear();
            for watched in known.watched.iter().take_while(|watched| watched.index < retired) {
                let event = Event {
                    words: &record.words[watched.words.clone()],
                    next: watched.next.unwrap_or(record.next),
                };
                let op = known.ops[watched.index].as_ref();
                self.outcomes.push(op.map_or(USUAL, |op| self.core.look(op, &event)));
            }
            let tell = |index: usize, spent: &Spent| add(&mut self.told, place(pcs[begin + index]), 1, spent);
            self.cycles += self.pipeline.pass(&self.core, known, retired, &self.outcomes, tell);
        }
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
        if self.pipeline.is_full() {
            self.renumbered();
            self.pipeline.forget();
        }
        let index = id.number() as usize;
        if index >= self.known.len() {
            self.known.resize_with(index + 1, || None);
        }
        let mut known =
            self.known[index].take().unwrap_or_else(|| Box::new(Self::know(&self.core, program, record)));
        self.advance(&mut known, record);
        self.known[index] = Some(known);
    }

    fn renumbered(&mut self) {
        self.told = self.account();
        self.known.clear();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn account(&self) -> Account {
        let mut account = self.told.clone();
        for (pcs, stretches) in self.known.iter().flatten().map(|block| &**block) {
            for (known, pcs) in stretches.iter().zip(pcs.chunks(STRETCH)) {
                if self.by_address {
                    known.replay(&self.core, &self.pipeline, |index, times, spent| {
                        add(&mut account, pcs[index], times, spent);
                    });
                } else {
                    let (executed, spent) = known.total();
                    let (executions, total) = account.entry(0).or_default();
                    *executions += executed;
                    total.add(&spent, 1);
                }
            }
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
}
