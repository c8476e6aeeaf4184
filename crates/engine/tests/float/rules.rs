//! When instructions are illegal, and what they leave in `fcsr` and `mstatus`.

use engine::{Machine, Program, Stop};
use hart::Exception;
use hart::csr::Clock;

use crate::guest::{self, Code, DATA, run, with_fields};
use crate::{narrow, wide};

const FFLAGS: u16 = 1;
const FRM: u16 = 2;
const FCSR: u16 = 3;
const MSTATUS: u16 = 0x300;
const FS_INITIAL: u64 = 1 << 13;
const FS_DIRTY: u64 = 3 << 13;
const ONE: u64 = 0xffff_ffff_3f80_0000;
const THREE: u64 = 0xffff_ffff_4040_0000;
const SIGNALING: u64 = 0xffff_ffff_7f80_0001;

fn set(machine: &mut Machine<'_>, csr: u16, value: u64) {
    machine.hart.write_csr(csr.into(), value, Clock::default()).expect("a writable register");
}

fn get(machine: &mut Machine<'_>, csr: u16) -> u64 {
    machine.hart.read_csr(csr.into(), Clock::default()).expect("a readable register")
}

/// One instruction with f1 = 1, f2 = 3, and x1 an address of data.
fn machine<'p>(program: &'p Program, name: &str, fields: &[(&str, i64)]) -> Machine<'p> {
    let mut machine = Code::new(program).op(name, fields).nops(2).machine();
    machine.hart.float.set_raw(1, ONE);
    machine.hart.float.set_raw(2, THREE);
    machine.hart.set_x(1, DATA);
    machine
}

fn rule(stop: Stop) -> Option<&'static str> {
    match stop {
        Stop::Fault(fault) if fault.exception.cause == Exception::ILLEGAL => fault.rule,
        other => panic!("{other:?}"),
    }
}

const BINARY: [(&str, i64); 4] = [("rd", 3), ("rs1", 1), ("rs2", 2), ("rm", 7)];

/// "Zfinx" and "Zdinx" Extensions.
#[test]
fn in_integer_registers_nothing_is_switched_off_and_pairs_are_even() {
    let program = guest::program("rv32i_zdinx");
    let added = |fields: [(&str, i64); 4]| {
        let mut machine =
            Code::new(&program).op("FADD__D", &fields).csrr(20, 0x001).csrr(21, 0x300).machine();
        // 1 and 3 in double precision; above x0 stands something else.
        for (register, value) in [(1, 77), (10, 0), (11, 0x3ff0_0000), (12, 0), (13, 0x4008_0000)] {
            machine.hart.set_x(register, value);
        }
        let stop = run(&mut machine, 3);
        (stop, [1, 10, 11, 14, 15, 20, 21].map(|register| machine.hart.x(register)))
    };
    let fields = |rd, rs1, rs2| [("rd", rd), ("rs1", rs1), ("rs2", rs2), ("rm", 7)];
    let (stop, [_, _, _, low, high, flags, status]) = added(fields(14, 10, 12));
    assert_eq!((stop, low, high, flags), (Stop::InstructionLimit, 0, 0x4010_0000, 0));
    assert_eq!(status & 3 << 13, 0, "FS stays zero");
    // x0 is a zero of 64 bits, and discards as many.
    let (_, [_, low, high, ..]) = added(fields(10, 0, 12));
    assert_eq!((low, high), (0, 0x4008_0000));
    let (_, [second, ..]) = added(fields(0, 10, 12));
    assert_eq!(second, 77);
    for odd in [fields(15, 10, 12), fields(14, 11, 12), fields(14, 10, 13)] {
        assert_eq!(rule(added(odd).0), Some("an operand of two registers begins with an odd one"));
    }
}

