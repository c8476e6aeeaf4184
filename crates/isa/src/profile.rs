//! Profiles (RISC-V Profiles: RVI20, RVA20, RVA22, RVA23, RVB23): names for what their mandatory extensions are. The
//! supervisor profiles have the same for programs in user mode, and Zifencei; what else they have is without effect
//! here.

use crate::xlen::Xlen;

/// A profile.
#[derive(PartialEq, Eq, Debug)]
pub struct Profile {
    /// Name in lower case.
    pub name: &'static str,
    /// Its register width.
    pub xlen: Xlen,
    /// Its mandatory extensions, in groups that profiles share.
    pub mandatory: &'static [&'static [&'static str]],
}

const I: &[&str] = &["i"];
const RVA20: &[&str] =
    &["i", "m", "a", "f", "d", "c", "zicsr", "zicntr", "ziccif", "ziccrse", "ziccamoa", "zicclsm", "za128rs"];
/// What RVA22 and RVB23 add to it.
const SINCE_22: &[&str] =
    &["b", "zihpm", "za64rs", "zihintpause", "zic64b", "zicbom", "zicbop", "zicboz", "zkt"];
const HALF: &[&str] = &["zfhmin"];
/// What RVA23 and RVB23 add.
const SINCE_23: &[&str] = &["zihintntl", "zicond", "zimop", "zcmop", "zcb", "zfa", "zawrs"];
const VECTOR: &[&str] = &["v", "zvfhmin", "zvbb", "zvkt", "supm"];
const SUPERVISOR: &[&str] = &["zifencei"];

const fn rv64(name: &'static str, mandatory: &'static [&'static [&'static str]]) -> Profile {
    Profile { name, xlen: Xlen::Rv64, mandatory }
}

/// Every ratified profile.
pub static PROFILES: &[Profile] = &[
    Profile { name: "rvi20u32", xlen: Xlen::Rv32, mandatory: &[I] },
    rv64("rvi20u64", &[I]),
    rv64("rva20u64", &[RVA20]),
    rv64("rva20s64", &[RVA20, SUPERVISOR]),
    rv64("rva22u64", &[RVA20, SINCE_22, HALF]),
    rv64("rva22s64", &[RVA20, SINCE_22, HALF, SUPERVISOR]),
    rv64("rva23u64", &[RVA20, SINCE_22, HALF, SINCE_23, VECTOR]),
    rv64("rva23s64", &[RVA20, SINCE_22, HALF, SINCE_23, VECTOR, SUPERVISOR]),
    rv64("rvb23u64", &[RVA20, SINCE_22, SINCE_23]),
    rv64("rvb23s64", &[RVA20, SINCE_22, SINCE_23, SUPERVISOR]),
];

impl Profile {
    /// The profile that an ISA string begins with, and the names after it.
    pub fn strip(text: &str) -> Option<(&'static Self, &str)> {
        let (name, rest) = text.split_once('_').unwrap_or((text, ""));
        PROFILES.iter().find(|profile| profile.name == name).map(|profile| (profile, rest))
    }

    /// Its mandatory extensions.
    pub fn extensions(&self) -> impl Iterator<Item = &'static str> {
        self.mandatory.iter().copied().flatten().copied()
    }
}

/// True if a string has the shape of a profile's name, known or not.
pub fn is_like_one(text: &str) -> bool {
    let family = text.strip_prefix("rv").and_then(|rest| rest.strip_prefix(['a', 'b', 'm', 'i']));
    family.is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
}
