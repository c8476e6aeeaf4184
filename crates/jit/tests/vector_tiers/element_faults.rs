//! Elements that fail: which of them does, what precedes it, and what is masked off beside it.

use engine::{Blind, Limits, Machine, Program, Stop};
use hart::Address;
use hart::csr::Clock;
use hart::pages::Rights;
use jit::Jit;

use crate::guest::{BASE, DATA, SIZE, Screen, encode, program};
use crate::numbers::random_bytes;
use crate::rounds::shape;
use crate::unit::{BYTES, Failed, Step, Unit, set, step};
use crate::{Setup, TOHOST};

pub const END: u64 = BASE + SIZE as u64;
/// Register with the address.
pub const PLACE: u32 = 10;
/// Rounds in which nothing fails.
const WARM: u64 = 3;

/// A loop of one access among sums, whose last round fails or not.
pub struct Case<'p> {
    pub program: &'p Program,
    pub vlen: u32,
    pub sew: u32,
    pub lmul: i32,
    /// `vsetvli x0, x9`, as far as it is not all elements.
    pub wanted: Option<u64>,
    pub steps: Vec<Step>,
    /// A page of a process without these rights.
    pub hole: Option<(u64, Rights)>,
    pub paged: bool,
}

impl Case<'_> {
    fn unit(&self, round: u64) -> Unit {
        let of_file = 4 * self.vlen as usize;
        let mut file = random_bytes(round + 9, of_file + BYTES);
        let memory = file.split_off(of_file);
        let mut x = vec![0; 32];
        (x[PLACE as usize], x[9]) = (DATA, self.wanted.unwrap_or(0));
        let (vlmax, _) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        let hole = self.hole.map_or(0..0, |(start, _)| start..start + 0x1000);
        let vl = self.wanted.unwrap_or(vlmax).min(vlmax) as usize;
        if self.wanted.is_none() {
            x[8] = vl as u64;
        }
        let rv32 = self.program.isa().xlen() == isa::Xlen::Rv32;
        let (vlen, sew, lmul) = (self.vlen, self.sew, self.lmul);
        Unit { vlen, rv32, ones: false, sew, lmul, vl, file, memory, x, hole, vxsat: false }
    }

    /// Compares the last round with the model, which begins with what `prepare` makes.
    pub fn check(&self, prepare: impl Fn(&mut Unit, bool)) -> Option<Failed> {
        let (_, vtype) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        let from = if self.wanted.is_some() { [("rd", 0), ("rs1", 9)] } else { [("rd", 8), ("rs1", 0)] };
        let setting = encode(self.program.module(), "VSETVLI", &[from[0], from[1], ("zimm", vtype)]);
        let mut words = vec![setting];
        words.extend(self.steps.iter().map(|step| step.word(self.program)));
        words.push(encode(self.program.module(), "JAL", &[("imm", -4 * words.len() as i64)]));
        let length = words.len() as u64;
        let setup = Setup { vlen: self.vlen, paged: self.paged, ..Setup::new(self.program, words) };

        let mut last = self.unit(WARM);
        prepare(&mut last, true);
        let mut expected = last.clone();
        let failed = self.steps.iter().find_map(|step| expected.execute(step).err());
        for compiles in [false, true] {
            let what = || {
                format!(
                    "compiled: {compiles}, {failed:?}, VLEN {}, SEW {}, LMUL 2^{}, {:?}, {:?}, {:?}",
                    self.vlen,
                    8 << self.sew,
                    self.lmul,
                    self.wanted,
                    self.hole,
                    self.steps
                )
            };
            let mut machine = setup.machine();
            if compiles {
                machine.set_compiler(Box::new(Jit::new().after(1)));
            }
            let all = Rights::READ | Rights::WRITE | Rights::EXECUTE;
            let set_rights = |machine: &mut Machine<'_>, rights: Rights| {
                if let Some((start, _)) = self.hole {
                    let pages = machine.memory.pages_mut().expect("a process's memory");
                    pages.set_rights(start..start + 0x1000, rights);
                }
            };
            for round in 0..=WARM {
                let mut unit = self.unit(round);
                prepare(&mut unit, round == WARM);
                for (register, bytes) in unit.file.chunks_exact(self.vlen as usize / 8).enumerate() {
                    machine.hart.vector.register_mut(register).copy_from_slice(bytes);
                }
                machine.memory.slice_mut(Address(DATA), BYTES).expect("data").copy_from_slice(&unit.memory);
                let mask = self.program.isa().xlen().mask();
                unit.x.iter().enumerate().for_each(|(index, x)| machine.hart.set_x(index as u16, x & mask));
                set_rights(&mut machine, self.hole.map_or(all, |(_, rights)| rights));
                let limits = Limits { instructions: Some(length * (round + 1)) };
                let stop = machine.run(limits, &mut Blind, &mut Screen::default());
                set_rights(&mut machine, all);
                let Some(Failed { element, address }) = failed.filter(|_| round == WARM) else {
                    assert_eq!(stop, Stop::InstructionLimit, "round {round}, {}", what());
                    continue;
                };
                let Stop::Fault(fault) = stop else { panic!("{stop:?}, {}", what()) };
                let (cause, value) = (fault.exception.cause, fault.exception.value);
                assert!([5, 7, 13, 15].contains(&cause), "cause {cause}, {}", what());
                assert!(
                    (address & mask..(address & mask) + (1 << self.sew)).contains(&value),
                    "{value:#x}, {}",
                    what()
                );
                let vstart = machine.hart.read_csr(8, Clock::default()).ok();
                assert_eq!(vstart, Some(element as u64), "vstart, {}", what());
            }
            for (register, bytes) in expected.file.chunks_exact(self.vlen as usize / 8).enumerate() {
                let found = machine.hart.vector.register(register);
                assert!(found == bytes, "v{register}: {found:x?}, not {bytes:x?}, {}", what());
            }
            let found = machine.memory.slice(Address(DATA), BYTES).expect("data");
            assert!(found == expected.memory, "memory, {}", what());
            let vl = machine.hart.read_csr(0xc20, Clock::default()).ok();
            assert_eq!(vl, Some(expected.vl as u64), "{}", what());
        }
        failed
    }
}

