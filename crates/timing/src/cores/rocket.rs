//! Rocket (rocket-chip 1.2.6, `RocketCore.scala`, `Frontend.scala`, `DCache.scala`), the big core without a floating-point
//! unit: fetch, decode, execute, memory, write-back; one instruction a cycle leaves decode, in order.
//!
//! Time is that of leaving decode. An instruction waits there for its operands, which also means the register it
//! writes, for the units it needs, and for its bytes. What goes wrong later has it fetched again: a branch that was not
//! foreseen from the memory stage, a load that overtakes a store to its bytes from the write-back stage.

mod access;
mod fetch;
mod op;
mod state;

use isa::operands::Class;

use crate::condition::Condition;
use crate::core::{Cause, Core, Event, Outcome, Spent, USUAL};
use crate::instruction::{Flow, Instruction};
use crate::machine::{Machine, MachineError};
use crate::parts::rocket_branch::{Foreseen, Kind, Predictor};
use crate::parts::rocket_cache::{Cache, Chance, Touch};
use crate::parts::rocket_muldiv as muldiv;
use fetch::fetched_astray;
use op::{Work, transfer};
use state::{QUEUE, STORES, WRITEBACK};

pub use op::Op;
pub use state::State;

/// From leaving decode until a word fetched again arrives there: after the memory stage, after write-back.
const FROM_MEMORY: i16 = 4;
const FROM_WRITEBACK: i16 = 5;
/// From leaving decode to the memory stage.
const UNTIL_MEMORY: i16 = 2;
/// Words in the queue from which on a cycle that fetching loses is not likely to be seen (`fetch_bubble_likely`).
const LIKELY: i16 = 2;
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
    /// It answers so many cycles after decode.
    Rocc(i16),
    Pipeline,
}

/// The core in one configuration.
pub struct Rocket {
    accelerator: Accelerator,
    refill: i16,
    latency: i16,
    instructions: Cache,
    data: Cache,
    predictor: Predictor,
    /// Bytes of the last stores in their way, the last first: begin and end.
    stored: [(u64, u64); STORES],
}

/// Outcomes: of an access, which of the last stores it overlaps and that it misses; of a transfer, how it was foreseen;
/// of a unit, its cycles; of any, that its line of instructions is missing.
const MISS: Outcome = 1 << 2;
const DIRTY: Outcome = 1 << 3;
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
            // A queue to the accelerator, and one from it.
            "rocc" => Accelerator::Rocc(WRITEBACK + 2),
            "rocc-registered" => Accelerator::Rocc(WRITEBACK + 3),
            "scie" => Accelerator::Pipeline,
            _ => return Err(MachineError::Parameter("accelerator", "none, rocc, rocc-registered or scie")),
        };
        let cache = |chance| Cache::new(CACHE.0, CACHE.1, CACHE.2, chance);
        Ok(Self {
            accelerator,
            refill: (machine.memory_latency + REFILL).next_multiple_of(2) as i16,
            latency: machine.memory_latency as i16,
            instructions: cache(Chance::new(BOOT_LINES, true)),
            data: cache(Chance::new(0, false)),
            predictor: Predictor::default(),
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
                Accelerator::Rocc(_) => Work::Accelerator,
                Accelerator::None | Accelerator::Pipeline => Work::Plain(1, Cause::Issue),
            },
            _ => match instruction.flow {
                Flow::Next => Work::Plain(1, Cause::Issue),
                Flow::Trap => Work::Flush,
                Flow::Branch(_) | Flow::Jump(_) | Flow::Indirect => Work::Transfer,
            },
        }
    }

    fn touch(&mut self, address: u64, stores: bool) -> Outcome {
        if address < CACHED {
            return USUAL;
        }
        match self.data.touch(address, stores) {
            Touch::Hit => USUAL,
            Touch::Miss { writes_back: false } => MISS,
            Touch::Miss { writes_back: true } => MISS | DIRTY,
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
                match self.predictor.see(transfer, taken, event.next) {
                    Foreseen::AfterFetch => AFTER_FETCH | TAKEN,
                    Foreseen::Not => UNFORESEEN,
                    Foreseen::AtOnce => TAKEN,
                    Foreseen::Straight => USUAL,
                }
            }
            Work::Plain(..) | Work::Fence | Work::Flush | Work::Accelerator => USUAL,
        }
    }
}

/// Of a transfer: it goes elsewhere, as foreseen.
const TAKEN: Outcome = 4;

impl Core for Rocket {
    type State = State;
    type Op = Op;

    fn prepare(&self, instruction: &Instruction, leads: bool) -> Op {
        let mut registers = [0; 3];
        let named = instruction.reads.iter().chain(&instruction.writes);
        registers.iter_mut().zip(named).for_each(|(slot, &register)| *slot = register);
        let last = instruction.behind().wrapping_sub(1) >> 2;
        let first_of_line = instruction.pc.is_multiple_of(CACHE.2)
            || instruction.pc % CACHE.2 == CACHE.2 - 2 && instruction.length == 4;
        Op {
            registers,
            writes: instruction.writes.unwrap_or(0),
            work: self.work(instruction),
            orders: if instruction.class == Class::Atomic {
                (instruction.word >> 26 & 1 == 1, instruction.word >> 25 & 1 == 1)
            } else {
                (false, false)
            },
            words: (
                last.wrapping_sub(instruction.pc.wrapping_sub(1) >> 2) as i16,
                last.wrapping_sub(instruction.pc >> 2) as i16 + 1,
            ),
            ends_word: instruction.length == 2 && instruction.pc & 2 != 0,
            line: (leads || first_of_line).then(|| instruction.behind().wrapping_sub(1)),
            transfer: transfer(instruction).map(|transfer| {
                self.predictor.know(&transfer);
                (transfer, Condition::of(instruction))
            }),
        }
    }

