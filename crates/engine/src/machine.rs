//! The machine: a hart and memory, run block by block under limits, with traps and the host-target
//! interface.

mod cuts;
mod hot;
mod lookup;
mod settle;
mod time;
mod trace;
mod translations;
mod traps;
mod turn;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use hart::Hart;
use hart::effects::Effects;
use hart::fault::Fault;
use hart::host::Host;
use hart::htif::Htif;
use hart::memory::{Address, Memory};
use hart::system::System;

pub use self::translations::Translations;
pub use self::traps::Traps;

use self::cuts::Cuts;
use crate::block::{self, BlockId, Cache, FLUSHING_EXIT};
use crate::exec::{self, BlockExit};
use crate::observer::{Flow, Observer};
use crate::program::Program;
use crate::tier::{Compiler, Return};
use crate::timed::Records;

/// Bounds of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Most instructions to retire, exactly.
    pub instructions: Option<u64>,
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The guest exited with this status.
    Exit(u64),
    /// An exception no handler took.
    Fault(Fault),
    /// A bare machine's program asks for something by an `ebreak` within the sequence of semihosting; what the
    /// breakpoint is to somebody who knows nothing of that.
    Semihosting(Fault),
    /// The limit of instructions is reached.
    InstructionLimit,
    /// The host's callback asked for it.
    Interrupted,
    /// The observer asked for it.
    Observed,
    /// A hart's turn is over: others may have to be waited for.
    Turn,
}

/// Blocks between two calls of [`Host::keep_going`].
const TICK: u32 = 1 << 15;
/// Computed jumps remembered, a power of two.
const JUMPS: usize = 1 << 10;

/// Targets of computed jumps, by their low bits.
type Jumps = Box<[Option<(u64, BlockId)>; JUMPS]>;

/// A machine ready to run.
pub struct Machine<'p> {
    program: &'p Program,
    /// What it runs: `machine.hart` and `machine.memory` are its.
    pub system: System,
    /// Of the instruction that a trace shows next.
    effects: Effects,
    cache: Cache,
    htif: Htif,
    jumps: Jumps,
    /// Handler last entered, and the count then.
    trapped: Option<(u64, u64)>,
    traps: Traps,
    cuts: Cuts,
    /// Probe at which the observer stopped the run last, and the count then: it is passed by now.
    stopped_at: Option<(u64, u64)>,
    /// The second tier, if there is one.
    compiler: Option<Box<dyn Compiler>>,
    /// Whether compiled code counts executions.
    compiled_counts: bool,
    /// Of a timed run: what was executed that its observer does not know of yet.
    records: Records,
    /// [`Cache::generation`] as that observer knows it.
    told: u64,
}

impl Deref for Machine<'_> {
    type Target = System;

    fn deref(&self) -> &System {
        &self.system
    }
}

impl DerefMut for Machine<'_> {
    fn deref_mut(&mut self) -> &mut System {
        &mut self.system
    }
}

impl<'p> Machine<'p> {
    /// A machine at reset whose first instruction is at `entry`.
    pub fn new(program: &'p Program, memory: Memory, entry: Address, htif: Htif) -> Self {
        Self {
            program,
            system: System { hart: Hart::new(program.isa(), 0, entry), memory },
            effects: Effects::default(),
            cache: Cache::default(),
            htif,
            jumps: Box::new([None; JUMPS]),
            trapped: None,
            traps: Traps::default(),
            cuts: Cuts::default(),
            stopped_at: None,
            compiler: None,
            compiled_counts: false,
            records: Records::default(),
            told: 0,
        }
    }

    /// Executed instructions so far by kind, if the observer asked for a histogram.
    pub fn histogram(&self) -> Vec<u64> {
        self.cache.histogram(self.program.module().instructions.len())
    }

    /// Executed instructions so far by address, if the observer asked for a profile.
    pub fn profile(&self) -> BTreeMap<u64, u64> {
        self.cache.profile()
    }

    /// Traps that the guest's handlers took.
    pub const fn traps(&self) -> &Traps {
        &self.traps
    }

    /// Runs until something stops it.
    pub fn run<O: Observer>(&mut self, limits: Limits, observer: &mut O, host: &mut dyn Host) -> Stop {
        let stop = match self.program.isa().xlen() {
            isa::Xlen::Rv32 => self.run_as::<O, true>(limits, observer, host),
            isa::Xlen::Rv64 => self.run_as::<O, false>(limits, observer, host),
        };
        self.tell(observer);
        stop
    }

    /// Drops what an earlier run kept and this one cannot use.
    fn prepare<O: Observer>(&mut self, observer: &O) {
        if !self.cuts.serve(observer) {
            // Blocks of an earlier run may be longer than this one wants.
            self.flush();
            self.cuts = Cuts::new(observer);
        }
        if self.compiled_counts != O::HISTOGRAM {
            self.drop_compiled();
            self.compiled_counts = O::HISTOGRAM;
        }
        self.cache.keep_addresses(O::PROFILE);
    }

    /// Tells the observer of every probe at `pc`.
    fn ask<O: Observer>(&self, pc: u64, observer: &mut O) -> Flow {
        let tell = |flow: Flow, index| flow.or(observer.reached(index, &self.system, &self.cache));
        self.cuts.probes_at(pc).fold(Flow::Continue, tell)
    }