fn set_index(unit: &mut Unit, width: u32, element: usize, value: u64) {
    let at = 8 * unit.vlen as usize / 8 + (element << width);
    unit.file[at..at + (1 << width)].copy_from_slice(&value.to_le_bytes()[..1 << width]);
}

/// The first, the last and an element between is one byte too far, before memory, or in a page without rights.
#[test]
fn an_index_too_far() {
    let program = program("rv64gcv");
    let mut number = 0;
    for (sew, width) in (0..4).flat_map(|sew| (0..4).map(move |width| (sew, width))) {
        for (loads, paged) in [(true, false), (false, false), (true, true), (false, true)] {
            number += 1;
            let (vlen, lmul) = ([128, 256][number % 2], [0, 1][number / 2 % 2]);
            let (vlmax, _) = shape(vlen, sew, lmul).expect("a type");
            let emul = lmul + width as i32 - sew as i32;
            let Some(_) = shape(vlen, width, emul).filter(|_| emul <= 3) else { continue };
            let size = 1_u64 << sew;
            // Most of what indices of bytes reach, which need no look if all of it is there.
            let span = if width == 0 { 0xf0 } else { 0x80 };
            let name = format!(
                "V{}{}XEI{}__V",
                if loads { 'L' } else { 'S' },
                if number % 2 == 0 { 'U' } else { 'O' },
                8 << width
            );
            let wanted = [None, None, Some(vlmax - 1)][number % 3];
            let elements = wanted.unwrap_or(vlmax) as usize;
            let steps = vec![
                step("VADD__VI", 16, 16, 3),
                step("VADD__VI", 24, 24, 3),
                // The indices are computed here.
                step(&name, 16, 8, PLACE),
                step("VADD__VV", 24, 24, 16),
            ];
            let holes = match (paged, loads) {
                (false, _) => vec![None],
                (true, true) => {
                    vec![None, Some((DATA + 0x1000, Rights::NONE)), Some((DATA + 0x1000, Rights::WRITE))]
                }
                (true, false) => {
                    vec![Some((DATA + 0x1000, Rights::NONE)), Some((DATA + 0x1000, Rights::READ))]
                }
            };
            for hole in holes {
                // A page that may only be written may be one that can be read.
                let hole = hole.filter(|(_, rights)| *rights != Rights::WRITE);
                let end = hole.map_or(END, |(start, _)| start);
                let case =
                    Case { program: &program, vlen, sew, lmul, wanted, steps: steps.clone(), hole, paged };
                for bad in [0, elements / 2, elements - 1] {
                    for by in [0, 1, size] {
                        let base = end - span;
                        let failed = case.check(|unit, is_last| {
                            unit.x[PLACE as usize] = base;
                            let vlmax = unit.vlmax();
                            (0..vlmax).for_each(|element| {
                                set_index(unit, width, element, (element as u64 * 5) % (span + 1 - size));
                            });
                            // The tail does not count.
                            (elements..vlmax).for_each(|element| set_index(unit, width, element, u64::MAX));
                            if is_last {
                                set_index(unit, width, bad, span - size + by);
                            }
                        });
                        assert_eq!(failed.map(|failed| failed.element), (by > 0).then_some(bad));
                    }
                }
                // One index is too small: before memory, or in the page before the data.
                if width > 0 {
                    let hole = hole.map(|(_, rights)| (DATA - 0x1000, rights));
                    let start = if hole.is_some() { DATA } else { BASE };
                    let case = Case {
                        program: &program,
                        vlen,
                        sew,
                        lmul,
                        wanted,
                        steps: steps.clone(),
                        hole,
                        paged,
                    };
                    let failed = case.check(|unit, is_last| {
                        let before = if is_last { 0x80 } else { 0 };
                        unit.x[PLACE as usize] = start - before;
                        let (vlmax, first) = (unit.vlmax(), before + DATA - start);
                        (0..vlmax)
                            .for_each(|element| set_index(unit, width, element, first + element as u64 * 3));
                        if is_last {
                            set_index(unit, width, elements / 2, before - 1);
                        }
                    });
                    assert_eq!(failed.map(|failed| failed.element), Some(elements / 2));
                }
            }
        }
    }
}

