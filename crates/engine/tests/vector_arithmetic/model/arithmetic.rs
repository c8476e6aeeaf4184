//! One element of the integer instructions.

use super::state::signed;

/// Operands of one element. Widths are those of the operands' elements.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// `vs2[i]`.
    pub a: u128,
    /// Width of `a`.
    pub a_bits: u32,
    /// `vs1[i]`, `x[rs1]` or the immediate.
    pub b: u128,
    /// Old `vd[i]`.
    pub d: u128,
    /// Width of `d`.
    pub d_bits: u32,
    /// SEW.
    pub sew: u32,
    /// `v0.mask[i]`.
    pub v0: bool,
    pub vxrm: u32,
}

/// The result, of which the destination keeps the low bits.
pub fn element(operation: &str, lane: Lane) -> Option<i128> {
    let Lane { a, b, d, sew, .. } = lane;
    // An element as unsigned and as signed number.
    let (ua, ub, ud) = (a as i128, b as i128, d as i128);
    let (sa, sb) = (signed(a, lane.a_bits), signed(b, sew));
    let (sd, carry) = (signed(d, lane.d_bits), i128::from(lane.v0));
    let amount = b as u32 % lane.a_bits;
    Some(match operation {
        "VADD" => ua + ub,
        "VSUB" => ua - ub,
        "VRSUB" => ub - ua,
        "VAND" => ua & ub,
        "VOR" => ua | ub,
        "VXOR" => ua ^ ub,
        "VSLL" => ua << amount,
        "VSRL" | "VNSRL" => ua >> amount,
        "VSRA" | "VNSRA" => sa >> amount,
        "VMINU" => ua.min(ub),
        "VMIN" => sa.min(sb),
        "VMAXU" => ua.max(ub),
        "VMAX" => sa.max(sb),
        "VMUL" | "VWMUL" => sa * sb,
        "VMULH" => (sa * sb) >> sew,
        "VMULHU" => ((a * b) >> sew) as i128,
        "VMULHSU" => (sa * ub) >> sew,
        "VWMULU" => ua * ub,
        "VWMULSU" => sa * ub,
        "VDIVU" => ua.checked_div(ub).unwrap_or(-1),
        "VDIV" => sa.checked_div(sb).unwrap_or(-1),
        "VREMU" => ua.checked_rem(ub).unwrap_or(ua),
        "VREM" => sa.checked_rem(sb).unwrap_or(sa),
        // Products wrap far above the widest element.
        "VMACC" => sb.wrapping_mul(sa) + sd,
        "VNMSAC" => sd - sb * sa,
        "VMADD" => sb * sd + sa,
        "VNMSUB" => sa - sb * sd,
        "VWADDU" => ua + ub,
        "VWADD" => sa + sb,
        "VWSUBU" => ua - ub,
        "VWSUB" => sa - sb,
        "VWMACCU" => ub * ua + ud,
        "VWMACC" => sb * sa + sd,
        "VWMACCSU" => sb * ua + sd,
        "VWMACCUS" => ub * sa + sd,
        "VZEXT" => ua,
        "VSEXT" => sa,
        "VADC" => ua + ub + carry,
        "VSBC" => ua - ub - carry,
        "VMERGE" => {
            if lane.v0 {
                ub
            } else {
                ua
            }
        }
        "VMV" => ub,
        _ => return None,
    })
}

/// The result of an instruction that writes a mask; `carry` is that of `v0` if it is read.
pub fn bit(operation: &str, lane: Lane, carry: bool) -> Option<bool> {
    let (ua, ub) = (lane.a as i128, lane.b as i128);
    let (sa, sb) = (signed(lane.a, lane.sew), signed(lane.b, lane.sew));
    Some(match operation {
        "VMSEQ" => ua == ub,
        "VMSNE" => ua != ub,
        "VMSLTU" => ua < ub,
        "VMSLT" => sa < sb,
        "VMSLEU" => ua <= ub,
        "VMSLE" => sa <= sb,
        "VMSGTU" => ua > ub,
        "VMSGT" => sa > sb,
        "VMADC" => ua + ub + i128::from(carry) >= 1 << lane.sew,
        "VMSBC" => ua - ub - i128::from(carry) < 0,
        _ => return None,
    })
}
