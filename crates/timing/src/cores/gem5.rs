//! gem5's `TimingSimpleCPU` for RISC-V (cpu/simple/timing.cc, cpu/simple/base.cc, arch/riscv/decoder.cc of v24.0). It
//! fetches every instruction separately, in words of four bytes, then performs its memory access. Nothing else takes
//! time, and the next fetch begins when both are complete.

use std::ops::Range;

use hart::pages::Change;
use isa::operands::Class;

use crate::core::Event;
use crate::instruction::Instruction;
use crate::machine::{Machine, MachineError};
use crate::memory::Seen;
use crate::memory::pages::Pages;
use crate::memory::system::Memory;
use crate::memory::tree::{Kind, Request};
use crate::serial::{Accessing, Cycles, Place, Runs, Serial, Step, Touching};

mod recent;
mod touches;
mod ways;

use self::recent::Recent;
use self::ways::Ways;

/// Bytes fetched at once.
const WORD: u64 = 4;

/// The core with its memory.
pub struct Gem5 {
    memory: Memory,
    pages: Pages,
    recent: Recent,
    ways: Ways,
    /// Cycles of a fetch and of accesses that hit, be it an open row.
    fetch: u64,
    load: u64,
    store: u64,
    /// Bytes of a line of what fetches and accesses go to, powers of two; an access beyond it is done in two.
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

/// What it keeps of an access to data.
#[derive(Clone, Copy)]
pub struct Access {
    bytes: u8,
    kind: Kind,
}

impl Gem5 {
    /// With the memory of a machine.
    ///
    /// # Errors
    /// What its file says wrong.
    pub fn new(machine: &Machine) -> Result<Self, MachineError> {
        machine.has_only(&[])?;
        let mut memory = Memory::new(machine)?;
        let (fetch, load, store) = memory.hits();
        let (fetch_line, data_line) = memory.lines();
        let recent = Recent::new(memory.keeps_recent().then_some(data_line));
        let ways =
            Ways::new((memory.keeps_ways() && fetch_line == data_line).then_some(data_line), memory.harts());
        Ok(Self { memory, pages: Pages::default(), recent, ways, fetch, load, store, fetch_line, data_line })
    }

    const fn usual_data(&self, kind: Kind) -> u64 {
        if matches!(kind, Kind::Store) { self.store } else { self.load }
    }

    fn fetch(&mut self, hart: usize, op: &Op, cycle: u64) -> u64 {
        (0..op.words).fold(cycle, |now, number| self.fetch_word(hart, op, number, now))
    }

    fn fetch_word(&mut self, hart: usize, op: &Op, number: u64, cycle: u64) -> u64 {
        let word = op.word + number * WORD;
        let address = self.pages.physical(word);
        let done = self.memory.fetch(hart, cycle, Request { kind: Kind::Load, address, bytes: WORD });
        self.note_fetch(hart, word, address);
        done
    }

    /// An instruction's access to data, from a cycle on. The first one to a page that has no frame yet faults; when it
    /// has one, the instruction is fetched again (arch/riscv/faults.cc, sim/mem_state.cc: `fixupFault`).
    fn data(&mut self, hart: usize, op: &Op, access: Access, address: u64, mut cycle: u64) -> u64 {
        for page in [address, address + u64::from(access.bytes) - 1] {
            if self.pages.known(page).is_none() {
                self.pages.physical(page);
                cycle = self.fetch(hart, op, cycle);
            }
        }
        self.access(hart, access, address, cycle)
    }

    fn access(&mut self, hart: usize, access: Access, address: u64, cycle: u64) -> u64 {
        let bytes = u64::from(access.bytes);
        let fits = (self.data_line - (address & (self.data_line - 1))).min(bytes);
        let first = Request { kind: access.kind, address: self.pages.physical(address), bytes: fits };
        let done = self.memory.access(hart, cycle, first);
        self.note(hart, address, first.address);
        if fits == bytes {
            return done;
        }
        let rest =
            Request { kind: access.kind, address: self.pages.physical(address + fits), bytes: bytes - fits };
        let done_too = self.memory.access(hart, self.memory.free_at(hart, cycle), rest);
        self.note(hart, address + fits, rest.address);
        // The core takes one response a cycle.
        if done_too == done { done + 1 } else { done.max(done_too) }
    }
}

impl Gem5 {
    /// The line of a physical address, which a virtual one has, was accessed.
    fn note(&mut self, hart: usize, address: u64, physical: u64) {
        if self.recent.are_kept()
            && let Some((set, is_written)) = self.memory.used_last(hart, physical)
        {
            self.recent.note(set, address, is_written);
        }
        self.note_data(hart, address, physical);
    }

    /// An access that takes the usual time and changes nothing else.
    fn is_last(&mut self, hart: usize, Access { bytes, kind }: Access, address: u64) -> bool {
        // One that crosses a line is done in two.
        let bytes = u64::from(bytes);
        let physical = self.pages.known(address).filter(|_| is_of_one(self.data_line, address, bytes));
        let Some(physical) = physical else { return false };
        let is_last = self.memory.touch_last(hart, Request { kind, address: physical, bytes });
        if is_last {
            self.note(hart, address, physical);
        }
        is_last
    }

