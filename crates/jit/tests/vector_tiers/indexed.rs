//! Loads and stores of elements at indices: of all widths, to overlapping registers and places, against the model of the unit.

use hart::Address;

use crate::guest::{DATA, program};
use crate::looped::{ADDRESSES, Looped};
use crate::numbers::randoms;
use crate::rounds::{Length, round_by_round, shape};
use crate::unit::{BYTES, Step, Unit, addi, set, step};
use crate::{Setup, TOHOST};

/// Elements of a width (log2 of bytes) from a register on, below a bound.
fn fill(unit: &mut Unit, register: u32, width: u32, of: impl Fn(usize) -> u64) {
    let (at, group) = (register as usize * unit.vlen as usize / 8, unit.vlmax() << width);
    for (number, index) in unit.file[at..at + group].chunks_exact_mut(1 << width).enumerate() {
        index.copy_from_slice(&of(number).to_le_bytes()[..1 << width]);
    }
}

/// A type, the width of indices, and registers of a group of either.
#[derive(Clone, Copy)]
struct Shape {
    vlen: u32,
    sew: u32,
    lmul: i32,
    width: u32,
}

impl Shape {
    fn emul(self) -> i32 {
        self.lmul + self.width as i32 - self.sew as i32
    }

    fn all() -> impl Iterator<Item = Self> {
        let shapes =
            (0..4).flat_map(|sew| (-1..=3).flat_map(move |lmul| (0..4).map(move |width| (sew, lmul, width))));
        let with = |vlen| move |(sew, lmul, width)| Self { vlen, sew, lmul, width };
        let all = [64, 128, 256].into_iter().flat_map(move |vlen| shapes.clone().map(with(vlen)));
        all.filter(|one| shape(one.vlen, one.sew, one.lmul).is_some() && (-3..=3).contains(&one.emul()))
    }

    fn load(self, d: u32, indices: u32, base: u32, ordered: bool) -> Step {
        step(&format!("VL{}XEI{}__V", if ordered { 'O' } else { 'U' }, 8 << self.width), d, indices, base)
    }

    fn store(self, data: u32, indices: u32, base: u32, ordered: bool) -> Step {
        step(&format!("VS{}XEI{}__V", if ordered { 'O' } else { 'U' }, 8 << self.width), data, indices, base)
    }
}

#[test]
fn all_widths() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    for (number, the_shape) in Shape::all().enumerate() {
        let Shape { vlen, sew, lmul, width } = the_shape;
        if number % 2 == 0 && vlen != 128 {
            continue;
        }
        let (group, of_indices) = (1_u32 << lmul.max(0), 1_u32 << the_shape.emul().max(0));
        // In the last register of what is legal, and in the one after that.
        let indices = if number % 3 == 0 && of_indices == 1 { 9 } else { 8 };
        let is_rv32 = number % 5 == 4;
        let base = ADDRESSES;
        let mut steps = vec![
            the_shape.load(16, indices, base, false),
            step("VADD__VV", 24, 16, 24),
            // They are in memory in their order, but the last of those that are at one place stays.
            the_shape.store(24, indices, base, true),
        ];
        // To where the indices are: the same, its beginning, or its end.
        let overlapping = match width.cmp(&sew) {
            _ if of_indices > 1 && indices == 9 => None,
            std::cmp::Ordering::Equal => Some(indices),
            std::cmp::Ordering::Greater => Some(indices / group * group).filter(|&d| d == indices),
            std::cmp::Ordering::Less if the_shape.emul() >= 0 => {
                Some(indices + of_indices - group).filter(|d| d % group == 0 && group > of_indices)
            }
            std::cmp::Ordering::Less => None,
        };
        if let Some(d) = overlapping {
            steps.push(the_shape.load(d, indices, base + 1, true));
        } else {
            steps.push(the_shape.load(16, indices, base + 1, true));
        }
        steps.push(addi(base, 8));
        let length = match number % 4 {
            0 => Length::Register,
            1 => Length::Immediate([4, 8, 16][number / 4 % 3]),
            _ => Length::All,
        };
        let (ones, paged) = (number % 7 == 6, number % 3 == 1);
        let program = &programs[usize::from(is_rv32)];
        if is_rv32 && width == 3 {
            continue;
        }
        Looped { length, ones, paged, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(
            |unit, round| {
                let seed = round as u64 * 77 + number as u64;
                let all: Vec<u64> = randoms(seed).take(512).map(|random| random >> 9).collect();
                fill(unit, indices, width, |number| {
                    // Many are where another is, and some partly so.
                    let bound = [0xff, 0x1f, 0x3ff, 0xff, 0x7f, 0x0f][round];
                    all[number] & if width == 0 { bound & 0xff } else { bound }
                });
            },
        );
    }
}

