//! Instructions whose encodings overlap.

use std::fmt;

use crate::ir::{Encoding, Instruction, Module};

/// Two instructions that share a word, with no rule which of them it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// Name and instruction set of the one declared first.
    pub first: (String, String),
    /// Name and instruction set of the other.
    pub second: (String, String),
    /// A word that is both.
    pub word: u32,
    /// Length of that word in bits.
    pub length: u8,
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.length / 4);
        write!(
            f,
            "`{}` of {} and `{}` of {} overlap: 0x{:0digits$x} is both",
            self.first.0, self.first.1, self.second.0, self.second.1, self.word
        )
    }
}

impl std::error::Error for Overlap {}

impl Overlap {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        "give one of them other bits, fix more bits in the one that shall win, or do not use both sets together"
    }
}

/// All overlaps of a module that no rule decides.
///
/// Of two encodings the more specific wins: the one that fixes all bits of the other and more. (Of equal
/// encodings in one file the later has replaced the earlier during elaboration.) Two that overlap
/// otherwise are fine if further instructions, more specific than both, take what they share.
pub fn check_overlaps(module: &Module) -> Vec<Overlap> {
    let mut overlaps = Vec::new();
    // Most pairs share no word, which is told without looking at the instructions themselves.
    let fixed: Vec<Fixed> = module.instructions.iter().map(|one| Fixed::of(&one.encoding)).collect();
    for (index, first) in module.instructions.iter().enumerate() {
        let sharing = (index + 1..fixed.len()).filter(|&other| fixed[index].shares(fixed[other]));
        for second in sharing.map(|other| &module.instructions[other]) {
            let (a, b) = (&first.encoding, &second.encoding);
            let is_ordered = a.length == b.length && specific(a, b) != specific(b, a);
            if is_ordered || taken(module, a, b) {
                continue;
            }
            overlaps.push(Overlap {
                first: (first.name.clone(), first.set.clone()),
                second: (second.name.clone(), second.set.clone()),
                word: a.value | b.value,
                length: a.length.max(b.length),
            });
        }
    }
    overlaps
}

/// The bits that an encoding fixes; of a longer instruction the low ones count.
#[derive(Clone, Copy)]
struct Fixed {
    mask: u32,
    value: u32,
}

impl Fixed {
    const fn of(encoding: &Encoding) -> Self {
        Self { mask: encoding.mask, value: encoding.value }
    }

    /// True if one word has the fixed bits of both.
    const fn shares(self, other: Self) -> bool {
        (self.value ^ other.value) & self.mask & other.mask == 0
    }
}

/// True if `a` fixes all bits that `b` fixes.
fn specific(a: &Encoding, b: &Encoding) -> bool {
    a.mask & b.mask == b.mask
}

/// True if another instruction matches exactly the words that `a` and `b` share, or all of them.
fn taken(module: &Module, a: &Encoding, b: &Encoding) -> bool {
    let (mask, value) = (a.mask | b.mask, a.value | b.value);
    let takes = |other: &Instruction| {
        let other = &other.encoding;
        let covers = other.mask & mask == other.mask && value & other.mask == other.value;
        let wins = |loser: &Encoding| specific(other, loser) && other.mask != loser.mask;
        other.length == a.length && covers && wins(a) && wins(b)
    };
    a.length == b.length && module.instructions.iter().any(takes)
}
