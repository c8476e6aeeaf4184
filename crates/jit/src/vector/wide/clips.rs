//! Words and doublewords that are each shifted by another number, rounded to nearest, ties up, and become half as wide, where
//! what does not fit becomes the nearest that does.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use hart::vector::compiled::{Resolved, Source};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::COLUMN;
use super::assembler::{Assembled, Assembler, at};
use crate::builder::Builder;

/// Bytes of a register.
const BYTES: usize = 64;

/// The parameters in the host's calling convention: `vd`, `vs2`, `vs1` and v0.
const D: Register = Register::RDI;
const A: Register = Register::RSI;
const B: Register = Register::RDX;
const V0: Register = Register::RCX;
const RESULT: Register = Register::EAX;
const BITS: Register = Register::R8D;

/// Elements that are active, the others, those of them that saturate, and all that did.
const ACTIVE: Register = Register::K1;
const OTHERS: Register = Register::K2;
const SATURATED: Register = Register::K3;
const ANY: Register = Register::K4;

/// A comparison of unsigned numbers.
const IS_ABOVE: u32 = 6;

// Registers from the sixteenth on need not be cleared for instructions of sixteen bytes to be fast.
const WIDE: Register = Register::ZMM16;
const COUNTS: Register = Register::ZMM17;
const SHIFTED: Register = Register::ZMM18;
const LESS: Register = Register::ZMM19;
const LANES: Register = Register::YMM20;

/// Constants in all lanes: the greatest count, -1, 1, what is added before results are compared, and the greatest then.
const MOST_BITS: Register = Register::ZMM27;
const MINUS_ONE: Register = Register::ZMM28;
const ONE: Register = Register::ZMM29;
const MIDDLE: Register = Register::ZMM30;
const GREATEST: Register = Register::ZMM31;

/// An instruction.
struct Clips {
    /// log2 of the bytes of an element of `vd`: 1 or 2.
    sew: u8,
    signed: bool,
    /// Bytes of `vd`, whole columns.
    bytes: usize,
    /// Elements whose bits of v0 are not set stay, and do not saturate.
    masked: bool,
}

/// A function that executes one, and the offsets of `vd`, `vs2` and `vs1`.
pub struct WideClips {
    callee: u64,
    operands: [usize; 3],
}

impl Builder<'_, '_> {
    /// Compiles a legal narrowing of so many bytes of `vd`, where each element is shifted by another number, as a call; it
    /// returns a number that is 0 if none saturates. `None` if there is no such function.
    pub(in crate::vector) fn wide_clips(
        &mut self,
        resolved: &Resolved,
        sew: u8,
        signed: bool,
        bytes: usize,
    ) -> Option<WideClips> {
        let Source::Group(second) = resolved.b else { return None };
        let is_whole = bytes > 0 && bytes.is_multiple_of(COLUMN);
        if !(1..3).contains(&sew) || !is_whole || !self.has_rare_functions() {
            return None;
        }
        let masked = resolved.masked_off.is_some();
        let code = assemble(&Clips { sew, signed, bytes, masked }).ok()?;
        let callee = self.wide.define(&code.bytes)? + code.entry as u64;
        let second = second as usize * self.region.vector.vlenb();
        Some(WideClips { callee, operands: [resolved.d, resolved.a, second] })
    }

    /// Calls it. The byte that it returns is 1 if any element saturates, else 0.
    pub(in crate::vector) fn call_clips(&mut self, clips: &WideClips) -> Value {
        self.clear_columns();
        let file = self.file_of_call();
        let [d, a, b] = clips.operands.map(|operand| {
            let operand = self.constant(operand as u64);
            self.ins.ins().iadd(file, operand)
        });
        let any = self.call_wide(clips.callee, &[d, a, b, file]);
        let zero = self.constant(0);
        self.ins.ins().icmp(IntCC::NotEqual, any, zero)
    }
}

/// The instructions for wide lanes of a width.
struct Codes {
    extend: Code,
    and: Code,
    add: Code,
    shift: Code,
    shift_signed: Code,
    compare: Code,
    narrow: Code,
    narrow_signed: Code,
    keep: Code,
}

const OF_WORDS: Codes = Codes {
    extend: Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
    and: Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
    add: Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
    shift: Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
    shift_signed: Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
    compare: Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
    narrow: Code::EVEX_Vpmovusdw_ymmm256_k1z_zmm,
    narrow_signed: Code::EVEX_Vpmovsdw_ymmm256_k1z_zmm,
    keep: Code::EVEX_Vmovdqu16_ymm_k1z_ymmm256,
};

