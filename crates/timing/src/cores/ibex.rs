//! Ibex (lowRISC/ibex 5da1679f, `doc/03_reference/pipeline_details.rst` and its RTL): two stages, or three with a
//! write-back stage. The second stage decodes, executes and branches, one instruction at a time
//! (`ibex_id_stage.sv`, `ibex_load_store_unit.sv`, `ibex_wb_stage.sv`, `ibex_controller.sv`).
//!
//! Between two instructions, now is the first cycle in which the second stage can accept another. The fetch side is
//! modelled separately ([`fetch::Fetch`]). A redirect is accounted for once its target instruction is known, since
//! nothing depends on the target before it arrives.
//! With a branch predictor, the first stage redirects as soon as it has an instruction (`ibex_if_stage.sv`,
//! `g_branch_predictor`); everything since the second stage was last free is then accounted for. Predictions on a wrong
//! path while the second stage waits for a load are not modelled.

mod cached;
mod configuration;
mod fetch;
mod op;
mod prefetch;

use crate::core::{Cause, Core, Event, Outcome, Relied, Spent, USUAL};
use crate::instruction::Instruction;
use crate::parts::ibex_tags::{Lines, Nothing, Relying, Tags};
use fetch::{Fetch, Redirect, Untold};
use op::{FLUSH, Op, Work};

pub use cached::Cached;
pub use configuration::Configuration;
pub use prefetch::{Prefetch, Steady};

/// Cycles of a division; by zero it takes two.
const DIVISION: u32 = 37;

/// The code that starts the RTL engine's programs (`rtl/ibex/bench.cpp`): it enables the cache, and jumps.
const BOOT: u32 = 0x7fff_ff80;

/// The outcome of a taken branch or jump. The outcome of an access is its words beyond the first; of a multiplication or
/// division, its cycles.
const TAKEN: Outcome = 1;

/// The core in one configuration, with its fetch side.
pub struct Ibex<F> {
    stages: Stages<F>,
    /// The tags of the instruction cache, if it has one.
    tags: Tags,
}

/// The core without its cache.
struct Stages<F> {
    configuration: Configuration,
    fetch: F,
}

/// The state of the write-back stage and of fetching.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct State<S> {
    /// True once the boot code has run.
    runs: bool,
    fetch: S,
    /// Cycles until the access in the write-back stage is answered; 0 if there is none.
    waits: u32,
    /// The register it loads, or x0.
    loads: u8,
    /// The next instruction does not follow the last in memory, or is seen before the second stage accepts it.
    untold: Untold,
}

/// The second stage's work, with cycles relative to the one in which it may begin to execute.
struct Executed {
    /// The last cycle.
    last: i32,
    cause: Cause,
    /// When fetching is redirected.
    redirects: Option<i32>,
}

impl<F: Fetch> Ibex<F> {
    /// With a fetch side.
    pub fn new(configuration: Configuration, fetch: F) -> Self {
        Self { stages: Stages { configuration, fetch }, tags: Tags::default() }
    }
}

impl<F: Fetch> Stages<F> {
    /// From reset to the entry of the program.
    fn boot(&self, lines: &mut impl Lines) -> State<F::State> {
        let untold = Untold { redirect: Some(Redirect::default()), busy: 0 };
        let mut state = State { runs: true, fetch: self.fetch.reset(), waits: 0, loads: 0, untold };
        let mut spent = Spent::default();
        let plain = Work::Cycles(1, Cause::Issue);
        self.issue_on(&mut state, &Op::plain(BOOT, plain), USUAL, &mut spent, lines);
        self.fetch.enable(&mut state.fetch);
        self.issue_on(&mut state, &Op::plain(BOOT + 4, plain), USUAL, &mut spent, lines);
        self.issue_on(&mut state, &Op::plain(BOOT + 8, Work::Indirect), TAKEN, &mut spent, lines);
        state
    }

    /// An instruction enters the second stage: the cycles until then, and since it redirected the first stage if it did.
    fn arrive(
        &self,
        state: &mut State<F::State>,
        op: &Op,
        spent: &mut Spent,
        lines: &mut impl Lines,
    ) -> (u32, Option<u32>) {
        if !state.runs {
            *state = self.boot(lines);
        }
        let untold = std::mem::take(&mut state.untold);
        let (waited, since) = match op.foreseen {
            Some(target) => {
                let taken = self.fetch.take_foreseen(&mut state.fetch, untold, op.wanted, target, lines);
                (taken.0, Some(taken.1))
            }
            None => (self.fetch.take(&mut state.fetch, untold, op.wanted, lines), None),
        };
        let second = u32::from(untold.redirect.is_some() && op.wanted.across()).min(waited);
        spent.spend(Cause::Branch, second);
        spent.spend(Cause::Fetch, waited - second);
        state.waits = state.waits.saturating_sub(waited);
        (waited, since)
    }

