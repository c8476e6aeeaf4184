//! Floating-point instructions on elements where the unit is off, untouched, clean or changed, in each rounding mode and
//! in those that are none.

use engine::{Blind, Limits};
use hart::csr::Clock;
use jit::Jit;

use crate::Setup;
use crate::guest::{BASE, Screen, encode, program};
use crate::ieee;
use crate::numbers::randoms;

/// With its form, and the field of the second operand.
const ALL: [(&str, Option<&str>); 14] = [
    ("VMFLT__VV", Some("vs1")),
    ("VMFEQ__VF", Some("rs1")),
    ("VFMIN__VV", Some("vs1")),
    ("VFMAX__VF", Some("rs1")),
    ("VFSGNJ__VV", Some("vs1")),
    ("VFSGNJX__VF", Some("rs1")),
    ("VFCVT__X__F__V", None),
    ("VFCVT__XU__F__V", None),
    ("VFCVT__RTZ__X__F__V", None),
    ("VFCVT__RTZ__XU__F__V", None),
    ("VFCVT__F__X__V", None),
    ("VFCVT__F__XU__V", None),
    ("VFREC7__V", None),
    ("VFREDMAX__VS", Some("vs1")),
];
/// `mstatus.FS`: off, initial, clean, dirty.
const STATES: [u64; 4] = [0x1e00, 0x3e00, 0x5e00, 0x7e00];
/// Register with the number of exceptions.
const COUNT: i64 = 27;

#[test]
fn states_and_rounding_modes() {
    for (sew, isa) in [(2_u32, "rv64gcv"), (3, "rv64gcv"), (2, "rv32gcv"), (3, "rv32gcv")] {
        let program = program(isa);
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let vtype = 0xc0 | i64::from(sew) << 3;
        let mut words = vec![op("VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", vtype)])];
        for ((name, second), d) in ALL.into_iter().zip(18..) {
            let mut fields = vec![("vd", d), ("vs2", 8), ("vm", 1)];
            fields.extend(second.map(|second| (second, 9)));
            words.push(op(name, &fields));
        }
        words.push(op("JAL", &[]));
        let handler = vec![
            op("ADDI", &[("rd", COUNT), ("rs1", COUNT), ("imm", 1)]),
            op("CSRRS", &[("rd", 30), ("csr", 0x341)]),
            op("ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
            op("CSRRW", &[("csr", 0x341), ("rs1", 30)]),
            op("MRET", &[]),
        ];
        let numbers = [1.5, 2.0, 1.0e6, 0.25, 40.0, 0.0, 7.5, 3.0].map(|number| ieee::bits(sew, number));
        let lanes = |seed: u64| -> Vec<u8> {
            let lane = |random: u64| numbers[random as usize >> 8 & 7].to_le_bytes()[..1 << sew].to_vec();
            randoms(seed).take(512 >> sew).flat_map(lane).collect()
        };
        let floats = vec![!ieee::mask(sew) | numbers[0]; 32];
        let setup = Setup { handler, floats, lanes: lanes(1), ..Setup::new(&program, words) };
        let (mut interpreted, mut compiled) = (setup.machine(), setup.machine());
        compiled.set_compiler(Box::new(Jit::new().after(1)));
        let combinations = STATES.into_iter().flat_map(|status| (0..8).map(move |frm| (status, frm)));
        // The usual ones first and last.
        let usual = [(0x7e00, 0); 3];
        for (status, frm) in usual.into_iter().chain(combinations).chain(usual) {
            for (flags, seed) in [(0, 1), (1, 2), (0x1f, 3)] {
                for machine in [&mut interpreted, &mut compiled] {
                    let hart = &mut machine.hart;
                    for (register, bytes) in lanes(seed).chunks_exact(16).enumerate() {
                        hart.vector.register_mut(register).copy_from_slice(bytes);
                    }
                    for (csr, value) in [(0x300, 0x7e00), (1, flags), (2, frm), (0x300, status)] {
                        hart.write_csr(csr, value, Clock::default()).expect("a writable register");
                    }
                    hart.set_x(COUNT as u16, 0);
                    hart.set_pc(BASE);
                    let retired = hart.retired();
                    // To the end, at which it stays.
                    let limits = Limits { instructions: Some(retired + 90) };
                    machine.run(limits, &mut Blind, &mut Screen::default());
                }
                setup.assert_same_state(&mut interpreted, &mut compiled);
                // "Even those that do not depend on the rounding mode."
                let illegal = if status == STATES[0] || frm > 4 { ALL.len() as u64 } else { 0 };
                assert_eq!(compiled.hart.x(COUNT as u16), illegal, "mstatus {status:#x}, frm {frm}");
            }
        }
    }
}
