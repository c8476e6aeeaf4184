//! Loops of floating-point instructions: numbers, infinities, zeros and NaNs meet in one register group, and flags and
//! rounding modes change from round to round, so that the host's arithmetic is right for some and not for others.

use std::sync::LazyLock;

use engine::Program;
use hart::AgnosticFill;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::Setup;
use crate::guest::{encode, program};
use crate::numbers::{FORMATS, Format, Kind, kind, randoms};

const CASES: u32 = 1200;
/// Instructions in a loop.
const LENGTH: usize = 8;
const ROUNDS: i64 = 31;
const FFLAGS: i64 = 1;
const FRM: i64 = 2;
const MSTATUS: i64 = 0x300;

/// Two vectors, or a vector and a register.
const BINARY: [&str; 13] = [
    "VFADD", "VFSUB", "VFMUL", "VFDIV", "VFMACC", "VFNMACC", "VFMSAC", "VFNMSAC", "VFMADD", "VFNMADD",
    "VFMSUB", "VFNMSUB", "VFMIN",
];
/// A vector and a register.
const SCALAR: [&str; 2] = ["VFRSUB", "VFRDIV"];

/// Comparisons, conversions, moves of signs and reductions, which compiled code does at once if it can: each with its form
/// and the field of its second operand, if it has one.
const AT_ONCE: [(&str, Option<&str>); 48] = [
    ("VMFEQ__VV", VECTOR),
    ("VMFEQ__VF", REGISTER),
    ("VMFNE__VV", VECTOR),
    ("VMFNE__VF", REGISTER),
    ("VMFLT__VV", VECTOR),
    ("VMFLT__VF", REGISTER),
    ("VMFLE__VV", VECTOR),
    ("VMFLE__VF", REGISTER),
    ("VMFGT__VF", REGISTER),
    ("VMFGE__VF", REGISTER),
    ("VFMIN__VV", VECTOR),
    ("VFMIN__VF", REGISTER),
    ("VFMAX__VV", VECTOR),
    ("VFMAX__VF", REGISTER),
    ("VFSGNJ__VV", VECTOR),
    ("VFSGNJN__VF", REGISTER),
    ("VFSGNJX__VV", VECTOR),
    ("VFCLASS__V", None),
    ("VFCVT__XU__F__V", None),
    ("VFCVT__X__F__V", None),
    ("VFCVT__RTZ__XU__F__V", None),
    ("VFCVT__RTZ__X__F__V", None),
    ("VFCVT__F__XU__V", None),
    ("VFCVT__F__X__V", None),
    ("VFREDUSUM__VS", VECTOR),
    ("VFREDOSUM__VS", VECTOR),
    ("VFREDMIN__VS", VECTOR),
    ("VFREDMAX__VS", VECTOR),
    ("VFWREDUSUM__VS", VECTOR),
    ("VFWADD__VV", VECTOR),
    ("VFNCVT__X__F__W", None),
    ("VFRSQRT7__V", None),
    ("VFREC7__V", None),
    ("VFWSUB__VF", REGISTER),
    ("VFWADD__WV", VECTOR),
    ("VFWMUL__VV", VECTOR),
    ("VFWMACC__VV", VECTOR),
    ("VFWCVT__F__F__V", None),
    ("VFWCVT__XU__F__V", None),
    ("VFWCVT__F__X__V", None),
    ("VFNCVT__F__F__W", None),
    ("VFNCVT__ROD__F__F__W", None),
    ("VFNCVT__F__XU__W", None),
    ("VFMV__S__F", REGISTER),
    ("VFMV__V__F", REGISTER),
    ("VFMERGE__VFM", REGISTER),
    ("VFSLIDE1UP__VF", REGISTER),
    ("VFSLIDE1DOWN__VF", REGISTER),
];
/// Instructions that write a floating-point register, in place or by a call, with their sources.
const WRITING: [(&str, &[(&str, i64)]); 5] = [
    ("FADD__S", &[("rs1", 1), ("rs2", 2)]),
    ("FSGNJN__S", &[("rs1", 4), ("rs2", 4)]),
    ("FMIN__S", &[("rs1", 5), ("rs2", 6)]),
    ("FMV__W__X", &[("rs1", 17)]),
    ("VFMV__F__S", &[("vs2", 8)]),
];
const VECTOR: Option<&str> = Some("vs1");
const REGISTER: Option<&str> = Some("rs1");

