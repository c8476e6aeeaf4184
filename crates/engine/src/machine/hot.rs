//! Hot blocks: handed to the compiler, and entered once compiled.

use super::Machine;
use crate::block::{self, BlockId, Cut};
use crate::loops;
use crate::tier::{self, Candidate, Compiler, Entry, Heat, Member, Refused, Region, Return};

/// Instructions that compiled code executes before the machine looks up.
const SLICE: u64 = 1 << 22;
/// Instructions of compiled code that count like one interpreted block towards the next call of the host.
const PER_TICK: u64 = 1 << 7;

impl Machine<'_> {
    /// From now on has hot code compiled. Results stay the same.
    pub fn set_compiler(&mut self, compiler: Box<dyn Compiler>) {
        self.cache.cool();
        self.compiler = Some(compiler);
    }

    /// Executes a block's compiled code, compiling it first if the time has come; `None` if it is to be
    /// interpreted.
    #[inline(always)]
    pub(super) fn enter_compiled(&mut self, id: BlockId, limit: u64, ticks: &mut u32) -> Option<Return> {
        let entry = match self.cache.heat(id) {
            Heat::Compiled(entry) => entry,
            Heat::Unfit => return None,
            Heat::Executed(times) => {
                if times <= self.compiler.as_ref()?.threshold() / self.cache.block(id).urgency {
                    return None;
                }
                self.compile(id)?
            }
        };
        let mut budget = (limit - self.system.hart.retired).min(SLICE);
        if self.cuts.timed() {
            budget = budget.min(self.records.room() as u64);
        }
        let before = self.system.hart.retired;
        let compiler = self.compiler.as_mut()?;
        let returned = compiler.enter(entry, &mut self.system, self.program, budget, &mut self.records);
        let Some(returned) = returned else {
            self.drop_compiled();
            return None;
        };
        if let Some(entries) = compiler.outdated() {
            let threshold = compiler.threshold();
            self.cache.compile_again(&entries, threshold);
        }
        let passed = (self.system.hart.retired - before) / PER_TICK;
        *ticks = ticks.saturating_sub(passed as u32).max(1);
        Some(returned)
    }

    #[cold]
    #[inline(never)]
    fn compile(&mut self, id: BlockId) -> Option<Entry> {
        if self.cuts.boundaries.contains(&self.system.hart.pc) || self.cache.block(id).meets {
            self.cache.set_heat(id, Heat::Unfit);
            return None;
        }
        let id = self.lengthen(id).unwrap_or(id);
        let counts = self.compiled_counts;
        let layout = self.system.memory.layout();
        let members = tier::region(&self.cache, id, self.system.hart.pc, &self.cuts.boundaries);
        let member = |candidate: &Candidate| Member {
            id: candidate.id,
            pc: candidate.pc,
            block: self.cache.block(candidate.id),
            times: tier::executions(&self.cache, candidate.id),
            is_entry: candidate.id == id
                || candidate.whole && matches!(self.cache.heat_of(candidate.id), Heat::Executed(_)),
            executions: counts.then(|| self.cache.executions(candidate.id)),
        };
        let region = Region {
            program: self.program,
            layout,
            timed: self.cuts.timed(),
            vector: &self.system.hart.vector,
            members: members.iter().map(member).collect(),
        };
        let is_apart = tier::is_apart(&self.cache, &members);
        match self.compiler.as_mut()?.compile(&region) {
            Ok(entries) => {
                if is_apart {
                    members.iter().for_each(|member| self.cache.set_apart(member.id));
                }
                for (member, entry) in members.iter().zip(&entries) {
                    if let &Some(entry) = entry {
                        self.cache.set_heat(member.id, Heat::Compiled(entry));
                    }
                }
                *entries.first()?
            }
            Err(Refused::Unfit) => {
                self.cache.set_heat(id, Heat::Unfit);
                None
            }
            Err(Refused::Full) => {
                self.drop_compiled();
                None
            }
        }
    }

    /// Makes one block of a loop that begins with this one and is longer, if the compiler wants that; `None` if there is no
    /// such loop, or blocks are to end early.
    fn lengthen(&mut self, id: BlockId) -> Option<BlockId> {
        if self.cuts.timed() || self.cuts.turns() {
            return None;
        }
        let cut = Cut { longest: loops::length(&self.cache, id)?, ..self.cuts.cut(false) };
        let pc = self.cache.block(id).pc;
        let block = block::translate(self.program, &self.system.memory, pc, cut).ok()?;
        let layout = self.system.memory.layout();
        let is_wanted = self.compiler.as_ref()?.wants_whole(self.program, layout, &block);
        if !is_wanted || !loops::is_same(&self.cache, id, &block) {
            return None;
        }
        self.forget_jump(pc);
        Some(self.cache.replace(id, block))
    }

    /// Drops compiled code, not what it was made from.
    pub(super) fn drop_compiled(&mut self) {
        if let Some(compiler) = &mut self.compiler {
            compiler.clear();
            self.cache.cool();
        }
    }
}
