//! The interface between a core's model and the timer.

use std::hash::Hash;

use isa::operands::Class;

use crate::instruction::Instruction;
use crate::memory::Seen;

/// The data of one execution of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The address of its memory access, or its two operands; see [`Instruction::words`].
    pub words: &'a [u64],
    /// Address of the instruction executed after it.
    pub next: u64,
}

/// The result of looking up caches and predictors for one execution, in the core's own encoding; mostly [`USUAL`].
pub type Outcome = u32;

/// All lookups hit, and all predictions were correct.
pub const USUAL: Outcome = 0;

/// No state tells this of itself; see [`Core::tells`].
pub const UNTOLD: u64 = u64::MAX;

macro_rules! causes {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// The cause that a cycle is attributed to.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Cause {
            $(#[doc = $about] $variant,)*
        }

        impl Cause {
            /// Every cause.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in tables.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

causes! {
    Issue "issue" "The instruction itself.";
    Operand "operand" "Waiting for a result of the integer unit.";
    LoadUse "load-use" "Waiting for a load's result.";
    Multiply "multiply" "The multiplier, or waiting for its result.";
    Divide "divide" "The divider, or waiting for its result.";
    Unit "unit" "Another unit of more than one cycle.";
    Structural "structural" "A unit, port or buffer that another instruction occupies.";
    Coprocessor "coprocessor" "A coprocessor, or waiting for its result.";
    Branch "branch" "Redirecting the fetch.";
    Fetch "fetch" "Waiting for instructions from memory.";
    Data "data" "Waiting for data from memory.";
    System "system" "CSRs, fences, traps.";
    Unmodelled "unmodelled" "Instructions that the core does not have, one cycle each.";
}

/// The cache contents that a schedule assumes.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Relied {
    /// The assumptions, in order, in the core's own encoding.
    pub on: Vec<u32>,
    /// An assumption does not hold, or the schedule would change the cache.
    pub broken: bool,
}

/// Cycles by cause.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Spent {
    cycles: u64,
    causes: [u64; Cause::ALL.len()],
}

impl Spent {
    /// Adds cycles.
    pub fn spend(&mut self, cause: Cause, cycles: u32) {
        self.cycles += u64::from(cycles);
        self.causes[cause as usize] += u64::from(cycles);
    }

    /// Adds many cycles.
    pub const fn spend_many(&mut self, cause: Cause, cycles: u64) {
        self.cycles += cycles;
        self.causes[cause as usize] += cycles;
    }

    /// All cycles.
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// The cycles of a cause.
    pub const fn on(&self, cause: Cause) -> u64 {
        self.causes[cause as usize]
    }

    /// Adds another account, `times` times.
    pub fn add(&mut self, other: &Self, times: u64) {
        self.cycles += other.cycles * times;
        for (own, more) in self.causes.iter_mut().zip(&other.causes) {
            *own += more * times;
        }
    }

    /// The cycles since the account was `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut more = self.clone();
        more.cycles -= earlier.cycles;
        for (own, before) in more.causes.iter_mut().zip(&earlier.causes) {
            *own -= before;
        }
        more
    }
}

/// An in-order core.
pub trait Core {
    /// The pipeline's state between two instructions, with times relative to now. States that behave alike must be
    /// equal.
    type State: Clone + Eq + Hash + Default;
    /// What the model needs to know of an instruction.
    type Op;

    /// True if it has instructions of this class. No core here has a floating-point, vector or cryptographic unit.
    fn has(&self, class: Class) -> bool {
        let is_of_unit = ["fp-", "vector-"].iter().any(|unit| class.name().starts_with(unit));
        !is_of_unit && !matches!(class, Class::Aes | Class::Sha | Class::Sm)
    }

    /// True if it has the instruction. No core here loads or stores several registers with one, but the plain one.
    fn executes(&self, instruction: &Instruction) -> bool {
        self.has(instruction.class) && instruction.is_one_access()
    }

    /// Extracts what the model needs from an instruction, once; `leads`: it can be reached other than from the
    /// instruction before it.
    fn prepare(&self, instruction: &Instruction, leads: bool) -> Self::Op;

    /// What follows an instruction in memory, as far as it is in the same block.
    fn precedes(&self, op: &mut Self::Op, following: &[Instruction]) {
        let _ = (op, following);
    }

    /// Bytes of code at the ends of a transfer of control that are told by [`Core::foresee`].
    const FORESEES: u64 = 0;

    /// There is such an instruction, which may be fetched though it is never executed.
    fn foresee(&self, instruction: &Instruction) {
        let _ = instruction;
    }

    /// True if [`Core::look`] must be called for it; otherwise its outcome is [`USUAL`].
    fn watches(&self, op: &Self::Op) -> bool;

