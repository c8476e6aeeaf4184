//! Reading a description from a file of the host: text of a sane size, or a refusal that says why not.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::source::Refused;

/// Longest description, many times the longest built-in one.
const MAX_BYTES: u64 = 512 << 10;

/// The text of the file at `path`; nothing if there is none. What is not a regular file is never opened: a
/// device may never end, a pipe may never begin.
pub fn read(path: &Path) -> Result<Option<String>, Refused> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(path, &error)),
    };
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a directory" } else { "not a regular file" };
        return Err(refused(path, &format!("it is {what}")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    text(path, bytes).map(Some)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Refused> {
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(refused(path, &format!("byte {offset} is NUL, which no text holds")));
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(refused(path, &format!("it is longer than {} KiB", MAX_BYTES >> 10)));
    }
    String::from_utf8(bytes).map_err(|error| {
        refused(path, &format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
    })
}

fn refused(path: &Path, reason: &str) -> Refused {
    let message = format!("`{}` is not a description: {reason}", path.display());
    Refused { message, help: "name a text file in CoreDSL, such as `my_ise.core_desc`".to_owned() }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Refused {
    let message = format!("`{}` cannot be read: {error}", path.display());
    Refused { message, help: "check the path and its permissions".to_owned() }
}