#[test]
fn every_instruction_needs_the_unit_on() {
    for program in [narrow(), wide()] {
        let sets = [
            "FloatSingle",
            "FloatDouble",
            "RVF",
            "RVD",
            "Zcf",
            "Zcd",
            "Zfh",
            "ZfbfminZfhmin",
            "Zfhmin",
            "ZfhminD",
            "Zfa",
            "ZfaD",
            "ZfaZfh",
        ];
        let instructions = program.module().instructions.iter();
        let floating: Vec<_> =
            instructions.filter(|instruction| sets.contains(&instruction.set.as_str())).collect();
        assert!(floating.len() > 110, "{}", floating.len());
        for instruction in floating {
            for (status, off) in [(0, true), (FS_INITIAL, false)] {
                let word = with_fields(instruction, &[]);
                let code = Code::new(program);
                let code = if isa::is_wide(word) { code.word(word) } else { code.half(word as u16) };
                let mut machine = code.nops(2).machine();
                set(&mut machine, MSTATUS, status);
                // Every base register a load or store may name, with fields of zero.
                for base in [0, 2, 8] {
                    machine.hart.set_x(base, DATA);
                }
                let stop = run(&mut machine, 1);
                let absolute = ["FL", "FS"].iter().any(|start| instruction.name.starts_with(start))
                    && instruction.name.len() == 3;
                match stop {
                    Stop::Fault(fault) if off => {
                        assert_eq!(fault.exception.cause, 2, "{}", instruction.name);
                        assert!(fault.rule.is_some_and(|rule| rule.contains("mstatus.FS")));
                    }
                    // Loads and stores at address 0.
                    Stop::Fault(_) if absolute => {}
                    stop => assert_eq!(stop, Stop::InstructionLimit, "{}", instruction.name),
                }
            }
        }
    }
}

#[test]
fn its_registers_need_the_unit_on_too() {
    for program in [narrow(), wide()] {
        for csr in [FFLAGS, FRM, FCSR] {
            let mut machine = Code::new(program).csrr(5, csr).csrrw(0, csr, 5).machine();
            assert!(rule(run(&mut machine, 1)).is_some_and(|rule| rule.contains("mstatus.FS")));
            set(&mut machine, MSTATUS, FS_INITIAL);
            assert_eq!(run(&mut machine, 1), Stop::InstructionLimit);
            assert_eq!(get(&mut machine, MSTATUS) & FS_DIRTY, FS_INITIAL, "reading changes nothing");
            assert_eq!(run(&mut machine, 2), Stop::InstructionLimit);
            assert_eq!(get(&mut machine, MSTATUS) & FS_DIRTY, FS_DIRTY);
        }
    }
    let program = guest::program("rv64i_zicsr");
    let mut machine = Code::new(&program).csrr(5, FCSR).machine();
    set(&mut machine, MSTATUS, FS_DIRTY);
    assert_eq!(get(&mut machine, MSTATUS) & FS_DIRTY, 0);
    rule(run(&mut machine, 1));
}

#[test]
fn fcsr_has_two_fields_and_no_other_bits() {
    let program = wide();
    let mut machine = machine(program, "FADD__S", &BINARY);
    set(&mut machine, MSTATUS, FS_INITIAL);
    set(&mut machine, FCSR, u64::MAX);
    assert_eq!([FFLAGS, FRM, FCSR].map(|csr| get(&mut machine, csr)), [0x1f, 7, 0xff]);
    set(&mut machine, FFLAGS, 0xfffe);
    assert_eq!([FFLAGS, FRM, FCSR].map(|csr| get(&mut machine, csr)), [0x1e, 7, 0xfe]);
    set(&mut machine, FRM, 0xfffa);
    assert_eq!([FFLAGS, FRM, FCSR].map(|csr| get(&mut machine, csr)), [0x1e, 2, 0x5e]);
    set(&mut machine, FCSR, 0x61);
    assert_eq!([FFLAGS, FRM, FCSR].map(|csr| get(&mut machine, csr)), [1, 3, 0x61]);
}

#[test]
fn reserved_rounding_modes_are_illegal() {
    let program = wide();
    for name in ["FADD__S", "FMADD__S", "FSQRT__S", "FCVT__W__S", "FCVT__D__S", "FCVT__D__W", "FROUND__S"] {
        for (rm, frm, legal) in [
            (0, 0, true),
            (4, 0, true),
            (5, 0, false),
            (6, 0, false),
            (7, 0, true),
            (7, 4, true),
            (7, 5, false),
            (7, 6, false),
            (7, 7, false),
            (0, 7, true),
        ] {
            let mut machine = machine(program, name, &[("rd", 3), ("rs1", 1), ("rm", rm)]);
            set(&mut machine, MSTATUS, FS_INITIAL);
            set(&mut machine, FRM, frm);
            let stop = run(&mut machine, 1);
            if legal {
                assert_eq!(stop, Stop::InstructionLimit, "{name} {rm} {frm}");
            } else {
                assert!(rule(stop).is_some_and(|rule| rule.contains("reserved")), "{name} {rm} {frm}");
                assert_eq!(machine.hart.float.raw(3), 0);
            }
        }
    }
    // What has no rounding mode does not care.
    let mut machine = machine(program, "FSGNJ__S", &BINARY[..3]);
    set(&mut machine, MSTATUS, FS_INITIAL);
    set(&mut machine, FRM, 5);
    assert_eq!(run(&mut machine, 1), Stop::InstructionLimit);
}

