//! Micro-operations: what becomes of the shadow as each takes effect.

use engine::Program;
use engine::decoded::Decoded;
use engine::follow::{Follower, Step};
use engine::uop::{FIRST_TEMP, Kind as Does, Load, Op, Pure, Uop};
use hart::effects::Effects;
use isa::operands::{Class, File};

use crate::alike;
use crate::bits::{self, Bits, ones};
use crate::finding::Kind;
use crate::pure;
use crate::shadow::{Cursor, Secret, Shadow};
use crate::trail::Trail;

impl Follower for Shadow {
    fn step(&mut self, step: &Step<'_>) {
        let uop = step.op();
        if step.uop == 0 || step.uop < self.cursor.begin || step.uop >= self.cursor.end {
            self.enter(step);
        }
        match uop.op.kind() {
            Does::Pure(pure) => {
                let secret = self.pure(step, uop, pure);
                self.define(uop.dst, secret);
            }
            Does::Load(load) => self.load(step, uop, load),
            Does::Store(bits) => self.store(step, uop, bits),
            Does::ExitIf(comparison) => {
                let same = uop.a == uop.b;
                let (a, b) = (self.bits(step, uop.a), self.bits(step, uop.b));
                if a.secret | b.secret != 0 && pure::compare(comparison, a, b, same) {
                    let trail = self.slot(uop.a).or(self.slot(uop.b)).trail;
                    self.find(Kind::Branch, trail);
                }
            }
            Does::ExitTo => {
                let target = self.slot(uop.a);
                if target.bits & self.xlen.mask() != 0 {
                    self.find(Kind::Jump, target.trail);
                }
            }
            Does::GotoIfZero => {
                let condition = self.bits(step, uop.a);
                if condition.secret != 0 && condition.least() == 0 {
                    self.force(step, self.slot(uop.a).trail);
                }
            }
            Does::Fetch(bits) => {
                let address = self.slot(uop.a);
                if self.seen(address.bits) != 0 {
                    self.find(Kind::LoadAddress, address.trail);
                }
                let (secret, trail) = self.memory.load(step.slot(uop.a), u64::from(bits / 8));
                self.define(uop.dst, Secret { bits: secret, trail });
            }
            Does::Csr => self.access_csr(step, uop),
            Does::Reserve | Does::TakeReservation => {
                let address = self.slot(uop.a);
                if self.seen(address.bits) != 0 {
                    self.find(Kind::LoadAddress, address.trail);
                }
                if let Some(dst) = uop.def() {
                    self.define(dst, Secret { bits: 0, trail: address.trail });
                }
            }
            Does::Unit => self.unit(step),
            Does::Delegate => self.delegate(step),
            // Where it leads to, and that it is made, is as public as what came before.
            Does::Fence | Does::Goto | Does::Note | Does::Raise | Does::Exit => {}
        }
    }

    fn settled(&mut self, retired: bool) {
        self.commit(retired);
    }

    fn evaluated(&mut self, program: &Program, decoded: &Decoded, effects: &Effects) {
        self.as_a_whole(program, decoded, effects);
    }
}

impl Shadow {
    /// Another instruction begins.
    fn enter(&mut self, step: &Step<'_>) {
        let decoded = &step.block.decoded;
        // Mostly the next one, or one after those that do nothing.
        let mut index =
            if step.uop == self.cursor.end && step.uop != 0 { self.cursor.index + 1 } else { usize::MAX };
        while decoded.get(index).is_some_and(|each| each.end as usize <= step.uop) {
            index += 1;
        }
        let is_it = |index: usize| index == 0 || decoded[index - 1].end as usize <= step.uop;
        if index >= decoded.len() || !is_it(index) {
            index = step.block.instruction_of(step.uop);
        }
        let decoded = &decoded[index];
        let begin = if index == 0 { 0 } else { step.block.decoded[index - 1].end as usize };
        // A loop within an instruction may lead back to its first micro-operation.
        let forced = self.cursor.forced.filter(|_| self.cursor.pc == decoded.pc && step.uop == begin);
        self.cursor = Cursor { pc: decoded.pc, index, begin, end: decoded.end as usize, forced };
        if let Some(kind) = self.judged[decoded.id.index()] {
            self.judge(step, kind, decoded);
        }
    }

    /// An operand of an instruction that is better given none that is secret.
    #[cold]
    fn judge(&mut self, step: &Step<'_>, kind: Kind, decoded: &Decoded) {
        let site = step.program.site(decoded.id, decoded.word);
        // Of a shift, only how far it goes.
        let before = usize::from(site.effects.class == Class::Shift && kind == Kind::Latency);
        let integers = site.reads(File::X).skip(before).flatten().map(|register| self.slot(register));
        let floats = site.reads(File::F).flatten().map(|register| self.floats[usize::from(register & 31)]);
        let found = integers.chain(floats).fold(Secret::default(), Secret::or);
        let found = found.or(self.vector_operands(step.hart, site));
        if found.bits != 0 {
            self.find(kind, found.trail);
        }
    }

