//! Walks over elements, element groups and masks.

use hart::unit::Fields;
use hart::vector::compiled::{Operation, Second};
use isa::operands::{Eew, File, Group};

use super::Instruction;
use super::lanes::{Lane, LaneRule};
use super::rule::Logic;
use crate::bits::{Bits, ones};
use crate::shadow::{Secret, Shadow};
use crate::trail::Trail;

/// Whether an element is active.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Active {
    Yes,
    No,
    /// A secret decides.
    Secret,
}

impl Shadow {
    /// Element `index` of an operand; zero of none.
    pub(super) fn element(
        &self,
        instruction: &Instruction<'_>,
        kind: Option<Group>,
        register: u32,
        index: usize,
    ) -> (Bits, u32) {
        let start = register as usize * instruction.vlenb;
        let at = |width: u32, index: usize| {
            let bytes = width as usize / 8;
            let at = start + index * bytes;
            (Bits { value: instruction.value(at, bytes), secret: self.vectors.get(at, bytes) }, width)
        };
        match kind {
            Some(Group::Elements(eew)) => at(instruction.bits_of(eew), index),
            Some(Group::Scalar(eew)) => at(instruction.bits_of(eew), 0),
            Some(Group::Mask) => {
                let byte = instruction.value(start + index / 8, 1);
                let secret = self.vectors.bit(register, index);
                (Bits { value: byte >> (index % 8) & 1, secret: secret.into() }, 1)
            }
            Some(Group::Single | Group::Segments(..) | Group::Whole(_)) | None => (Bits::default(), 1),
        }
    }

    pub(super) fn active(&self, instruction: &Instruction<'_>, index: usize) -> Active {
        if !instruction.masked {
            return Active::Yes;
        }
        let (mask, _) = self.element(instruction, Some(Group::Mask), 0, index);
        match (mask.secret, mask.value) {
            (0, 0) => Active::No,
            (0, _) => Active::Yes,
            _ => Active::Secret,
        }
    }

    /// All that an instruction reads, as one.
    pub(super) fn read(&self, instruction: &Instruction<'_>) -> Secret {
        let site = instruction.site;
        let integers = site.reads(File::X).flatten().map(|register| self.slot(register));
        let floats = site.reads(File::F).flatten().map(|register| self.floats[usize::from(register & 31)]);
        let read = integers.chain(floats).fold(self.vectors.length, Secret::or);
        read.or(self.rounding(site)).or(self.vector_operands(instruction.hart, site))
    }

    /// Puts what an instruction makes of registers together; if `vl` is secret, all of them are.
    pub(super) fn finish(&mut self, trail: Trail) {
        let length = self.vectors.length;
        if length.bits != 0 {
            self.pending.bytes.fill(0xff);
        }
        self.pending.trail = Some(if length.bits != 0 { length.trail } else { trail });
    }

    pub(super) fn lanes(
        &mut self,
        instruction: &Instruction<'_>,
        operation: Option<&Operation>,
        rule: LaneRule,
        v0: bool,
    ) {
        let Some(rules) = operation.and_then(|operation| operation.rules) else {
            return self.whole(instruction);
        };
        let Some(vd) = rules.vd else { return self.whole(instruction) };
        let second = Second::of(Fields(instruction.site.word), rules.immediate);
        let read = self.read(instruction);
        let scalar_width = match rules.vs1 {
            Some(Group::Elements(eew) | Group::Scalar(eew)) => instruction.bits_of(eew),
            _ => instruction.width(),
        };
        let (scalar, _) = self.scalar(instruction.hart, second, scalar_width);
        let rounding = self.csr(crate::scalar::VXRM);
        let is_fixed = instruction.site.effects.class == isa::operands::Class::VectorFixedPoint;
        let mut pending = std::mem::take(&mut self.pending);
        pending.begin(&self.vectors, instruction.vd(), instruction.registers(vd));
        for index in instruction.body() {
            let active = if v0 { Active::Yes } else { self.active(instruction, index) };
            if active == Active::No {
                continue;
            }
            let (a, wide_a) = self.element(instruction, rules.vs2, instruction.vs2(), index);
            let (b, wide_b, same) = match second {
                Second::Group(register) => {
                    let (b, width) = self.element(instruction, rules.vs1, register, index);
                    (b, width, register == instruction.vs2() && rules.vs1 == rules.vs2)
                }
                Second::Register(_) | Second::Float(_) | Second::Immediate(_) => {
                    (scalar, scalar_width, false)
                }
            };
            let (d, width) = self.element(instruction, Some(vd), instruction.vd(), index);
            let v0 =
                if v0 { self.element(instruction, Some(Group::Mask), 0, index).0 } else { Bits::default() };
            let lane = Lane { a, b, d, v0, wide_a, wide_b, width, same };
            let mut secret = rule(&lane) & ones(width);
            if active == Active::Secret || is_fixed && rounding.bits != 0 {
                secret = ones(width);
            }
            match vd {
                Group::Mask => pending.set_bit(index, secret != 0),
                _ => pending.set(index * width as usize / 8, width as usize / 8, secret),
            }
        }
        if is_fixed {
            // Whether any element saturated is told in vxsat.
            pending.accrued = Some((crate::scalar::VXSAT, read));
        }
        self.pending = pending;
        self.finish(read.trail);
    }