#[test]
fn the_static_mode_counts_and_else_the_dynamic_one() {
    let program = narrow();
    for mode in 0..5 {
        let third = if matches!(mode, 1 | 2) { 0x3eaa_aaaa } else { 0x3eaa_aaab };
        for (rm, frm) in [(mode, 7), (7, mode)] {
            let fields = [("rd", 3), ("rs1", 1), ("rs2", 2), ("rm", rm)];
            let mut machine = machine(program, "FDIV__S", &fields);
            set(&mut machine, MSTATUS, FS_INITIAL);
            set(&mut machine, FRM, frm as u64);
            assert_eq!(run(&mut machine, 1), Stop::InstructionLimit);
            assert_eq!(machine.hart.float.raw(3), 0xffff_ffff_0000_0000 | third, "{rm} {frm}");
            assert_eq!(get(&mut machine, FFLAGS), 1);
        }
    }
}

#[test]
fn flags_accrue() {
    let program = narrow();
    let mut machine = Code::new(program)
        .op("FDIV__S", &BINARY)
        .op("FDIV__S", &[("rd", 3), ("rs1", 1), ("rs2", 4), ("rm", 7)])
        .op("FADD__S", &[("rd", 3), ("rs1", 1), ("rs2", 2), ("rm", 7)])
        .op("FSQRT__S", &[("rd", 3), ("rs1", 5), ("rm", 7)])
        .machine();
    set(&mut machine, MSTATUS, FS_INITIAL);
    machine.hart.float.set_raw(1, ONE);
    machine.hart.float.set_raw(2, THREE);
    machine.hart.float.set_raw(4, 0xffff_ffff_0000_0000);
    machine.hart.float.set_raw(5, SIGNALING);
    let mut seen = Vec::new();
    for count in 1..5 {
        assert_eq!(run(&mut machine, count), Stop::InstructionLimit);
        seen.push(get(&mut machine, FFLAGS));
    }
    assert_eq!(seen, [1, 9, 9, 25]);
}

#[test]
fn the_state_is_dirty_once_registers_or_flags_change() {
    for (program, summary) in [(narrow(), 1 << 31), (wide(), 1 << 63)] {
        for (name, fields, dirty) in [
            ("FADD__S", &BINARY[..], true),
            ("FSGNJ__S", &BINARY[..3], true),
            ("FLW", &[("rd", 3), ("rs1", 1), ("imm", 0)], true),
            ("FMV__W__X", &[("rd", 3), ("rs1", 1)], true),
            ("FSW", &[("rs2", 2), ("rs1", 1), ("imm", 0)], false),
            ("FMV__X__W", &[("rd", 3), ("rs1", 1)], false),
            ("FCLASS__S", &[("rd", 3), ("rs1", 1)], false),
            ("FEQ__S", &[("rd", 3), ("rs1", 1), ("rs2", 2)], false),
            ("FCVT__W__S", &[("rd", 3), ("rs1", 1), ("rm", 7)], false),
            // A signaling NaN raises a flag.
            ("FEQ__S", &[("rd", 3), ("rs1", 1), ("rs2", 6)], true),
            ("FCVT__W__S", &[("rd", 3), ("rs1", 6), ("rm", 7)], true),
        ] {
            let mut machine = machine(program, name, fields);
            machine.hart.float.set_raw(6, SIGNALING);
            set(&mut machine, MSTATUS, FS_INITIAL);
            assert_eq!(run(&mut machine, 1), Stop::InstructionLimit);
            let status = get(&mut machine, MSTATUS);
            let expected = if dirty { (FS_DIRTY, summary) } else { (FS_INITIAL, 0) };
            assert_eq!((status & FS_DIRTY, status & summary), expected, "{name} on {}", program.isa());
        }
    }
}
