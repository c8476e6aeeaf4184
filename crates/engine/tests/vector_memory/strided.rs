//! `vlse`, `vsse`.

use crate::guest::program;
use crate::hart::{DATA, Hart, UNDISTURBED, pattern};
use crate::{LENGTHS, WIDTHS};

#[test]
fn elements_lie_a_stride_apart() {
    for isa in WIDTHS {
        let program = program(isa);
        for vlen in LENGTHS {
            for stride in [-12i64, -4, 0, 4, 7] {
                let mut hart = Hart::new(&program, vlen);
                let count = vlen as usize / 32;
                hart.configure(32, 0, UNDISTURBED, count);
                hart.put(DATA - 0x8000, &pattern(0x1_0000, 10));
                let base = DATA as i64;
                hart.machine.hart.set_x(5, DATA);
                hart.machine.hart.set_x(6, stride as u64 & program.isa().xlen().mask());
                hart.op("VLSE32__V", &[("vd", 8), ("rs1", 5), ("rs2", 6), ("vm", 1)]).expect("legal");
                let expected: Vec<u8> = (0..count as i64)
                    .flat_map(|index| hart.memory((base + index * stride) as u64, 4))
                    .collect();
                assert_eq!(hart.v(8, count * 4), expected, "{isa} {vlen} {stride}");
            }
        }
    }
}

#[test]
fn stores_go_in_order() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    hart.configure(16, 0, UNDISTURBED, 8);
    let source = pattern(16, 11);
    hart.set_v(4, &source);
    hart.machine.hart.set_x(5, DATA);
    hart.machine.hart.set_x(6, 3);
    hart.op("VSSE16__V", &[("vs3", 4), ("rs1", 5), ("rs2", 6), ("vm", 1)]).expect("legal");
    for (index, element) in source.chunks(2).enumerate() {
        assert_eq!(hart.memory(DATA + 3 * index as u64, 3), [element, &[0]].concat());
    }
    // With a stride of zero, the last element stays.
    hart.machine.hart.set_x(5, DATA + 64);
    hart.op("VSSE16__V", &[("vs3", 4), ("rs1", 5), ("rs2", 0), ("vm", 1)]).expect("legal");
    assert_eq!(hart.memory(DATA + 64, 4), [&source[14..], &[0, 0]].concat());
}
