//! The time of a guest on a core with a pipeline: hears what was executed, and knows what time it is.

use std::collections::BTreeMap;

use engine::Program;
use engine::decoded::Decoded;
use engine::timed::Record;
use hart::pages::Change;
use isa::operands::Class;

use crate::core::{Core, Event, Outcome, Spent, USUAL};
use crate::dump::Work;
use crate::instruction::{Flow, Instruction};
use crate::memory::Seen;
use crate::schedule::{Pipeline, STRETCH, Stretch, Unusual, Watched};
use crate::steps::Kept;

/// The time of a guest on some core.
pub trait Timing {
    /// Something became of pages before the guest ran, or that no instruction of it did.
    fn pages_changed(&mut self, change: &Change) {
        let _ = change;
    }

    /// A block was executed.
    fn pass(&mut self, program: &Program, record: &Record<'_>);

    /// Blocks have other numbers from now on.
    fn renumbered(&mut self);

    /// Cycles so far; of several harts, of that whose turn it is.
    fn cycles(&self) -> u64;

    /// Cycles until the last hart was done with what it executed.
    fn elapsed(&self) -> u64 {
        self.cycles()
    }

    /// Harts that share the memory.
    fn harts(&self) -> usize {
        1
    }

    /// Which of the harts in a set has the next turn ([`engine::Observer::next_turn`]).
    fn next_turn(&mut self, ready: u64) -> usize {
        ready.trailing_zeros() as usize
    }

    /// A hart goes on at the time of another one.
    fn wake(&mut self, hart: usize, by: usize) {
        let _ = (hart, by);
    }

    /// What each of several harts did so far; of a core without others nothing is told apart.
    fn work_of_each(&self) -> Vec<Work> {
        Vec::new()
    }

    /// The time of all that was executed is told now.
    fn finish(&mut self) {}

    /// Cycles from then on until the first instruction of a block, which comes next, sees the time.
    fn until_seen(&self, program: &Program, block: &engine::block::Block) -> u64;

    /// How often each instruction was executed, and what its cycles were spent on.
    fn account(&self) -> Account;

    /// What all cycles so far were spent on.
    fn spent(&self) -> Spent;

    /// What the parts of its memory saw so far, if it is one of parts.
    fn seen(&self) -> Vec<Seen> {
        Vec::new()
    }

    /// What is kept of it, instruction by instruction.
    fn kept(&mut self) -> &mut Kept;
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

/// True if a pipeline may be emptied after an instruction of this class.
const fn empties(class: Class) -> bool {
    matches!(class, Class::Fence | Class::Csr | Class::System | Class::Atomic)
}

/// The addresses of a block's instructions, and its stretches.
type Block<C> = (Vec<u64>, Vec<Stretch<C>>);

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
    unusual: Vec<Unusual>,
    /// Stretches so far, which is the next one's number.
    stretches: u32,
    cycles: u64,
    kept: Kept,
}

impl<C: Core> On<C> {
    /// At reset.
    pub fn new(core: C, options: Options) -> Self {
        let pipeline = Pipeline::new(&core, options.remembers);
        Self {
            core,
            pipeline,
            known: Vec::new(),
            told: Account::new(),
            by_address: options.by_address,
            unusual: Vec::new(),
            stretches: 0,
            cycles: 0,
            kept: Kept::default(),
        }
    }

