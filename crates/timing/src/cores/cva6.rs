//! CVA6 (c5947082, `frontend.sv`, `scoreboard.sv`, `issue_read_operands.sv`, `load_store_unit.sv`, `commit_stage.sv`):
//! two fetch stages and a queue, decode, issue, execute, commit. It issues one instruction per cycle, in order, and
//! commits up to two.
//!
//! Time is that of commit, since the RTL counts retired instructions; the state is relative to the last issue. An
//! instruction issues when its operands are ready, no uncommitted instruction writes the same register (there is no
//! renaming), and its unit is free.

mod fetch;
mod look;
mod op;
mod state;

use crate::core::{Cause, Core, Event, Outcome, Spent, USUAL};
use crate::instruction::Instruction;
use crate::machine::Machine;
use crate::parts::cva6_branch::{FOLLOWED, Missing, Predictor, Timing};
use crate::parts::cva6_cache::RandomCache;
use crate::parts::cva6_stores::REMEMBERED;
use op::Work;
use state::{Issued, SPECULATIVE, Wait};

pub use op::Op;
pub use state::State;

/// From a request for a word until an instruction in it can be issued: cache, register, queue, decode.
const FETCH: i16 = 4;
/// From the request for a predicted transfer's word until that for its target.
const TAKEN: i16 = 2;
/// Cycles of a refill beyond the memory's latency: the way to the bus and back, and a line's second beat.
const REFILL: i16 = 4;
/// Sets, ways, bytes of a line and the register that replaces.
const INSTRUCTIONS: (usize, usize, u64, u32) = (256, 4, 16, 0xc);
const DATA: (usize, usize, u64, u32) = (256, 8, 16, 0xfa);
/// Cycles of emptying the instruction cache: a set a cycle, and one to begin.
const EMPTYING: i16 = INSTRUCTIONS.0 as i16 + 1;

/// The core.
pub struct Cva6 {
    latency: i16,
    instructions: RandomCache,
    data: RandomCache,
    predictor: Predictor,
    /// What was asked for last on a wrong path, and was missing.
    asked: Missing,
    /// Addresses of the last stores, the last of them at `newest`, then those before it.
    stored: [u64; REMEMBERED],
    newest: usize,
    /// Of the last stores, as bits, the last one's the lowest: those that have not come into the write buffer, and those
    /// that may have an entry of it. The others matter no more.
    entering: u16,
    held: u16,
}

/// Outcomes: of an access, which of the last stores is to its 8 bytes or word, that it misses, which is to its line,
/// and that the line of instructions after its own is missing; of a division, its steps; of a transfer, how it was
/// predicted, and whether the line after it is missing; of what fetching does not go on after, when a line was asked
/// for that is missing, after how many words, and whether it is what comes next; of any, that its lines of
/// instructions are missing.
const SAME: Outcome = 0x1f;
const MISS: Outcome = 1 << 5;
const LINE_SHIFT: u32 = 6;
const NEXT_LINE_MISSING: Outcome = 1 << 11;
const ELSEWHERE: Outcome = 1;
const WRONG: Outcome = 2;
const NEXT_MISSING: Outcome = 4;
const NEEDED: Outcome = 8;
const ASKED_SHIFT: u32 = 4;
const ASKED: Outcome = 0xf;
const WORDS_SHIFT: u32 = 4;
const THEN_SHIFT: u32 = 12;
const LINE_MISSING: Outcome = 1 << 24;
const FIRST_LINE_MISSING: Outcome = 1 << 25;
const LINES: Outcome = LINE_MISSING | FIRST_LINE_MISSING;

/// What a state tells, beside the stores that have an entry: how many have none yet, how many lines came, and two times.
const COUNT_SHIFT: u32 = 16;
const CAME_SHIFT: u32 = 21;
const FETCHED_SHIFT: u32 = 32;
const DROPPED_SHIFT: u32 = 48;

impl Cva6 {
    /// Reads a machine's file.
    pub fn new(machine: &Machine) -> Self {
        let cache = |(sets, ways, line, mask)| RandomCache::new(sets, ways, line, mask);
        Self {
            latency: machine.memory_latency as i16,
            instructions: cache(INSTRUCTIONS),
            data: cache(DATA),
            predictor: Predictor::default(),
            asked: Missing::default(),
            stored: [u64::MAX; REMEMBERED],
            newest: 0,
            entering: 0,
            held: 0,
        }
    }