    #[inline]
    pub(crate) fn bits(&self, step: &Step<'_>, slot: u16) -> Bits {
        Bits { value: step.slot(slot), secret: self.slot(slot).bits }
    }

    /// Writes a slot.
    #[inline]
    fn define(&mut self, dst: u16, secret: Secret) {
        let (mut bits, mut trail) = (secret.bits, secret.trail);
        if let Some(condition) = self.cursor.forced {
            (bits, trail) = (u64::MAX, condition);
        }
        let is_register = dst < FIRST_TEMP;
        if is_register {
            bits &= self.xlen.mask();
        }
        let at = usize::from(dst) & (engine::uop::SLOTS - 1);
        if at == 0 {
            return;
        }
        self.slots[at] = bits;
        if bits != 0 {
            self.slot_trails[at] = if is_register { self.moved(trail) } else { trail };
        }
    }

    fn pure(&self, step: &Step<'_>, uop: &Uop, pure: Pure) -> Secret {
        let a = self.slot(uop.a);
        match pure {
            Pure::Const => Secret::default(),
            Pure::Binary { immediate: true, .. } | Pure::Compare { immediate: true, .. } if a.bits == 0 => {
                Secret::default()
            }
            Pure::Binary { op, immediate } => {
                let other = if immediate { Secret::default() } else { self.slot(uop.b) };
                if a.bits | other.bits == 0 {
                    return Secret::default();
                }
                let b = if immediate { Bits::public(uop.imm) } else { self.bits(step, uop.b) };
                let same = !immediate && self.same(step, uop);
                Secret { bits: pure::binary(op, self.bits(step, uop.a), b, same), trail: a.or(other).trail }
            }
            Pure::Compare { op, immediate } => {
                let other = if immediate { Secret::default() } else { self.slot(uop.b) };
                if a.bits | other.bits == 0 {
                    return Secret::default();
                }
                let b = if immediate { Bits::public(uop.imm) } else { self.bits(step, uop.b) };
                let same = !immediate && self.same(step, uop);
                let secret = pure::compare(op, self.bits(step, uop.a), b, same);
                Secret { bits: secret.into(), trail: a.or(other).trail }
            }
            Pure::Unary(op) => Secret { bits: pure::unary(op, self.bits(step, uop.a)), trail: a.trail },
            Pure::Sext => {
                let bits = ((a.bits << uop.aux) as i64 >> uop.aux) as u64 & uop.imm;
                Secret { bits, trail: a.trail }
            }
            Pure::Select => {
                let (b, c) = (self.slot(uop.b), self.slot(uop.imm as u16));
                if a.bits | b.bits | c.bits == 0 {
                    return Secret::default();
                }
                let [condition, x, y] = [uop.a, uop.b, uop.imm as u16].map(|slot| self.bits(step, slot));
                let mut bits = bits::select(condition, x, y);
                if condition.secret != 0 {
                    bits &= self.extreme(step, uop);
                }
                Secret { bits, trail: b.or(c).or(a).trail }
            }
            Pure::Table => {
                let bits = pure::table(step.program, uop.imm, self.bits(step, uop.a));
                Secret { bits, trail: a.trail }
            }
        }
    }

    /// Whether both operands are one. If they are, they look it.
    fn same(&self, step: &Step<'_>, uop: &Uop) -> bool {
        uop.a == uop.b
            || self.bits(step, uop.a) == self.bits(step, uop.b)
                && alike::same(step, self.cursor.begin, uop.a, uop.b)
    }

    /// Bits that a choice may differ in if it is the smaller or the larger of what its condition compared.
    fn extreme(&self, step: &Step<'_>, uop: &Uop) -> u64 {
        let (taken, other) = (uop.b, uop.imm as u16);
        let Some((op, a, b)) = alike::comparison(step, self.cursor.begin, uop.a) else { return u64::MAX };
        if (a, b) != (taken, other) && (a, b) != (other, taken) {
            return u64::MAX;
        }
        pure::extreme(op, self.bits(step, a), self.bits(step, b), taken == a)
    }

    /// Bits of `a + imm`, an address, that are secret.
    fn address(&mut self, step: &Step<'_>, uop: &Uop, kind: Kind) -> (u64, bool) {
        let mask = self.xlen.mask();
        let address = step.slot(uop.a).wrapping_add(uop.imm) & mask;
        let base = self.slot(uop.a);
        let mut is_secret = base.bits != 0;
        if is_secret {
            let width = u32::from(self.xlen.bits());
            let sum = bits::add(self.bits(step, uop.a), Bits::public(uop.imm), width);
            is_secret = sum & mask != 0;
            if self.seen(sum) != 0 {
                self.find(kind, base.trail);
            }
        }
        (address, is_secret)
    }

