//! SHA-256 by the host's own instructions: their operands are the element groups of `vsha2cl`, `vsha2ch` and `vsha2ms`.

use super::super::kernel::Kernel;

/// The kernel of `vsha2cl` for elements of a width (log2 of bytes), if the host can execute it.
pub fn low(sew: u8) -> Option<Kernel> {
    host::for_words(sew, host::KERNELS[0])
}

/// The same of `vsha2ch`.
pub fn high(sew: u8) -> Option<Kernel> {
    host::for_words(sew, host::KERNELS[1])
}

/// The same of `vsha2ms`.
pub fn schedule(sew: u8) -> Option<Kernel> {
    host::for_words(sew, host::KERNELS[2])
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_sha256msg1_epu32, _mm_sha256msg2_epu32,
        _mm_sha256rnds2_epu32, _mm_srli_si128,
    };

    use crate::vector::VectorUnit;
    use crate::vector::host_block::{load, store};
    use crate::vector::kernel::{At, Kernel};

    const LOW: u8 = 0;
    const HIGH: u8 = 1;
    const SCHEDULE: u8 = 2;

    pub const KERNELS: [Kernel; 3] = [each::<LOW>, each::<HIGH>, each::<SCHEDULE>];

    pub fn for_words(sew: u8, kernel: Kernel) -> Option<Kernel> {
        (sew == 2 && is_x86_feature_detected!("sha") && is_x86_feature_detected!("avx2")).then_some(kernel)
    }

    /// What an instruction does to the groups of `vd`, `vs2` and `vs1`.
    #[inline]
    #[target_feature(enable = "sha,avx2")]
    fn step<const KIND: u8>(d: __m128i, a: __m128i, b: __m128i) -> __m128i {
        match KIND {
            LOW => _mm_sha256rnds2_epu32(d, a, b),
            HIGH => _mm_sha256rnds2_epu32(d, a, _mm_srli_si128::<8>(b)),
            _ => {
                // Words 9 to 12.
                let seven_ago = _mm_alignr_epi8::<4>(b, a);
                let sum = _mm_add_epi32(_mm_sha256msg1_epu32(d, a), seven_ago);
                _mm_sha256msg2_epu32(sum, b)
            }
        }
    }

    #[target_feature(enable = "sha,avx2")]
    extern "C" fn each<const KIND: u8>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        for offset in (0..body / 16).map(|group| 16 * group) {
            // One by one: a closure would be called.
            let old = load(&unit.registers, d + offset);
            let second = load(&unit.registers, a + offset);
            let first = load(&unit.registers, b as usize + offset);
            store(&mut unit.registers, d + offset, step::<KIND>(old, second, first));
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod host {
    use crate::vector::kernel::Kernel;

    pub const KERNELS: [(); 3] = [(); 3];

    pub const fn for_words(_: u8, (): ()) -> Option<Kernel> {
        None
    }
}
