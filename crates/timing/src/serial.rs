//! Cores that do one access at a time, each to its end: their time is the sum of what their accesses take, so that there
//! is no pipeline whose state decides what follows.

use engine::Program;
use engine::timed::Record;

use crate::core::{Cause, Event, Spent};
use crate::dump::Work;
use crate::instruction::Instruction;
use crate::memory::Seen;
use crate::steps::Kept;
use crate::timer::{Account, Timing};

mod turns;

use self::turns::Harts;

/// Cycles of an instruction: to fetch it, for its data, and of those that the core does not have.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Cycles {
    pub fetch: u64,
    pub data: u64,
    pub unmodelled: u64,
}

impl Cycles {
    const fn sum(self) -> u64 {
        self.fetch + self.data + self.unmodelled
    }

    fn add(&mut self, other: Self, times: u64) {
        self.fetch += other.fetch * times;
        self.data += other.data * times;
        self.unmodelled += other.unmodelled * times;
    }

    fn spend(self, spent: &mut Spent) {
        spent.spend_many(Cause::Fetch, self.fetch);
        spent.spend_many(Cause::Data, self.data);
        spent.spend_many(Cause::Unmodelled, self.unmodelled);
    }
}

/// An access of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The fetch of this number.
    Fetch(u64),
    /// That to data at an address, if there is one.
    Data(Option<u64>),
}

/// A core that waits for each of its accesses.
pub trait Serial {
    /// What it keeps of an instruction.
    type Op;

    /// The guest's memory has contents there before it runs.
    fn load(&mut self, range: std::ops::Range<u64>);

    /// What it needs of an instruction; `before` is the one before it in its block.
    fn prepare(&self, instruction: &Instruction, before: Option<&Self::Op>) -> Self::Op;

    /// What an instruction takes that needs no look, and what [`Serial::look`] adds to otherwise.
    fn usual(&self, op: &Self::Op) -> Cycles;

    /// True if it must be looked at.
    fn watches(&self, op: &Self::Op) -> bool;

    /// An execution that begins at a cycle, while no other hart runs; what it takes beyond the usual.
    fn look(&mut self, hart: usize, op: &Self::Op, event: &Event<'_>, cycle: u64) -> Cycles;

    /// An instruction begins at a cycle, and traps, while no other hart runs; what that takes.
    fn trap(&mut self, hart: usize, op: &Self::Op, cycle: u64) -> Cycles;

    /// Harts that there are.
    fn harts(&self) -> usize;

    /// Fetches of an instruction, one after the other; of one that traps, or that is executed and must be looked at.
    fn fetches(&self, op: &Self::Op, traps: bool) -> u64;

    /// Cycles of one of an instruction's accesses if no other hart can notice it, which it is done with then.
    fn step_alone(&mut self, hart: usize, op: &Self::Op, step: Step) -> Option<u64>;

    /// One of an instruction's accesses that begins at a cycle, and others may notice; the cycle at which it is over.
    fn step(&mut self, hart: usize, op: &Self::Op, step: Step, cycle: u64) -> u64;

    /// Fetches and data accesses of an execution.
    fn accesses(&self, op: &Self::Op) -> [u64; 2];

    /// What the parts of its memory saw, of so many fetches and data accesses.
    fn seen(&self, accesses: [u64; 2]) -> Vec<Seen>;
}

struct Block<Op> {
    pcs: Vec<u64>,
    ops: Vec<Op>,
    watched: Vec<Watched>,
    /// Of all instructions.
    usual: Cycles,
    /// Executions to its end.
    times: u64,
    /// Beyond the usual, of each instruction, in those.
    extra: Vec<Cycles>,
    /// Fetches and data accesses of an execution.
    accesses: [u64; 2],
}

struct Watched {
    index: usize,
    /// Usual cycles of those before it.
    before: u64,
    words: std::ops::Range<usize>,
    next: Option<u64>,
}

/// The time of a guest on such a core.
pub struct OnSerial<C: Serial> {
    core: C,
    known: Vec<Option<Box<Block<C::Op>>>>,
    told: Account,
    by_address: bool,
    harts: Harts,
    /// Fetches and data accesses so far.
    accesses: [u64; 2],
    kept: Kept,
    /// Blocks without a number whose time is not known yet.
    loose: Vec<Option<Block<C::Op>>>,
}

impl<C: Serial> OnSerial<C> {
    /// At reset.
    pub fn new(core: C, by_address: bool) -> Self {
        Self {
            harts: Harts::new(core.harts()),
            core,
            known: Vec::new(),
            told: Account::new(),
            by_address,
            accesses: [0; 2],
            kept: Kept::default(),
            loose: Vec::new(),
        }
    }

    fn know(&self, program: &Program, record: &Record<'_>) -> Block<C::Op> {
        let decoded = &record.block.decoded;
        let (mut ops, mut watched, mut usual, mut words) = (Vec::new(), Vec::new(), Cycles::default(), 0);
        for (index, each) in decoded.iter().enumerate() {
            let instruction = Instruction::of(program, each);
            let op = self.core.prepare(&instruction, ops.last());
            let end = words + instruction.words;
            if self.core.watches(&op) {
                let next = decoded.get(index + 1).map(|next| next.pc);
                watched.push(Watched { index, before: usual.sum(), words: words..end, next });
            }
            usual.add(self.core.usual(&op), 1);
            words = end;
            ops.push(op);
        }
        let extra = vec![Cycles::default(); ops.len()];
        let accesses = ops.iter().fold([0; 2], |sum, op| both(sum, self.core.accesses(op)));
        Block {
            pcs: decoded.iter().map(|each| each.pc).collect(),
            ops,
            watched,
            usual,
            times: 0,
            extra,
            accesses,
        }
    }

