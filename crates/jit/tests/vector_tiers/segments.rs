//! Loads and stores of segments side by side in memory, among instructions that compute their fields and go on with them,
//! against a model that moves one element after the other.

use engine::Program;
use hart::{Address, AgnosticFill};
use isa::Xlen;

use crate::Setup;
use crate::guest::{DATA, encode, program};
use crate::numbers::{random_bytes, randoms};
use crate::rounds::{Length, WANTED, round_by_round, shape};

const ROUNDS: usize = 6;
/// Bytes of memory that accesses are to.
const BYTES: usize = 0x1000;
/// Registers of addresses, from this one on.
const ADDRESSES: u16 = 10;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Of elements of so many bytes (log2), from a vector register on, at the address in an integer register.
    Segments { name: &'static str, fields: u32, width: u32, v: u32, base: u16 },
    /// `vadd.vi d, a, by`.
    Add { d: u32, a: u32, by: i64 },
    /// `addi x, x, by`.
    Move { x: u16, by: i64 },
}

/// What accesses read and write.
#[derive(Clone)]
struct State {
    file: Vec<u8>,
    memory: Vec<u8>,
    x: Vec<u64>,
}

struct Case<'p> {
    program: &'p Program,
    vlen: u32,
    fill: AgnosticFill,
    sew: u32,
    lmul: i32,
    length: Length,
    /// Whether each round sets `vl`, or only what precedes the loop.
    sets_each_round: bool,
    steps: Vec<Step>,
}

impl Step {
    fn word(self, program: &Program) -> u32 {
        match self {
            Self::Segments { name, fields, width, v, base } => {
                let (stem, end) = name.split_once('.').unwrap_or((name, ""));
                let data = if stem == "VSSEGE" { "vs3" } else { "vd" };
                let (base, count) = (i64::from(base), i64::from(fields) - 1);
                let fields = [(data, i64::from(v)), ("rs1", base), ("vm", 1), ("nf", count)];
                encode(program.module(), &format!("{stem}{}{end}__V", 8 << width), &fields)
            }
            Self::Add { d, a, by } => {
                let fields = [("vd", i64::from(d)), ("vs2", i64::from(a)), ("simm5", by & 31), ("vm", 1)];
                encode(program.module(), "VADD__VI", &fields)
            }
            Self::Move { x, by } => {
                let x = i64::from(x);
                encode(program.module(), "ADDI", &[("rd", x), ("rs1", x), ("imm", by)])
            }
        }
    }
}

