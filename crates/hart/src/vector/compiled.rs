//! What a compiler of hot code may know of the vector unit: where its state lies, which settings there are, and
//! kernels, loops without any of the checks that bodies make.

use std::mem::offset_of;

pub use super::crypto::{Round, rounds};
use super::fields::Fields;
use super::kernel::{Immediate, MaskedOff};
pub use super::kernel::{Kernel, masked};
use super::state::{AgnosticFill, VectorUnit, Vtype};
pub use super::transfer::Transfer;
use super::{arithmetic, crypto, kernel, mask, permutation};
use crate::csr::Csrs;
use crate::hart::Hart;

/// Distances from the beginning of a [`Hart`], in bytes.
pub mod offset {
    use super::{Csrs, Hart, VectorUnit, Vtype, offset_of};

    /// The unit.
    pub const UNIT: usize = offset_of!(Hart, vector);
    /// `vl`, as wide as a host address.
    pub const VL: usize = UNIT + offset_of!(VectorUnit, vl);
    /// `vstart`, as wide as a host address.
    pub const VSTART: usize = UNIT + offset_of!(VectorUnit, vstart);
    /// The four bytes of `vtype` but for `vill`.
    pub const VTYPE: usize = UNIT + offset_of!(VectorUnit, vtype) + offset_of!(Vtype, sew);
    /// `vtype.vill`, a byte.
    pub const VILL: usize = UNIT + offset_of!(VectorUnit, vtype) + offset_of!(Vtype, illegal);
    /// `mstatus`, a doubleword.
    pub const STATUS: usize = offset_of!(Hart, csrs) + Csrs::VECTOR_STATUS.0;
}

/// What of `mstatus` is set if the unit is on and its state marked as changed.
pub const CHANGED: u64 = Csrs::VECTOR_STATUS.1;

impl Vtype {
    /// The bytes at [`offset::VTYPE`], as one number.
    pub const fn packed(self) -> u32 {
        u32::from_ne_bytes([self.sew, self.lmul as u8, self.tail_agnostic as u8, self.mask_agnostic as u8])
    }
}

/// Second operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    /// A register group's offset in the register file, or an immediate.
    Known(u64),
    /// This integer register, sign-extended.
    Register(u16),
}

/// An instruction that a kernel executes.
#[derive(Clone, Copy, Debug)]
pub struct Resolved {
    /// The kernel.
    pub kernel: Kernel,
    /// If it is masked, the last argument of [`masked`].
    pub masked_off: Option<u64>,
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Second operand.
    pub b: Second,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
}

impl VectorUnit {
    /// The kernel of an instruction under a legal `vtype`, if it has one and is legal itself, whatever `vl`.
    pub fn kernel(&self, name: &str, word: u32, vtype: Vtype) -> Option<Resolved> {
        if vtype.illegal || !kernel::available() {
            return None;
        }
        let fields = Fields(word);
        let multiple = 1 << vtype.lmul.max(0);
        let aligned = |register: u32| register.is_multiple_of(multiple);
        // A masked instruction spares its mask and does not read it as elements.
        let fits = |register: u32| aligned(register) && !(fields.masked() && register == 0);
        let at = |register: u32| register as usize * self.vlenb;
        let (kernel, b) = match mask::index::kernel(name, vtype.sew) {
            Some(kernel) => {
                let is_apart = name != "VIOTA__M" || fields.vd() / multiple != fields.vs2() / multiple;
                (is_apart.then_some(kernel)?, Second::Known(fields.masked().into()))
            }
            None => {
                let category = word >> 12 & 7;
                let is_scalar = !matches!(category, 0 | 2);
                let found = arithmetic::kernel(name, is_scalar, vtype.sew)
                    .or_else(|| crypto::kernel(name, is_scalar, vtype.sew))
                    .or_else(|| permutation::kernel(name, vtype.sew))?;
                let is_group = !is_scalar && found.immediate != Immediate::none;
                // Below its offset, a masked slide upwards neither moves nor masks off.
                let is_apart =
                    !permutation::slides_up(name) || fields.vd() != fields.vs2() && !fields.masked();
                if !(fits(fields.vs2()) && (!is_group || fits(fields.rs1())) && is_apart) {
                    return None;
                }
                let b = match category {
                    _ if is_group => Second::Known(at(fields.rs1()) as u64),
                    4 | 6 => Second::Register(fields.rs1() as u16),
                    _ => Second::Known(found.immediate.of(fields)),
                };
                (found.run, b)
            }
        };
        let ones = self.fill == AgnosticFill::Ones && vtype.mask_agnostic;
        let masked_off = fields.masked().then(|| MaskedOff { sew: vtype.sew, ones }.packed());
        let (d, a, tail_end) = (at(fields.vd()), at(fields.vs2()), self.tail_end(vtype));
        fits(fields.vd()).then_some(Resolved { kernel, masked_off, d, a, b, tail_end })
    }

    /// End of the tail of a group of SEW and LMUL from its beginning, in bytes; 0 if the tail stays.
    pub const fn tail_end(&self, vtype: Vtype) -> usize {
        match self.fill {
            AgnosticFill::Ones if vtype.tail_agnostic => {
                self.vlenb << if vtype.lmul > 0 { vtype.lmul } else { 0 }
            }
            _ => 0,
        }
    }
}
