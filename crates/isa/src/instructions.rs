//! The instructions an ISA string names, with those of a user's own descriptions.

use std::path::Path;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use coredsl::ir::{Instruction, Module};
use coredsl::{BUILT_IN, BuiltIn, Diagnostics, FileSources, Found, Overlap, Program, SourceText, Sources};
use thiserror::Error;

use crate::builtin::{self, Builtin, DESCRIPTIONS};
use crate::decode::{Decoder, InstructionId};
use crate::disassembly;
use crate::extension::{self, CONFLICTS, EXTENSIONS, MARKERS, MARKERS_SET, Support, TOGETHER};
use crate::operands::{Operands, OperandsError, Site};
use crate::string::{Isa, IsaError};
use crate::xlen::Xlen;

/// Why a set of instructions cannot be had.
#[derive(Debug, Error)]
pub enum InstructionsError {
    /// The ISA string.
    #[error(transparent)]
    Isa(#[from] IsaError),
    /// A description.
    #[error(transparent)]
    Description(#[from] Diagnostics),
    /// Two instructions that cannot be told apart.
    #[error("{0}\n  help: {help}", help = .0.help())]
    Overlap(#[from] Overlap),
    /// A description that does not say what its instruction touches.
    #[error(transparent)]
    Operands(#[from] OperandsError),
}

/// A user's own descriptions, parsed.
pub struct Descriptions {
    /// Theirs and the built-in ones; `None` if there are none of theirs, and only what an ISA needs is read.
    own: Option<Program>,
    sets: Vec<String>,
}

impl Descriptions {
    /// Reads files; every instruction set that they declare themselves is an extension of that name.
    ///
    /// # Errors
    /// Every fault found in them.
    pub fn read(paths: &[String]) -> Result<Self, Diagnostics> {
        Self::from_sources(paths, &FileSources::new(Builtin))
    }

    /// Reads descriptions by name from `sources`.
    ///
    /// # Errors
    /// Every fault found in them.
    pub fn from_sources(names: &[String], sources: &dyn Sources) -> Result<Self, Diagnostics> {
        if names.is_empty() {
            return Ok(Self { own: None, sets: Vec::new() });
        }
        let mut program = Program::new();
        for name in names {
            program.add(name, sources)?;
        }
        let own: Vec<(String, String)> = program
            .sets()
            .filter(|set| !set.file.starts_with(BUILT_IN))
            .map(|set| (set.name.to_owned(), set.file.to_owned()))
            .collect();
        let shadowing = Shadowing { files: own.iter().map(|(_, file)| file.clone()).collect() };
        for (name, _) in DESCRIPTIONS {
            program.add(name, &shadowing)?;
        }
        Ok(Self { own: Some(program), sets: own.into_iter().map(|(set, _)| set).collect() })
    }

    /// The files they consist of, with those that these import; none that is built in.
    pub fn files(&self) -> impl Iterator<Item = &SourceText> {
        self.own.iter().flat_map(Program::texts).filter(|text| !text.name.starts_with(BUILT_IN))
    }

    /// Names of the extensions they add.
    pub fn extensions(&self) -> &[String] {
        &self.sets
    }
}

/// The built-in descriptions, except those that a user's file of the same name replaces.
struct Shadowing {
    files: Vec<String>,
}

impl Sources for Shadowing {
    fn find(&self, name: &str, importer: Option<&str>) -> Found {
        let is_named = |file: &&String| Path::new(file).file_name().is_some_and(|last| last == name);
        match self.files.iter().find(is_named) {
            // It has been read already: a program reads no file twice.
            Some(file) => Ok(Some(SourceText { name: file.clone(), text: String::new() })),
            None => BuiltIn(Builtin).find(name, importer),
        }
    }
}

/// Instructions with their decoder.
#[derive(Debug)]
pub struct Instructions {
    isa: Isa,
    is_built_in: bool,
    module: Module,
    decoder: Decoder,
    operands: Operands,
}

impl Instructions {
    /// The instructions of `isa` and of all of `descriptions`.
    ///
    /// # Errors
    /// A bad ISA string, a fault in a description, two instructions with one encoding, a native body of which the
    /// description does not say enough.
    pub fn new(isa: &str, descriptions: &Descriptions) -> Result<Self, InstructionsError> {
        Self::of(Isa::parse(isa, &descriptions.sets)?, descriptions)
    }

    /// The instructions of `isa` and of all of `descriptions`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of(isa: Isa, descriptions: &Descriptions) -> Result<Self, InstructionsError> {
        let mut sets = vec!["RISCVBase"];
        for name in isa.extensions() {
            if let Some(Support::Built(described_by)) = extension::find(name).map(|found| found.support) {
                sets.extend(described_by);
            }
        }
        let together = TOGETHER.iter().filter(|together| isa.has_both(together));
        sets.extend(together.flat_map(|together| together.sets));
        sets.extend(descriptions.sets.iter().map(String::as_str));
        if !isa.has(MARKERS) {
            sets.push(MARKERS_SET);
        }
        let program = match &descriptions.own {
            Some(program) => program.clone(),
            None => built_in(&sets)?,
        };
        let mut module = coredsl::elaborate(&program, &sets, isa.xlen().bits())?;
        if !isa.has(MARKERS) && are_markers_claimed(&module) {
            sets.pop();
            module = coredsl::elaborate(&program, &sets, isa.xlen().bits())?;
        }
        if let Some(overlap) = coredsl::check_overlaps(&module).into_iter().next() {
            return Err(overlap.into());
        }
        let decoder = Decoder::new(&module);
        let operands = Operands::of(&module)?;
        Ok(Self { isa, is_built_in: descriptions.own.is_none(), module, decoder, operands })
    }

    /// Every built instruction for `xlen`, with F and Zcd: what decides which extension an unknown word belongs to.
    pub fn all(xlen: Xlen) -> Option<&'static Self> {
        static ALL: [OnceLock<Option<Instructions>>; 2] = [const { OnceLock::new() }; 2];
        Self::once(&ALL, xlen, Choice::Float)
    }

    /// The same with what excludes F and Zcd.
    pub fn embedded(xlen: Xlen) -> Option<&'static Self> {
        static EMBEDDED: [OnceLock<Option<Instructions>>; 2] = [const { OnceLock::new() }; 2];
        Self::once(&EMBEDDED, xlen, Choice::Embedded)
    }

    /// Both: every built instruction, and those that both have twice.
    pub fn everything(xlen: Xlen) -> impl Iterator<Item = &'static Self> {
        [Self::all(xlen), Self::embedded(xlen)].into_iter().flatten()
    }

