//! The extensions this project knows by name: what each implies, which instruction sets describe it,
//! and which of them are only names so far.

use crate::string::Xlen;

/// How far an extension is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// Described by these instruction sets of `isa/*.core_desc` (none if it adds no instruction).
    Built(&'static [&'static str]),
    /// Accepted in ISA strings, so that its instructions fault as "not implemented".
    NameOnly,
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

const fn built(
    name: &'static str,
    summary: &'static str,
    implies: &'static [&'static str],
    sets: &'static [&'static str],
) -> Extension {
    Extension { name, summary, implies, support: Support::Built(sets) }
}

const fn named(name: &'static str, summary: &'static str, implies: &'static [&'static str]) -> Extension {
    Extension { name, summary, implies, support: Support::NameOnly }
}

/// Markers that every program may use, unless a description claims their encodings.
pub const MARKERS: &str = "xm5ops";
/// The set that describes them.
pub const MARKERS_SET: &str = "Xm5ops";

/// The vector instructions on integers. Which element widths they take is the vector unit's to check.
const VECTOR: &[&str] = &[
    "VectorConfiguration",
    "VectorLoad",
    "VectorStore",
    "VectorInteger",
    "VectorCompare",
    "VectorMultiply",
    "VectorWidening",
    "VectorFixedPoint",
    "VectorReduction",
    "VectorMask",
    "VectorPermutation",
];