    fn run_as<O: Observer, const RV32: bool>(
        &mut self,
        limits: Limits,
        observer: &mut O,
        host: &mut dyn Host,
    ) -> Stop {
        self.prepare(observer);
        let limit = limits.instructions.unwrap_or(u64::MAX);
        let turn = self.begin_turn();
        let mut ticks = TICK;
        let mut came_from: Option<(BlockId, u8)> = None;
        let mut known: Option<BlockId> = None;
        loop {
            ticks -= 1;
            if ticks == 0 {
                ticks = TICK;
                if !host.keep_going() {
                    return Stop::Interrupted;
                }
            }
            let pc = self.system.hart.pc;
            if self.cuts.watch(pc) && self.stopped_at.take() != Some((pc, self.system.hart.retired)) {
                self.tell(observer);
                if self.ask(pc, observer) == Flow::Stop {
                    self.stopped_at = Some((pc, self.system.hart.retired));
                    return Stop::Observed;
                }
            }
            let id = match known.take().or_else(|| self.cache.find(pc)) {
                Some(id) => id,
                None if self.system.hart.retired >= limit => return Stop::InstructionLimit,
                None => {
                    if self.cache.is_full() {
                        self.tell(observer);
                    }
                    match self.translate(pc, &mut came_from) {
                        Ok(id) => id,
                        Err(None) => continue,
                        Err(Some(stop)) => return stop,
                    }
                }
            };
            if let Some((from, exit)) = came_from.take() {
                self.cache.set_link(from, exit, id);
            }
            let block = self.cache.block(id);
            let length = block.decoded.len() as u64;
            if O::TIMED && self.is_over(&turn, block) {
                return Stop::Turn;
            }
            if length > limit.saturating_sub(self.system.hart.retired) {
                if let Some(stop) = self.last_steps::<O, RV32>(limit, observer, host) {
                    return stop;
                }
                continue;
            }
            self.make_room(id, observer);
            let (mut id, mut length, mut resumed) = (id, length, None);
            if !O::TRACE
                && !O::FOLLOWED
                && self.compiler.is_some()
                && let Some(returned) = self.enter_compiled(
                    id,
                    limit.min(turn.to_the_end_of(self.system.hart.retired + length)),
                    &mut ticks,
                )
            {
                match returned {
                    Return::Next => {
                        known = self.jump_target(self.system.hart.pc);
                        continue;
                    }
                    Return::Resume(block, uop) | Return::Host(block, uop) => {
                        (id, length) = (block, self.cache.block(block).decoded.len() as u64);
                        let is_host = matches!(returned, Return::Host(..));
                        self.reopen::<O>(block, uop, is_host);
                        resumed = Some((uop, is_host));
                    }
                }
            }
            let exit = match resumed {
                Some((uop, true)) => BlockExit::Host { uop },
                _ => {
                    let start = resumed.map_or(0, |(uop, _)| uop);
                    let block = self.cache.block(id);
                    if O::TRACE {
                        trace::begin(&mut self.effects, &self.system.hart, self.program, block);
                    }
                    if O::TIMED && resumed.is_none() {
                        self.records.begin(id, block);
                    }
                    let effects = (O::TRACE || O::TIMED).then_some(&mut self.effects);
                    let follower = observer.follower();
                    exec::execute::<RV32>(&mut self.system, effects, self.program, block, start, follower)
                }
            };
            // Compiled code has counted the block already.
            if O::HISTOGRAM && resumed.is_none() {
                self.cache.count(id);
            }
            match exit {
                BlockExit::Exit { pc, link } if !O::TRACE => {
                    self.note::<O>();
                    self.system.hart.pc = pc;
                    self.system.hart.retired += length;
                    known = self.cache.link(id, link);
                    if known.is_none() {
                        came_from = Some((id, link));
                    }
                    if link == FLUSHING_EXIT {
                        self.tell(observer);
                        self.flush_code();
                        came_from = None;
                        // That took as long as about so many blocks.
                        ticks = ticks.saturating_sub(self.cache.pages() as u32).max(1);
                    }
                }
                BlockExit::Jump { pc } if !O::TRACE => {
                    self.note::<O>();
                    self.system.hart.pc = pc;
                    self.system.hart.retired += length;
                    known = self.jump_target(pc);
                }
                rare => {
                    let block = self.cache.share(id);
                    let retired_before = self.system.hart.retired;
                    let stop = self.settle::<O, RV32>(rare, &block, observer, host);
                    let retired = (self.system.hart.retired - retired_before) as usize;
                    if O::TIMED {
                        self.note::<O>();
                        self.records.cut(&block, retired);
                    }
                    if O::HISTOGRAM {
                        self.cache.uncount(&block.decoded[retired..]);
                    }
                    if let Some(stop) = stop {
                        return stop;
                    }
                }
            }
        }
    }

    /// Executes one instruction at a time up to the limit, which falls inside a block.
    #[cold]
    fn last_steps<O: Observer, const RV32: bool>(
        &mut self,
        limit: u64,
        observer: &mut O,
        host: &mut dyn Host,
    ) -> Option<Stop> {
        if self.system.hart.retired >= limit {
            return Some(Stop::InstructionLimit);
        }
        let pc = self.system.hart.pc;
        let block = match block::translate(self.program, &self.system.memory, pc, self.cuts.cut(true)) {
            Ok(block) => block,
            Err(exception) => return self.raise(pc, exception),
        };
        let before = self.system.hart.retired;
        if O::TRACE {
            trace::begin(&mut self.effects, &self.system.hart, self.program, &block);
        }
        self.tell(observer);
        self.foresee(&block, observer);
        let effects = (O::TRACE || O::TIMED).then_some(&mut self.effects);
        let follower = observer.follower();
        let exit = exec::execute::<RV32>(&mut self.system, effects, self.program, &block, 0, follower);
        let stop = self.settle::<O, RV32>(exit, &block, observer, host);
        let retired = (self.system.hart.retired - before) as usize;
        if O::TIMED {
            self.tell_of(&block, retired, observer);
        }
        if O::HISTOGRAM {
            self.cache.count_loose(&block.decoded[..retired]);
        }
        stop
    }
}
