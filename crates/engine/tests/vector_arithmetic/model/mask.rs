//! Mask instructions.

use super::legal::{Place, apart, spares_mask};
use super::state::{Case, Outcome};

/// The effect, `Some(None)` if illegal, `None` if not of this kind.
#[allow(clippy::option_option, reason = "unknown and illegal are different answers")]
pub fn execute(case: &Case, operation: &str, form: &str) -> Option<Option<Outcome>> {
    Some(match (operation, form) {
        (_, "MM") => Some(logical(case, operation)),
        ("VCPOP" | "VFIRST", _) => scalar(case, operation),
        ("VMSBF" | "VMSIF" | "VMSOF", _) => first(case, operation),
        ("VIOTA" | "VID", _) => indices(case, operation),
        _ => return None,
    })
}

fn bit(case: &Case, register: u32, index: usize) -> bool {
    case.registers.get(register, 1, index) == 1
}

fn tail(case: &Case, outcome: &mut Outcome) {
    if case.ones {
        for index in case.vl..8 * case.registers.vlenb {
            outcome.registers.set(case.vd, 1, index, 1);
        }
    }
}

fn logical(case: &Case, operation: &str) -> Outcome {
    let mut outcome = case.unchanged();
    if case.vstart >= case.vl {
        return outcome;
    }
    for index in case.vstart..case.vl {
        let (a, b) = (bit(case, case.vs2, index), bit(case, case.rs1, index));
        let value = match operation {
            "VMAND" => a && b,
            "VMNAND" => !(a && b),
            "VMANDN" => a && !b,
            "VMXOR" => a != b,
            "VMOR" => a || b,
            "VMNOR" => !(a || b),
            "VMORN" => a || !b,
            "VMXNOR" => a == b,
            _ => panic!("no mask instruction {operation}"),
        };
        outcome.registers.set(case.vd, 1, index, value.into());
    }
    tail(case, &mut outcome);
    outcome
}

fn scalar(case: &Case, operation: &str) -> Option<Outcome> {
    if case.vstart != 0 {
        return None;
    }
    let set: Vec<usize> = (0..case.vl).filter(|&i| case.enabled(i) && bit(case, case.vs2, i)).collect();
    let value = match operation {
        "VCPOP" => set.len() as i128,
        _ => set.first().map_or(-1, |&index| index as i128),
    };
    let x = super::state::unsigned(value, case.xlen) as u64;
    Some(Outcome { x: Some(x), ..case.unchanged() })
}

fn first(case: &Case, operation: &str) -> Option<Outcome> {
    let destination = Place::register(case.vd, 1);
    if case.vstart != 0 || case.vd == case.vs2 || !spares_mask(case, &destination) {
        return None;
    }
    let mut outcome = case.unchanged();
    if case.vl == 0 {
        return Some(outcome);
    }
    let mut found = false;
    for index in 0..case.vl {
        if !case.enabled(index) {
            if case.ones && case.mask_agnostic {
                outcome.registers.set(case.vd, 1, index, 1);
            }
            continue;
        }
        let here = !found && bit(case, case.vs2, index);
        let value = match operation {
            "VMSBF" => !found && !here,
            "VMSIF" => !found,
            _ => here,
        };
        found |= here;
        outcome.registers.set(case.vd, 1, index, value.into());
    }
    tail(case, &mut outcome);
    Some(outcome)
}

fn indices(case: &Case, operation: &str) -> Option<Outcome> {
    let destination = Place::group(case, case.vd, case.sew)?;
    let counts = operation == "VIOTA";
    let source = Place::register(case.vs2, 1);
    if !spares_mask(case, &destination) || counts && (case.vstart != 0 || !apart(&destination, &[&source])) {
        return None;
    }
    let mut outcome = case.unchanged();
    if case.vstart >= case.vl {
        return Some(outcome);
    }
    let mut set_before = 0;
    for index in case.vstart..case.vl {
        let value = if counts { set_before } else { index };
        set_before += usize::from(case.enabled(index) && bit(case, case.vs2, index));
        if case.enabled(index) {
            outcome.registers.set(case.vd, case.sew, index, value as u128);
        } else if case.ones && case.mask_agnostic {
            outcome.registers.set(case.vd, case.sew, index, u128::MAX);
        }
    }
    super::permutation::tail(case, &mut outcome, case.vl);
    Some(outcome)
}
