//! Static ELF executables, and loading of bare-metal ones.

use object::elf::{EF_RISCV_RVC, EM_RISCV, ET_DYN, ET_EXEC, PF_R, PF_W, PF_X, PT_LOAD, PT_PHDR};
use object::read::elf::{ElfFile32, ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};
use thiserror::Error;

use isa::Xlen;

use crate::memory::{Address, Memory};

/// Why a file cannot be run.
#[derive(Debug, Error)]
pub enum ElfError {
    /// Not an ELF file, or a malformed one.
    #[error("malformed or truncated ELF file: {0}")]
    Malformed(#[from] object::Error),
    /// For another machine.
    #[error("the ELF file is for machine {0}, not RISC-V (243)")]
    NotRiscv(u16),
    /// Big-endian.
    #[error("the ELF file is big-endian; RISC-V programs here are little-endian")]
    BigEndian,
    /// An object file or shared library.
    #[error("the ELF file is of type {0}, not an executable; link it first, statically")]
    NotExecutable(u16),
    /// To be loaded anywhere, where there is nobody to choose.
    #[error("the ELF file is position-independent; for a bare machine link it with -no-pie")]
    PositionIndependent,
    /// Dynamically linked.
    #[error("the ELF file needs a dynamic loader ({0}); link it with -static")]
    Dynamic(String),
    /// Compressed sizes or addresses that do not fit.
    #[error(
        "segment at {address:#x} of {size:#x} bytes does not fit the guest's memory of {memory:#x} bytes; raise --memory"
    )]
    TooLarge {
        /// Its address.
        address: u64,
        /// Its size in memory.
        size: u64,
        /// The guest's memory, in bytes.
        memory: u64,
    },
    /// The host refuses.
    #[error("the host cannot give the guest {size:#x} bytes of memory; lower --memory")]
    HostMemory {
        /// Bytes asked for.
        size: u64,
        /// Its reason.
        source: std::io::Error,
    },
    /// A segment whose bytes lie outside the file.
    #[error("segment at {address:#x} reaches past the end of the file: the file is truncated")]
    Truncated {
        /// Its address.
        address: u64,
    },
}

/// A named address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Value.
    pub address: u64,
    /// Size in bytes, 0 if unknown.
    pub size: u64,
    /// True for functions.
    pub is_function: bool,
}

/// A part of the file that belongs in memory.
#[derive(Clone, Debug)]
pub struct Segment<'f> {
    /// Where it goes in a process: its virtual address.
    pub address: u64,
    /// Where it goes on a bare-metal machine.
    pub physical_address: u64,
    /// Its bytes.
    pub bytes: &'f [u8],
    /// Its size in memory; what the bytes do not cover is zero.
    pub size: u64,
    /// True if it may be read.
    pub readable: bool,
    /// True if it may be written.
    pub writable: bool,
    /// True if it holds code.
    pub executable: bool,
}

/// An executable file.
#[derive(Debug)]
pub struct Executable<'f> {
    /// All of it.
    pub file: &'f [u8],
    /// Register width.
    pub xlen: Xlen,
    /// True if it may be loaded anywhere; addresses then count from where it is.
    pub position_independent: bool,
    /// First instruction.
    pub entry: u64,
    /// Where the program headers are in memory, if they are.
    pub program_headers: Option<u64>,
    /// Number of program headers.
    pub program_header_count: u16,
    /// Loadable segments.
    pub segments: Vec<Segment<'f>>,
    /// Named symbols.
    pub symbols: Vec<Symbol>,
    /// `Tag_RISCV_arch`, as the toolchain wrote it.
    pub arch: Option<String>,
    /// True if it holds compressed code, which source may switch on without the attribute's knowing.
    pub compressed: bool,
}

impl<'f> Executable<'f> {
    /// Reads an executable.
    ///
    /// # Errors
    /// [`ElfError`] if it is malformed or not a static RISC-V executable.
    pub fn parse(file: &'f [u8]) -> Result<Self, ElfError> {
        Self::parse_with(file, true)
    }

    /// Reads what executing it takes: not its symbols, of which a guest's file may name any number.
    ///
    /// # Errors
    /// As [`Executable::parse`].
    pub fn parse_without_symbols(file: &'f [u8]) -> Result<Self, ElfError> {
        Self::parse_with(file, false)
    }

    fn parse_with(file: &'f [u8], symbols: bool) -> Result<Self, ElfError> {
        match object::FileKind::parse(file)? {
            object::FileKind::Elf32 => {
                read(&ElfFile32::<Endianness>::parse(file)?, file, Xlen::Rv32, symbols)
            }
            _ => read(&ElfFile64::<Endianness>::parse(file)?, file, Xlen::Rv64, symbols),
        }
    }

    /// The ISA it was built for: its attribute's, with C if the header knows better; else GC.
    pub fn isa(&self) -> String {
        match (&self.arch, self.compressed) {
            (Some(arch), false) => arch.clone(),
            (Some(arch), true) => format!("{arch}_c"),
            (None, _) => self.general_isa(),
        }
    }

