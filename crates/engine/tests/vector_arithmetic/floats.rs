//! What vectors of floating-point numbers need, and what a register that holds no boxed number stands for. Their
//! arithmetic is that of scalars, and compared with other simulators.

use engine::Stop;
use hart::Exception;

use crate::guest::{self, Code};

const FRM: u16 = 0x002;
const MSTATUS: u16 = 0x300;
const BOTH_UNITS: u64 = 0x6600;
const VECTORS: u64 = 0x0600;
const ONE: u64 = 0xffff_ffff_3f80_0000;

/// What one instruction leaves in v8, with one element of 2^(3 + `sew`) bits and this rounding mode, or the rule it
/// breaks. f10 and the first doubleword of v16 are given; v24 is zero.
fn executed(
    isa: &str,
    (name, fields): (&str, &[(&str, i64)]),
    sew: u64,
    frm: u64,
    status: u64,
    f10: u64,
) -> Result<u64, &'static str> {
    let program = guest::program(isa);
    let mut code = Code::new(&program)
        .op("CSRRS", &[("rd", 0), ("csr", MSTATUS.into()), ("rs1", 5)])
        .csrrw(0, FRM, 13)
        .op("CSRRW", &[("rd", 0), ("csr", MSTATUS.into()), ("rs1", 6)])
        .op("VSETVL", &[("rd", 0), ("rs1", 10), ("rs2", 11)]);
    code = code.op(name, fields);
    let mut machine = code.nops(1).machine();
    for (register, value) in [(5, BOTH_UNITS), (6, status), (10, 1), (11, sew << 3), (13, frm)] {
        machine.hart.set_x(register, value);
    }
    machine.hart.float.set_raw(10, f10);
    machine.hart.vector.register_mut(16)[..8].copy_from_slice(&ONE.to_le_bytes());
    match guest::run(&mut machine, 5) {
        Stop::InstructionLimit => {
            let bytes: [u8; 8] = machine.hart.vector.register(8)[..8].try_into().expect("eight bytes");
            Ok(u64::from_le_bytes(bytes))
        }
        Stop::Fault(fault) if fault.exception.cause == Exception::ILLEGAL => Err(fault.rule.expect("a rule")),
        stop => panic!("{stop:?}"),
    }
}

const ADD: (&str, &[(&str, i64)]) = ("VFADD__VF", &[("vd", 8), ("vs2", 16), ("rs1", 10), ("vm", 1)]);
const MERGE: (&str, &[(&str, i64)]) = ("VFMV__V__F", &[("vd", 8), ("rs1", 10)]);
const WIDER: (&str, &[(&str, i64)]) = ("VFWCVT__F__F__V", &[("vd", 8), ("vs2", 16), ("vm", 1)]);
const TO_ODD: (&str, &[(&str, i64)]) = ("VFNCVT__ROD__F__F__W", &[("vd", 8), ("vs2", 16), ("vm", 1)]);
const BRAIN: (&str, &[(&str, i64)]) = ("VFWMACCBF16__VF", &[("vd", 8), ("vs2", 24), ("rs1", 10), ("vm", 1)]);

#[test]
fn both_units_are_on_and_frm_is_valid() {
    assert_eq!(executed("rv64gcv", ADD, 2, 0, BOTH_UNITS, ONE), Ok(0x4000_0000));
    let off = "the floating-point unit is off: mstatus.FS is 0";
    for instruction in [ADD, MERGE, WIDER] {
        assert_eq!(executed("rv64gcv", instruction, 2, 0, VECTORS, ONE), Err(off));
        for frm in [5, 6, 7] {
            let found = executed("rv64gcv", instruction, 2, frm, BOTH_UNITS, ONE);
            assert_eq!(found, Err("frm holds a reserved rounding mode"), "even if it does not round");
        }
    }
}

#[test]
fn formats_are_those_of_the_extensions() {
    let half = "vectors of half precision need Zvfh, or Zvfhmin to be converted to single precision";
    let double = "vectors of double precision need V or Zve64d";
    let none = "there is no floating-point format of this width: SEW, or 2 SEW where it is wider";
    for (isa, instruction, sew, rule) in [
        ("rv64gcv", ADD, 0, Some(none)),
        ("rv64gcv", ADD, 1, Some(half)),
        ("rv64gcv_zvfhmin", ADD, 1, Some(half)),
        ("rv64gcv_zvfh", ADD, 1, None),
        ("rv64gcv_zvfhmin", WIDER, 1, None),
        ("rv64gcv_zvfhmin", TO_ODD, 1, Some(half)),
        ("rv64gcv_zvfh", TO_ODD, 1, None),
        ("rv64gcv", WIDER, 3, Some(none)),
        ("rv64gc_zve64f", ADD, 2, None),
        ("rv64gc_zve64f", ADD, 3, Some(double)),
        ("rv64gc_zve64f", WIDER, 2, Some(double)),
        ("rv64gc_zve64d", ADD, 3, None),
        ("rv64gcv_zvfbfwma", BRAIN, 1, None),
        ("rv64gcv_zvfbfwma", BRAIN, 2, Some("BF16 instructions are defined for SEW = 16 only")),
    ] {
        let found = executed(isa, instruction, sew, 0, BOTH_UNITS, ONE);
        assert_eq!(found.err(), rule, "{isa}, {instruction:?}, SEW {}", 8 << sew);
    }
}

#[test]
fn what_is_not_boxed_is_the_canonical_nan_of_the_instruction_s_format() {
    let unboxed = 0x3f80_0000;
    assert_eq!(executed("rv64gcv", MERGE, 2, 0, BOTH_UNITS, unboxed), Ok(0x7fc0_0000));
    assert_eq!(executed("rv64gcv_zvfh", MERGE, 1, 0, BOTH_UNITS, unboxed), Ok(0x7e00));
    assert_eq!(executed("rv64gcv", MERGE, 3, 0, BOTH_UNITS, unboxed), Ok(unboxed), "nothing is boxed");
    assert_eq!(executed("rv64gcv_zvfbfwma", BRAIN, 1, 0, BOTH_UNITS, unboxed), Ok(0x7fc0_0000));
    // 1.0 of BF16 times 0.
    assert_eq!(executed("rv64gcv_zvfbfwma", BRAIN, 1, 0, BOTH_UNITS, 0xffff_ffff_ffff_3f80), Ok(0));
}