    const FORESEES: u64 = 4 * QUEUE as u64;

    fn foresee(&self, instruction: &Instruction) {
        if let Some(transfer) = transfer(instruction) {
            self.predictor.know(&transfer);
        }
    }

    fn watches(&self, op: &Op) -> bool {
        op.line.is_some()
            || !matches!(op.work, Work::Plain(..) | Work::Fence | Work::Flush | Work::Accelerator)
    }

    fn look(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        let missing = self.misses_line(op);
        self.look_at_work(op, event) | if missing { LINE_MISSING } else { 0 }
    }

    fn settle(&mut self, state: &State) {
        // The cycle lost is counted in when the last word arrived.
        self.predictor.settle(state.fetched - 1 <= -LIKELY);
        if state.astray > 0 {
            self.predictor.stray(state.astray.into(), |address| self.instructions.holds(address));
        }
    }

    fn look_at_trap(&mut self, op: Option<&Op>) -> Outcome {
        if op.is_some_and(|op| self.misses_line(op)) { LINE_MISSING } else { USUAL }
    }

    fn trap(&self, state: &mut State, op: Option<&Op>, outcome: Outcome, spent: &mut Spent) {
        // It comes to decode as any other.
        spent.spend(Cause::System, 1);
        let at = match op {
            Some(op) => self.fetch(state, op, outcome, spent),
            None => 1.max(state.fetched + 1),
        };
        state.pass(at, false);
        state.fetch_again(FROM_WRITEBACK - 1, 0);
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
        spent.spend(Cause::Issue, 1);
        let after_jump = state.redirected;
        state.astray = 0;
        let mut at = self.fetch(state, op, outcome, spent);
        let mut wait_until = |at: &mut i16, until: i16, cause: Cause| {
            if until > *at {
                spent.spend(cause, (until - *at) as u32);
                *at = until;
            }
        };
        // Its operands.
        for register in op.registers.into_iter().filter(|&register| register != 0) {
            let (until, cause) = state.waits[usize::from(register)];
            wait_until(&mut at, until.into(), Cause::ALL[usize::from(cause)]);
            for late in state.late.iter().filter(|late| late.register == register) {
                let cause = if late.of_unit { Cause::Multiply } else { Cause::Coprocessor };
                wait_until(&mut at, late.at, cause);
            }
        }
        // Its unit.
        if matches!(op.work, Work::Multiply { .. } | Work::Divide { .. }) {
            for late in state.late.iter().filter(|late| late.register != 0 && late.of_unit) {
                wait_until(&mut at, late.at, Cause::Structural);
            }
        }
        while op.work == Work::Accelerator && state.is_backed_up(at + WRITEBACK) {
            // Refused in write-back, where it still takes the port, and fetched again; in decode it waits until the
            // queue has room, which is seen there a cycle later.
            state.put_off(at + WRITEBACK);
            let fetched = at + FROM_WRITEBACK;
            wait_until(&mut at, fetched + ROOM, Cause::Coprocessor);
            state.fetch_again(fetched + op.words.1 - 1, op.words.1);
        }
        let outcome = outcome & !LINE_MISSING;
        let accesses = matches!(op.work, Work::Load { .. } | Work::Store { .. });
        if op.work == Work::FlushLines {
            wait_until(&mut at, state.ordered, Cause::System);
        }
        if accesses && (std::mem::replace(&mut state.fenced, op.orders.0) || op.orders.1) {
            wait_until(&mut at, state.ordered, Cause::System);
        }
        if accesses {
            at = self.access(state, op, outcome, at, spent);
        }
        state.pass(at, op.writes != 0);
        if accesses {
            state.ordered = WRITEBACK + 1;
        }
        match op.work {
            Work::Plain(latency, cause) => state.wait_for(op.writes, latency, cause),
            Work::Fence => state.fenced = true,
            Work::Load { slow, stores, .. } => {
                state.wait_for(op.writes, if slow { 3 } else { 2 }, Cause::LoadUse);
                if stores {
                    // What it stores is computed first.
                    state.store(WRITEBACK + 1);
                }
            }
            Work::Store { .. } => state.store(WRITEBACK),
            Work::Multiply { .. } | Work::Divide { .. } => {
                // The port is its own when it is in write-back itself.
                state.expect(op.writes, (UNIT + outcome as i16).max(WRITEBACK + 1), true);
            }
            Work::Accelerator => {
                if let Accelerator::Rocc(latency) = self.accelerator {
                    state.expect(op.writes, latency, false);
                }
            }
            Work::Flush | Work::FlushLines => {
                state.wait_for(op.writes, 3, Cause::System);
                state.fetch_again(FROM_WRITEBACK - 1, 0);
                state.redirected = true;
            }
            Work::Transfer => {
                // The address after an indirect jump is computed where branches are.
                if op.transfer.is_some_and(|(it, _)| matches!(it.kind, Kind::Indirect | Kind::Return)) {
                    state.wait_for(op.writes, 2, Cause::Branch);
                }
                if outcome & (UNFORESEEN | TAKEN) != 0 {
                    state.certain = (0, 0);
                }
                if outcome & UNFORESEEN != 0 {
                    state.astray = fetched_astray(UNTIL_MEMORY - state.fetched);
                    (state.fetched, state.redirected) = (FROM_MEMORY - 1, true);
                } else if outcome & TAKEN != 0 {
                    state.fetched += i16::from(outcome & AFTER_FETCH != 0);
                    (state.redirected, state.buffered) = (true, op.ends_word && !after_jump);
                }
            }
        }
    }
}