    fn once(
        slots: &'static [OnceLock<Option<Self>>; 2],
        xlen: Xlen,
        choice: Choice,
    ) -> Option<&'static Self> {
        let slot = match xlen {
            Xlen::Rv32 => &slots[0],
            Xlen::Rv64 => &slots[1],
        };
        slot.get_or_init(|| {
            let descriptions = Descriptions::read(&[]).ok()?;
            Self::new(&everything(xlen, choice, true), &descriptions).ok()
        })
        .as_ref()
    }

    /// The same without compressed instructions, whose presence relaxes the alignment of jumps.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn all_but_compressed(xlen: Xlen) -> Result<Self, InstructionsError> {
        Self::new(&everything(xlen, Choice::Float, false), &Descriptions::read(&[])?)
    }

    /// The ISA.
    pub const fn isa(&self) -> &Isa {
        &self.isa
    }

    /// True if no user's description is among them.
    pub const fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// Their meaning.
    pub const fn module(&self) -> &Module {
        &self.module
    }

    /// The instruction a word encodes.
    pub fn decode(&self, word: u32) -> Option<InstructionId> {
        self.decoder.decode(word)
    }

    /// One instruction.
    pub fn get(&self, id: InstructionId) -> &Instruction {
        &self.module.instructions[id.index()]
    }

    /// What each of them reads, writes and does.
    pub const fn operands(&self) -> &Operands {
        &self.operands
    }

    /// A word of one instruction, to be asked what it touches.
    pub fn site(&self, id: InstructionId, word: u32) -> Site<'_> {
        Site { module: &self.module, instruction: self.get(id), effects: self.operands.get(id), word }
    }

    /// Assembly text of a word at `pc`, if it encodes an instruction.
    pub fn disassemble(&self, word: u32, pc: u64) -> Option<String> {
        let instruction = self.get(self.decode(word)?);
        Some(disassembly::text(&self.module, instruction, word, pc))
    }

    /// Lowest address bits every instruction has clear, in bytes: 2 with compressed instructions.
    pub fn alignment(&self) -> u64 {
        if self.isa.has("zca") { 2 } else { 4 }
    }
}

