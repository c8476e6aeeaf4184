//! Loops of floating-point instructions on elements, each with what it raises, against a model of one element.

use engine::{Machine, Program};
use hart::AgnosticFill;
use hart::csr::Clock;

use crate::Setup;
use crate::guest::encode;
use crate::numbers::randoms;
use crate::rounds::{Length, WANTED, round_by_round, shape};
use crate::{folds, ieee, ieee_double};

/// Register with the flags before an instruction, which it then adds to.
const FLAGS: i64 = 16;
const FFLAGS: i64 = 1;
const FRM: u64 = 2;
/// Registers that get an instruction's flags.
const RAISED: [u16; 20] = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25];

/// `name d, a, b`, where the last is a vector register, one of floats, or none.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub name: &'static str,
    pub d: u32,
    pub a: u32,
    pub b: u32,
    pub masked: bool,
}

/// An unmasked instruction.
pub const fn op(name: &'static str, d: u32, a: u32, b: u32) -> Op {
    Op { name, d, a, b, masked: false }
}

impl Op {
    /// The same masked, if it is one on numbers, and does not write elements to v0.
    pub fn masked(self) -> Self {
        Self { masked: !self.is_integral() && (self.d > 0 || self.writes_mask()), ..self }
    }

    /// How many times as wide as SEW, as log2, elements of `vd` and of `vs2` are.
    fn powers(&self) -> [u32; 2] {
        if self.is_fold() {
            return [u32::from(self.name.starts_with("VFW")), 0];
        }
        let is_from_double = self.name.starts_with("VFN") && self.name.contains("CVT")
            || self.name.starts_with("VFW") && ["__WV", "__WF"].iter().any(|form| self.name.ends_with(form));
        [u32::from(self.name.starts_with("VFW")), u32::from(is_from_double)]
    }

    fn is_fold(&self) -> bool {
        self.name.ends_with("__VS")
    }

    /// The name without form.
    fn stem(&self) -> &'static str {
        self.name.rsplit_once("__").map_or(self.name, |(stem, _)| stem)
    }

    fn is_integral(&self) -> bool {
        self.name.starts_with("VXOR")
    }

    fn writes_mask(&self) -> bool {
        self.name.starts_with("VM")
    }

    fn word(&self, program: &Program) -> u32 {
        let mut fields = vec![("vd", i64::from(self.d)), ("vs2", i64::from(self.a))];
        fields.push(("vm", i64::from(!self.masked)));
        match self.name.rsplit_once("__").map(|(_, form)| form) {
            Some("VV" | "WV" | "VS") => fields.push(("vs1", i64::from(self.b))),
            Some("VF" | "WF") => fields.push(("rs1", i64::from(self.b))),
            _ => {}
        }
        encode(program.module(), self.name, &fields)
    }
}

/// What there is before a round.
#[derive(Clone, Debug)]
pub struct Before {
    /// All vector registers.
    pub file: Vec<u8>,
    /// All floating-point registers.
    pub floats: Vec<u64>,
    pub frm: u64,
    /// Before each instruction.
    pub flags: u64,
    /// Elements wanted by what reads them from a register.
    pub wanted: u64,
}

/// A loop.
pub struct Loop<'p> {
    pub program: &'p Program,
    pub vlen: u32,
    pub fill: AgnosticFill,
    pub sew: u32,
    pub lmul: i32,
    pub length: Length,
    /// At most as many as flags have registers.
    pub ops: Vec<Op>,
    /// Flags are looked at after each instruction: in blocks of their own, which do not know a length that is not the most.
    pub looks: bool,
}