    fn know(&mut self, program: &Program, record: &Record<'_>) -> Block<C> {
        let (core, decoded) = (&self.core, &record.block.decoded);
        let (mut stretches, mut words) = (Vec::new(), 0);
        let instructions: Vec<_> = decoded.iter().map(|each| Instruction::of(program, each)).collect();
        for begin in (0..decoded.len()).step_by(STRETCH) {
            let (mut ops, mut watched, mut worked) = (Vec::new(), Vec::new(), Vec::new());
            for at in begin..decoded.len().min(begin + STRETCH) {
                let instruction = &instructions[at];
                let prepare = || {
                    let mut op = core.prepare(instruction, at == 0);
                    core.precedes(&mut op, &instructions[at + 1..]);
                    op
                };
                let op = core.executes(instruction).then(prepare);
                let watch = |op| Watched {
                    op,
                    index: (at - begin) as u8,
                    is_last: at + 1 == decoded.len(),
                    words: (words as u16, instruction.words as u8),
                    next: decoded.get(at + 1).map_or(0, |next| next.pc),
                };
                if let Some(op) = &op {
                    watched.extend(core.watches(op).then(|| watch(prepare())));
                    worked.extend(core.works(op).then(|| watch(prepare())));
                }
                Self::foresee(core, program, record, instruction);
                ops.push(op);
                words += instruction.words;
            }
            stretches.push(Stretch { number: self.stretches, ops, watched, worked, there: u64::MAX });
            self.stretches += 1;
        }
        (decoded.iter().map(|decoded| decoded.pc).collect(), stretches)
    }

    /// Tells of what may be fetched after a transfer of control if it is predicted wrong, or if a return that is fetched
    /// wrongly leads back to it.
    fn foresee(core: &C, program: &Program, record: &Record<'_>, instruction: &Instruction) {
        let target = match instruction.flow {
            Flow::Branch(target) => Some(target),
            Flow::Indirect | Flow::Trap => None,
            Flow::Next if empties(instruction.class) => None,
            Flow::Jump(_) if instruction.link.is_some() => None,
            Flow::Next | Flow::Jump(_) => return,
        };
        for start in [Some(instruction.fall_through()), target].into_iter().flatten() {
            let mut pc = start;
            while pc.wrapping_sub(start) < C::FORESEES {
                let Ok((word, id)) = engine::block::fetch(program, record.memory, pc) else { break };
                let decoded = Decoded { pc, word, id, end: 0, stores: false, noted: 0 };
                let instruction = Instruction::of(program, &decoded);
                core.foresee(&instruction);
                pc = instruction.fall_through();
            }
        }
    }

