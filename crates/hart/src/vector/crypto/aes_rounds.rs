//! Rounds of AES on one state with "scalar" round keys (`vaes*.vs`), many at once, by the host's own instructions.

use crate::vector::VectorUnit;
use crate::vector::kernel::{At, Kernel};

/// What one instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Round {
    /// `vaesz.vs`.
    Zero = 1,
    /// `vaesem.vs`.
    EncryptMiddle,
    /// `vaesef.vs`.
    EncryptFinal,
    /// `vaesdm.vs`.
    DecryptMiddle,
    /// `vaesdf.vs`.
    DecryptFinal,
}

impl Round {
    /// Most rounds that one call of [`rounds`] takes.
    pub const MOST: usize = 16;

    /// The kernel that executes one such round.
    pub const fn alone(self) -> Kernel {
        match self {
            Self::Zero => round::<{ Self::Zero as u8 }, true>,
            Self::EncryptMiddle => round::<{ Self::EncryptMiddle as u8 }, true>,
            Self::EncryptFinal => round::<{ Self::EncryptFinal as u8 }, true>,
            Self::DecryptMiddle => round::<{ Self::DecryptMiddle as u8 }, true>,
            Self::DecryptFinal => round::<{ Self::DecryptFinal as u8 }, true>,
        }
    }

    /// How [`rounds`] is told of a round with this key.
    pub const fn with_key(self, register: u32) -> u8 {
        (self as u8) << 5 | register as u8 & 31
    }
}

/// True if the host has instructions for [`rounds`].
#[cfg(target_arch = "x86_64")]
pub fn available() -> bool {
    std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("avx2")
}

/// True if the host has instructions for [`rounds`].
#[cfg(not(target_arch = "x86_64"))]
pub const fn available() -> bool {
    false
}

/// Executes rounds, given as bytes from [`Round::with_key`], the first in the lowest byte of `low`, those after
/// the eighth in `high`; a zero ends them. The other arguments are a kernel's.
///
/// # Safety
/// Undefined on a host where they are not [`available`].
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes,avx2"))]
pub extern "C" fn rounds(unit: &mut VectorUnit, low: u64, high: u64, d: usize, body: usize, tail_end: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::rounds(unit, low, high, d..d + body);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (low, high);
    unit.fill_tail(At { d, a: d, b: 0, body, tail_end });
}

/// The kernel of a round ([`Round`] as a number) whose keys are those of `vs2` for each block, or the first of them for all.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes,avx2"))]
pub extern "C" fn round<const KIND: u8, const SCALAR: bool>(
    unit: &mut VectorUnit,
    d: usize,
    a: usize,
    b: u64,
    body: usize,
    tail_end: usize,
) {
    #[cfg(target_arch = "x86_64")]
    x86::round::<KIND, SCALAR>(unit, d, a, body);
    unit.fill_tail(At { d, a, b, body, tail_end });
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, _mm_aesdec_si128, _mm_aesdeclast_si128, _mm_aesenc_si128, _mm_aesenclast_si128,
        _mm_aesimc_si128, _mm_setzero_si128, _mm_xor_si128,
    };
    use std::ops::Range;

    use super::Round;
    use crate::vector::VectorUnit;
    use crate::vector::host_block::{load, store};

    /// Blocks in flight: as many as hide the latency of a round.
    const BLOCKS: usize = 8;

    #[target_feature(enable = "aes,avx2")]
    pub fn rounds(unit: &mut VectorUnit, low: u64, high: u64, state: Range<usize>) {
        let mut keys = [(0, _mm_setzero_si128()); Round::MOST];
        let mut count = 0;
        for byte in low.to_le_bytes().into_iter().chain(high.to_le_bytes()).take_while(|&byte| byte != 0) {
            keys[count] = key(unit, byte);
            count += 1;
        }
        all(&mut unit.registers[state], &keys[..count]);
    }

    /// What a round is, and its key.
    #[inline]
    #[target_feature(enable = "aes,avx2")]
    fn key(unit: &VectorUnit, byte: u8) -> (u8, __m128i) {
        let (kind, register) = (byte >> 5, usize::from(byte & 31));
        (kind, prepared(kind, load(&unit.registers, register * unit.vlenb)))
    }

    /// A key as a round of the host needs it: InvMixColumns comes after AddRoundKey here, before it on the host.
    #[inline]
    #[target_feature(enable = "aes,avx2")]
    fn prepared(kind: u8, key: __m128i) -> __m128i {
        if kind == Round::DecryptMiddle as u8 { _mm_aesimc_si128(key) } else { key }
    }

    /// Executes a round on all blocks, with as many keys or one.
    #[inline]
    #[target_feature(enable = "aes,avx2")]
    pub fn round<const KIND: u8, const SCALAR: bool>(
        unit: &mut VectorUnit,
        state: usize,
        keys: usize,
        body: usize,
    ) {
        let mut key = prepared(KIND, load(&unit.registers, keys));
        for offset in (0..body / 16).map(|block| 16 * block) {
            if !SCALAR {
                key = prepared(KIND, load(&unit.registers, keys + offset));
            }
            some::<1>(&mut unit.registers[state + offset..][..16], &[(KIND, key)]);
        }
    }

    /// Executes rounds on all blocks of the state.
    #[inline]
    #[target_feature(enable = "aes,avx2")]
    fn all(state: &mut [u8], keys: &[(u8, __m128i)]) {
        let mut groups = state.chunks_exact_mut(16 * BLOCKS);
        for group in &mut groups {
            some::<BLOCKS>(group, keys);
        }
        let mut pairs = groups.into_remainder().chunks_exact_mut(32);
        for pair in &mut pairs {
            some::<2>(pair, keys);
        }
        for block in pairs.into_remainder().chunks_exact_mut(16) {
            some::<1>(block, keys);
        }
    }

    #[inline]
    #[target_feature(enable = "aes,avx2")]
    fn some<const N: usize>(bytes: &mut [u8], keys: &[(u8, __m128i)]) {
        let mut blocks = [_mm_setzero_si128(); N];
        for (index, block) in blocks.iter_mut().enumerate() {
            *block = load(bytes, 16 * index);
        }
        for &(kind, key) in keys {
            const ENCRYPT_MIDDLE: u8 = Round::EncryptMiddle as u8;
            const ENCRYPT_FINAL: u8 = Round::EncryptFinal as u8;
            const DECRYPT_MIDDLE: u8 = Round::DecryptMiddle as u8;
            const DECRYPT_FINAL: u8 = Round::DecryptFinal as u8;
            for block in &mut blocks {
                *block = match kind {
                    ENCRYPT_MIDDLE => _mm_aesenc_si128(*block, key),
                    ENCRYPT_FINAL => _mm_aesenclast_si128(*block, key),
                    DECRYPT_MIDDLE => _mm_aesdec_si128(*block, key),
                    DECRYPT_FINAL => _mm_aesdeclast_si128(*block, key),
                    _ => _mm_xor_si128(*block, key),
                };
            }
        }
        for (index, &block) in blocks.iter().enumerate() {
            store(bytes, 16 * index, block);
        }
    }
}
