//! A tiny ELF file, byte by byte (System V ABI, "Object Files"; RISC-V ELF psABI).

/// The parts of a file that tests vary.
#[derive(Clone)]
pub struct File {
    pub wide: bool,
    /// `e_flags`.
    pub flags: u32,
    /// `EI_DATA`: 1 is little-endian.
    pub data: u8,
    pub kind: u16,
    pub machine: u16,
    pub entry: u64,
    pub address: u64,
    pub code: Vec<u8>,
    /// Size in memory; at least that of the code.
    pub memory: u64,
    /// Path of a dynamic loader.
    pub interpreter: Option<&'static str>,
    /// Contents of `.riscv.attributes`.
    pub attributes: Option<Vec<u8>>,
}

impl File {
    /// An executable whose code is one `ecall`, with a symbol `_start`.
    pub fn new(wide: bool) -> Self {
        Self {
            wide,
            flags: 0,
            data: 1,
            kind: 2,
            machine: 243,
            entry: 0x8000_0000,
            address: 0x8000_0000,
            code: vec![0x73, 0, 0, 0],
            memory: 64,
            interpreter: None,
            attributes: Some(attributes(b"rv64i2p1\0")),
        }
    }

    fn address_bytes(&self, value: u64) -> Vec<u8> {
        if self.wide { value.to_le_bytes().to_vec() } else { (value as u32).to_le_bytes().to_vec() }
    }

    fn program_header(&self, kind: u32, offset: u64, address: u64, file: u64, memory: u64) -> Vec<u8> {
        let word = |value| self.address_bytes(value);
        let (kind, flags) = (kind.to_le_bytes().to_vec(), 5u32.to_le_bytes().to_vec());
        let middle = [word(offset), word(address), word(address), word(file), word(memory)].concat();
        let align = word(4);
        if self.wide { [kind, flags, middle, align].concat() } else { [kind, middle, flags, align].concat() }
    }

    fn section_header(&self, name: u32, kind: u32, offset: u64, size: u64, link: u32, entry: u64) -> Vec<u8> {
        let word = |value| self.address_bytes(value);
        let info = if kind == 2 { 1u32 } else { 0 };
        [
            name.to_le_bytes().to_vec(),
            kind.to_le_bytes().to_vec(),
            [word(0), word(0), word(offset), word(size)].concat(),
            link.to_le_bytes().to_vec(),
            info.to_le_bytes().to_vec(),
            [word(1), word(entry)].concat(),
        ]
        .concat()
    }

    fn symbol(&self, name: u32, value: u64, info: u8, section: u16) -> Vec<u8> {
        let (name, value, size) =
            (name.to_le_bytes().to_vec(), self.address_bytes(value), self.address_bytes(4));
        let place = [&[info, 0][..], &section.to_le_bytes()].concat();
        if self.wide { [name, place, value, size].concat() } else { [name, value, size, place].concat() }
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let (header, program, section) = if self.wide { (64, 56, 64) } else { (52, 32, 40) };
        let segments = 1 + u64::from(self.interpreter.is_some());
        let mut contents = Vec::new();
        let start = header + program * segments;
        let mut place = |bytes: &[u8]| {
            let offset = start + contents.len() as u64;
            contents.extend_from_slice(bytes);
            (offset, bytes.len() as u64)
        };
        let code = place(&self.code);
        let interpreter = self.interpreter.map(|path| place(&[path.as_bytes(), b"\0"].concat()));
        let attributes = place(self.attributes.as_deref().unwrap_or_default());
        let names = place(b"\0.riscv.attributes\0.symtab\0.strtab\0");
        let strings = place(b"\0_start\0");
        let symbol_size = if self.wide { 24 } else { 16 };
        let symbols = place(&[vec![0; symbol_size], self.symbol(1, self.entry, 0x12, 0xfff1)].concat());
        let sections = [
            vec![0; section as usize],
            self.section_header(1, 0x7000_0003, attributes.0, attributes.1, 0, 0),
            self.section_header(19, 2, symbols.0, symbols.1, 3, symbol_size as u64),
            self.section_header(27, 3, strings.0, strings.1, 0, 0),
            self.section_header(1, 3, names.0, names.1, 0, 0),
        ];
        let sections_at = start + contents.len() as u64;

        let class = if self.wide { 2 } else { 1 };
        let mut file = vec![0x7f, b'E', b'L', b'F', class, self.data, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend([self.kind, self.machine].iter().flat_map(|value| value.to_le_bytes()));
        file.extend(1u32.to_le_bytes());
        for value in [self.entry, header, sections_at] {
            file.extend(self.address_bytes(value));
        }
        file.extend(self.flags.to_le_bytes());
        let counts =
            [header as u16, program as u16, segments as u16, section as u16, sections.len() as u16, 4];
        file.extend(counts.iter().flat_map(|value| value.to_le_bytes()));
        if let Some((offset, size)) = interpreter {
            file.extend(self.program_header(3, offset, 0, size, size));
        }
        file.extend(self.program_header(1, code.0, self.address, code.1, self.memory));
        file.extend(contents);
        file.extend(sections.concat());
        file
    }
}

/// A `.riscv.attributes` section whose `Tag_RISCV_arch` is `arch`, after a stack alignment.
pub fn attributes(arch: &[u8]) -> Vec<u8> {
    let tags = [&[4, 16, 5][..], arch].concat();
    vendor(b"riscv\0", &tags)
}

/// A section with one vendor's file-wide tags.
pub fn vendor(name: &[u8], tags: &[u8]) -> Vec<u8> {
    let file = [&[1][..], &(tags.len() as u32 + 5).to_le_bytes(), tags].concat();
    let length = (4 + name.len() + file.len()) as u32;
    [b"A".as_slice(), &length.to_le_bytes(), name, &file].concat()
}
