//! Errors in descriptions: where, what, and what to write instead.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use miette::{LabeledSpan, NamedSource, SourceCode};

use crate::source::{SourceText, Span};

/// Lines between two places of one error that are still shown together.
const NEAR: usize = 5;
/// Errors that are shown; who mends these sees the next.
const MOST_SHOWN: usize = 20;
/// Errors that are looked for. A file with more is not a description with mistakes.
const MOST_FOUND: usize = 1000;
/// Longest line that is quoted, and longest sentence of a message, in characters: both may hold text of the file.
const LONGEST_LINE: usize = 400;

/// A fault found while reading a description, before it is tied to the text for display.
#[derive(Clone, Debug)]
pub(crate) struct Issue {
    pub span: Span,
    pub message: String,
    pub label: String,
    pub help: String,
    pub also: Option<(Span, String)>,
}

impl Issue {
    /// `message` is a sentence without a full stop, `label` stands under the caret, `help` says what to
    /// write instead.
    pub fn new(
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { span, message: message.into(), label: label.into(), help: help.into(), also: None }
    }

    /// Points at a second place, such as an earlier definition.
    pub fn and(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also = Some((span, label.into()));
        self
    }
}

/// Faults in order of discovery, up to a bound.
#[derive(Clone, Default, Debug)]
pub(crate) struct Issues {
    found: Vec<Issue>,
}

impl Issues {
    /// Records one, unless there are enough.
    pub fn push(&mut self, issue: Issue) {
        if !self.is_full() {
            self.found.push(issue);
        }
    }

    /// True if looking for more is of no use.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MOST_FOUND
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Forgets all but the first `length`.
    pub fn truncate(&mut self, length: usize) {
        self.found.truncate(length);
    }

    pub fn extend(&mut self, issues: impl IntoIterator<Item = Issue>) {
        issues.into_iter().for_each(|issue| self.push(issue));
    }
}

/// An issue has been recorded; nothing more needs saying about the construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reported;

/// Result of a step that records its own issues.
pub(crate) type Checked<T> = Result<T, Reported>;

/// An error in a description.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    message: String,
    help: Option<String>,
    place: Option<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    source: Arc<NamedSource<String>>,
    /// Some line to be shown is too long for that.
    is_long: bool,
    labels: Vec<LabeledSpan>,
    line: usize,
    column: usize,
}

impl Diagnostic {
    /// An error that belongs to no place in a text, such as a file that does not exist.
    pub(crate) fn placeless(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: shortened(message.into()), help: Some(shortened(help.into())), place: None }
    }

    /// `sources` are the files in the form in which they are shown, one for all errors of a file.
    fn new(issue: Issue, files: &[Arc<SourceText>], sources: &mut Shown) -> Self {
        let Some(file) = files.get(issue.span.file as usize) else {
            return Self::placeless(issue.message, issue.help);
        };
        let (line, column) = position(&file.text, issue.span.start);
        let mut labels = vec![labelled(&file.text, issue.span, issue.label, true)];
        let mut help = issue.help;
        if let Some((span, label)) = issue.also {
            let near = position(&file.text, span.start).0.abs_diff(line) <= NEAR;
            if span.file == issue.span.file && near {
                labels.push(labelled(&file.text, span, label, false));
            } else if let Some(other) = files.get(span.file as usize) {
                let (line, column) = position(&other.text, span.start);
                help = format!("{help} ({label}: {}:{line}:{column})", other.name);
            }
        }
        let source = sources.entry(issue.span.file);
        let source = source.or_insert_with(|| Arc::new(NamedSource::new(&file.name, file.text.clone())));
        let near = file.text.lines().skip(line.saturating_sub(NEAR + 2)).take(2 * NEAR + 4);
        let is_long = near.into_iter().any(|line| line.len() > LONGEST_LINE);
        let place = Some(Place { source: Arc::clone(source), is_long, labels, line, column });
        Self { message: shortened(issue.message), help: Some(shortened(help)), place }
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Name of the file.
    pub fn file(&self) -> Option<&str> {
        self.place.as_ref().map(|place| place.source.name())
    }

    /// `file:line:column: message` in one line.
    pub fn summary(&self) -> String {
        match (self.file(), self.position()) {
            (Some(file), Some((line, column))) => format!("{file}:{line}:{column}: {}", self.message),
            _ => self.message.clone(),
        }
    }

    /// Whether a line around its place is too long to be shown.
    pub fn has_long_lines(&self) -> bool {
        self.place.as_ref().is_some_and(|place| place.is_long)
    }

    /// Line and column, both from 1; columns count characters.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|place| (place.line, place.column))
    }
}

/// Texts as they are shown, by index of the file.
type Shown = HashMap<u32, Arc<NamedSource<String>>>;

/// Not longer than a person would read.
fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn labelled(text: &str, span: Span, label: String, is_primary: bool) -> LabeledSpan {
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.floor_char_boundary((span.end as usize).max(start));
    // A caret under a whole block hides what is wrong: keep to its first line.
    let length = text[start..end].find('\n').map_or(end - start, |newline| newline.max(1));
    let label = (!label.is_empty()).then(|| shortened(label));
    if is_primary {
        LabeledSpan::new_primary_with_span(label, (start, length))
    } else {
        LabeledSpan::new(label, start, length)
    }
}

/// Line and column of a byte, both from 1.
pub(crate) fn position(text: &str, byte: u32) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte as usize)];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &*place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        Some(Box::new(place.labels.iter().cloned()))
    }
}

/// One or more errors in descriptions, in order of their place; of very many, the first.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    shown: Vec<Diagnostic>,
    more: More,
}

/// How many errors are not shown.
#[derive(Clone, Copy, Debug)]
enum More {
    Exactly(usize),
    AtLeast(usize),
}

impl Diagnostics {
    /// Ties issues to their texts; an issue repeated by another path is told once.
    pub(crate) fn new(issues: Issues, files: &[Arc<SourceText>]) -> Self {
        let is_full = issues.is_full();
        let mut issues = issues.found;
        issues.sort_by_key(|issue| (issue.span.file, issue.span.start, issue.span.end));
        issues.dedup_by(|a, b| a.span == b.span && a.message == b.message);
        let more = issues.len().saturating_sub(MOST_SHOWN);
        let more = if is_full { More::AtLeast(more) } else { More::Exactly(more) };
        let mut sources = Shown::new();
        let shown = issues.into_iter().take(MOST_SHOWN);
        Self { shown: shown.map(|issue| Diagnostic::new(issue, files, &mut sources)).collect(), more }
    }

    /// The errors that are shown.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.shown.iter()
    }

    /// What is said of the errors that are not shown.
    pub fn rest(&self) -> Option<String> {
        match self.more {
            More::Exactly(0) => None,
            More::Exactly(more) => Some(format!("and {more} more; fix these first")),
            More::AtLeast(more) => {
                Some(format!("and at least {more} more: is this a description in CoreDSL?"))
            }
        }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { shown: vec![diagnostic], more: More::Exactly(0) }
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.shown.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown.iter().map(Diagnostic::summary);
        f.write_str(&shown.chain(self.rest()).collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for Diagnostics {}

impl miette::Diagnostic for Diagnostics {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.shown.iter().map(|diagnostic| diagnostic as &dyn miette::Diagnostic)))
    }
}
