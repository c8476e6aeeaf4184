//! The extensions this project knows by name: what each implies, which instruction sets describe it,
//! and which of them are only names so far.

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

/// Every known extension. Implications are those of the RISC-V unprivileged specification.
pub static EXTENSIONS: &[Extension] = &[
    built("i", "base integer instructions", &[], &["RVI", "Privileged"]),
    built("m", "integer multiplication and division", &["zmmul"], &["RVM"]),
    built("a", "atomic instructions", &["zaamo", "zalrsc"], &["RVA"]),
    named("f", "single-precision floating point", &["zicsr"]),
    named("d", "double-precision floating point", &["f"]),
    built("c", "compressed instructions", &["zca"], &[]),
    built("b", "bit manipulation", &["zba", "zbb", "zbs"], &[]),
    named("v", "vector instructions", &["d", "zve64d", "zvl128b"]),
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
    named("zcf", "compressed single-precision loads and stores", &["zca", "f"]),
    named("zcd", "compressed double-precision loads and stores", &["zca", "d"]),
    named("zve32x", "embedded vector, 32-bit integers", &["zicsr", "zvl32b"]),
    named("zve32f", "embedded vector, single precision", &["zve32x", "f"]),
    named("zve64x", "embedded vector, 64-bit integers", &["zve32x", "zvl64b"]),
    named("zve64f", "embedded vector, 64-bit integers, single precision", &["zve32f", "zve64x"]),
    named("zve64d", "embedded vector, double precision", &["zve64f", "d"]),
];

/// Ratified extensions whose instructions exist nowhere in this project yet.
static NOT_BUILT: &[&str] = &[
    "e", "h", "q", "zabha", "zacas", "zawrs", "zcb", "zcmop", "zcmp", "zcmt", "zdinx", "zfa", "zfbfmin",
    "zfh", "zfhmin", "zfinx", "zhinx", "zhinxmin", "zicbom", "zicbop", "zicboz", "zicfilp", "zicfiss",
    "zicond", "zimop", "ztso", "zvbb", "zvbc", "zvfbfmin", "zvfbfwma", "zvfh", "zvfhmin", "zvkb", "zvkg",
    "zvkn", "zvknc", "zvkned", "zvkng", "zvknha", "zvknhb", "zvks", "zvksc", "zvksed", "zvksg", "zvksh",
    "zvkt",
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

/// The extension, known by name only, whose major opcode a word has (RISC-V opcode map).
pub fn unbuilt(word: u32) -> Option<&'static str> {
    if word & 3 != 3 {
        // c.fld, c.fsd and their stack forms.
        return matches!((word >> 13 & 7, word & 3), (1 | 5, 0 | 2)).then_some("d");
    }
    let (opcode, width) = (word & 0x7f, word >> 12 & 7);
    match (opcode, width) {
        (0x57, _) | (0x07 | 0x27, 0 | 5..=7) => Some("v"),
        (0x07 | 0x27, 2) => Some("f"),
        (0x07 | 0x27, 3) => Some("d"),
        (0x43 | 0x47 | 0x4b | 0x4f | 0x53, _) => Some(if word >> 25 & 3 == 1 { "d" } else { "f" }),
        _ => None,
    }
}