    /// GC of its width.
    pub fn general_isa(&self) -> String {
        format!("rv{}gc", self.xlen.bits())
    }

    /// The address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }

    /// Memory of `size` bytes that holds the program. It starts at the program's lowest address, rounded
    /// down to a page.
    ///
    /// # Errors
    /// [`ElfError::TooLarge`] if the program does not fit.
    pub fn load(&self, size: u64) -> Result<Memory, ElfError> {
        if self.position_independent {
            return Err(ElfError::PositionIndependent);
        }
        let address = |segment: &Segment<'_>| segment.physical_address;
        let base = self.segments.iter().map(address).min().unwrap_or(0) & !0xfff;
        let host_size = usize::try_from(size).unwrap_or(usize::MAX);
        for segment in &self.segments {
            let fits = (address(segment) - base).checked_add(segment.size).is_some_and(|end| end <= size);
            if !fits {
                return Err(ElfError::TooLarge {
                    address: address(segment),
                    size: segment.size,
                    memory: size,
                });
            }
        }
        let mut memory =
            Memory::new(Address(base), host_size).map_err(|source| ElfError::HostMemory { size, source })?;
        for segment in &self.segments {
            if let Some(target) = memory.slice_mut(Address(address(segment)), segment.bytes.len()) {
                target.copy_from_slice(segment.bytes);
            }
        }
        Ok(memory)
    }
}

fn read<'f, Elf: FileHeader<Endian = Endianness>>(
    file: &object::read::elf::ElfFile<'f, Elf>,
    data: &'f [u8],
    xlen: Xlen,
    with_symbols: bool,
) -> Result<Executable<'f>, ElfError> {
    let header = file.elf_header();
    let endian = header.endian()?;
    if header.e_machine(endian) != EM_RISCV {
        return Err(ElfError::NotRiscv(header.e_machine(endian)));
    }
    if endian == Endianness::Big {
        return Err(ElfError::BigEndian);
    }
    if !matches!(header.e_type(endian), ET_EXEC | ET_DYN) {
        return Err(ElfError::NotExecutable(header.e_type(endian)));
    }
    let mut segments = Vec::new();
    let mut program_headers = None;
    for program_header in header.program_headers(endian, data)? {
        if let Some(interpreter) = program_header.interpreter(endian, data)? {
            return Err(ElfError::Dynamic(String::from_utf8_lossy(interpreter).into_owned()));
        }
        let size: u64 = program_header.p_memsz(endian).into();
        if program_header.p_type(endian) == PT_PHDR {
            program_headers = Some(program_header.p_vaddr(endian).into());
        }
        if program_header.p_type(endian) != PT_LOAD || size == 0 {
            continue;
        }
        let address: u64 = program_header.p_vaddr(endian).into();
        let bytes = program_header.data(endian, data).map_err(|()| ElfError::Truncated { address })?;
        if bytes.len() as u64 > size {
            return Err(ElfError::Truncated { address });
        }
        segments.push(Segment {
            address,
            physical_address: program_header.p_paddr(endian).into(),
            bytes,
            size,
            readable: program_header.p_flags(endian) & PF_R != 0,
            writable: program_header.p_flags(endian) & PF_W != 0,
            executable: program_header.p_flags(endian) & PF_X != 0,
        });
    }
    let symbols = file
        .symbols()
        .take(if with_symbols { usize::MAX } else { 0 })
        .filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| !name.is_empty())?;
            Some(Symbol {
                name: name.to_owned(),
                address: symbol.address(),
                size: symbol.size(),
                is_function: symbol.kind() == object::SymbolKind::Text,
            })
        })
        .collect();
    let arch = file
        .section_by_name(".riscv.attributes")
        .and_then(|section| section.data().ok())
        .and_then(crate::attributes::arch);
    // Without a PT_PHDR they are where the segment that holds them says.
    let offset: u64 = header.e_phoff(endian).into();
    let holder = header.program_headers(endian, data)?.iter().find(|program_header| {
        let start: u64 = program_header.p_offset(endian).into();
        let size: u64 = program_header.p_filesz(endian).into();
        program_header.p_type(endian) == PT_LOAD && (start..start.saturating_add(size)).contains(&offset)
    });
    let held = holder.map(|program_header| {
        let start: u64 = program_header.p_offset(endian).into();
        Into::<u64>::into(program_header.p_vaddr(endian)).wrapping_add(offset - start)
    });
    Ok(Executable {
        file: data,
        xlen,
        position_independent: header.e_type(endian) == ET_DYN,
        entry: file.entry(),
        program_headers: program_headers.or(held),
        program_header_count: header.e_phnum(endian),
        segments,
        symbols,
        arch,
        compressed: header.e_flags(endian) & EF_RISCV_RVC != 0,
    })
}
