//! `vstart`, `vxsat`, `vxrm`, `vcsr`, `vl`, `vtype`, `vlenb`, and what `mstatus` and `misa` say.

use crate::guest::program;
use crate::hart::{Hart, MSTATUS, UNDISTURBED, VL, VSTART, VTYPE};
use crate::{LENGTHS, WIDTHS};
use hart::csr::Clock;

const VXSAT: u64 = 0x009;
const VXRM: u64 = 0x00a;
const VCSR: u64 = 0x00f;
const VLENB: u64 = 0xc22;
const MISA: u64 = 0x301;

const VS: u64 = 3 << 9;
const INITIAL: u64 = 1 << 9;

#[test]
fn fields_that_are_not_there_read_as_zero() {
    for isa in WIDTHS {
        let program = program(isa);
        for vlen in LENGTHS {
            let mut hart = Hart::new(&program, vlen);
            for (number, held) in [(VSTART, u64::from(vlen) - 1), (VXSAT, 1), (VXRM, 3), (VCSR, 7)] {
                hart.set_csr(number, u64::MAX);
                assert_eq!(hart.csr(number), held, "{number:#x}");
            }
            assert_eq!(hart.csr(VLENB), u64::from(vlen) / 8);
        }
    }
}

#[test]
fn vcsr_shows_rounding_mode_and_saturation() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    for value in 0..8 {
        hart.set_csr(VCSR, value);
        assert_eq!((hart.csr(VXRM), hart.csr(VXSAT)), (value >> 1, value & 1));
        hart.set_csr(VXSAT, 1);
        hart.set_csr(VXRM, 2);
        assert_eq!(hart.csr(VCSR), 5);
    }
}

#[test]
fn length_and_type_are_read_only() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(16, 1, UNDISTURBED, 9);
    assert_eq!((hart.csr(VL), hart.csr(VTYPE)), (9, 1 << 3 | 1));
    for number in [VL, VTYPE, VLENB] {
        let csr = number as i64;
        let fault = hart.op("CSRRW", &[("rd", 1), ("rs1", 2), ("csr", csr)]).expect_err("read-only");
        assert_eq!(fault.exception.cause, 2);
        hart.op("CSRRS", &[("rd", 1), ("csr", csr)]).expect("readable");
    }
}

#[test]
fn reading_leaves_the_state_clean_and_writing_makes_it_dirty() {
    for isa in WIDTHS {
        let program = program(isa);
        let sd = 1 << (program.isa().xlen().bits() - 1);
        for (name, operands, dirty) in [
            ("CSRRS", &[("rd", 1), ("csr", VL as i64)][..], false),
            ("CSRRS", &[("rd", 1), ("csr", VSTART as i64)], false),
            ("CSRRW", &[("rd", 1), ("csr", VSTART as i64)], true),
            ("CSRRWI", &[("uimm", 1), ("csr", VXRM as i64)], true),
            ("VSETVLI", &[("rd", 1), ("rs1", 0)], true),
        ] {
            let mut hart = Hart::new(&program, 128);
            hart.set_csr(MSTATUS, INITIAL);
            hart.op(name, operands).expect("legal");
            let mstatus = hart.csr(MSTATUS);
            assert_eq!(mstatus & (VS | sd), if dirty { VS | sd } else { INITIAL }, "{isa} {name}");
        }
    }
}

#[test]
fn without_a_vector_unit_there_are_none() {
    for isa in ["rv32gc", "rv64gc"] {
        let program = program(isa);
        let mut machine = crate::guest::Code::new(&program).nops(1).machine();
        machine.hart.write_csr(MSTATUS, VS, Clock::default()).expect("writable");
        assert_eq!(machine.hart.read_csr(MSTATUS, Clock::default()).expect("readable") & VS, 0);
        for number in [VSTART, VXSAT, VXRM, VCSR, VL, VTYPE, VLENB] {
            assert!(machine.hart.read_csr(number, Clock::default()).is_err(), "{number:#x}");
            assert!(machine.hart.write_csr(number, 0, Clock::default()).is_err(), "{number:#x}");
        }
    }
}

#[test]
fn misa_names_v() {
    for (isa, has) in [("rv64gcv", true), ("rv64imac_zve64x", false), ("rv64gc", false)] {
        let program = program(isa);
        let mut machine = crate::guest::Code::new(&program).nops(1).machine();
        let misa = machine.hart.read_csr(MISA, Clock::default()).expect("readable");
        assert_eq!(misa >> (b'v' - b'a') & 1 == 1, has, "{isa}");
    }
}