/// What an instruction has just computed are indices, of which the host's registers have some and memory others.
#[test]
fn indices_that_were_just_computed() {
    let program = program("rv64gcv");
    for (number, the_shape) in Shape::all().enumerate() {
        let Shape { vlen, sew, lmul, width } = the_shape;
        let Some((_, of_data)) = shape(vlen, sew, lmul) else { continue };
        if the_shape.emul() > 2 || width == 3 {
            continue;
        }
        let Some((_, of_indices)) = shape(vlen, width, the_shape.emul()) else { continue };
        let group = 1_u32 << the_shape.emul().max(0);
        let mut steps = Vec::new();
        // Registers in halves and in wholes: what is written as a pair and read as its second.
        let pair = shape(vlen, width, the_shape.emul() + 1).filter(|_| (0..=1).contains(&the_shape.emul()));
        for register in [8 + group, 8, 8 + group] {
            let (vtype, written) = match pair {
                Some((_, vtype)) => (vtype, 8),
                None => (of_indices, register),
            };
            steps.push(set(7, 0, vtype));
            steps.push(step("VADD__VI", written, written, 1));
            steps.push(set(7, 0, of_data));
            steps.push(the_shape.load(16, register, ADDRESSES, false));
            steps.push(step("VADD__VI", 16, 16, 3));
            steps.push(the_shape.store(16, register, ADDRESSES, number % 2 == 0));
            steps.push(step("VADD__VI", 24, 16, 3));
        }
        let paged = number % 2 == 1;
        Looped { paged, ..Looped::new(&program, vlen, (sew, lmul), steps) }.check_with(|unit, round| {
            for register in [8, 8 + group, 8 + 2 * group, 8 + 3 * group] {
                if register < 16 {
                    let seed = round as u64 * 31 + u64::from(register);
                    let all: Vec<u64> = randoms(seed).take(512).map(|random| random >> 9).collect();
                    fill(unit, register, width, |number| all[number] & 0x7f);
                }
            }
        });
    }
}

/// Sums that begin before memory, wrap, or end with its last byte.
#[test]
fn places_at_the_ends() {
    let programs = ["rv64gcv", "rv32gcv"].map(program);
    let end = DATA + BYTES as u64;
    for (number, the_shape) in Shape::all().enumerate() {
        let Shape { vlen, sew, lmul, width } = the_shape;
        let program = &programs[usize::from(number % 4 == 3)];
        if vlen == 64 && number % 2 == 0 || lmul < 0 || width == 3 && number % 4 == 3 {
            continue;
        }
        let base = ADDRESSES;
        let steps = vec![
            the_shape.load(16, 8, base, false),
            step("VADD__VV", 16, 16, 24),
            the_shape.store(16, 8, base, false),
        ];
        let (size, paged) = (1_u64 << sew, number % 2 == 1);
        Looped { paged, ..Looped::new(program, vlen, (sew, lmul), steps) }.check_with(|unit, round| {
            let most = u64::MAX >> (64 - (8 << width));
            // From where the first byte is, and to where the last one ends.
            let (first, last) = match round {
                _ if width == 0 => (end - 0x80, end),
                0 | 5 => (DATA + 1, DATA + 0x80),
                1 => (end - 0x203, end),
                2 => (DATA, end),
                3 => (DATA + 7, end - 5),
                _ => (end - size, end),
            };
            let distance = match (width, round) {
                (0, _) | (_, 0) => 0,
                (1, 3) => 0xd000,
                (1, _) => 1,
                // All wraps: the base is what is left.
                (2, 4) => DATA - 0x100,
                (2, 5) => first,
                (3, 2 | 3) => first.wrapping_add(0x77),
                (3, 4) => 1 << 63,
                _ => 0x100_0000,
            };
            unit.x[base as usize] = first.wrapping_sub(distance);
            if unit.rv32 {
                unit.x[base as usize] = unit.x[base as usize] as i32 as u64;
            }
            let span = last - size - first;
            let random: Vec<u64> = randoms(round as u64 + 3).take(512).map(|random| random >> 20).collect();
            let vlmax = unit.vlmax();
            fill(unit, 8, width, |number| {
                let within = match number {
                    0 => [0, span][round % 2],
                    _ if number + 1 == vlmax => [span, 0][round % 2],
                    _ => random[number] % (span + 1),
                };
                // No store is an event.
                let is_event = (first + within + size > TOHOST) && first + within < TOHOST + 8;
                distance.wrapping_add(if is_event { span } else { within }) & most
            });
        });
    }
}

/// Indices of which the highest bit is set, in memory that is large enough for them.
#[test]
fn large_indices() {
    let program = program("rv64gcv");
    let size = 0x14000;
    for (paged, name) in
        [false, true].into_iter().flat_map(|paged| ["VLUXEI16__V", "VLUXEI32__V"].map(|name| (paged, name)))
    {
        let width = if name == "VLUXEI16__V" { 1 } else { 2 };
        let (_, vtype) = shape(128, 2, 1).expect("a type");
        let set = Length::All.setting(&program, vtype);
        let words = vec![set, step(name, 16, 8, ADDRESSES).word(&program), 0xffdf_f06f];
        let setup = Setup { paged, size, ..Setup::new(&program, words) };
        let at = |round: usize, element: usize| 0x8000 + (round * 0x1000 + element * 0x333) as u64;
        let number = |round: usize, element: usize| (round * 100 + element * 7) as u32 + 1;
        round_by_round(
            &setup,
            5,
            |machine, round| {
                machine.hart.set_x(ADDRESSES as u16, DATA);
                for element in 0..8 {
                    let index = at(round, element).to_le_bytes();
                    let within = element << width;
                    let register = machine.hart.vector.register_mut(8 + within / 16);
                    register[within % 16..][..1 << width].copy_from_slice(&index[..1 << width]);
                    let place = Address(DATA + at(round, element));
                    let target = machine.memory.slice_mut(place, 4).expect("it is in memory");
                    target.copy_from_slice(&number(round, element).to_le_bytes());
                }
            },
            |machine, round, compiles| {
                for element in 0..8 {
                    let found = &machine.hart.vector.register(16 + element / 4)[element % 4 * 4..][..4];
                    assert_eq!(
                        found,
                        number(round, element).to_le_bytes(),
                        "{name}, {compiles}, {round}, {element}"
                    );
                }
            },
        );
    }
}
