//! What may watch a run. An observer's constants are known when the interpreter is compiled, so that
//! what it does not ask for costs nothing.
use hart::csr::Privilege;
use hart::float::FloatEffect;
use hart::memory::{Address, MemoryAccess};
use hart::pages::Change;
use hart::system::System;
use hart::vector::VectorEffects;
use isa::InstructionId;

use crate::block::{Block, Cache};
use crate::follow::Follower;
use crate::native::Marker;
use crate::timed::Record;

/// One retired instruction, for traces.
#[derive(Debug)]
pub struct Retired<'a> {
    /// Mode it executed in.
    pub privilege: Privilege,
    /// Its address.
    pub pc: Address,
    /// Its word; the upper half of a compressed one is zero.
    pub word: u32,
    /// Integer registers it writes, with their new values.
    pub registers: &'a [(u16, u64)],
    /// Memory accesses in order.
    pub accesses: &'a [MemoryAccess],
    /// The CSR it wrote, with its new value; `fflags` for flags raised, none of what the vector unit sets by the way.
    pub csr: Option<(u16, u64)>,
    /// The floating-point register it wrote.
    pub float: Option<FloatEffect>,
    /// What it did to the vector unit, if it is of that.
    pub vector: Option<VectorEffects>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It goes on.
    Continue,
    /// It ends here ([`crate::Stop::Observed`]); it may be taken up again.
    Stop,
}

impl Flow {
    /// Stops if either does.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        match self {
            Self::Continue => other,
            Self::Stop => Self::Stop,
        }
    }
}

/// What became of a hart's registers between two instructions. Threads have numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moved {
    /// A thread begins with those of the running one.
    Copied {
        /// The thread.
        to: u32,
    },
    /// Another thread's take their place.
    Exchanged {
        /// The thread that was running.
        from: u32,
        /// The one that runs now.
        to: u32,
    },
    /// A thread has ended, and its are gone.
    Dropped {
        /// The thread.
        of: u32,
    },
    /// They are saved in memory while a signal's handler runs, which is given arguments of its own.
    Saved {
        /// The thread.
        of: u32,
        /// Where the program counter and `x1` to `x31` are, a word each.
        integers: u64,
        /// Where the state of the units is.
        units: u64,
        /// How long it is, in bytes.
        units_bytes: u64,
    },
    /// The handler has returned, and they are as they were saved last.
    Restored {
        /// The thread.
        of: u32,
    },
}

/// Watches a run. A pair of observers is one.
pub trait Observer {
    /// Count executed instructions by kind.
    const HISTOGRAM: bool = false;
    /// Report each instruction to [`Observer::retired`]; blocks then hold one instruction each.
    const TRACE: bool = false;
    /// Keep executed instructions by address ([`Cache::profile`]); needs [`Observer::HISTOGRAM`].
    const PROFILE: bool = false;

    /// Report executed blocks to [`Observer::executed`], and have the guest's counter of cycles follow
    /// [`Observer::cycles`].
    const TIMED: bool = false;

    /// Have every micro-operation followed by [`Observer::follower`].
    const FOLLOWED: bool = false;

    /// Who follows every micro-operation.
    fn follower(&mut self) -> Option<&mut dyn Follower> {
        None
    }

    /// Addresses at which [`Observer::reached`] is called, before the instruction there executes.
    fn probes(&self) -> impl Iterator<Item = Address> {
        std::iter::empty()
    }

    /// Execution is about to pass probe `index`.
    fn reached(&mut self, index: usize, system: &System, cache: &Cache) -> Flow {
        let _ = (index, system, cache);
        Flow::Continue
    }

    /// The program has executed a marker, instruction `id`, which counts as retired already.
    fn marked(&mut self, marker: Marker, id: InstructionId, system: &System, cache: &Cache) {
        let _ = (marker, id, system, cache);
    }

    /// A block was executed. Told late, but in order, and before anything else is told or asked.
    fn executed(&mut self, record: &Record<'_>) {
        let _ = record;
    }

    /// Blocks have no longer the numbers they had.
    fn renumbered(&mut self) {}

    /// Cycles so far.
    fn cycles(&self) -> u64 {
        0
    }

    /// Cycles from then on until the first instruction of a block, which comes next, sees the time.
    fn until_seen(&self, block: &Block) -> u64 {
        let _ = block;
        0
    }

    /// Harts that share the memory, and take turns in the order of their time.
    fn harts(&self) -> usize {
        1
    }

    /// Which of the harts in a set, a bit for each, has the next turn; what is executed from now on is its.
    fn next_turn(&mut self, ready: u64) -> usize {
        ready.trailing_zeros() as usize
    }