    /// All bits of an element group depend on all of those of its operands.
    pub(super) fn element_groups(&mut self, instruction: &Instruction<'_>, operation: Option<&Operation>) {
        let Some(rules) = operation.and_then(|operation| operation.rules) else {
            return self.whole(instruction);
        };
        let site = instruction.site;
        let read = self.read(instruction);
        let bytes = rules.needs.elements() << instruction.sew;
        let reads_vd = site.reads(File::V).any(|register| register == Some(instruction.vd() as u16));
        let is_scalar = matches!(rules.vs2, Some(Group::Scalar(_)));
        let takes_vs1 = site.named("vs1").is_some();
        let mut pending = std::mem::take(&mut self.pending);
        let vlenb = instruction.vlenb;
        pending.begin(&self.vectors, instruction.vd(), 1 << instruction.lmul.max(0));
        let any = |this: &Self, register: u32, group: usize| {
            let start = register as usize * vlenb + group * bytes;
            (0..bytes).step_by(8).any(|at| this.vectors.get(start + at, 8.min(bytes - at)) != 0)
        };
        let elements = rules.needs.elements();
        for group in instruction.vstart / elements..instruction.vl / elements {
            let is_secret = reads_vd && any(self, instruction.vd(), group)
                || any(self, instruction.vs2(), if is_scalar { 0 } else { group })
                || takes_vs1 && any(self, instruction.vs1(), group);
            let bits = if is_secret { 0xff } else { 0 };
            pending.bytes.iter_mut().skip(group * bytes).take(bytes).for_each(|byte| *byte = bits);
        }
        self.pending = pending;
        self.finish(read.trail);
    }

    pub(super) fn mask_logic(&mut self, instruction: &Instruction<'_>, logic: Logic) {
        let read = self.read(instruction);
        let (vs1, vs2) = (instruction.vs1(), instruction.vs2());
        let mut pending = std::mem::take(&mut self.pending);
        pending.begin(&self.vectors, instruction.vd(), 1);
        for index in instruction.body() {
            let (a, _) = self.element(instruction, Some(Group::Mask), vs2, index);
            let (b, _) = self.element(instruction, Some(Group::Mask), vs1, index);
            // `vmclr` and `vmset` are a mask and itself.
            let is_constant = vs1 == vs2
                && logic(Bits { value: 1, secret: 1 }, Bits::public(0)) != 0
                && logic(Bits { value: 1, secret: 1 }, Bits::public(1)) != 0;
            pending.set_bit(index, !is_constant && logic(a, b) & 1 != 0);
        }
        self.pending = pending;
        self.finish(read.trail);
    }

    pub(super) fn whole_mask(&mut self, instruction: &Instruction<'_>) {
        let read = self.read(instruction);
        let is_mask = instruction.site.effects.writes.iter().any(|written| written.group == Group::Mask);
        let mut pending = std::mem::take(&mut self.pending);
        let registers = if is_mask { 1 } else { 1 << instruction.lmul.max(0) };
        pending.begin(&self.vectors, instruction.vd(), registers);
        let width = instruction.width();
        for index in instruction.body() {
            if self.active(instruction, index) == Active::No {
                continue;
            }
            if is_mask {
                pending.set_bit(index, read.bits != 0);
            } else {
                let bytes = width as usize / 8;
                pending.set(index * bytes, bytes, if read.bits != 0 { ones(width) } else { 0 });
            }
        }
        self.pending = pending;
        self.finish(read.trail);
    }

    pub(super) fn count_mask(&mut self, instruction: &Instruction<'_>) {
        let read = self.read(instruction);
        let is_first = !instruction.site.instruction.name.starts_with("VCPOP");
        let most = if is_first { u64::MAX } else { crate::bits::filled(instruction.vl as u64) };
        let bits = if read.bits != 0 { most } else { 0 };
        self.pending.is_active = true;
        self.pending.integers[0] = Some((instruction.vd() as u16, Secret { bits, trail: read.trail }));
        self.pending.trail = Some(read.trail).filter(|_| bits != 0);
    }

    /// Of what is pending, the elements that public values alone are written to become public.
    fn overwrite(&mut self, instruction: &Instruction<'_>, group: Group) {
        let mut pending = std::mem::take(&mut self.pending);
        let bytes = |eew| instruction.bits_of(eew) as usize / 8;
        let written = |index: &usize| self.active(instruction, *index) == Active::Yes;
        match group {
            Group::Elements(eew) => {
                let bytes = bytes(eew);
                instruction.body().filter(written).for_each(|index| pending.set(index * bytes, bytes, 0));
            }
            Group::Mask => {
                instruction.body().filter(written).for_each(|index| pending.set_bit(index, false));
            }
            Group::Scalar(Eew::Sew(power)) if !instruction.body().is_empty() => {
                pending.set(0, bytes(Eew::Sew(power)), 0);
            }
            _ => {}
        }
        self.pending = pending;
    }

    /// Everything written depends on everything read.
    pub(super) fn whole(&mut self, instruction: &Instruction<'_>) {
        let site = instruction.site;
        let read = self.read(instruction);
        let bits = if read.bits != 0 { u64::MAX } else { 0 };
        let secret = Secret { bits, trail: read.trail };
        for register in &site.effects.writes {
            let Some(index) = site.index(&register.index).filter(|_| site.holds(&register.when)) else {
                continue;
            };
            match register.file {
                File::V => {
                    self.pending.begin(&self.vectors, index.into(), instruction.registers(register.group));
                    if bits != 0 {
                        self.pending.bytes.fill(0xff);
                    } else {
                        self.overwrite(instruction, register.group);
                    }
                }
                File::X => self.pending.integers[0] = Some((index, secret)),
                File::F => self.pending.float = Some((index, secret)),
                File::Own(_) => {}
            }
        }
        self.pending.is_active = true;
        self.pending.trail = Some(read.trail).filter(|_| bits != 0);
    }
}
