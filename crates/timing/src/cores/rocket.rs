//! Rocket (rocket-chip 1.2.6, `RocketCore.scala`, `Frontend.scala`, `DCache.scala`), the big core without a floating-point
//! unit: fetch, decode, execute, memory, write-back; one instruction a cycle leaves decode, in order.
//!
//! Time is that of leaving decode. An instruction waits there for its operands, which also means the register it
//! writes, for the units it needs, and for its bytes. What goes wrong later has it fetched again: a branch that was not
//! foreseen from the memory stage, a load that overtakes a store to its bytes from the write-back stage.

mod access;
mod again;
mod below;
mod fetch;
mod issue;
mod op;
mod state;

use isa::operands::Class;

use crate::condition::Condition;
use std::cell::{Cell, RefCell};

use crate::core::{Cause, Core, Event, Outcome, Relied, Spent, UNTOLD, USUAL};
use crate::instruction::{Flow, Instruction};
use crate::machine::{Machine, MachineError};
use crate::memory::Seen;
use crate::memory::below::Below;
use crate::parts::rocket_branch::{Kind, Predictor};
use crate::parts::rocket_cache::{Cache, Chance};
use crate::parts::rocket_muldiv as muldiv;
use again::{Heeded, Noted, outcome};
use op::{Following, Work, half, registers, transfer};
use state::{STORES, WRITEBACK};

pub use op::Op;
pub use state::State;

/// From leaving decode until a word fetched again arrives there: after the memory stage, after write-back.
const FROM_MEMORY: i16 = 4;
const FROM_WRITEBACK: i16 = 5;
/// From leaving decode to the memory stage.
const UNTIL_MEMORY: i16 = 2;
/// Words that fetching gets ahead of a transfer at most until that is done.
const AHEAD: u64 = 8;
/// Commands in the queue to the accelerator, and results in the one from it (`LazyRoCC.scala`).
const QUEUE: usize = 2;
/// From leaving decode to a multiplication's first step.
const UNIT: i16 = 2;
/// From then until the queue to the accelerator has room: a result leaves, the next command's takes its place, and a
/// register says so.
const ROOM: i16 = 2;
/// Sets, ways and bytes of a line of both caches (`ICacheParams`, `DCacheParams`).
const CACHE: (usize, usize, u64) = (64, 4, 64);
/// Lines of instructions that the code in ROM has brought in before the program begins (`bootrom.S`).
const BOOT_LINES: u32 = 1;
/// Bytes that addresses are compared by when a load may overtake a store (`s1Depends` of `DCache.scala`): those of a way.
const WAY: u64 = CACHE.0 as u64 * CACHE.2;
/// Where memory begins that the data cache holds; devices are below. What they take is not modelled: a store to one
/// leaves the pipeline as one that hits.
const CACHED: u64 = 0x8000_0000;
/// Cycles from when a line of instructions is missed until it hits, beyond the memory's latency: the buses between, and
/// eight beats. The word is looked up again every other cycle.
const REFILL: u32 = 18;
/// What stands where custom instructions go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accelerator {
    None,
    /// It answers so many cycles after decode, and holds so many commands and results together.
    Rocc {
        latency: i16,
        holds: usize,
    },
    Pipeline,
}

/// The core in one configuration.
pub struct Rocket {
    accelerator: Accelerator,
    below: Below,
    instructions: Cache,
    data: Cache,
    predictor: RefCell<Predictor>,
    heeded: RefCell<Heeded>,
    epochs: Cell<u64>,
    /// Bytes of the last stores in their way, the last first: begin and end.
    stored: [(u64, u64); STORES],
}

/// Outcomes: of an access, which of the last stores it overlaps, that it misses, that the line which it replaces is
/// written back, and that it is the first to write to one that is there; of a transfer, how it was foreseen;
/// of a unit, its cycles; of any, that its line of instructions is missing.
const MISS: Outcome = 1 << 2;
const DIRTY: Outcome = 1 << 3;
const DIRTIES: Outcome = 1 << 4;
const AFTER_FETCH: Outcome = 1;
const UNFORESEEN: Outcome = 2;
const LINE_MISSING: Outcome = 1 << 16;

impl Rocket {
    /// Reads a machine's file.
    ///
    /// # Errors
    /// A parameter is wrong.
    pub fn new(machine: &Machine) -> Result<Self, MachineError> {
        let accelerator = match machine.name("accelerator")? {
            "none" => Accelerator::None,
            // A queue to the accelerator and one from it; and a result's register between them.
            "rocc" => Accelerator::Rocc { latency: WRITEBACK + 2, holds: 2 * QUEUE },
            "rocc-registered" => Accelerator::Rocc { latency: WRITEBACK + 3, holds: 2 * QUEUE + 1 },
            "scie" => Accelerator::Pipeline,
            _ => return Err(MachineError::Parameter("accelerator", "none, rocc, rocc-registered or scie")),
        };
        let cache = |chance| Cache::new(CACHE.0, CACHE.1, CACHE.2, chance);
        Ok(Self {
            accelerator,
            below: Below::new(machine, CACHE.2)?,
            instructions: cache(Chance::new(BOOT_LINES, true)),
            data: cache(Chance::new(0, false)),
            predictor: RefCell::default(),
            heeded: RefCell::default(),
            epochs: Cell::default(),
            stored: [(0, 0); STORES],
        })
    }

