//! ISA strings: `rv64imac_zbb_zkn`, also with the version numbers compilers write
//! (`rv32i2p1_m2p0_zmmul1p0`). Naming conventions: RISC-V unprivileged specification, chapter
//! "ISA Extension Naming Conventions".

mod error;
mod parts;

use std::collections::BTreeSet;
use std::fmt;

use crate::extension::{self, CONFLICTS, Conflict, Support, TOGETHER, Together};
use crate::profile::{Profile, is_like_one};
use crate::vlen::Vlen;
use crate::xlen::Xlen;

use parts::split;

pub use error::IsaError;

/// A parsed ISA string.
///
/// Two are equal if they name the same instructions and the same vector length.
#[derive(Clone, Debug)]
pub struct Isa {
    xlen: Xlen,
    profile: Option<&'static Profile>,
    named: BTreeSet<Name>,
    all: BTreeSet<Name>,
    /// Spelt out, but without effect.
    idle: BTreeSet<Name>,
    /// Of a file's attributes: why parts of them were passed over.
    missing: Vec<IsaError>,
    vlen: Option<Vlen>,
}

impl PartialEq for Isa {
    fn eq(&self, other: &Self) -> bool {
        (self.xlen, &self.all, self.vlen) == (other.xlen, &other.all, other.vlen)
    }
}

impl Eq for Isa {}

/// An extension's name, ordered as in a canonical ISA string.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name(String);

/// Order of single letters; it also orders `Z` extensions by their second letter.
const LETTERS: &str = "iemafdqlcbkjtpvnh";

