//! A small model of element-wise instructions, apart from both tiers: what lanes hold after a loop of them.

use engine::{Blind, Limits, Program};
use hart::AgnosticFill;
use jit::Jit;

use crate::Setup;
use crate::guest::{Screen, encode};

/// Register with the rounds that are left.
pub const ROUNDS: i64 = 31;

/// The second operands that an instruction may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Vector,
    Scalar,
    Immediate,
}

use Form::{Immediate, Scalar, Vector};

/// Instructions with their forms.
pub const ALL: [(&str, Form); 45] = [
    ("VADD__VV", Vector),
    ("VADD__VX", Scalar),
    ("VADD__VI", Immediate),
    ("VSUB__VV", Vector),
    ("VSUB__VX", Scalar),
    ("VRSUB__VX", Scalar),
    ("VRSUB__VI", Immediate),
    ("VAND__VV", Vector),
    ("VAND__VX", Scalar),
    ("VAND__VI", Immediate),
    ("VANDN__VV", Vector),
    ("VANDN__VX", Scalar),
    ("VOR__VV", Vector),
    ("VOR__VX", Scalar),
    ("VOR__VI", Immediate),
    ("VXOR__VV", Vector),
    ("VXOR__VX", Scalar),
    ("VXOR__VI", Immediate),
    ("VMV__V__V", Vector),
    ("VMV__V__X", Scalar),
    ("VMV__V__I", Immediate),
    ("VMINU__VV", Vector),
    ("VMIN__VX", Scalar),
    ("VMAXU__VX", Scalar),
    ("VMAX__VV", Vector),
    ("VMUL__VV", Vector),
    ("VMUL__VX", Scalar),
    ("VMACC__VV", Vector),
    ("VMACC__VX", Scalar),
    ("VNMSAC__VV", Vector),
    ("VMADD__VV", Vector),
    ("VMADD__VX", Scalar),
    ("VNMSUB__VV", Vector),
    ("VSLL__VV", Vector),
    ("VSLL__VX", Scalar),
    ("VSLL__VI", Immediate),
    ("VSRL__VV", Vector),
    ("VSRL__VX", Scalar),
    ("VSRL__VI", Immediate),
    ("VSRA__VV", Vector),
    ("VSRA__VX", Scalar),
    ("VSRA__VI", Immediate),
    ("VROL__VV", Vector),
    ("VROR__VV", Vector),
    ("VROR__VI", Immediate),
];

/// One instruction of a run: `name d, a, b`, where the last is a vector register, one of integers, or what is encoded of
/// an immediate.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub name: &'static str,
    pub d: u32,
    pub a: u32,
    pub b: u32,
}

/// An instruction by its name.
pub const fn step(name: &'static str, d: u32, a: u32, b: u32) -> Step {
    Step { name, d, a, b }
}

impl Step {
    fn form(&self) -> Form {
        match self.name.as_bytes().last() {
            Some(b'V') => Vector,
            Some(b'X') => Scalar,
            _ => Immediate,
        }
    }

    fn moves(&self) -> bool {
        self.name.starts_with("VMV_")
    }

    /// Its word, unmasked.
    pub fn word(&self, program: &Program) -> u32 {
        let a = if self.moves() { 0 } else { self.a };
        let sixth = if self.name == "VROR__VI" { self.b >> 5 & 1 } else { 0 };
        encode(program.module(), self.name, &[])
            | self.d << 7
            | (self.b & 31) << 15
            | a << 20
            | 1 << 25
            | sixth << 26
    }

    /// What its immediate says.
    fn immediate(&self) -> u64 {
        match self.name {
            "VROR__VI" => u64::from(self.b & 63),
            "VSLL__VI" | "VSRL__VI" | "VSRA__VI" => u64::from(self.b & 31),
            _ => (((self.b & 31) as i64) << 59 >> 59) as u64,
        }
    }

    /// What one lane becomes; all are of this many bits, zero-extended.
    fn lane(&self, bits: u32, d: u64, a: u64, b: u64) -> u64 {
        let signed = |lane: u64| (lane << (64 - bits)) as i64 >> (64 - bits);
        let by = b as u32 % bits;
        let left = |lane: u64, by: u32| if by == bits { 0 } else { lane << by };
        let right = |lane: u64, by: u32| if by == bits { 0 } else { lane >> by };
        match self.name.split("__").next().unwrap_or_default() {
            "VADD" => a.wrapping_add(b),
            "VSUB" => a.wrapping_sub(b),
            "VRSUB" => b.wrapping_sub(a),
            "VAND" => a & b,
            "VANDN" => a & !b,
            "VOR" => a | b,
            "VXOR" => a ^ b,
            "VMV" => b,
            "VMINU" => a.min(b),
            "VMIN" => signed(a).min(signed(b)) as u64,
            "VMAXU" => a.max(b),
            "VMAX" => signed(a).max(signed(b)) as u64,
            "VMUL" => a.wrapping_mul(b),
            "VMACC" => d.wrapping_add(a.wrapping_mul(b)),
            "VNMSAC" => d.wrapping_sub(a.wrapping_mul(b)),
            "VMADD" => a.wrapping_add(d.wrapping_mul(b)),
            "VNMSUB" => a.wrapping_sub(d.wrapping_mul(b)),
            "VSLL" => left(a, by),
            "VSRL" => right(a, by),
            "VSRA" => (signed(a) >> by) as u64,
            "VROL" => left(a, by) | right(a, bits - by),
            "VROR" => right(a, by) | left(a, bits - by),
            other => panic!("no model of {other}"),
        }
    }
}

