//! One element of the fixed-point instructions.

use super::arithmetic::Lane;
use super::state::signed;

/// The table of `vxrm`, with bits of `value` counted as written there.
fn roundoff(value: i128, d: u32, vxrm: u32) -> i128 {
    if d == 0 {
        return value;
    }
    let bit = |index: u32| value >> index & 1;
    let below = |index: u32| i128::from(value & ((1 << index) - 1) != 0);
    let increment = match vxrm {
        0 => bit(d - 1),
        1 => bit(d - 1) & (below(d - 1) | bit(d)),
        2 => 0,
        _ => (1 - bit(d)) & below(d),
    };
    (value >> d) + increment
}

/// The result and whether it saturated.
pub fn element(operation: &str, lane: Lane) -> Option<(i128, bool)> {
    let Lane { a, b, sew, vxrm, a_bits, .. } = lane;
    let (ua, ub) = (a as i128, b as i128);
    let (sa, sb) = (signed(a, a_bits), signed(b, sew));
    let amount = b as u32 % a_bits;
    let clip = |value: i128, least: i128, most: i128| {
        let clipped = value.max(least).min(most);
        (clipped, clipped != value)
    };
    let unsigned = |value| clip(value, 0, (1 << sew) - 1);
    let signed = |value| clip(value, -(1 << (sew - 1)), (1 << (sew - 1)) - 1);
    let plain = |value| (value, false);
    Some(match operation {
        "VSADDU" => unsigned(ua + ub),
        "VSADD" => signed(sa + sb),
        "VSSUBU" => unsigned(ua - ub),
        "VSSUB" => signed(sa - sb),
        "VAADDU" => plain(roundoff(ua + ub, 1, vxrm)),
        "VAADD" => plain(roundoff(sa + sb, 1, vxrm)),
        "VASUBU" => plain(roundoff(ua - ub, 1, vxrm)),
        "VASUB" => plain(roundoff(sa - sb, 1, vxrm)),
        "VSMUL" => signed(roundoff(sa * sb, sew - 1, vxrm)),
        "VSSRL" => plain(roundoff(ua, amount, vxrm)),
        "VSSRA" => plain(roundoff(sa, amount, vxrm)),
        "VNCLIPU" => unsigned(roundoff(ua, amount, vxrm)),
        "VNCLIP" => signed(roundoff(sa, amount, vxrm)),
        _ => return None,
    })
}
