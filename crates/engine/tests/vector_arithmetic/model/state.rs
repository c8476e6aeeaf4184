//! Vector registers, and the setting in which one instruction executes.

/// v0 to v31.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// One after the other.
    pub bytes: Vec<u8>,
    /// Bytes of one.
    pub vlenb: usize,
}

impl Registers {
    /// Element `index`, `bits` wide, of the group at `register`.
    pub fn get(&self, register: u32, bits: u32, index: usize) -> u128 {
        let first = register as usize * self.vlenb;
        if bits == 1 {
            return u128::from(self.bytes[first + index / 8] >> (index % 8) & 1);
        }
        let width = bits as usize / 8;
        let bytes = &self.bytes[first + index * width..][..width];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
    }

    /// Sets an element to the low bits of `value`.
    pub fn set(&mut self, register: u32, bits: u32, index: usize, value: u128) {
        let first = register as usize * self.vlenb;
        if bits == 1 {
            let byte = &mut self.bytes[first + index / 8];
            *byte = *byte & !(1 << (index % 8)) | ((value & 1) as u8) << (index % 8);
            return;
        }
        let width = bits as usize / 8;
        for (at, byte) in self.bytes[first + index * width..][..width].iter_mut().enumerate() {
            *byte = (value >> (8 * at)) as u8;
        }
    }
}

/// One instruction and everything its effect depends on.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name in the description.
    pub name: String,
    pub vd: u32,
    pub vs2: u32,
    /// The field of `vs1`, `rs1` or an immediate.
    pub rs1: u32,
    /// v0 masks the instruction.
    pub masked: bool,
    /// Value of `x[rs1]`, zero-extended from XLEN.
    pub x: u64,
    pub xlen: u32,
    /// Widest element in bits.
    pub elen: u32,
    /// High halves of 64-bit products exist.
    pub wide_products: bool,
    /// SEW in bits.
    pub sew: u32,
    /// log2 of LMUL.
    pub lmul: i32,
    pub tail_agnostic: bool,
    pub mask_agnostic: bool,
    /// Agnostic elements become ones.
    pub ones: bool,
    pub vl: usize,
    pub vstart: usize,
    pub vxrm: u32,
    pub registers: Registers,
}

impl Case {
    /// LMUL·VLEN/SEW.
    pub fn vlmax(&self) -> usize {
        let bits = 8 * self.registers.vlenb;
        (if self.lmul >= 0 { bits << self.lmul } else { bits >> -self.lmul }) / self.sew as usize
    }

    /// `v0.mask[i]`.
    pub fn v0(&self, index: usize) -> bool {
        self.registers.get(0, 1, index) == 1
    }

    /// True if element `index` is not masked off.
    pub fn enabled(&self, index: usize) -> bool {
        !self.masked || self.v0(index)
    }

    /// `x[rs1]` as a signed number.
    pub fn signed_x(&self) -> i128 {
        signed(self.x.into(), self.xlen)
    }

    /// The second operand of element `index`, `bits` wide; immediates are signed or not.
    pub fn second(&self, form: &str, bits: u32, index: usize, signed_immediate: bool) -> u128 {
        let form = form.trim_end_matches('M');
        match form.chars().last() {
            Some('V') => self.registers.get(self.rs1, bits, index),
            Some('X') => unsigned(self.signed_x(), bits),
            Some('I') if signed_immediate => unsigned(signed(self.rs1.into(), 5), bits),
            _ => self.rs1.into(),
        }
    }

    /// What an untouched run leaves.
    pub fn unchanged(&self) -> Outcome {
        Outcome { registers: self.registers.clone(), x: None, saturated: false }
    }
}

/// What an instruction leaves behind, besides `vstart` = 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub registers: Registers,
    /// What `x[rd]` becomes, zero-extended from XLEN.
    pub x: Option<u64>,
    pub saturated: bool,
}

/// The low `bits` of `value` as a signed number.
pub fn signed(value: u128, bits: u32) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

/// The low `bits` of `value`.
pub fn unsigned(value: i128, bits: u32) -> u128 {
    value as u128 & (u128::MAX >> (128 - bits))
}
