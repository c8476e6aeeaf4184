//! `vsetvli`, `vsetivli`, `vsetvl`.

use crate::guest::program;
use crate::hart::{Hart, VL, VSTART, VTYPE};
use crate::{LENGTHS, WIDTHS};

/// `vsetvli x1, x2, zimm`: `vl` afterwards.
fn vsetvli(hart: &mut Hart<'_>, avl: u64, zimm: i64) -> u64 {
    hart.machine.hart.set_x(2, avl);
    hart.op("VSETVLI", &[("rd", 1), ("rs1", 2), ("zimm", zimm)]).expect("legal");
    assert_eq!(hart.machine.hart.x(1), hart.csr(VL));
    hart.csr(VL)
}

#[test]
fn the_length_is_what_fits() {
    for isa in WIDTHS {
        let program = program(isa);
        for vlen in LENGTHS {
            let mut hart = Hart::new(&program, vlen);
            for (zimm, longest) in [
                (0x00, vlen / 8),
                (0x03, vlen),
                (0x13, vlen / 4),
                (0x18, vlen / 64),
                (0x05, vlen / 64),
                (0x0f, vlen / 32),
            ] {
                let longest = u64::from(longest);
                let all = program.isa().xlen().mask();
                for (avl, vl) in [(0, 0), (1, 1), (longest, longest), (longest + 1, longest), (all, longest)]
                {
                    assert_eq!(vsetvli(&mut hart, avl, zimm), vl, "{isa} {vlen} {zimm:#x} {avl}");
                    assert_eq!(hart.csr(VTYPE), zimm as u64);
                }
                hart.op("VSETVLI", &[("rd", 1), ("zimm", zimm)]).expect("legal");
                assert_eq!(hart.csr(VL), longest, "with x0 as length, the longest");
            }
        }
    }
}

#[test]
fn an_immediate_length() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    for (uimm, vl) in [(0, 0), (4, 4), (31, 4)] {
        hart.op("VSETIVLI", &[("rd", 1), ("uimm", uimm), ("zimm", 0xd0)]).expect("legal");
        assert_eq!((hart.csr(VL), hart.machine.hart.x(1), hart.csr(VTYPE)), (vl, vl, 0xd0));
    }
}

#[test]
fn the_length_is_kept_where_neither_register_is_named() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    assert_eq!(vsetvli(&mut hart, 3, 0x10), 3);
    // e64, m2: as many elements.
    hart.op("VSETVLI", &[("zimm", 0x19)]).expect("legal");
    assert_eq!((hart.csr(VL), hart.csr(VTYPE)), (3, 0x19));
    // e64, m1: fewer, which is reserved.
    hart.op("VSETVLI", &[("zimm", 0x18)]).expect("legal");
    assert_eq!((hart.csr(VL), hart.csr(VTYPE)), (0, 1 << 63));
}

#[test]
fn settings_that_are_not_supported_set_vill() {
    for (isa, vlen, zimm) in [
        ("rv64gcv", 128, 0x04),
        ("rv64gcv", 128, 0x20),
        ("rv64gcv", 128, 0x38),
        ("rv64gcv", 128, 0x100),
        ("rv64gcv", 128, 0x400),
        // LMUL below SEW/ELEN.
        ("rv64gcv", 128, 0x1f),
        ("rv64gcv", 128, 0x16),
        ("rv32imac_zve32x", 64, 0x18),
        ("rv32imac_zve32x", 64, 0x05),
    ] {
        let program = program(isa);
        let mut hart = Hart::new(&program, vlen);
        assert_eq!(vsetvli(&mut hart, 8, zimm), 0, "{isa} {zimm:#x}");
        assert_eq!(hart.csr(VTYPE), 1 << (program.isa().xlen().bits() - 1), "{isa} {zimm:#x}");
        hart.set_csr(VSTART, 1);
        assert_eq!(vsetvli(&mut hart, 1, 0), 1, "and a supported one clears it");
        assert_eq!((hart.csr(VTYPE), hart.csr(VSTART)), (0, 0));
    }
}

#[test]
fn vsetvl_takes_what_was_read_from_vtype() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut hart = Hart::new(&program, 256);
        let vill = 1u64 << (program.isa().xlen().bits() - 1);
        for (vtype, vl) in [(0xd0, 8), (vill, 0), (vill | 0xd0, 0), (0x19, 8), (1 << 9, 0)] {
            hart.machine.hart.set_x(2, 100);
            hart.machine.hart.set_x(3, vtype);
            hart.op("VSETVL", &[("rd", 1), ("rs1", 2), ("rs2", 3)]).expect("legal");
            assert_eq!(hart.csr(VL), vl, "{isa} {vtype:#x}");
            assert_eq!(hart.csr(VTYPE), if vl == 0 { vill } else { vtype });
        }
    }
}
