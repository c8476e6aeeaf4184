//! Fault-only-first loads.

use crate::WIDTHS;
use crate::guest::program;
use crate::hart::{AGNOSTIC, DATA, END, Hart, UNDISTURBED, VL, VSTART, pattern};

#[test]
fn a_load_without_fault_is_an_ordinary_one() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 256);
    hart.configure(16, 1, UNDISTURBED, 30);
    let source = pattern(60, 22);
    hart.put(DATA, &source);
    hart.machine.hart.set_x(5, DATA);
    hart.op("VLE16FF__V", &[("vd", 2), ("rs1", 5), ("vm", 1)]).expect("legal");
    assert_eq!((hart.v(2, 60), hart.csr(VL)), (source, 30));
}

#[test]
fn a_later_fault_trims_vl() {
    for isa in WIDTHS {
        let program = program(isa);
        for masked in [false, true] {
            let mut hart = Hart::new(&program, 128);
            hart.configure(32, 1, UNDISTURBED, 8);
            hart.set_v(0, &[0xff]);
            let (source, old) = (pattern(12, 23), pattern(32, 24));
            hart.put(END - 12, &source);
            hart.set_v(2, &old);
            hart.machine.hart.set_x(5, END - 12);
            let fields = [("vd", 2), ("rs1", 5), ("vm", i64::from(!masked))];
            hart.op("VLE32FF__V", &fields).expect("trimmed");
            assert_eq!((hart.csr(VL), hart.csr(VSTART)), (3, 0));
            assert_eq!(hart.v(2, 32), [&source[..], &old[12..]].concat());
        }
    }
}

#[test]
fn elements_past_the_trimmed_length_are_tail() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::with_ones(&program, 128);
    hart.configure(32, 1, AGNOSTIC, 8);
    let source = pattern(12, 25);
    hart.put(END - 12, &source);
    hart.machine.hart.set_x(5, END - 12);
    hart.op("VLE32FF__V", &[("vd", 2), ("rs1", 5), ("vm", 1)]).expect("trimmed");
    assert_eq!(hart.v(2, 32), [&source[..], &[0xff; 20]].concat());
}

#[test]
fn a_fault_of_element_0_traps() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(32, 1, UNDISTURBED, 8);
    hart.machine.hart.set_x(5, END - 3);
    let fault = hart.op("VLE32FF__V", &[("vd", 2), ("rs1", 5), ("vm", 1)]).expect_err("a fault");
    assert_eq!((fault.exception.cause, fault.exception.value), (5, END - 3));
    assert_eq!((hart.csr(VL), hart.csr(VSTART)), (8, 0));
    // Masked off, it cannot fault; the next one trims.
    hart.set_v(0, &[0xfe]);
    hart.op("VLE32FF__V", &[("vd", 2), ("rs1", 5)]).expect("trimmed");
    assert_eq!(hart.csr(VL), 1);
}

#[test]
fn segments_are_trimmed_as_a_whole() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(32, 0, UNDISTURBED, 4);
    let source = pattern(28, 26);
    hart.put(END - 28, &source);
    hart.machine.hart.set_x(5, END - 28);
    hart.op("VLSEGE32FF__V", &[("vd", 2), ("rs1", 5), ("vm", 1), ("nf", 2)]).expect("trimmed");
    assert_eq!(hart.csr(VL), 2);
    assert_eq!(hart.v(3, 8), [&source[4..8], &source[16..20]].concat());
}
