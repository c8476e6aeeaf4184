//! Division of doublewords by numbers of double precision, in the vectors of hosts that convert between the two: kernels of
//! `vdiv`, `vdivu`, `vrem` and `vremu`.
//!
//! A product with a reciprocal that is a little too small is a quotient that is at most 2^-48 of it and 1 too small. What is
//! left of the dividend is divided in the same way, and what is left of that holds the divisor once more or not.

use std::arch::x86_64::{
    __m256d, __m256i, _mm256_abs_epi64, _mm256_add_epi64, _mm256_cmpeq_epi64_mask, _mm256_cmpge_epu64_mask,
    _mm256_cvtepu64_pd, _mm256_cvttpd_epu64, _mm256_div_pd, _mm256_mask_mov_epi64, _mm256_mask_sub_epi64,
    _mm256_movepi64_mask, _mm256_mul_pd, _mm256_mullo_epi64, _mm256_set1_epi64x, _mm256_set1_pd,
    _mm256_setzero_si256, _mm256_sub_epi64, _mm256_xor_si256,
};

use super::VectorUnit;
use super::host_block::{load_two, store_two};
use super::kernel::{At, Kernel};

/// Bytes of two blocks.
const BLOCKS: usize = 32;

/// The kernel of one whose second operand is a register group or not, if the host can execute it; if it is masked, one that
/// leaves alone what is masked off.
pub fn kernel<const SIGNED: bool, const REST: bool>(is_group: bool, is_masked: bool) -> Option<Kernel> {
    let is_available = std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl");
    let kernel: Kernel = match (is_group, is_masked) {
        (true, false) => each::<SIGNED, REST, false, false>,
        (false, false) => each::<SIGNED, REST, true, false>,
        (true, true) => each::<SIGNED, REST, false, true>,
        (false, true) => each::<SIGNED, REST, true, true>,
    };
    is_available.then_some(kernel)
}

#[target_feature(enable = "avx2,avx512f,avx512dq,avx512vl")]
extern "C" fn each<const SIGNED: bool, const REST: bool, const SCALAR: bool, const MASKED: bool>(
    unit: &mut VectorUnit,
    d: usize,
    a: usize,
    b: u64,
    body: usize,
    tail_end: usize,
) {
    let scalar = _mm256_set1_epi64x(b as i64);
    let registers = &mut unit.registers[..];
    let mut done = 0;
    while done + BLOCKS <= body {
        let divisors = if SCALAR { scalar } else { load_two(registers, b as usize + done) };
        let mut value = divided::<SIGNED, REST>(load_two(registers, a + done), divisors);
        if MASKED {
            value = _mm256_mask_mov_epi64(load_two(registers, d + done), active(registers, done), value);
        }
        store_two(registers, d + done, value);
        done += BLOCKS;
    }
    if done < body {
        let rest = body - done;
        let part = |start: usize| {
            let mut bytes = [0; BLOCKS];
            bytes[..rest].copy_from_slice(&registers[start + done..][..rest]);
            bytes
        };
        let divisors = if SCALAR { scalar } else { load_two(&part(b as usize), 0) };
        let mut bytes = part(a);
        let mut value = divided::<SIGNED, REST>(load_two(&bytes, 0), divisors);
        if MASKED {
            value = _mm256_mask_mov_epi64(load_two(&part(d), 0), active(registers, done), value);
        }
        store_two(&mut bytes, 0, value);
        registers[d + done..][..rest].copy_from_slice(&bytes[..rest]);
    }
    unit.fill_tail(At { d, a, b, body, tail_end });
}

/// The bits of v0 for the elements of two blocks, from a byte of the body on.
#[inline]
fn active(registers: &[u8], at: usize) -> u8 {
    registers[at / 64] >> (at / 8 % 8)
}

