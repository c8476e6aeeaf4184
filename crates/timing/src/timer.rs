//! The time of a guest on a core with a pipeline: hears what was executed, and knows what time it is.

use std::collections::BTreeMap;

use engine::Program;
use engine::decoded::Decoded;
use engine::timed::Record;
use hart::pages::Change;
use isa::operands::Class;

use crate::core::{Core, Event, Spent, USUAL};
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
        let pipeline = Pipeline::new(options.remembers);
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
                Self::foresee(core, program, record, &instruction);
                ops.push(op);
                words = end;
            }
            stretches.push(Stretch { number: self.stretches, ops, watched });
            self.stretches += 1;
        }
        (decoded.iter().map(|decoded| decoded.pc).collect(), stretches)
    }

    /// Tells of what may be fetched after a transfer of control if it is predicted wrong.
    fn foresee(core: &C, program: &Program, record: &Record<'_>, instruction: &Instruction) {
        let target = match instruction.flow {
            Flow::Branch(target) => Some(target),
            Flow::Indirect | Flow::Trap => None,
            Flow::Next if empties(instruction.class) => None,
            Flow::Next | Flow::Jump(_) => return,
        };
        for start in [Some(instruction.behind()), target].into_iter().flatten() {
            let mut pc = start;
            while pc.wrapping_sub(start) < C::FORESEES {
                let Ok((word, id)) = engine::block::fetch(program, record.memory, pc) else { break };
                let decoded = Decoded { pc, word, id, end: 0, stores: false, noted: 0 };
                let instruction = Instruction::of(program, &decoded);
                core.foresee(&instruction);
                pc = instruction.behind();
            }
        }
    }

    fn advance(&mut self, (pcs, stretches): &Block<C>, record: &Record<'_>) {
        let place = |pc| if self.by_address { pc } else { 0 };
        for (number, stretch) in stretches.iter().enumerate() {
            let begin = number * STRETCH;
            let retired = stretch.ops.len().min(record.retired.saturating_sub(begin));
            if retired == 0 {
                break;
            }
            self.unusual.clear();
            self.core.settle(self.pipeline.state());
            for watched in stretch.watched.iter().take_while(|watched| watched.index < retired) {
                let Some(op) = &stretch.ops[watched.index] else { continue };
                let event = Event {
                    words: &record.words[watched.words.clone()],
                    next: watched.next.unwrap_or(record.next),
                };
                let outcome = self.core.look(op, &event);
                if outcome != USUAL {
                    self.unusual.push((watched.index as u8, outcome));
                }
            }
            let again = record.id.is_some() && !self.kept.is_open();
            let mut kept = self.kept.open();
            let tell = |index: usize, spent: &Spent| {
                let pc = pcs[begin + index];
                add(&mut self.told, place(pc), 1, spent);
                if let Some(steps) = &mut kept {
                    steps.push(pc, spent);
                }
            };
            self.cycles += self.pipeline.pass(&mut self.core, stretch, retired, &self.unusual, again, tell);
        }
        if let Some(&pc) = pcs.get(record.retired) {
            let stretch = &stretches[record.retired / STRETCH];
            let op = stretch.ops[record.retired % STRETCH].as_ref();
            let outcome = self.core.look_at_trap(op);
            let spent = self.pipeline.trap(&mut self.core, op, outcome);
            self.cycles += spent.cycles();
            self.told.entry(place(pc)).or_default().1.add(&spent, 1);
            if let Some(steps) = self.kept.open() {
                steps.push_trap(&spent);
            }
        }
    }
}

impl<C: Core> Timing for On<C> {
    fn pass(&mut self, program: &Program, record: &Record<'_>) {
        let Some(id) = record.id else {
            let known = self.know(program, record);
            return self.advance(&known, record);
        };
        if self.pipeline.is_full() {
            self.renumbered();
        }
        let index = id.number() as usize;
        if index >= self.known.len() {
            self.known.resize_with(index + 1, || None);
        }
        let known = self.known[index].take().unwrap_or_else(|| Box::new(self.know(program, record)));
        self.advance(&known, record);
        self.known[index] = Some(known);
    }

    fn renumbered(&mut self) {
        self.told = self.account();
        self.known.clear();
        self.pipeline.forget();
        self.stretches = 0;
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }

    fn until_seen(&self, program: &Program, block: &engine::block::Block) -> u64 {
        let instruction = Instruction::of(program, &block.decoded[0]);
        if instruction.class != Class::Csr {
            return 0;
        }
        self.core.until_seen(self.pipeline.state(), &self.core.prepare(&instruction, true)).into()
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