/// True if another instruction shares a word with a marker.
fn are_markers_claimed(module: &Module) -> bool {
    let is_marker = |instruction: &&Instruction| instruction.set == MARKERS_SET;
    module.instructions.iter().filter(is_marker).any(|marker| {
        let others = module.instructions.iter().filter(|other| other.set != MARKERS_SET);
        others.into_iter().any(|other| {
            let (one, two) = (&marker.encoding, &other.encoding);
            one.length == two.length && (one.value ^ two.value) & one.mask & two.mask == 0
        })
    })
}

/// Which of the extensions that exclude each other.
#[derive(Clone, Copy)]
enum Choice {
    /// F, D and their compressed loads and stores.
    Float,
    /// Those for cores that do without.
    Embedded,
}

/// The ISA string of everything that is built, in one choice.
fn everything(xlen: Xlen, choice: Choice, compressed: bool) -> String {
    let excluded = |name: &str| {
        let place = match choice {
            Choice::Float => 0,
            Choice::Embedded => 1,
        };
        CONFLICTS.iter().any(|conflict| extension::includes(name, conflict.names[place]))
    };
    let names: Vec<_> = EXTENSIONS
        .iter()
        .filter(|extension| extension.name != "i" && matches!(extension.support, Support::Built(_)))
        .filter(|extension| compressed || !extension::includes(extension.name, "zca"))
        .filter(|extension| xlen == Xlen::Rv32 || extension.name != "zcf")
        .filter(|extension| !excluded(extension.name))
        .map(|extension| extension.name)
        .collect();
    format!("rv{}i_{}", xlen.bits(), names.join("_"))
}

/// Built-in instruction sets, each of which is read once in a process.
fn built_in(sets: &[&str]) -> Result<Program, Diagnostics> {
    static READ: LazyLock<Mutex<Program>> = LazyLock::new(Mutex::default);
    let mut program = READ.lock().unwrap_or_else(PoisonError::into_inner);
    for set in sets {
        if !program.sets().any(|known| known.name == *set) {
            program.add(&format!("{set}.core_desc"), &BuiltIn(Builtin))?;
        }
    }
    Ok(program.clone())
}

/// Extensions that would provide an instruction for a word that `isa` has none for, shortest name first, and the
/// instruction's text; both texts if extensions that exclude each other use the word.
pub fn providers(isa: &Isa, word: u32, pc: u64) -> Option<(Vec<String>, String)> {
    let (mut names, mut texts) = (Vec::new(), Vec::new());
    for all in Instructions::everything(isa.xlen()) {
        let Some(id) = all.decode(word) else { continue };
        let mut found = extensions_of(&all.get(id).set);
        found.retain(|name| !isa.excludes(name) && !names.contains(name));
        if !found.is_empty() {
            names.extend(found);
            texts.extend(all.disassemble(word, pc));
        }
    }
    crate::string::sort_by_simplicity(&mut names);
    (!names.is_empty()).then(|| (names, texts.join(" or ")))
}

/// Extensions whose description contains the instruction set `set`, itself or as a base.
pub fn extensions_of(set: &str) -> Vec<String> {
    let mut names: Vec<String> = EXTENSIONS
        .iter()
        .filter(|extension| match extension.support {
            Support::Built(sets) => sets.iter().any(|described_by| contains(described_by, set)),
            Support::WithoutEffect | Support::Refused(_) => false,
        })
        .map(|extension| extension.name.to_owned())
        .collect();
    let together = TOGETHER.iter().filter(|together| together.sets.contains(&set));
    names.extend(together.map(|together| together.names[0].to_owned()));
    crate::string::sort_by_simplicity(&mut names);
    names
}

fn contains(set: &str, searched: &str) -> bool {
    let bases = || builtin::sets().iter().find(|(name, _)| *name == set).map_or(&[][..], |(_, bases)| bases);
    set == searched || bases().iter().any(|base| contains(base, searched))
}
