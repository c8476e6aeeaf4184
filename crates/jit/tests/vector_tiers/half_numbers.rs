//! Numbers of binary16 at which something begins or ends, and such as are next to the middle of two.

/// Numbers at which something begins or ends, without signs.
pub const CORNERS: [u64; 32] = [
    0, 1, 2, 3, 0x200, 0x3fe, 0x3ff, 0x400, 0x401, 0x1000, 0x1001, 0x1400, 0x37ff, 0x3800, 0x3801, 0x3bff,
    0x3c00, 0x00ff, 0x3c01, 0x0100, 0x3e00, 0x4100, 0x57f8, 0x5c00, 0x63ff, 0x7800, 0x7bfe, 0x7bff, 0x7c00,
    0x7c01, 0x7d55, 0x7e00,
];
/// Numbers whose products are next to half of the last bit of one of them.
pub const TIES: [u64; 12] =
    [0x3c00, 0x3c01, 0x3c03, 0x3bfe, 0x1001, 0x1000, 0x0ffe, 0xbc01, 0xbc00, 0x9001, 0x8ffe, 0x3ffd];

/// What operands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// All, one after the other.
    All,
    /// All pairs of [`CORNERS`].
    Pairs,
    /// All triples of [`TIES`].
    Ties,
    /// Any bits.
    Any,
    /// About as large as each other.
    Near,
}

fn corner(index: usize) -> u64 {
    let sign = if index >= CORNERS.len() { 0x8000 } else { 0 };
    CORNERS[index % CORNERS.len()] | sign
}

/// The numbers of three operands at a place.
pub fn operands(numbers: Numbers, place: usize, random: u64) -> [u64; 3] {
    let any = [random >> 16, random >> 32, random >> 48].map(|bits| bits & 0xffff);
    match numbers {
        Numbers::All => [place as u64 & 0xffff, any[0], any[1]],
        Numbers::Pairs => {
            let all = 2 * CORNERS.len();
            [place % all, place / all % all, (random >> 8) as usize % all].map(corner)
        }
        Numbers::Ties => {
            let all = TIES.len();
            [place % all, place / all % all, place / all / all % all].map(|index| TIES[index])
        }
        Numbers::Any => any,
        Numbers::Near => any.map(|bits| bits & 0x9fff | 0x2000),
    }
}

/// A number of single precision, or an integer, made of one of binary16.
pub fn wide(half: u64, random: u64) -> u64 {
    let magnitude = half & 0x7fff;
    let single = match magnitude {
        0x7c00.. => 0xff << 23 | (magnitude & 0x3ff) << 13,
        _ => (magnitude << 13) + (112 << 23),
    };
    let beside = [0, 0xfff, 0x1000, 0x1001, 0x1fff, 1, random >> 40 & 0x1fff, 0x1000];
    let number = single | half >> 15 << 31;
    match random >> 8 & 7 {
        0 => random >> (24 + (random >> 12 & 31)) & 0xffff_ffff,
        1 => (random >> (24 + (random >> 12 & 31))).wrapping_neg() & 0xffff_ffff,
        2 => number.wrapping_sub(((random >> 16 & 31) << 23) & 0x3f80_0000) & 0xffff_ffff,
        // About the least normal number of single precision.
        3 => 0x007f_bffe + (random >> 40 & 3) + (half >> 15 << 31),
        _ => number + beside[random as usize >> 4 & 7],
    }
}
