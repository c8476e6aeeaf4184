//! ELF files by hand.

use isa::Xlen;

/// An executable with these segments: address, flags (1 execute, 2 write, 4 read), bytes.
pub fn file(xlen: Xlen, entry: u64, segments: &[(u64, u32, Vec<u8>)]) -> Vec<u8> {
    let wide = xlen == Xlen::Rv64;
    let (header, entry_size) = if wide { (64, 56) } else { (52, 32) };
    let mut file = vec![0x7f, b'E', b'L', b'F', if wide { 2 } else { 1 }, 1, 1];
    file.resize(16, 0);
    let half = |file: &mut Vec<u8>, value: u16| file.extend_from_slice(&value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u64| {
        file.extend_from_slice(&value.to_le_bytes()[..if wide { 8 } else { 4 }]);
    };
    let word32 = |file: &mut Vec<u8>, value: u32| file.extend_from_slice(&value.to_le_bytes());
    // ET_EXEC, EM_RISCV.
    half(&mut file, 2);
    half(&mut file, 243);
    word32(&mut file, 1);
    word(&mut file, entry);
    word(&mut file, header);
    word(&mut file, 0);
    word32(&mut file, 0);
    for value in [header as u16, entry_size, segments.len() as u16, 0, 0, 0] {
        half(&mut file, value);
    }
    let mut offset = header + u64::from(entry_size) * segments.len() as u64;
    for (address, flags, bytes) in segments {
        let size = bytes.len() as u64;
        // PT_LOAD.
        word32(&mut file, 1);
        if wide {
            word32(&mut file, *flags);
        }
        for value in [offset, *address, *address, size, size] {
            word(&mut file, value);
        }
        if !wide {
            word32(&mut file, *flags);
        }
        word(&mut file, 1);
        offset += size;
    }
    for (_, _, bytes) in segments {
        file.extend_from_slice(bytes);
    }
    file
}

/// Adds section headers: names, a symbol `main`, and `Tag_RISCV_arch`.
pub fn add_sections(xlen: Xlen, file: &mut Vec<u8>) {
    let wide = xlen == Xlen::Rv64;
    let word = |value: u64| value.to_le_bytes()[..if wide { 8 } else { 4 }].to_vec();
    let names = b"\0.shstrtab\0.symtab\0.strtab\0.riscv.attributes\0";
    let entry = u64::from_le_bytes(file[24..32].try_into().expect("eight bytes")) & 0xffff_ffff;
    let symbol = if wide {
        [&1u32.to_le_bytes()[..], &[2, 0, 1, 0], &word(entry), &word(8)].concat()
    } else {
        [&1u32.to_le_bytes()[..], &word(entry), &word(8), &[2, 0, 1, 0]].concat()
    };
    let symbols = [vec![0; symbol.len()], symbol].concat();
    // A vendor's subsection, a file's within it, and one tag with its string.
    let arch = b"\x05rv64i2p1\0";
    let inner = [&[1][..], &(arch.len() as u32 + 5).to_le_bytes(), arch].concat();
    let vendor = [b"riscv\0", &inner[..]].concat();
    let attributes = [&b"A"[..], &(vendor.len() as u32 + 4).to_le_bytes(), &vendor].concat();
    // Name, type, link, information, bytes.
    let sections: [(u32, u32, u32, u32, &[u8]); 5] = [
        (0, 0, 0, 0, &[]),
        (1, 3, 0, 0, names),
        (11, 2, 3, 1, &symbols),
        (19, 3, 0, 0, b"\0main\0"),
        (27, 0x7000_0003, 0, 0, &attributes),
    ];
    let mut headers = Vec::new();
    for (name, kind, link, information, bytes) in sections {
        headers.extend_from_slice(&name.to_le_bytes());
        headers.extend_from_slice(&kind.to_le_bytes());
        for value in [0, 0, file.len() as u64, bytes.len() as u64] {
            headers.extend(word(value));
        }
        headers.extend_from_slice(&link.to_le_bytes());
        headers.extend_from_slice(&information.to_le_bytes());
        let entry_size = if kind == 2 { symbols.len() as u64 / 2 } else { 0 };
        headers.extend([word(1), word(entry_size)].concat());
        file.extend_from_slice(bytes);
    }
    let start = file.len() as u64;
    file.extend(headers);
    let (offset_at, count_at, size) = if wide { (40, 58, 64u16) } else { (32, 46, 40) };
    file[offset_at..][..word(0).len()].copy_from_slice(&word(start));
    file[count_at..][..2].copy_from_slice(&size.to_le_bytes());
    file[count_at + 2..][..2].copy_from_slice(&5u16.to_le_bytes());
    file[count_at + 4..][..2].copy_from_slice(&1u16.to_le_bytes());
}
