//! Names for addresses: functions from the symbol table, source lines from DWARF where it is present.

use std::borrow::Cow;

use addr2line::Context;
use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use hart::elf::Symbol;
use object::{Object, ObjectSection};

/// Bytes of debug sections.
pub type Bytes<'f> = EndianSlice<'f, LittleEndian>;

/// Where an address is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The function's name, if known.
    pub function: Option<String>,
    /// Bytes after the function's start.
    pub offset: u64,
    /// Source file and line, if known.
    pub line: Option<(String, u32)>,
}

/// Names of one program.
pub struct Symbols<'f> {
    /// Functions by address.
    functions: Vec<Symbol>,
    lines: Option<Context<Bytes<'f>>>,
    /// What a program loaded elsewhere than at its own addresses is moved by.
    base: u64,
}

impl<'f> Symbols<'f> {
    /// Names in an ELF file, whose addresses are `base` lower than in memory.
    pub fn new(file: &'f [u8], symbols: &[Symbol], base: u64) -> Self {
        let named = |symbol: &&Symbol| !symbol.name.starts_with(['$', '.']);
        let mut functions: Vec<Symbol> = symbols.iter().filter(named).cloned().collect();
        // Of several names of an address, a function's before a label's, and the shorter one.
        functions.sort_by_key(|symbol| (symbol.address, !symbol.is_function, symbol.name.len()));
        functions.dedup_by_key(|symbol| symbol.address);
        // Labels within a function would hide it.
        let inside = |functions: &[Symbol], symbol: &Symbol| {
            let before = functions.partition_point(|other| other.address < symbol.address);
            let holder = functions[..before].iter().rev().find(|other| other.is_function);
            holder.is_some_and(|holder| symbol.address - holder.address < holder.size)
        };
        let kept: Vec<Symbol> = functions
            .iter()
            .filter(|symbol| symbol.is_function || !inside(&functions, symbol))
            .cloned()
            .collect();
        Self { functions: kept, lines: lines(file), base }
    }

    /// The function that holds an address: its name and where it begins.
    pub fn function(&self, address: u64) -> Option<(&str, u64)> {
        let own = address.wrapping_sub(self.base);
        let past = self.functions.partition_point(|symbol| symbol.address <= own);
        let symbol = self.functions[..past].last()?;
        let within = symbol.size == 0 || own - symbol.address < symbol.size;
        within.then(|| (symbol.name.as_str(), symbol.address.wrapping_add(self.base)))
    }

    /// Where an address is.
    pub fn place(&self, address: u64) -> Place {
        let function = self.function(address);
        let own = address.wrapping_sub(self.base);
        let location = self.lines.as_ref().and_then(|lines| lines.find_location(own).ok().flatten());
        Place {
            function: function.map(|(name, _)| name.to_owned()),
            offset: function.map_or(0, |(_, start)| address - start),
            line: location.and_then(|location| Some((location.file?.to_owned(), location.line?))),
        }
    }
}

/// Uncompressed bytes of a debug section; none if it is missing or compressed.
pub fn section<'f>(file: &'f [u8], name: &str) -> Bytes<'f> {
    let data = object::File::parse(file).ok().and_then(|file| {
        let data = file.section_by_name(name)?.uncompressed_data().ok()?;
        match data {
            Cow::Borrowed(bytes) => Some(bytes),
            Cow::Owned(_) => None,
        }
    });
    EndianSlice::new(data.unwrap_or(&[]), LittleEndian)
}

fn lines(file: &[u8]) -> Option<Context<Bytes<'_>>> {
    let load = |id: SectionId| Ok::<_, gimli::Error>(section(file, id.name()));
    let dwarf = Dwarf::load(load).ok()?;
    Context::from_dwarf(dwarf).ok()
}
