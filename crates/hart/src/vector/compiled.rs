//! What a compiler of hot code may know of the vector unit: where its state lies, which settings there are, and
//! kernels, loops without any of the checks that bodies make.

use std::mem::offset_of;

pub use super::crypto::{Round, rounds};
use super::element_wise::MaskUse;
use super::fields::Fields;
pub use super::fields::Second;
pub use super::float::{
    Direct, DirectCall, DirectLane, Directs, FloatDoubling, FloatLane, Halves, OfBrain, Spread, Written,
};
pub use super::halved::HalvesCall;
use super::kernel::MaskedOff;
pub use super::kernel::{Kernel, masked};
pub use super::lanes::Lane;
pub use super::load_store::{Entry, Places, Scattered, Transfer};
pub use super::masking::{Compared, Comparison, Masking};
pub use super::mixed::{Carry, Doubled, Doubling, Extension, Fixed};
pub use super::operation::{Checked, Compiled, Operation, Slide};
pub use super::reducing::Reduction;
use super::state::{AgnosticFill, VectorUnit, Vtype};
use super::{carry_less, crypto, division, kernel, shifts};
use crate::csr::Csrs;
use crate::float::FloatUnit;
use crate::hart::Hart;

/// Distances from the beginning of a [`Hart`], in bytes.
pub mod offset {
    use super::{Csrs, FloatUnit, Hart, VectorUnit, Vtype, offset_of};

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
    /// `vxrm`, a byte.
    pub const VXRM: usize = UNIT + offset_of!(VectorUnit, vxrm);
    /// `vxsat`, a byte.
    pub const VXSAT: usize = UNIT + offset_of!(VectorUnit, vxsat);
    /// `mstatus`, a doubleword.
    pub const STATUS: usize = offset_of!(Hart, csrs) + Csrs::VECTOR_STATUS.0;
    /// The floating-point registers, a doubleword each.
    pub const FLOAT_REGISTERS: usize = offset_of!(Hart, float) + FloatUnit::PLACES[0];
    /// `fflags`, a byte.
    pub const FFLAGS: usize = offset_of!(Hart, float) + FloatUnit::PLACES[1];
    /// `frm`, a byte.
    pub const FRM: usize = offset_of!(Hart, float) + FloatUnit::PLACES[2];
}

/// What of `mstatus` is set if the unit is on and its state marked as changed.
pub const CHANGED: u64 = Csrs::VECTOR_STATUS.1;
/// The same of the floating-point unit.
pub const FLOAT_CHANGED: u64 = Csrs::FLOAT_STATUS.1;

impl Vtype {
    /// The bytes at [`offset::VTYPE`], as one number.
    pub const fn packed(self) -> u32 {
        u32::from_ne_bytes([self.sew, self.lmul as u8, self.tail_agnostic as u8, self.mask_agnostic as u8])
    }
}

/// The second operand of an instruction that a kernel executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The register group that begins here.
    Group(u32),
    /// This integer register, sign-extended.
    Register(u16),
    /// This number.
    Immediate(u64),
}

/// An instruction that a kernel executes.
#[derive(Clone, Copy, Debug)]
pub struct Resolved {
    /// The kernel. That of masked fixed-point arithmetic changes active elements alone.
    pub kernel: Kernel,
    /// Whether it is masked, and the kernel changes active elements alone, though it is not fixed-point arithmetic.
    pub is_of_active: bool,
    /// If it is masked, the last argument of [`masked`].
    pub masked_off: Option<u64>,
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Second operand.
    pub b: Source,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
}

impl Resolved {
    /// True if it is masked and leaves alone what is masked off, false if it is not masked; `None` if that is changed, too.
    pub fn keeps_masked_off(&self) -> Option<bool> {
        keeps_masked_off(self.masked_off)
    }
}

fn keeps_masked_off(masked_off: Option<u64>) -> Option<bool> {
    masked_off.map_or(Some(false), |bits| MaskedOff::keeps(bits).then_some(true))
}

/// The registers of an instruction that compiled code does itself.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// Offsets of `vd`, `vs2` and `vs1`.
    pub of: [usize; 3],
    /// End of the tail of a group at `vd`, 0 if it stays.
    pub tail_end: usize,
    /// If it is masked, the last argument of [`masked`].
    pub masked_off: Option<u64>,
}

impl Registers {
    /// As [`Resolved::keeps_masked_off`].
    pub fn keeps_masked_off(&self) -> Option<bool> {
        keeps_masked_off(self.masked_off)
    }
}

