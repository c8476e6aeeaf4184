//! What an observer that traces is told of each instruction.

use isa::operands::File;

use super::{Machine, Stop};
use crate::block::Block;
use crate::memory::Address;
use crate::observer::{Flow, Observer, Retired};

impl Machine<'_> {
    /// Tells the observer of a block's instructions; a stop if it wants one.
    pub(super) fn trace<O: Observer>(&mut self, block: &Block, observer: &mut O) -> Option<Stop> {
        if !O::TRACE {
            return None;
        }
        let mut flow = Flow::Continue;
        for decoded in &block.decoded {
            let registers: Vec<(u16, u64)> = self
                .program
                .written_registers(decoded)
                .into_iter()
                .map(|register| (register, self.hart.x(register)))
                .collect();
            let site = self.program.site(decoded.id, decoded.word);
            let float = site.writes(File::F).flatten().next();
            let accesses = std::mem::take(&mut self.hart.accesses);
            let retired = Retired {
                privilege: self.traced_privilege,
                pc: Address(decoded.pc),
                word: decoded.word,
                registers: &registers,
                accesses: &accesses,
                csr: self.hart.written_csr.take(),
                float: float.map(|register| self.hart.float.effect(register, self.program.isa())),
                vector: site.effects.touches(File::V).then(|| self.traced_vectors.effects(&self.hart.vector)),
            };
            if observer.retired(&retired) == Flow::Stop {
                flow = Flow::Stop;
            }
        }
        self.traced_privilege = self.hart.csrs.privilege;
        (flow == Flow::Stop).then_some(Stop::Observed)
    }
}
