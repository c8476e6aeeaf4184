//! Reserved uses of the instructions on element groups: each is an illegal instruction that names its rule.

use crate::ISA;
use crate::guest::program;
use crate::unit::{Op, Registers, Setting, execute};

/// One register each.
const PLAIN: [(&str, &[(&str, i64)]); 8] = [
    ("VAESEM__VV", &[("vd", 8), ("vs2", 16)]),
    ("VAESEM__VS", &[("vd", 8), ("vs2", 16)]),
    ("VAESKF1__VI", &[("vd", 8), ("vs2", 16)]),
    ("VGHSH__VV", &[("vd", 8), ("vs2", 16), ("vs1", 24)]),
    ("VGMUL__VV", &[("vd", 8), ("vs2", 16)]),
    ("VSM4R__VS", &[("vd", 8), ("vs2", 16)]),
    ("VSM4K__VI", &[("vd", 8), ("vs2", 16)]),
    ("VSHA2MS__VV", &[("vd", 8), ("vs2", 16), ("vs1", 24)]),
];
const SM3: [(&str, &[(&str, i64)]); 2] =
    [("VSM3ME__VV", &[("vd", 8), ("vs2", 16), ("vs1", 24)]), ("VSM3C__VI", &[("vd", 8), ("vs2", 16)])];

#[track_caller]
fn refused(isa: &str, setting: Setting, op: Op<'_>, rule: &str) {
    let registers = Registers::random(setting.vlen, 11);
    let result = execute(&program(isa), setting, &registers, &[op]);
    let found = result.map(|_| "no fault");
    assert_eq!(found.unwrap_or_else(|rule| rule), rule, "{op:?} {setting:?}");
}

#[track_caller]
fn accepted(isa: &str, setting: Setting, op: Op<'_>) {
    let registers = Registers::random(setting.vlen, 12);
    let result = execute(&program(isa), setting, &registers, &[op]);
    assert!(result.is_ok(), "{op:?} {setting:?}: {result:?}");
}

#[test]
fn each_has_its_element_width() {
    for op in PLAIN.into_iter().take(7).chain(SM3) {
        for sew in [8, 16, 64] {
            let setting = Setting::new(1024, sew);
            refused(ISA, setting, op, "the instruction is defined for SEW = 32 only");
        }
    }
    for sew in [8, 16] {
        let rule = "SHA-2 instructions are defined for SEW = 32 and SEW = 64 only";
        refused(ISA, Setting::new(1024, sew), PLAIN[7], rule);
    }
}

#[test]
fn sha_512_needs_zvknhb() {
    let setting = Setting::new(256, 64);
    accepted("rv64gcv_zvknhb", setting, PLAIN[7]);
    let rule = "SHA-2 instructions need Zvknhb for SEW = 64 (SHA-512)";
    refused("rv64gcv_zvknha", setting, PLAIN[7], rule);
}

#[test]
fn the_element_group_must_fit_even_if_vl_is_zero() {
    let narrow = "LMUL times VLEN must be at least 128 bits, the width of the element group";
    let wide = "LMUL times VLEN must be at least 256 bits, the width of the element group";
    for vl in [0, 2] {
        for op in PLAIN {
            let half = Setting { vl, ..Setting::new(128, 32).with_lmul(-1) };
            refused(ISA, half, op, narrow);
            accepted(ISA, Setting { vl: 0, ..Setting::new(256, 32).with_lmul(-1) }, op);
        }
        for op in SM3 {
            refused(ISA, Setting { vl, ..Setting::new(128, 32) }, op, wide);
            accepted(ISA, Setting { vl: 0, ..Setting::new(256, 32) }, op);
        }
        refused(ISA, Setting { vl, ..Setting::new(128, 64) }, PLAIN[7], wide);
    }
}

