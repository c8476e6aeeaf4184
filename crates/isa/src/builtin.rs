//! The project's own descriptions, compiled in, so that an installed engine needs no file beside it.

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

/// The built-in descriptions as a source of imports.
pub struct Builtin;

impl Sources for Builtin {
    fn find(&self, name: &str, _importer: Option<&str>) -> Found {
        let found = DESCRIPTIONS.iter().find(|(file, _)| *file == name);
        Ok(found.map(|(name, text)| SourceText { name: (*name).to_owned(), text: (*text).to_owned() }))
    }
}
