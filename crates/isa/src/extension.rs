//! The extensions this project knows by name: what each implies, which instruction sets describe it,
//! and which of them add no instruction.

mod known;

use crate::xlen::Xlen;

pub use known::{EXTENSIONS, MARKERS, MARKERS_SET};

/// How far an extension is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// Described by these instruction sets of `isa/*.core_desc` (none if it adds no instruction).
    Built(&'static [&'static str]),
    /// Accepted in ISA strings: it adds no instruction that a program in machine or user mode executes, and
    /// changes none.
    WithoutEffect,
    /// Not accepted, for this reason.
    Refused(&'static str),
}

/// One extension.
#[derive(Debug)]
pub struct Extension {
    /// Name in lower case, as in an ISA string.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Extensions it implies directly.
    pub implies: &'static [&'static str],
    /// What is built of it.
    pub support: Support,
}

/// What two extensions have only together.
#[derive(Debug)]
pub struct Together {
    /// The two.
    pub names: [&'static str; 2],
    /// The width at which it is so, if not at any.
    pub xlen: Option<Xlen>,
    /// The extension that the two imply.
    pub implies: Option<&'static str>,
    /// Instruction sets that neither has alone.
    pub sets: &'static [&'static str],
}

/// Every such pair.
pub static TOGETHER: &[Together] = &[
    // "C" Extension: on RV32 also of single precision, whose encodings RV64 uses for doublewords.
    Together { names: ["c", "f"], xlen: Some(Xlen::Rv32), implies: Some("zcf"), sets: &[] },
    Together { names: ["c", "d"], xlen: None, implies: Some("zcd"), sets: &[] },
    // "Zce" Extension.
    Together { names: ["zce", "f"], xlen: Some(Xlen::Rv32), implies: Some("zcf"), sets: &[] },
    Together { names: ["zfhmin", "d"], xlen: None, implies: None, sets: &["ZfhminD"] },
    Together { names: ["zhinxmin", "zdinx"], xlen: None, implies: None, sets: &["ZfhminD"] },
    Together { names: ["zfa", "d"], xlen: None, implies: None, sets: &["ZfaD"] },
    Together { names: ["zfa", "zfh"], xlen: None, implies: None, sets: &["ZfaZfh"] },
    Together { names: ["zabha", "zacas"], xlen: None, implies: None, sets: &["ZabhaZacas"] },
    // "Zcb" Extension: these have compressed forms only of what the other extension has.
    Together { names: ["zcb", "zmmul"], xlen: None, implies: None, sets: &["ZcbZmmul"] },
    Together { names: ["zcb", "zbb"], xlen: None, implies: None, sets: &["ZcbZbb"] },
    Together { names: ["zcb", "zba"], xlen: Some(Xlen::Rv64), implies: None, sets: &["ZcbZba"] },
    Together { names: ["zihintntl", "zca"], xlen: None, implies: None, sets: &["ZihintntlZca"] },
];

/// Two extensions that no hart has both of.
#[derive(Debug)]
pub struct Conflict {
    /// The two. What is recorded of a file is read without the first.
    pub names: [&'static str; 2],
    /// Why.
    pub why: &'static str,
}

/// Why Zcd excludes others.
const C_FSDSP: &str =
    "zcd, which c implies together with d, has c.fsdsp in the same words; name zca in place of c";

/// Every such pair.
pub static CONFLICTS: &[Conflict] = &[
    // "Zfinx" Extension: it excludes F, and thereby all that implies F.
    Conflict {
        names: ["zfinx", "f"],
        why: "f has registers of its own for the operands of the same instructions",
    },
    // "Zcmp" and "Zcmt" Extensions.
    Conflict { names: ["zcmp", "zcd"], why: C_FSDSP },
    Conflict { names: ["zcmt", "zcd"], why: C_FSDSP },
];

/// True if an extension is another or implies it.
pub fn includes(name: &str, other: &str) -> bool {
    let implied = find(name).map_or(&[][..], |found| found.implies);
    name == other || implied.iter().any(|implied| includes(implied, other))
}

/// The extension of that name.
pub fn find(name: &str) -> Option<&'static Extension> {
    EXTENSIONS.iter().find(|extension| extension.name == name)
}

/// The known name nearest to `name`, if one is near enough to be a slip of the pen.
pub fn nearest(name: &str) -> Option<&'static str> {
    EXTENSIONS
        .iter()
        .map(|extension| (distance(name, extension.name), extension.name))
        .min()
        .filter(|&(distance, candidate)| candidate.len() > 1 && distance <= 1 + candidate.len() / 5)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substitution = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// What a word asks for that is not built: the extension's name in an ISA string, and its name for people.
pub fn unbuilt(word: u32) -> Option<(&'static str, &'static str)> {
    const QUADRUPLE: (&str, &str) = ("q", "Q");
    if word & 3 != 3 {
        return None;
    }
    let (opcode, width) = (word & 0x7f, word >> 12 & 7);
    match (opcode, width) {
        (0x07 | 0x27, 4) => Some(QUADRUPLE),
        (0x43 | 0x47 | 0x4b | 0x4f | 0x53, _) if word >> 25 & 3 == 3 => Some(QUADRUPLE),
        _ => None,
    }
}