    /// Updates caches and predictors for an execution. Called for every watched one, in program order.
    fn look(&mut self, op: &Self::Op, event: &Event<'_>) -> Outcome;

    /// As long as this is the same, instructions whose lines were all there are there still, and [`Core::look`] need not
    /// look for them: then [`Core::look_at_work`] does the rest.
    fn lines(&self) -> u64 {
        0
    }

    /// True if [`Core::look_at_work`] has anything to do for it.
    fn works(&self, op: &Self::Op) -> bool {
        self.watches(op)
    }

    /// [`Core::look`] at one whose lines of instructions are there.
    fn look_at_work(&mut self, op: &Self::Op, event: &Event<'_>) -> Outcome {
        self.look(op, event)
    }

    /// The next instruction accesses a CSR: cycles from then on until it sees the time. 0 if a cycle ends when the
    /// instruction before it does.
    fn until_seen(&self, state: &Self::State, op: &Self::Op) -> u32 {
        let _ = (state, op);
        0
    }

    /// Before executions are looked at: what the pipeline has made of all before them.
    fn settle(&mut self, state: &Self::State) {
        let _ = state;
    }

    /// All that [`Core::settle`] takes from a state, as a number, so that the state itself need not be looked at;
    /// [`UNTOLD`] if it must be.
    fn tells(&self, state: &Self::State) -> u64 {
        let _ = state;
        UNTOLD
    }

    /// [`Core::settle`] by that number.
    fn settle_by(&mut self, told: u64) {
        let _ = told;
    }

    /// Caches and predictors see that the instruction after those so far traps; `None` is one that the core does not have.
    fn look_at_trap(&mut self, op: Option<&Self::Op>) -> Outcome {
        let _ = op;
        USUAL
    }

    /// True if an execution that was looked at misses its caches, and the latency of the memory below depends on the
    /// time of the request. The instructions are then issued one by one, each after [`Core::ask`], and not memoised.
    fn awaits(&self) -> bool {
        false
    }

    /// Before an instruction is issued, at `cycle`: sends its misses to the memory. Its issue may depend on the latencies,
    /// too.
    fn ask(&mut self, state: &Self::State, op: &Self::Op, outcome: Outcome, cycle: u64) {
        let _ = (state, op, outcome, cycle);
    }

    /// Before [`Core::until_seen`], at `cycle`: predicts the latency of a miss without changing the memory.
    fn foresee_ask(&self, state: &Self::State, op: &Self::Op, cycle: u64) {
        let _ = (state, op, cycle);
    }

    /// The counts of the memory below its caches, if that is built from parts.
    fn seen(&self) -> Vec<Seen> {
        Vec::new()
    }

    /// Advances the pipeline by an instruction that traps.
    fn trap(&self, state: &mut Self::State, op: Option<&Self::Op>, outcome: Outcome, spent: &mut Spent);

    /// Advances the pipeline by one instruction: updates `state` and adds the cycles. It may depend only on its
    /// arguments, since schedules are memoised by them.
    fn issue(&self, state: &mut Self::State, op: &Self::Op, outcome: Outcome, spent: &mut Spent);

    /// True if the pipeline depends on, and changes, the contents of a cache, as prefetching does. Its schedules are
    /// memoised with the contents that they assume ([`Core::issue_relying`]) and reused while these hold; otherwise
    /// instructions are issued against the cache itself ([`Core::issue_remembering`]).
    const RELIES: bool = false;

    /// [`Core::issue`], which also records the cache contents that it assumes, and whether an assumption does not hold.
    fn issue_relying(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        outcome: Outcome,
        spent: &mut Spent,
        relied: &mut Relied,
    ) {
        let _ = relied;
        self.issue(state, op, outcome, spent);
    }

    /// True if a schedule's assumptions hold.
    fn holds(&self, on: &[u32]) -> bool {
        let _ = on;
        true
    }

    /// While this is unchanged, assumptions that held still hold.
    fn epoch(&self) -> u64 {
        0
    }

    /// A schedule with these assumptions was reused.
    fn passed(&mut self, on: &[u32]) {
        let _ = on;
    }

    /// [`Core::issue`] against the cache itself.
    fn issue_remembering(
        &mut self,
        state: &mut Self::State,
        op: &Self::Op,
        outcome: Outcome,
        spent: &mut Spent,
    ) {
        self.issue(state, op, outcome, spent);
    }

    /// [`Core::trap`] against the cache itself.
    fn trap_remembering(
        &mut self,
        state: &mut Self::State,
        op: Option<&Self::Op>,
        outcome: Outcome,
        spent: &mut Spent,
    ) {
        self.trap(state, op, outcome, spent);
    }
}