/// Of elements of SEW.
fn format(sew: u32) -> Format {
    FORMATS[usize::from(sew == 3)]
}

/// Numbers of SEW, of a kind for most and another for one in sixteen.
fn lanes(kinds: (Kind, Kind), seed: u64, sew: u32) -> Vec<u8> {
    let number = |(index, random): (usize, u64)| {
        let kind = if index % 16 == 5 { kinds.1 } else { kinds.0 };
        format(sew).number(kind, random).to_le_bytes()[..1 << sew].to_vec()
    };
    randoms(seed).take(8192 >> sew).enumerate().flat_map(number).collect()
}

/// An instruction of a loop.
#[derive(Clone, Debug)]
struct Choice {
    form: u32,
    which: Index,
    registers: [i64; 4],
    masked: bool,
}

fn choice() -> impl Strategy<Value = Choice> {
    let group = || (2..8i64).prop_map(|group| 4 * group);
    let registers = (group(), group(), group(), 0..8i64).prop_map(|(d, a, b, f)| [d, a, b, f]);
    let parts = (0..54u32, any::<Index>(), registers, proptest::bool::weighted(0.25));
    parts.prop_map(|(form, which, registers, masked)| Choice { form, which, registers, masked })
}

fn word(program: &Program, Choice { form, which, registers: [d, a, b, f], masked }: &Choice) -> u32 {
    let module = program.module();
    let common = |name: &str, second: (&str, i64)| {
        let fields = [("vd", *d), ("vs2", *a), second, ("vm", i64::from(!masked))];
        encode(module, name, &fields)
    };
    match form {
        0..14 => common(&format!("{}__VV", which.get(&BINARY)), ("vs1", *b)),
        14..24 => common(&format!("{}__VF", which.get(&BINARY)), ("rs1", *f)),
        24..27 => common(&format!("{}__VF", which.get(&SCALAR)), ("rs1", *f)),
        27..29 => encode(module, "VFSQRT__V", &[("vd", *d), ("vs2", *a), ("vm", 1)]),
        29 => encode(module, "CSRRW", &[("rd", 0), ("csr", FFLAGS), ("rs1", 17)]),
        30 => encode(module, "CSRRW", &[("rd", 0), ("csr", FRM), ("rs1", 18)]),
        31 => encode(module, "CSRRW", &[("rd", 0), ("csr", MSTATUS), ("rs1", 19)]),
        48.. => {
            let (name, sources) = WRITING[which.index(WRITING.len())];
            encode(module, name, &[&[("rd", *f)][..], sources].concat())
        }
        _ => {
            let (name, second) = AT_ONCE[which.index(AT_ONCE.len())];
            let mut fields = match name {
                "VFMV__V__F" | "VFMV__S__F" => vec![("vd", *d)],
                "VFMERGE__VFM" => vec![("vd", *d), ("vs2", *a)],
                _ => vec![("vd", *d), ("vs2", *a), ("vm", i64::from(!masked))],
            };
            fields.extend(second.map(|second| (second, if second == "rs1" { *f } else { *b })));
            encode(module, name, &fields)
        }
    }
}

/// The loop of these instructions, after what `before` does once and beginning with what `again` does.
fn looped(program: &Program, before: &[u32], again: &[u32]) -> Vec<u32> {
    let module = program.module();
    let back = -4 * (again.len() as i64 + 1);
    let end = [
        encode(module, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]),
        encode(module, "BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", back)]),
        encode(module, "JAL", &[("rd", 0), ("imm", 0)]),
    ];
    [before, again, &end].concat()
}