#[test]
fn vl_and_vstart_are_whole_element_groups() {
    for op in PLAIN {
        for odd in [1, 2, 3, 5] {
            let setting = Setting { vl: odd, ..Setting::new(256, 32) };
            refused(ISA, setting, op, "vl must be a multiple of 4, the size of the element group");
            let setting = Setting { vstart: odd, ..Setting::new(256, 32) };
            refused(ISA, setting, op, "vstart must be a multiple of 4, the size of the element group");
        }
    }
    for op in SM3 {
        for odd in [1, 4, 12] {
            let setting = Setting { vl: odd, ..Setting::new(512, 32) };
            refused(ISA, setting, op, "vl must be a multiple of 8, the size of the element group");
            let setting = Setting { vstart: odd, ..Setting::new(512, 32) };
            refused(ISA, setting, op, "vstart must be a multiple of 8, the size of the element group");
        }
    }
}

#[test]
fn registers_are_aligned() {
    let rule = "a register group must begin at a register number that is a multiple of its EMUL";
    for lmul in 1..=3 {
        let setting = Setting::new(256, 32).with_lmul(lmul);
        for (name, fields) in PLAIN.into_iter().chain(SM3) {
            for misaligned in 0..fields.len() {
                let mut fields = fields.to_vec();
                fields[misaligned].1 += 1;
                if name.ends_with("__VS") && misaligned == 1 {
                    accepted(ISA, setting, (name, &fields));
                } else {
                    refused(ISA, setting, (name, &fields), rule);
                }
            }
        }
    }
}

#[test]
fn a_scalar_element_group_wider_than_a_register_is_aligned() {
    let rule = "a register group must begin at a register number that is a multiple of its EMUL";
    for (vlen, lmul, registers) in [(64, 1, 2), (64, 3, 2), (32, 2, 4), (32, 3, 4)] {
        let setting = Setting::new(vlen, 32).with_lmul(lmul);
        for name in ["VAESEM__VS", "VAESZ__VS", "VSM4R__VS"] {
            accepted(ISA, setting, (name, &[("vd", 8), ("vs2", 16 + registers)]));
            refused(ISA, setting, (name, &[("vd", 8), ("vs2", 16 + registers / 2)]), rule);
        }
    }
}

#[test]
fn the_destination_stays_off_certain_sources() {
    let scalar = "the destination register group must not overlap the scalar element group in vs2";
    let sources = "the destination register group must not overlap that of vs1 or vs2";
    let vs2 = "the destination register group must not overlap that of vs2";
    for lmul in [0, 1, 3] {
        let setting = Setting::new(256, 32).with_lmul(lmul);
        for name in ["VAESEM__VS", "VAESEF__VS", "VAESDM__VS", "VAESDF__VS", "VAESZ__VS", "VSM4R__VS"] {
            let last = 8 + (1 << lmul) - 1;
            for inside in [8, last] {
                refused(ISA, setting, (name, &[("vd", 8), ("vs2", inside)]), scalar);
            }
            for outside in [7, last + 1] {
                accepted(ISA, setting, (name, &[("vd", 8), ("vs2", outside)]));
            }
        }
        for name in ["VSHA2MS__VV", "VSHA2CH__VV", "VSHA2CL__VV"] {
            refused(ISA, setting, (name, &[("vd", 8), ("vs2", 8), ("vs1", 16)]), sources);
            refused(ISA, setting, (name, &[("vd", 8), ("vs2", 16), ("vs1", 8)]), sources);
            accepted(ISA, setting, (name, &[("vd", 8), ("vs2", 16), ("vs1", 16)]));
        }
        refused(ISA, setting, ("VSM3ME__VV", &[("vd", 8), ("vs2", 8), ("vs1", 16)]), vs2);
        accepted(ISA, setting, ("VSM3ME__VV", &[("vd", 8), ("vs2", 16), ("vs1", 8)]));
        refused(ISA, setting, ("VSM3C__VI", &[("vd", 8), ("vs2", 8)]), vs2);
    }
}

#[test]
fn masked_forms_are_no_instructions() {
    let program = program(ISA);
    for instruction in &program.module().instructions {
        let name = instruction.name.as_str();
        let major = instruction.encoding.value & 0x7f;
        if major == 0x77 {
            assert_eq!(instruction.encoding.value >> 25 & 1, 1, "{name} has vm = 1");
            assert_eq!(instruction.encoding.mask >> 25 & 1, 1, "{name} has no masked form");
        }
    }
}