    fn load(&mut self, step: &Step<'_>, uop: &Uop, load: Load) {
        let base = self.slot(uop.a);
        let (address, is_secret) = self.address(step, uop, Kind::LoadAddress);
        let (mut secret, mut trail) = self.memory.load(address, u64::from(load.bits / 8));
        if is_secret {
            // Which value is loaded is secret, whatever it is.
            (secret, trail) = (ones(load.bits.into()), base.trail);
        }
        if load.signed {
            secret = bits::sign_extended(secret, load.bits.into()) & ones(load.to.into());
        }
        self.define(uop.dst, Secret { bits: secret, trail });
    }

    fn store(&mut self, step: &Step<'_>, uop: &Uop, bits: u16) {
        let base = self.slot(uop.a);
        let (address, is_secret) = self.address(step, uop, Kind::StoreAddress);
        let value = self.slot(uop.b);
        let (mut secret, mut trail) = (value.bits & ones(bits.into()), value.trail);
        if let Some(condition) = self.cursor.forced.or(is_secret.then_some(base.trail)) {
            (secret, trail) = (ones(bits.into()), condition);
        }
        if secret != 0 {
            trail = self.moved(trail);
        }
        self.memory.store(address, u64::from(bits / 8), secret, trail);
    }

    /// A secret decides which micro-operations of the present instruction execute: whatever any of them writes is
    /// secret from here on, whether it does or not.
    #[cold]
    fn force(&mut self, step: &Step<'_>, trail: Trail) {
        self.cursor.forced = Some(trail);
        let mut exits = 0;
        for at in self.cursor.begin..self.cursor.end {
            let uop = step.block.uops[at];
            if let Some(dst) = uop.def() {
                // A temporary that was written already and is written again, by a loop, too.
                self.define(dst, Secret { bits: u64::MAX, trail });
            }
            match uop.op.kind() {
                Does::Load(_) => self.find(Kind::LoadAddress, trail),
                Does::Store(_) => self.find(Kind::StoreAddress, trail),
                Does::Exit => exits += 1,
                // Where these are not executed, others are.
                Does::Raise | Does::ExitIf(_) | Does::ExitTo => exits += 2,
                Does::Csr => self.set_csr(step.slot(uop.a) as u16, Secret { bits: u64::MAX, trail }),
                Does::Pure(_)
                | Does::Fetch(_)
                | Does::Reserve
                | Does::TakeReservation
                | Does::Fence
                | Does::Goto
                | Does::GotoIfZero
                | Does::Note
                | Does::Unit
                | Does::Delegate => {}
            }
        }
        if exits > 1 {
            self.find(Kind::Branch, trail);
        }
    }

    fn access_csr(&mut self, step: &Step<'_>, uop: &Uop) {
        let number = step.slot(uop.a) as u16;
        match uop.op {
            Op::CsrRead => {
                self.define(uop.dst, self.csr(number));
            }
            _ => {
                let value = self.slot(uop.b);
                self.set_csr(number, value);
            }
        }
    }

    /// Secret bits of a CSR, as they stand in what is read.
    pub(crate) fn csr(&self, number: u16) -> Secret {
        let field = Field::of(number);
        let held = self.csrs.get(&field.register).copied().unwrap_or_default();
        Secret { bits: (held.bits & field.mask) >> field.shift, ..held }
    }

    pub(crate) fn set_csr(&mut self, number: u16, secret: Secret) {
        let field = Field::of(number);
        let held = self.csrs.get(&field.register).copied().unwrap_or_default();
        let (new, rest) = ((secret.bits << field.shift) & field.mask, held.bits & !field.mask);
        let trail = if new != 0 { secret.trail } else { held.trail };
        if new | rest != 0 {
            self.csrs.insert(field.register, Secret { bits: new | rest, trail });
        } else {
            self.csrs.remove(&field.register);
        }
    }
}

pub(crate) const FFLAGS: u16 = 0x001;
pub(crate) const FRM: u16 = 0x002;
const FCSR: u16 = 0x003;
pub(crate) const VXSAT: u16 = 0x009;
pub(crate) const VXRM: u16 = 0x00a;
const VCSR: u16 = 0x00f;

/// Where a CSR is: some are fields of `fcsr` and `vcsr`, which show them together.
struct Field {
    register: u16,
    shift: u32,
    mask: u64,
}

impl Field {
    const fn of(number: u16) -> Self {
        let (register, shift, mask) = match number {
            FFLAGS => (FCSR, 0, 0x1f),
            FRM => (FCSR, 5, 0xe0),
            FCSR => (FCSR, 0, 0xff),
            VXSAT => (VCSR, 0, 1),
            VXRM => (VCSR, 1, 6),
            VCSR => (VCSR, 0, 7),
            number => (number, 0, u64::MAX),
        };
        Self { register, shift, mask }
    }
}