impl Name {
    fn rank(&self) -> (u8, usize, &str) {
        let mut letters = self.0.chars();
        let first = letters.next().unwrap_or('x');
        let place = |letter| LETTERS.find(letter).unwrap_or(LETTERS.len());
        match (self.0.len(), first) {
            (1, letter) => (0, place(letter), &self.0),
            (_, 'z') => (1, letters.next().map_or(LETTERS.len(), place), &self.0),
            (_, 's') => (2, 0, &self.0),
            _ => (3, 0, &self.0),
        }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// `g`.
const GENERAL: &[&str] = &["i", "m", "a", "f", "d", "zicsr", "zifencei"];
/// What I contained before version 2.1 (RISC-V Unprivileged ISA, "Preface").
const SPLIT_OFF: &[&str] = &["zicsr", "zifencei"];
/// The first version of I without them.
const WITHOUT: (u32, u32) = (2, 1);

/// What to do with a part that is refused: pass it over, or end with the error.
type OnRefusal<'a> = &'a mut dyn FnMut(IsaError) -> Result<(), IsaError>;

impl Isa {
    /// Parses an ISA string; `custom` names the extensions that loaded descriptions add.
    ///
    /// # Errors
    /// [`IsaError`], naming the part at fault.
    pub fn parse(text: &str, custom: &[String]) -> Result<Self, IsaError> {
        Self::read(text, custom, &mut Err)
    }

    /// The ISA that an ELF file's attributes record. A file is not refused for them: [`Self::missing`] says what was
    /// passed over.
    ///
    /// # Errors
    /// [`IsaError`] if there is no base that this project knows.
    pub fn recorded(text: &str, custom: &[String]) -> Result<Self, IsaError> {
        let mut missing = Vec::new();
        let isa = Self::read(text, custom, &mut |refused| {
            missing.push(refused);
            Ok(())
        })?;
        Ok(Self { missing, ..isa })
    }

    fn read(text: &str, custom: &[String], on_refusal: OnRefusal<'_>) -> Result<Self, IsaError> {
        let lower = text.trim().to_ascii_lowercase();
        let prefix = || IsaError::Prefix { text: text.to_owned() };
        let (xlen, profile, rest) = if let Some((profile, rest)) = Profile::strip(&lower) {
            (profile.xlen, Some(profile), rest)
        } else if is_like_one(&lower) {
            return Err(IsaError::Profile { profile: lower });
        } else if let Some(rest) = lower.strip_prefix("rv32") {
            (Xlen::Rv32, None, rest)
        } else if let Some(rest) = lower.strip_prefix("rv64") {
            (Xlen::Rv64, None, rest)
        } else {
            return Err(prefix());
        };
        let mut isa = Self {
            xlen,
            profile,
            named: BTreeSet::new(),
            all: BTreeSet::new(),
            idle: BTreeSet::new(),
            missing: Vec::new(),
            vlen: None,
        };
        let names = split(rest);
        match (profile, names.first()) {
            (Some(profile), _) => profile.extensions().for_each(|name| isa.name(name)),
            (None, Some(base)) if base.name == "e" => {
                on_refusal(refusal("e", text))?;
                isa.name("i");
            }
            (None, Some(base)) if matches!(&*base.name, "i" | "g") => {
                if base.name == "i" && base.version.is_some_and(|version| version < WITHOUT) {
                    SPLIT_OFF.iter().for_each(|name| isa.name(name));
                }
            }
            _ => return Err(prefix()),
        }
        isa.idle.clear();
        let base_is_done = names.first().is_some_and(|base| base.name == "e");
        for part in names.iter().skip(usize::from(base_is_done)) {
            if let Err(refused) = isa.add(&part.name, text, custom) {
                on_refusal(refused)?;
            }
        }
        isa.add_together();
        if let Err(refused) = isa.check(text) {
            on_refusal(refused)?;
            isa.drop_contradictions();
        }
        Ok(isa)
    }

    fn add(&mut self, name: &str, text: &str, custom: &[String]) -> Result<(), IsaError> {
        if name == "g" {
            GENERAL.iter().for_each(|part| self.name(part));
            return Ok(());
        }
        // An old name of scalar cryptography.
        let name = if name == "k" { "zk" } else { name };
        if let Some(bits) = vector_length(name) {
            if Vlen::new(bits).is_none() {
                return Err(contradictory(
                    text,
                    format!("VLEN {bits} is not a power of two from 32 to 65536"),
                ));
            }
            self.vlen = self.vlen.max(Vlen::new(bits));
        } else if !custom.iter().any(|known| known.eq_ignore_ascii_case(name))
            && extension::find(name).is_none_or(|known| matches!(known.support, Support::Refused(_)))
        {
            return Err(refusal(name, text));
        }
        self.name(name);
        Ok(())
    }

    /// Adds an extension that is known.
    fn name(&mut self, name: &str) {
        let idle = extension::find(name).is_some_and(|known| known.support == Support::WithoutEffect);
        let names = if idle { &mut self.idle } else { &mut self.named };
        names.insert(Name(name.to_owned()));
        if !idle {
            self.close_over(name);
        }
    }

    fn close_over(&mut self, name: &str) {
        if let Some(bits) = vector_length(name) {
            self.vlen = self.vlen.max(Vlen::new(bits));
        }
        if !self.all.insert(Name(name.to_owned())) {
            return;
        }
        for implied in extension::find(name).map_or(&[][..], |extension| extension.implies) {
            self.close_over(implied);
        }
    }

    /// Adds what two extensions imply only together.
    fn add_together(&mut self) {
        for together in TOGETHER {
            if let Some(implied) = together.implies.filter(|_| self.has_both(together)) {
                self.close_over(implied);
            }
        }
    }

    /// Drops what [`Self::check`] finds.
    fn drop_contradictions(&mut self) {
        let (rv64, vector) = (self.xlen == Xlen::Rv64, self.has("zve32x"));
        let excluded: Vec<&str> = self.conflicts().map(|conflict| conflict.names[0]).collect();
        let stays = |name: &Name| {
            !(rv64 && name.0 == "zcf")
                && (vector || vector_length(&name.0).is_none())
                && !excluded.iter().any(|&excluded| extension::includes(&name.0, excluded))
        };
        self.named.retain(stays);
        self.all.retain(stays);
        self.vlen = self.vlen.filter(|_| vector);
    }

    /// True if no hart has both this ISA and an extension.
    pub fn excludes(&self, extension: &str) -> bool {
        let includes = |name| extension::includes(extension, name);
        CONFLICTS.iter().any(|Conflict { names: [one, other], .. }| {
            self.has(one) && includes(other) || self.has(other) && includes(one)
        })
    }

    /// Pairs that exclude each other and are both there.
    fn conflicts(&self) -> impl Iterator<Item = &'static Conflict> {
        CONFLICTS.iter().filter(|conflict| conflict.names.iter().all(|name| self.has(name)))
    }

    fn check(&self, text: &str) -> Result<(), IsaError> {
        if let Some(Conflict { names: [one, other], why }) = self.conflicts().next() {
            return Err(contradictory(text, format!("{one} and {other} exclude each other: {why}")));
        }
        if self.has("zcf") && self.xlen == Xlen::Rv64 {
            return Err(contradictory(text, "zcf exists for RV32 only".into()));
        }
        let vector = self.has("zve32x");
        if self.named.iter().any(|name| vector_length(&name.0).is_some()) && !vector {
            return Err(contradictory(
                text,
                "zvl*b gives a vector length, but no vector extension is named".into(),
            ));
        }
        Ok(())
    }

    /// Extensions spelt out that are without effect here.
    pub fn without_effect(&self) -> impl Iterator<Item = &str> {
        self.idle.iter().map(|name| name.0.as_str())
    }

    /// Why parts of a file's attributes were passed over.
    pub fn missing(&self) -> &[IsaError] {
        &self.missing
    }

    /// Register width.
    pub const fn xlen(&self) -> Xlen {
        self.xlen
    }

    /// The largest `zvl*b` named or implied.
    pub const fn vlen(&self) -> Option<Vlen> {
        self.vlen
    }

    /// True if the extension is named or implied.
    pub fn has(&self, name: &str) -> bool {
        self.all.contains(&Name(name.to_owned()))
    }

    /// True if both extensions are there, at the width that matters.
    pub(crate) fn has_both(&self, together: &Together) -> bool {
        together.names.iter().all(|name| self.has(name)) && together.xlen.is_none_or(|xlen| xlen == self.xlen)
    }

    /// Every extension, implied ones too, in canonical order.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|name| name.0.as_str())
    }
}