impl Loop<'_> {
    pub fn vlmax(&self) -> u64 {
        shape(self.vlen, self.sew, self.lmul).expect("a type").0
    }

    fn setup(&self) -> Setup<'_> {
        let module = self.program.module();
        let (_, vtype) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        let swap = |rd: i64| encode(module, "CSRRW", &[("rd", rd), ("csr", FFLAGS), ("rs1", FLAGS)]);
        let setting = self.length.setting(self.program, vtype);
        let mut words = vec![setting, swap(0), setting];
        for (op, rd) in self.ops.iter().zip(RAISED) {
            words.push(op.word(self.program));
            // One on integers raises nothing, and is compiled together with the next.
            words.extend((self.looks && !op.is_integral()).then(|| swap(rd.into())));
        }
        words.extend((!self.looks).then(|| swap(RAISED[0].into())));
        words.push(encode(module, "JAL", &[("imm", -4 * (words.len() as i64 - 1))]));
        Setup { vlen: self.vlen, fill: self.fill, ..Setup::new(self.program, words) }
    }

    /// The register file after a round, and what each instruction raises.
    fn after(&self, before: &Before) -> (Vec<u8>, Vec<u64>) {
        let (sew, size, vlenb) = (self.sew, 1_usize << self.sew, self.vlen as usize / 8);
        let vl = self.length.elements(self.vlmax(), before.wanted) as usize;
        let has_tail = self.fill == AgnosticFill::Ones && vl > 0;
        let mut file = before.file.clone();
        let mut raised = Vec::new();
        for op in &self.ops {
            let [d, a, b] = [op.d, op.a, op.b].map(|register| register as usize * vlenb);
            let [wide_d, wide_a] = op.powers().map(|power| sew + power);
            let read = |file: &[u8], at: usize, sew: u32| {
                let mut number = [0; 8];
                number[..1 << sew].copy_from_slice(&file[at..at + (1 << sew)]);
                u64::from_le_bytes(number)
            };
            let float = before.floats[op.b as usize];
            let is_boxed = sew == 3 || float >> 32 == 0xffff_ffff;
            let scalar = if is_boxed { float & ieee::mask(sew) } else { ieee::canonical(sew) };
            let mask = file[..vl.div_ceil(8)].to_vec();
            let is_active = |index: usize| !op.masked || mask[index / 8] >> (index % 8) & 1 == 1;
            let mut flags = before.flags;
            if op.is_fold() {
                let active = (0..vl).filter(|&index| is_active(index));
                let elements: Vec<u64> = active.map(|index| read(&file, a + index * size, sew)).collect();
                let (result, raises) =
                    folds::fold(op.name, sew, before.frm, read(&file, b, wide_d), &elements);
                if vl > 0 {
                    flags |= raises;
                    file[d..d + (1 << wide_d)].copy_from_slice(&result.to_le_bytes()[..1 << wide_d]);
                    file[d + (1 << wide_d)..d + vlenb]
                        .iter_mut()
                        .filter(|_| has_tail)
                        .for_each(|byte| *byte = 0xff);
                }
                raised.push(flags);
                continue;
            }
            let results: Vec<Option<u64>> = (0..vl)
                .map(|index| {
                    let second =
                        if op.name.ends_with('F') { scalar } else { read(&file, b + index * size, sew) };
                    let first = read(&file, a + (index << wide_a), wide_a);
                    let (result, raises) = if wide_d + wide_a > 2 * sew {
                        let third = read(&file, d + (index << wide_d), wide_d);
                        ieee_double::element(op.name, before.frm, [first, second, third])
                    } else {
                        ieee::element(op.stem(), sew, before.frm, first, second)
                    };
                    flags |= if is_active(index) { raises } else { 0 };
                    // What is masked off is agnostic.
                    let inactive = (self.fill == AgnosticFill::Ones).then_some(u64::MAX);
                    if is_active(index) { Some(result) } else { inactive }
                })
                .collect();
            raised.push(flags);
            if op.writes_mask() {
                for (index, holds) in results.iter().enumerate() {
                    let Some(holds) = holds else { continue };
                    let byte = &mut file[d + index / 8];
                    *byte = *byte & !(1 << (index % 8)) | ((holds & 1) as u8) << (index % 8);
                }
                for index in (vl..8 * vlenb).filter(|_| has_tail) {
                    file[d + index / 8] |= 1 << (index % 8);
                }
            } else {
                for (index, result) in results.iter().enumerate() {
                    let Some(result) = result else { continue };
                    let bytes = &result.to_le_bytes()[..1 << wide_d];
                    file[d + (index << wide_d)..][..1 << wide_d].copy_from_slice(bytes);
                }
                if has_tail {
                    let group = vlenb << (self.lmul + (wide_d - sew) as i32).max(0);
                    file[d + (vl << wide_d)..d + group].fill(0xff);
                }
            }
        }
        (file, raised)
    }

    /// Compares both tiers with the model in each of these rounds.
    pub fn check(&self, rounds: &[Before]) {
        assert!(self.ops.len() <= RAISED.len(), "flags have registers");
        let setup = self.setup();
        let after: Vec<_> = rounds.iter().map(|before| self.after(before)).collect();
        let prepare = |machine: &mut Machine<'_>, round: usize| {
            let Before { file, floats, frm, flags, wanted } = &rounds[round];
            for (register, bytes) in file.chunks_exact(self.vlen as usize / 8).enumerate() {
                machine.hart.vector.register_mut(register).copy_from_slice(bytes);
            }
            floats.iter().zip(0..).for_each(|(&float, register)| machine.hart.float.set_raw(register, float));
            machine.hart.write_csr(FRM, *frm, Clock::default()).expect("a writable register");
            machine.hart.set_x(FLAGS as u16, *flags);
            machine.hart.set_x(WANTED as u16, *wanted);
        };
        round_by_round(&setup, rounds.len(), prepare, |machine, round, compiles| {
            let what = || {
                format!(
                    "round {round}, compiled: {compiles}, VLEN {}, SEW {}, LMUL 2^{}, {:?} of {}, {:?}, frm {}, {:#?}",
                    self.vlen,
                    8 << self.sew,
                    self.lmul,
                    self.length,
                    rounds[round].wanted,
                    self.fill,
                    rounds[round].frm,
                    self.ops,
                )
            };
            let (file, raised) = &after[round];
            if !self.looks {
                let all = raised.iter().fold(0, |all, flags| all | flags);
                assert_eq!(machine.hart.x(RAISED[0]), all, "flags of all; {}", what());
            }
            let each = self.ops.iter().zip(RAISED.into_iter().zip(raised)).filter(|_| self.looks);
            for (op, (register, &flags)) in each.filter(|(op, _)| !op.is_integral()) {
                assert_eq!(machine.hart.x(register), flags, "flags of {op:?}; {}", what());
            }
            for (register, expected) in file.chunks_exact(self.vlen as usize / 8).enumerate() {
                let found = machine.hart.vector.register(register);
                assert!(found == expected, "v{register}: {found:x?}, not {expected:x?}; {}", what());
            }
        });
    }
}