    /// A hart that had nothing to do goes on, at the time of another one.
    fn wake(&mut self, hart: usize, by: usize) {
        let _ = (hart, by);
    }

    /// Something became of pages that no instruction of the guest did.
    fn pages_changed(&mut self, change: &Change) {
        let _ = change;
    }

    /// Something became of the registers that no instruction of the guest did.
    fn registers_moved(&mut self, moved: Moved) {
        let _ = moved;
    }

    /// An instruction retired.
    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        let _ = instruction;
        Flow::Continue
    }
}

/// Watches nothing.
pub struct Blind;

impl Observer for Blind {}

/// Two that watch one run; it stops when either wants that.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const HISTOGRAM: bool = A::HISTOGRAM || B::HISTOGRAM;
    const TRACE: bool = A::TRACE || B::TRACE;
    const PROFILE: bool = A::PROFILE || B::PROFILE;
    const TIMED: bool = A::TIMED || B::TIMED;
    const FOLLOWED: bool = A::FOLLOWED || B::FOLLOWED;

    fn follower(&mut self) -> Option<&mut dyn Follower> {
        if A::FOLLOWED { self.0.follower() } else { self.1.follower() }
    }

    fn probes(&self) -> impl Iterator<Item = Address> {
        self.0.probes().chain(self.1.probes())
    }

    fn reached(&mut self, index: usize, system: &System, cache: &Cache) -> Flow {
        match index.checked_sub(self.0.probes().count()) {
            None => self.0.reached(index, system, cache),
            Some(index) => self.1.reached(index, system, cache),
        }
    }

    fn marked(&mut self, marker: Marker, id: InstructionId, system: &System, cache: &Cache) {
        self.0.marked(marker, id, system, cache);
        self.1.marked(marker, id, system, cache);
    }

    fn executed(&mut self, record: &Record<'_>) {
        self.0.executed(record);
        self.1.executed(record);
    }

    fn renumbered(&mut self) {
        self.0.renumbered();
        self.1.renumbered();
    }

    fn cycles(&self) -> u64 {
        if A::TIMED { self.0.cycles() } else { self.1.cycles() }
    }

    fn until_seen(&self, block: &Block) -> u64 {
        if A::TIMED { self.0.until_seen(block) } else { self.1.until_seen(block) }
    }

    fn harts(&self) -> usize {
        if A::TIMED { self.0.harts() } else { self.1.harts() }
    }

    fn next_turn(&mut self, ready: u64) -> usize {
        if A::TIMED { self.0.next_turn(ready) } else { self.1.next_turn(ready) }
    }

    fn wake(&mut self, hart: usize, by: usize) {
        self.0.wake(hart, by);
        self.1.wake(hart, by);
    }

    fn pages_changed(&mut self, change: &Change) {
        self.0.pages_changed(change);
        self.1.pages_changed(change);
    }

    fn registers_moved(&mut self, moved: Moved) {
        self.0.registers_moved(moved);
        self.1.registers_moved(moved);
    }

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        self.0.retired(instruction).or(self.1.retired(instruction))
    }
}

impl<O: Observer> Observer for &mut O {
    const HISTOGRAM: bool = O::HISTOGRAM;
    const TRACE: bool = O::TRACE;
    const PROFILE: bool = O::PROFILE;
    const TIMED: bool = O::TIMED;
    const FOLLOWED: bool = O::FOLLOWED;

    fn follower(&mut self) -> Option<&mut dyn Follower> {
        (**self).follower()
    }

    fn probes(&self) -> impl Iterator<Item = Address> {
        (**self).probes()
    }

    fn reached(&mut self, index: usize, system: &System, cache: &Cache) -> Flow {
        (**self).reached(index, system, cache)
    }

    fn marked(&mut self, marker: Marker, id: InstructionId, system: &System, cache: &Cache) {
        (**self).marked(marker, id, system, cache);
    }

    fn executed(&mut self, record: &Record<'_>) {
        (**self).executed(record);
    }

    fn renumbered(&mut self) {
        (**self).renumbered();
    }

    fn cycles(&self) -> u64 {
        (**self).cycles()
    }

    fn until_seen(&self, block: &Block) -> u64 {
        (**self).until_seen(block)
    }

    fn harts(&self) -> usize {
        (**self).harts()
    }

    fn next_turn(&mut self, ready: u64) -> usize {
        (**self).next_turn(ready)
    }

    fn wake(&mut self, hart: usize, by: usize) {
        (**self).wake(hart, by);
    }

    fn pages_changed(&mut self, change: &Change) {
        (**self).pages_changed(change);
    }

    fn registers_moved(&mut self, moved: Moved) {
        (**self).registers_moved(moved);
    }

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        (**self).retired(instruction)
    }
}