    fn work(&self, instruction: &Instruction) -> Work {
        let name = &*instruction.mnemonic;
        let word = name.ends_with('w');
        match instruction.class {
            Class::Atomic => {
                let bytes = instruction.loads.max(instruction.stores);
                Work::Load { bytes, slow: name.starts_with("sc."), stores: instruction.stores > 0 }
            }
            _ if instruction.loads > 0 => {
                Work::Load { bytes: instruction.loads, slow: instruction.loads < 4, stores: false }
            }
            _ if instruction.stores > 0 => Work::Store { bytes: instruction.stores },
            Class::Mul => Work::Multiply { high: name.starts_with("mulh"), word },
            Class::Div => Work::Divide {
                signed: !name.trim_end_matches('w').ends_with('u'),
                remainder: name.starts_with("rem"),
                word,
            },
            // Some are written without a flush: `mscratch` to `mtval`.
            Class::Csr if !instruction.writes_csr(0..=0xfff) || instruction.writes_csr(0x340..=0x343) => {
                Work::Plain(3, Cause::System)
            }
            Class::Fence if name == "fence.i" => Work::FlushLines,
            Class::Fence => Work::Fence,
            Class::Csr => Work::Flush,
            Class::Custom => match self.accelerator {
                Accelerator::Rocc { .. } => Work::Accelerator,
                Accelerator::None | Accelerator::Pipeline => Work::Plain(1, Cause::Issue),
            },
            _ => match instruction.flow {
                Flow::Next => Work::Plain(1, Cause::Issue),
                Flow::Trap => Work::Flush,
                Flow::Branch(_) | Flow::Jump(_) | Flow::Indirect => Work::Transfer,
            },
        }
    }

    fn look_at_work(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        let word = |index: usize| event.words.get(index).copied().unwrap_or(0);
        match op.work {
            Work::Multiply { high: true, .. } => muldiv::multiply_high(),
            Work::Multiply { word: true, .. } => muldiv::multiply_word(word(0) as u32),
            Work::Multiply { .. } => muldiv::multiply(word(0)),
            Work::Divide { signed, remainder, word: narrow } => {
                let extend = |value: u64| match (narrow, signed) {
                    (false, _) => value,
                    (true, true) => value as i32 as u64,
                    (true, false) => value as u32 as u64,
                };
                muldiv::divide(extend(word(0)), extend(word(1)), signed, remainder)
            }
            Work::Load { bytes, stores, .. } => {
                let mut outcome = self.touch(word(0), stores);
                let begin = word(0) % WAY;
                let end = begin + u64::from(bytes);
                for (bit, stored) in self.stored.iter().enumerate() {
                    outcome |= u32::from(begin < stored.1 && stored.0 < end) << bit;
                }
                if stores {
                    self.stored = [(begin, end), self.stored[0]];
                }
                outcome
            }
            Work::Store { bytes } => {
                let begin = word(0) % WAY;
                self.stored = [(begin, begin + u64::from(bytes)), self.stored[0]];
                self.touch(word(0), true)
            }
            Work::FlushLines => {
                self.instructions.empty();
                USUAL
            }
            Work::Transfer => {
                let Some((transfer, condition)) = &op.transfer else { return USUAL };
                let taken = transfer.kind != Kind::Branch || condition.holds(event);
                let told = outcome(self.predictor.get_mut().see(transfer, taken, event.next));
                self.heeded.get_mut().told = told;
                told
            }
            Work::Plain(..) | Work::Fence | Work::Flush | Work::Accelerator => USUAL,
        }
    }
}

/// Of a transfer: fetching goes elsewhere, as foreseen or wrongly.
const TAKEN: Outcome = 4;

impl Core for Rocket {
    type State = State;
    type Op = Op;

    fn lines(&self) -> u64 {
        self.instructions.changes()
    }

    fn works(&self, op: &Op) -> bool {
        !matches!(op.work, Work::Plain(..) | Work::Fence | Work::Flush | Work::Accelerator)
    }

    fn look_at_work(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        Self::look_at_work(self, op, event)
    }

    fn awaits(&self) -> bool {
        self.below.is_awaited()
    }

    fn ask(&mut self, state: &State, op: &Op, outcome: Outcome, cycle: u64) {
        self.request(state, op, outcome, cycle);
    }

    fn foresee_ask(&self, state: &State, op: &Op, cycle: u64) {
        self.foresee_request(state, op, cycle);
    }

    fn seen(&self) -> Vec<Seen> {
        self.below.seen()
    }

