//! Element-wise instructions as operations on the host's registers of thirty-two bytes.

use hart::vector::compiled::{Lane, Source};
use iced_x86::Code;

use super::doublewords::{rare_comparison, rare_rotation, rare_shift};

/// What an operation reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A column of the register file, by its offset.
    Column(usize),
    /// All lanes alike: what the scalar of this index holds.
    Splat(usize),
    /// How far to shift: that scalar.
    Count(usize),
    /// The constant of this index.
    Constant(usize),
    /// For one instruction.
    Scratch(usize),
}

/// The second operand of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    Place(Place),
    /// Bits to shift by.
    Bits(u32),
    /// There is none: it moves the first.
    None,
}

/// `to = code(first, second)`.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub code: Code,
    pub to: Place,
    pub first: Place,
    pub second: Second,
}

/// What a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// A second operand.
    Operand(Source),
    /// Of one, the bits that say how far to shift.
    Count(Source),
}

/// Sixteen bytes that a register holds twice.
pub type Constant = [u64; 2];

/// Operations of consecutive instructions, and the scalars and constants that they read.
pub struct Operations {
    pub all: Vec<Operation>,
    pub scalars: Vec<Scalar>,
    pub constants: Vec<Constant>,
    /// The host has those of AVX-512.
    rare: bool,
}

/// One column of an instruction.
#[derive(Clone, Copy)]
pub struct Columns {
    pub d: Place,
    pub a: Place,
    /// Of a group; else [`Columns::d`].
    pub b: Place,
}

/// Codes for elements of one, two, four and eight bytes.
type Codes = [Option<Code>; 4];

macro_rules! codes {
    ($($code:ident)*) => { [$(Some(Code::$code)),*] };
}

const ADD: Codes = codes!(VEX_Vpaddb_ymm_ymm_ymmm256 VEX_Vpaddw_ymm_ymm_ymmm256 VEX_Vpaddd_ymm_ymm_ymmm256 VEX_Vpaddq_ymm_ymm_ymmm256);
const SUBTRACT: Codes = codes!(VEX_Vpsubb_ymm_ymm_ymmm256 VEX_Vpsubw_ymm_ymm_ymmm256 VEX_Vpsubd_ymm_ymm_ymmm256 VEX_Vpsubq_ymm_ymm_ymmm256);
const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
const MOVE: Code = Code::VEX_Vmovdqu_ymm_ymmm256;
const MULTIPLY: Codes =
    [None, Some(Code::VEX_Vpmullw_ymm_ymm_ymmm256), Some(Code::VEX_Vpmulld_ymm_ymm_ymmm256), None];

const fn but_doublewords(byte: Code, half: Code, word: Code) -> Codes {
    [Some(byte), Some(half), Some(word), None]
}

/// Codes that shift all lanes alike, by bits of their own.
fn shift(lane: Lane) -> Codes {
    match lane {
        Lane::VSLL => [
            None,
            Some(Code::VEX_Vpsllw_ymm_ymm_imm8),
            Some(Code::VEX_Vpslld_ymm_ymm_imm8),
            Some(Code::VEX_Vpsllq_ymm_ymm_imm8),
        ],
        Lane::VSRL => [
            None,
            Some(Code::VEX_Vpsrlw_ymm_ymm_imm8),
            Some(Code::VEX_Vpsrld_ymm_ymm_imm8),
            Some(Code::VEX_Vpsrlq_ymm_ymm_imm8),
        ],
        _ => [None, Some(Code::VEX_Vpsraw_ymm_ymm_imm8), Some(Code::VEX_Vpsrad_ymm_ymm_imm8), None],
    }
}

/// The same by what a register holds.
fn shift_by_count(lane: Lane) -> Codes {
    match lane {
        Lane::VSLL => [
            None,
            Some(Code::VEX_Vpsllw_ymm_ymm_xmmm128),
            Some(Code::VEX_Vpslld_ymm_ymm_xmmm128),
            Some(Code::VEX_Vpsllq_ymm_ymm_xmmm128),
        ],
        Lane::VSRL => [
            None,
            Some(Code::VEX_Vpsrlw_ymm_ymm_xmmm128),
            Some(Code::VEX_Vpsrld_ymm_ymm_xmmm128),
            Some(Code::VEX_Vpsrlq_ymm_ymm_xmmm128),
        ],
        _ => [None, Some(Code::VEX_Vpsraw_ymm_ymm_xmmm128), Some(Code::VEX_Vpsrad_ymm_ymm_xmmm128), None],
    }
}

