//! Reductions.

use super::legal::{Place, mixed, sources_agree};
use super::state::{Case, Outcome, signed};

/// The effect, `Some(None)` if illegal, `None` if not of this kind.
#[allow(clippy::option_option, reason = "unknown and illegal are different answers")]
pub fn execute(case: &Case, operation: &str, form: &str) -> Option<Option<Outcome>> {
    (form == "VS").then(|| reduce(case, operation))
}

fn reduce(case: &Case, operation: &str) -> Option<Outcome> {
    let bits = if operation.starts_with("VW") { 2 * case.sew } else { case.sew };
    let vector = Place::group(case, case.vs2, case.sew)?;
    let scalar = Place::register(case.rs1, bits);
    let destination = Place::register(case.vd, bits);
    if case.vstart != 0 || bits > case.elen || !sources_agree(case, &[&vector, &scalar]) {
        return None;
    }
    let mut outcome = case.unchanged();
    if case.vl == 0 {
        return Some(outcome);
    }
    let is_signed = ["VREDMIN", "VREDMAX", "VWREDSUM"].contains(&operation);
    let number = |value: u128, bits| if is_signed { signed(value, bits) } else { value as i128 };
    let mut result = number(case.registers.get(case.rs1, bits, 0), bits);
    for index in (0..case.vl).filter(|&index| case.enabled(index)) {
        let element = number(case.registers.get(case.vs2, case.sew, index), case.sew);
        result = match operation {
            "VREDSUM" | "VWREDSUM" | "VWREDSUMU" => result + element,
            "VREDAND" => result & element,
            "VREDOR" => result | element,
            "VREDXOR" => result ^ element,
            "VREDMIN" | "VREDMINU" => result.min(element),
            "VREDMAX" | "VREDMAXU" => result.max(element),
            _ => panic!("no reduction {operation}"),
        };
    }
    outcome.registers.set(case.vd, bits, 0, result as u128);
    let mask = Place::register(0, 1);
    let agnostic = mixed(&destination, &[&vector]) || case.masked && mixed(&destination, &[&mask]);
    if case.ones && (case.tail_agnostic || agnostic) {
        for index in 1..8 * case.registers.vlenb / bits as usize {
            outcome.registers.set(case.vd, bits, index, u128::MAX);
        }
    }
    Some(outcome)
}