/// Goes on after what is illegal.
fn handler(program: &Program) -> Vec<u32> {
    let module = program.module();
    vec![
        encode(module, "CSRRS", &[("rd", 30), ("csr", 0x341)]),
        encode(module, "ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
        encode(module, "CSRRW", &[("csr", 0x341), ("rs1", 30)]),
        encode(module, "MRET", &[]),
    ]
}

fn write(program: &Program, csr: i64, register: i64) -> u32 {
    encode(program.module(), "CSRRW", &[("rd", 0), ("csr", csr), ("rs1", register)])
}

#[test]
fn both_tiers_give_the_same_numbers_and_flags() {
    static PROGRAMS: [LazyLock<Program>; 2] =
        [LazyLock::new(|| program("rv64gcv")), LazyLock::new(|| program("rv32gcv"))];
    let shape = (
        2..4u32,
        select(&[7i64, 0, 0, 1, 2][..]),
        select(&[128, 256, 512][..]),
        select(&[u64::MAX, u64::MAX, 3, 8, 13, 0][..]),
    );
    let control = (
        select(&[0u64, 1, 1, 0x1f, 0x10][..]),
        select(&[0u64, 0, 0, 1, 4, 5][..]),
        select(&[0x7e00u64, 0x3e00, 0x1e00][..]),
        proptest::bool::weighted(0.2),
    );
    let case = (
        proptest::collection::vec(choice(), LENGTH),
        (kind(), kind(), any::<[u64; 2]>()),
        shape,
        control,
        (any::<[bool; 2]>(), 0..3u32, 3..40u64),
    );
    let seed = RngSeed::Fixed(0xf10a7);
    let config = Config { cases: CASES, rng_seed: seed, failure_persistence: None, ..Config::default() };
    let outcome =
        TestRunner::new(config).run(&case, |(choices, (kind, other, seeds), shape, control, more)| {
            let ((sew, lmul, vlen, length), (flags, rounding, status, is_restored)) = (shape, control);
            let ([ones, narrow], threshold, steps) = more;
            let program = &*PROGRAMS[usize::from(narrow)];
            // All elements, a few or none.
            let wanted = if length == u64::MAX { 0 } else { 6 };
            let zimm = lmul | i64::from(sew) << 3 | 0xc0;
            let setting = encode(program.module(), "VSETVLI", &[("rd", 5), ("rs1", wanted), ("zimm", zimm)]);
            let before = [write(program, FFLAGS, 16), write(program, FRM, 18), setting];
            // The unit's state is then as at its start in each round.
            let mut again: Vec<u32> = is_restored.then(|| write(program, MSTATUS, 19)).into_iter().collect();
            again.extend(choices.iter().map(|choice| word(program, choice)));
            let mut x = vec![0; 32];
            (x[6], x[16], x[17], x[18], x[19]) = (length, flags, flags ^ 1, rounding, status);
            x[ROUNDS as usize] = 7;
            let floats = (0..8u32).map(|register| {
                let number = format(sew).number(kind, seeds[0].rotate_left(9 * register));
                // One is not boxed.
                if sew == 2 && register != 3 { number | 0xffff_ffff << 32 } else { number }
            });
            let setup = Setup {
                vlen,
                fill: if ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
                x,
                floats: floats.collect(),
                lanes: lanes((kind, other), seeds[1], sew),
                handler: handler(program),
                ..Setup::new(program, looped(program, &before, &again))
            };
            setup.assert_equal_tiers(steps, 300 / steps + 2, threshold);
            Ok(())
        });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// The product lies so far below the smallest normal number that it underflows, but is rounded to it.
#[test]
fn what_was_rounded_up_to_the_smallest_normal_number_has_underflowed() {
    let program = program("rv64gcv");
    let module = program.module();
    for (sew, factor, below_two) in
        [(2, 0xffff_ffff_0040_0000_u64, 0x3fff_ffff_u64), (3, 1 << 51, 0x3fff_ffff_ffff_ffff)]
    {
        let setting = encode(module, "VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", 0xc0 | sew << 3)]);
        let product = encode(module, "VFMUL__VF", &[("vd", 8), ("vs2", 16), ("rs1", 1), ("vm", 1)]);
        let words = looped(&program, &[setting], &[write(&program, FFLAGS, 16), product]);
        let mut x = vec![0; 32];
        (x[16], x[ROUNDS as usize]) = (1, 20);
        let lanes = below_two.to_le_bytes()[..1 << sew].iter().copied().cycle().take(512).collect();
        let setup = Setup { x, floats: vec![0, factor], lanes, ..Setup::new(&program, words) };
        setup.assert_equal_tiers(30, 8, 1);
    }
}

