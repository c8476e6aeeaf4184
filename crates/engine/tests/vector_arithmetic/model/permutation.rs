//! Permutations.

use super::legal::{Place, apart, sources_agree, spares_mask};
use super::state::{Case, Outcome, signed, unsigned};

/// The effect, `Some(None)` if illegal, `None` if not of this kind.
#[allow(clippy::option_option, reason = "unknown and illegal are different answers")]
pub fn execute(case: &Case, operation: &str, form: &str) -> Option<Option<Outcome>> {
    Some(match (operation, form) {
        ("VMV", "X__S") => {
            let value = signed(case.registers.get(case.vs2, case.sew, 0), case.sew);
            Some(Outcome { x: Some(unsigned(value, case.xlen) as u64), ..case.unchanged() })
        }
        ("VMV", "S__X") => Some(from_scalar(case)),
        ("VMV1R" | "VMV2R" | "VMV4R" | "VMV8R", _) => whole(case, operation),
        ("VCOMPRESS", _) => compress(case),
        ("VRGATHER" | "VRGATHEREI16", _) => gather(case, operation, form),
        _ if operation.starts_with("VSLIDE") => slide(case, operation, form),
        _ => return None,
    })
}

/// Tail of a group of SEW and LMUL from element `first` on.
pub fn tail(case: &Case, outcome: &mut Outcome, first: usize) {
    if case.ones && case.tail_agnostic {
        for index in first..case.vlmax().max(8 * case.registers.vlenb / case.sew as usize) {
            outcome.registers.set(case.vd, case.sew, index, u128::MAX);
        }
    }
}

fn from_scalar(case: &Case) -> Outcome {
    let mut outcome = case.unchanged();
    if case.vstart < case.vl {
        outcome.registers.set(case.vd, case.sew, 0, case.signed_x() as u128);
        if case.ones && case.tail_agnostic {
            for index in 1..8 * case.registers.vlenb / case.sew as usize {
                outcome.registers.set(case.vd, case.sew, index, u128::MAX);
            }
        }
    }
    outcome
}

fn whole(case: &Case, operation: &str) -> Option<Outcome> {
    let count = operation[3..4].parse::<u32>().expect("1, 2, 4, 8");
    if !case.vd.is_multiple_of(count) || !case.vs2.is_multiple_of(count) {
        return None;
    }
    let mut outcome = case.unchanged();
    let evl = count as usize * 8 * case.registers.vlenb / case.sew as usize;
    for index in case.vstart..evl {
        let value = case.registers.get(case.vs2, case.sew, index);
        outcome.registers.set(case.vd, case.sew, index, value);
    }
    Some(outcome)
}

fn compress(case: &Case) -> Option<Outcome> {
    let destination = Place::group(case, case.vd, case.sew)?;
    let source = Place::group(case, case.vs2, case.sew)?;
    let mask = Place::register(case.rs1, 1);
    if case.vstart != 0 || !apart(&destination, &[&source, &mask]) || !sources_agree(case, &[&source, &mask])
    {
        return None;
    }
    let mut outcome = case.unchanged();
    if case.vl == 0 {
        return Some(outcome);
    }
    let chosen: Vec<usize> = (0..case.vl).filter(|&i| case.registers.get(case.rs1, 1, i) == 1).collect();
    for (to, &from) in chosen.iter().enumerate() {
        let value = case.registers.get(case.vs2, case.sew, from);
        outcome.registers.set(case.vd, case.sew, to, value);
    }
    tail(case, &mut outcome, chosen.len());
    Some(outcome)
}

fn gather(case: &Case, operation: &str, form: &str) -> Option<Outcome> {
    let destination = Place::group(case, case.vd, case.sew)?;
    let source = Place::group(case, case.vs2, case.sew)?;
    let bits = if operation == "VRGATHEREI16" { 16 } else { case.sew };
    let mut sources = vec![source];
    if form == "VV" {
        sources.push(Place::group(case, case.rs1, bits)?);
    }
    let sources: Vec<&Place> = sources.iter().collect();
    if !spares_mask(case, &destination) || !apart(&destination, &sources) || !sources_agree(case, &sources) {
        return None;
    }
    Some(permute(case, 0, |index| {
        let from = match form {
            "VV" => case.registers.get(case.rs1, bits, index),
            "VX" => case.x.into(),
            _ => case.rs1.into(),
        };
        if from < case.vlmax() as u128 { case.registers.get(case.vs2, case.sew, from as usize) } else { 0 }
    }))
}

fn slide(case: &Case, operation: &str, form: &str) -> Option<Outcome> {
    let destination = Place::group(case, case.vd, case.sew)?;
    let source = Place::group(case, case.vs2, case.sew)?;
    let upwards = operation.ends_with("UP");
    if !spares_mask(case, &destination)
        || upwards && !apart(&destination, &[&source])
        || !sources_agree(case, &[&source])
    {
        return None;
    }
    let offset = u128::from(if form == "VX" { case.x } else { case.rs1.into() });
    let element = |index: u128| case.registers.get(case.vs2, case.sew, index as usize);
    let scalar = case.signed_x() as u128;
    Some(match operation {
        "VSLIDEUP" => permute(case, offset, |index| element(index as u128 - offset)),
        "VSLIDEDOWN" => permute(case, 0, |index| {
            let from = index as u128 + offset;
            if from < case.vlmax() as u128 { element(from) } else { 0 }
        }),
        "VSLIDE1UP" => permute(case, 0, |index| if index == 0 { scalar } else { element(index as u128 - 1) }),
        _ => permute(case, 0, |index| if index == case.vl - 1 { scalar } else { element(index as u128 + 1) }),
    })
}

/// `vd[i] = value(i)` for active elements from `first` on.
fn permute(case: &Case, first: u128, value: impl Fn(usize) -> u128) -> Outcome {
    let mut outcome = case.unchanged();
    if case.vstart >= case.vl {
        return outcome;
    }
    for index in case.vstart..case.vl {
        if (index as u128) < first {
            continue;
        }
        if case.enabled(index) {
            outcome.registers.set(case.vd, case.sew, index, value(index));
        } else if case.ones && case.mask_agnostic {
            outcome.registers.set(case.vd, case.sew, index, u128::MAX);
        }
    }
    tail(case, &mut outcome, case.vl);
    outcome
}
