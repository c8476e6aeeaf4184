//! Register groups and the encodings that are reserved ("Vector Operands", "Vector Masking").

use std::collections::BTreeSet;

use super::state::Case;

/// The registers of an operand.
#[derive(Clone, Debug)]
pub struct Place {
    registers: BTreeSet<u32>,
    /// EEW; 1 for masks.
    bits: u32,
    /// EMUL is at least 1.
    whole: bool,
}

impl Place {
    /// A group with elements of `bits`, EMUL = EEW·LMUL/SEW; `None` if there is none such.
    pub fn group(case: &Case, register: u32, bits: u32) -> Option<Self> {
        let eighths = 8 * bits as i64;
        let eighths =
            if case.lmul >= 0 { eighths << case.lmul } else { eighths >> -case.lmul } / i64::from(case.sew);
        if !(8..=case.elen).contains(&bits) || !(1..=64).contains(&eighths) {
            return None;
        }
        let count = (eighths / 8).max(1) as u32;
        register.is_multiple_of(count).then(|| Self {
            registers: (register..register + count).collect(),
            bits,
            whole: eighths >= 8,
        })
    }

    /// One register, for a mask (1 bit) or a scalar.
    pub fn register(register: u32, bits: u32) -> Self {
        Self { registers: [register].into(), bits, whole: true }
    }

    fn meets(&self, other: &Self) -> bool {
        !self.registers.is_disjoint(&other.registers)
    }
}

/// No register is read with two widths.
pub fn sources_agree(case: &Case, sources: &[&Place]) -> bool {
    let mut sources: Vec<Place> = sources.iter().map(|&place| place.clone()).collect();
    if case.masked {
        sources.push(Place::register(0, 1));
    }
    sources.iter().all(|a| sources.iter().all(|b| a.bits == b.bits || !a.meets(b)))
}

/// A masked instruction leaves v0 alone.
pub fn spares_mask(case: &Case, destination: &Place) -> bool {
    !case.masked || !destination.registers.contains(&0)
}

/// The destination shares no register with any of them.
pub fn apart(destination: &Place, sources: &[&Place]) -> bool {
    sources.iter().all(|source| !destination.meets(source))
}

/// The overlaps that are allowed in general.
pub fn overlaps_allowed(destination: &Place, sources: &[&Place]) -> bool {
    sources.iter().all(|source| {
        !destination.meets(source)
            || destination.bits == source.bits
            || destination.bits < source.bits && destination.registers.first() == source.registers.first()
            || destination.bits > source.bits
                && source.whole
                && destination.registers.last() == source.registers.last()
    })
}

/// Source and destination share registers and differ in width: agnostic whatever the policy.
pub fn mixed(destination: &Place, sources: &[&Place]) -> bool {
    sources.iter().any(|source| destination.meets(source) && destination.bits != source.bits)
}
