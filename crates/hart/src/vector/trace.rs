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

/// The registers before an instruction, to see what it changes.
#[derive(Default)]
pub struct Before(Vec<u8>);

impl Before {
    /// Remembers the registers.
    pub fn new(unit: &VectorUnit) -> Self {
        Self(unit.registers.clone())
    }

    /// What the instruction of the unit did that has just retired.
    pub fn effects(&mut self, unit: &VectorUnit) -> VectorEffects {
        let registers = self.0.chunks(unit.vlenb).zip(unit.registers.chunks(unit.vlenb));
        let changed = registers
            .enumerate()
            .filter(|(_, (before, after))| before != after)
            .map(|(register, (_, after))| (register as u16, after.to_vec()))
            .collect();
        self.0.copy_from_slice(&unit.registers);
        let vtype = unit.vtype;
        VectorEffects { sew: 8 << vtype.sew, lmul: vtype.lmul, vl: unit.vl, changed }
    }
}
