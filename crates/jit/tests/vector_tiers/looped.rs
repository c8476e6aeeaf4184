//! Loops of instructions whose registers and memory are others in each round, against the model of the unit.

use engine::Program;
use hart::{Address, AgnosticFill};

use crate::Setup;
use crate::guest::{DATA, encode};
use crate::numbers::{random_bytes, randoms};
use crate::rounds::{Length, WANTED, round_by_round, shape};
use crate::unit::{BYTES, Step, Unit};

const ROUNDS: usize = 6;
/// Registers of addresses, from this one on.
pub const ADDRESSES: u32 = 10;

/// A loop.
pub struct Looped<'p> {
    pub program: &'p Program,
    pub vlen: u32,
    pub ones: bool,
    pub sew: u32,
    pub lmul: i32,
    pub length: Length,
    /// Whether each round sets `vl`, or only what precedes the loop.
    pub sets_each_round: bool,
    /// Whether memory is a process's.
    pub paged: bool,
    pub steps: Vec<Step>,
}

impl<'p> Looped<'p> {
    /// Of all elements, of undisturbed tails.
    pub fn new(program: &'p Program, vlen: u32, (sew, lmul): (u32, i32), steps: Vec<Step>) -> Self {
        let length = Length::All;
        Self { program, vlen, ones: false, sew, lmul, length, sets_each_round: true, paged: false, steps }
    }

    pub fn setup(&self) -> Setup<'p> {
        let (_, vtype) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        let setting = self.length.setting(self.program, vtype);
        let mut words = vec![setting];
        words.extend(self.sets_each_round.then_some(setting));
        words.extend(self.steps.iter().map(|step| step.word(self.program)));
        let back = -4 * (words.len() as i64 - 1);
        words.push(encode(self.program.module(), "JAL", &[("imm", back)]));
        let fill = if self.ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed };
        Setup { vlen: self.vlen, fill, paged: self.paged, ..Setup::new(self.program, words) }
    }

    /// What there is before a round, with random numbers and those in `vl` that a test asks for.
    fn before(&self, round: usize) -> Unit {
        let of_file = 4 * self.vlen as usize;
        let mut file = random_bytes(u64::from(self.vlen) + 77 * round as u64, of_file + BYTES);
        let memory = file.split_off(of_file);
        let mut x: Vec<u64> = randoms(round as u64 + 5).take(32).map(|random| random as i32 as u64).collect();
        let (vlmax, _) = shape(self.vlen, self.sew, self.lmul).expect("a type");
        x[WANTED as usize] = [vlmax, vlmax + 3, 1, vlmax.saturating_sub(1), vlmax / 2, 0][round % 6];
        let by = [0, 8, 3, 16, 0, 1][round % 6];
        (0..8).for_each(|index| x[ADDRESSES as usize + index] = DATA + 0x100 * index as u64 + by);
        x[0] = 0;
        let rv32 = self.program.isa().xlen() == isa::Xlen::Rv32;
        if rv32 {
            x.iter_mut().for_each(|x| *x = *x as i32 as u64);
        }
        let vl = self.length.elements(vlmax, x[WANTED as usize]) as usize;
        let (sew, lmul, hole) = (self.sew, self.lmul, 0..0);
        Unit { vlen: self.vlen, rv32, ones: self.ones, sew, lmul, vl, file, memory, x, hole, vxsat: false }
    }

    pub fn check(&self) {
        self.check_with(|_, _| {});
    }

    /// Compares each round of both tiers with the model; `prepare` changes what there is before one.
    pub fn check_with(&self, prepare: impl Fn(&mut Unit, usize)) {
        let setup = self.setup();
        let mask = self.program.isa().xlen().mask();
        let vlenb = self.vlen as usize / 8;
        let mut vl = None;
        let all: Vec<[Unit; 2]> = (0..ROUNDS)
            .map(|round| {
                let mut before = self.before(round);
                prepare(&mut before, round);
                before.vl = self.length.elements(before.vlmax() as u64, before.x[WANTED as usize]) as usize;
                if !self.sets_each_round {
                    before.vl = *vl.get_or_insert(before.vl);
                }
                let mut after = before.clone();
                if self.length == Length::All {
                    after.x[8] =
                        if round == 0 || self.sets_each_round { after.vl as u64 } else { after.x[8] };
                }
                self.steps.iter().for_each(|step| after.execute(step).expect("no access fails"));
                vl = Some(if self.sets_each_round { before.vl } else { after.vl });
                [before, after]
            })
            .collect();
        round_by_round(
            &setup,
            ROUNDS,
            |machine, round| {
                let Unit { file, memory, x, .. } = &all[round][0];
                for (register, bytes) in file.chunks_exact(vlenb).enumerate() {
                    machine.hart.vector.register_mut(register).copy_from_slice(bytes);
                }
                machine.memory.slice_mut(Address(DATA), BYTES).expect("data").copy_from_slice(memory);
                x.iter().enumerate().for_each(|(index, x)| machine.hart.set_x(index as u16, x & mask));
            },
            |machine, round, compiles| {
                let Unit { file, memory, x, .. } = &all[round][1];
                let what = || {
                    format!(
                        "round {round}, compiled: {compiles}, VLEN {}, SEW {}, LMUL 2^{}, {:?} ({}), ones: {}: {:#?}",
                        self.vlen,
                        8 << self.sew,
                        self.lmul,
                        self.length,
                        all[round][0].vl,
                        self.ones,
                        self.steps
                    )
                };
                for (register, expected) in file.chunks_exact(vlenb).enumerate() {
                    let found = machine.hart.vector.register(register);
                    assert!(found == expected, "v{register}: {found:x?}, not {expected:x?}; {}", what());
                }
                let found = machine.memory.slice(Address(DATA), BYTES).expect("data");
                assert!(found == memory, "memory; {}", what());
                for (register, x) in x.iter().enumerate() {
                    assert_eq!(machine.hart.x(register as u16), x & mask, "x{register}, {}", what());
                }
            },
        );
    }
}
