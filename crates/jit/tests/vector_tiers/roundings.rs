//! A small model of fixed-point instructions, apart from both tiers: what one lane becomes.

/// `v >> by`, rounded as "Vector Fixed-Point Rounding Mode Register" says.
fn roundoff(v: i128, by: u32, vxrm: u64) -> i128 {
    if by == 0 {
        return v;
    }
    let bit = |place: u32| v >> place & 1;
    let is_cut = |below: u32| v & ((1 << below) - 1) != 0;
    let up = match vxrm {
        0 => bit(by - 1),
        1 => bit(by - 1) & i128::from(is_cut(by - 1) || bit(by) == 1),
        2 => 0,
        _ => i128::from(bit(by) == 0 && is_cut(by)),
    };
    (v >> by) + up
}

/// What a lane of `bits` becomes before it is clipped, and whether it is to be as a signed one. `a` has twice as many bits
/// where it is narrowed.
pub fn lane(name: &str, bits: u32, vxrm: u64, a: u64, b: u64) -> (i128, bool) {
    let signed = |lane: u64, bits: u32| i128::from((lane << (64 - bits)) as i64 >> (64 - bits));
    let [ua, ub, sa, sb] = [a.into(), b.into(), signed(a, bits), signed(b, bits)];
    let by = b as u32 & (bits - 1);
    match name.split("__").next().unwrap_or_default() {
        "VADD" => (signed((a.wrapping_add(b)) & (u64::MAX >> (64 - bits)), bits), true),
        "VSADDU" => (ua + ub, false),
        "VSADD" => (sa + sb, true),
        "VSSUBU" => (ua - ub, false),
        "VSSUB" => (sa - sb, true),
        "VAADDU" => (roundoff(ua + ub, 1, vxrm), false),
        "VAADD" => (roundoff(sa + sb, 1, vxrm), true),
        // The high bit of the difference is no bit of the lane: it wraps.
        "VASUBU" => (roundoff(ua - ub, 1, vxrm) & ((1 << bits) - 1), false),
        "VASUB" => (signed(roundoff(sa - sb, 1, vxrm) as u64 & (u64::MAX >> (64 - bits)), bits), true),
        "VSMUL" => (roundoff(sa * sb, bits - 1, vxrm), true),
        "VSSRL" => (roundoff(ua, by, vxrm), false),
        "VSSRA" => (roundoff(sa, by, vxrm), true),
        "VNCLIPU" => (roundoff(ua, b as u32 & (2 * bits - 1), vxrm), false),
        "VNCLIP" => (roundoff(signed(a, 2 * bits), b as u32 & (2 * bits - 1), vxrm), true),
        other => panic!("no model of {other}"),
    }
}
