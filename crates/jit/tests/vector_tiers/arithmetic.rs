//! A small model of what one element becomes, of reductions and of what depends on other elements, apart from both tiers.

use crate::guest::DATA;
use crate::roundings;
use crate::unit::{Step, Unit};
use crate::widths::{self, Widths};

/// Executes an instruction, if there is a model of it here.
pub fn execute(unit: &mut Unit, step: &Step) -> bool {
    let (stem, form) = step.name.split_once("__").unwrap_or((&step.name, ""));
    match stem {
        "CSRRW" => {
            // `vxsat`, the only one.
            let had = std::mem::take(&mut unit.vxsat);
            unit.set_x(step.d, had.into());
        }
        _ if stem.starts_with("VRED") || stem.starts_with("VWRED") => reduce(unit, step, stem),
        "VIOTA" => {
            let before = unit.clone();
            let is_set =
                |&element: &usize| before.bit(step.a, element) && (step.vm || before.bit(0, element));
            each(unit, step, unit.sew, |element| (0..element).filter(is_set).count() as u64);
        }
        "VLM" | "VSM" => move_mask(unit, step, stem == "VSM"),
        "VID" => each(unit, step, unit.sew, |element| element as u64),
        "VSLIDEUP" | "VSLIDEDOWN" | "VSLIDE1UP" | "VSLIDE1DOWN" | "VRGATHER" => slide(unit, step, stem, form),
        "VZEXT" | "VSEXT" | "VNSRL" | "VNSRA" => widen(unit, step),
        _ if stem.starts_with("VW") => widen(unit, step),
        "VSADDU" | "VSADD" | "VSSUBU" | "VSSUB" | "VAADDU" | "VAADD" | "VASUBU" | "VASUB" | "VSMUL"
        | "VSSRL" | "VSSRA" | "VNCLIPU" | "VNCLIP" => fixed(unit, step),
        "VMULH" | "VMULHU" | "VMULHSU" | "VDIVU" | "VDIV" | "VREMU" | "VREM" | "VMINU" | "VMAXU" | "VMAX"
        | "VSRL" | "VSRA" | "VROL" | "VROR" => {
            let before = unit.clone();
            let bits = 8 << unit.sew;
            each(unit, step, unit.sew, |element| {
                let a = before.element(step.a, element, before.sew);
                lane(stem, bits, a, second(&before, step, element) & (u64::MAX >> (64 - bits)))
            });
        }
        _ => return false,
    }
    true
}

/// Loads or stores the bits of elements, as bytes.
fn move_mask(unit: &mut Unit, step: &Step, stores: bool) {
    let (bytes, vlenb) = (unit.vl.div_ceil(8), unit.vlen as usize / 8);
    let address = unit.x[step.b as usize];
    let address = if unit.rv32 { address as u32 as u64 } else { address };
    let register = unit.at(step.d, 0, 0);
    let (file, memory) = (&mut unit.file[register..], &mut unit.memory[(address - DATA) as usize..]);
    if stores {
        memory[..bytes].copy_from_slice(&file[..bytes]);
        return;
    }
    file[..bytes].copy_from_slice(&memory[..bytes]);
    if unit.ones && bytes > 0 {
        file[bytes..vlenb].fill(0xff);
    }
}

/// Sets active elements, of a width, and others and the tail as the policies say.
fn each(unit: &mut Unit, step: &Step, width: u32, of: impl Fn(usize) -> u64) {
    let before = unit.clone();
    for element in 0..unit.vl {
        if step.vm || before.bit(0, element) {
            unit.set_element(step.d, element, width, of(element));
        } else if unit.ones {
            unit.set_element(step.d, element, width, u64::MAX);
        }
    }
    unit.end(step.d, width);
}

/// The second operand, of SEW or a whole number.
fn second(unit: &Unit, step: &Step, element: usize) -> u64 {
    match step.name.rsplit("__").next().and_then(|form| form.chars().nth(1)) {
        Some('V') => unit.element(step.b, element, unit.sew),
        Some('X') => unit.x[step.b as usize],
        _ if step.name.contains("ADD") => (i64::from(step.b) << 59 >> 59) as u64,
        _ => step.b.into(),
    }
}

fn lane(stem: &str, bits: u32, a: u64, b: u64) -> u64 {
    let signed = |lane: u64| i128::from((lane << (64 - bits)) as i64 >> (64 - bits));
    let (sa, sb) = (signed(a), signed(b));
    let (ua, ub) = (i128::from(a), i128::from(b));
    let value = match stem {
        "VMULH" => (sa * sb) >> bits,
        "VMULHU" => ((u128::from(a) * u128::from(b)) >> bits) as i128,
        "VMULHSU" => (sa * ub) >> bits,
        "VDIVU" | "VDIV" if b == 0 => -1,
        "VREMU" | "VREM" if b == 0 => ua,
        "VDIVU" => ua / ub,
        "VDIV" => sa / sb,
        "VREMU" => ua % ub,
        "VREM" => sa % sb,
        "VMINU" => ua.min(ub),
        "VMAXU" => ua.max(ub),
        "VMAX" => sa.max(sb),
        "VSRL" => ua >> (b % u64::from(bits)),
        "VROL" => (ua << (b % u64::from(bits))) | (ua >> (u64::from(bits) - b % u64::from(bits))),
        "VROR" => (ua >> (b % u64::from(bits))) | (ua << (u64::from(bits) - b % u64::from(bits))),
        _ => sa >> (b % u64::from(bits)),
    };
    value as u64
}

