//! Arithmetic whose results are zero, tiny, infinite or none, with any flags raised before: which results the host may give
//! depends on them. Each element is what it is alone, where no flag is raised before.

use std::collections::BTreeMap;

use engine::{Machine, Program};
use hart::AgnosticFill;

use crate::guest::{self, encode};
use crate::machine::{Length, Setting, again, machine};
use crate::tier;

/// With a vector or a register as second operand.
const BINARY: [&str; 12] = [
    "VFADD", "VFSUB", "VFMUL", "VFDIV", "VFMACC", "VFNMACC", "VFMSAC", "VFNMSAC", "VFMADD", "VFNMADD",
    "VFMSUB", "VFNMSUB",
];
const OTHERS: [&str; 3] = ["VFRSUB__VF", "VFRDIV__VF", "VFSQRT__V"];
const VLENB: usize = 16;
/// Registers of a group.
const GROUP: usize = 4;
/// So many of all operands of each kind of result.
const EACH: usize = 2;

/// Elements of `vd`, `vs2` and the second operand.
type Operands = [u64; 3];

/// Fields of a format.
#[derive(Clone, Copy)]
struct Format {
    sew: u32,
    fraction: u32,
    bias: u64,
}

const FORMATS: [Format; 2] =
    [Format { sew: 32, fraction: 23, bias: 127 }, Format { sew: 64, fraction: 52, bias: 1023 }];

impl Format {
    const fn lanes(self) -> usize {
        8 * GROUP * VLENB / self.sew as usize
    }

    /// Numbers of which most pairs have a result that is not ordinary.
    fn specials(self) -> Vec<u64> {
        let hidden = 1 << self.fraction;
        let infinity = (2 * self.bias + 1) << self.fraction;
        let one = self.bias << self.fraction;
        let magnitudes = [
            0,
            1,
            hidden - 1,
            hidden,
            hidden + 1,
            (self.bias / 2) << self.fraction,
            one - 1,
            one,
            one | hidden >> 1,
            infinity - 1,
            infinity,
            infinity | hidden >> 1,
            infinity | 1,
        ];
        magnitudes.into_iter().flat_map(|number| [number, number | 1 << (self.sew - 1)]).collect()
    }

    /// Numbers whose results are ordinary, and exact for the most part: 1.25, 2.25 and 1.5.
    const fn ordinary(self) -> Operands {
        let quarter = 1 << (self.fraction - 2);
        [
            self.bias * 4 * quarter + quarter,
            (self.bias + 1) * 4 * quarter + quarter / 2,
            (self.bias * 4 + 2) * quarter,
        ]
    }

    /// What a result is like: 0 to 6 for zero, denormal, smallest normal, normal, largest, infinite and NaN; its sign.
    fn class(self, bits: u64) -> (usize, bool) {
        let magnitude = bits & !(1 << (self.sew - 1));
        let infinity = (2 * self.bias + 1) << self.fraction;
        let hidden = 1 << self.fraction;
        let bounds = [1, hidden, hidden + 1, infinity - 1, infinity, infinity + 1];
        (bounds.partition_point(|&bound| bound <= magnitude), magnitude != bits)
    }

    fn bytes(self, bits: u64) -> Vec<u8> {
        bits.to_le_bytes()[..self.sew as usize / 8].to_vec()
    }

    /// Registers whose elements are `ordinary` but for one; v0 is 1.
    fn file(self, ordinary: Operands, special: Operands, lane: usize) -> Vec<u8> {
        let mut registers = vec![0x5a; 32 * VLENB];
        registers[..VLENB].fill(0);
        registers[0] = 1;
        // vd, vs2 and vs1.
        for (operand, first) in [24, 8, 16].into_iter().enumerate() {
            for index in 0..self.lanes() {
                let bits = if index == lane { special } else { ordinary }[operand];
                let at = first * VLENB + index * self.sew as usize / 8;
                registers[at..at + self.sew as usize / 8].copy_from_slice(&self.bytes(bits));
            }
        }
        registers
    }
}

/// An instruction in a format: as it is, and masked in an interpreter.
struct Tried<'p> {
    format: Format,
    all: Machine<'p>,
    alone: Machine<'p>,
    is_scalar: bool,
}

