//! gem5's `TimingSimpleCPU` for RISC-V (cpu/simple/timing.cc, cpu/simple/base.cc, arch/riscv/decoder.cc of v24.0). It
//! fetches every instruction separately, in words of four bytes, then performs its memory access. Nothing else takes
//! time, and the next fetch begins when both are complete.

use std::ops::Range;

use hart::pages::Change;
use isa::operands::Class;

use crate::core::Event;
use crate::instruction::Instruction;
use crate::machine::{Machine, MachineError};
use crate::memory::pages::Pages;
use crate::memory::system::Memory;
use crate::memory::tree::{Kind, Request};
use crate::memory::{Late, Run, Seen};
use crate::serial::{Cycles, Serial, Step};

/// Bytes fetched at once.
const WORD: u64 = 4;

/// The core with its memory.
pub struct Gem5 {
    memory: Memory,
    pages: Pages,
    /// Cycles of a fetch and of accesses that hit, be it an open row.
    fetch: u64,
    load: u64,
    store: u64,
    /// Bytes of a line of what fetches and accesses go to; an access beyond it is done in two.
    fetch_line: u64,
    data_line: u64,
}

/// What it keeps of an instruction.
pub struct Op {
    /// The word fetched first, and how many there are.
    word: u64,
    words: u64,
    /// The words are known to be in the instruction cache, since what was fetched before is in the same line.
    fetched: bool,
    access: Option<Access>,
    /// It is one that the core does not have.
    is_unmodelled: bool,
}

#[derive(Clone, Copy)]
struct Access {
    bytes: u64,
    kind: Kind,
}

impl Gem5 {
    /// With the memory of a machine.
    ///
    /// # Errors
    /// What its file says wrong.
    pub fn new(machine: &Machine) -> Result<Self, MachineError> {
        machine.has_only(&[])?;
        let memory = Memory::new(machine)?;
        let (fetch, load, store) = memory.hits();
        let (fetch_line, data_line) = memory.lines();
        Ok(Self { memory, pages: Pages::default(), fetch, load, store, fetch_line, data_line })
    }

    const fn usual_data(&self, kind: Kind) -> u64 {
        if matches!(kind, Kind::Store) { self.store } else { self.load }
    }

    fn fetch(&mut self, hart: usize, op: &Op, cycle: u64) -> u64 {
        (0..op.words).fold(cycle, |now, number| self.fetch_word(hart, op, number, now))
    }

    fn fetch_word(&mut self, hart: usize, op: &Op, number: u64, cycle: u64) -> u64 {
        let address = self.pages.physical(op.word + number * WORD);
        self.memory.fetch(hart, cycle, Request { kind: Kind::Load, address, bytes: WORD })
    }

    fn access(&mut self, hart: usize, access: Access, address: u64, cycle: u64) -> u64 {
        let fits = (self.data_line - address % self.data_line).min(access.bytes);
        let first = Request { kind: access.kind, address: self.pages.physical(address), bytes: fits };
        let done = self.memory.access(hart, cycle, first);
        if fits == access.bytes {
            return done;
        }
        let rest = Request {
            kind: access.kind,
            address: self.pages.physical(address + fits),
            bytes: access.bytes - fits,
        };
        let done_too = self.memory.access(hart, self.memory.free_at(hart, cycle), rest);
        // The core takes one response a cycle.
        if done_too == done { done + 1 } else { done.max(done_too) }
    }
}

impl Gem5 {
    /// An access that is done in one, of a page that was accessed before, to what fetches go to, too.
    #[inline]
    fn alone(&self, op: &Op, address: u64) -> Option<Request> {
        let Access { bytes, kind } = op.access.filter(|_| self.memory.is_unified())?;
        let is_whole = (address & (self.data_line - 1)) + bytes <= self.data_line;
        Some(Request { kind, address: self.pages.known(address).filter(|_| is_whole)?, bytes })
    }
}

impl Serial for Gem5 {
    type Op = Op;

    fn pages_changed(&mut self, change: &Change) {
        self.pages.change(change);
    }

    fn prepare(&self, instruction: &Instruction, before: Option<&Op>) -> Op {
        let word = instruction.pc & !(WORD - 1);
        let words = (instruction.behind() - word).div_ceil(WORD);
        let last = word + (words - 1) * WORD;
        let is_still_there = |before: &Op| {
            let line = (before.word + (before.words - 1) * WORD) / self.fetch_line;
            let is_alone = before.access.is_none() || !self.memory.is_unified();
            is_alone && word / self.fetch_line == line && last / self.fetch_line == line
        };
        let kind = if instruction.stores != 0 || instruction.class == Class::Atomic {
            Kind::Store
        } else {
            Kind::Load
        };
        let bytes = instruction.loads.max(instruction.stores).into();
        let accesses = bytes != 0 && instruction.words == 1;
        Op {
            word,
            words,
            fetched: self.memory.caches_instructions() && before.is_some_and(is_still_there),
            access: accesses.then_some(Access { bytes, kind }),
            is_unmodelled: instruction.class.name().starts_with("vector-"),
        }
    }

