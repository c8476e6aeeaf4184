//! `vluxei`, `vloxei`, `vsuxei`, `vsoxei`.

use crate::WIDTHS;
use crate::guest::program;
use crate::hart::{DATA, Hart, UNDISTURBED, pattern};

/// Offsets as elements of `width` bits.
fn offsets(values: &[u64], width: usize) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()[..width / 8].to_vec()).collect()
}

#[test]
fn every_index_width_with_every_element_width() {
    let values = [200u64, 3, 3, 96, 255, 0, 17, 128];
    for isa in WIDTHS {
        let program = program(isa);
        for (index, sew) in
            [8usize, 16, 32, 64].into_iter().flat_map(|index| [8, 16, 32, 64].map(|sew| (index, sew)))
        {
            if index == 64 && isa.starts_with("rv32") {
                continue;
            }
            for order in ["U", "O"] {
                let mut hart = Hart::new(&program, 512);
                hart.configure(sew as u32, 0, UNDISTURBED, 8);
                let source = pattern(512, 16);
                hart.put(DATA, &source);
                hart.set_v(16, &offsets(&values, index));
                hart.machine.hart.set_x(5, DATA);
                hart.machine.hart.set_x(6, DATA + 1024);
                let fields = [("vd", 8), ("rs1", 5), ("vs2", 16), ("vm", 1)];
                hart.op(&format!("VL{order}XEI{index}__V"), &fields).expect("legal");
                let expected: Vec<u8> = values
                    .iter()
                    .flat_map(|&offset| &source[offset as usize..][..sew / 8])
                    .copied()
                    .collect();
                assert_eq!(hart.v(8, sew), expected, "{isa} {index} {sew}");
                let fields = [("vs3", 8), ("rs1", 6), ("vs2", 16), ("vm", 1)];
                hart.op(&format!("VS{order}XEI{index}__V"), &fields).expect("legal");
                for offset in [200, 96, 17] {
                    let stored = hart.memory(DATA + 1024 + offset, sew / 8);
                    assert_eq!(stored, hart.memory(DATA + offset, sew / 8), "{isa} {index} {sew}");
                }
            }
        }
    }
}

#[test]
fn offsets_are_unsigned_and_sums_wrap() {
    for isa in WIDTHS {
        let program = program(isa);
        let mut hart = Hart::new(&program, 128);
        hart.configure(32, 0, UNDISTURBED, 2);
        let source = pattern(16, 17);
        hart.put(DATA, &source);
        // 0xffff_fff0 + x5 wraps on RV32; on RV64 the base is chosen so that the sum is right.
        let base = DATA.wrapping_sub(0xffff_fff0) & program.isa().xlen().mask();
        hart.machine.hart.set_x(5, base);
        hart.set_v(2, &offsets(&[0xffff_fff0, 0xffff_fff8], 32));
        hart.op("VLUXEI32__V", &[("vd", 4), ("rs1", 5), ("vs2", 2), ("vm", 1)]).expect("legal");
        assert_eq!(hart.v(4, 8), [&source[..4], &source[8..12]].concat(), "{isa}");
    }
}

#[test]
fn offsets_may_be_overwritten_by_what_they_name() {
    let program = program(WIDTHS[1]);
    let mut hart = Hart::new(&program, 128);
    let source = pattern(64, 18);
    hart.put(DATA, &source);
    hart.machine.hart.set_x(5, DATA);
    let values = [60u64, 8, 24, 0];
    let expected: Vec<u8> = values.iter().flat_map(|&at| &source[at as usize..][..4]).copied().collect();
    // Of one width: the same group.
    hart.configure(32, 0, UNDISTURBED, 4);
    hart.set_v(4, &offsets(&values, 32));
    hart.op("VLUXEI32__V", &[("vd", 4), ("rs1", 5), ("vs2", 4), ("vm", 1)]).expect("legal");
    assert_eq!(hart.v(4, 16), expected);
    // Wider offsets: their lowest-numbered registers.
    hart.set_v(4, &offsets(&values, 64));
    hart.op("VLUXEI64__V", &[("vd", 4), ("rs1", 5), ("vs2", 4), ("vm", 1)]).expect("legal");
    assert_eq!(hart.v(4, 16), expected);
    // Narrower offsets: the highest-numbered registers of the data.
    hart.configure(32, 1, UNDISTURBED, 8);
    let values: Vec<u64> = (0..8).map(|index| (index * 23) % 60).collect();
    let expected: Vec<u8> = values.iter().flat_map(|&at| &source[at as usize..][..4]).copied().collect();
    hart.set_v(5, &offsets(&values, 16));
    hart.op("VLUXEI16__V", &[("vd", 4), ("rs1", 5), ("vs2", 5), ("vm", 1)]).expect("legal");
    assert_eq!(hart.v(4, 32), expected);
}
