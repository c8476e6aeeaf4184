//! Accesses that fault half-way, and what lets them go on.

use crate::WIDTHS;
use crate::guest::program;
use crate::hart::{DATA, END, Hart, UNDISTURBED, VSTART, pattern};

#[test]
fn elements_before_the_fault_are_loaded_and_the_rest_is_left() {
    for isa in WIDTHS {
        let program = program(isa);
        let (source, old) = (pattern(18, 27), pattern(32, 28));
        // Two bytes short of the fifth element.
        let start = END - 18;
        for (name, extra) in
            [("VLE32__V", None), ("VLSE32__V", Some(("rs2", 6))), ("VLUXEI8__V", Some(("vs2", 6)))]
        {
            for masked in [false, true] {
                let mut hart = Hart::with_ones(&program, 128);
                hart.configure(32, 1, UNDISTURBED, 8);
                hart.set_v(0, &[0xff]);
                hart.put(start, &source);
                hart.set_v(2, &old);
                hart.set_v(6, &[0, 4, 8, 12, 16, 20, 24, 28]);
                hart.machine.hart.set_x(5, start);
                hart.machine.hart.set_x(6, 4);
                let fields = [("vd", 2), ("rs1", 5), ("vm", i64::from(!masked))];
                let fields: Vec<_> = fields.into_iter().chain(extra).collect();
                let fault = hart.op(name, &fields).expect_err("past the end");
                assert_eq!((fault.exception.cause, fault.exception.value), (5, END - 2), "{isa} {name}");
                assert_eq!(fault.rule, None);
                assert_eq!(hart.csr(VSTART), 4);
                assert_eq!(hart.v(2, 32), [&source[..16], &old[16..]].concat(), "{isa} {name}");
            }
        }
    }
}

#[test]
fn elements_before_the_fault_are_stored() {
    for isa in WIDTHS {
        let program = program(isa);
        let source = pattern(32, 29);
        let start = END - 18;
        for (name, extra) in
            [("VSE32__V", None), ("VSSE32__V", Some(("rs2", 6))), ("VSOXEI8__V", Some(("vs2", 6)))]
        {
            let mut hart = Hart::new(&program, 128);
            hart.configure(32, 1, UNDISTURBED, 8);
            hart.set_v(2, &source);
            hart.set_v(6, &[0, 4, 8, 12, 16, 20, 24, 28]);
            hart.machine.hart.set_x(5, start);
            hart.machine.hart.set_x(6, 4);
            let fields: Vec<_> = [("vs3", 2), ("rs1", 5), ("vm", 1)].into_iter().chain(extra).collect();
            let fault = hart.op(name, &fields).expect_err("past the end");
            assert_eq!((fault.exception.cause, fault.exception.value), (7, END - 2), "{isa} {name}");
            assert_eq!(hart.csr(VSTART), 4);
            assert_eq!(hart.memory(start, 18), [&source[..16], &[0, 0]].concat());
        }
    }
}

#[test]
fn the_access_goes_on_where_it_stopped() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(32, 1, UNDISTURBED, 8);
    let source = pattern(32, 30);
    hart.put(END - 16, &source[..16]);
    hart.machine.hart.set_x(5, END - 16);
    let fields = [("vd", 2), ("rs1", 5), ("vm", 1)];
    hart.op("VLE32__V", &fields).expect_err("past the end");
    assert_eq!(hart.csr(VSTART), 4);
    // As a handler would that brings the page in.
    hart.machine.memory.add_region(hart::Address(END), 0x1000).expect("a small memory");
    hart.put(END, &source[16..]);
    hart.op("VLE32__V", &fields).expect("legal");
    assert_eq!((hart.v(2, 32), hart.csr(VSTART)), (source, 0));
}

#[test]
fn only_active_elements_fault() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(64, 0, UNDISTURBED, 2);
    hart.put(DATA, &pattern(16, 31));
    hart.set_v(0, &[0b01]);
    hart.set_v(2, &[&0u64.to_le_bytes()[..], &u64::MAX.to_le_bytes()].concat());
    hart.machine.hart.set_x(5, DATA);
    hart.op("VLOXEI64__V", &[("vd", 4), ("rs1", 5), ("vs2", 2)]).expect("the other is masked off");
    assert_eq!(hart.v(4, 16), [&hart.memory(DATA, 8)[..], &[0; 8]].concat());
    // Nor does anything with a length of zero.
    hart.configure(64, 0, UNDISTURBED, 0);
    hart.machine.hart.set_x(5, 0);
    for (name, register) in
        [("VLE64__V", "vd"), ("VSE64__V", "vs3"), ("VLSE64__V", "vd"), ("VLE64FF__V", "vd")]
    {
        hart.op(name, &[(register, 4), ("rs1", 5), ("vm", 1)]).expect("no access");
    }
}