const OF_DOUBLEWORDS: Codes = Codes {
    extend: Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
    and: Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
    add: Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
    shift: Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
    shift_signed: Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64,
    compare: Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
    narrow: Code::EVEX_Vpmovusqd_ymmm256_k1z_zmm,
    narrow_signed: Code::EVEX_Vpmovsqd_ymmm256_k1z_zmm,
    keep: Code::EVEX_Vmovdqu32_ymm_k1z_ymmm256,
};

/// The machine code of `fn(d, a, b, v0) -> u64`, which returns 0 if nothing saturates.
fn assemble(clips: &Clips) -> Result<Assembled, IcedError> {
    let bits = 8 << clips.sew;
    let (middle, greatest) =
        if clips.signed { (1 << (bits - 1), (1 << bits) - 1) } else { (0, (1 << bits) - 1) };
    let splat = |lane: u64| lane.to_le_bytes().into_iter().take(bits / 4).cycle().take(BYTES);
    let lanes = [2 * bits as u64 - 1, u64::MAX, 1, middle, greatest];
    let mut code = Assembler::new(lanes.into_iter().flat_map(splat).collect());
    for (number, register) in [MOST_BITS, MINUS_ONE, ONE, MIDDLE, GREATEST].into_iter().enumerate() {
        code.constant(register, number)?;
    }
    code.put(Instruction::with3(Code::VEX_Kxorw_kr_kr_kr, ANY, ANY, ANY))?;
    for column in 0..clips.bytes / COLUMN {
        clipped(clips, column, &mut code)?;
    }
    code.put(Instruction::with2(Code::VEX_Kmovw_r32_kr, RESULT, ANY))?;
    code.end()
}

/// A column of `vd`.
fn clipped(clips: &Clips, column: usize, code: &mut Assembler) -> Result<(), IcedError> {
    let codes = if clips.sew == 1 { &OF_WORDS } else { &OF_DOUBLEWORDS };
    let place = at(D, column * COLUMN);
    load(code, WIDE, A, 2 * column * COLUMN, 4)?;
    load(code, COUNTS, B, column * COLUMN, 2)?;
    let low = Register::YMM0 + (COUNTS as u32 - Register::ZMM0 as u32);
    code.put(Instruction::with2(codes.extend, COUNTS, low))?;
    code.put(Instruction::with3(codes.and, COUNTS, COUNTS, MOST_BITS))?;
    code.put(Instruction::with3(codes.add, LESS, COUNTS, MINUS_ONE))?;
    let shift = if clips.signed { codes.shift_signed } else { codes.shift };
    code.put(Instruction::with3(shift, SHIFTED, WIDE, COUNTS))?;
    // The last bit that falls out; of one that is not shifted, that is none.
    code.put(Instruction::with3(codes.shift, LESS, WIDE, LESS))?;
    code.put(Instruction::with3(codes.and, LESS, LESS, ONE))?;
    code.put(Instruction::with3(codes.add, SHIFTED, SHIFTED, LESS))?;
    code.put(Instruction::with3(codes.add, LESS, SHIFTED, MIDDLE))?;
    let is_above = Instruction::with4(codes.compare, SATURATED, LESS, GREATEST, IS_ABOVE);
    let narrow = if clips.signed { codes.narrow_signed } else { codes.narrow };
    code.put(Instruction::with2(narrow, LANES, SHIFTED))?;
    if clips.masked {
        code.bits(BITS, V0, (column * COLUMN) >> clips.sew)?;
        code.put(Instruction::with2(Code::VEX_Kmovd_kr_r32, ACTIVE, BITS))?;
        code.put(Instruction::with2(Code::VEX_Knotw_kr_kr, OTHERS, ACTIVE))?;
        code.put_where(ACTIVE, false, is_above)?;
        code.put_where(OTHERS, false, Instruction::with2(codes.keep, LANES, place))?;
    } else {
        code.put(is_above)?;
    }
    code.put(Instruction::with3(Code::VEX_Korw_kr_kr_kr, ANY, ANY, SATURATED))?;
    code.put(Instruction::with2(Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm, place, LANES))
}

/// Loads so many quarters of a register, each by itself, as they may just have been stored.
fn load(
    code: &mut Assembler,
    register: Register,
    base: Register,
    first: usize,
    quarters: u32,
) -> Result<(), IcedError> {
    let low = Register::XMM0 + (register as u32 - Register::ZMM0 as u32);
    let place = |quarter: u32| -> MemoryOperand { at(base, first + 16 * quarter as usize) };
    code.put(Instruction::with2(Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128, low, place(0)))?;
    for quarter in 1..quarters {
        let insert = Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8;
        code.put(Instruction::with4(insert, register, register, place(quarter), quarter))?;
    }
    Ok(())
}
