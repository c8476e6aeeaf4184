//! The project's own descriptions, compiled in, so that an installed engine needs no file beside it.

use std::sync::OnceLock;

use coredsl::{Found, SourceText, Sources};

macro_rules! descriptions {
    ($($name:literal)*) => {
        /// File name and text of every built-in description.
        pub static DESCRIPTIONS: &[(&str, &str)] = &[
            $((concat!($name, ".core_desc"), include_str!(concat!("../../../isa/", $name, ".core_desc"))),)*
        ];
    };
}

descriptions! {
    "AES" "Privileged" "RISCVBase" "RVA" "RVC" "RVI" "RVM" "Rotate" "Zaamo" "Zalrsc" "Zba" "Zbb"
    "ZbbZbkb" "Zbc" "ZbcZbkc" "Zbkb" "Zbkc" "Zbkx" "Zbs" "Zicntr" "Zicsr" "Zifencei" "Zknd" "Zkne"
    "ZkneZknd" "Zknh" "Zksed" "Zksh" "Zmmul"
    "Zabha" "ZabhaZacas" "Zacas" "Zawrs" "Zcb" "ZcbZba" "ZcbZbb" "ZcbZmmul" "Zcmop" "Zcmp" "Zcmt" "Zicbom" "Zicbop" "Zicboz" "Zicond"
    "Zihintntl" "ZihintntlZca" "Zimop"
    "FloatSingle" "FloatDouble" "RVF" "RVD" "Zfinx" "Zcf" "Zcd" "Zfbfmin" "ZfbfminZfhmin" "Zfhmin" "ZfhminD" "Zfh" "Zfa" "ZfaD" "ZfaZfh"
    "VectorConfiguration" "VectorLoad" "VectorStore" "VectorInteger" "VectorCompare" "VectorMultiply" "VectorWidening"
    "VectorFixedPoint" "VectorReduction" "VectorMask" "VectorPermutation"
    "VectorFloat" "VectorFloatWidening" "VectorFloatConvert" "Zvfbfmin" "Zvfbfwma"
    "Xm5ops" "ZvbbZvkb" "Zvbb" "Zvbc" "Zvkg" "Zvkned" "Zvknh" "Zvksed" "Zvksh"
}

/// Every built-in instruction set with its bases. Each has a file of its own, whose name is the set's.
pub fn sets() -> &'static [(&'static str, Vec<&'static str>)] {
    static SETS: OnceLock<Vec<(&str, Vec<&str>)>> = OnceLock::new();
    SETS.get_or_init(|| DESCRIPTIONS.iter().filter_map(|(_, text)| declared(text)).collect())
}

/// The set that a description declares, with its bases: `InstructionSet Zkne extends ZkneZknd {`.
fn declared(text: &str) -> Option<(&str, Vec<&str>)> {
    let line = text.lines().find_map(|line| line.strip_prefix("InstructionSet "))?;
    let mut words = line.split([' ', ',', '{', ';']).filter(|word| !word.is_empty());
    // The word between the set and its bases is `extends` or `combines`.
    Some((words.next()?, words.skip(1).collect()))
}

/// The built-in descriptions as a source of imports.
pub struct Builtin;

impl Sources for Builtin {
    fn find(&self, name: &str, _importer: Option<&str>) -> Found {
        let found = DESCRIPTIONS.iter().find(|(file, _)| *file == name);
        Ok(found.map(|(name, text)| SourceText { name: (*name).to_owned(), text: (*text).to_owned() }))
    }
}

#[cfg(test)]
mod tests {
    use coredsl::{BuiltIn, Program};

    use super::{Builtin, DESCRIPTIONS, sets};

    #[test]
    fn sets_and_their_bases_are_those_that_the_language_reads() {
        let mut program = Program::new();
        for (name, _) in DESCRIPTIONS {
            program.add(name, &BuiltIn(Builtin)).unwrap_or_else(|errors| panic!("{errors}"));
        }
        let mut read: Vec<_> = program.sets().map(|set| (set.name, set.bases)).collect();
        let mut told = sets().to_vec();
        read.sort();
        told.sort();
        assert_eq!(told, read);
        assert!(
            DESCRIPTIONS.iter().zip(sets()).all(|((file, _), (set, _))| *file == format!("{set}.core_desc"))
        );
    }
}