    fn advance(&mut self, (pcs, stretches): &mut Block<C>, record: &Record<'_>) {
        let place = |pc| if self.by_address { pc } else { 0 };
        for (number, stretch) in stretches.iter_mut().enumerate() {
            let begin = number * STRETCH;
            let retired = stretch.ops.len().min(record.retired.saturating_sub(begin));
            if retired == 0 {
                break;
            }
            self.pipeline.settle(&mut self.core);
            look(&mut self.core, stretch, record, retired, &mut self.unusual);
            let again = record.id.is_some() && !self.kept.is_open();
            let mut kept = self.kept.open();
            let tell = |index: usize, spent: &Spent| {
                let pc = pcs[begin + index];
                add(&mut self.told, place(pc), 1, spent);
                if let Some(steps) = &mut kept {
                    steps.push(pc, spent);
                }
            };
            let ops = &stretch.ops[..retired];
            self.cycles += if self.core.awaits() {
                self.pipeline.ask(&mut self.core, ops, &self.unusual, self.cycles, tell)
            } else {
                self.pipeline.pass(&mut self.core, stretch, retired, &self.unusual, again, tell)
            };
        }
        if let Some(&pc) = pcs.get(record.retired) {
            let stretch = &stretches[record.retired / STRETCH];
            let op = stretch.ops[record.retired % STRETCH].as_ref();
            let outcome = self.core.look_at_trap(op);
            let spent = self.pipeline.trap(&mut self.core, op, outcome, self.cycles);
            self.cycles += spent.cycles();
            self.told.entry(place(pc)).or_default().1.add(&spent, 1);
            if let Some(steps) = self.kept.open() {
                steps.push_trap(&spent);
            }
        }
    }
}

/// Caches and predictors see the first executions of a stretch, in order: what is unusual about them.
#[inline]
fn look<C: Core>(
    core: &mut C,
    stretch: &mut Stretch<C>,
    record: &Record<'_>,
    retired: usize,
    unusual: &mut Vec<Unusual>,
) {
    unusual.clear();
    let lines = core.lines();
    if stretch.there == lines {
        return look_at_each(&stretch.worked, record, retired, unusual, |op, event| {
            core.look_at_work(op, event)
        });
    }
    look_at_each(&stretch.watched, record, retired, unusual, |op, event| core.look(op, event));
    if retired == stretch.ops.len() && core.lines() == lines {
        stretch.there = lines;
    }
}

#[inline]
fn look_at_each<Op>(
    each: &[Watched<Op>],
    record: &Record<'_>,
    retired: usize,
    unusual: &mut Vec<Unusual>,
    mut look: impl FnMut(&Op, &Event<'_>) -> Outcome,
) {
    for watched in each.iter().take_while(|watched| usize::from(watched.index) < retired) {
        let (first, count) = watched.words;
        let event = Event {
            words: &record.words[usize::from(first)..][..usize::from(count)],
            next: if watched.is_last { record.next } else { watched.next },
        };
        let outcome = look(&watched.op, &event);
        if outcome != USUAL {
            unusual.push((watched.index, outcome));
        }
    }
}

impl<C: Core> Timing for On<C> {
    fn pass(&mut self, program: &Program, record: &Record<'_>) {
        let Some(id) = record.id else {
            let mut known = self.know(program, record);
            return self.advance(&mut known, record);
        };
        if self.pipeline.is_full() {
            self.renumbered();
        }
        let index = id.number() as usize;
        if index >= self.known.len() {
            self.known.resize_with(index + 1, || None);
        }
        let mut known = self.known[index].take().unwrap_or_else(|| Box::new(self.know(program, record)));
        self.advance(&mut known, record);
        self.known[index] = Some(known);
    }

    fn renumbered(&mut self) {
        self.told = self.account();
        self.known.clear();
        self.pipeline.forget(&self.core);
        self.stretches = 0;
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }

    fn seen(&self) -> Vec<Seen> {
        self.core.seen()
    }

    fn until_seen(&self, program: &Program, block: &engine::block::Block) -> u64 {
        let instruction = Instruction::of(program, &block.decoded[0]);
        if instruction.class != Class::Csr {
            return 0;
        }
        let (state, op) = (self.pipeline.state(), self.core.prepare(&instruction, true));
        self.core.foresee_ask(state, &op, self.cycles);
        self.core.until_seen(state, &op).into()
    }

    fn spent(&self) -> Spent {
        let mut whole = Spent::default();
        self.told.values().for_each(|(_, spent)| whole.add(spent, 1));
        self.pipeline.totals().for_each(|(_, times, spent)| whole.add(spent, times));
        whole
    }

    fn account(&self) -> Account {
        let mut account = self.told.clone();
        let mut places: Vec<Option<(&Stretch<C>, &[u64])>> = vec![None; self.stretches as usize];
        for (pcs, stretches) in self.known.iter().flatten().map(|block| &**block) {
            for (stretch, pcs) in stretches.iter().zip(pcs.chunks(STRETCH)) {
                places[stretch.number as usize] = Some((stretch, pcs));
            }
        }
        let found = |number: u32| places[number as usize];
        if self.by_address {
            let stretch = |number| found(number).map(|(stretch, _)| stretch);
            self.pipeline.replay(&self.core, stretch, |number, index, times, spent| {
                let pc = found(number).map_or(0, |(_, pcs)| pcs[index]);
                add(&mut account, pc, times, spent);
            });
        } else {
            let (executions, total) = account.entry(0).or_default();
            for (number, times, spent) in self.pipeline.totals() {
                *executions += times * found(number).map_or(0, |(stretch, _)| stretch.ops.len() as u64);
                total.add(spent, times);
            }
        }
        account
    }
}