/// The first and the last number of each class, with either sign.
#[test]
fn every_class_to_its_edges() {
    let program = program("rv64gcv");
    let module = program.module();
    for (sew, least, infinity) in [(2, 1_u64 << 23, 0xff_u64 << 23), (3, 1 << 52, 0x7ff << 52)] {
        let (sign, quiet) = (1_u64 << ((8 << sew) - 1), infinity | least >> 1);
        let firsts = [0, 1, least, infinity, infinity + 1, quiet, sign];
        let edges = firsts.into_iter().flat_map(|first| [first, first.wrapping_sub(1) & (sign - 1)]);
        let all: Vec<u64> = edges.flat_map(|edge| [edge, edge ^ sign]).collect();
        let setting = encode(module, "VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", 0xc0 | sew << 3)]);
        let classes = (0..14)
            .map(|group| encode(module, "VFCLASS__V", &[("vd", 16 + group), ("vs2", 1 + group), ("vm", 1)]));
        let again: Vec<u32> = [write(&program, FFLAGS, 16)].into_iter().chain(classes).collect();
        let mut x = vec![0; 32];
        x[ROUNDS as usize] = 20;
        let lanes = all.iter().flat_map(|number| number.to_le_bytes()[..1 << sew].to_vec()).cycle().take(512);
        let setup =
            Setup { x, lanes: lanes.collect(), ..Setup::new(&program, looped(&program, &[setting], &again)) };
        setup.assert_equal_tiers(60, 6, 1);
    }
}

/// Numbers of every interval of the tables of estimates, with exponents that are odd and even, least and largest.
#[test]
fn estimates_of_all_intervals() {
    let program = program("rv64gcv");
    let module = program.module();
    for (sew, fraction, infinity) in [(2_i64, 23, 0xff_u64), (3, 52, 0x7ff)] {
        for exponent in [0, 1, 2, infinity / 2, infinity / 2 + 1, infinity - 3, infinity - 2, infinity - 1] {
            for (half, low) in [(0_u64, 0_u64), (0, 1), (1, 0), (1, u64::MAX)] {
                // As many as there are elements in sixteen registers of 512 bits, or half as many.
                let number = |index: u64| {
                    let low = low & ((1 << (fraction - 7)) - 1);
                    let sign = ((index / 128) & 1) << (fraction + if sew == 2 { 8 } else { 11 });
                    sign | exponent << fraction | ((index + half) % 128) << (fraction - 7) | low
                };
                let lanes =
                    (0..2048_u64 >> sew).flat_map(|index| number(index).to_le_bytes()[..1 << sew].to_vec());
                let setting = encode(module, "VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", 0xc0 | sew << 3)]);
                let each = (0..8).flat_map(|group| {
                    ["VFREC7__V", "VFRSQRT7__V"].map(|name| {
                        let a = group + if name == "VFREC7__V" { 0 } else { 8 };
                        [
                            encode(module, name, &[("vd", 24), ("vs2", a), ("vm", 1)]),
                            encode(
                                module,
                                "VXOR__VV",
                                &[("vd", 16 + group), ("vs2", 24), ("vs1", 16 + group), ("vm", 1)],
                            ),
                            encode(module, "VADD__VV", &[("vd", 25), ("vs2", 24), ("vs1", 25), ("vm", 1)]),
                        ]
                    })
                });
                let again: Vec<u32> =
                    [write(&program, FFLAGS, 16)].into_iter().chain(each.flatten()).collect();
                let mut x = vec![0; 32];
                x[ROUNDS as usize] = 8;
                let setup = Setup {
                    vlen: 512,
                    x,
                    lanes: lanes.collect(),
                    ..Setup::new(&program, looped(&program, &[setting], &again))
                };
                setup.assert_equal_tiers(150, 4, 1);
            }
        }
    }
}
