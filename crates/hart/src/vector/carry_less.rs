//! Carry-less products by the host's own instruction: kernels of `vclmul` and `vclmulh`, and of multiplication in the field
//! of GHASH.

use super::kernel::Kernel;
use super::lanes::Lane;

/// True if the host has the instruction.
#[cfg(target_arch = "x86_64")]
pub fn available() -> bool {
    std::arch::is_x86_feature_detected!("pclmulqdq") && std::arch::is_x86_feature_detected!("avx2")
}

/// True if the host has the instruction.
#[cfg(not(target_arch = "x86_64"))]
pub const fn available() -> bool {
    false
}

/// The kernel of an operation whose second operand is a register group or not, if it is one of these and the host has the
/// instruction.
pub fn kernel(lane: Lane, is_group: bool) -> Option<Kernel> {
    let kernel: Kernel = match (lane, is_group) {
        (Lane::VCLMUL, true) => host::low::<false>,
        (Lane::VCLMUL, false) => host::low::<true>,
        (Lane::VCLMULH, true) => host::high::<false>,
        (Lane::VCLMULH, false) => host::high::<true>,
        _ => return None,
    };
    available().then_some(kernel)
}

/// The same of `vghsh`, whose kernel adds `vs1` to `vd` before, and of `vgmul`.
pub const GHASH: Kernel = host::ghash::<true>;
/// See [`GHASH`].
pub const GMUL: Kernel = host::ghash::<false>;

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{_mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64};

    use super::super::crypto::ghash;
    use super::super::kernel::{At, each};
    use crate::vector::VectorUnit;

    #[inline]
    #[target_feature(enable = "pclmulqdq,avx2")]
    fn product(a: u64, b: u64) -> u128 {
        let product = _mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, a as i64), _mm_set_epi64x(0, b as i64));
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product));
        (high as u64 as u128) << 64 | _mm_cvtsi128_si64(product) as u64 as u128
    }

    #[target_feature(enable = "pclmulqdq,avx2")]
    pub extern "C" fn low<const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let at = At { d, a, b, body, tail_end };
        each::<u64, SCALAR>(unit, at, |a, b, _| product(a, b) as u64);
        unit.fill_tail(at);
    }

    #[target_feature(enable = "pclmulqdq,avx2")]
    pub extern "C" fn high<const SCALAR: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        let at = At { d, a, b, body, tail_end };
        each::<u64, SCALAR>(unit, at, |a, b, _| (product(a, b) >> 64) as u64);
        unit.fill_tail(at);
    }

    #[target_feature(enable = "pclmulqdq,avx2")]
    pub extern "C" fn ghash<const ADDS: bool>(
        unit: &mut VectorUnit,
        d: usize,
        a: usize,
        b: u64,
        body: usize,
        tail_end: usize,
    ) {
        for offset in (0..body / 16).map(|block| 16 * block) {
            let element = |group: usize| {
                let mut bytes = [0; 16];
                bytes.copy_from_slice(&unit.registers[group + offset..][..16]);
                ghash::polynomial(bytes)
            };
            let hash = if ADDS { element(d) ^ element(b as usize) } else { element(d) };
            let result = ghash::multiply(hash, element(a), |a, b| product(a, b));
            unit.registers[d + offset..][..16].copy_from_slice(&ghash::bytes(result));
        }
        unit.fill_tail(At { d, a, b, body, tail_end });
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod host {
    use crate::vector::VectorUnit;

    macro_rules! absent {
        ($($name:ident $parameter:ident;)*) => {
            $(
                pub extern "C" fn $name<const $parameter: bool>(
                    _: &mut VectorUnit,
                    _: usize,
                    _: usize,
                    _: u64,
                    _: usize,
                    _: usize,
                ) {
                }
            )*
        };
    }

    absent! {
        low SCALAR;
        high SCALAR;
        ghash ADDS;
    }
}
