//! Which rule an instruction has, by its name in the descriptions.

use super::lanes::{self, LaneRule};
use crate::bits::{self, Bits, not};

/// Secret bits of a result of logic on masks.
pub type Logic = fn(Bits, Bits) -> u64;

/// How the secret bits of a vector instruction's results follow from those of its operands.
#[derive(Clone, Copy)]
pub enum Rule {
    /// Element by element; whether the bit of v0 is an operand.
    Lane(LaneRule, bool),
    /// Element group by element group.
    Group,
    /// Bit by bit of masks.
    Logic(Logic),
    /// Every bit or element of the result depends on every bit of a mask.
    WholeMask,
    /// An integer register does.
    Count,
    /// Elements move to other places.
    Slide(Slide),
    /// They come from places that an operand says.
    Gather(Indices),
    /// Those that a mask says move together.
    Compress,
    /// All elements make one; bit by bit or not; of elements 2^power times as wide.
    Reduce(bool, i8),
    /// Element 0 to an integer register.
    ToScalar,
    /// The other way.
    FromScalar,
    /// Whole registers move.
    Registers,
    /// Everything written depends on everything read.
    Whole,
}

/// Slides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Slide {
    /// Up by a number of places.
    Up,
    /// Down.
    Down,
    /// Up by one.
    OneUp,
    /// Down by one.
    OneDown,
}

/// Where a gather has its indices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Indices {
    /// In elements of SEW.
    Sew,
    /// In elements of 16 bits.
    Sixteen,
    /// One for all.
    Scalar,
}

const fn both(a: Bits, b: Bits) -> u64 {
    bits::and(a, b)
}

impl Rule {
    /// The rule of the instruction of that name; [`Rule::Whole`] if it has none of its own.
    pub fn of(name: &str) -> Self {
        let (stem, form) = name.split_once("__").unwrap_or((name, ""));
        match (stem, form) {
            ("VMV", "X__S") => return Self::ToScalar,
            ("VMV", "S__X") => return Self::FromScalar,
            ("VRGATHER", "VV") => return Self::Gather(Indices::Sew),
            ("VRGATHER", _) => return Self::Gather(Indices::Scalar),
            ("VCPOP", "M") => return Self::Count,
            _ => {}
        }
        match stem {
            "VMERGE" => Self::lane(stem, true),
            "VADC" | "VSBC" | "VMADC" | "VMSBC" => Self::lane(stem, form.ends_with('M')),
            "VAESDF" | "VAESDM" | "VAESEF" | "VAESEM" | "VAESZ" | "VAESKF1" | "VAESKF2" | "VGHSH"
            | "VGMUL" | "VSHA2CH" | "VSHA2CL" | "VSHA2MS" | "VSM4K" | "VSM4R" | "VSM3C" | "VSM3ME" => {
                Self::Group
            }
            "VMAND" | "VMNAND" => Self::Logic(both),
            "VMOR" | "VMNOR" => Self::Logic(bits::or),
            "VMXOR" | "VMXNOR" => Self::Logic(bits::xor),
            "VMANDN" => Self::Logic(|a, b| bits::and(a, not(b, 64))),
            "VMORN" => Self::Logic(|a, b| bits::or(a, not(b, 64))),
            "VMSBF" | "VMSIF" | "VMSOF" | "VIOTA" => Self::WholeMask,
            "VFIRST" => Self::Count,
            "VSLIDEUP" => Self::Slide(Slide::Up),
            "VSLIDEDOWN" => Self::Slide(Slide::Down),
            "VSLIDE1UP" => Self::Slide(Slide::OneUp),
            "VSLIDE1DOWN" => Self::Slide(Slide::OneDown),
            "VRGATHEREI16" => Self::Gather(Indices::Sixteen),
            "VCOMPRESS" => Self::Compress,
            "VREDAND" | "VREDOR" | "VREDXOR" => Self::Reduce(true, 0),
            "VREDSUM" | "VREDMINU" | "VREDMIN" | "VREDMAXU" | "VREDMAX" => Self::Reduce(false, 0),
            "VWREDSUMU" | "VWREDSUM" => Self::Reduce(false, 1),
            "VMV1R" | "VMV2R" | "VMV4R" | "VMV8R" => Self::Registers,
            _ => Self::lane(stem, false),
        }
    }

    fn lane(stem: &str, v0: bool) -> Self {
        lanes::rule(stem).map_or(Self::Whole, |rule| Self::Lane(rule, v0))
    }
}
