//! Instructions whose element `i` depends on elements `i` of their operands.

use super::arithmetic::{self, Lane};
use super::fixed_point;
use super::legal::{Place, mixed, overlaps_allowed, sources_agree, spares_mask};
use super::state::{Case, Outcome};

/// The effect, `Some(None)` if illegal, `None` if not of this kind.
#[allow(clippy::option_option, reason = "unknown and illegal are different answers")]
pub fn execute(case: &Case, operation: &str, form: &str) -> Option<Option<Outcome>> {
    let lane = probe(case);
    if arithmetic::bit(operation, lane, false).is_some() {
        return Some(to_mask(case, operation, form));
    }
    let known = arithmetic::element(operation, lane).is_some()
        && (operation != "VMV" || form.starts_with("V__"))
        || fixed_point::element(operation, lane).is_some();
    known.then(|| to_vector(case, operation, form))
}

fn probe(case: &Case) -> Lane {
    Lane { a: 1, a_bits: 2 * case.sew, b: 1, d: 1, d_bits: case.sew, sew: case.sew, v0: false, vxrm: 0 }
}

/// Widths of the destination and of `vs2`.
fn widths(case: &Case, operation: &str, form: &str) -> Option<(u32, u32)> {
    let sew = case.sew;
    Some(match operation {
        "VZEXT" | "VSEXT" => {
            let factor = form[2..].parse::<u32>().expect("vf2, vf4, vf8");
            (sew, if sew / factor >= 8 { sew / factor } else { return None })
        }
        _ if operation.starts_with("VW") => (2 * sew, if form.starts_with('W') { 2 * sew } else { sew }),
        _ if operation.starts_with("VN") && form.starts_with('W') => (sew, 2 * sew),
        _ => (sew, sew),
    })
}

fn has_unsigned_immediate(operation: &str) -> bool {
    ["VSLL", "VSRL", "VSRA", "VSSRL", "VSSRA", "VNSRL", "VNSRA", "VNCLIPU", "VNCLIP"].contains(&operation)
}

/// True if v0 is an operand and every body element active.
fn mask_is_operand(operation: &str) -> bool {
    ["VADC", "VSBC", "VMADC", "VMSBC", "VMERGE"].contains(&operation)
}

fn to_vector(case: &Case, operation: &str, form: &str) -> Option<Outcome> {
    let (d_bits, a_bits) = widths(case, operation, form)?;
    let destination = Place::group(case, case.vd, d_bits)?;
    let accumulates =
        ["VMACC", "VNMSAC", "VMADD", "VNMSUB"].contains(&operation) || operation.starts_with("VWMACC");
    let is_move = operation == "VMV";
    let mut sources = Vec::new();
    if !is_move {
        sources.push(Place::group(case, case.vs2, a_bits)?);
    }
    if accumulates {
        sources.push(destination.clone());
    }
    if form.trim_end_matches('M').ends_with('V') {
        sources.push(Place::group(case, case.rs1, case.sew)?);
    }
    let sources: Vec<&Place> = sources.iter().collect();
    let wide = matches!(operation, "VMULH" | "VMULHU" | "VMULHSU" | "VSMUL") && case.sew == 64;
    if !sources_agree(case, &sources)
        || !spares_mask(case, &destination)
        || !overlaps_allowed(&destination, &sources)
        || wide && !case.wide_products
    {
        return None;
    }
    let agnostic = mixed(&destination, &sources);
    let mut outcome = case.unchanged();
    if case.vstart >= case.vl {
        return Some(outcome);
    }
    let capacity = case.vlmax().max(8 * case.registers.vlenb / d_bits as usize);
    for index in case.vstart..capacity {
        let lane = Lane {
            a: if is_move || index >= case.vl { 0 } else { case.registers.get(case.vs2, a_bits, index) },
            a_bits,
            b: if index >= case.vl {
                0
            } else {
                case.second(form, case.sew, index, !has_unsigned_immediate(operation))
            },
            d: case.registers.get(case.vd, d_bits, index),
            d_bits,
            sew: case.sew,
            v0: case.masked && index < case.vl && case.v0(index),
            vxrm: case.vxrm,
        };
        let ones = u128::MAX;
        if index >= case.vl {
            if case.ones && (case.tail_agnostic || agnostic) {
                outcome.registers.set(case.vd, d_bits, index, ones);
            }
        } else if mask_is_operand(operation) || case.enabled(index) {
            let (value, saturated) = match arithmetic::element(operation, lane) {
                Some(value) => (value, false),
                None => fixed_point::element(operation, lane)?,
            };
            outcome.registers.set(case.vd, d_bits, index, value as u128);
            outcome.saturated |= saturated;
        } else if case.ones && (case.mask_agnostic || agnostic) {
            outcome.registers.set(case.vd, d_bits, index, ones);
        }
    }
    Some(outcome)
}

fn to_mask(case: &Case, operation: &str, form: &str) -> Option<Outcome> {
    let destination = Place::register(case.vd, 1);
    let mut sources = vec![Place::group(case, case.vs2, case.sew)?];
    if form.trim_end_matches('M').ends_with('V') {
        sources.push(Place::group(case, case.rs1, case.sew)?);
    }
    let sources: Vec<&Place> = sources.iter().collect();
    if !sources_agree(case, &sources) || !overlaps_allowed(&destination, &sources) {
        return None;
    }
    let agnostic = mixed(&destination, &sources);
    let mut outcome = case.unchanged();
    if case.vstart >= case.vl {
        return Some(outcome);
    }
    for index in case.vstart..8 * case.registers.vlenb {
        if index >= case.vl {
            if case.ones {
                outcome.registers.set(case.vd, 1, index, 1);
            }
        } else if mask_is_operand(operation) || case.enabled(index) {
            let a = case.registers.get(case.vs2, case.sew, index);
            let b = case.second(form, case.sew, index, true);
            let lane = Lane { a, b, a_bits: case.sew, ..probe(case) };
            let carry = case.masked && case.v0(index);
            let bit = arithmetic::bit(operation, lane, carry)?;
            outcome.registers.set(case.vd, 1, index, bit.into());
        } else if case.ones && (case.mask_agnostic || agnostic) {
            outcome.registers.set(case.vd, 1, index, 1);
        }
    }
    Some(outcome)
}