impl<'p> Tried<'p> {
    fn new(program: &'p Program, name: &str, format: Format) -> Self {
        let is_scalar = name.ends_with('F');
        let word = |vm: i64| {
            let mut fields = vec![("vd", 24), ("vs2", 8), ("vm", vm)];
            if !name.ends_with("__V") {
                fields.push(if is_scalar { ("rs1", 1) } else { ("vs1", 16) });
            }
            encode(program.module(), name, &fields)
        };
        let setting = Setting {
            vlen: 8 * VLENB as u32,
            fill: AgnosticFill::Undisturbed,
            zimm: 2 | i64::from(format.sew.ilog2() - 3) << 3,
            length: if format.sew == 32 { Length::Immediate } else { Length::Longest },
            vl: format.lanes() as u64,
            frm: 0,
            status: 0x7e00,
            scalar: 0,
            registers: vec![0; 32 * VLENB],
        };
        let all = machine(program, &setting, word(1), tier::prepare);
        Self { format, all, alone: machine(program, &setting, word(0), |machine| machine), is_scalar }
    }

    const fn boxed(&self, bits: u64) -> u64 {
        if self.format.sew == 32 { bits | 0xffff_ffff << 32 } else { bits }
    }

    /// One element's result and flags.
    fn alone(&mut self, operands: Operands, frm: u64) -> (u64, u64) {
        let file = self.format.file(operands, operands, 0);
        let scalar = self.boxed(operands[2]);
        let (registers, fflags) = again(&mut self.alone, &file, scalar, 0, frm);
        let mut bytes = [0; 8];
        let width = self.format.sew as usize / 8;
        bytes[..width].copy_from_slice(&registers[24 * VLENB..][..width]);
        (u64::from_le_bytes(bytes), fflags)
    }

    /// Some operands of each kind of result, with whatever flags it comes.
    fn operands(&mut self, name: &str, frm: u64) -> Vec<Operands> {
        let specials = self.format.specials();
        let count = specials.len();
        let is_fused = name.contains("MA") || name.contains("MS");
        let mut found: BTreeMap<_, Vec<Operands>> = BTreeMap::new();
        // All pairs, each with a few of the third operands where there is one.
        for index in 0..count * count * if is_fused { 3 } else { 1 } {
            let third = specials[(index * 7 + index / count * 5 + index / (count * count)) % count];
            let operands = [third, specials[index % count], specials[index / count % count]];
            let (bits, fflags) = self.alone(operands, frm);
            let some = found.entry((self.format.class(bits), fflags)).or_default();
            if some.len() < EACH {
                some.push(operands);
            }
        }
        let kinds = found.keys().map(|&((class, _), _)| class);
        assert!(kinds.collect::<std::collections::BTreeSet<_>>().len() >= 4, "{name} has hardly any results");
        found.into_values().flatten().collect()
    }

    /// With one element of these operands and others that are ordinary, and these flags raised before.
    fn agrees(&mut self, name: &str, special: Operands, fflags: u64, frm: u64) {
        let mut ordinary = self.format.ordinary();
        if self.is_scalar {
            ordinary[2] = special[2];
        }
        let lane = (fflags + special[0] % 13) as usize % self.format.lanes();
        let (one, others) = (self.alone(special, frm), self.alone(ordinary, frm));
        let before = self.format.file(ordinary, special, lane);
        let mut wanted = before.clone();
        let width = self.format.sew as usize / 8;
        for index in 0..self.format.lanes() {
            let bits = if index == lane { one.0 } else { others.0 };
            wanted[24 * VLENB + index * width..][..width].copy_from_slice(&self.format.bytes(bits));
        }
        let scalar = self.boxed(special[2]);
        let found = again(&mut self.all, &before, scalar, fflags, frm);
        let what = format!("{name}, SEW {}, {special:x?} in element {lane}", self.format.sew);
        assert_eq!(found.1, fflags | one.1 | others.1, "flags of {what}, {fflags:#x} before, mode {frm}");
        assert!(found.0 == wanted, "{what}, flags {fflags:#x} before, mode {frm}");
    }
}

fn check(names: &[String]) {
    let program = guest::program("rv64gcv");
    for (name, format) in names.iter().flat_map(|name| FORMATS.map(|format| (name, format))) {
        let mut tried = Tried::new(&program, name, format);
        // To nearest even, and up.
        for (frm, step) in [(0, 1), (3, 10)] {
            for operands in tried.operands(name, frm) {
                for fflags in (0..32).rev().step_by(step) {
                    tried.agrees(name, operands, fflags, frm);
                }
            }
        }
    }
}

fn with_form(form: &str) -> Vec<String> {
    BINARY.iter().map(|name| format!("{name}__{form}")).collect()
}

#[test]
fn vectors_and_vectors_raise_what_each_element_raises() {
    check(&with_form("VV"));
}

#[test]
fn vectors_and_registers_raise_what_each_element_raises() {
    check(&with_form("VF"));
}

#[test]
fn roots_and_reversed_operations_raise_what_each_element_raises() {
    check(&OTHERS.map(str::to_owned));
}
