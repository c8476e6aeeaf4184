//! What compiled code does on numbers of binary16.

use super::compiled::{Compiled, Directs, FloatDoubling, OfBrain, Operation, Second, Written};
use super::element_wise::MaskUse;
use super::fields::Fields;
use super::float::{self, Call, Halves, HalvesSecond};
use super::state::{VectorUnit, Vtype};

/// An instruction that a function does where the floating-point unit rounds to the nearest.
#[derive(Clone, Copy, Debug)]
pub struct HalvesCall {
    /// The function.
    pub function: Halves,
    /// Its arguments after the hart.
    pub arguments: [u64; 5],
}

impl Operation {
    /// How an instruction on numbers of binary16 is done at once, if it is legal under `vtype` wherever the floating-point
    /// unit is on and rounds, and leaves alone what is masked off.
    pub fn halves(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<HalvesCall> {
        let (rules, fields) = (self.rules?, Fields(word));
        let is_masked = fields.masked() && rules.mask == MaskUse::Predicate;
        let is_half = vtype.sew == 1;
        let is_brain = matches!(self.compiled, Compiled::OfBrain(..));
        let (function, written, lmul) = match self.compiled {
            Compiled::Float(lane, _) if is_half => (float::of_lane(lane)?, Written::Elements, vtype.lmul),
            Compiled::Direct(Directs { lane: Some(lane), written, .. }, _) if is_half => {
                (float::of_direct(lane)?, written, vtype.lmul)
            }
            Compiled::OfBrain(operation, _) => {
                let lmul = vtype.lmul + i8::from(operation != OfBrain::Narrowed);
                (float::of_brain(operation)?, Written::Elements, lmul)
            }
            Compiled::FloatDoubled(doubling, _) => {
                let is_folded = matches!(doubling, FloatDoubling::Folded { .. });
                let written = if is_folded { Written::Scalar } else { Written::Elements };
                let lmul = vtype.lmul + i8::from(!doubling.narrows());
                (float::of_doubling(doubling, vtype.sew)?, written, lmul)
            }
            _ => return None,
        };
        // Who writes masks and scalars does not fill what is beyond.
        if written != Written::Elements && unit.fills() {
            return None;
        }
        let is_possible = unit.vlenb >= float::SHORTEST && float::available();
        let shape = rules.legal(unit, fields, vtype).ok().filter(|_| is_possible)?;
        let stay = !(is_masked && unit.fills() && (vtype.mask_agnostic || shape.agnostic));
        let tail_agnostic = vtype.tail_agnostic || shape.agnostic;
        let tail_end = unit.tail_end(Vtype { tail_agnostic, lmul, ..vtype });
        let at = |register: u32| u64::from(register) * unit.vlenb as u64;
        let [d, a] = [fields.vd(), fields.vs2()].map(at);
        let (second, kind) = match shape.second {
            Second::Group(register) => (at(register), HalvesSecond::Group),
            Second::Float(register) if is_brain => (register.into(), HalvesSecond::Brain),
            Second::Float(register) => (register.into(), HalvesSecond::Scalar),
            Second::Register(_) | Second::Immediate(_) => (0, HalvesSecond::Nothing),
        };
        let arguments = [d, a, second, Call::how(is_masked, kind), tail_end as u64];
        stay.then_some(HalvesCall { function, arguments })
    }
}
