//! What a core is to the timer.

use std::hash::Hash;

use isa::operands::Class;

use crate::instruction::Instruction;

/// What is known of one execution of an instruction besides what the instruction is.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The address of its access, or its two operands; [`Instruction::words`] says which.
    pub words: &'a [u64],
    /// Address of the instruction executed after it.
    pub next: u64,
}

/// What the stateful parts say of one execution, in the core's own encoding; [`USUAL`] is what most executions are.
pub type Outcome = u32;

/// Nothing out of the ordinary: hits, and what was predicted.
pub const USUAL: Outcome = 0;

macro_rules! causes {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// What a cycle is spent on.
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
    Branch "branch" "Fetching from elsewhere.";
    Fetch "fetch" "Waiting for instructions from memory.";
    Data "data" "Waiting for data from memory.";
    System "system" "CSRs, fences, traps.";
    Unmodelled "unmodelled" "Instructions that the core does not have, a cycle each.";
}

/// What a schedule takes for granted of what the core remembers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Relied {
    /// What it relies on, in order, in the core's own encoding.
    pub on: Vec<u32>,
    /// It is not so, or the schedule would change what the core remembers.
    pub broken: bool,
}

/// Cycles spent, by cause.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Spent {
    cycles: u64,
    causes: [u64; Cause::ALL.len()],
}

impl Spent {
    /// Time goes on.
    pub fn spend(&mut self, cause: Cause, cycles: u32) {
        self.cycles += u64::from(cycles);
        self.causes[cause as usize] += u64::from(cycles);
    }

    /// Much time goes on.
    pub const fn spend_many(&mut self, cause: Cause, cycles: u64) {
        self.cycles += cycles;
        self.causes[cause as usize] += cycles;
    }

    /// All of them.
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Those spent on a cause.
    pub const fn on(&self, cause: Cause) -> u64 {
        self.causes[cause as usize]
    }

    /// Adds what was spent `times` times.
    pub fn add(&mut self, other: &Self, times: u64) {
        self.cycles += other.cycles * times;
        for (own, more) in self.causes.iter_mut().zip(&other.causes) {
            *own += more * times;
        }
    }

    /// What came after a moment at which all of it was `earlier`.
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
    /// Its pipeline between two instructions, relative to now: two moments that go on alike must be equal.
    type State: Clone + Eq + Hash + Default;
    /// What it keeps of an instruction.
    type Op;

    /// True if it has instructions of this class. No core here has a floating-point, vector or cryptographic unit.
    fn has(&self, class: Class) -> bool {
        let is_of_unit = ["fp-", "vector-"].iter().any(|unit| class.name().starts_with(unit));
        !is_of_unit && !matches!(class, Class::Aes | Class::Sha | Class::Sm)
    }

    /// What it needs of an instruction, computed once; `leads` says that execution may come to it from elsewhere than
    /// the instruction before it.
    fn prepare(&self, instruction: &Instruction, leads: bool) -> Self::Op;

    /// Bytes of code at the ends of a transfer of control that are told by [`Core::foresee`].
    const FORESEES: u64 = 0;

    /// There is such an instruction, which may be fetched though it is never executed.
    fn foresee(&self, instruction: &Instruction) {
        let _ = instruction;
    }

    /// True if [`Core::look`] has anything to do for it. One that is never looked at has the outcome [`USUAL`].
    fn watches(&self, op: &Self::Op) -> bool;

    /// Caches and predictors see an execution; every watched one in the order of the program.
    fn look(&mut self, op: &Self::Op, event: &Event<'_>) -> Outcome;

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

    /// Caches and predictors see that the instruction after those so far traps; `None` is one that the core does not have.
    fn look_at_trap(&mut self, op: Option<&Self::Op>) -> Outcome {
        let _ = op;
        USUAL
    }

    /// The instruction after those so far traps.
    fn trap(&self, state: &mut Self::State, op: Option<&Self::Op>, outcome: Outcome, spent: &mut Spent);

    /// The pipeline takes an instruction up: from what `state` was before it to what it is before the next, and the
    /// cycles between. It may depend on nothing else.
    fn issue(&self, state: &mut Self::State, op: &Self::Op, outcome: Outcome, spent: &mut Spent);

    /// What the pipeline does depends on what the core remembers at that moment, and changes it: lines that it fetches
    /// ahead. Its schedules are remembered with what they rely on ([`Core::issue_relying`]), and followed as long as
    /// that holds; otherwise instructions are issued with the memory itself ([`Core::issue_remembering`]).
    const RELIES: bool = false;

    /// [`Core::issue`], telling what of the memory it takes for granted, and that it is broken if that is not so.
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

    /// True if what a schedule relies on is so.
    fn holds(&self, on: &[u32]) -> bool {
        let _ = on;
        true
    }

    /// As long as this is the same, all that held still holds.
    fn epoch(&self) -> u64 {
        0
    }

    /// A schedule that relies on this was followed.
    fn passed(&mut self, on: &[u32]) {
        let _ = on;
    }

    /// [`Core::issue`] with what the core remembers.
    fn issue_remembering(
        &mut self,
        state: &mut Self::State,
        op: &Self::Op,
        outcome: Outcome,
        spent: &mut Spent,
    ) {
        self.issue(state, op, outcome, spent);
    }

    /// [`Core::trap`] with what the core remembers.
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
