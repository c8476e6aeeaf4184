//! `vle`, `vse` and the mask's `vlm`, `vsm`.

use crate::guest::program;
use crate::hart::{DATA, Hart, TOHOST, UNDISTURBED, VSTART, pattern};
use crate::{LENGTHS, WIDTHS};
use engine::Stop;

#[test]
fn every_width_at_every_element_width() {
    for isa in WIDTHS {
        let program = program(isa);
        for vlen in LENGTHS {
            for (eew, sew) in
                [8u32, 16, 32, 64].into_iter().flat_map(|eew| [8, 16, 32, 64].map(|sew| (eew, sew)))
            {
                let mut hart = Hart::new(&program, vlen);
                hart.configure(sew, 0, UNDISTURBED, (vlen / sew.max(eew)) as usize);
                let bytes = (vlen / sew.max(eew) * eew / 8) as usize;
                let source = pattern(bytes, 1);
                hart.put(DATA + 3, &source);
                hart.machine.hart.set_x(5, DATA + 3);
                hart.machine.hart.set_x(6, DATA + 0x1_0001);
                hart.op(&format!("VLE{eew}__V"), &[("vd", 8), ("rs1", 5), ("vm", 1)]).expect("legal");
                assert_eq!(hart.v(8, bytes), source, "{isa} {vlen} {eew} {sew}");
                hart.op(&format!("VSE{eew}__V"), &[("vs3", 8), ("rs1", 6), ("vm", 1)]).expect("legal");
                let mut expected = vec![0];
                expected.extend(source);
                expected.push(0);
                assert_eq!(hart.memory(DATA + 0x1_0000, bytes + 2), expected, "{isa} {vlen} {eew} {sew}");
            }
        }
    }
}

#[test]
fn a_group_of_eight_registers() {
    let program = program(WIDTHS[1]);
    for vlen in LENGTHS {
        let mut hart = Hart::new(&program, vlen);
        hart.configure(32, 3, UNDISTURBED, vlen as usize / 4);
        let source = pattern(vlen as usize, 2);
        hart.put(DATA, &source);
        hart.machine.hart.set_x(5, DATA);
        hart.op("VLE32__V", &[("vd", 24), ("rs1", 5), ("vm", 1)]).expect("legal");
        assert_eq!(hart.v(24, vlen as usize), source);
    }
}

#[test]
fn vstart_and_vl_bound_what_is_touched() {
    let program = program(WIDTHS[0]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(16, 1, UNDISTURBED, 11);
    let (source, old) = (pattern(32, 3), pattern(32, 4));
    hart.put(DATA, &source);
    hart.set_v(2, &old);
    hart.machine.hart.set_x(5, DATA);
    hart.machine.hart.set_x(6, DATA + 64);
    hart.set_csr(VSTART, 4);
    hart.op("VLE16__V", &[("vd", 2), ("rs1", 5), ("vm", 1)]).expect("legal");
    let expected = [&old[..8], &source[8..22], &old[22..]].concat();
    assert_eq!(hart.v(2, 32), expected);
    assert_eq!(hart.csr(VSTART), 0);
    hart.set_csr(VSTART, 10);
    hart.op("VSE16__V", &[("vs3", 2), ("rs1", 6), ("vm", 1)]).expect("legal");
    assert_eq!(hart.memory(DATA + 64, 32), [&[0; 20][..], &source[20..22], &[0; 10][..]].concat());
    // At vl or past it nothing happens, wherever the address.
    for vstart in [11, 12, 15] {
        hart.set_csr(VSTART, vstart);
        hart.op("VLE16__V", &[("vd", 2), ("vm", 1)]).expect("no access");
        assert_eq!((hart.v(2, 32), hart.csr(VSTART)), (expected.clone(), 0));
    }
}

#[test]
fn masked_off_elements_are_neither_read_nor_written() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(32, 0, UNDISTURBED, 4);
    let (source, old) = (pattern(16, 5), pattern(16, 6));
    hart.put(DATA, &source);
    hart.set_v(0, &[0b0101]);
    hart.set_v(2, &old);
    hart.machine.hart.set_x(5, DATA);
    hart.machine.hart.set_x(6, DATA + 64);
    hart.op("VLE32__V", &[("vd", 2), ("rs1", 5)]).expect("legal");
    assert_eq!(hart.v(2, 16), [&source[..4], &old[4..8], &source[8..12], &old[12..]].concat());
    hart.op("VSE32__V", &[("vs3", 2), ("rs1", 6)]).expect("legal");
    let stored = [&source[..4], &[0; 4], &source[8..12], &[0; 4]].concat();
    assert_eq!(hart.memory(DATA + 64, 16), stored);
}

#[test]
fn masks_have_a_bit_for_each_element_and_no_type() {
    let program = program(WIDTHS[1]);
    for vlen in LENGTHS {
        for (vl, bytes) in [(1, 1), (8, 1), (9, 2), (vlen as usize / 4, vlen as usize / 32)] {
            let mut hart = Hart::new(&program, vlen);
            hart.configure(32, 3, UNDISTURBED, vl);
            let (source, old) = (pattern(bytes, 7), pattern(vlen as usize / 8, 8));
            hart.put(DATA, &source);
            // An odd register: the group size of vtype does not matter.
            hart.set_v(3, &old);
            hart.machine.hart.set_x(5, DATA);
            hart.machine.hart.set_x(6, DATA + 0x1_0000);
            hart.op("VLM__V", &[("vd", 3), ("rs1", 5)]).expect("legal");
            assert_eq!(hart.v(3, vlen as usize / 8), [&source[..], &old[bytes..]].concat());
            hart.op("VSM__V", &[("vs3", 3), ("rs1", 6)]).expect("legal");
            assert_eq!(hart.memory(DATA + 0x1_0000, bytes + 1), [&source[..], &[0]].concat());
        }
    }
}

#[test]
fn a_store_into_tohost_reaches_the_host() {
    for isa in WIDTHS {
        let program = program(isa);
        let word = (42u64 << 1 | 1).to_le_bytes();
        // By one element, by eight, and in the middle of a longer store.
        for (sew, lmul, before) in [(64, 0, 0), (8, 0, 0), (8, 3, 40), (32, 1, 8)] {
            let mut hart = Hart::new(&program, 128);
            let bytes = before + 8;
            hart.configure(sew, lmul, UNDISTURBED, bytes * 8 / sew as usize);
            hart.set_v(8, &[&vec![0; before][..], &word].concat());
            hart.machine.hart.set_x(5, TOHOST - before as u64);
            let store = crate::guest::encode(
                program.module(),
                &format!("VSE{sew}__V"),
                &[("vs3", 8), ("rs1", 5), ("vm", 1)],
            );
            assert_eq!(hart.try_word(store), Stop::Exit(42), "{isa} {sew} {before}");
        }
    }
}

#[test]
fn addresses_wrap_on_rv32() {
    let program = program(WIDTHS[0]);
    let mut hart = Hart::new(&program, 128);
    hart.machine.memory.add_region(hart::Address(0xffff_f000), 0x1000).expect("a small memory");
    hart.machine.memory.add_region(hart::Address(0), 0x1000).expect("a small memory");
    hart.configure(32, 0, UNDISTURBED, 4);
    let source = pattern(16, 9);
    hart.put(0xffff_fff8, &source[..8]);
    hart.put(0, &source[8..]);
    hart.machine.hart.set_x(5, 0xffff_fff8);
    hart.op("VLE32__V", &[("vd", 2), ("rs1", 5), ("vm", 1)]).expect("legal");
    assert_eq!(hart.v(2, 16), source);
}
