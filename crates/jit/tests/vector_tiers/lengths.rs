//! Loops over arrays: the longest `vl` in all rounds but the last, and any other there; against the model of the unit, and
//! both tiers where a round is interrupted.

use hart::AgnosticFill;
use hart::pages::Rights;

use crate::guest::{BASE, DATA, SIZE, encode, program};
use crate::looped::{ADDRESSES, Looped};
use crate::numbers::randoms;
use crate::rounds::{Length, WANTED, shape};
use crate::unit::{Step, addi, set, step};
use crate::{Setup, TOHOST};

const END: u64 = BASE + SIZE as u64;

/// What follows a setting of `vl`, of all kinds: what is done in place, by kernels and by calls.
fn body(sew: u32, lmul: i32, seed: u64) -> Vec<Step> {
    let group = 1 << lmul.max(0);
    let mut random = randoms(seed);
    let mut below = move |bound: u32| (random.next().unwrap_or(0) >> 20) as u32 % bound;
    let (bits, mut steps) = (8 << sew, Vec::new());
    for _ in 0..9 {
        let [d, a, b] = [(); 3].map(|()| 8 + below(24 / group) * group);
        let base = ADDRESSES + below(3);
        match below(16) {
            0 => steps.push(step(&format!("VLE{bits}__V"), d, 0, base)),
            1 => steps.push(step(&format!("VLE{bits}FF__V"), d, 0, base)),
            2 => steps.push(step(&format!("VSE{bits}__V"), d, 0, base)),
            3 => steps.push(step(&format!("VLE{bits}__V"), d, 0, base).masked()),
            4 if group <= 4 => {
                let d = d.min(32 - 2 * group);
                steps.push(Step { fields: 2, ..step(&format!("VSSEGE{bits}__V"), d, 0, base) });
            }
            5 => steps.push(step("VMSLTU__VV", 1, a, b)),
            6 => steps.push(step("VMADC__VX", 2, a, 20 + below(8))),
            7 => steps.push(step("VMAND__MM", 0, 1, 2)),
            8 => steps.push(step("VCPOP__M", 20 + below(8), 1, 0)),
            9 => steps.push(step("VFIRST__M", 20 + below(8), 2, 0)),
            10 => steps.push(step("VBREV8__V", d, a, 0)),
            11 => steps.push(addi(base, 8)),
            12 => steps.push(step("VXOR__VX", d, a, 20 + below(8)).masked()),
            // Scalars that a later instruction reads again.
            13 => steps.push(step("VADD__VX", d, a, base)),
            _ => steps.push(step(["VADD__VV", "VMUL__VV", "VMACC__VV"][below(3) as usize], d, a, b)),
        }
    }
    steps
}

/// Every length: in a loop that sets it each round, and before one.
#[test]
fn arrays_of_all_lengths() {
    let programs = ["rv64gcv_zvbb", "rv32gcv_zvbb"].map(program);
    let mut seed = 100;
    for vlen in [64, 128, 256] {
        for (sew, lmul) in (0..4).flat_map(|sew| (-1..=3).map(move |lmul| (sew, lmul))) {
            let Some((vlmax, _)) = shape(vlen, sew, lmul) else { continue };
            for sets_each_round in [true, false] {
                seed += 1;
                if (vlen + seed as u32) % 3 == 1 {
                    continue;
                }
                let (ones, paged) = (seed % 4 == 0, seed % 5 == 0);
                let program = &programs[seed as usize % 2];
                let steps = body(sew, lmul, seed);
                let length = Length::Register;
                let looped = Looped {
                    length,
                    sets_each_round,
                    ones,
                    paged,
                    ..Looped::new(program, vlen, (sew, lmul), steps)
                };
                // Without a setting, the first round's is of all.
                looped.check_with(|unit, round| {
                    if !sets_each_round && seed % 3 != 0 {
                        unit.x[WANTED as usize] = [vlmax / 2, 1, vlmax - 1, 0][seed as usize % 4];
                    } else if sets_each_round && seed % 2 == 0 {
                        unit.x[WANTED as usize] = [vlmax, 2, vlmax + 1, vlmax * 2, 3, vlmax][round];
                    }
                });
            }
        }
    }
}

