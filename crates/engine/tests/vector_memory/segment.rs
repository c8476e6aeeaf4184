//! Segments of two to eight fields, in every way of addressing.

use crate::guest::program;
use crate::hart::{DATA, Hart, UNDISTURBED, VSTART, pattern};
use crate::{LENGTHS, WIDTHS};

/// Field `field` of `count` segments of `fields` fields of `bytes` bytes.
fn field_of(memory: &[u8], step: usize, field: usize, bytes: usize, count: usize) -> Vec<u8> {
    (0..count).flat_map(|index| &memory[index * step + field * bytes..][..bytes]).copied().collect()
}

#[test]
fn fields_go_to_groups_of_their_own() {
    let program = program(WIDTHS[1]);
    for vlen in LENGTHS {
        for nf in 2..=8usize {
            for lmul in [-2i64, 0, 1, 2] {
                let registers = 1 << lmul.max(0);
                if nf * registers > 8 {
                    continue;
                }
                let count = if lmul < 0 { vlen as usize / 64 } else { vlen as usize / 16 * registers };
                let mut hart = Hart::new(&program, vlen);
                hart.configure(16, lmul, UNDISTURBED, count);
                let source = pattern(2 * nf * count, 12);
                hart.put(DATA, &source);
                hart.machine.hart.set_x(5, DATA);
                hart.machine.hart.set_x(6, DATA + 0x2_0000);
                let nf_field = nf as i64 - 1;
                hart.op("VLSEGE16__V", &[("vd", 8), ("rs1", 5), ("vm", 1), ("nf", nf_field)]).expect("legal");
                for field in 0..nf {
                    let expected = field_of(&source, 2 * nf, field, 2, count);
                    assert_eq!(hart.v(8 + field * registers, 2 * count), expected, "{vlen} {nf} {field}");
                }
                hart.op("VSSEGE16__V", &[("vs3", 8), ("rs1", 6), ("vm", 1), ("nf", nf_field)])
                    .expect("legal");
                assert_eq!(hart.memory(DATA + 0x2_0000, source.len()), source, "{vlen} {nf}");
            }
        }
    }
}

#[test]
fn strided_segments() {
    let program = program(WIDTHS[0]);
    let mut hart = Hart::new(&program, 256);
    hart.configure(32, 0, UNDISTURBED, 8);
    let source = pattern(256, 13);
    hart.put(DATA, &source);
    for (register, value) in [(5, DATA), (6, 20), (7, DATA + 1024)] {
        hart.machine.hart.set_x(register, value);
    }
    hart.op("VLSSEGE32__V", &[("vd", 3), ("rs1", 5), ("rs2", 6), ("vm", 1), ("nf", 2)]).expect("legal");
    for field in 0..3 {
        assert_eq!(hart.v(3 + field, 32), field_of(&source, 20, field, 4, 8));
    }
    hart.op("VSSSEGE32__V", &[("vs3", 3), ("rs1", 7), ("rs2", 6), ("vm", 1), ("nf", 2)]).expect("legal");
    for (index, segment) in source.chunks(20).take(8).enumerate() {
        assert_eq!(hart.memory(DATA + 1024 + 20 * index as u64, 12), segment[..12]);
    }
}

#[test]
fn indexed_segments() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(32, 0, UNDISTURBED, 4);
    let source = pattern(256, 14);
    let offsets = [96u8, 0, 33, 200];
    hart.put(DATA, &source);
    hart.set_v(2, &offsets);
    hart.machine.hart.set_x(5, DATA);
    hart.machine.hart.set_x(6, DATA + 1024);
    for order in ["U", "O"] {
        let load = format!("VL{order}XSEGEI8__V");
        let store = format!("VS{order}XSEGEI8__V");
        hart.op(&load, &[("vd", 8), ("rs1", 5), ("vs2", 2), ("vm", 1), ("nf", 1)]).expect("legal");
        for field in 0..2 {
            let expected: Vec<u8> = offsets
                .iter()
                .flat_map(|&offset| &source[usize::from(offset) + 4 * field..][..4])
                .copied()
                .collect();
            assert_eq!(hart.v(8 + field, 16), expected);
        }
        hart.op(&store, &[("vs3", 8), ("rs1", 6), ("vs2", 2), ("vm", 1), ("nf", 1)]).expect("legal");
        for offset in offsets.map(u64::from) {
            assert_eq!(hart.memory(DATA + 1024 + offset, 8), hart.memory(DATA + offset, 8));
        }
    }
}

#[test]
fn masks_and_vstart_are_of_whole_segments() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(32, 0, UNDISTURBED, 3);
    let source = pattern(32, 15);
    hart.put(DATA, &source);
    hart.set_v(0, &[0b101]);
    hart.machine.hart.set_x(5, DATA);
    hart.set_csr(VSTART, 1);
    hart.op("VLSEGE32__V", &[("vd", 8), ("rs1", 5), ("nf", 1)]).expect("legal");
    assert_eq!(hart.v(8, 16), [&[0; 8][..], &source[16..20], &[0; 4]].concat());
    assert_eq!(hart.v(9, 16), [&[0; 8][..], &source[20..24], &[0; 4]].concat());
}
