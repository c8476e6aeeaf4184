//! Masked instructions, reductions and running counts, against the model of the unit: under masks that comparisons make,
//! on registers that are columns meanwhile.

use engine::Program;

use crate::guest::program;
use crate::looped::Looped;
use crate::numbers::randoms;
use crate::rounds::{Length, shape};
use crate::unit::{Step, Unit, step};
use crate::widths::{self, Widths};

/// What is the model's here, with elements of one width, of two, and with one as a result.
const EVEN: [&str; 48] = [
    "VMULH__VV",
    "VMULHU__VX",
    "VMULHSU__VV",
    "VDIVU__VV",
    "VDIV__VX",
    "VREMU__VX",
    "VREM__VV",
    "VDIV__VV",
    "VREM__VX",
    "VDIVU__VX",
    "VREMU__VV",
    "VMINU__VV",
    "VMAXU__VX",
    "VMAX__VV",
    "VSRL__VV",
    "VSRL__VV",
    "VROR__VV",
    "VROL__VV",
    "VSRA__VX",
    "VSRA__VV",
    "VSADDU__VV",
    "VSADD__VX",
    "VSADDU__VI",
    "VSSUBU__VX",
    "VSSUB__VV",
    "VAADDU__VV",
    "VAADD__VX",
    "VASUBU__VV",
    "VASUB__VV",
    "VSMUL__VV",
    "VSMUL__VX",
    "VSSRL__VI",
    "VSSRA__VV",
    "VID__V",
    "VIOTA__M",
    "VSLIDEUP__VI",
    "VSLIDEUP__VX",
    "VSLIDEDOWN__VI",
    "VSLIDEDOWN__VX",
    "VRGATHER__VX",
    "VRGATHER__VI",
    "VSLIDE1UP__VX",
    "VSLIDE1DOWN__VX",
    "VMUL__VV",
    "VMACC__VV",
    "VSLL__VI",
    "VREV8__V",
    "VIOTA__M",
];
const MIXED: [&str; 25] = [
    "VWADDU__VV",
    "VWADD__WX",
    "VWSUBU__WV",
    "VWSUB__VX",
    "VWMULU__VV",
    "VWMUL__VV",
    "VWMULSU__VX",
    "VWMACCU__VV",
    "VWMACC__VX",
    "VWMACCSU__VV",
    "VWMACCUS__VX",
    "VWSLL__VI",
    "VWSLL__VV",
    "VNSRL__WI",
    "VNSRL__WV",
    "VNSRA__WX",
    "VNCLIPU__WI",
    "VNCLIP__WI",
    "VNCLIP__WV",
    "VNCLIPU__WX",
    "VZEXT__VF2",
    "VSEXT__VF4",
    "VZEXT__VF8",
    "VSEXT__VF2",
    "VZEXT__VF4",
];
const REDUCING: [&str; 10] = [
    "VREDSUM__VS",
    "VREDAND__VS",
    "VREDOR__VS",
    "VREDXOR__VS",
    "VREDMINU__VS",
    "VREDMIN__VS",
    "VREDMAXU__VS",
    "VREDMAX__VS",
    "VWREDSUMU__VS",
    "VWREDSUM__VS",
];
const COMPARING: [&str; 8] =
    ["VMSEQ__VV", "VMSLTU__VX", "VMSLE__VI", "VMSGT__VX", "VMSNE__VV", "VMSBF__M", "VMSIF__M", "VMSOF__M"];

/// Random numbers below a bound.
fn below(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut random = randoms(seed);
    move |bound| (random.next().unwrap_or(0) >> 20) as u32 % bound
}

