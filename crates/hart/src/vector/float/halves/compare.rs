//! Comparisons of numbers of binary16.

use std::arch::x86_64::{
    _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_NEQ_UQ, _CMP_UNORD_Q, _mm256_cmp_ps,
    _mm256_cvtph_ps,
};

use softfloat::environment::Flags;
use softfloat::format::Half;

use super::super::super::host_block::load;
use super::super::entries::DirectLane;
use super::blocks::{Pair, active_bits, halves, in_blocks, second};
use super::call::{Call, Halves};
use super::narrow::widened_pair;
use super::rounding::signaling;
use super::step::{bits_of_singles, each};
use super::words::Words;
use crate::hart::Hart;

/// How compiled code does a comparison.
pub fn of_direct(lane: DirectLane) -> Option<Halves> {
    Some(match lane {
        DirectLane::VMFEQ => compared::<_CMP_EQ_OQ, true>,
        DirectLane::VMFNE => compared::<_CMP_NEQ_UQ, true>,
        DirectLane::VMFLT => compared::<_CMP_LT_OQ, false>,
        DirectLane::VMFLE => compared::<_CMP_LE_OQ, false>,
        DirectLane::VMFGT => compared::<_CMP_GT_OQ, false>,
        DirectLane::VMFGE => compared::<_CMP_GE_OQ, false>,
        _ => return None,
    })
}

in_blocks! { compared [PREDICATE: i32, IS_QUIET: bool], 16, [0, 2, 2], usual_compared, any_compared }

/// What holds of sixteen, of which quiet NaNs raise a flag or not.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn usual_compared<const PREDICATE: i32, const IS_QUIET: bool, const PARTS: bool>(
    hart: &mut Hart,
    call: Call,
) -> Option<()> {
    let (a, b) = (halves(hart, call.a)?, second::<Half>(hart, &call)?);
    let (x, y) = (widened_pair(a), widened_pair(b));
    let (holds, nans) = (bits::<PREDICATE>(x, y), bits::<_CMP_UNORD_Q>(x, y));
    let active = if PARTS { active_bits::<2>(hart, &call) as u16 } else { u16::MAX };
    let target = hart.vector.registers.get_mut(call.d..call.d + 2)?.first_chunk_mut::<2>()?;
    *target = (u16::from_le_bytes(*target) & !active | holds & active).to_le_bytes();
    if nans & active != 0 {
        let invalid = if IS_QUIET { signaling_bits(a) | signaling_bits(b) } else { nans };
        if invalid & active != 0 {
            hart.accrue_flags(Flags::INVALID);
        }
    }
    Some(())
}

/// A bit for each two of which something holds.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn bits<const PREDICATE: i32>(x: Words, y: Words) -> u16 {
    let low = bits_of_singles(_mm256_cmp_ps::<PREDICATE>(x.0, y.0));
    let high = bits_of_singles(_mm256_cmp_ps::<PREDICATE>(x.1, y.1));
    u16::from_le_bytes([low, high])
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn signaling_bits((low, high): Pair) -> u16 {
    u16::from_le_bytes([signaling(low), signaling(high)])
}

/// The same of eight at a time.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,fma")]
extern "C" fn any_compared<const PREDICATE: i32, const IS_QUIET: bool>(
    hart: &mut Hart,
    d: usize,
    a: usize,
    second: u64,
    how: u64,
    tail_end: usize,
) {
    each(hart, Call { d, a, second, how, tail_end }, 2, |registers, step| {
        let (a, b) = (load(registers, step.at(a, 2)), step.b);
        let (x, y) = (_mm256_cvtph_ps(a), _mm256_cvtph_ps(b));
        let holds = bits_of_singles(_mm256_cmp_ps::<PREDICATE>(x, y));
        let nans = bits_of_singles(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, y));
        let byte = &mut registers[d + step.index / 8];
        *byte = *byte & !step.active | holds & step.active;
        let invalid = if IS_QUIET { signaling(a) | signaling(b) } else { nans };
        if invalid & step.active != 0 { Flags::INVALID.0 } else { 0 }
    });
}