    /// Cycles that an instruction in the second stage waits for the access in the write-back stage; and whether it cannot
    /// even redirect meanwhile.
    fn hold(state: &mut State<F::State>, op: &Op) -> (u32, bool) {
        let (waits, loads) = (std::mem::take(&mut state.waits), std::mem::take(&mut state.loads));
        // The answer goes to the register file, not straight to the second stage.
        let needs = waits > 0 && loads != 0 && op.reads.contains(&loads);
        (waits.saturating_sub(1) + u32::from(needs), needs)
    }

    fn execute(&self, work: Work, outcome: Outcome, early: i32) -> Executed {
        let Configuration { branch_target_alu, writeback_stage, data_latency, .. } = self.configuration;
        let for_cycles = |cycles: u32, cause| Executed { last: cycles as i32 - 1, cause, redirects: None };
        let jump = |cause| Executed { last: i32::from(!branch_target_alu), cause, redirects: Some(-early) };
        match work {
            Work::Cycles(cycles, cause) => for_cycles(cycles, cause),
            Work::Multiply => for_cycles(outcome, Cause::Multiply),
            Work::Divide => for_cycles(outcome, Cause::Divide),
            Work::Load(..) | Work::Store(_) => {
                // A request for each word, the second in the next cycle. Two stages wait for all answers, three for all
                // but the last.
                let waited = if writeback_stage { outcome * data_latency } else { outcome + data_latency };
                for_cycles(1 + waited, Cause::Data)
            }
            Work::Refetch => jump(Cause::System),
            Work::Return => Executed { last: 1, cause: Cause::System, redirects: Some(1) },
            Work::Branch { .. } if outcome & TAKEN == 0 => for_cycles(1, Cause::Issue),
            // The target is known a cycle after the condition.
            Work::Branch { .. } if !branch_target_alu => {
                Executed { last: 1, cause: Cause::Branch, redirects: Some(1) }
            }
            Work::Branch { .. } => Executed { last: 0, cause: Cause::Branch, redirects: Some(-early) },
            Work::Jump(_) | Work::Indirect => jump(Cause::Branch),
        }
    }

    fn issue_on(
        &self,
        state: &mut State<F::State>,
        op: &Op,
        outcome: Outcome,
        spent: &mut Spent,
        lines: &mut impl Lines,
    ) {
        let (_, since) = self.arrive(state, op, spent, lines);
        spent.spend(Cause::Issue, 1);
        let (held, needs) = Self::hold(state, op);
        spent.spend(if needs { Cause::LoadUse } else { Cause::Data }, held);
        let early = if needs { 0 } else { held };
        if let Some(since) = since {
            let end = self.follow_foreseen(state, op, outcome, since + held, early, lines);
            spent.spend(Cause::Branch, end);
            return;
        }
        let Executed { last, cause, redirects } = self.execute(op.work, outcome, early as i32);
        // What is fetched anew cannot be taken in the same cycle.
        let end = redirects.map_or(last, |redirects| last.max(redirects + 1));
        spent.spend(cause, end as u32);
        // What a predictor makes of the next instruction is not known before that is.
        let told = redirects.or((!self.configuration.branch_predictor).then_some(end));
        self.fetch.busy(&mut state.fetch, told.map_or(0, |told| (held as i32 + told) as u32), lines);
        state.untold = match redirects {
            Some(redirects) => {
                // Asked again while every set is emptied, it begins anew, every other cycle (`ibex_icache.sv`, `inval_state_q`).
                let empties = (op.work == Work::Refetch).then_some(held & !1);
                Untold { redirect: Some(Redirect { empties }), busy: (end - redirects - 1) as u32 }
            }
            None => Untold { redirect: None, busy: if told.is_some() { 0 } else { held + end as u32 } },
        };
        if self.configuration.writeback_stage
            && let Work::Load(..) | Work::Store(_) = op.work
        {
            state.waits = if outcome == USUAL { self.configuration.data_latency } else { 1 };
            state.loads = if let Work::Load(register, _) = op.work { register } else { 0 };
        }
    }