/// The operands of a floating-point instruction that is legal.
#[derive(Clone, Copy, Debug)]
pub struct FloatOperands {
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Second operand; of an operation with one alone, any number.
    pub b: Second,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
    /// It is masked, and leaves alone what is masked off.
    pub is_masked: bool,
}

impl Operation {
    /// The operands of an instruction on numbers that the host has too, if it changes active elements alone and is legal
    /// under `vtype` wherever the floating-point unit is on and rounds.
    pub fn floats(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<FloatOperands> {
        let fields = Fields(word);
        let rules = self.rules?;
        let shape = rules.legal(unit, fields, vtype).ok()?;
        let [d, a] = [fields.vd(), fields.vs2()].map(|register| register as usize * unit.vlenb);
        let is_masked = fields.masked() && rules.mask == MaskUse::Predicate;
        let stay = !(is_masked && unit.fills() && vtype.mask_agnostic);
        let (b, tail_end) = (shape.second, unit.tail_end(vtype));
        let operands = FloatOperands { d, a, b, tail_end, is_masked };
        (stay && vtype.sew > 0).then_some(operands)
    }

    /// The same of one on numbers of 32 and of 64 bits.
    pub fn doubled_floats(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<FloatOperands> {
        let Compiled::FloatDoubled(doubling, _) = self.compiled else { return None };
        let fields = Fields(word);
        let shape = self.rules?.legal(unit, fields, vtype).ok()?;
        let [d, a] = [fields.vd(), fields.vs2()].map(|register| register as usize * unit.vlenb);
        let is_masked = fields.masked();
        let stay = !(is_masked && unit.fills() && (vtype.mask_agnostic || shape.agnostic));
        let tail_agnostic = vtype.tail_agnostic || shape.agnostic;
        let lmul = vtype.lmul + i8::from(!doubling.narrows());
        let tail_end = unit.tail_end(Vtype { tail_agnostic, lmul, ..vtype });
        let operands = FloatOperands { d, a, b: shape.second, tail_end, is_masked };
        (stay && vtype.sew == 2).then_some(operands)
    }

    /// Offsets of `vd`, `vs2` and `vs1` of an instruction that is legal under `vtype`, which may not have all three; the end
    /// of the tail of a group at `vd`, 0 if it stays; and if the instruction is masked, the last argument of [`masked`].
    pub fn registers(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<Registers> {
        let fields = Fields(word);
        let shape = self.rules?.legal(unit, fields, vtype).ok()?;
        let of = [fields.vd(), fields.vs2(), fields.rs1()].map(|register| register as usize * unit.vlenb);
        let vtype = shape.policies(vtype);
        let masked_off = fields.masked().then(|| MaskedOff::of(unit, vtype, false).packed());
        Some(Registers { of, tail_end: unit.tail_end(vtype), masked_off })
    }

    /// The kernel of an instruction, if the operation has one and the instruction is legal under `vtype`,
    /// where `vl` is a multiple of [`Self::elements`].
    pub fn kernel(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<Resolved> {
        let fields = Fields(word);
        let rules = self.rules?;
        let shape = rules.legal(unit, fields, vtype).ok().filter(|_| kernel::available())?;
        let [d, a] = [fields.vd(), fields.vs2()].map(|register| register as usize * unit.vlenb);
        let b = match shape.second {
            Second::Group(register) => Source::Group(register),
            Second::Register(register) => Source::Register(register),
            Second::Immediate(value) => Source::Immediate(value),
            Second::Float(_) => return None,
        };
        let is_group = matches!(b, Source::Group(_));
        let of_active = match self.compiled {
            Compiled::Lane(lane) if fields.masked() => division::masked_kernel(lane, is_group, vtype.sew),
            _ => None,
        };
        let (kernel, spares_below) = match self.compiled {
            Compiled::Lane(lane) => {
                let of_host = of_active
                    .or_else(|| carry_less::kernel(lane, is_group))
                    .or_else(|| division::kernel(lane, is_group, vtype.sew))
                    .or_else(|| shifts::kernel(lane, is_group, vtype.sew));
                (of_host.unwrap_or_else(|| lane.kernel(is_group, vtype.sew)), false)
            }
            Compiled::Reduction(..) if fields.masked() => return None,
            Compiled::Reduction(_, whole, _) => whole?.for_sew(vtype.sew),
            Compiled::Whole(whole)
            | Compiled::Numbers(whole)
            | Compiled::Slid(_, whole)
            | Compiled::Gather(whole)
            | Compiled::GatherBy16Bits(whole)
            | Compiled::Counts(whole) => whole.for_sew(vtype.sew),
            Compiled::Groups(groups, _) => ((groups.kernel)(vtype.sew)?, false),
            Compiled::Carried(_, widths, _) | Compiled::Compared(Compared { widths, .. }, _) => {
                let is_masked = fields.masked() && rules.mask == MaskUse::Predicate;
                return (!shape.agnostic).then(|| {
                    let (kernel, tail_end) = widths.under(unit, vtype, !is_group);
                    let masked_off = is_masked.then(|| MaskedOff::of(unit, vtype, false).packed());
                    Resolved { kernel, is_of_active: false, masked_off, d, a, b, tail_end }
                });
            }
            Compiled::Fixed(_, [widths, _], _) | Compiled::Doubled(Doubled { widths, .. }, _) => {
                let widths = match self.compiled {
                    Compiled::Fixed(_, [_, of_active], _) if fields.masked() => of_active,
                    _ => widths,
                };
                // If `vd` is a part of a wider `vs2`, or a source the last part of a wider `vd`, too: a step reads nothing
                // that one before it has written.
                let vtype = shape.policies(vtype);
                let (kernel, tail_end) = widths.under(unit, vtype, !is_group);
                let masked_off = fields.masked().then(|| MaskedOff::of(unit, vtype, false).packed());
                return Some(Resolved { kernel, is_of_active: false, masked_off, d, a, b, tail_end });
            }
            Compiled::Body
            | Compiled::Checked(_)
            | Compiled::Extended(..)
            | Compiled::Float(..)
            | Compiled::FloatDoubled(..)
            | Compiled::OfBrain(..)
            | Compiled::Spread(..)
            | Compiled::Direct(..)
            | Compiled::Masking(..)
            | Compiled::Round(_)
            | Compiled::Access => return None,
        };
        let masked_off = fields.masked().then(|| MaskedOff::of(unit, vtype, spares_below).packed());
        let tail_end = unit.tail_end(vtype);
        Some(Resolved { kernel, is_of_active: of_active.is_some(), masked_off, d, a, b, tail_end })
    }

    /// Whether an instruction is agnostic whatever `vtype` says, the last argument of [`Checked`]; `None` unless it is
    /// legal under `vtype` where `vl` is a multiple of [`Self::elements`].
    pub fn checked(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<u64> {
        let shape = self.rules?.legal(unit, Fields(word), vtype).ok().filter(|_| kernel::available())?;
        Some(shape.agnostic.into())
    }

    /// How an instruction is executed by one of these entries, if it is unmasked and legal under `vtype` wherever the
    /// floating-point unit is on and rounds.
    pub fn direct(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<DirectCall> {
        let Compiled::Direct(directs, _) = self.compiled else { return None };
        let fields = Fields(word);
        let shape = self
            .rules?
            .legal(unit, fields, vtype)
            .ok()
            .filter(|_| kernel::available() && !fields.masked())?;
        let of = directs.of.get(usize::from(vtype.sew).checked_sub(1)?)?;
        let (entry, second) = match shape.second {
            Second::Group(register) => (of[0], u64::from(register) * unit.vlenb as u64),
            Second::Float(register) => (of[1], register.into()),
            Second::Register(_) => return None,
            Second::Immediate(_) => (of[0], 0),
        };
        let ones = unit.fill == AgnosticFill::Ones;
        let tail_end = match directs.written {
            Written::Elements => unit.tail_end(vtype),
            Written::Scalar if ones && vtype.tail_agnostic => unit.vlenb,
            // The entry finds out itself.
            Written::Mask | Written::Scalar => 0,
        };
        let [d, a] = [fields.vd(), fields.vs2()].map(|register| register as usize * unit.vlenb);
        let is_known = directs.written == Written::Mask || !shape.agnostic;
        is_known.then_some(DirectCall { entry, d, a, second, tail_end })
    }

    /// Elements of a group.
    pub fn elements(&self) -> u64 {
        self.rules.map_or(1, |rules| rules.needs.elements() as u64)
    }

    /// What it does as a round of AES, if it is one, and legal under `vtype` where `vl` is a multiple of four.
    pub fn round(&self, unit: &VectorUnit, word: u32, vtype: Vtype) -> Option<Round> {
        let Compiled::Round(round) = self.compiled else { return None };
        let is_legal = self.rules?.legal(unit, Fields(word), vtype).is_ok();
        (is_legal && crypto::available()).then_some(round)
    }
}

impl VectorUnit {
    /// True if agnostic elements become ones.
    pub const fn fills(&self) -> bool {
        matches!(self.fill, AgnosticFill::Ones)
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
