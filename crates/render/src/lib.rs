//! Errors in descriptions as text for people: each with its line, a caret and help.
//!
//! Everything below passes [`Diagnostics`] on as data; only who shows them to somebody depends on this crate.

use coredsl::{Diagnostic, Diagnostics};
use miette::{GraphicalReportHandler, GraphicalTheme};

/// The errors as plain ASCII, apart from what the descriptions contain.
pub fn render(diagnostics: &Diagnostics) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none())
        .with_width(100)
        .with_context_lines(1)
        .with_links(false)
        .without_syntax_highlighting();
    let mut text = String::new();
    for diagnostic in diagnostics {
        if diagnostic.has_long_lines() || handler.render_report(&mut text, diagnostic).is_err() {
            text.push_str(&plain(diagnostic));
        }
        text.push('\n');
    }
    text.extend(diagnostics.rest().map(|rest| format!("  {rest}\n")));
    text
}

/// What cannot be shown in its text.
fn plain(diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help().map(|help| format!("  help: {help}\n")).unwrap_or_default();
    format!("  {}\n{help}", diagnostic.summary())
}
