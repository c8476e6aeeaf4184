//! Translated code of several memories: each has its own, and one is in the machine.

use hart::memory::Memory;

use super::{JUMPS, Jumps, Machine};
use crate::block::Cache;
use crate::tier::Compiler;

/// Translated code of a memory that is not in the machine, with the counts of its executions.
pub struct Translations {
    cache: Cache,
    jumps: Jumps,
    compiler: Option<Box<dyn Compiler>>,
}

impl Machine<'_> {
    /// No code yet, for another memory; hot code will be compiled if the machine's is.
    pub fn no_translations(&self) -> Translations {
        Translations {
            cache: Cache::default(),
            jumps: Box::new([None; JUMPS]),
            compiler: self.compiler.as_ref().map(|compiler| compiler.another()),
        }
    }

    /// A copy of the machine's, for a memory that holds the same code.
    pub fn copied_translations(&self) -> Translations {
        Translations { cache: self.cache.uncounted(), ..self.no_translations() }
    }

    /// Exchanges the memory and its code with another's. The observer stays, and so do the places at which it cuts
    /// blocks.
    pub fn exchange(&mut self, memory: &mut Memory, translations: &mut Translations) {
        std::mem::swap(&mut self.system.memory, memory);
        std::mem::swap(&mut self.cache, &mut translations.cache);
        std::mem::swap(&mut self.jumps, &mut translations.jumps);
        std::mem::swap(&mut self.compiler, &mut translations.compiler);
    }

    /// Drops a memory's code, and keeps what was counted of it.
    pub fn absorb(&mut self, translations: Translations) {
        self.cache.add_counts(translations.cache);
    }
}

impl Translations {
    /// Drops the code, and keeps what was counted of it.
    pub fn shrink(&mut self) {
        if let Some(compiler) = &mut self.compiler {
            compiler.clear();
        }
        self.cache.flush();
        self.jumps.fill(None);
    }

    /// How much code there is: micro-operations and instructions, some 32 bytes each, and the compiler's besides.
    pub const fn size(&self) -> usize {
        self.cache.size()
    }
}
