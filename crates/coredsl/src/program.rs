//! Loading: a file and what it imports become one table of sets.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics, Issue, Issues};
use crate::parser;
use crate::source::{SourceText, Sources, Span};

/// Most files of a program, the built-in ones among them.
const MAX_FILES: usize = 256;
/// Most bytes of them all.
const MAX_BYTES: usize = 2 << 20;
/// Longest chain of imports.
const MAX_IMPORT_DEPTH: usize = 64;

/// Descriptions that have been read, with everything they import: the input of [`crate::elaborate`].
#[derive(Clone, Default, Debug)]
pub struct Program {
    pub(crate) files: Vec<Arc<SourceText>>,
    pub(crate) sets: Vec<Arc<ast::Set>>,
    by_name: HashMap<String, usize>,
}

/// An instruction set or core of a [`Program`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetInfo<'a> {
    /// Its name.
    pub name: &'a str,
    /// True for `Core`.
    pub is_core: bool,
    /// The sets it extends, combines or provides.
    pub bases: Vec<&'a str>,
    /// The file that declares it.
    pub file: &'a str,
}

impl Program {
    /// No descriptions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the description `name` and what it imports.
    ///
    /// # Errors
    /// All syntax errors of all files, missing files, sets declared twice and unknown base sets.
    pub fn load(name: &str, sources: &dyn Sources) -> Result<Self, Diagnostics> {
        let mut program = Self::new();
        program.add(name, sources)?;
        Ok(program)
    }

    /// Reads a further description into the same table; a file already read is not read again.
    ///
    /// # Errors
    /// As [`Program::load`]; the program is then unchanged.
    pub fn add(&mut self, name: &str, sources: &dyn Sources) -> Result<(), Diagnostics> {
        let first = match sources.find(name, None) {
            Ok(Some(first)) => first,
            Ok(None) => {
                let help = "give the path of a `.core_desc` file, or the name of a built-in one";
                return Err(Diagnostic::placeless(format!("there is no description `{name}`"), help).into());
            }
            Err(refused) => return Err(Diagnostic::placeless(refused.message, refused.help).into()),
        };
        let mut loader = Loader { program: self.clone(), issues: Issues::default(), sources };
        if let Some(fault) = loader.too_much(&first) {
            return Err(Diagnostic::placeless(format!("`{name}` is not read: {fault}"), TOO_MUCH).into());
        }
        loader.read(first);
        // Where a file could not be read as a whole, sets may be unknown for no fault of their own.
        if loader.issues.is_empty() {
            loader.check_bases();
        }
        if loader.issues.is_empty() {
            *self = loader.program;
            Ok(())
        } else {
            Err(Diagnostics::new(loader.issues, &loader.program.files))
        }
    }

    /// Names of all sets, in order of declaration, imported files first.
    pub fn set_names(&self) -> Vec<&str> {
        self.sets.iter().map(|set| set.name.name.as_str()).collect()
    }

    /// The files that have been read.
    pub fn texts(&self) -> impl Iterator<Item = &SourceText> {
        self.files.iter().map(Arc::as_ref)
    }

    /// All sets, in order of declaration, imported files first.
    pub fn sets(&self) -> impl Iterator<Item = SetInfo<'_>> {
        self.sets.iter().map(|set| SetInfo {
            name: &set.name.name,
            is_core: set.is_core,
            bases: set.bases.iter().map(|base| base.name.as_str()).collect(),
            file: &self.files[set.name.span.file as usize].name,
        })
    }

    /// What is wrong with something else than the language at a place of these texts: `message` is a sentence
    /// without a full stop, `label` stands under the caret, `help` says what to do instead.
    pub fn diagnostic(&self, place: Span, message: &str, label: &str, help: &str) -> Diagnostics {
        let mut issues = Issues::default();
        issues.push(Issue::new(place, message, label, help));
        Diagnostics::new(issues, &self.files)
    }

    pub(crate) fn set_index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

const TOO_MUCH: &str = "import less, or put sets that belong together into one file";

struct Loader<'a> {
    program: Program,
    issues: Issues,
    sources: &'a dyn Sources,
}

