//! Elements that move to other places. Where they move to is public, or that it is not is found.

use hart::unit::Fields;
use hart::vector::compiled::Second;
use isa::operands::{Eew, Group};

use super::Instruction;
use super::rule::{Indices, Slide};
use super::walk::Active;
use crate::bits::{self, Bits, ones};
use crate::finding::Kind;
use crate::shadow::{Secret, Shadow};

const SEW: Option<Group> = Some(Group::Elements(Eew::Sew(0)));

impl Instruction<'_> {
    fn bytes(&self) -> usize {
        1 << self.sew
    }

    fn most(&self) -> usize {
        self.hart.vector.vlmax(self.sew, self.lmul)
    }

    /// The amount of a slide, or the index of a gather: an integer register, or five bits.
    fn amount(&self) -> Second {
        match self.site.word >> 12 & 7 {
            3 => Second::Immediate(self.vs1().into()),
            _ => Second::Register(Fields(self.site.word).rs1() as u16),
        }
    }
}

impl Shadow {
    /// Every active element of the body is what `from` gives: bits of an element, or all if that is not known.
    fn move_elements(&mut self, instruction: &Instruction<'_>, from: impl Fn(&Self, usize) -> Option<u64>) {
        let read = self.read(instruction);
        let mut pending = std::mem::take(&mut self.pending);
        pending.begin(&self.vectors, instruction.vd(), 1 << instruction.lmul.max(0));
        let (width, bytes) = (instruction.width(), instruction.bytes());
        for index in instruction.body() {
            let secret = match self.active(instruction, index) {
                Active::No => continue,
                Active::Yes => from(self, index).unwrap_or(ones(width)),
                Active::Secret => ones(width),
            };
            pending.set(index * bytes, bytes, secret);
        }
        self.pending = pending;
        self.finish(read.trail);
    }

    fn source(&self, instruction: &Instruction<'_>, index: usize) -> u64 {
        if index >= instruction.most() {
            return 0;
        }
        self.element(instruction, SEW, instruction.vs2(), index).0.secret
    }

    pub(super) fn slide(&mut self, instruction: &Instruction<'_>, slide: Slide) {
        let (amount, operand) = self.scalar(instruction.hart, instruction.amount(), 64);
        let is_by_one = matches!(slide, Slide::OneUp | Slide::OneDown);
        if operand.bits != 0 && !is_by_one {
            self.find(Kind::ElementIndex, operand.trail);
            return self.move_elements(instruction, |_, _| None);
        }
        let (scalar, _) = self.scalar(instruction.hart, instruction.amount(), instruction.width());
        let by = usize::try_from(amount.value).unwrap_or(usize::MAX);
        let (vd, last) = (instruction.vd(), instruction.vl.saturating_sub(1));
        self.move_elements(instruction, |this, index| {
            Some(match slide {
                // Elements below the amount keep their values.
                Slide::Up if index < by => this.element(instruction, SEW, vd, index).0.secret,
                Slide::Up => this.source(instruction, index - by),
                Slide::Down => this.source(instruction, index.saturating_add(by)),
                Slide::OneUp if index == 0 => scalar.secret,
                Slide::OneUp => this.source(instruction, index - 1),
                Slide::OneDown if index == last => scalar.secret,
                Slide::OneDown => this.source(instruction, index + 1),
            })
        });
    }

    pub(super) fn gather(&mut self, instruction: &Instruction<'_>, indices: Indices) {
        let eew = if indices == Indices::Sixteen { Eew::Bits(16) } else { Eew::Sew(0) };
        let (scalar, operand) = self.scalar(instruction.hart, instruction.amount(), 64);
        let index = |this: &Self, at: usize| match indices {
            Indices::Scalar => scalar,
            _ => this.element(instruction, Some(Group::Elements(eew)), instruction.vs1(), at).0,
        };
        let is_secret = |at: usize| self.active(instruction, at) != Active::No && index(self, at).secret != 0;
        if instruction.body().any(is_secret) {
            let bytes = instruction.vl << instruction.sew;
            let held = self.vectors.any(instruction.vs1() as usize, bytes);
            let found = if indices == Indices::Scalar { operand } else { held };
            self.find(Kind::ElementIndex, found.trail);
        }
        self.move_elements(instruction, |this, at| {
            let index = index(this, at);
            let from = usize::try_from(index.value).unwrap_or(usize::MAX);
            (index.secret == 0).then(|| this.source(instruction, from))
        });
    }