    fn usual(&self, op: &Op) -> Cycles {
        let data = op.access.map_or(0, |access| self.usual_data(access.kind));
        let fetch = (op.words * self.fetch) as i64;
        Cycles { fetch, data: data as i64, unmodelled: op.is_unmodelled.into() }
    }

    fn watches(&self, op: &Op) -> bool {
        !op.fetched || op.access.is_some()
    }

    fn trap(&mut self, hart: usize, op: &Op, cycle: u64) -> Cycles {
        Cycles { fetch: (self.fetch(hart, op, cycle) - cycle) as i64, ..Cycles::default() }
    }

    fn look_at_fetch(&mut self, hart: usize, op: &Op, cycle: u64) -> (u64, Cycles) {
        let usual = op.words * self.fetch;
        if op.fetched {
            return (cycle + usual, Cycles::default());
        }
        let done = self.fetch(hart, op, cycle);
        (done, Cycles { fetch: (done - cycle) as i64 - usual as i64, ..Cycles::default() })
    }

    fn look_at_data(&mut self, hart: usize, op: &Op, event: &Event<'_>, cycle: u64) -> Cycles {
        let (Some(access), Some(&address)) = (op.access, event.words.first()) else {
            return Cycles::default();
        };
        let took = self.access(hart, access, address, cycle) - cycle;
        Cycles { data: took as i64 - self.usual_data(access.kind) as i64, ..Cycles::default() }
    }

    #[inline]
    fn fetch_changes(&self, hart: usize) -> Option<u64> {
        self.memory.fetch_changes(hart).map(|changes| changes + self.pages.changes())
    }

    #[inline]
    fn access_last(&mut self, hart: usize, op: &Op, event: &Event<'_>) -> bool {
        let (Some(Access { bytes, kind }), Some(&address)) = (op.access, event.words.first()) else {
            return true;
        };
        // One that crosses a line is done in two.
        address % self.data_line + bytes <= self.data_line
            && self
                .pages
                .known(address)
                .is_some_and(|address| self.memory.access_last(hart, Request { kind, address, bytes }))
    }

    fn span(&self, op: &Op) -> Option<Range<u64>> {
        (!self.memory.caches_instructions()).then_some(op.word..op.word + op.words * WORD)
    }

    #[inline]
    fn pass_run(
        &mut self,
        hart: usize,
        bytes: &Range<u64>,
        words: &[u64],
        data: Option<(&Op, u64)>,
        cycle: u64,
        mut late: impl FnMut(usize, Cycles),
    ) -> usize {
        let Some(first) = self.pages.known(bytes.start) else { return 0 };
        let run = Run {
            bytes: first..first + (bytes.end - bytes.start),
            words,
            data: data.and_then(|(op, address)| self.alone(op, address)),
        };
        self.memory.pass_run(hart, cycle, &run, |number, more| match more {
            Late::Fetch(more) => late(number, Cycles { fetch: more as i64, ..Cycles::default() }),
            Late::Data(more) => late(number, Cycles { data: more, ..Cycles::default() }),
        })
    }

    fn harts(&self) -> usize {
        self.memory.harts()
    }

    fn fetches(&self, op: &Op, traps: bool) -> u64 {
        if op.fetched && !traps { 0 } else { op.words }
    }

    fn step_alone(&mut self, hart: usize, op: &Op, step: Step) -> Option<u64> {
        let (address, bytes, kind, line) = match (step, op.access) {
            (Step::Fetch(number), _) => (op.word + number * WORD, WORD, Kind::Load, self.fetch_line),
            (Step::Data(Some(address)), Some(access)) => (address, access.bytes, access.kind, self.data_line),
            (Step::Data(_), _) => return Some(0),
        };
        if !self.memory.caches_instructions() || address % line + bytes > line {
            return None;
        }
        let request = Request { kind, address: self.pages.known(address)?, bytes };
        let is_hit = match step {
            Step::Fetch(_) => self.memory.fetch_hits(hart, request),
            Step::Data(_) => self.memory.access_hits(hart, request),
        };
        let took = if matches!(step, Step::Fetch(_)) { self.fetch } else { self.usual_data(kind) };
        is_hit.then_some(took)
    }

    fn step(&mut self, hart: usize, op: &Op, step: Step, cycle: u64) -> u64 {
        match (step, op.access) {
            (Step::Fetch(number), _) => self.fetch_word(hart, op, number, cycle),
            (Step::Data(Some(address)), Some(access)) => self.access(hart, access, address, cycle),
            (Step::Data(_), _) => cycle,
        }
    }

    fn accesses(&self, op: &Op) -> [u64; 2] {
        [op.words, op.access.is_some().into()]
    }

    fn seen(&self, accesses: [u64; 2]) -> Vec<Seen> {
        self.memory.seen(accesses)
    }
}