    /// The rest of the accesses of [`Serial::access_last`].
    #[inline(never)]
    fn access_more(
        &mut self,
        hart: usize,
        accessing: &[Accessing<Access>],
        words: &[u64],
        mut done: usize,
    ) -> usize {
        while let Some(&Accessing { access, word }) = accessing.get(done)
            && let Some(&address) = words.get(word as usize)
            && (self.recent.has(address, access.bytes, access.kind.writes())
                || self.is_last(hart, access, address))
        {
            done += 1;
        }
        done
    }
}

impl Serial for Gem5 {
    type Op = Op;
    type Access = Access;

    fn pages_changed(&mut self, change: &Change) {
        self.pages.change(change);
        self.recent.forget();
        self.ways.forget();
    }

    fn prepare(&self, instruction: &Instruction, before: Option<&Op>) -> Op {
        let word = instruction.pc & !(WORD - 1);
        let words = (instruction.fall_through() - word).div_ceil(WORD);
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
        let bytes = instruction.loads.max(instruction.stores);
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
        let took = self.data(hart, op, access, address, cycle) - cycle;
        Cycles { data: took as i64 - self.usual_data(access.kind) as i64, ..Cycles::default() }
    }

    #[inline]
    fn fetch_changes(&self, hart: usize) -> Option<u64> {
        self.memory.fetch_changes(hart).map(|changes| changes + self.pages.changes())
    }

    fn access_of(&self, op: &Op) -> Option<Access> {
        op.access
    }

    #[inline]
    fn access_last(&mut self, hart: usize, accessing: &[Accessing<Access>], words: &[u64]) -> usize {
        let is_recent = |&&Accessing { access: Access { bytes, kind }, word }: &&Accessing<Access>| {
            words.get(word as usize).is_some_and(|&address| self.recent.has(address, bytes, kind.writes()))
        };
        let done = accessing.iter().take_while(is_recent).count();
        if done == accessing.len() { done } else { self.access_more(hart, accessing, words, done) }
    }

    fn line_fetched(&self, op: &Op, fetch: u64) -> Option<u64> {
        self.ways.are_kept().then(|| (op.word + fetch * WORD) & !(self.fetch_line - 1))
    }

    #[inline]
    fn touch(&mut self, hart: usize, touches: &[Touching<Access>], words: &[u64]) -> usize {
        self.touch_all(hart, touches, words)
    }

    fn span(&self, op: &Op) -> Option<Range<u64>> {
        (!self.memory.caches_instructions()).then_some(op.word..op.word + op.words * WORD)
    }

    #[inline]
    fn pass_runs(
        &mut self,
        hart: usize,
        Runs { runs, ops, words }: &Runs<'_, Op>,
        mut place: Place,
        cycle: u64,
        mut late: impl FnMut(usize, Cycles),
    ) -> Place {
        let is_unified = self.memory.is_unified();
        let Some(mut rest) = self.memory.rest(hart, cycle) else { return place };
        while let Some(run) = runs.get(place.run) {
            let first = if run.bytes.is_empty() { None } else { self.pages.known(run.bytes.start) };
            let Some(first) = first else { break };
            let bytes = first..first + (run.bytes.end - run.bytes.start);
            if place.fetched < run.words.len() {
                let (begin, words) = (run.first + place.fetched, &run.words[place.fetched..]);
                let whole = if place.fetched == 0 { run.fetches } else { words.iter().sum() };
                place.fetched += rest.fetch(&bytes, words, whole, |number, more| {
                    late(begin + number, Cycles { fetch: more as i64, ..Cycles::default() });
                });
            }
            if place.fetched < run.words.len() {
                break;
            }
            if let Some((index, word)) = run.data {
                let request = ops[index].access.filter(|_| is_unified).and_then(|access| {
                    let (bytes, address) = (u64::from(access.bytes), words[word]);
                    let is_whole = is_of_one(self.data_line, address, bytes);
                    let address = self.pages.known(address).filter(|_| is_whole)?;
                    Some(Request { kind: access.kind, address, bytes })
                });
                let Some(more) = request.and_then(|request| rest.access(request)) else { break };
                if more != 0 {
                    late(run.first + run.words.len() - 1, Cycles { data: more, ..Cycles::default() });
                }
            }
            place = place.next();
            rest.pause(runs.get(place.run).map_or(0, |run| run.pause));
        }
        rest.end();
        place
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
            (Step::Data(Some(address)), Some(access)) => {
                (address, access.bytes.into(), access.kind, self.data_line)
            }
            (Step::Data(_), _) => return Some(0),
        };
        if !self.memory.caches_instructions() || !is_of_one(line, address, bytes) {
            return None;
        }
        let request = Request { kind, address: self.pages.known(address)?, bytes };
        let is_hit = match step {
            Step::Fetch(_) => self.memory.fetch_hits(hart, request),
            Step::Data(_) => self.memory.access_hits(hart, request),
        };
        if !is_hit {
            return None;
        }
        if matches!(step, Step::Fetch(_)) {
            self.note_fetch(hart, address, request.address);
            Some(self.fetch)
        } else {
            self.note_data(hart, address, request.address);
            Some(self.usual_data(kind))
        }
    }

    fn step(&mut self, hart: usize, op: &Op, step: Step, cycle: u64) -> u64 {
        match (step, op.access) {
            (Step::Fetch(number), _) => self.fetch_word(hart, op, number, cycle),
            (Step::Data(Some(address)), Some(access)) => self.data(hart, op, access, address, cycle),
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

/// True if bytes from an address on are of one line.
#[inline]
const fn is_of_one(line: u64, address: u64, bytes: u64) -> bool {
    (address & (line - 1)) + bytes <= line
}
