//! Vector state as a signal frame of Linux holds it (`asm/sigcontext.h`: `struct __riscv_ctx_hdr`,
//! `struct __sc_riscv_v_state`, then the registers).

use isa::Xlen;

use super::state::{VectorUnit, Vtype};

/// `RISCV_V_MAGIC`.
const MAGIC: u32 = 0x5346_5457;
/// A header: magic number, and bytes of what it heads, itself included.
const HEADER: usize = 8;
/// `vstart`, `vl`, `vtype`, `vcsr`, `vlenb` and a pointer to the registers.
const WORDS: usize = 6;

/// Most bytes of [`VectorUnit::frame`] of a unit with registers of `vlenb` bytes.
pub const fn most_frame_bytes(xlen: Xlen, vlenb: usize) -> usize {
    HEADER + state_bytes(xlen) + 32 * vlenb + HEADER
}

const fn state_bytes(xlen: Xlen) -> usize {
    (WORDS * word_bytes(xlen)).next_multiple_of(16)
}

const fn word_bytes(xlen: Xlen) -> usize {
    match xlen {
        Xlen::Rv32 => 4,
        Xlen::Rv64 => 8,
    }
}

impl VectorUnit {
    /// What a frame holds that puts its header at `address`, an end marker included; of a unit that has not
    /// been used, only that marker.
    pub fn frame(&self, address: u64) -> Vec<u8> {
        if self.is_unused() {
            return vec![0; HEADER];
        }
        let body = HEADER + state_bytes(self.xlen);
        let size = body + self.registers.len();
        let mut bytes = Vec::with_capacity(size + HEADER);
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        bytes.extend_from_slice(&(size as u32).to_le_bytes());
        let vcsr = u64::from(self.vxrm) << 1 | u64::from(self.vxsat);
        let registers = address.wrapping_add(body as u64);
        let vtype = self.vtype.bits(self.xlen);
        let words: [u64; WORDS] =
            [self.vstart as u64, self.vl as u64, vtype, vcsr, self.vlenb as u64, registers];
        for word in words {
            bytes.extend_from_slice(&word.to_le_bytes()[..word_bytes(self.xlen)]);
        }
        bytes.resize(body, 0);
        bytes.extend_from_slice(&self.registers);
        bytes.resize(size + HEADER, 0);
        bytes
    }

    /// Restores what [`VectorUnit::frame`] gave, whatever a program has made of it since. Bytes that are not
    /// vector state of this unit, an end marker for instance, leave the unit as if never used.
    pub fn restore_frame(&mut self, bytes: &[u8]) {
        (self.vtype, self.vl, self.vstart, self.vxrm, self.vxsat) = (Vtype::ILLEGAL, 0, 0, 0, false);
        let body = HEADER + state_bytes(self.xlen);
        let is_vector = bytes.starts_with(&MAGIC.to_le_bytes());
        let Some(registers) = bytes.get(body..body + self.registers.len()).filter(|_| is_vector) else {
            self.registers.fill(0);
            return;
        };
        self.registers.copy_from_slice(registers);
        let mut words = bytes[HEADER..body].chunks(word_bytes(self.xlen)).map(|word| {
            let mut wide = [0; 8];
            wide[..word.len()].copy_from_slice(word);
            u64::from_le_bytes(wide)
        });
        let [vstart, vl, vtype, vcsr] = std::array::from_fn(|_| words.next().unwrap_or(0));
        self.vtype = self.supported(vtype);
        if !self.vtype.illegal {
            self.vl = (vl as usize).min(self.vlmax(self.vtype.sew, self.vtype.lmul));
        }
        self.vstart = vstart as usize & (self.vlenb * 8).saturating_sub(1);
        (self.vxrm, self.vxsat) = ((vcsr >> 1 & 3) as u8, vcsr & 1 == 1);
    }

    /// True if everything is as at reset: there is nothing to save.
    fn is_unused(&self) -> bool {
        self.vtype.illegal
            && self.vstart == 0
            && self.vxrm == 0
            && !self.vxsat
            && self.registers.iter().all(|&byte| byte == 0)
    }
}