/// Where the operands of instructions are.
pub const A: u32 = 8;
pub const B: u32 = 16;
/// Register with the scalar operand.
pub const SCALAR: u32 = 3;

/// Whether the loop of such a length with this number looks at flags one by one.
pub const fn looks(index: usize, length: Length) -> bool {
    !matches!(length, Length::Immediate(_)) && index.is_multiple_of(2)
}

impl Loop<'_> {
    /// Rounds on `plain` numbers alone, and with one of those that are `special` in each place of an operand.
    pub fn rounds(&self, plain: &[u64], special: &[u64]) -> Vec<Before> {
        // Numbers are as wide as those that an instruction narrows.
        let narrows = self.ops.iter().any(|op| op.powers() == [0, 1]);
        let (size, vlenb) = (1_usize << (self.sew + u32::from(narrows)), self.vlen as usize / 8);
        let lanes = self.length.elements(self.vlmax(), u64::MAX) as usize;
        let seed = u64::from(self.vlen) * 31 + (self.lmul + 3) as u64 * 1009 + 7 * lanes as u64;
        let mut random = randoms(seed + plain.len() as u64);
        let mut below = move |bound: usize| (random.next().unwrap_or(0) >> 24) as usize % bound;
        let has = |form: &str| self.ops.iter().any(|op| !op.is_integral() && op.name.ends_with(form));
        let boxed = !ieee::mask(self.sew);
        let places: Vec<Option<usize>> = (0..10)
            .map(|_| None)
            .chain((0..special.len().max(lanes.min(40))).map(|number| Some(number % lanes)))
            .collect();
        let round = |(index, place): (usize, Option<usize>)| {
            let mut file = Vec::new();
            while file.len() < 32 * vlenb {
                file.extend(&plain[below(plain.len())].to_le_bytes()[..size]);
            }
            let mut scalar = boxed | plain[below(plain.len())];
            // Some are equal, or but for their signs.
            for lane in 0..8 * vlenb / size {
                let [a, b] = [A, B].map(|register| register as usize * vlenb + lane * size);
                if below(3) == 0 {
                    file.copy_within(a..a + size, b);
                    file[b + size - 1] ^= [0, 0x80][below(2)];
                }
            }
            if let Some(place) = place {
                let number = special[index % special.len()];
                match below(5) {
                    0 if has("VF") => scalar = boxed | number,
                    1 if has("VF") => scalar &= 0x7fff_ffff_ffff_ffff,
                    _ => {
                        let register = if has("VV") { [A, A, B][below(3)] } else { A };
                        let at = register as usize * vlenb + place * size;
                        file[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
                    }
                }
            }
            if self.ops.iter().any(|op| op.masked) {
                // Most elements are active, or some, or none.
                let density = [1, 2, 2, 4, 0][below(5)];
                let mut bit =
                    || u8::from(density == 0 || below(4) < density).wrapping_sub(u8::from(density == 0));
                file[..vlenb].iter_mut().for_each(|byte| *byte = (0..8).fold(0, |bits, _| bits << 1 | bit()));
            }
            let mut floats = vec![boxed; 32];
            floats[SCALAR as usize] = scalar;
            Before {
                file,
                floats,
                frm: [0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0][below(11)],
                flags: [1, 1, 0x11, 0, 1, 0x1f, 1][below(7)],
                wanted: if index % 2 == 0 { self.vlmax() } else { index as u64 / 2 % (self.vlmax() + 1) },
            }
        };
        places.into_iter().enumerate().map(round).collect()
    }
}

