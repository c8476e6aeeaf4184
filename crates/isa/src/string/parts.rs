//! The names in an ISA string, with the versions that compilers write.

/// A name as an ISA string has it.
pub struct Part {
    /// The name.
    pub name: String,
    /// Of a single letter, its version.
    pub version: Option<(u32, u32)>,
}

/// Splits what follows `rv32`/`rv64` or a profile into extension names and versions.
pub fn split(rest: &str) -> Vec<Part> {
    let mut names = Vec::new();
    for part in rest.split('_') {
        let mut part = part;
        while let Some(letter) = part.chars().next() {
            if matches!(letter, 'z' | 's' | 'x') {
                names.push(Part { name: without_version(part).to_owned(), version: None });
                break;
            }
            let (version, after) = letter_version(&part[letter.len_utf8()..]);
            names.push(Part { name: letter.to_string(), version });
            part = after;
        }
    }
    names
}

/// `zba1p0` → `zba`, but `zve32x` and `zvl128b` as they are.
fn without_version(part: &str) -> &str {
    let Some(p) = part.rfind('p') else { return part };
    let (head, minor) = (&part[..p], &part[p + 1..]);
    let digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_version = digits > 0 && !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    if is_version { &head[..head.len() - digits] } else { part }
}

/// A version such as `2p1` after a single letter, and what comes after it.
fn letter_version(part: &str) -> (Option<(u32, u32)>, &str) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (major, after) = part.split_at(digits(part));
    let Ok(major) = major.parse() else { return (None, after) };
    let minor = after.strip_prefix('p').map(|minor| minor.split_at(digits(minor)));
    match minor {
        Some((minor, after)) if !minor.is_empty() => {
            (Some((major, minor.parse().unwrap_or(u32::MAX))), after)
        }
        _ => (Some((major, 0)), after),
    }
}