impl Loader<'_> {
    /// Depth first with an explicit stack: imports come before the importing file's sets, and a chain
    /// of imports however long costs no stack.
    fn read(&mut self, first: SourceText) {
        let mut open: Vec<(ast::File, usize)> = Vec::new();
        open.extend(self.parse(first).map(|file| (file, 0)));
        while let Some((file, next)) = open.last_mut() {
            if let Some(import) = file.imports.get(*next).cloned() {
                *next += 1;
                let depth = open.len();
                open.extend(self.import(&import, depth).map(|file| (file, 0)));
            } else if let Some((file, _)) = open.pop() {
                self.declare(file.sets);
            }
        }
    }

    /// Parses a file that has not been read yet.
    fn parse(&mut self, source: SourceText) -> Option<ast::File> {
        if self.is_known(&source) {
            return None;
        }
        let index = u32::try_from(self.program.files.len()).unwrap_or(u32::MAX);
        let source = Arc::new(source);
        self.program.files.push(Arc::clone(&source));
        Some(parser::file(&source.text, index, &mut self.issues))
    }

    fn import(&mut self, import: &ast::Import, depth: usize) -> Option<ast::File> {
        if self.issues.is_full() {
            return None;
        }
        let importer = Arc::clone(&self.program.files[import.span.file as usize]);
        let (message, help) = match self.sources.find(&import.name, Some(&importer.name)) {
            Ok(Some(source)) if self.is_known(&source) => return None,
            Ok(Some(_)) if depth >= MAX_IMPORT_DEPTH => {
                (format!("imports lead more than {MAX_IMPORT_DEPTH} files deep"), TOO_MUCH.to_owned())
            }
            Ok(Some(source)) => match self.too_much(&source) {
                Some(fault) => (fault, TOO_MUCH.to_owned()),
                None => return self.parse(source),
            },
            Ok(None) => (
                format!("cannot find `{}`", import.name),
                "imports are looked for beside the importing file, then among the built-in descriptions"
                    .to_owned(),
            ),
            Err(refused) => (refused.message, refused.help),
        };
        self.issues.push(Issue::new(import.span, message, "imported here", help));
        None
    }

    fn is_known(&self, source: &SourceText) -> bool {
        self.program.files.iter().any(|file| file.name == source.name)
    }

    /// Why one more file is too much, if it is.
    fn too_much(&self, source: &SourceText) -> Option<String> {
        let files = &self.program.files;
        let bytes = files.iter().map(|file| file.text.len()).sum::<usize>() + source.text.len();
        if files.len() >= MAX_FILES {
            Some(format!("there are more than {MAX_FILES} files"))
        } else if bytes > MAX_BYTES {
            Some(format!("the files are longer than {} KiB together", MAX_BYTES >> 10))
        } else {
            None
        }
    }

    fn declare(&mut self, sets: Vec<ast::Set>) {
        for set in sets {
            let name = set.name.name.clone();
            match self.program.by_name.get(&name) {
                Some(&first) => {
                    let first = self.program.sets[first].name.span;
                    let message = format!("the set `{name}` is declared twice");
                    let issue =
                        Issue::new(set.name.span, message, "second declaration", "rename one of them");
                    self.issues.push(issue.and(first, "first declaration"));
                }
                None => {
                    self.program.by_name.insert(name, self.program.sets.len());
                    self.program.sets.push(Arc::new(set));
                }
            }
        }
    }

    fn check_bases(&mut self) {
        for (index, set) in self.program.sets.iter().enumerate() {
            for base in &set.bases {
                match self.program.by_name.get(&base.name) {
                    None => {
                        let help = suggestion(&base.name, self.program.by_name.keys().map(String::as_str))
                            .unwrap_or_else(|| "import the file that declares it".to_owned());
                        let message = format!("there is no instruction set `{}`", base.name);
                        self.issues.push(Issue::new(base.span, message, "unknown", help));
                    }
                    Some(&base_index) if self.reaches(base_index, index) => {
                        let message = format!("`{}` extends itself", set.name.name);
                        let issue = Issue::new(base.span, message, "leads back here", "remove this base");
                        self.issues.push(issue);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.program.sets.len()];
        let mut open = vec![from];
        while let Some(set) = open.pop() {
            if set == to {
                return true;
            }
            if !std::mem::replace(&mut seen[set], true) {
                let bases = &self.program.sets[set].bases;
                open.extend(bases.iter().filter_map(|base| self.program.by_name.get(&base.name)));
            }
        }
        false
    }
}

/// "did you mean", if a known name is close to `name`: a few letters differ, or only a number after it, as
/// `rol64` has for `rol`.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let far = |other: &str| {
        let low = other.to_ascii_lowercase();
        let numbered = !bare.is_empty() && low == bare;
        (if numbered { 1 } else { distance(&lower, &low) }, distance(name, other))
    };
    let (near, other) = known.map(|other| (far(other), other)).min()?;
    (near.0 <= (name.len() / 3).max(1)).then(|| format!("did you mean `{other}`?"))
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A set asked for from outside a description that does not exist.
pub(crate) fn unknown_set(program: &Program, name: &str) -> Diagnostic {
    let help = suggestion(name, program.set_names().into_iter())
        .unwrap_or_else(|| format!("known are: {}", program.set_names().join(", ")));
    Diagnostic::placeless(format!("there is no instruction set `{name}`"), help)
}
