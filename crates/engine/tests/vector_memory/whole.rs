//! `vl<n>re<eew>.v`, `vs<n>r.v`.

use crate::guest::program;
use crate::hart::{DATA, END, Hart, VL, VSTART, VTYPE, pattern};
use crate::{LENGTHS, WIDTHS};

#[test]
fn whole_registers_need_no_vtype() {
    for isa in WIDTHS {
        let program = program(isa);
        for vlen in LENGTHS {
            for count in [1usize, 2, 4, 8] {
                for eew in [8, 16, 32, 64] {
                    let mut hart = Hart::with_ones(&program, vlen);
                    let bytes = count * vlen as usize / 8;
                    let source = pattern(bytes + 8, 19);
                    hart.put(DATA, &source);
                    hart.set_v(16, &[0x55; 1]);
                    hart.machine.hart.set_x(5, DATA + 1);
                    hart.machine.hart.set_x(6, DATA + 0x2_0000);
                    let top = program.isa().xlen().bits() - 1;
                    assert_eq!((hart.csr(VTYPE), hart.csr(VL)), (1 << top, 0), "vill");
                    hart.op(&format!("VL{count}RE{eew}__V"), &[("vd", 8), ("rs1", 5)]).expect("legal");
                    assert_eq!(hart.v(8, bytes), source[1..=bytes], "{isa} {vlen} {count} {eew}");
                    hart.op(&format!("VS{count}R__V"), &[("vs3", 8), ("rs1", 6)]).expect("legal");
                    assert_eq!(hart.memory(DATA + 0x2_0000, bytes), source[1..=bytes]);
                }
            }
        }
    }
}

#[test]
fn vstart_counts_elements_of_the_encoded_width() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    let source = pattern(32, 20);
    hart.put(DATA, &source);
    hart.machine.hart.set_x(5, DATA);
    hart.set_csr(VSTART, 3);
    hart.op("VL2RE64__V", &[("vd", 2), ("rs1", 5)]).expect("legal");
    assert_eq!(hart.v(2, 32), [&[0; 24], &source[24..]].concat());
    hart.machine.hart.set_x(6, DATA + 64);
    hart.set_csr(VSTART, 30);
    hart.op("VS2R__V", &[("vs3", 2), ("rs1", 6)]).expect("legal");
    assert_eq!(hart.memory(DATA + 64, 32), [&[0; 30], &source[30..]].concat());
    assert_eq!(hart.csr(VSTART), 0);
}

#[test]
fn a_fault_leaves_its_element_in_vstart() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    let source = pattern(20, 21);
    hart.put(END - 20, &source);
    hart.machine.hart.set_x(5, END - 20);
    let fault = hart.op("VL2RE32__V", &[("vd", 2), ("rs1", 5)]).expect_err("past the end");
    assert_eq!((fault.exception.cause, fault.exception.value), (5, END));
    assert_eq!(hart.csr(VSTART), 5);
    assert_eq!(hart.v(2, 32), [&source[..], &[0; 12]].concat());
}