/// Every known extension. Implications are those of the RISC-V unprivileged specification.
pub static EXTENSIONS: &[Extension] = &[
    built("i", "base integer instructions", &[], &["RVI", "Privileged"]),
    built("m", "integer multiplication and division", &["zmmul"], &["RVM"]),
    built("a", "atomic instructions", &["zaamo", "zalrsc"], &["RVA"]),
    built("f", "single-precision floating point", &["zicsr"], &["RVF"]),
    built("d", "double-precision floating point", &["f"], &["RVD"]),
    built("c", "compressed instructions", &["zca"], &[]),
    built("b", "bit manipulation", &["zba", "zbb", "zbs"], &[]),
    built("v", "vector instructions", &["d", "zve64d", "zvl128b"], VECTOR),
    built("zicclsm", "misaligned loads and stores", &[], &[]),
    built("zicntr", "base counters", &["zicsr"], &[]),
    built("zicsr", "control and status registers", &[], &["Zicsr"]),
    built("zifencei", "instruction-fetch fence", &[], &["Zifencei"]),
    built("zihpm", "hardware performance counters", &["zicsr"], &[]),
    built("zmmul", "integer multiplication", &[], &["Zmmul"]),
    built("zaamo", "atomic memory operations", &[], &["Zaamo"]),
    built("zalrsc", "load-reserved and store-conditional", &[], &["Zalrsc"]),
    built("zca", "compressed instructions without floating point", &[], &["RVC"]),
    built("zba", "address generation", &[], &["Zba"]),
    built("zbb", "basic bit manipulation", &[], &["Zbb"]),
    built("zbc", "carry-less multiplication", &[], &["Zbc"]),
    built("zbs", "single-bit instructions", &[], &["Zbs"]),
    built("zbkb", "bit manipulation for cryptography", &[], &["Zbkb"]),
    built("zbkc", "carry-less multiplication for cryptography", &[], &["Zbkc"]),
    built("zbkx", "crossbar permutations", &[], &["Zbkx"]),
    built("zk", "scalar cryptography", &["zkn", "zkr", "zkt"], &[]),
    built("zkn", "NIST algorithm suite", &["zbkb", "zbkc", "zbkx", "zkne", "zknd", "zknh"], &[]),
    built("zknd", "AES decryption", &[], &["Zknd"]),
    built("zkne", "AES encryption", &[], &["Zkne"]),
    built("zknh", "SHA-2", &[], &["Zknh"]),
    built("zkr", "entropy source", &["zicsr"], &[]),
    built("zks", "ShangMi algorithm suite", &["zbkb", "zbkc", "zbkx", "zksed", "zksh"], &[]),
    built("zksed", "SM4", &[], &["Zksed"]),
    built("zksh", "SM3", &[], &["Zksh"]),
    built("zkt", "data-independent execution latency", &[], &[]),
    built("zcf", "compressed single-precision loads and stores", &["zca", "f"], &["Zcf"]),
    built("zcd", "compressed double-precision loads and stores", &["zca", "d"], &["Zcd"]),
    built("zfa", "further floating-point instructions", &["f"], &["Zfa"]),
    built("zfh", "half-precision floating point", &["zfhmin"], &["Zfh"]),
    built("zfhmin", "half-precision loads, stores and conversions", &["f"], &["Zfhmin"]),
    built("zve32x", "embedded vector, 32-bit integers", &["zicsr", "zvl32b"], VECTOR),
    named("zve32f", "embedded vector, single precision", &["zve32x", "f"]),
    built("zve64x", "embedded vector, 64-bit integers", &["zve32x", "zvl64b"], &[]),
    named("zve64f", "embedded vector, 64-bit integers, single precision", &["zve32f", "zve64x"]),
    named("zve64d", "embedded vector, double precision", &["zve64f", "d"]),
    built("zvbb", "vector basic bit manipulation", &["zvkb"], &["Zvbb"]),
    built("zvbc", "vector carry-less multiplication", &["zve64x"], &["Zvbc"]),
    built("zvkb", "vector bit manipulation for cryptography", &["zve32x"], &["ZvbbZvkb"]),
    built("zvkg", "vector GCM/GMAC", &["zve32x"], &["Zvkg"]),
    built("zvkn", "NIST algorithm suite, vector", &["zvkned", "zvknhb", "zvkb", "zvkt"], &[]),
    built("zvknc", "NIST algorithm suite with carry-less multiplication, vector", &["zvkn", "zvbc"], &[]),
    built("zvkned", "vector AES", &["zve32x"], &["Zvkned"]),
    built("zvkng", "NIST algorithm suite with GCM, vector", &["zvkn", "zvkg"], &[]),
    built("zvknha", "vector SHA-256", &["zve32x"], &["Zvknh"]),
    built("zvknhb", "vector SHA-2", &["zve64x", "zvknha"], &["Zvknh"]),
    built("zvks", "ShangMi algorithm suite, vector", &["zvksed", "zvksh", "zvkb", "zvkt"], &[]),
    built("zvksc", "ShangMi algorithm suite with carry-less multiplication, vector", &["zvks", "zvbc"], &[]),
    built("zvksed", "vector SM4", &["zve32x"], &["Zvksed"]),
    built("zvksg", "ShangMi algorithm suite with GCM, vector", &["zvks", "zvkg"], &[]),
    built("zvksh", "vector SM3", &["zve32x"], &["Zvksh"]),
    built("zvkt", "data-independent execution latency, vector", &[], &[]),
    built(MARKERS, "gem5's markers of a region to count", &[], &[MARKERS_SET]),
];

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
    Together { names: ["zfhmin", "d"], xlen: None, implies: None, sets: &["ZfhminD"] },
    Together { names: ["zfa", "d"], xlen: None, implies: None, sets: &["ZfaD"] },
    Together { names: ["zfa", "zfh"], xlen: None, implies: None, sets: &["ZfaZfh"] },
];

/// Ratified extensions whose instructions exist nowhere in this project yet.
static NOT_BUILT: &[&str] = &[
    "e", "h", "q", "zabha", "zacas", "zawrs", "zcb", "zcmop", "zcmp", "zcmt", "zdinx", "zfbfmin", "zfinx",
    "zhinx", "zhinxmin", "zicbom", "zicbop", "zicboz", "zicfilp", "zicfiss", "zicond", "zimop", "ztso",
    "zvfbfmin", "zvfbfwma", "zvfh", "zvfhmin",
];

/// True for a ratified extension that is not built.
pub fn is_not_built(name: &str) -> bool {
    NOT_BUILT.contains(&name)
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
        // OPFVV and OPFVF.
        (0x57, 1 | 5) => Some(("zve32f", "vector floating point")),
        (0x07 | 0x27, 4) => Some(QUADRUPLE),
        (0x43 | 0x47 | 0x4b | 0x4f | 0x53, _) if word >> 25 & 3 == 3 => Some(QUADRUPLE),
        _ => None,
    }
}
