//! The memory below the caches that a core has itself: one that always answers after the same time, or a system of parts.
//!
//! A core finds misses when it looks at executions, before their time is known. They wait here until the instruction is
//! issued: then memory is asked, at that time, and the core takes its answer from here.

use std::cell::Cell;
use std::collections::VecDeque;

use super::system::Memory;
use super::tree::{Kind, Request};
use crate::machine::{Machine, MachineError};

/// What an access lacked.
#[derive(Clone, Copy, Debug)]
struct Miss {
    is_fetch: bool,
    /// The line's address, and that of one that must be written back for it.
    line: u64,
    replaced: Option<u64>,
}

/// Cycles from a request to the memory until its answer: for the instruction that is issued now, if it asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answers {
    /// For a line of instructions, for one of data, and until one is written back.
    pub instructions: u32,
    pub data: u32,
    pub written: u32,
}

/// The memory below a core's caches.
pub struct Below {
    memory: Option<Memory>,
    line: u64,
    missed: VecDeque<Miss>,
    answers: Cell<Answers>,
}

impl Below {
    /// That of a machine whose core has caches with lines of so many bytes.
    ///
    /// # Errors
    /// A memory system that cannot be, or not below such caches.
    pub fn new(machine: &Machine, line: u64) -> Result<Self, MachineError> {
        let memory = machine.memory.is_some().then(|| Memory::below(machine, line)).transpose()?;
        let always = machine.memory_latency;
        let answers = Answers { instructions: always, data: always, written: always };
        Ok(Self { memory, line, missed: VecDeque::new(), answers: Cell::new(answers) })
    }

    /// True if memory is to be asked about what was looked at.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        !self.missed.is_empty()
    }

    /// A line of instructions is missing.
    pub fn misses_fetch(&mut self, address: u64) {
        self.miss(Miss { is_fetch: true, line: address, replaced: None });
    }

    /// A line of data is missing; it replaces one that must be written back.
    pub fn misses(&mut self, address: u64, replaced: Option<u64>) {
        self.miss(Miss { is_fetch: false, line: address, replaced });
    }

    fn miss(&mut self, miss: Miss) {
        if self.memory.is_some() {
            self.missed.push_back(Miss { line: miss.line & !(self.line - 1), ..miss });
        }
    }

    /// What the memory takes for the instruction that is issued now.
    #[inline]
    pub fn answers(&self) -> Answers {
        self.answers.get()
    }

    /// Asks for the line of instructions that the next instruction lacks.
    pub fn ask_fetch(&mut self, cycle: u64) {
        let Some(miss) = self.missed.pop_front_if(|miss| miss.is_fetch) else { return };
        let Some(memory) = &mut self.memory else { return };
        self.answers.get_mut().instructions = fetch(memory, cycle, miss.line, self.line);
    }

    /// Writes back the line that the next instruction replaces.
    pub fn write_back(&mut self, cycle: u64) {
        let Some(Miss { is_fetch: false, replaced: Some(address), .. }) = self.missed.front().copied() else {
            return;
        };
        let Some(memory) = &mut self.memory else { return };
        let request = Request { kind: Kind::WriteBack, address, bytes: self.line };
        self.answers.get_mut().written = took(cycle, memory.access(0, cycle, request));
    }

    /// Asks for the line of data that the next instruction lacks.
    pub fn ask(&mut self, cycle: u64) {
        let Some(miss) = self.missed.pop_front_if(|miss| !miss.is_fetch) else { return };
        let Some(memory) = &mut self.memory else { return };
        let request = Request { kind: Kind::Load, address: miss.line, bytes: self.line };
        self.answers.get_mut().data = took(cycle, memory.access(0, cycle, request));
    }

    /// Foresees what a line of instructions takes that is asked for then: the answers are those until memory is asked.
    pub fn foresee_fetch(&self, cycle: u64, address: u64) {
        let Some(memory) = &self.memory else { return };
        let instructions = fetch(&mut memory.clone(), cycle, address & !(self.line - 1), self.line);
        self.answers.set(Answers { instructions, ..self.answers.get() });
    }

    /// What its parts saw.
    pub fn seen(&self) -> Vec<super::Seen> {
        self.memory.as_ref().map_or_else(Vec::new, |memory| memory.seen([0, 0]))
    }
}

fn fetch(memory: &mut Memory, cycle: u64, address: u64, bytes: u64) -> u32 {
    took(cycle, memory.fetch(0, cycle, Request { kind: Kind::Load, address, bytes }))
}

/// At least a cycle, as a memory that always takes the same does.
fn took(begun: u64, done: u64) -> u32 {
    u32::try_from(done.saturating_sub(begun)).unwrap_or(u32::MAX).clamp(1, MOST)
}

/// Most cycles: what the times of a core's state can hold.
const MOST: u32 = 8000;