/// The same of each lane by what that of another register holds, or to zero if that is more than there are.
fn shift_by_lanes(lane: Lane) -> Codes {
    match lane {
        Lane::VSLL => {
            [None, None, Some(Code::VEX_Vpsllvd_ymm_ymm_ymmm256), Some(Code::VEX_Vpsllvq_ymm_ymm_ymmm256)]
        }
        Lane::VSRL => {
            [None, None, Some(Code::VEX_Vpsrlvd_ymm_ymm_ymmm256), Some(Code::VEX_Vpsrlvq_ymm_ymm_ymmm256)]
        }
        _ => [None, None, Some(Code::VEX_Vpsravd_ymm_ymm_ymmm256), None],
    }
}

/// Bytes of a scalar's place.
pub const SCALAR: usize = 8;
/// Most scalars.
pub const SCALARS: usize = 16;

impl Operations {
    /// None yet; `rare` says whether the host has AVX-512.
    pub const fn new(rare: bool) -> Self {
        Self { all: Vec::new(), scalars: Vec::new(), constants: Vec::new(), rare }
    }

    /// The code that shifts each lane by what that of another register holds.
    fn shift_by_lanes(&self, lane: Lane, width: usize) -> Option<Code> {
        shift_by_lanes(lane)[width].or_else(|| rare_shift(lane)[width].filter(|_| self.rare))
    }

    /// Adds one column of an instruction on elements of a width (log2 of bytes). Returns `None`, having added some of it or
    /// nothing, if the host has no such operation.
    pub fn add(&mut self, lane: Lane, sew: u8, operand: Source, columns: Columns) -> Option<()> {
        let Columns { d, a, b } = columns;
        let width = usize::from(sew & 3);
        if matches!(lane, Lane::VSLL | Lane::VSRL | Lane::VSRA | Lane::VROL | Lane::VROR) {
            return self.shifted(lane, width, operand, columns);
        }
        let b = match operand {
            Source::Group(_) => b,
            _ => Place::Splat(self.scalar(Scalar::Operand(operand))?),
        };
        match lane {
            Lane::VADD => self.push(ADD[width]?, d, a, b),
            Lane::VSUB => self.push(SUBTRACT[width]?, d, a, b),
            Lane::VRSUB => self.push(SUBTRACT[width]?, d, b, a),
            Lane::VAND => self.push(AND, d, a, b),
            Lane::VANDN => self.push(Code::VEX_Vpandn_ymm_ymm_ymmm256, d, b, a),
            Lane::VOR => self.push(OR, d, a, b),
            Lane::VXOR => self.push(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, a, b),
            Lane::VMV => self.all.push(Operation { code: MOVE, to: d, first: b, second: Second::None }),
            Lane::VMINU | Lane::VMIN | Lane::VMAXU | Lane::VMAX => match compare(lane)[width] {
                Some(code) => self.push(code, d, a, b),
                None if self.rare => self.push(rare_comparison(lane), d, a, b),
                None => self.compared_doublewords(lane, d, a, b),
            },
            Lane::VMUL => match MULTIPLY[width] {
                Some(code) => self.push(code, d, a, b),
                None if width == 0 => self.multiplied_bytes(d, a, b),
                None if self.rare => self.push(Code::EVEX_Vpmullq_ymm_k1z_ymm_ymmm256b64, d, a, b),
                None => self.multiplied_doublewords(d, a, b),
            },
            Lane::VMACC => self.multiplied(width, [a, b], ADD[width]?, d, d)?,
            Lane::VNMSAC => self.multiplied(width, [a, b], SUBTRACT[width]?, d, d)?,
            Lane::VMADD => self.multiplied(width, [d, b], ADD[width]?, d, a)?,
            Lane::VNMSUB => self.multiplied(width, [d, b], SUBTRACT[width]?, d, a)?,
            // Done above.
            Lane::VSLL | Lane::VSRL | Lane::VSRA | Lane::VROL | Lane::VROR => return None,
            // A kernel's.
            Lane::VMULH
            | Lane::VMULHU
            | Lane::VMULHSU
            | Lane::VDIVU
            | Lane::VDIV
            | Lane::VREMU
            | Lane::VREM
            | Lane::VBREV
            | Lane::VBREV8
            | Lane::VREV8
            | Lane::VCLZ
            | Lane::VCTZ
            | Lane::VCPOP
            | Lane::VCLMUL
            | Lane::VCLMULH => return None,
        }
        Some(())
    }

    pub(super) fn push(&mut self, code: Code, to: Place, first: Place, second: Place) {
        self.all.push(Operation { code, to, first, second: Second::Place(second) });
    }

    /// `to = code(term, product)`.
    fn multiplied(
        &mut self,
        width: usize,
        factors: [Place; 2],
        code: Code,
        to: Place,
        term: Place,
    ) -> Option<()> {
        let product = Place::Scratch(0);
        self.push(MULTIPLY[width]?, product, factors[0], factors[1]);
        self.push(code, to, term, product);
        Some(())
    }

