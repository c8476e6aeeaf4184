//! Loading: a file and what it imports become one table of sets.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics, Issue};
use crate::parser;
use crate::source::{SourceText, Sources};

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
        let Some(first) = sources.find(name, None) else {
            let help = "give the path of a `.core_desc` file, or the name of a built-in one";
            return Err(Diagnostic::placeless(format!("there is no description `{name}`"), help).into());
        };
        let mut loader = Loader { program: self.clone(), issues: Vec::new(), sources };
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

    /// All sets, in order of declaration, imported files first.
    pub fn sets(&self) -> impl Iterator<Item = SetInfo<'_>> {
        self.sets.iter().map(|set| SetInfo {
            name: &set.name.name,
            is_core: set.is_core,
            bases: set.bases.iter().map(|base| base.name.as_str()).collect(),
            file: &self.files[set.name.span.file as usize].name,
        })
    }

    pub(crate) fn set_index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

struct Loader<'a> {
    program: Program,
    issues: Vec<Issue>,
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
                open.extend(self.import(&import).map(|file| (file, 0)));
            } else if let Some((file, _)) = open.pop() {
                self.declare(file.sets);
            }
        }
    }

    /// Parses a file that has not been read yet.
    fn parse(&mut self, source: SourceText) -> Option<ast::File> {
        if self.program.files.iter().any(|file| file.name == source.name) {
            return None;
        }
        let index = u32::try_from(self.program.files.len()).unwrap_or(u32::MAX);
        let source = Arc::new(source);
        self.program.files.push(Arc::clone(&source));
        Some(parser::file(&source.text, index, &mut self.issues))
    }

    fn import(&mut self, import: &ast::Import) -> Option<ast::File> {
        let importer = Arc::clone(&self.program.files[import.span.file as usize]);
        if let Some(source) = self.sources.find(&import.name, Some(&importer.name)) {
            return self.parse(source);
        }
        let message = format!("cannot find `{}`", import.name);
        let help = "imports are looked for beside the importing file, then among the built-in descriptions";
        self.issues.push(Issue::new(import.span, message, "imported here", help));
        None
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

/// "did you mean", if a known name is close to `name`.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let far = |other: &str| (distance(&lower, &other.to_ascii_lowercase()), distance(name, other));
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