/// A loop of element-wise instructions.
pub struct Run<'p> {
    pub program: &'p Program,
    pub vlen: u32,
    pub fill: AgnosticFill,
    /// `vsew` and `vlmul` as in `vtype`, tail-agnostic.
    pub vtype: i64,
    /// Elements asked for; none for the most.
    pub avl: Option<u64>,
    /// Whether each round sets `vl`, or only what precedes the loop.
    pub sets_each_round: bool,
    pub steps: Vec<Step>,
    pub rounds: u64,
    /// The integer registers; the tenth and the last are the loop's own.
    pub x: Vec<u64>,
    /// Of the vector registers' first contents.
    pub lanes: Vec<u8>,
}

impl Run<'_> {
    /// The loop as code.
    pub fn setup(&self) -> Setup<'_> {
        let module = self.program.module();
        let zimm = self.vtype | 0xc0;
        // Compiled code knows a length that is an immediate.
        let sets = match self.avl {
            Some(avl @ 0..32) => ("VSETIVLI", ("uimm", avl as i64)),
            Some(_) => ("VSETVLI", ("rs1", 10)),
            None => ("VSETVLI", ("rs1", 0)),
        };
        let mut words = vec![encode(module, sets.0, &[("rd", 5), sets.1, ("zimm", zimm)])];
        words.extend(self.steps.iter().map(|step| step.word(self.program)));
        words.push(encode(module, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
        let first = usize::from(!self.sets_each_round);
        let back = -4 * (words.len() - first) as i64;
        words.push(encode(module, "BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", back)]));
        words.push(encode(module, "JAL", &[]));
        let mut x = self.x.clone();
        x.resize(32, 0);
        (x[0], x[10], x[ROUNDS as usize]) = (0, self.avl.unwrap_or(0), self.rounds);
        Setup {
            vlen: self.vlen,
            fill: self.fill,
            x,
            lanes: self.lanes.clone(),
            ..Setup::new(self.program, words)
        }
    }

    /// Bytes of a register, of an element, of a group with its tail, and elements that are computed.
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let (vlenb, element) = (self.vlen as usize / 8, 1 << (self.vtype >> 3 & 7));
        let group = match self.vtype & 7 {
            lmul @ 0..=3 => vlenb << lmul,
            fraction => vlenb >> (8 - fraction),
        };
        let most = group / element;
        let vl = self.avl.map_or(most, |avl| most.min(avl as usize));
        (vlenb, element, group.max(vlenb), vl)
    }

    /// True if there is such a `vtype`.
    pub fn is_supported(&self) -> bool {
        let (vlenb, element, _, _) = self.sizes();
        match self.vtype & 7 {
            0..=3 => true,
            // As many bits as the widest element's times the fraction have to hold one of these.
            fraction => fraction > 4 && element << (8 - fraction) <= 8.min(vlenb),
        }
    }

    /// What the vector registers hold at the end.
    fn expected(&self, x: &[u64]) -> Vec<u8> {
        let (vlenb, element, group, vl) = self.sizes();
        let bits = 8 * element as u32;
        let mask = u64::MAX >> (64 - bits);
        let mut file = self.lanes.clone();
        let read = |file: &[u8], at: usize| {
            file[at..at + element].iter().rev().fold(0, |lane, &byte| lane << 8 | u64::from(byte))
        };
        let narrow = |value: u64| match self.program.isa().xlen() {
            isa::Xlen::Rv32 => value as u32 as i32 as u64,
            isa::Xlen::Rv64 => value,
        };
        for step in (0..self.rounds).flat_map(|_| &self.steps) {
            let [d, a, b] = [step.d, step.a, step.b & 31].map(|register| register as usize * vlenb);
            for at in (0..vl).map(|index| index * element) {
                let second = match step.form() {
                    Vector => read(&file, b + at),
                    Scalar => narrow(x[step.b as usize & 31]),
                    Immediate => step.immediate(),
                };
                // One that moves does not have the other.
                let first = if step.moves() { 0 } else { read(&file, a + at) };
                let lane = step.lane(bits, read(&file, d + at), first, second & mask) & mask;
                file[d + at..d + at + element].copy_from_slice(&lane.to_le_bytes()[..element]);
            }
            if self.fill == AgnosticFill::Ones && vl > 0 {
                file[d + vl * element..d + group].fill(0xff);
            }
        }
        file
    }

    /// Compares compiled code, the interpreter and the model.
    pub fn check(&self, threshold: u32) {
        let setup = self.setup();
        let expected = self.expected(&setup.x);
        let length = self.rounds * (self.steps.len() as u64 + 3) + 2;
        let compilers = [None, Some(Jit::new()), Some(Jit::new().without_rare())];
        for compiler in compilers {
            let mut machine = setup.machine();
            let compiles = compiler.is_some();
            if let Some(compiler) = compiler {
                machine.set_compiler(Box::new(compiler.after(threshold)));
            }
            machine.run(Limits { instructions: Some(length) }, &mut Blind, &mut Screen::default());
            assert_eq!(machine.hart.x(ROUNDS as u16), 0, "the loop ends");
            for (register, lanes) in expected.chunks_exact(self.vlen as usize / 8).enumerate() {
                let found = machine.hart.vector.register(register);
                assert!(
                    lanes == found,
                    "v{register} should be {lanes:x?}, is {found:x?}; compiled: {compiles}; VLEN {} vtype {:#x} avl {:?} \
                     {:?} {:#x?}",
                    self.vlen,
                    self.vtype,
                    self.avl,
                    self.steps,
                    setup.x,
                );
            }
        }
    }
}