impl Case<'_> {
    fn setup(&self) -> Setup<'_> {
        let (_, vtype) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        let setting = self.length.setting(self.program, vtype);
        let mut words = vec![setting];
        words.extend(self.sets_each_round.then_some(setting));
        words.extend(self.steps.iter().map(|step| step.word(self.program)));
        let back = -4 * (words.len() as i64 - 1);
        words.push(encode(self.program.module(), "JAL", &[("imm", back)]));
        Setup { vlen: self.vlen, fill: self.fill, ..Setup::new(self.program, words) }
    }

    /// What there is before a round.
    fn before(&self, round: usize) -> State {
        let of_file = 4 * self.vlen as usize;
        let mut file = random_bytes(self.vlen as u64 + 77 * round as u64, of_file + BYTES);
        let memory = file.split_off(of_file);
        let mut x: Vec<u64> = randoms(round as u64 + 5).take(32).map(|random| random as i32 as u64).collect();
        let (vlmax, _) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        // What precedes the loop is before the first round.
        let length = if self.sets_each_round { round } else { 0 };
        x[WANTED as usize] = [vlmax, vlmax, 1, vlmax.saturating_sub(1), vlmax / 2, 0][length % 6];
        // As elements are aligned, and not.
        let by = [0, 8, 3, 16, 0, 1][round % 6];
        (0..8).for_each(|index| x[ADDRESSES as usize + index] = DATA + 0x100 * index as u64 + by);
        x[0] = 0;
        State { file, memory, x }
    }

    /// What a round makes of it.
    fn after(&self, mut state: State) -> State {
        let (vlmax, _) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        let vl = self.length.elements(vlmax, state.x[WANTED as usize]) as usize;
        let vlenb = self.vlen as usize / 8;
        let group = |width: u32| vlenb << (self.lmul + width as i32 - self.sew as i32).max(0);
        let has_tail = self.fill == AgnosticFill::Ones && vl > 0;
        let State { file, memory, x } = &mut state;
        for &step in &self.steps {
            match step {
                Step::Segments { name, fields, width, v, base } => {
                    let (size, fields) = (1_usize << width, fields as usize);
                    let at = (x[base as usize] - DATA) as usize;
                    for field in 0..fields {
                        let first = v as usize * vlenb + field * group(width);
                        for element in 0..vl {
                            let in_file = first + element * size;
                            let in_memory = at + (element * fields + field) * size;
                            for byte in 0..size {
                                match name {
                                    "VSSEGE" => memory[in_memory + byte] = file[in_file + byte],
                                    _ => file[in_file + byte] = memory[in_memory + byte],
                                }
                            }
                        }
                        if name != "VSSEGE" && has_tail {
                            file[first + vl * size..first + group(width)].fill(0xff);
                        }
                    }
                }
                Step::Add { d, a, by } => {
                    let [d, a] = [d, a].map(|register| register as usize * vlenb);
                    let size = 1 << self.sew;
                    for at in (0..vl).map(|element| element * size) {
                        let mut number = [0; 8];
                        number[..size].copy_from_slice(&file[a + at..][..size]);
                        let sum = u64::from_le_bytes(number).wrapping_add(by as u64).to_le_bytes();
                        file[d + at..][..size].copy_from_slice(&sum[..size]);
                    }
                    if has_tail {
                        file[d + vl * size..d + group(self.sew)].fill(0xff);
                    }
                }
                Step::Move { x: register, by } => x[register as usize] += by as u64,
            }
        }
        state
    }

    fn check(&self) {
        let setup = self.setup();
        let mask = self.program.isa().xlen().mask();
        let vlenb = self.vlen as usize / 8;
        let all: Vec<[State; 2]> =
            (0..ROUNDS).map(|round| [self.before(round), self.after(self.before(round))]).collect();
        round_by_round(
            &setup,
            ROUNDS,
            |machine, round| {
                let State { file, memory, x } = &all[round][0];
                for (register, bytes) in file.chunks_exact(vlenb).enumerate() {
                    machine.hart.vector.register_mut(register).copy_from_slice(bytes);
                }
                machine.memory.slice_mut(Address(DATA), BYTES).expect("data").copy_from_slice(memory);
                x.iter().enumerate().for_each(|(index, x)| machine.hart.set_x(index as u16, x & mask));
            },
            |machine, round, compiles| {
                let State { file, memory, x } = &all[round][1];
                let what = || {
                    format!(
                        "round {round}, compiled: {compiles}, VLEN {}, SEW {}, LMUL 2^{}, {:?}, {:?}: {:#?}",
                        self.vlen,
                        8 << self.sew,
                        self.lmul,
                        self.length,
                        self.fill,
                        self.steps
                    )
                };
                for (register, expected) in file.chunks_exact(vlenb).enumerate() {
                    let found = machine.hart.vector.register(register);
                    assert!(found == expected, "v{register}: {found:x?}, not {expected:x?}; {}", what());
                }
                let found = machine.memory.slice(Address(DATA), BYTES).expect("data");
                assert!(found == memory, "memory; {}", what());
                for register in (ADDRESSES..ADDRESSES + 8).map(usize::from) {
                    assert_eq!(machine.hart.x(register as u16), x[register] & mask, "{}", what());
                }
            },
        );
    }
}