/// A step of a name with registers at random, if there is a legal one among a few.
fn any_step(name: &str, widths: Widths, vlen: u32, below: &mut impl FnMut(u32) -> u32) -> Option<Step> {
    let group = 1 << widths.lmul.max(0);
    let form = name.rsplit("__").next().unwrap_or_default();
    for _ in 0..40 {
        let register = |below: &mut dyn FnMut(u32) -> u32| below(32 / group) * group;
        let (mut d, mut a) = (register(below), register(below));
        let mut b = match form {
            "VV" | "WV" | "VS" => register(below),
            "V" | "VF2" | "VF4" | "VF8" => 0,
            "VI" if name.starts_with("VSLIDE") || name.starts_with("VRGATHER") => below(32),
            _ => 16 + below(8),
        };
        let is_legal = match (name, form) {
            _ if name.starts_with("VRED") || name.starts_with("VWRED") => {
                // Scalars may be in any register, v0 as well if it is no mask.
                (d, b) = (below(32), 1 + below(31));
                let is_wide = name.starts_with("VW");
                let shares = a < b + 1 && b < a + group;
                a != 0 && !(is_wide && (widths.sew == 3 || vlen < 64 || shares))
            }
            ("VIOTA__M", _) => {
                (a, b) = (below(32), 0);
                d != 0 && a != 0 && !(d..d + group).contains(&a)
            }
            ("VID__V", _) => {
                a = 0;
                d != 0
            }
            (_, "M") => {
                (d, a, b) = (1 + below(31), 1 + below(31), 0);
                d != a
            }
            _ if name.starts_with("VMS") => {
                d = if below(4) == 0 { d } else { below(32) };
                let overlaps = |source: u32| (source..source + group).contains(&d);
                let is_apart = |source: u32| !overlaps(source) || d == source;
                a != 0 && is_apart(a) && (form != "VV" || b != 0 && is_apart(b))
            }
            _ if ["VSLIDEUP", "VSLIDE1UP", "VRGATHER"].iter().any(|stem| name.starts_with(stem)) => {
                d != 0 && a != 0 && d != a
            }
            _ => {
                let known = widths::Step { name: leak(name), d, a, b };
                let [wd, wa, _] = widths.of(name);
                let fits = |width: u32| width <= 3;
                let is_fixed = name.starts_with("VNCLIP");
                let known = widths::Step { name: if is_fixed { "VNSRL__WV" } else { known.name }, ..known };
                let lower_half = |first: u32| first != 0;
                lower_half(d)
                    && lower_half(a)
                    && (form != "VV" && form != "WV" || b != 0)
                    && fits(wd)
                    && fits(wa)
                    && widths.allow(&known, vlen)
            }
        };
        if is_legal {
            return Some(step(name, d, a, b));
        }
    }
    None
}

/// The name as one that outlives the test.
fn leak(name: &str) -> &'static str {
    let all = EVEN.iter().chain(&MIXED);
    all.copied().find(|one| *one == name).unwrap_or("VADD__VV")
}

fn steps(widths: Widths, vlen: u32, seed: u64) -> Vec<Step> {
    let mut below = below(seed);
    let mut steps = Vec::new();
    let take = || Step { vm: false, ..step("CSRRW", 28, 0x009, 0) };
    for index in 0..24 {
        if index % 4 == 0 {
            let comparison = COMPARING[below(5) as usize];
            if let Some(one) = any_step(comparison, widths, vlen, &mut below) {
                steps.push(Step { d: 0, ..one });
            }
        }
        let names: &[&str] = match below(8) {
            0..3 => &EVEN,
            3..6 => &MIXED,
            6 => &REDUCING,
            _ => &COMPARING,
        };
        let name = names[below(names.len() as u32) as usize];
        if let Some(one) = any_step(name, widths, vlen, &mut below) {
            let is_masked = below(4) != 0;
            // A mask in v0 is neither the source of elements nor, but for comparisons, the destination.
            steps.push(if is_masked { one.masked() } else { one });
        }
        if index % 5 == 4 {
            steps.push(take());
        }
        if below(4) == 0
            && let Some(one) = any_step("VMUL__VV", widths, vlen, &mut below)
        {
            steps.push(one);
        }
    }
    steps.push(take());
    steps
}

/// Elements at the edges, some of them equal; seldom, none saturates.
pub fn prepare(unit: &mut Unit, round: usize) {
    let (bits, vlenb) = (8_u32 << unit.sew, unit.vlen as usize / 8);
    for (index, random) in randoms(round as u64 * 7 + 1).take((32 * vlenb) >> unit.sew).enumerate() {
        let high = 1_u64 << (bits - 1);
        let value = match (random >> 40) % 8 {
            _ if round == 3 => 1 + random % 5,
            0 => high,
            1 => high - 1,
            2 => 0,
            3 => u64::MAX,
            4 => 1 + random % 3,
            5 => random >> (random % 64),
            _ => random,
        };
        let at = index << unit.sew;
        unit.file[at..at + (1 << unit.sew)].copy_from_slice(&value.to_le_bytes()[..1 << unit.sew]);
    }
    for (index, random) in randoms(round as u64).take(8).enumerate() {
        let value = [random, random % 5, 0, u64::MAX, 1 << (bits - 1), 3, random >> 33, 2][index];
        unit.x[16 + index] = if unit.rv32 { value as u32 as i32 as u64 } else { value };
    }
}

#[test]
fn instructions_under_masks() {
    let programs: Vec<Program> = ["rv64gcv_zvbb", "rv32gcv_zvbb"].map(program).into();
    let mut seed = 0;
    for vlen in [64, 128, 256, 512] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-2..=3).map(move |lmul| (sew, lmul))) {
            let Some((vlmax, _)) = shape(vlen, sew, lmul) else { continue };
            for _ in 0..if vlen == 256 { 5 } else { 2 } {
                seed += 1;
                let length = match seed % 6 {
                    0 => Length::Register,
                    1 => Length::Immediate((vlmax / 2).clamp(1, 16)),
                    _ => Length::All,
                };
                let ones = seed % 7 == 0;
                let steps = steps(Widths { sew, lmul }, vlen, seed);
                let program = &programs[usize::from(seed % 4 == 3)];
                Looped { length, ones, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(prepare);
            }
        }
    }
}
