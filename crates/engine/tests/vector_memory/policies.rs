//! Tail and masked-off elements under every policy, left alone or filled with ones.

use crate::guest::program;
use crate::hart::{DATA, Hart, pattern};
use crate::{LENGTHS, WIDTHS};

const TAIL: i64 = 0x40;
const MASK: i64 = 0x80;

/// A load of 16-bit elements: its name, a further operand, and the number of fields.
type Load = (&'static str, Option<(&'static str, i64)>, usize);

const LOADS: [Load; 5] = [
    ("VLE16__V", None, 1),
    ("VLSE16__V", Some(("rs2", 6)), 1),
    ("VLUXEI16__V", Some(("vs2", 24)), 1),
    ("VLSEGE16__V", Some(("nf", 2)), 3),
    ("VLE16FF__V", None, 1),
];

#[test]
fn agnostic_elements_become_ones_only_if_asked() {
    let program = program(WIDTHS[1]);
    for vlen in LENGTHS {
        for (name, extra, fields) in LOADS {
            for (ones, policy, masked) in (0..16)
                .map(|bits| (bits & 1 == 1, [0, TAIL, MASK, TAIL | MASK][bits >> 1 & 3], bits >> 3 == 1))
            {
                let mut hart = if ones { Hart::with_ones(&program, vlen) } else { Hart::new(&program, vlen) };
                let (group, vl) = (vlen as usize / 4, vlen as usize / 16 + 3);
                hart.configure(16, 1, policy, vl);
                let (source, old) = (pattern(2 * vl * fields, 32), pattern(group * fields, 33));
                hart.put(DATA, &source);
                hart.set_v(8, &old);
                hart.set_v(0, &vec![0b1010_1010; vlen as usize / 8]);
                let offsets: Vec<u8> =
                    (0..vlen as usize / 8).flat_map(|index| (2 * index as u16).to_le_bytes()).collect();
                hart.set_v(24, &offsets);
                hart.machine.hart.set_x(5, DATA);
                hart.machine.hart.set_x(6, 2);
                let operands: Vec<_> =
                    [("vd", 8), ("rs1", 5), ("vm", i64::from(!masked))].into_iter().chain(extra).collect();
                hart.op(name, &operands).expect("legal");
                for field in 0..fields {
                    let found = hart.v(8 + 2 * field, group);
                    for index in 0..group / 2 {
                        let (before, loaded) = (
                            &old[field * group + 2 * index..][..2],
                            source.get(2 * (index * fields + field)..2 * (index * fields + field) + 2),
                        );
                        let choose = |agnostic| if ones && agnostic { &[0xff; 2][..] } else { before };
                        let expected = if index >= vl {
                            choose(policy & TAIL != 0)
                        } else if masked && index % 2 == 0 {
                            choose(policy & MASK != 0)
                        } else {
                            loaded.expect("an element of the body")
                        };
                        let found = &found[2 * index..][..2];
                        assert_eq!(
                            found, expected,
                            "{name} {vlen} {policy:#x} {masked} {ones} {field} {index}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_tail_of_a_fraction_reaches_to_the_end_of_its_register() {
    let program = program(WIDTHS[0]);
    let mut hart = Hart::with_ones(&program, 128);
    hart.configure(8, -2, TAIL, 3);
    let source = pattern(3, 34);
    hart.put(DATA, &source);
    hart.machine.hart.set_x(5, DATA);
    hart.op("VLE8__V", &[("vd", 3), ("rs1", 5), ("vm", 1)]).expect("legal");
    assert_eq!(hart.v(3, 17), [&source[..], &[0xff; 13], &[0]].concat());
    // A mask's tail is agnostic whatever vtype says; that of no element at all stays.
    hart.configure(8, -2, 0, 3);
    hart.op("VLM__V", &[("vd", 4), ("rs1", 5)]).expect("legal");
    assert_eq!(hart.v(4, 17), [&source[..1], &[0xff; 15], &[0]].concat());
    hart.configure(8, -2, TAIL, 0);
    for name in ["VLE8__V", "VLE8FF__V"] {
        hart.op(name, &[("vd", 5), ("rs1", 5), ("vm", 1)]).expect("legal");
        assert_eq!(hart.v(5, 16), [0; 16]);
    }
}
