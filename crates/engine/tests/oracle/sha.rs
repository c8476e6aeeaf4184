//! Zknh: SHA-256 and SHA-512. The RV32 halves of SHA-512 are cut out of the 64-bit functions of FIPS
//! 180-4, section 4.1.3.

use super::{Operands, sign_extend_word};

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    let x = o.a as u32;
    Some(match mnemonic {
        "sha256sum0" => sign_extend_word(x.rotate_right(2) ^ x.rotate_right(13) ^ x.rotate_right(22)),
        "sha256sum1" => sign_extend_word(x.rotate_right(6) ^ x.rotate_right(11) ^ x.rotate_right(25)),
        "sha256sig0" => sign_extend_word(x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3),
        "sha256sig1" => sign_extend_word(x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10),
        _ if o.xlen == 64 => return sha512(mnemonic, o.a),
        _ => return sha512_half(mnemonic, o),
    })
}

fn sha512(mnemonic: &str, x: u64) -> Option<u64> {
    Some(match mnemonic {
        "sha512sum0" => x.rotate_right(28) ^ x.rotate_right(34) ^ x.rotate_right(39),
        "sha512sum1" => x.rotate_right(14) ^ x.rotate_right(18) ^ x.rotate_right(41),
        "sha512sig0" => x.rotate_right(1) ^ x.rotate_right(8) ^ x >> 7,
        "sha512sig1" => x.rotate_right(19) ^ x.rotate_right(61) ^ x >> 6,
        _ => return None,
    })
}

/// rs1 is the half that is computed: the low one for `l`, the high one for `h`, either for `r` (a pure
/// rotation does not tell them apart).
fn sha512_half(mnemonic: &str, o: Operands) -> Option<u64> {
    let (function, high) = match mnemonic {
        "sha512sum0r" => ("sha512sum0", false),
        "sha512sum1r" => ("sha512sum1", false),
        "sha512sig0l" => ("sha512sig0", false),
        "sha512sig0h" => ("sha512sig0", true),
        "sha512sig1l" => ("sha512sig1", false),
        "sha512sig1h" => ("sha512sig1", true),
        _ => return None,
    };
    let whole = if high { o.a << 32 | o.b } else { o.b << 32 | o.a };
    let result = sha512(function, whole)?;
    Some(if high { result >> 32 } else { result & 0xffff_ffff })
}