/// The indices are the second half of a column that was just computed: registers of 64 bits.
#[test]
fn an_index_in_half_a_column_too_far() {
    let program = program("rv64gcv");
    for (paged, name) in
        [false, true].into_iter().flat_map(|paged| ["VLUXEI16__V", "VSUXEI16__V"].map(|name| (paged, name)))
    {
        let (vlen, sew, lmul) = (64, 2, 1);
        let [pairs, data] =
            [(1, 1), (sew, lmul)].map(|(sew, lmul)| shape(vlen, sew, lmul).expect("a type").1);
        let steps = vec![
            set(7, 0, pairs),
            step("VADD__VI", 8, 8, 1),
            set(7, 0, data),
            step(name, 16, 9, PLACE),
            step(name, 18, 8, PLACE),
        ];
        let case = Case { program: &program, vlen, sew, lmul, wanted: None, steps, hole: None, paged };
        for bad in 0..4 {
            let failed = case.check(|unit, is_last| {
                unit.x[PLACE as usize] = END - 0x80;
                (0..8).for_each(|element| set_index(unit, 1, element, element as u64 * 9));
                if is_last {
                    set_index(unit, 1, 4 + bad, 0x7c);
                }
            });
            assert_eq!(failed.map(|failed| failed.element), Some(bad));
        }
    }
}