/// `vtype` changes in a round, with as many elements as there were and with others.
#[test]
fn other_types_in_a_round() {
    let programs = ["rv64gcv_zvbb", "rv32gcv_zvbb"].map(program);
    for seed in 0..16_u64 {
        let vlen = [128, 256][seed as usize / 2 % 2];
        let (sew, lmul) = [(0, 0), (1, 1), (2, 1), (1, 0)][seed as usize % 4];
        let mut steps = body(sew, lmul, seed * 3 + 1);
        let type_of = |(sew, lmul)| shape(vlen, sew, lmul).expect("a type").1;
        // The same number of elements, twice as wide.
        steps.push(set(0, 0, type_of((sew + 1, lmul + 1))));
        steps.extend(body(sew + 1, lmul + 1, seed * 3 + 2));
        // As many as are left, or all.
        steps.push(set(20, [WANTED as u32, 0, 21][seed as usize / 4 % 3], type_of((sew, lmul))));
        steps.extend(body(sew, lmul, seed * 3 + 3));
        let (ones, paged) = (seed % 4 == 3, seed % 3 == 1);
        let length = Length::Register;
        let program = &programs[seed as usize % 2];
        Looped { length, ones, paged, ..Looped::new(program, vlen, (sew, lmul), steps) }.check();
    }
}

/// A loop over an array as compilers make it: `a0` elements from a pointer, with scalars and a strided access beside it.
fn over_array(program: &engine::Program, vtype: i64, inner: bool, first_fault: bool) -> Vec<u32> {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let load = if first_fault { "VLE32FF__V" } else { "VLE32__V" };
    let mut words = vec![op("VSETVLI", &[("rd", 5), ("rs1", 10), ("zimm", vtype)])];
    if inner {
        words[0] = op("VSETVLI", &[("rd", 0), ("rs1", 10), ("zimm", vtype)]);
        words.push(op("ADDI", &[("rd", 5), ("imm", 8)]));
    }
    let begin = if inner { words.len() } else { 0 };
    words.extend([
        op("LW", &[("rd", 6), ("rs1", 13), ("imm", 0)]),
        op(load, &[("vd", 8), ("rs1", 11), ("vm", 1)]),
        op("VADD__VX", &[("vd", 8), ("vs2", 8), ("rs1", 6), ("vm", 1)]),
        op("VXOR__VV", &[("vd", 16), ("vs2", 8), ("vs1", 16), ("vm", 1)]),
        op("VSLL__VI", &[("vd", 24), ("vs2", 16), ("uimm5", 3), ("vm", 1)]),
        op("VADD__VV", &[("vd", 24), ("vs2", 24), ("vs1", 8), ("vm", 1)]),
        op("VMUL__VV", &[("vd", 16), ("vs2", 24), ("vs1", 8), ("vm", 1)]),
        op("VSE32__V", &[("vs3", 16), ("rs1", 12), ("vm", 1)]),
        op("SLLI", &[("rd", 7), ("rs1", 5), ("shamt", 2)]),
        op("ADD", &[("rd", 11), ("rs1", 11), ("rs2", 7)]),
        op("ADD", &[("rd", 12), ("rs1", 12), ("rs2", 7)]),
        op("SW", &[("rs2", 6), ("rs1", 13), ("imm", 4)]),
        op("ADDI", &[("rd", 13), ("rs1", 13), ("imm", 8)]),
        op("SUB", &[("rd", 10), ("rs1", 10), ("rs2", 5)]),
    ]);
    let back = -4 * (words.len() - begin) as i64;
    words.push(op("BLT", &[("rs1", 0), ("rs2", 10), ("imm", back)]));
    // Again from the beginning, until the budget ends.
    words.push(op("ADDI", &[("rd", 10), ("rs1", 14), ("imm", 0)]));
    words.push(op("ADDI", &[("rd", 11), ("rs1", 15), ("imm", 0)]));
    words.push(op("ADDI", &[("rd", 12), ("rs1", 16), ("imm", 0)]));
    words.push(op("ADDI", &[("rd", 13), ("rs1", 17), ("imm", 0)]));
    words.push(op("ADDI", &[("rd", 14), ("rs1", 14), ("imm", -1)]));
    let back = -4 * words.len() as i64;
    words.push(op("BLT", &[("rs1", 0), ("rs2", 14), ("imm", back)]));
    words.push(op("JAL", &[]));
    words
}