/// Loops of instructions, of which each has a register group of its own to write: after [`B`], or before [`A`].
pub fn with_groups(lmul: i32, ops: &[(&'static str, u32)]) -> Vec<Vec<Op>> {
    let group = 1_usize << lmul.max(0);
    let groups: Vec<u32> = (24..32).step_by(group).chain((0..8).step_by(group)).collect();
    let of = |(&(name, b), &d): (&(&'static str, u32), &u32)| op(name, d, A, b);
    ops.chunks(groups.len()).map(|ops| ops.iter().zip(&groups).map(of).collect()).collect()
}

/// VLEN, log2 of LMUL and a length: of two elements to all of 32, and of parts.
pub const SHAPES: [(u32, i32, Length); 16] = [
    (128, 0, Length::All),
    (256, 0, Length::All),
    (512, 0, Length::All),
    (128, 3, Length::All),
    (256, 1, Length::All),
    (256, -1, Length::All),
    (128, 1, Length::All),
    (256, 0, Length::Immediate(4)),
    (512, 0, Length::Immediate(2)),
    (512, 0, Length::Immediate(8)),
    (128, 2, Length::Immediate(16)),
    (128, 2, Length::Immediate(6)),
    (256, 0, Length::Immediate(1)),
    (128, 0, Length::Register),
    (256, 0, Length::Register),
    (512, 1, Length::Register),
];