/// Masked-off elements are where nothing may be accessed; and one that is not.
#[test]
fn masked_off_elements_do_not_fail() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let mut number = 0;
    for (sew, fields) in (0..4).flat_map(|sew| [1, 2, 3, 5, 7].map(move |fields| (sew, fields))) {
        for (loads, hole) in
            [(true, None), (false, None), (true, Some(Rights::NONE)), (false, Some(Rights::READ))]
        {
            number += 1;
            let (vlen, lmul) = (128, i32::from(fields < 4));
            let (vlmax, _) = shape(vlen, sew, lmul).expect("a type");
            let bits = 8 << sew;
            let name = match (fields, loads) {
                (1, true) => format!("VLE{bits}__V"),
                (1, false) => format!("VSE{bits}__V"),
                (_, true) => format!("VLSEGE{bits}__V"),
                (_, false) => format!("VSSEGE{bits}__V"),
            };
            let the_access = Step { fields, ..step(&name, 10, 0, PLACE) }.masked();
            let steps = vec![step("VADD__VI", 10, 10, 3), the_access, step("VXOR__VV", 24, 24, 10)];
            let paged = hole.is_some();
            let hole = hole.map(|rights| (DATA + 0x1000, rights));
            let end = hole.map_or(END, |(start, _)| start);
            let segment = u64::from(fields) << sew;
            let wanted = [None, Some(vlmax - 1)][number / 4 % 2];
            let elements = wanted.unwrap_or(vlmax);
            let program = &programs[if paged { 0 } else { number % 2 }];
            let case = Case { program, vlen, sew, lmul, wanted, steps, hole, paged };
            // So many elements are beyond the end, and the last of those may be active.
            for beyond in 0..=2.min(elements - 1) {
                for is_active in [false, true] {
                    let failed = case.check(|unit, is_last| {
                        let far = if is_last { beyond } else { 0 };
                        unit.x[PLACE as usize] = end - segment * (elements - far);
                        // Before them, every third is masked off.
                        (0..32_u64).for_each(|element| {
                            let is_beyond = element >= elements - far;
                            let bit = if is_beyond {
                                is_active && element + 1 == elements
                            } else {
                                element % 3 != 1
                            };
                            let at = element as usize / 8;
                            unit.file[at] =
                                unit.file[at] & !(1 << (element % 8)) | u8::from(bit) << (element % 8);
                        });
                    });
                    let expected = (beyond > 0 && is_active).then_some(elements as usize - 1);
                    assert_eq!(failed.map(|failed| failed.element), expected);
                }
            }
        }
    }
}

/// Stores to `tohost`, of which a part may be another element's, are events in both tiers, and others are not.
#[test]
fn stores_that_are_events() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let mut number = 0;
    for (sew, width) in (0..4).flat_map(|sew| (0..4).map(move |width| (sew, width))) {
        number += 1;
        let program = &programs[usize::from(number % 5 == 0)];
        let vlen = 256;
        let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
        let (_, vtype) = shape(vlen, sew, 0).expect("a type");
        if shape(vlen, width, width as i32 - sew as i32).is_none() {
            continue;
        }
        let words = vec![
            op("VSETVLI", &[("rd", 5), ("zimm", vtype)]),
            step("VADD__VI", 16, 16, 1).word(program),
            step(&format!("VSUXEI{}__V", 8 << width), 16, 8, PLACE).word(program),
            step("VADD__VV", 24, 24, 16).word(program),
            op("ADDI", &[("rd", PLACE.into()), ("rs1", PLACE.into()), ("imm", 1)]),
            op("JAL", &[("imm", -20)]),
        ];
        let mut lanes: Vec<u8> = vec![0; 32 * vlen as usize / 8];
        // Within 33 bytes.
        for (element, index) in lanes[8 * 32..16 * 32].chunks_exact_mut(1 << width).enumerate() {
            index[0] = (element * 7 % 33) as u8;
        }
        let mut x = vec![0; 32];
        x[PLACE as usize] = TOHOST - 50;
        let setup = Setup { vlen, x, lanes, ..Setup::new(program, words) };
        setup.assert_equal_tiers(6, 70, 1);
    }
}
