//! A compiler that is watched.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use engine::block::Block;
use engine::program::Program;
use engine::tier::{Compiler, Entry, Refused, Region, Return};
use engine::timed::Records;
use hart::System;
use hart::memory::Layout;
use jit::Jit;

/// What was seen of a compiler.
#[derive(Default)]
pub struct Seen {
    pub compiled: Cell<usize>,
    /// Regions that were not compiled, for that they cannot be.
    pub refused: Cell<usize>,
    /// Loops longer than a block that were to become one.
    pub whole: Cell<usize>,
    /// Addresses of the blocks of each region.
    pub regions: RefCell<Vec<Vec<u64>>>,
    pub entered: Cell<usize>,
    /// Regions that were to be compiled again.
    pub outdated: Cell<usize>,
    /// Times that all compiled code was dropped.
    pub dropped: Cell<usize>,
    /// Most bytes of machine code at once.
    pub most_bytes: Cell<usize>,
}

/// A [`Jit`] that tells what it does.
pub struct Watched(pub Jit, pub Rc<Seen>);

impl Compiler for Watched {
    fn threshold(&self) -> u32 {
        self.0.threshold()
    }

    fn compile(&mut self, region: &Region<'_>) -> Result<Vec<Option<Entry>>, Refused> {
        let entries = self.0.compile(region);
        self.1.refused.set(self.1.refused.get() + usize::from(matches!(entries, Err(Refused::Unfit))));
        let entries = entries?;
        self.1.compiled.set(self.1.compiled.get() + 1);
        self.1.regions.borrow_mut().push(region.members.iter().map(|member| member.pc).collect());
        self.1.most_bytes.set(self.1.most_bytes.get().max(self.0.bytes()));
        Ok(entries)
    }

    fn wants_whole(&self, program: &Program, layout: Layout, of: &Block) -> bool {
        let wanted = self.0.wants_whole(program, layout, of);
        self.1.whole.set(self.1.whole.get() + usize::from(wanted));
        wanted
    }

    fn enter(
        &mut self,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return> {
        self.1.entered.set(self.1.entered.get() + 1);
        self.0.enter(entry, system, program, budget, records)
    }

    fn outdated(&mut self) -> Option<Range<u32>> {
        let outdated = self.0.outdated();
        self.1.outdated.set(self.1.outdated.get() + usize::from(outdated.is_some()));
        outdated
    }

    fn clear(&mut self) {
        self.1.dropped.set(self.1.dropped.get() + 1);
        self.0.clear();
    }

    fn another(&self) -> Box<dyn Compiler> {
        self.0.another()
    }
}