    /// Steps are those of the first hart.
    fn keeps(&self, hart: usize) -> bool {
        hart == 0 && self.kept.is_open()
    }

    fn advance(&mut self, block: &mut Block<C::Op>, record: &Record<'_>) {
        let hart = self.harts.turn();
        if record.retired < block.ops.len() || self.keeps(hart) {
            return self.advance_each(hart, block, record);
        }
        let mut now = self.harts.now(hart);
        for watched in &block.watched {
            let event = Event {
                words: &record.words[watched.words.clone()],
                next: watched.next.unwrap_or(record.next),
            };
            let more = self.core.look(hart, &block.ops[watched.index], &event, now + watched.before);
            now += more.sum();
            block.extra[watched.index].add(more, 1);
        }
        block.times += 1;
        self.accesses = both(self.accesses, block.accesses);
        self.harts.work(hart, now + block.usual.sum(), block.ops.len());
    }

    /// Instruction by instruction: not all were executed, or each is kept.
    fn advance_each(&mut self, hart: usize, block: &Block<C::Op>, record: &Record<'_>) {
        let mut now = self.harts.now(hart);
        let mut watched = block.watched.iter().peekable();
        for index in 0..record.retired.min(block.ops.len()) {
            let op = &block.ops[index];
            let mut taken = self.core.usual(op);
            if let Some(watched) = watched.next_if(|watched| watched.index == index) {
                let words = &record.words[watched.words.clone()];
                let event = Event { words, next: watched.next.unwrap_or(record.next) };
                taken.add(self.core.look(hart, op, &event, now), 1);
            }
            now += taken.sum();
            self.accesses = both(self.accesses, self.core.accesses(op));
            self.executed(hart, block.pcs[index], taken, taken);
        }
        if let Some(op) = block.ops.get(record.retired) {
            let taken = self.core.trap(hart, op, now);
            now += taken.sum();
            self.trapped(hart, block.pcs[record.retired], op, taken);
        }
        self.harts.work(hart, now, record.retired.min(block.ops.len()));
    }

    /// An instruction was executed that is not counted with its block: what is to be accounted for, and all it took.
    fn executed(&mut self, hart: usize, pc: u64, accounted: Cycles, taken: Cycles) {
        let mut spent = Spent::default();
        accounted.spend(&mut spent);
        tell(&mut self.told, if self.by_address { pc } else { 0 }, 1, &spent);
        if self.keeps(hart)
            && let Some(steps) = self.kept.open()
        {
            let mut spent = Spent::default();
            taken.spend(&mut spent);
            steps.push(pc, &spent);
        }
    }

    /// One trapped.
    fn trapped(&mut self, hart: usize, pc: u64, op: &C::Op, taken: Cycles) {
        self.accesses[0] += self.core.accesses(op)[0];
        let mut spent = Spent::default();
        taken.spend(&mut spent);
        tell(&mut self.told, if self.by_address { pc } else { 0 }, 0, &spent);
        if self.keeps(hart)
            && let Some(steps) = self.kept.open()
        {
            steps.push_trap(&spent);
        }
    }

    /// A block that is not executed again.
    fn forget(&mut self, block: &Block<C::Op>) {
        let mut told = std::mem::take(&mut self.told);
        self.tell_of(block, &mut told);
        self.told = told;
    }

    fn tell_of(&self, block: &Block<C::Op>, account: &mut Account) {
        for (index, op) in block.ops.iter().enumerate() {
            let mut all = block.extra[index];
            all.add(self.core.usual(op), block.times);
            let mut spent = Spent::default();
            all.spend(&mut spent);
            let place = if self.by_address { block.pcs[index] } else { 0 };
            tell(account, place, block.times, &spent);
        }
    }
}

const fn both(one: [u64; 2], other: [u64; 2]) -> [u64; 2] {
    [one[0] + other[0], one[1] + other[1]]
}

/// Executions, and what all of them spent.
fn tell(account: &mut Account, place: u64, times: u64, spent: &Spent) {
    let (executions, total) = account.entry(place).or_default();
    *executions += times;
    total.add(spent, 1);
}

impl<C: Serial> Timing for OnSerial<C> {
    fn load(&mut self, range: std::ops::Range<u64>) {
        self.core.load(range);
    }

    fn pass(&mut self, program: &Program, record: &Record<'_>) {
        let Some(id) = record.id else {
            let mut known = self.know(program, record);
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
        if index >= self.known.len() {
            self.known.resize_with(index + 1, || None);
        }
        let mut known = self.known[index].take().unwrap_or_else(|| Box::new(self.know(program, record)));
        if self.harts.are_alone() {
            self.advance(&mut known, record);
        } else {
            self.harts.push(index as u64, record);
        }
        self.known[index] = Some(known);
    }

    fn renumbered(&mut self) {
        self.finish();
        self.told = self.account();
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
        self.take_turns(ready)
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
        self.core.seen(self.accesses)
    }

    fn account(&self) -> Account {
        let mut account = self.told.clone();
        self.known.iter().flatten().for_each(|block| self.tell_of(block, &mut account));
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
