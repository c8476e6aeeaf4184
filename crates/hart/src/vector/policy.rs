//! What becomes of tail and masked-off elements ("Vector Tail Agnostic and Vector Mask Agnostic").

use std::ops::Range;

use super::element::Element;
use super::state::{AgnosticFill, VectorUnit};

impl VectorUnit {
    /// [`mask_bits`] of a register.
    #[inline(always)]
    pub(super) fn mask_bits(&self, register: u32, index: usize) -> u32 {
        mask_bits(&self.registers[register as usize * self.vlenb..], index)
    }

    /// True if masked-off elements become ones; `agnostic` overrides the policy.
    #[inline(always)]
    pub(super) fn fills_inactive(&self, agnostic: bool) -> bool {
        self.fill == AgnosticFill::Ones && (self.vtype.mask_agnostic || agnostic)
    }

    /// True if tail elements become ones; `agnostic` overrides the policy.
    #[inline(always)]
    pub(super) fn fills_tail(&self, agnostic: bool) -> bool {
        self.fill == AgnosticFill::Ones && (self.vtype.tail_agnostic || agnostic)
    }

    /// Fills the tail of a group whose elements correspond one to one to those of SEW and LMUL.
    #[inline(always)]
    pub(super) fn finish<D: Element>(&mut self, vd: u32, agnostic: bool) {
        if self.fills_tail(agnostic) {
            let vlmax = self.vlmax(self.vtype.sew, self.vtype.lmul);
            let end = self.vlenb.max(vlmax * D::BYTES);
            self.fill_ones(vd, self.vl * D::BYTES..end);
        }
    }

    /// Fills what is tail after a scalar result in element 0: the rest of the register.
    #[inline(always)]
    pub(super) fn finish_scalar<D: Element>(&mut self, vd: u32, agnostic: bool) {
        if self.fills_tail(agnostic) {
            self.fill_ones(vd, D::BYTES..self.vlenb);
        }
    }

    /// Sets bytes of a group to ones.
    pub(super) fn fill_ones(&mut self, register: u32, bytes: Range<usize>) {
        if !bytes.is_empty() {
            self.registers[register as usize * self.vlenb..][bytes].fill(0xff);
        }
    }

    /// Fills the tail of a mask, which is agnostic whatever `vtype` says.
    #[inline(always)]
    pub(super) fn finish_mask(&mut self, vd: u32) {
        if self.fill == AgnosticFill::Ones {
            let register = &mut self.registers[vd as usize * self.vlenb..][..self.vlenb];
            let (byte, bits) = (self.vl / 8, self.vl % 8);
            if let Some(partial) = register.get_mut(byte) {
                *partial |= 0xff << bits;
                register[byte + 1..].fill(0xff);
            }
        }
    }
}

/// Bits of a mask from element `index` on, at least 16 of them where it has that many.
#[inline(always)]
pub fn mask_bits(mask: &[u8], index: usize) -> u32 {
    let bytes = &mask[index / 8..];
    let low = u32::from(bytes[0]) | bytes.get(1).map_or(0, |&high| u32::from(high) << 8);
    low >> (index % 8)
}