    /// What was expected to lead elsewhere, for which the first stage redirected some cycles ago, executes; cycles beyond
    /// one.
    fn follow_foreseen(
        &self,
        state: &mut State<F::State>,
        op: &Op,
        outcome: Outcome,
        since: u32,
        early: u32,
        lines: &mut impl Lines,
    ) -> u32 {
        if outcome & TAKEN != 0 {
            let end = u32::from(!self.configuration.branch_target_alu);
            state.untold = Untold { redirect: None, busy: since + end };
            return end;
        }
        // As long as it waits, it redirects in each cycle to what follows it.
        self.fetch.busy(&mut state.fetch, since - early, lines);
        let fall_through = op.wanted.pc.wrapping_add(if op.wanted.long { 4 } else { 2 });
        (0..early).for_each(|_| self.fetch.redirect(&mut state.fetch, fall_through, lines));
        state.untold = Untold { redirect: Some(Redirect::default()), busy: 0 };
        1
    }

    fn trap_on(
        &self,
        state: &mut State<F::State>,
        op: Option<&Op>,
        spent: &mut Spent,
        lines: &mut impl Lines,
    ) {
        let mut held = 0;
        if let Some(op) = op {
            self.arrive(state, op, spent, lines);
            held = Self::hold(state, &Op { reads: [0, 0], ..*op }).0;
        }
        spent.spend(Cause::Data, held);
        spent.spend(Cause::System, FLUSH);
        self.fetch.busy(&mut state.fetch, held + 1, lines);
        let untold = Untold { redirect: Some(Redirect::default()), busy: 0 };
        *state = State { untold, waits: 0, loads: 0, ..std::mem::take(state) };
    }
}

impl<F: Fetch> Core for Ibex<F> {
    type State = State<F::State>;
    type Op = Op;

    fn prepare(&self, instruction: &Instruction, _leads: bool) -> Op {
        Op::of(instruction, &self.stages.configuration)
    }

    fn watches(&self, op: &Op) -> bool {
        !matches!(op.work, Work::Cycles(..) | Work::Refetch | Work::Return)
    }

    fn look(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        match op.work {
            Work::Cycles(..) | Work::Refetch | Work::Return => USUAL,
            Work::Load(_, bytes) | Work::Store(bytes) => {
                let address = event.words.first().copied().unwrap_or(0);
                u32::from(address % 4 + u64::from(bytes) > 4)
            }
            Work::Multiply => {
                let multiplier = event.words.get(1).copied().unwrap_or(0) as u32;
                (32 - multiplier.leading_zeros()).max(1) + 1
            }
            Work::Divide if event.words.get(1) == Some(&0) => 2,
            Work::Divide => DIVISION,
            Work::Branch { condition, .. } if !condition.holds(event) => USUAL,
            Work::Branch { .. } | Work::Jump(_) | Work::Indirect => TAKEN,
        }
    }

    fn until_seen(&self, state: &Self::State, op: &Op) -> u32 {
        let (mut state, mut spent) = (state.clone(), Spent::default());
        let (waited, _) = if F::CACHED {
            self.stages.arrive(&mut state, op, &mut spent, &mut self.tags.clone())
        } else {
            self.stages.arrive(&mut state, op, &mut spent, &mut Nothing)
        };
        waited + Stages::<F>::hold(&mut state, op).0
    }

    fn trap(&self, state: &mut Self::State, op: Option<&Op>, _: Outcome, spent: &mut Spent) {
        self.stages.trap_on(state, op, spent, &mut Nothing);
    }

    fn issue(&self, state: &mut Self::State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        let mut lines = Relying { tags: None, relied: &mut Relied::default() };
        self.stages.issue_on(state, op, outcome, spent, &mut lines);
    }

    const RELIES: bool = F::CACHED;

    fn issue_relying(
        &self,
        state: &mut Self::State,
        op: &Op,
        outcome: Outcome,
        spent: &mut Spent,
        relied: &mut Relied,
    ) {
        let mut lines = Relying { tags: Some(&self.tags), relied };
        self.stages.issue_on(state, op, outcome, spent, &mut lines);
    }

    fn holds(&self, on: &[u32]) -> bool {
        self.tags.hold(on)
    }

    fn epoch(&self) -> u64 {
        self.tags.epoch()
    }

    fn passed(&mut self, on: &[u32]) {
        self.tags.pass(on.len());
    }

    fn issue_remembering(&mut self, state: &mut Self::State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        self.stages.issue_on(state, op, outcome, spent, &mut self.tags);
    }

    fn trap_remembering(&mut self, state: &mut Self::State, op: Option<&Op>, _: Outcome, spent: &mut Spent) {
        self.stages.trap_on(state, op, spent, &mut self.tags);
    }
}