    fn shifted(&mut self, lane: Lane, width: usize, operand: Source, columns: Columns) -> Option<()> {
        let Columns { d, a, b } = columns;
        let bits = 8_u64 << width;
        let (there, back) = match lane {
            Lane::VROL => (Lane::VSLL, Some(Lane::VSRL)),
            Lane::VROR => (Lane::VSRL, Some(Lane::VSLL)),
            _ => (lane, None),
        };
        let (left, right) = (Place::Scratch(0), Place::Scratch(1));
        let rotation_at_once = rare_rotation(lane)[width].filter(|_| self.rare);
        match (operand, back) {
            (Source::Immediate(by), None) => {
                self.shift_by(shift(there)[width]?, d, a, by % bits);
            }
            (Source::Immediate(by), Some(_)) if by.is_multiple_of(8) => {
                let by = if lane == Lane::VROL { by % bits } else { bits - by % bits };
                let order = self.constant(rotation(by as usize / 8, 1 << width));
                self.push(Code::VEX_Vpshufb_ymm_ymm_ymmm256, d, a, order);
            }
            (Source::Immediate(by), Some(back)) => {
                if let Some([by_bits, _]) = rotation_at_once {
                    self.shift_by(by_bits, d, a, by % bits);
                    return Some(());
                }
                self.shift_by(shift(there)[width]?, left, a, by % bits);
                self.shift_by(shift(back)[width]?, right, a, bits - by % bits);
                self.push(OR, d, left, right);
            }
            (Source::Register(_), None) => {
                let count = Place::Count(self.scalar(Scalar::Count(operand))?);
                self.push(shift_by_count(there)[width]?, d, a, count);
            }
            (Source::Register(_), Some(_)) => return None,
            (Source::Group(_), _) => {
                if let Some([_, by_lanes]) = rotation_at_once {
                    self.push(by_lanes, d, a, b);
                    return Some(());
                }
                let most = self.number(width, bits - 1);
                self.push(AND, left, b, most);
                let Some(back) = back else {
                    self.push(self.shift_by_lanes(there, width)?, d, a, left);
                    return Some(());
                };
                let all = self.number(width, bits);
                self.push(SUBTRACT[width]?, right, all, left);
                self.push(self.shift_by_lanes(there, width)?, left, a, left);
                self.push(self.shift_by_lanes(back, width)?, right, a, right);
                self.push(OR, d, left, right);
            }
        }
        Some(())
    }

    pub(super) fn shift_by(&mut self, code: Code, to: Place, first: Place, bits: u64) {
        self.all.push(Operation { code, to, first, second: Second::Bits(bits as u32) });
    }

    /// The index of a scalar.
    pub(super) fn scalar(&mut self, scalar: Scalar) -> Option<usize> {
        if let Some(index) = self.scalars.iter().position(|&known| known == scalar) {
            return Some(index);
        }
        self.scalars.push(scalar);
        (self.scalars.len() <= SCALARS).then_some(self.scalars.len() - 1)
    }

    pub(super) fn constant(&mut self, constant: Constant) -> Place {
        let known = self.constants.iter().position(|&known| known == constant);
        Place::Constant(known.unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        }))
    }

    /// A number in all lanes of a width (log2 of bytes).
    fn number(&mut self, width: usize, number: u64) -> Place {
        let bits = 8 << width;
        self.constant([(0..64).step_by(bits).fold(0, |all, at| all | number << at); 2])
    }
}

/// Where bytes come from in elements that are rotated to the left by whole bytes.
fn rotation(by: usize, element: usize) -> [u64; 2] {
    let from = |byte: usize| byte / element * element + (byte + element - by) % element;
    [0, 8].map(|first| (first..first + 8).rev().fold(0, |order, byte| order << 8 | from(byte) as u64))
}

/// Codes that compare.
fn compare(lane: Lane) -> Codes {
    match lane {
        Lane::VMINU => but_doublewords(
            Code::VEX_Vpminub_ymm_ymm_ymmm256,
            Code::VEX_Vpminuw_ymm_ymm_ymmm256,
            Code::VEX_Vpminud_ymm_ymm_ymmm256,
        ),
        Lane::VMIN => but_doublewords(
            Code::VEX_Vpminsb_ymm_ymm_ymmm256,
            Code::VEX_Vpminsw_ymm_ymm_ymmm256,
            Code::VEX_Vpminsd_ymm_ymm_ymmm256,
        ),
        Lane::VMAXU => but_doublewords(
            Code::VEX_Vpmaxub_ymm_ymm_ymmm256,
            Code::VEX_Vpmaxuw_ymm_ymm_ymmm256,
            Code::VEX_Vpmaxud_ymm_ymm_ymmm256,
        ),
        _ => but_doublewords(
            Code::VEX_Vpmaxsb_ymm_ymm_ymmm256,
            Code::VEX_Vpmaxsw_ymm_ymm_ymmm256,
            Code::VEX_Vpmaxsd_ymm_ymm_ymmm256,
        ),
    }
}
