//! Recursive-descent parser: tokens to syntax tree. It recovers at statements and at instructions, so
//! that one run tells several errors.

mod declaration;
mod expression;
mod set;
mod statement;

use crate::ast::{Expr, File, Ident};
use crate::diagnostic::{Checked, Issue, Issues, Reported};
use crate::lexer::{self, Token, TokenKind};
use crate::source::Span;

/// Deepest nesting of statements, expressions and brackets; the tree's consumers recurse as deep.
const MAX_DEPTH: u32 = 100;

/// Words that cannot be names.
const RESERVED: [&str; 27] = [
    "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "spawn",
    "signed", "unsigned", "bool", "void", "int", "char", "short", "long", "auto", "struct", "union", "enum",
    "const", "extern", "register",
];

pub(crate) struct Parser<'a> {
    text: &'a str,
    base: usize,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    gave_up: bool,
    issues: &'a mut Issues,
}

/// Parses a whole file; what could be read is returned even if issues were recorded.
pub(crate) fn file(text: &str, file: u32, issues: &mut Issues) -> File {
    let lexed = lexer::tokens(text, file, 0, issues);
    let known = issues.len();
    let parsed =
        Parser { text, base: 0, tokens: lexed.tokens, at: 0, depth: 0, gave_up: false, issues }.file();
    if lexed.is_cut {
        // What the comment swallowed is not missing.
        issues.truncate(known);
    }
    parsed
}

/// Parses one expression that stands at `base` in the file, such as an operand of an assembly format.
pub(crate) fn expression(text: &str, at: Span, issues: &mut Issues) -> Checked<Expr> {
    let base = at.start as usize;
    let tokens = lexer::tokens(text, at.file, base, issues).tokens;
    let mut parser = Parser { text, base, tokens, at: 0, depth: 0, gave_up: false, issues };
    let expr = parser.expr()?;
    match parser.peek().kind {
        TokenKind::End => Ok(expr),
        _ => Err(parser.unexpected("the end of the expression", "one expression stands between the braces")),
    }
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// Span of the token before the next one.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn text_of(&self, span: Span) -> &str {
        &self.text[span.start as usize - self.base..span.end as usize - self.base]
    }

    fn word(&self) -> Option<&str> {
        let token = self.peek();
        (token.kind == TokenKind::Word).then(|| self.text_of(token.span))
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    fn at_punct(&self, punct: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Punct(text) if text == punct)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.at_punct(punct);
        self.at += usize::from(found);
        found
    }

    /// What stands at the next token, for messages.
    fn found(&self) -> String {
        match self.peek().kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text_of(self.peek().span)),
        }
    }

    fn report(&mut self, issue: Issue) -> Reported {
        if !self.gave_up {
            self.issues.push(issue);
        }
        if self.issues.is_full() {
            self.give_up();
        }
        Reported
    }

    /// Leaves only the end to be found, and whatever that leaves open unsaid.
    fn give_up(&mut self) {
        self.at = self.tokens.len() - 1;
        self.gave_up = true;
    }

    fn unexpected(&mut self, expected: &str, help: &str) -> Reported {
        let message = format!("expected {expected}, found {}", self.found());
        let span = self.peek().span;
        self.report(Issue::new(span, message, "here", help))
    }

    fn expect(&mut self, punct: &'static str, help: &str) -> Checked<Span> {
        if self.at_punct(punct) {
            return Ok(self.next().span);
        }
        Err(self.unexpected(&format!("`{punct}`"), help))
    }

    /// The `;` that ends `what`. Its absence is told after the last token, and parsing goes on.
    fn semicolon(&mut self, what: &str) -> Checked<()> {
        if self.eat(";") {
            return Ok(());
        }
        let span = self.previous().after();
        let message = format!("missing `;` after {what}");
        let reported = self.report(Issue::new(span, message, "here", "write `;`"));
        let new_line = self.text_between(span, self.peek().span).contains('\n');
        if new_line || self.at_punct("}") { Ok(()) } else { Err(reported) }
    }

    fn text_between(&self, before: Span, after: Span) -> &str {
        self.text.get(before.end as usize - self.base..after.start as usize - self.base).unwrap_or_default()
    }

    fn ident(&mut self, what: &str) -> Checked<Ident> {
        match self.word() {
            Some(word) if RESERVED.contains(&word) => {
                let message = format!("`{word}` is a keyword and cannot name {what}");
                let span = self.peek().span;
                Err(self.report(Issue::new(span, message, "keyword", "choose another name")))
            }
            Some(word) => {
                let name = word.to_owned();
                Ok(Ident { name, span: self.next().span })
            }
            None => {
                Err(self.unexpected(&format!("the name of {what}"), "a name starts with a letter or `_`"))
            }
        }
    }

    /// The text between the quotes, escapes resolved, with the place of that text.
    fn string(&mut self, what: &str) -> Checked<Ident> {
        let token = self.peek();
        if token.kind != TokenKind::Str {
            return Err(self.unexpected(&format!("{what} in double quotes"), "write it as \"...\""));
        }
        self.next();
        let closed = self.text_of(token.span).len() > 1 && self.text_of(token.span).ends_with('"');
        let end = token.span.end - u32::from(closed);
        let span = Span { start: token.span.start + 1, end, ..token.span };
        let mut name = String::new();
        let mut chars = self.text_of(span).chars();
        while let Some(c) = chars.next() {
            name.push(match c {
                '\\' => match chars.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(other) => other,
                    None => '\\',
                },
                other => other,
            });
        }
        Ok(Ident { name, span })
    }

    /// Runs `parse` one level deeper; too deep a nesting is an error instead of a stack overflow.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.deeper(1, parse)
    }

    fn deeper<T>(&mut self, levels: u32, parse: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.depth + levels > MAX_DEPTH {
            let span = self.peek().span;
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            let reported = self.report(Issue::new(span, message, "too deep", "use variables or functions"));
            // Whatever follows would be misread.
            self.give_up();
            return Err(reported);
        }
        self.depth += levels;
        let result = parse(self);
        self.depth -= levels;
        result
    }

    /// Skips to the end of the bracket that closes the current block, or to one of `stops` in it.
    fn recover(&mut self, stops: &[&str]) {
        let mut open = 0_u32;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Punct("{" | "(" | "[") => open += 1,
                TokenKind::Punct("}") if open == 0 => return,
                TokenKind::Punct("}" | ")" | "]") => open = open.saturating_sub(1),
                TokenKind::Punct(text) if open == 0 && stops.contains(&text) => {
                    self.next();
                    return;
                }
                _ => {}
            }
            self.next();
            if token.kind == TokenKind::Punct("}") && open == 0 && stops.contains(&"}") {
                return;
            }
        }
    }
}