/// Stores and loads of all numbers of fields of so wide elements, between additions: to registers that are loaded and of
/// those that are stored. The first registers, the last ones and others; loads see what was stored.
fn steps(sew: u32, lmul: i32, width: u32, seed: u64) -> Vec<Step> {
    let emul = lmul + width as i32 - sew as i32;
    let (group, of_sums) = (1_u32 << emul.max(0), 1_u32 << lmul.max(0));
    let mut random = randoms(seed);
    let mut below = |bound: u32| (random.next().unwrap_or(0) >> 20) as u32 % bound;
    let mut steps = Vec::new();
    for fields in (2..=8).filter(|fields| fields * group <= 8) {
        let places = (32 - fields * group) / group + 1;
        let mut place = |steps: &mut Vec<Step>, is_store: bool| {
            let v = group * [0, places - 1, below(places), below(places)][(below(4)) as usize];
            let base = ADDRESSES + below(4) as u16;
            let sums: Vec<Step> = (0..2)
                .map(|_| {
                    let one = (v + below(fields * group)) / of_sums * of_sums;
                    let other = below(32 / of_sums) * of_sums;
                    let (d, a) = if is_store { (one, other) } else { (other, one) };
                    Step::Add { d, a, by: i64::from(below(32)) - 16 }
                })
                .collect();
            let name = match (is_store, below(3)) {
                (true, _) => "VSSEGE",
                (false, 0) => "VLSEGE.FF",
                _ => "VLSEGE",
            };
            let access = Step::Segments { name, fields, width, v, base };
            if is_store {
                steps.extend(sums);
                steps.push(access);
            } else {
                steps.push(access);
                steps.extend(sums);
            }
            steps.push(Step::Move { x: base, by: 8 * i64::from(below(4)) });
        };
        place(&mut steps, true);
        place(&mut steps, false);
    }
    steps
}

/// Whether elements of a width other than SEW have a group, and one of two fields.
fn has_groups(sew: u32, lmul: i32, width: u32) -> bool {
    (-3..=2).contains(&(lmul + width as i32 - sew as i32))
}

/// All types of a VLEN: in every other, each round sets `vl`, and agnostic elements become ones in every third.
fn check_types(program: &Program, vlen: u32) {
    for (sew, lmul) in (0..4).flat_map(|sew| (-3..=2).map(move |lmul| (sew, lmul))) {
        if shape(vlen, sew, lmul).is_none() {
            continue;
        }
        let index = sew as usize * 6 + (lmul + 3) as usize;
        let fill = if index.is_multiple_of(3) { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        let (length, sets_each_round) = (Length::All, index.is_multiple_of(2));
        let steps = steps(sew, lmul, sew, index as u64 + u64::from(vlen));
        Case { program, vlen, fill, sew, lmul, length, sets_each_round, steps }.check();
    }
}

/// Two registers are a column.
#[test]
fn all_types_of_64_bits() {
    check_types(&program("rv64gcv"), 64);
}

#[test]
fn all_types_of_128_bits() {
    check_types(&program("rv64gcv"), 128);
}

#[test]
fn all_types_of_256_bits() {
    check_types(&program("rv64gcv"), 256);
}

#[test]
fn all_types_of_512_bits() {
    check_types(&program("rv64gcv"), 512);
}

/// Whole columns, parts of them and nothing; lengths that are known and that are not.
#[test]
fn short_segments() {
    let programs = [Xlen::Rv64, Xlen::Rv32].map(|xlen| program(&format!("rv{}gcv", xlen.bits())));
    let lengths = [4, 8, 16, 31, 3, 0].map(Length::Immediate);
    for (index, length) in lengths.into_iter().chain([Length::Register; 3]).enumerate() {
        for fill in [AgnosticFill::Undisturbed, AgnosticFill::Ones] {
            let (sew, lmul) = [(2, 0), (1, 1), (0, -1), (3, 1)][index % 4];
            let vlen = [128, 256, 512][index % 3];
            let sets_each_round = index % 2 == 1 || length == Length::Register;
            let program = &programs[index % 2];
            let steps = steps(sew, lmul, sew, index as u64);
            Case { program, vlen, fill, sew, lmul, length, sets_each_round, steps }.check();
        }
    }
}

/// Elements of another width than SEW, so that groups of fields are longer or shorter than those of sums.
#[test]
fn elements_of_other_widths() {
    let program = program("rv64gcv");
    let mut index = 0;
    for (sew, width) in (0..4).flat_map(|sew| (0..4).map(move |width| (sew, width))) {
        let lmul = [0, 1, -1, 2][(sew + width) as usize % 4];
        if sew == width || !has_groups(sew, lmul, width) || shape(256, sew, lmul).is_none() {
            continue;
        }
        index += 1;
        let (vlmax, _) = shape(256, sew, lmul).expect("a type");
        for length in [Length::All, Length::Immediate((vlmax / 2).min(16))] {
            let is_all = length == Length::All;
            let fill = if index % 2 == 0 || !is_all { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
            let steps = steps(sew, lmul, width, index);
            let (program, sets_each_round) = (&program, index % 3 == 0 || !is_all);
            Case { program, vlen: 256, fill, sew, lmul, length, sets_each_round, steps }.check();
        }
    }
}
