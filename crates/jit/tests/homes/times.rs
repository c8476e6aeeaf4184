//! A compiler that is told how often blocks were executed.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use engine::block::Block;
use engine::program::Program;
use engine::tier::{Compiler, Entry, Member, Refused, Region, Return};
use engine::timed::Records;
use hart::System;
use hart::memory::Layout;
use jit::Jit;

/// How often the compiler believes that blocks were executed, which decides what registers a region keeps in values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// As often as they were.
    AsCounted,
    /// Never: only loops keep registers.
    Never,
    /// Each as often as a number says that is drawn for its address.
    Drawn(u64),
}

impl Times {
    /// Of these, every way to split registers should come up.
    pub const ALL: [Self; 5] = [Self::AsCounted, Self::Never, Self::Drawn(1), Self::Drawn(2), Self::Drawn(3)];

    fn of(self, member: &Member<'_>) -> u32 {
        match self {
            Self::AsCounted => member.times,
            Self::Never => 0,
            Self::Drawn(salt) => {
                let bits = (member.pc ^ salt << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                [0, 0, 1, 2, 5, 20, 300, u32::MAX][bits as usize % 8]
            }
        }
    }
}

/// What was seen of a compiler.
#[derive(Default)]
pub struct Seen {
    /// How many blocks each region has.
    pub blocks: RefCell<Vec<usize>>,
    pub entered: Cell<usize>,
    /// Of each, where its blocks are, and how often the machine says that they were executed.
    pub times: RefCell<Vec<Vec<(u64, u32)>>>,
}

impl Seen {
    /// True if there was a region of so many blocks or more.
    pub fn has_region_of(&self, blocks: usize) -> bool {
        self.blocks.borrow().iter().any(|&has| has >= blocks)
    }
}

/// A [`Jit`] that is told other times.
pub struct Told {
    jit: Jit,
    times: Times,
    seen: Rc<Seen>,
}

impl Told {
    /// Compiles what was executed more than `after` times.
    pub fn new(after: u32, times: Times, seen: &Rc<Seen>) -> Self {
        Self { jit: Jit::new().after(after), times, seen: Rc::clone(seen) }
    }
}

impl Compiler for Told {
    fn threshold(&self) -> u32 {
        self.jit.threshold()
    }

    fn compile(&mut self, region: &Region<'_>) -> Result<Vec<Option<Entry>>, Refused> {
        let members = region.members.iter();
        let told = members.map(|member| Member { times: self.times.of(member), ..*member }).collect();
        let entries = self.jit.compile(&Region { members: told, ..*region })?;
        self.seen.blocks.borrow_mut().push(region.members.len());
        let times = region.members.iter().map(|member| (member.pc, member.times));
        self.seen.times.borrow_mut().push(times.collect());
        Ok(entries)
    }

    fn wants_whole(&self, program: &Program, layout: Layout, of: &Block) -> bool {
        self.jit.wants_whole(program, layout, of)
    }

    fn enter(
        &mut self,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return> {
        self.seen.entered.set(self.seen.entered.get() + 1);
        self.jit.enter(entry, system, program, budget, records)
    }

    fn outdated(&mut self) -> Option<Range<u32>> {
        self.jit.outdated()
    }

    fn clear(&mut self) {
        self.jit.clear();
    }

    fn another(&self) -> Box<dyn Compiler> {
        self.jit.another()
    }
}
