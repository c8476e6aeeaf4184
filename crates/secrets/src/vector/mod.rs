//! Instructions of units: vectors by rows of their own, floating point by the table of operands.

mod access;
mod float;
mod lanes;
mod permutation;
mod registers;
mod rule;
mod walk;

pub use registers::{Pending, Registers};
pub use rule::Rule;

use engine::follow::Step;
use isa::InstructionId;
use isa::operands::{Class, Csr, Eew, File, Group, Site};

use hart::Hart;

use crate::bits::{Bits, ones};
use crate::finding::Kind;
use crate::scalar::{FFLAGS, FRM, VXRM};
use crate::shadow::{Secret, Shadow};
use hart::vector::compiled::Second;

/// A vector instruction that is about to be executed.
pub(crate) struct Instruction<'a> {
    pub hart: &'a Hart,
    pub site: Site<'a>,
    /// log2 of the element width in bytes, and of LMUL.
    pub sew: u8,
    pub lmul: i8,
    pub vl: usize,
    pub vstart: usize,
    pub vlenb: usize,
    pub masked: bool,
}

impl Instruction<'_> {
    pub(crate) const fn vd(&self) -> u32 {
        self.site.word >> 7 & 31
    }

    pub(crate) const fn vs1(&self) -> u32 {
        self.site.word >> 15 & 31
    }

    pub(crate) const fn vs2(&self) -> u32 {
        self.site.word >> 20 & 31
    }

    /// Bits of an element of SEW.
    pub(crate) const fn width(&self) -> u32 {
        8 << self.sew
    }

    /// Elements that it is about.
    pub(crate) const fn body(&self) -> std::ops::Range<usize> {
        self.vstart..self.vl
    }

    /// Bits of an operand's elements.
    pub(crate) const fn bits_of(&self, eew: Eew) -> u32 {
        eew.bits(8 << self.sew) as u32
    }

    pub(crate) fn registers(&self, group: Group) -> usize {
        self.site.count(group, 8 << self.sew, self.lmul).into()
    }

    fn value(&self, at: usize, bytes: usize) -> u64 {
        let (register, offset) = (at / self.vlenb, at % self.vlenb);
        // An element never crosses registers.
        let bytes = &self.hart.vector.register(register & 31)[offset..(offset + bytes).min(self.vlenb)];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }
}

/// True if a CSR is among an instruction's.
fn names(list: &[Csr], site: Site<'_>, wanted: u16) -> bool {
    list.iter().filter_map(|csr| site.index(&csr.index)).any(|number| number == wanted)
}

impl Shadow {
    /// An instruction of a unit is about to be executed.
    pub(crate) fn unit(&mut self, step: &Step<'_>) {
        let uop = step.op();
        let id = InstructionId(uop.instruction());
        let site = step.program.site(id, uop.word());
        self.pending.reset();
        if !site.effects.touches(File::V) && site.effects.class != Class::VectorConfig {
            return self.float(step.hart, site);
        }
        let vector = &step.hart.vector;
        let vtype = vector.vtype();
        let instruction = Instruction {
            hart: step.hart,
            site,
            sew: vtype.sew,
            lmul: vtype.lmul,
            vl: vector.vl(),
            vstart: vector.vstart(),
            vlenb: vector.vlenb(),
            masked: site.word >> 25 & 1 == 0,
        };
        if !site.effects.memory.is_empty() {
            return self.access(&instruction);
        }
        if site.effects.class == Class::VectorConfig {
            return self.configure(&instruction);
        }
        // Nothing secret goes in, and nothing is there to become public.
        if self.is_untouched(&instruction) {
            return;
        }
        let rule = self.rules[id.index()];
        match rule {
            Rule::Lane(rule, v0) => self.lanes(&instruction, step.program.vector(id.0), rule, v0),
            Rule::Group => self.element_groups(&instruction, step.program.vector(id.0)),
            Rule::Logic(logic) => self.mask_logic(&instruction, logic),
            Rule::WholeMask => self.whole_mask(&instruction),
            Rule::Count => self.count_mask(&instruction),
            Rule::Slide(slide) => self.slide(&instruction, slide),
            Rule::Gather(index) => self.gather(&instruction, index),
            Rule::Compress => self.compress(&instruction),
            Rule::Reduce(is_bitwise, power) => self.reduce(&instruction, is_bitwise, power),
            Rule::ToScalar => self.first_to_integer(&instruction),
            Rule::FromScalar => self.integer_to_first(&instruction),
            Rule::Registers => self.whole_registers(&instruction),
            Rule::Whole => self.whole(&instruction),
        }
        if names(&site.effects.csr_accrues, site, FFLAGS) {
            let read = self.read(&instruction);
            self.pending.accrued = Some((FFLAGS, read.as_a_whole()));
        }
    }

