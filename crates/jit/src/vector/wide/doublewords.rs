//! Operations on bytes and doublewords that AVX2 has no instruction for.

use hart::vector::compiled::Lane;
use iced_x86::Code;

use super::operations::{Operations, Place};

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
const ADD: Code = Code::VEX_Vpaddq_ymm_ymm_ymmm256;
const PRODUCT: Code = Code::VEX_Vpmuludq_ymm_ymm_ymmm256;
const FIRST: Place = Place::Scratch(0);
const SECOND: Place = Place::Scratch(1);
const THIRD: Place = Place::Scratch(2);

impl Operations {
    /// The lesser or the greater of doublewords: `a` or `b`, as far as they differ where one is greater.
    pub(super) fn compared_doublewords(&mut self, lane: Lane, d: Place, a: Place, b: Place) {
        let greater = Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256;
        if matches!(lane, Lane::VMINU | Lane::VMAXU) {
            // With their signs flipped, they are signed, and in the same order.
            let sign = self.constant([1 << 63; 2]);
            self.push(XOR, SECOND, a, sign);
            self.push(XOR, THIRD, b, sign);
            self.push(greater, FIRST, SECOND, THIRD);
        } else {
            self.push(greater, FIRST, a, b);
        }
        self.push(XOR, SECOND, a, b);
        self.push(AND, FIRST, FIRST, SECOND);
        let unless = if matches!(lane, Lane::VMINU | Lane::VMIN) { a } else { b };
        self.push(XOR, d, unless, FIRST);
    }

    /// Products of doublewords, from those of their halves.
    pub(super) fn multiplied_doublewords(&mut self, d: Place, a: Place, b: Place) {
        let half = Code::VEX_Vpsrlq_ymm_ymm_imm8;
        self.shift_by(half, FIRST, a, 32);
        self.push(PRODUCT, FIRST, FIRST, b);
        self.shift_by(half, SECOND, b, 32);
        self.push(PRODUCT, SECOND, SECOND, a);
        self.push(ADD, FIRST, FIRST, SECOND);
        self.shift_by(Code::VEX_Vpsllq_ymm_ymm_imm8, FIRST, FIRST, 32);
        self.push(PRODUCT, SECOND, a, b);
        self.push(ADD, d, FIRST, SECOND);
    }

    /// Products of bytes, as halfwords: of the upper ones, one of them where it is, and of the lower ones.
    pub(super) fn multiplied_bytes(&mut self, d: Place, a: Place, b: Place) {
        let product = Code::VEX_Vpmullw_ymm_ymm_ymmm256;
        let lower = self.constant([0x00ff_00ff_00ff_00ff; 2]);
        self.shift_by(Code::VEX_Vpsrlw_ymm_ymm_imm8, FIRST, a, 8);
        self.push(Code::VEX_Vpandn_ymm_ymm_ymmm256, SECOND, lower, b);
        self.push(product, FIRST, FIRST, SECOND);
        self.push(product, SECOND, a, b);
        self.push(AND, SECOND, SECOND, lower);
        self.push(Code::VEX_Vpor_ymm_ymm_ymmm256, d, FIRST, SECOND);
    }
}

/// The code of AVX-512 that compares doublewords.
pub const fn rare_comparison(lane: Lane) -> Code {
    match lane {
        Lane::VMINU => Code::EVEX_Vpminuq_ymm_k1z_ymm_ymmm256b64,
        Lane::VMIN => Code::EVEX_Vpminsq_ymm_k1z_ymm_ymmm256b64,
        Lane::VMAXU => Code::EVEX_Vpmaxuq_ymm_k1z_ymm_ymmm256b64,
        _ => Code::EVEX_Vpmaxsq_ymm_k1z_ymm_ymmm256b64,
    }
}

/// The codes of AVX-512 that shift each lane by what that of another register holds, by width, where AVX2 has none.
pub const fn rare_shift(lane: Lane) -> [Option<Code>; 4] {
    match lane {
        Lane::VSLL => [None, Some(Code::EVEX_Vpsllvw_ymm_k1z_ymm_ymmm256), None, None],
        Lane::VSRL => [None, Some(Code::EVEX_Vpsrlvw_ymm_k1z_ymm_ymmm256), None, None],
        _ => [
            None,
            Some(Code::EVEX_Vpsravw_ymm_k1z_ymm_ymmm256),
            None,
            Some(Code::EVEX_Vpsravq_ymm_k1z_ymm_ymmm256b64),
        ],
    }
}

/// Those of AVX-512 that rotate words and doublewords: by bits of their own, and each lane by what that of another register
/// holds.
pub fn rare_rotation(lane: Lane) -> [Option<[Code; 2]>; 4] {
    let (words, doublewords) = match lane {
        Lane::VROL => (
            [Code::EVEX_Vprold_ymm_k1z_ymmm256b32_imm8, Code::EVEX_Vprolvd_ymm_k1z_ymm_ymmm256b32],
            [Code::EVEX_Vprolq_ymm_k1z_ymmm256b64_imm8, Code::EVEX_Vprolvq_ymm_k1z_ymm_ymmm256b64],
        ),
        Lane::VROR => (
            [Code::EVEX_Vprord_ymm_k1z_ymmm256b32_imm8, Code::EVEX_Vprorvd_ymm_k1z_ymm_ymmm256b32],
            [Code::EVEX_Vprorq_ymm_k1z_ymmm256b64_imm8, Code::EVEX_Vprorvq_ymm_k1z_ymm_ymmm256b64],
        ),
        _ => return [None; 4],
    };
    [None, None, Some(words), Some(doublewords)]
}
