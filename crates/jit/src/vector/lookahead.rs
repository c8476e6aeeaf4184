//! What the rest of a block does with vector registers. It decides which columns are worth keeping in the host's registers,
//! never what has to be stored.

use engine::block::Block;
use engine::tier::Region;
use engine::uop::Op;
use hart::vector::Vtype;
use hart::vector::compiled::Compiled;
use isa::operands::{File, Register, Site};

use super::expectation;
use crate::shape;

/// Instructions looked at from any one: a column that is read later than that can as well be loaded again.
const FAR: usize = 64;

/// What becomes of a register next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// An instruction reads it, so many instructions on.
    Read(usize),
    /// It is written without being read.
    Overwritten,
    /// Neither, as far as one can see.
    Nothing,
}

/// What one instruction does with vector registers, as sets of bits.
#[derive(Clone, Copy, Default)]
struct Step {
    reads: u32,
    writes: u32,
    /// Columns do not outlive it.
    calls: bool,
}

/// The instructions of a block in the order in which they are compiled.
#[derive(Clone, Default)]
pub struct Lookahead {
    steps: Vec<Step>,
    /// The one after the one that is being compiled.
    at: usize,
}

impl Lookahead {
    /// The instructions of a block in this order, which begins with this `vtype`; none if it has no vector instruction.
    pub fn new(region: &Region<'_>, block: &Block, order: &[usize], mut vtype: Option<Vtype>) -> Self {
        let mut steps = Vec::new();
        if block.uops.iter().any(|uop| uop.op == Op::Unit) {
            steps.extend(order.iter().map(|&instruction| Step::of(region, block, instruction, &mut vtype)));
        }
        Self { steps, at: 0 }
    }

    /// Another instruction is compiled.
    pub const fn go_on(&mut self) {
        self.at += 1;
    }

    /// True if anything is known.
    pub const fn sees(&self) -> bool {
        !self.steps.is_empty()
    }

    /// What becomes of a register after the instruction that is being compiled.
    pub fn next(&self, register: usize) -> Next {
        let bit = 1_u32 << (register & 31);
        for (distance, step) in self.steps.iter().skip(self.at).take(FAR).enumerate() {
            if step.reads & bit != 0 {
                return Next::Read(distance);
            }
            if step.calls {
                break;
            }
            if step.writes & bit != 0 {
                return Next::Overwritten;
            }
        }
        Next::Nothing
    }
}

impl Step {
    fn of(region: &Region<'_>, block: &Block, instruction: usize, vtype: &mut Option<Vtype>) -> Self {
        let mut step = Self::default();
        for uop in &block.uops[shape::uops_of(block, instruction)] {
            if uop.op != Op::Unit {
                continue;
            }
            let site = shape::site(region, *uop);
            if expectation::sets_type(site) {
                *vtype = expectation::set_by(region, site).or(*vtype);
                continue;
            }
            let is_vector = |registers: &[Register]| registers.iter().any(|one| one.file == File::V);
            let compiled = region.program.vector(uop.instruction()).map(|operation| &operation.compiled);
            let stays = compiled.is_some_and(keeps_columns);
            step.reads |= registers(site, &site.effects.reads, *vtype);
            step.writes |= registers(site, &site.effects.writes, *vtype);
            step.calls |= !stays && (is_vector(&site.effects.reads) || is_vector(&site.effects.writes));
        }
        step
    }
}

/// True for what is mostly done in place.
const fn keeps_columns(compiled: &Compiled) -> bool {
    match compiled {
        Compiled::Lane(_)
        | Compiled::Carried(..)
        | Compiled::Compared(..)
        | Compiled::Masking(..)
        | Compiled::Fixed(..)
        | Compiled::Doubled(..)
        | Compiled::Extended(..)
        | Compiled::Spread(..)
        | Compiled::Float(..)
        | Compiled::Counts(_)
        | Compiled::Reduction(..)
        | Compiled::FloatDoubled(..)
        | Compiled::Slid(..)
        | Compiled::Numbers(_)
        | Compiled::Gather(_)
        | Compiled::GatherBy16Bits(_)
        | Compiled::Access => true,
        Compiled::Direct(directs, _) => directs.lane.is_some(),
        Compiled::Body
        | Compiled::Checked(_)
        | Compiled::Whole(_)
        | Compiled::Groups(..)
        | Compiled::OfBrain(..)
        | Compiled::Round(_) => false,
    }
}

/// The vector registers among these under a `vtype`.
fn registers(site: Site<'_>, all: &[Register], vtype: Option<Vtype>) -> u32 {
    let (sew, lmul) = vtype.map_or((8, 0), |vtype| (8 << vtype.sew, vtype.lmul));
    let named = all.iter().filter(|one| one.file == File::V && site.holds(&one.when));
    named.fold(0, |set, one| {
        let Some(first) = site.index(&one.index) else { return u32::MAX };
        let count = u32::from(site.count(one.group, sew, lmul)).min(32);
        set | (((1_u64 << count) - 1) << (first & 31)) as u32
    })
}