    /// Of the rounding mode, if an instruction reads it.
    fn rounding(&self, site: Site<'_>) -> Secret {
        let read = [FRM, VXRM].into_iter().filter(|&number| names(&site.effects.csr_reads, site, number));
        read.fold(Secret::default(), |all, number| all.or(self.csr(number)))
    }

    fn is_untouched(&self, instruction: &Instruction<'_>) -> bool {
        let Instruction { site, .. } = instruction;
        if self.vectors.are_public() && self.vectors.length.bits == 0 {
            let integers = site.reads(File::X).chain(site.writes(File::X));
            let floats = site.reads(File::F).chain(site.writes(File::F));
            return self.rounding(*site).bits == 0
                && integers.flatten().all(|register| self.slot(register).bits == 0)
                && floats.flatten().all(|register| self.floats[usize::from(register & 31)].bits == 0);
        }
        false
    }

    /// `vl` and `vtype`.
    fn configure(&mut self, instruction: &Instruction<'_>) {
        let Instruction { site, hart, .. } = *instruction;
        let word = site.word;
        let (rd, rs1) = ((word >> 7 & 31) as u16, (word >> 15 & 31) as u16);
        let is_immediate = word >> 30 == 3;
        let is_register = word >> 25 == 0x40;
        let vtype = if is_register { self.slot((word >> 20 & 31) as u16) } else { Secret::default() };
        let keeps = !is_immediate && rs1 == 0 && rd == 0;
        let wanted = if is_immediate { Secret::default() } else { self.slot(rs1) };
        let mut length = if keeps { self.vectors.length } else { Secret::default() };
        if wanted.bits != 0 {
            let asked = u64::from(word >> 20 & 0x7ff);
            let asked = if is_register { hart.x((word >> 20 & 31) as u16) } else { asked };
            let vtype = hart.vector.supported(asked);
            let longest = hart.vector.vlmax(vtype.sew, vtype.lmul) as u64;
            let wanted_bits = Bits { value: hart.x(rs1), secret: wanted.bits };
            if wanted_bits.least().min(longest) != wanted_bits.most().min(longest) {
                length = Secret { bits: crate::bits::filled(longest), trail: wanted.trail };
                self.find(Kind::VectorLength, wanted.trail);
            }
        }
        if vtype.bits != 0 {
            self.find(Kind::VectorLength, vtype.trail);
            length = Secret { bits: u64::MAX, trail: vtype.trail };
        }
        self.pending.length = Some(length);
        self.pending.integers[0] = Some((rd, length));
        self.pending.is_active = true;
    }

    /// The second operand's bits if it is the same for every element, of a width.
    pub(crate) fn scalar(&self, hart: &Hart, second: Second, width: u32) -> (Bits, Secret) {
        match second {
            Second::Register(register) => {
                let secret = self.slot(register);
                let xlen = u32::from(self.xlen.bits());
                let held = Bits { value: hart.x(register), secret: secret.bits };
                (held.sign_extended(xlen, 64).low(width), secret)
            }
            Second::Float(register) => {
                let secret = self.floats[usize::from(register & 31)];
                // Whether the register holds a boxed number may be secret as a whole.
                let bits = if secret.bits == 0 { 0 } else { ones(width) };
                (Bits { value: hart.vector_float(register) & ones(width), secret: bits }, secret)
            }
            Second::Immediate(value) => (Bits::public(value & ones(width)), Secret::default()),
            Second::Group(_) => (Bits::default(), Secret::default()),
        }
    }

    /// Secret bits of vector operands, as far as they are used.
    pub(crate) fn vector_operands(&self, hart: &Hart, site: Site<'_>) -> Secret {
        let vtype = hart.vector.vtype();
        let mut found = Secret::default();
        for register in site.effects.reads.iter().filter(|register| register.file == File::V) {
            let Some(first) = site.index(&register.index).filter(|_| site.holds(&register.when)) else {
                continue;
            };
            let vl = hart.vector.vl();
            let sew = 8 << vtype.sew;
            let bytes = match register.group {
                Group::Mask => vl.div_ceil(8),
                Group::Scalar(eew) => usize::from(eew.bits(sew) / 8),
                Group::Elements(eew) => vl * usize::from(eew.bits(sew)) / 8,
                group @ (Group::Single | Group::Segments(..) | Group::Whole(_)) => {
                    hart.vector.vlenb() * usize::from(site.count(group, sew, vtype.lmul))
                }
            };
            found = found.or(self.vectors.any(usize::from(first), bytes));
        }
        found
    }
}
