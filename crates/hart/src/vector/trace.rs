//! What a trace shows of a vector instruction.

use super::state::VectorUnit;

/// A vector instruction's settings, and what it changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorEffects {
    /// Element width in bits.
    pub sew: u16,
    /// log2 of LMUL.
    pub lmul: i8,
    /// `vl`.
    pub vl: usize,
    /// Registers whose values changed, with their bytes.
    pub changed: Vec<(u16, Vec<u8>)>,
}

impl VectorUnit {
    /// Keeps the registers before an instruction, to see what it changes.
    pub fn keep(&self, registers: &mut Vec<u8>) {
        registers.clear();
        registers.extend_from_slice(&self.registers);
    }

    /// What the instruction of the unit did that has just retired.
    pub fn effects_since(&self, before: &[u8]) -> VectorEffects {
        let registers = before.chunks(self.vlenb).zip(self.registers.chunks(self.vlenb));
        let changed = registers
            .enumerate()
            .filter(|(_, (before, after))| before != after)
            .map(|(register, (_, after))| (register as u16, after.to_vec()))
            .collect();
        let vtype = self.vtype;
        VectorEffects { sew: 8 << vtype.sew, lmul: vtype.lmul, vl: self.vl, changed }
    }
}
