//! Loads and stores ("Vector Loads and Stores").
//!
//! An access that faults at element `i` has transferred the elements before it and leaves `i` in `vstart`.

mod contiguous;
mod element_by_element;
mod indexed;
mod regular;
mod segment;
mod strided;
mod unit_stride;
mod whole;

use crate::unit::Body;

/// The body of an instruction of this module. Widths and numbers of registers are in the word, so that the
/// name without its digits says which body.
pub fn body(name: &str) -> Option<Body> {
    let kind: String = name.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    Some(match kind.as_str() {
        "VLE__V" | "VLSEGE__V" => unit_stride::load,
        "VLEFF__V" | "VLSEGEFF__V" => unit_stride::load_first,
        "VSE__V" | "VSSEGE__V" => unit_stride::store,
        "VLSE__V" | "VLSSEGE__V" => strided::load,
        "VSSE__V" | "VSSSEGE__V" => strided::store,
        "VLUXEI__V" | "VLOXEI__V" | "VLUXSEGEI__V" | "VLOXSEGEI__V" => indexed::load,
        "VSUXEI__V" | "VSOXEI__V" | "VSUXSEGEI__V" | "VSOXSEGEI__V" => indexed::store,
        "VLM__V" => whole::load_mask,
        "VSM__V" => whole::store_mask,
        "VLRE__V" => whole::load_registers,
        "VSR__V" => whole::store_registers,
        _ => return None,
    })
}
