//! Source texts, positions in them, and where imports come from.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::file;

/// A half-open range of bytes in one file of a [`crate::Program`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// Index of the file.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`, both in one file.
    pub(crate) fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.end), ..self }
    }

    /// The empty range after `self`.
    pub(crate) fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// One description: the name diagnostics show, and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    /// Name shown in diagnostics; two texts of one name are one file.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why what bears the name of a description cannot be one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What mends it.
    pub help: String,
}

/// A text, or nothing if there is no description of that name.
pub type Found = Result<Option<SourceText>, Refused>;

/// Where descriptions come from.
pub trait Sources {
    /// The description called `name` in the `import` of file `importer` (none for the first file).
    ///
    /// # Errors
    /// What bears the name is there, but is no text that could be a description.
    fn find(&self, name: &str, importer: Option<&str>) -> Found;
}

/// Descriptions held in memory, such as those built into a program: by name, relative to the importing
/// one first.
#[derive(Clone, Default, Debug)]
pub struct MemorySources {
    texts: BTreeMap<String, String>,
}

impl MemorySources {
    /// No descriptions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a description under a name such as `RVV/RVV.core_desc`.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.insert(name.into(), text.into());
        self
    }
}

impl Sources for MemorySources {
    fn find(&self, name: &str, importer: Option<&str>) -> Found {
        let candidates = [beside(importer, name), normal(Path::new(name))];
        Ok(candidates.into_iter().find_map(|path| {
            let name = path.to_string_lossy().into_owned();
            self.texts.get(&name).map(|text| SourceText { name, text: text.clone() })
        }))
    }
}

/// Start of the names of built-in descriptions, which keeps them apart from files.
pub const BUILT_IN: &str = "built-in:";

/// Descriptions that come with a program. Their names start with [`BUILT_IN`].
pub struct BuiltIn<S>(pub S);

impl<S: Sources> Sources for BuiltIn<S> {
    fn find(&self, name: &str, importer: Option<&str>) -> Found {
        let importer = importer.and_then(|importer| importer.strip_prefix(BUILT_IN));
        let found = self.0.find(name, importer)?;
        Ok(found.map(|found| SourceText { name: format!("{BUILT_IN}{}", found.name), ..found }))
    }
}

/// Files of the host, relative to the importing one, then the built-in descriptions. What a built-in
/// description imports is built in too, whatever files lie about.
pub struct FileSources<S> {
    built_in: BuiltIn<S>,
}

impl<S: Sources> FileSources<S> {
    /// Files first, then `built_in`.
    pub fn new(built_in: S) -> Self {
        Self { built_in: BuiltIn(built_in) }
    }
}

impl<S: Sources> Sources for FileSources<S> {
    fn find(&self, name: &str, importer: Option<&str>) -> Found {
        if !importer.is_some_and(|importer| importer.starts_with(BUILT_IN)) {
            let path = beside(importer, name);
            if let Some(text) = file::read(&path)? {
                return Ok(Some(SourceText { name: path.to_string_lossy().into_owned(), text }));
            }
        }
        self.built_in.find(name, importer)
    }
}

fn beside(importer: Option<&str>, name: &str) -> PathBuf {
    let folder = importer.and_then(|importer| Path::new(importer).parent());
    normal(&folder.unwrap_or(Path::new("")).join(name))
}

/// Without `.` and resolvable `..`, so that one file has one name.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(result.components().next_back(), Some(Component::Normal(_))) => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}