fn handler(program: &engine::Program) -> Vec<u32> {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    vec![
        op("CSRRW", &[("rd", 29), ("csr", 8), ("rs1", 0)]),
        op("ADD", &[("rd", 28), ("rs1", 28), ("rs2", 29)]),
        op("CSRRS", &[("rd", 30), ("csr", 0x341)]),
        op("ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
        op("CSRRW", &[("csr", 0x341), ("rs1", 30)]),
        op("MRET", &[]),
    ]
}

/// All lengths one after the other, with budgets that end within rounds; accesses fail, are events, or do not.
#[test]
fn rounds_that_are_interrupted() {
    let mut number = 0_u64;
    for isa in ["rv64gcv", "rv32gcv"] {
        let program = program(isa);
        for inner in [false, true] {
            for (place, paged) in
                [(DATA, false), (END - 0x60, false), (TOHOST - 0x60, false), (DATA, true), (END - 0x60, true)]
            {
                number += 1;
                let (vlen, lmul) = [(128, 0), (256, 1), (128, 2), (64, 1)][number as usize % 4];
                let (_, vtype) = shape(vlen, 2, lmul).expect("a type");
                let words = over_array(&program, vtype, inner, number.is_multiple_of(3));
                let mut x = vec![0; 32];
                (x[10], x[14]) = (19, 19);
                (x[11], x[12], x[13]) = (DATA + 0x800, place, DATA + 0x400);
                if number.is_multiple_of(2) {
                    x.swap(11, 12);
                }
                (x[15], x[16], x[17]) = (x[11], x[12], x[13]);
                let setup = Setup {
                    vlen,
                    fill: [AgnosticFill::Undisturbed, AgnosticFill::Ones][number as usize / 2 % 2],
                    x,
                    handler: handler(&program),
                    paged,
                    ..Setup::new(&program, words)
                };
                setup.assert_equal_tiers(37 + number, 45, 1);
                setup.assert_equal_tiers(4000, 1, 2);
            }
        }
    }
}

/// A page without rights within an array, of a process.
#[test]
fn pages_without_rights_within_an_array() {
    use engine::{Blind, Limits, Machine};
    let program = program("rv64gcv");
    for number in 0..8_u64 {
        let (_, vtype) = shape(128, 2, 1).expect("a type");
        let words = over_array(&program, vtype, number % 2 == 0, number / 2 % 2 == 0);
        let mut x = vec![0; 32];
        let hole = DATA + 0x1000;
        (x[10], x[14]) = (23, 23);
        (x[11], x[12], x[13]) = (DATA + 0x800, DATA + 0x600, DATA + 0x400);
        x[11 + number as usize % 3] = hole - [0x24, 0x30, 4][number as usize / 3];
        (x[15], x[16], x[17]) = (x[11], x[12], x[13]);
        let setup = Setup { x, handler: handler(&program), paged: true, ..Setup::new(&program, words) };
        let [mut interpreted, mut compiled] = [(); 2].map(|()| setup.machine());
        compiled.set_compiler(Box::new(jit::Jit::new().after(1)));
        let all = Rights::READ | Rights::WRITE | Rights::EXECUTE;
        for machine in [&mut interpreted, &mut compiled] {
            let set = |machine: &mut Machine<'_>, rights| {
                machine
                    .memory
                    .pages_mut()
                    .expect("a process's memory")
                    .set_rights(hole..hole + 0x1000, rights);
            };
            set(machine, if number % 2 == 0 { Rights::NONE } else { Rights::READ });
            machine.run(
                Limits { instructions: Some(3000) },
                &mut Blind,
                &mut crate::guest::Screen::default(),
            );
            set(machine, all);
        }
        setup.assert_same_state(&mut interpreted, &mut compiled);
    }
}
