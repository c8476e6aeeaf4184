//! Loops whose registers and memory a test sets before each round and looks at after it, in each tier.

use std::ops::Range;

use engine::program::Program;
use engine::tier::{Compiler, Entry, Refused, Region, Return};
use engine::timed::Records;
use engine::uop::Kind;
use engine::{Blind, Limits, Machine, Stop};
use hart::System;
use jit::Jit;

use crate::Setup;
use crate::guest::Screen;

/// How many elements a loop asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// As many as there are.
    All,
    /// This many, in the instruction.
    Immediate(u64),
    /// What register [`WANTED`] says.
    Register,
}

/// Register with the elements wanted.
pub const WANTED: i64 = 9;

impl Length {
    /// The word that sets `vl` and this `vtype`.
    pub fn setting(self, program: &Program, vtype: i64) -> u32 {
        let (name, from) = match self {
            Self::All => ("VSETVLI", ("rs1", 0)),
            Self::Register => ("VSETVLI", ("rs1", WANTED)),
            Self::Immediate(count) => ("VSETIVLI", ("uimm", count as i64)),
        };
        let rd = if self == Self::All { 8 } else { 0 };
        crate::guest::encode(program.module(), name, &[("rd", rd), from, ("zimm", vtype)])
    }

    /// `vl` where register [`WANTED`] is as given.
    pub fn elements(self, vlmax: u64, wanted: u64) -> u64 {
        match self {
            Self::All => vlmax,
            Self::Immediate(count) => vlmax.min(count),
            Self::Register => vlmax.min(wanted),
        }
    }
}

/// Elements of a group of SEW (log2 of bytes) and LMUL (log2), if there is such a `vtype`; and the `vtype`, agnostic.
pub fn shape(vlen: u32, sew: u32, lmul: i32) -> Option<(u64, i64)> {
    let is_supported = lmul >= 0 || sew as i32 + 3 <= lmul + 6;
    let bytes = if lmul >= 0 { (vlen / 8) << lmul } else { (vlen / 8) >> -lmul };
    let vtype = 0xc0 | i64::from(sew) << 3 | i64::from(lmul & 7);
    is_supported.then_some((u64::from(bytes >> sew), vtype))
}

/// A compiler that does not leave vector instructions to the interpreter because its code is wrong.
pub struct Strict(pub Jit);

impl Compiler for Strict {
    fn threshold(&self) -> u32 {
        self.0.threshold()
    }

    fn compile(&mut self, region: &Region<'_>) -> Result<Vec<Option<Entry>>, Refused> {
        let compiled = self.0.compile(region);
        let first = region.members.first().and_then(|member| member.block.uops.first());
        let is_refused = matches!(compiled, Err(Refused::Unfit));
        let can_be_compiled = first.is_some_and(|uop| matches!(uop.op.kind(), Kind::Unit | Kind::Load(_)));
        assert!(!(is_refused && can_be_compiled), "what begins so can be compiled");
        compiled
    }

    fn enter(
        &mut self,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return> {
        self.0.enter(entry, system, program, budget, records)
    }

    fn outdated(&mut self) -> Option<Range<u32>> {
        self.0.outdated()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn another(&self) -> Box<dyn Compiler> {
        self.0.another()
    }
}

/// The second instruction and those that follow are a loop of so many. It is interpreted and compiled, with what few hosts have
/// and without.
pub fn round_by_round(
    setup: &Setup<'_>,
    rounds: usize,
    mut prepare: impl FnMut(&mut Machine<'_>, usize),
    mut check: impl FnMut(&mut Machine<'_>, usize, bool),
) {
    let length = setup.words.len() as u64 - 1;
    for compiler in [None, Some(Jit::new()), Some(Jit::new().without_rare())] {
        let mut machine = setup.machine();
        let compiles = compiler.is_some();
        if let Some(compiler) = compiler {
            machine.set_compiler(Box::new(Strict(compiler.after(1))));
        }
        for round in 0..rounds {
            prepare(&mut machine, round);
            let limits = Limits { instructions: Some(1 + length * (round as u64 + 1)) };
            let stop = machine.run(limits, &mut Blind, &mut Screen::default());
            assert_eq!(stop, Stop::InstructionLimit, "round {round}, compiled: {compiles}");
            check(&mut machine, round, compiles);
        }
    }
}