    /// From when a load leaves the queue until its result can be used, with what it waits for.
    fn load(&self, state: &mut State, op: &Op, leaves: i16, outcome: Outcome) -> (i16, i16, Cause) {
        if outcome & MISS == 0 {
            return (leaves + 2, leaves + 1, Cause::LoadUse);
        }
        let mut asks = leaves + 2;
        if outcome & NEXT_LINE_MISSING != 0 {
            asks = Self::after_next_line(state, op, asks);
        }
        let line = (outcome >> LINE_SHIFT & SAME) as usize;
        if line > 0 {
            asks = state.stores.collides(line, asks, self.latency).unwrap_or(asks);
        }
        state.read = asks;
        let comes = asks + self.latency + REFILL - 1;
        (comes + 1, comes + 1, Cause::Data)
    }
}

impl Core for Cva6 {
    type State = State;
    type Op = Op;

    fn prepare(&self, instruction: &Instruction, leads: bool) -> Op {
        let op = Op::new(instruction, leads);
        if let Some((transfer, _)) = &op.transfer {
            self.predictor.know(*transfer);
        }
        op
    }

    const FORESEES: u64 = 4 * FOLLOWED as u64;

    fn foresee(&self, instruction: &Instruction) {
        if let Some(transfer) = op::transfer(instruction) {
            self.predictor.know(transfer);
        }
    }

    fn watches(&self, op: &Op) -> bool {
        op.line.is_some() || self.works(op)
    }

    fn look(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        let missing = self.look_at_lines(op);
        self.look_at_work(op, event) | missing
    }

    fn lines(&self) -> u64 {
        self.instructions.changes()
    }

    fn works(&self, op: &Op) -> bool {
        !matches!(op.work, Work::Plain | Work::Multiply | Work::Csr { flushes: false })
    }

    fn look_at_work(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        self.see(op, event)
    }

    /// CSRs are read when their instruction is committed.
    fn until_seen(&self, state: &State, op: &Op) -> u32 {
        let (mut state, mut spent) = (state.clone(), Spent::default());
        let missing = op.line.is_some_and(|address| !self.instructions.holds(address));
        self.issue(&mut state, op, if missing { LINE_MISSING } else { USUAL }, &mut spent);
        spent.cycles() as u32
    }

    fn tells(&self, state: &State) -> u64 {
        let (entering, held) = state.stores.on_their_way();
        // They come into the write buffer in order: how many of the last ones do not tells which.
        let entering = u16::BITS - entering.leading_zeros();
        u64::from(held)
            | u64::from(entering) << COUNT_SHIFT
            | u64::from(state.came) << CAME_SHIFT
            | u64::from(state.fetched as u16) << FETCHED_SHIFT
            | u64::from(state.dropped as u16) << DROPPED_SHIFT
    }

    fn settle_by(&mut self, told: u64) {
        self.held = told as u16;
        self.entering = ((1_u32 << (told >> COUNT_SHIFT & 0x1f)) - 1) as u16;
        let came = told >> CAME_SHIFT & 3;
        if came > 0 {
            // On a wrong path.
            for line in self.asked.into_iter().flatten().take(came as usize) {
                self.instructions.touch(line.address);
            }
        }
        let (lead, dropped) = ((told >> FETCHED_SHIFT) as i16, (told >> DROPPED_SHIFT) as i16);
        self.predictor.settle(Timing { lead, dropped, refill: self.latency + REFILL });
    }

    fn look_at_trap(&mut self, op: Option<&Op>) -> Outcome {
        let outcome = op.map_or(USUAL, |op| self.look_at_lines(op) | self.asked_after(op) & !NEEDED);
        self.predictor.flush();
        outcome
    }

    fn trap(&self, state: &mut State, op: Option<&Op>, outcome: Outcome, spent: &mut Spent) {
        if let Some(op) = op {
            // It goes as far as commit, which empties the pipeline.
            let op = Op { work: Work::Trap, writes: 0, ..op.clone() };
            return self.issue(state, &op, outcome, spent);
        }
        spent.spend(Cause::System, 1);
        state.committed += 1;
        (state.fetched, state.redirected) = (state.committed + 1, true);
    }

