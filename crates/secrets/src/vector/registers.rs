//! The shadow of the vector registers, and what an instruction will have made of it once it has retired.

use crate::shadow::{Secret, Shadow};
use crate::trail::Trail;

/// Secret bits of the vector registers.
#[derive(Clone)]
pub struct Registers {
    secret: Vec<u8>,
    trails: [Trail; 32],
    vlenb: usize,
    /// Registers that may have secret bits, a bit for each.
    holders: u32,
    /// `vl` and `vtype`.
    pub length: Secret,
}

impl Registers {
    /// Without a secret.
    pub fn new(vlenb: usize) -> Self {
        Self {
            secret: vec![0; 32 * vlenb],
            trails: [Trail::default(); 32],
            vlenb,
            holders: 0,
            length: Secret::default(),
        }
    }

    /// Without a secret again.
    pub fn clear(&mut self) {
        self.secret.fill(0);
        self.holders = 0;
        self.length = Secret::default();
    }

    /// Makes bits of a register secret.
    pub fn mark(&mut self, register: usize, bits: &[u8], trail: Trail) {
        self.secret[register * self.vlenb..][..bits.len()].copy_from_slice(bits);
        self.trails[register] = trail;
        self.holders |= 1 << register;
    }

    /// The secret bits of a register.
    pub fn register(&self, register: usize) -> &[u8] {
        &self.secret[register * self.vlenb..][..self.vlenb]
    }

    /// A secret in any register, or in `vl` and `vtype`.
    pub fn all(&self) -> Secret {
        match self.holders {
            0 => self.length,
            holders => Secret { bits: u64::MAX, trail: self.trails[holders.trailing_zeros() as usize] },
        }
    }

    /// True if no register has a secret bit.
    pub const fn are_public(&self) -> bool {
        self.holders == 0
    }

    /// Up to eight bytes at an offset of the register file.
    pub fn get(&self, at: usize, bytes: usize) -> u64 {
        let end = (at + bytes).min(self.secret.len());
        self.secret[at.min(end)..end].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    /// A bit of a mask.
    pub fn bit(&self, register: u32, index: usize) -> bool {
        self.secret[register as usize * self.vlenb + index / 8] >> (index % 8) & 1 == 1
    }

    /// How a secret came to the register that an offset is in.
    pub fn trail(&self, at: usize) -> Trail {
        self.trails[(at / self.vlenb).min(31)]
    }

    /// Whether any of the first bytes of a group is secret.
    pub fn any(&self, register: usize, bytes: usize) -> Secret {
        let start = register * self.vlenb;
        let end = (start + bytes).min(self.secret.len());
        match self.secret[start..end].iter().position(|&byte| byte != 0) {
            Some(at) => Secret { bits: u64::MAX, trail: self.trail(start + at) },
            None => Secret::default(),
        }
    }
}

/// What an instruction of a unit has done to the shadow once it retires.
#[derive(Default)]
pub struct Pending {
    /// There is something.
    pub is_active: bool,
    /// Where in the register file `bytes` go.
    pub at: usize,
    /// New secret bits of registers.
    pub bytes: Vec<u8>,
    /// How they came there.
    pub trail: Option<Trail>,
    /// New secret bits of an integer register, or of two that hold one value.
    pub integers: [Option<(u16, Secret)>; 2],
    /// Of a floating-point register.
    pub float: Option<(u16, Secret)>,
    /// Of a CSR, which only gains bits.
    pub accrued: Option<(u16, Secret)>,
    /// Of `vl` and `vtype`.
    pub length: Option<Secret>,
    /// Of bytes of memory.
    pub stores: Vec<(u64, u8)>,
}

impl Pending {
    /// Nothing is pending.
    pub fn reset(&mut self) {
        self.is_active = false;
        self.bytes.clear();
        self.stores.clear();
        (self.trail, self.integers, self.float) = (None, [None; 2], None);
        (self.accrued, self.length) = (None, None);
    }

    /// Some registers, as they are.
    pub fn begin(&mut self, registers: &Registers, first: u32, count: usize) {
        self.is_active = true;
        self.at = first as usize * registers.vlenb;
        let end = (self.at + count * registers.vlenb).min(registers.secret.len());
        self.bytes.extend_from_slice(&registers.secret[self.at..end]);
    }

    /// Sets the secret bits of an element, by its offset in the registers.
    pub fn set(&mut self, at: usize, bytes: usize, secret: u64) {
        for (byte, held) in self.bytes.iter_mut().skip(at).take(bytes).enumerate() {
            *held = (secret >> (8 * byte)) as u8;
        }
    }

    /// Sets a bit of a mask.
    pub fn set_bit(&mut self, index: usize, is_secret: bool) {
        if let Some(byte) = self.bytes.get_mut(index / 8) {
            *byte = *byte & !(1 << (index % 8)) | u8::from(is_secret) << (index % 8);
        }
    }
}

impl Shadow {
    /// Takes over what is pending; of an instruction that trapped half-way, what it may have done as well as what was.
    pub(crate) fn commit(&mut self, retired: bool) {
        if !self.pending.is_active {
            return;
        }
        let trail = self.pending.trail.map(|trail| self.moved(trail)).unwrap_or_default();
        let (pending, vectors) = (&self.pending, &mut self.vectors);
        let at = pending.at;
        if !pending.bytes.is_empty() {
            for (register, bytes) in (at / vectors.vlenb..).zip(pending.bytes.chunks(vectors.vlenb)) {
                let held = &mut vectors.secret[register * vectors.vlenb..][..bytes.len()];
                if retired {
                    // What is left of a secret came there as before.
                    let adds = trail != Trail::default() && bytes.iter().any(|&byte| byte != 0);
                    if held != bytes && adds {
                        vectors.trails[register] = trail;
                    }
                    held.copy_from_slice(bytes);
                } else {
                    held.iter_mut().zip(bytes).for_each(|(held, &new)| *held |= new);
                }
                let holds = held.iter().any(|&byte| byte != 0);
                vectors.holders = vectors.holders & !(1 << register) | u32::from(holds) << register;
            }
        }
        for &(address, secret) in &pending.stores {
            let before = if retired { 0 } else { self.memory.byte(address).0 };
            self.memory.set_byte(address, secret | before, trail);
        }
        if !retired {
            return;
        }
        let (integers, float, accrued, length) =
            (pending.integers, pending.float, pending.accrued, pending.length);
        let moved = |secret: Secret| Secret {
            bits: secret.bits,
            trail: if trail == Trail::default() { secret.trail } else { trail },
        };
        for (register, secret) in integers.into_iter().flatten() {
            self.write_x(register, moved(secret));
        }
        if let Some((register, secret)) = float {
            self.floats[usize::from(register & 31)] = moved(secret);
        }
        if let Some((number, secret)) = accrued.filter(|(_, secret)| secret.bits != 0) {
            self.set_csr(number, moved(secret));
        }
        if let Some(length) = length {
            self.vectors.length = length;
            self.set_csr(VL, length);
        }
    }
}

const VL: u16 = 0xc20;
