//! The `.riscv.attributes` section (RISC-V ELF psABI, "Attributes").

/// Tag of the file-wide sub-subsection.
const TAG_FILE: u64 = 1;
/// `Tag_RISCV_arch`.
const TAG_ARCH: u64 = 5;

/// The ISA string a toolchain recorded, with version numbers.
pub fn arch(section: &[u8]) -> Option<String> {
    let mut rest = section.strip_prefix(b"A")?;
    // One subsection per vendor: length, name, sub-subsections.
    while rest.len() >= 4 {
        let length = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let subsection = rest.get(4..length)?;
        rest = rest.get(length..)?;
        let end = subsection.iter().position(|&byte| byte == 0)?;
        if &subsection[..end] == b"riscv"
            && let Some(arch) = in_vendor(&subsection[end + 1..])
        {
            return Some(arch);
        }
    }
    None
}

fn in_vendor(mut rest: &[u8]) -> Option<String> {
    while !rest.is_empty() {
        let whole = rest;
        let tag = uleb128(&mut rest)?;
        let length = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let header = whole.len() - rest.len() + 4;
        let mut attributes = whole.get(header..length)?;
        rest = whole.get(length..)?;
        while tag == TAG_FILE && !attributes.is_empty() {
            let tag = uleb128(&mut attributes)?;
            // Odd tags carry strings, even ones numbers.
            if tag % 2 == 0 {
                uleb128(&mut attributes)?;
                continue;
            }
            let end = attributes.iter().position(|&byte| byte == 0)?;
            let text = &attributes[..end];
            attributes = &attributes[end + 1..];
            if tag == TAG_ARCH {
                return String::from_utf8(text.to_vec()).ok();
            }
        }
    }
    None
}

fn uleb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
