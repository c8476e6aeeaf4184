//! Floating point: a result is secret if an operand is. What is loaded and stored moves bit by bit.

use hart::Hart;
use isa::operands::{AccessKind, Eew, File, Site};

use super::names;
use crate::bits::ones;
use crate::finding::Kind;
use crate::scalar::FFLAGS;
use crate::shadow::{Secret, Shadow};

impl Shadow {
    pub(super) fn float(&mut self, hart: &Hart, site: Site<'_>) {
        self.pending.is_active = true;
        if let [access] = &site.effects.memory[..] {
            let Eew::Bits(width) = access.width else { return };
            let base = site.reads(File::X).flatten().next().unwrap_or(0);
            let bytes = u64::from(width) / 8;
            let offset = crate::bits::sign_extended(site.number().unwrap_or(0), 12);
            let address = hart.x(base).wrapping_add(offset) & self.xlen.mask();
            let held = self.slot(base);
            let is_load = access.kind == AccessKind::Load;
            if self.seen(held.bits) != 0 {
                self.find(if is_load { Kind::LoadAddress } else { Kind::StoreAddress }, held.trail);
            }
            let all = if held.bits != 0 { ones(width.into()) } else { 0 };
            if is_load {
                let (bits, trail) = self.memory.load(address, bytes);
                let secret = Secret { bits: bits | all, trail: if all != 0 { held.trail } else { trail } };
                self.pending.float = site.writes(File::F).flatten().next().map(|register| (register, secret));
                self.pending.trail = Some(secret.trail).filter(|_| secret.bits != 0);
            } else {
                let register = site.reads(File::F).flatten().next().unwrap_or(0);
                let data = self.floats[usize::from(register & 31)];
                let bits = data.bits & ones(width.into()) | all;
                for byte in 0..bytes {
                    self.pending.stores.push((address.wrapping_add(byte), (bits >> (8 * byte)) as u8));
                }
                self.pending.trail = Some(data.trail).filter(|_| bits != 0);
            }
            return;
        }
        let integers = site.reads(File::X).flatten().map(|register| self.slot(register));
        let floats = site.reads(File::F).flatten().map(|register| self.floats[usize::from(register & 31)]);
        let read = integers.chain(floats).fold(self.rounding(site), Secret::or);
        let secret = read.as_a_whole();
        self.pending.trail = Some(read.trail).filter(|_| read.bits != 0);
        for (pending, register) in self.pending.integers.iter_mut().zip(site.writes(File::X).flatten()) {
            *pending = Some((register, secret));
        }
        self.pending.float = site.writes(File::F).flatten().next().map(|register| (register, secret));
        if names(&site.effects.csr_accrues, site, FFLAGS) {
            self.pending.accrued = Some((FFLAGS, secret));
        }
    }
}
