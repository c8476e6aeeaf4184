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

/// True for an instruction of the vector unit that is not one of those that set its type.
const fn depends_on_type(word: u32) -> bool {
    let width = word >> 12 & 7;
    match word & 0x7f {
        0x57 => width != 7,
        0x77 => true,
        0x07 | 0x27 => width == 0 || width > 4,
        _ => false,
    }
}

/// The registers before an instruction, to see what it changes.
#[derive(Default)]
pub struct Before(Vec<u8>);

impl Before {
    /// Remembers the registers.
    pub fn new(unit: &VectorUnit) -> Self {
        Self(unit.registers.clone())
    }

    /// What the instruction with this word did, which has just retired; `None` if it is of another unit.
    pub fn effects(&mut self, word: u32, unit: &VectorUnit) -> Option<VectorEffects> {
        if unit.vlenb == 0 || !depends_on_type(word) {
            return None;
        }
        let registers = self.0.chunks(unit.vlenb).zip(unit.registers.chunks(unit.vlenb));
        let changed = registers
            .enumerate()
            .filter(|(_, (before, after))| before != after)
            .map(|(register, (_, after))| (register as u16, after.to_vec()))
            .collect();
        self.0.copy_from_slice(&unit.registers);
        let vtype = unit.vtype;
        Some(VectorEffects { sew: 8 << vtype.sew, lmul: vtype.lmul, vl: unit.vl, changed })
    }
}