    fn issue(&self, state: &mut State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        let mut wait = Wait { until: 1, cause: Cause::Issue };
        (state.dropped, state.came) = (0, 0);
        self.fetch(state, op, outcome & LINES, &mut wait);
        let outcome = outcome & !LINES;
        state.operands(op, &mut wait);
        state.units(op.work, &mut wait);
        let at = wait.until;

        // When its result comes, and how it goes on.
        let mut cause = Cause::Operand;
        let mut ready = at + 1;
        let mut unit_free = 0;
        match op.work {
            Work::Multiply => (ready, cause) = (at + 2, Cause::Multiply),
            Work::Divide { .. } => {
                ready = if outcome == USUAL { at + 2 } else { at + 2 + outcome as i16 };
                (unit_free, cause) = (ready + 1, Cause::Divide);
            }
            Work::Load => {
                let mut leaves = (at + 1).max(state.accesses[0].1 + 1);
                let same = (outcome & SAME) as usize;
                if same > 0 && state.stores.passed(same) > leaves {
                    leaves = state.stores.passed(same) + 1;
                }
                leaves = leaves.max(state.port_free);
                (ready, state.port_free, cause) = self.load(state, op, leaves, outcome);
                state.accesses = [(at, leaves), state.accesses[0]];
            }
            Work::Store => {
                let mut leaves = (at + 1).max(state.accesses[0].1 + 1);
                if state.store_commits[SPECULATIVE - 1] > leaves {
                    leaves = state.store_commits[SPECULATIVE - 1] + 1;
                }
                ready = leaves + 1;
                state.accesses = [(at, leaves), state.accesses[0]];
            }
            Work::Plain
            | Work::Transfer
            | Work::Csr { .. }
            | Work::Fence { .. }
            | Work::Flush
            | Work::TrapReturn => {}
            // The decoder knows.
            Work::Trap => ready = at,
        }
        let alone = matches!(
            op.work,
            Work::Csr { .. } | Work::Fence { .. } | Work::Flush | Work::Trap | Work::TrapReturn
        );
        let first_only = alone || op.work == Work::Store;
        let mut commit = Wait { until: ready + 1, cause };
        commit.wait(state.committed + i16::from(state.last_of_cycle || first_only), Cause::Operand);
        if op.work == Work::Store {
            commit.wait(state.stores.queue_free(), Cause::Structural);
        }
        if let Work::Fence { .. } = op.work {
            commit.wait(state.stores.empty(), Cause::Data);
        }
        // What it waited for before it was issued, else what its result was waited for.
        let why = if wait.until > 1 { wait.cause } else { commit.cause };
        let commit = commit.until;
        match op.work {
            Work::Store => {
                let same = Some((outcome & SAME) as usize).filter(|&same| same > 0);
                state.stores.commit(commit, same, self.latency);
                state.store_commits.rotate_right(1);
                state.store_commits[0] = commit;
            }
            Work::Csr { .. } => (unit_free, ready, cause) = (commit, commit + 1, Cause::System),
            Work::Fence { .. } | Work::Flush | Work::Trap | Work::TrapReturn => unit_free = commit,
            _ => {}
        }
        if unit_free > 0 {
            (state.unit_free, state.unit_cause) = (unit_free, cause as u8);
        }
        match op.work {
            Work::Transfer if outcome & WRONG != 0 => self.redirect(state, outcome, at, at + 1),
            Work::Transfer if outcome & ELSEWHERE != 0 => {
                // What is asked for after it is not there: dropping it takes a cycle.
                let dropped = outcome & NEXT_MISSING != 0 && !state.refilled;
                (state.fetched, state.redirected) = (state.fetched + TAKEN + i16::from(dropped), true);
                state.filled = 0;
            }
            Work::Fence { instructions: true } => {
                self.redirect(state, outcome, at, commit);
                // What came is gone.
                (state.fetched, state.came) = (state.fetched + EMPTYING, 0);
            }
            Work::Fence { .. }
            | Work::Flush
            | Work::Trap
            | Work::TrapReturn
            | Work::Csr { flushes: true } => {
                self.redirect(state, outcome, at, commit);
            }
            _ => {}
        }
        let cycles = (commit - state.committed) as u32;
        spent.spend(Cause::Issue, cycles.min(1));
        spent.spend(why, cycles.saturating_sub(1));

        state.last_of_cycle = alone || commit == state.committed;
        state.committed = commit;
        state.issued.rotate_right(1);
        state.issued[0] = Issued { writes: op.writes, cause: cause as u8, ready, commit };
        state.after_multiply = matches!(op.work, Work::Multiply | Work::Divide { .. });
        state.times.rotate_right(1);
        state.times[0] = at;
        state.pass(at, self.latency);
    }
}
