//! Vector registers and the vector CSRs.

use std::iter::repeat_n;

use aligned_vec::{AVec, ConstAlign};
use isa::{Vlen, Xlen};

use super::element::Element;
use super::fields::Fields;
use super::formats::Formats;

/// What becomes of tail and masked-off elements where the policy leaves the choice ("Vector Tail Agnostic
/// and Vector Mask Agnostic").
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AgnosticFill {
    /// They keep their values.
    #[default]
    Undisturbed,
    /// All ones: code that relies on their values fails.
    Ones,
}

/// `vtype`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Vtype {
    /// log2 of the element width in bytes, 0 to 3.
    pub sew: u8,
    /// log2 of LMUL, -3 to 3.
    pub lmul: i8,
    /// Tail elements may be overwritten.
    pub tail_agnostic: bool,
    /// Masked-off elements may be overwritten.
    pub mask_agnostic: bool,
    /// The setting is not supported; whatever depends on `vtype` is illegal.
    pub illegal: bool,
}

impl Vtype {
    /// At reset, and after a refused setting.
    pub const ILLEGAL: Self =
        Self { sew: 0, lmul: 0, tail_agnostic: false, mask_agnostic: false, illegal: true };

    /// The register's value.
    pub const fn bits(self, xlen: Xlen) -> u64 {
        if self.illegal {
            return 1 << (xlen.bits() - 1);
        }
        (self.lmul as u64 & 7)
            | (self.sew as u64) << 3
            | (self.tail_agnostic as u64) << 6
            | (self.mask_agnostic as u64) << 7
    }
}

/// Bytes of a line of the host's cache.
const LINE: usize = 64;

/// State of the vector unit.
#[derive(Clone)]
pub struct VectorUnit {
    /// v0 to v31, one after the other, from a line of the host's cache on: registers of 32 bytes that cross two take it
    /// twice as long.
    pub(super) registers: AVec<u8, ConstAlign<LINE>>,
    /// Bytes of one register.
    pub(super) vlenb: usize,
    /// log2 of the widest element in bytes: 2 (Zve32x) or 3.
    pub(super) elen: u8,
    /// True if there are high halves of products of 64-bit elements (V; not Zve64x).
    pub(super) wide_products: bool,
    /// Formats that vectors have.
    pub(super) formats: Formats,
    /// True if SHA-2 instructions take SEW = 64 (Zvknhb).
    pub(super) sha512: bool,
    pub(super) xlen: Xlen,
    pub(super) vtype: Vtype,
    pub(super) vl: usize,
    pub(super) vstart: usize,
    pub(super) vxrm: u8,
    pub(super) vxsat: bool,
    pub(super) fill: AgnosticFill,
    /// Room for one register group, for kernels.
    pub(super) scratch: Vec<u8>,
}

impl VectorUnit {
    /// A unit at reset, with every register zero; without vector instructions in the ISA, none.
    pub fn new(isa: &isa::Isa) -> Self {
        let mut unit = Self {
            registers: AVec::new(0),
            vlenb: 0,
            elen: if isa.elen() == Some(64) { 3 } else { 2 },
            wide_products: isa.has("v"),
            formats: Formats::of(isa),
            sha512: isa.has("zvknhb"),
            xlen: isa.xlen(),
            vtype: Vtype::ILLEGAL,
            vl: 0,
            vstart: 0,
            vxrm: 0,
            vxsat: false,
            fill: AgnosticFill::Undisturbed,
            scratch: Vec::new(),
        };
        if let Ok(Some(vlen)) = isa.vlen_of_hart(None) {
            unit.set_vlen(vlen);
        }
        unit
    }

    /// Sets the vector register length; registers become zero.
    pub fn set_vlen(&mut self, vlen: Vlen) {
        self.vlenb = vlen.bytes();
        self.registers = AVec::from_iter(0, repeat_n(0, 32 * self.vlenb));
        self.scratch = vec![0; 8 * self.vlenb];
    }

    /// Sets what becomes of agnostic elements.
    pub const fn set_fill(&mut self, fill: AgnosticFill) {
        self.fill = fill;
    }

    /// What becomes of agnostic elements.
    pub const fn fill(&self) -> AgnosticFill {
        self.fill
    }

    /// Bytes of one register; 0 if the hart has no vector unit.
    pub const fn vlenb(&self) -> usize {
        self.vlenb
    }

    /// Where the registers are, v0 first. True until [`Self::set_vlen`].
    pub fn registers_mut(&mut self) -> *mut u8 {
        self.registers.as_mut_ptr()
    }

    /// The bytes of a register.
    pub fn register(&self, register: usize) -> &[u8] {
        &self.registers[register * self.vlenb..][..self.vlenb]
    }

    /// The bytes of a register, to be changed.
    pub fn register_mut(&mut self, register: usize) -> &mut [u8] {
        &mut self.registers[register * self.vlenb..][..self.vlenb]
    }

    /// `vtype`.
    pub const fn vtype(&self) -> Vtype {
        self.vtype
    }

    /// `vl`.
    pub const fn vl(&self) -> usize {
        self.vl
    }

    /// `vstart`.
    pub const fn vstart(&self) -> usize {
        self.vstart
    }

    /// Most elements of a setting: LMUL·VLEN/SEW.
    pub const fn vlmax(&self, sew: u8, lmul: i8) -> usize {
        let bytes = if lmul >= 0 { self.vlenb << lmul } else { self.vlenb >> -lmul };
        bytes >> sew
    }

    /// Element `index` of the group that begins at `register`.
    #[inline(always)]
    pub(super) fn get<E: Element>(&self, register: u32, index: usize) -> E {
        let start = register as usize * self.vlenb + index * E::BYTES;
        E::load(&self.registers[start..start + E::BYTES])
    }

    /// Sets element `index` of the group that begins at `register`.
    #[inline(always)]
    pub(super) fn set<E: Element>(&mut self, register: u32, index: usize, value: E) {
        let start = register as usize * self.vlenb + index * E::BYTES;
        value.store(&mut self.registers[start..start + E::BYTES]);
    }

    /// Bit `index` of a mask register.
    #[inline(always)]
    pub(super) fn mask_bit(&self, register: u32, index: usize) -> bool {
        self.registers[register as usize * self.vlenb + index / 8] >> (index % 8) & 1 == 1
    }

    /// Sets bit `index` of a mask register.
    #[inline(always)]
    pub(super) fn set_mask_bit(&mut self, register: u32, index: usize, value: bool) {
        let byte = &mut self.registers[register as usize * self.vlenb + index / 8];
        *byte = *byte & !(1 << (index % 8)) | u8::from(value) << (index % 8);
    }

    /// True if element `index` of an instruction is active: in the body and not masked off.
    #[inline(always)]
    pub(super) fn active(&self, fields: Fields, index: usize) -> bool {
        !fields.masked() || self.mask_bit(0, index)
    }
}