impl Isa {
    /// The canonical string: letters and names, without profiles and `g`; what another extension of it implies is not
    /// spelt out.
    pub fn canonical(&self) -> String {
        self.spelt(format!("rv{}", self.xlen.bits()), &[])
    }

    /// `text`, which stands for the extensions `given`, and those others that these and one another do not imply.
    fn spelt(&self, mut text: String, given: &[&str]) -> String {
        let mut names: Vec<&str> = self.named.iter().map(|name| name.0.as_str()).collect();
        for index in (0..names.len()).rev() {
            let name = names.remove(index);
            if self.implied_by(given.iter().chain(&names)) != self.all {
                names.insert(index, name);
            }
        }
        let mut after_long = self.profile.is_some() && !given.is_empty();
        for name in names {
            if name.len() > 1 || after_long {
                text.push('_');
            }
            after_long = name.len() > 1;
            text.push_str(name);
        }
        text
    }

    /// All that these extensions are and imply at this width.
    fn implied_by<'n>(&self, names: impl Iterator<Item = &'n &'n str>) -> BTreeSet<Name> {
        let mut other = Self { named: BTreeSet::new(), all: BTreeSet::new(), ..self.clone() };
        names.for_each(|name| other.name(name));
        other.add_together();
        other.all
    }
}

/// As users write it: with the profile that it names, or with `g`.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let general = GENERAL.iter().all(|part| self.has(part));
        f.write_str(&match self.profile {
            Some(profile) => self.spelt(profile.name.to_owned(), &profile.extensions().collect::<Vec<_>>()),
            None if general => self.spelt(format!("rv{}g", self.xlen.bits()), GENERAL),
            None => self.canonical(),
        })
    }
}

fn refusal(name: &str, text: &str) -> IsaError {
    let suggestion = extension::nearest(name);
    let (name, text) = (name.to_owned(), text.to_owned());
    match extension::find(&name).map(|known| known.support) {
        Some(Support::Refused(reason)) => IsaError::NotBuilt { name, text, reason },
        _ => IsaError::Unknown { name, text, suggestion },
    }
}

fn contradictory(text: &str, why: String) -> IsaError {
    IsaError::Contradictory { text: text.to_owned(), why }
}

fn vector_length(name: &str) -> Option<u32> {
    let bits = name.strip_prefix("zvl")?.strip_suffix('b')?;
    bits.bytes().all(|byte| byte.is_ascii_digit()).then(|| bits.parse().ok()).flatten()
}

/// Extensions of `candidates` in the order a reader expects them: shortest first, then canonical.
pub fn sort_by_simplicity(candidates: &mut [String]) {
    candidates.sort_by_key(|name| (name.len(), Name(name.clone())));
}
