//! What can be told of an ELF file without running it.

use hart::elf::Executable;
use isa::{Descriptions, Instructions, Xlen};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};
use pyo3::prelude::*;

use crate::failure::{failure, refused};

/// A named address.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Symbol {
    name: String,
    address: u64,
    size: u64,
}

/// Facts of an executable.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct ElfInfo {
    xlen: u16,
    entry: u64,
    isa: Option<String>,
    compressed: bool,
    symbols: Vec<Symbol>,
}

#[pyfunction]
fn elf_info(elf: &[u8]) -> PyResult<ElfInfo> {
    let executable = Executable::parse(elf).map_err(failure)?;
    let symbols = executable.symbols.into_iter();
    Ok(ElfInfo {
        xlen: executable.xlen.bits(),
        entry: executable.entry,
        isa: executable.arch,
        compressed: executable.compressed,
        symbols: symbols
            .map(|symbol| Symbol { name: symbol.name, address: symbol.address, size: symbol.size })
            .collect(),
    })
}

/// What a section's bytes are.
fn is_code<'d>(section: &impl ObjectSection<'d>) -> bool {
    section.kind() == SectionKind::Text
}

#[pyfunction]
fn section_sizes(object_file: &[u8]) -> PyResult<(u64, u64, u64, u64, u64)> {
    let file = object::File::parse(object_file).map_err(failure)?;
    let (mut code, mut rodata, mut data, mut bss, mut instructions) = (0, 0, 0, 0, 0);
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        if sh_flags & u64::from(elf::SHF_ALLOC) == 0 {
            continue;
        }
        let size = section.size();
        if is_code(&section) {
            code += size;
            instructions += count_instructions(section.data().map_err(failure)?);
        } else if section.kind() == SectionKind::UninitializedData {
            bss += size;
        } else if sh_flags & u64::from(elf::SHF_WRITE) != 0 {
            data += size;
        } else {
            rodata += size;
        }
    }
    Ok((code, rodata, data, bss, instructions))
}

fn count_instructions(mut code: &[u8]) -> u64 {
    let mut count = 0;
    while let Some((&[low, high], _)) = code.split_first_chunk::<2>() {
        let length = if isa::is_wide(u32::from(u16::from_le_bytes([low, high]))) { 4 } else { 2 };
        code = code.get(length..).unwrap_or(&[]);
        count += 1;
    }
    count
}

#[pyfunction]
#[pyo3(signature = (elf, *, isa=None, symbol=None, extensions=Vec::new()))]
fn disassemble(
    elf: &[u8],
    isa: Option<&str>,
    symbol: Option<&str>,
    extensions: Vec<String>,
) -> PyResult<Vec<(u64, u32, u8, String)>> {
    let file = object::File::parse(elf).map_err(failure)?;
    let xlen = if file.is_64() { Xlen::Rv64 } else { Xlen::Rv32 };
    let descriptions = Descriptions::read(&extensions).map_err(refused)?;
    let own;
    let instructions = match isa {
        Some(isa) => {
            own = Instructions::new(isa, &descriptions).map_err(refused)?;
            &own
        }
        None if extensions.is_empty() => {
            Instructions::all(xlen).ok_or_else(|| failure("the built-in descriptions do not load"))?
        }
        None => {
            let base = if xlen == Xlen::Rv64 { "rv64gc" } else { "rv32gc" };
            own = Instructions::new(base, &descriptions).map_err(refused)?;
            &own
        }
    };
    let wanted = match symbol {
        Some(name) => Some(function_range(&file, name)?),
        None => None,
    };
    let mut lines = Vec::new();
    for section in file.sections().filter(is_code) {
        if wanted.is_some_and(|(home, ..)| home != section.index()) {
            continue;
        }
        let (begin, end) = wanted.map_or((0, u64::MAX), |(_, begin, end)| (begin, end));
        let data = section.data().map_err(failure)?;
        disassemble_section(instructions, data, section.address(), begin..end, &mut lines);
    }
    Ok(lines)
}

fn disassemble_section(
    instructions: &Instructions,
    data: &[u8],
    base: u64,
    range: std::ops::Range<u64>,
    lines: &mut Vec<(u64, u32, u8, String)>,
) {
    let mut offset = usize::try_from(range.start.saturating_sub(base)).unwrap_or(usize::MAX);
    while let Some(rest) = data.get(offset..)
        && let Some((&[low, high], after)) = rest.split_first_chunk::<2>()
        && range.contains(&(base + offset as u64))
    {
        let address = base + offset as u64;
        let half = u32::from(u16::from_le_bytes([low, high]));
        let (word, length) = match after.first_chunk::<2>() {
            Some(&[third, fourth]) if isa::is_wide(half) => {
                (half | u32::from(u16::from_le_bytes([third, fourth])) << 16, 4)
            }
            _ => (half, 2),
        };
        let text = instructions.disassemble(word, address).unwrap_or_else(|| {
            if length == 4 { format!(".word {word:#010x}") } else { format!(".half {word:#06x}") }
        });
        lines.push((address, word, length, text));
        offset += usize::from(length);
    }
}

/// Section and address range of a function; without a size, up to the next symbol.
fn function_range(file: &object::File<'_>, name: &str) -> PyResult<(object::SectionIndex, u64, u64)> {
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name() == Ok(name))
        .ok_or_else(|| failure(format!("there is no symbol '{name}'")))?;
    let section = symbol
        .section_index()
        .ok_or_else(|| failure(format!("symbol '{name}' is not in a section of this file")))?;
    let begin = symbol.address();
    let end = if symbol.size() > 0 {
        begin + symbol.size()
    } else {
        file.symbols()
            .filter(|other| other.section_index() == Some(section) && other.address() > begin)
            .map(|other| other.address())
            .min()
            .unwrap_or(u64::MAX)
    };
    Ok((section, begin, end))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Symbol>()?;
    module.add_class::<ElfInfo>()?;
    module.add_function(wrap_pyfunction!(elf_info, module)?)?;
    module.add_function(wrap_pyfunction!(section_sizes, module)?)?;
    module.add_function(wrap_pyfunction!(disassemble, module)?)
}