    fn prepare(&self, instruction: &Instruction, leads: bool) -> Op {
        self.predictor.borrow().know_bytes(instruction.pc, instruction.word, instruction.length);
        let last = instruction.fall_through().wrapping_sub(1) >> 2;
        let first_of_line = instruction.pc.is_multiple_of(CACHE.2)
            || instruction.pc % CACHE.2 == CACHE.2 - 2 && instruction.length == 4;
        Op {
            registers: registers(instruction),
            writes: instruction.writes.unwrap_or(0),
            work: self.work(instruction),
            orders: if instruction.class == Class::Atomic {
                (instruction.word >> 26 & 1 == 1, instruction.word >> 25 & 1 == 1)
            } else {
                (false, false)
            },
            words: (
                last.wrapping_sub(instruction.pc.wrapping_sub(1) >> 2) as u8,
                last.wrapping_sub(instruction.pc >> 2) as u8 + 1,
            ),
            last: last as u32,
            is_upper: instruction.pc & 2 != 0,
            alone: half(instruction),
            leaves_half: instruction.length == 2 && instruction.pc & 2 == 0,
            line: (leads || first_of_line).then(|| instruction.fall_through().wrapping_sub(1)),
            transfer: transfer(instruction).map(|transfer| {
                self.predictor.borrow().know(&transfer);
                (transfer, Condition::of(instruction))
            }),
            following: [None; 2],
        }
    }

    fn precedes(&self, op: &mut Op, following: &[Instruction]) {
        if matches!(op.work, Work::Load { .. }) {
            op.following = Following::of(following);
        }
    }

    const FORESEES: u64 = 4 * AHEAD;

    fn foresee(&self, instruction: &Instruction) {
        let predictor = self.predictor.borrow();
        predictor.know_bytes(instruction.pc, instruction.word, instruction.length);
        if let Some(transfer) = transfer(instruction) {
            predictor.know(&transfer);
        }
    }

    fn watches(&self, op: &Op) -> bool {
        op.line.is_some() || self.works(op)
    }

    fn look(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        let missing = self.misses_line(op);
        Self::look_at_work(self, op, event) | if missing { LINE_MISSING } else { 0 }
    }

    fn settle(&mut self, state: &State) {
        let predictor = self.predictor.get_mut();
        *self.heeded.get_mut() = Heeded::default();
        predictor.settle(state.front.is_crowded(), state.goes_on);
        if state.strays {
            predictor.stray(state.front, UNTIL_MEMORY, |address| self.instructions.holds(address));
        }
    }

    fn tells(&self, state: &State) -> u64 {
        if state.strays {
            return UNTOLD;
        }
        u64::from(state.front.is_crowded()) | u64::from(state.goes_on) << 1
    }

    fn settle_by(&mut self, told: u64) {
        *self.heeded.get_mut() = Heeded::default();
        self.predictor.get_mut().settle(told & 1 != 0, told & 2 != 0);
    }

    fn look_at_trap(&mut self, op: Option<&Op>) -> Outcome {
        if op.is_some_and(|op| self.misses_line(op)) { LINE_MISSING } else { USUAL }
    }

    fn trap(&self, state: &mut State, op: Option<&Op>, outcome: Outcome, spent: &mut Spent) {
        // It comes to decode as any other.
        spent.spend(Cause::System, 1);
        let at = match op {
            Some(op) => self.fetch(state, op, outcome, spent, &mut Noted::nowhere()),
            None => 1.max(state.front.next()),
        };
        state.pass(at, false);
        state.fetch_again(FROM_WRITEBACK, 0, 0);
        state.redirected = true;
    }

    fn until_seen(&self, state: &State, op: &Op) -> u32 {
        // Counters are read in write-back, always as long after decode.
        let missing = op.line.is_some_and(|address| !self.instructions.holds(address));
        let mut spent = Spent::default();
        self.issue(&mut state.clone(), op, if missing { LINE_MISSING } else { USUAL }, &mut spent);
        spent.cycles() as u32 - 1
    }

    fn issue(&self, state: &mut State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        self.issue_noting(state, op, outcome, spent, &mut Noted::nowhere());
    }

    const RELIES: bool = true;

    fn issue_relying(
        &self,
        state: &mut State,
        op: &Op,
        outcome: Outcome,
        spent: &mut Spent,
        relied: &mut Relied,
    ) {
        let from = relied.on.len();
        self.issue_noting(state, op, outcome, spent, &mut Noted { on: Some(&mut relied.on) });
        self.rely(relied, from);
    }

    fn holds(&self, on: &[u32]) -> bool {
        on.iter().all(|&what| self.heed(what))
    }

    /// What is relied on is looked at each time.
    fn epoch(&self) -> u64 {
        self.epochs.replace(self.epochs.get() + 1)
    }

    fn issue_remembering(&mut self, state: &mut State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        let mut on = Vec::new();
        self.issue_noting(
            &mut state.clone(),
            op,
            outcome,
            &mut Spent::default(),
            &mut Noted { on: Some(&mut on) },
        );
        on.iter().for_each(|&what| self.heed_once(what));
        let told = self.heeded.get_mut().told;
        let outcome = if op.transfer.is_some() { outcome & LINE_MISSING | told } else { outcome };
        self.issue(state, op, outcome, spent);
    }
}
