//! What an observer that traces is told of each instruction.
use hart::Hart;
use hart::effects::Effects;
use hart::memory::Address;
use isa::operands::File;

use super::{Machine, Stop};
use crate::block::Block;
use crate::observer::{Flow, Observer, Retired};
use crate::program::Program;

/// Begins the log of a block of one instruction, which is about to be executed.
pub(super) fn begin(effects: &mut Effects, hart: &Hart, program: &Program, block: &Block) {
    effects.privilege = hart.csrs.privilege;
    effects.accesses.clear();
    effects.csr = None;
    let decoded = &block.decoded[0];
    if program.site(decoded.id, decoded.word).effects.touches(File::V) {
        hart.vector.keep(&mut effects.vectors);
    }
}

impl Machine<'_> {
    /// Tells the observer of a block's only instruction; a stop if it wants one.
    pub(super) fn trace<O: Observer>(&mut self, block: &Block, observer: &mut O) -> Option<Stop> {
        if !O::TRACE {
            return None;
        }
        let (decoded, hart, effects) = (&block.decoded[0], &self.system.hart, &self.effects);
        let written = self.program.written_registers(decoded).into_iter();
        let registers: Vec<(u16, u64)> = written.map(|register| (register, hart.x(register))).collect();
        let site = self.program.site(decoded.id, decoded.word);
        let float = site.writes(File::F).flatten().next();
        let retired = Retired {
            privilege: effects.privilege,
            pc: Address(decoded.pc),
            word: decoded.word,
            registers: &registers,
            accesses: &effects.accesses,
            csr: effects.csr,
            float: float.map(|register| hart.float.effect(register, self.program.isa())),
            vector: site.effects.touches(File::V).then(|| hart.vector.effects_since(&effects.vectors)),
        };
        (observer.retired(&retired) == Flow::Stop).then_some(Stop::Observed)
    }
}
