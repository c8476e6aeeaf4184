//! Whether everything that an entry lists is needed: a read has to matter in some trial, with all else as it was, and
//! a write has to change something.

use isa::operands::{AccessKind, Csr, Effects, File, Index, Register};

use crate::random::Random;
use crate::state::{self, CSRS, MSTATUS, State, VL, VTYPE};
use crate::trial::{Checked, Set, Trial, bits, change};

/// `instret`, whose value is how many instructions a trial has.
const INSTRET: u16 = 0xc02;

/// One thing that an entry lists, by its place there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    Read(usize),
    Write(usize),
    CsrRead(usize),
    CsrWrite(usize),
    CsrAccrue(usize),
    Load,
    Store,
}

impl Item {
    /// Everything that the entry lists, but for what a trial cannot choose: registers of a description's own, and
    /// counters.
    pub fn all(effects: &Effects) -> Vec<Self> {
        let places = |list: &[Register], item: fn(usize) -> Self| -> Vec<Self> {
            let is_held = |register: &Register| !matches!(register.file, File::Own(_));
            (0..list.len()).filter(|&place| is_held(&list[place])).map(item).collect()
        };
        let is_counter = |csr: &Csr| csr.index == Index::Fixed(INSTRET);
        let csr_reads = (0..effects.csr_reads.len()).filter(|&place| !is_counter(&effects.csr_reads[place]));
        let has = |kind| effects.memory.iter().any(|access| access.kind == kind);
        let mut all = places(&effects.reads, Self::Read);
        all.extend(places(&effects.writes, Self::Write));
        all.extend(csr_reads.map(Self::CsrRead));
        all.extend((0..effects.csr_writes.len()).map(Self::CsrWrite));
        all.extend((0..effects.csr_accrues.len()).map(Self::CsrAccrue));
        all.extend((has(AccessKind::Load) || has(AccessKind::Fetch)).then_some(Self::Load));
        all.extend(has(AccessKind::Store).then_some(Self::Store));
        all
    }
}

impl Checked<'_> {
    /// True if the trial shows that the item is needed.
    pub fn is_needed(&self, item: Item, trial: &Trial<'_>, random: &mut Random) -> bool {
        let (effects, base) = (self.effects, &trial.base);
        let mut changed = trial.state.clone();
        match item {
            Item::Write(place) => return trial.changes(&alone(&effects.writes, place, trial)),
            Item::CsrWrite(place) => return trial.changes_csr(&effects.csr_writes[place]),
            Item::CsrAccrue(place) => return trial.changes_csr(&effects.csr_accrues[place]),
            Item::Store => return base.memory != trial.state.memory,
            Item::Load => changed.set_memory(random),
            Item::Read(place) => {
                let set = alone(&effects.reads, place, trial);
                for register in 0..32 {
                    change(self.program, &mut changed, File::X, register, random, set.x[register]);
                    change(self.program, &mut changed, File::F, register, random, set.f[register]);
                    change(self.program, &mut changed, File::V, register, random, set.v[register]);
                }
            }
            Item::CsrRead(place) => {
                for (number, _) in &trial.base.before {
                    let bits = bits(&effects.csr_reads[place..=place], &trial.site, *number);
                    if bits != 0 {
                        self.change_csr(&mut changed, *number, bits, random);
                    }
                }
            }
        }
        let outcome = changed.run(self.program, trial.site.word, false);
        outcome.difference(&changed, base, &trial.state, &trial.writes).is_some()
            || self.csrs_agree(trial, &outcome).is_err()
    }

    /// Another value of a CSR or of some bits of it, the others as they are.
    fn change_csr(&self, state: &mut State, number: u16, bits: u64, random: &mut Random) {
        match number {
            MSTATUS => state.change_status(random, bits),
            VL => state.set_length(random),
            VTYPE => {
                let vl = state.vl;
                state.set_type(random);
                state.vl = vl.min(state.longest());
            }
            _ => {
                if let Some(index) = CSRS.iter().position(|&known| known == number) {
                    state.csrs[index] = state::csr(random, number, self.program.isa().xlen().mask());
                }
            }
        }
    }
}

/// Registers of the operand at a place of a list that are no other's, but for one that may be any.
fn alone(list: &[Register], place: usize, trial: &Trial<'_>) -> Set {
    let others = list.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| other);
    let others: Vec<Register> = others.filter(|other| other.index != Index::Any).cloned().collect();
    let [mut set, others] =
        [&list[place..=place], &others].map(|list| Set::of(list, &trial.site, &trial.state));
    for register in 0..32 {
        set.x[register] &= !others.x[register];
        set.f[register] &= !others.f[register];
        set.v[register] &= !others.v[register];
    }
    set
}

impl Trial<'_> {
    fn changes(&self, set: &Set) -> bool {
        let (state, base) = (&self.state, &self.base);
        let bytes = |register: usize| register * state.vlenb..(register + 1) * state.vlenb;
        (0..32).any(|register| {
            set.x[register] && state.x[register] != base.x[register]
                || set.f[register] && state.f[register] != base.f[register]
                || set.v[register] && state.v[bytes(register)] != base.v[bytes(register)]
        })
    }

    fn changes_csr(&self, csr: &Csr) -> bool {
        let is_other = |(number, before): &(u16, Option<u64>)| {
            bits(std::slice::from_ref(csr), &self.site, *number) != 0 && *before != self.base.csr(*number)
        };
        self.base.before.iter().any(is_other)
    }
}