fn reduce(unit: &mut Unit, step: &Step, stem: &str) {
    if unit.vl == 0 {
        return;
    }
    let is_wide = stem.starts_with("VW");
    let (narrow, width) = (unit.sew, unit.sew + u32::from(is_wide));
    let extended = |value: u64, width: u32| {
        let by = 64 - (8 << width);
        (value, (value << by) as i64 >> by)
    };
    let (mut unsigned, mut signed) = extended(unit.element(step.b, 0, width), width);
    for element in (0..unit.vl).filter(|&element| step.vm || unit.bit(0, element)) {
        let (u, s) = extended(unit.element(step.a, element, narrow), narrow);
        let value = match stem {
            "VREDSUM" | "VWREDSUMU" => unsigned.wrapping_add(u),
            "VWREDSUM" => signed.wrapping_add(s) as u64,
            "VREDAND" => unsigned & u,
            "VREDOR" => unsigned | u,
            "VREDXOR" => unsigned ^ u,
            "VREDMINU" => unsigned.min(u),
            "VREDMIN" => signed.min(s) as u64,
            "VREDMAXU" => unsigned.max(u),
            _ => signed.max(s) as u64,
        };
        (unsigned, signed) = extended(value & (u64::MAX >> (64 - (8 << width))), width);
    }
    unit.set_element(step.d, 0, width, unsigned);
    if unit.ones {
        let (start, end) = (unit.at(step.d, 0, 0), unit.at(step.d + 1, 0, 0));
        unit.file[start + (1 << width)..end].fill(0xff);
    }
}

fn slide(unit: &mut Unit, step: &Step, stem: &str, form: &str) {
    let before = unit.clone();
    let by = if form == "VI" { step.b.into() } else { unit.x[step.b as usize] };
    let by = if unit.rv32 { by as u32 as u64 } else { by };
    let by = usize::try_from(by).unwrap_or(usize::MAX);
    let (scalar, vlmax, vl) = (before.x[step.b as usize], before.vlmax(), before.vl);
    let at = |element: usize| before.element(step.a, element, before.sew);
    match stem {
        // Those below it stay.
        "VSLIDEUP" => {
            let stays = before.clone();
            each(unit, step, unit.sew, |element| if element < by { 0 } else { at(element - by) });
            for element in 0..by.min(vl) {
                unit.set_element(step.d, element, stays.sew, stays.element(step.d, element, stays.sew));
            }
        }
        "VSLIDEDOWN" => each(unit, step, unit.sew, |element| match element.saturating_add(by) {
            from if from < vlmax => at(from),
            _ => 0,
        }),
        "VRGATHER" => each(unit, step, unit.sew, |element| {
            let index = match form {
                "VV" => before.element(step.b, element, before.sew).try_into().unwrap_or(usize::MAX),
                _ => by,
            };
            if index < vlmax { at(index) } else { 0 }
        }),
        "VSLIDE1UP" => {
            each(unit, step, unit.sew, |element| if element == 0 { scalar } else { at(element - 1) })
        }
        _ => each(unit, step, unit.sew, |element| if element + 1 == vl { scalar } else { at(element + 1) }),
    }
}

fn widen(unit: &mut Unit, step: &Step) {
    let before = unit.clone();
    let [wd, wa, wb] = Widths { sew: unit.sew, lmul: unit.lmul }.of(&step.name);
    let bits = [wd, wa, wb].map(|width| 8 << width);
    each(unit, step, wd, |element| {
        let b = if step.name.contains("EXT") { 0 } else { second(&before, step, element) };
        let [d, a] = [(step.d, wd), (step.a, wa)].map(|(group, width)| before.element(group, element, width));
        widths::lane(&step.name, bits, [d, a, b], false)
    });
}

fn fixed(unit: &mut Unit, step: &Step) {
    let before = unit.clone();
    let (bits, width) = (8_u32 << unit.sew, unit.sew + u32::from(step.name.contains("__W")));
    let of = |element: usize| {
        let a = before.element(step.a, element, width);
        let b = second(&before, step, element) & (u64::MAX >> (64 - bits));
        let (exact, is_signed) = roundings::lane(&step.name, bits, 0, a, b);
        let least = if is_signed { -(1 << (bits - 1)) } else { 0 };
        (exact.clamp(least, least + (1 << bits) - 1), exact)
    };
    let is_active = |element: &usize| step.vm || before.bit(0, *element);
    unit.vxsat |= (0..unit.vl).filter(is_active).map(of).any(|(value, exact)| value != exact);
    each(unit, step, unit.sew, |element| of(element).0 as u64);
}