    pub(super) fn compress(&mut self, instruction: &Instruction<'_>) {
        let mask =
            |this: &Self, at: usize| this.element(instruction, Some(Group::Mask), instruction.vs1(), at).0;
        if instruction.body().any(|at| mask(self, at).secret != 0) {
            let held = self.vectors.any(instruction.vs1() as usize, instruction.vl.div_ceil(8));
            self.find(Kind::ElementIndex, held.trail);
            return self.move_elements(instruction, |_, _| None);
        }
        let taken: Vec<usize> = instruction.body().filter(|&at| mask(self, at).value != 0).collect();
        let vd = instruction.vd();
        self.move_elements(instruction, |this, at| {
            Some(match taken.get(at) {
                Some(&from) => this.source(instruction, from),
                // What comes after them is tail.
                None => this.element(instruction, SEW, vd, at).0.secret,
            })
        });
    }

    pub(super) fn reduce(&mut self, instruction: &Instruction<'_>, is_bitwise: bool, power: i8) {
        let read = self.read(instruction);
        let wide = Some(Group::Scalar(Eew::Sew(power)));
        let (start, width) = self.element(instruction, wide, instruction.vs1(), 0);
        let mut secret = start.secret;
        for index in instruction.body() {
            match self.active(instruction, index) {
                Active::No => {}
                Active::Yes => secret |= self.element(instruction, SEW, instruction.vs2(), index).0.secret,
                Active::Secret => secret = ones(width),
            }
        }
        if !is_bitwise && secret != 0 {
            // Sums carry upwards; which element is the largest may decide about every bit.
            let is_sum = instruction.site.instruction.name.contains("SUM");
            secret = if is_sum { ones(width) & !ones(secret.trailing_zeros()) } else { ones(width) };
        }
        if instruction.vl == 0 {
            return;
        }
        self.pending.begin(&self.vectors, instruction.vd(), 1);
        self.pending.set(0, width as usize / 8, secret);
        self.finish(read.trail);
    }

    pub(super) fn first_to_integer(&mut self, instruction: &Instruction<'_>) {
        let (element, width) = self.element(instruction, SEW, instruction.vs2(), 0);
        let secret = bits::sign_extended(element.secret, width);
        let trail = self.vectors.any(instruction.vs2() as usize, instruction.bytes()).trail;
        self.pending.is_active = true;
        self.pending.integers[0] = Some((instruction.vd() as u16, Secret { bits: secret, trail }));
        self.pending.trail = Some(trail).filter(|_| secret != 0);
    }

    pub(super) fn integer_to_first(&mut self, instruction: &Instruction<'_>) {
        if instruction.body().is_empty() {
            return;
        }
        let second = Second::Register(instruction.vs1() as u16);
        let (scalar, operand): (Bits, Secret) = self.scalar(instruction.hart, second, instruction.width());
        self.pending.begin(&self.vectors, instruction.vd(), 1);
        self.pending.set(0, instruction.bytes(), scalar.secret);
        self.finish(operand.trail);
    }

    pub(super) fn whole_registers(&mut self, instruction: &Instruction<'_>) {
        let registers = Fields(instruction.site.word).rs1() as usize + 1;
        let read = self.vectors.any(instruction.vs2() as usize, registers * instruction.vlenb);
        self.pending.begin(&self.vectors, instruction.vd(), registers);
        let start = instruction.vs2() as usize * instruction.vlenb;
        for at in (0..registers * instruction.vlenb).step_by(8) {
            let secret = self.vectors.get(start + at, 8);
            self.pending.set(at, 8, secret);
        }
        self.pending.trail = Some(read.trail).filter(|_| read.bits != 0);
    }
}