/// The quotients or remainders of doublewords.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512dq,avx512vl")]
fn divided<const SIGNED: bool, const REST: bool>(a: __m256i, b: __m256i) -> __m256i {
    if !SIGNED {
        return unsigned::<REST>(a, b);
    }
    let magnitude = unsigned::<REST>(_mm256_abs_epi64(a), _mm256_abs_epi64(b));
    let zero = _mm256_setzero_si256();
    if REST {
        return _mm256_mask_sub_epi64(magnitude, _mm256_movepi64_mask(a), zero, magnitude);
    }
    let is_negative = _mm256_movepi64_mask(_mm256_xor_si256(a, b));
    let quotient = _mm256_mask_sub_epi64(magnitude, is_negative, zero, magnitude);
    _mm256_mask_mov_epi64(quotient, _mm256_cmpeq_epi64_mask(b, zero), _mm256_set1_epi64x(-1))
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512dq,avx512vl")]
fn unsigned<const REST: bool>(a: __m256i, b: __m256i) -> __m256i {
    /// Less than 1 by more than all that is rounded up on the way to a quotient.
    const LESS: f64 = 1.0 - 1.0 / (1u64 << 50) as f64;
    let reciprocal = _mm256_div_pd(_mm256_set1_pd(LESS), _mm256_cvtepu64_pd(b));
    let first = times(a, reciprocal);
    let left = _mm256_sub_epi64(a, _mm256_mullo_epi64(first, b));
    let second = times(left, reciprocal);
    let left = _mm256_sub_epi64(left, _mm256_mullo_epi64(second, b));
    let is_more = _mm256_cmpge_epu64_mask(left, b);
    if REST {
        // Of a division by 0, nothing was taken away.
        return _mm256_mask_sub_epi64(left, is_more, left, b);
    }
    let ones = _mm256_set1_epi64x(-1);
    let quotient = _mm256_add_epi64(first, second);
    let quotient = _mm256_mask_sub_epi64(quotient, is_more, quotient, ones);
    _mm256_mask_mov_epi64(quotient, _mm256_cmpeq_epi64_mask(b, _mm256_setzero_si256()), ones)
}

/// Not a closure, which compilers call if it is used twice.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512dq,avx512vl")]
fn times(a: __m256i, reciprocal: __m256d) -> __m256i {
    _mm256_cvttpd_epu64(_mm256_mul_pd(_mm256_cvtepu64_pd(a), reciprocal))
}

#[cfg(test)]
mod tests {
    use isa::{Isa, Vlen};

    use super::super::VectorUnit;
    use super::super::division;
    use super::super::lanes::Lane;

    const LANES: [Lane; 4] = [Lane::VDIVU, Lane::VDIV, Lane::VREMU, Lane::VREM];

    /// What an instruction makes of two doublewords ("M" Extension, "Division Operations").
    fn expected(lane: Lane, a: u64, b: u64) -> u64 {
        let (signed_a, signed_b) = (a as i64, b as i64);
        match lane {
            Lane::VDIVU => a.checked_div(b).unwrap_or(u64::MAX),
            Lane::VREMU => a.checked_rem(b).unwrap_or(a),
            Lane::VDIV if b != 0 => signed_a.wrapping_div(signed_b) as u64,
            Lane::VDIV => u64::MAX,
            _ if b != 0 => signed_a.wrapping_rem(signed_b) as u64,
            _ => a,
        }
    }

    /// Numbers at edges, near multiples of others, and any.
    fn pairs() -> Vec<(u64, u64)> {
        let mut edges: Vec<u64> = vec![0, 3, 5, 7, 10, 641, 0x1_0000_0001, 0xcccc_cccc_cccc_cccd];
        for bit in 0..64 {
            let power = 1_u64 << bit;
            edges.extend([power, power - 1, power + 1, power.wrapping_neg(), (power - 1).wrapping_neg()]);
        }
        let mut pairs: Vec<(u64, u64)> =
            edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..200_000 {
            let (a, shift) = (random(), random() % 64);
            let b = (random() >> shift).max(1);
            let multiple = a / b * b;
            pairs.extend([
                (a, b),
                (multiple, b),
                (multiple.wrapping_sub(1), b),
                (multiple.wrapping_add(b - 1), b),
            ]);
            pairs.push((a >> (random() % 64), b));
        }
        pairs
    }

    #[allow(unsafe_code, reason = "kernels need instructions that not every host has")]
    #[test]
    fn kernels_divide_doublewords_in_bodies_of_all_lengths() {
        let mut unit = VectorUnit::new(&Isa::parse("rv64gcv", &[]).expect("it is one"));
        unit.set_vlen(Vlen::new(65536).expect("a power of two"));
        let pairs = pairs();
        for (lane, is_group) in LANES.into_iter().flat_map(|lane| [true, false].map(|group| (lane, group))) {
            let Some(kernel) = division::kernel(lane, is_group, 3) else { return };
            let mut body = 0;
            for some in pairs.chunks(if is_group { 100 } else { 4 }) {
                body = (body + 8) % (8 * some.len() + 8);
                let divisor = some[0].1;
                for (index, (a, b)) in some.iter().enumerate() {
                    unit.registers[0x1000 + 8 * index..][..8].copy_from_slice(&a.to_le_bytes());
                    unit.registers[0x2000 + 8 * index..][..8].copy_from_slice(&b.to_le_bytes());
                    unit.registers[8 * index..][..8].fill(0x5a);
                }
                // To a place of its own, or to that of the dividends or the divisors.
                let d = [0, 0x1000, 0x2000][body / 8 % 3];
                let second = if is_group { 0x2000 } else { divisor };
                // What is after the body stays.
                let before = unit.registers[d..d + 8 * some.len()].to_vec();
                // SAFETY: the host has them, or there is no kernel.
                unsafe { kernel(&mut unit, d, 0x1000, second, body, 0) };
                for (index, &(a, b)) in some.iter().enumerate() {
                    let found = &unit.registers[d + 8 * index..][..8];
                    if 8 * index >= body {
                        assert_eq!(found, &before[8 * index..][..8], "{lane:?}, {body} bytes");
                        continue;
                    }
                    let b = if is_group { b } else { divisor };
                    assert_eq!(found, expected(lane, a, b).to_le_bytes(), "{lane:?} of {a:#x} and {b:#x}");
                }
            }
        }
    }
}
