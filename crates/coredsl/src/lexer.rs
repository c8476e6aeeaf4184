//! Source text to tokens.

use crate::diagnostic::{Issue, Issues};
use crate::literal;
use crate::source::Span;

/// A token and its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// Kinds of tokens. Keywords are words: most of CoreDSL's are reserved only where they stand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum TokenKind {
    Word,
    Int(literal::IntLiteral),
    Str,
    Punct(&'static str),
    End,
}

/// Longest first: the first that matches is taken. `[[` and `]]` are two tokens each, so that
/// `a[b[3]]` needs no special case.
const PUNCTUATION: [&str; 44] = [
    "<<=", ">>=", "::", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "++", "--", "{", "}", "(", ")", "[", "]", ";", ":", ",", ".", "=", "<", ">", "+", "-", "*",
    "/", "%", "&", "|", "^", "~", "!",
];

pub(crate) struct Lexer<'a> {
    text: &'a str,
    file: u32,
    base: usize,
    at: usize,
    is_cut: bool,
    issues: &'a mut Issues,
}

/// The tokens of a text.
pub(crate) struct Lexed {
    /// The last one is `End`.
    pub tokens: Vec<Token>,
    /// True if a comment without an end swallowed the rest of the text.
    pub is_cut: bool,
}

/// Tokens of `text`. `base` is added to positions, for text inside a string.
pub(crate) fn tokens(text: &str, file: u32, base: usize, issues: &mut Issues) -> Lexed {
    let mut lexer = Lexer { text, file, base, at: 0, is_cut: false, issues };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.token();
        if let Some(kind) = kind {
            tokens.push(Token { kind, span: lexer.span(start) });
            if kind == TokenKind::End {
                return Lexed { tokens, is_cut: lexer.is_cut };
            }
        }
    }
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        let place = |byte: usize| u32::try_from(self.base + byte).unwrap_or(u32::MAX);
        Span { file: self.file, start: place(start), end: place(self.at) }
    }

    fn report(&mut self, start: usize, message: &str, label: &str, help: &str) {
        let issue = Issue::new(self.span(start), message, label, help);
        self.issues.push(issue);
        if self.issues.is_full() {
            self.at = self.text.len();
        }
    }

    fn advance_while(&mut self, accept: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    fn advance_to_end_of_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn advance_past_word(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        self.at += rest.iter().take_while(|byte| is_part(byte)).count();
    }

    fn skip_blanks(&mut self) {
        loop {
            self.advance_while(|c| c.is_whitespace() || c == '\u{feff}');
            let start = self.at;
            if self.rest().starts_with("//") {
                self.advance_to_end_of_line();
            } else if self.rest().starts_with("/*") {
                match self.rest()[2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        self.at += 2;
                        self.report(start, "comment without an end", "starts here", "close it with `*/`");
                        self.at = self.text.len();
                        self.is_cut = true;
                    }
                }
            } else {
                return;
            }
        }
    }

    /// The next token, or `None` if what stands here has been reported and skipped.
    fn token(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Some(TokenKind::End);
        };
        if first.is_ascii_alphabetic() || first == '_' {
            self.advance_past_word();
            return Some(TokenKind::Word);
        }
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if first == '"' {
            return Some(self.string());
        }
        if first == '?' {
            self.at += 1;
            return Some(TokenKind::Punct("?"));
        }
        // Most tokens are punctuation, and every start reads all descriptions.
        let rest = &self.text.as_bytes()[start..];
        let stands = |text: &&&str| text.as_bytes()[0] == rest[0] && rest.starts_with(text.as_bytes());
        if let Some(text) = PUNCTUATION.iter().find(stands) {
            self.at += text.len();
            return Some(TokenKind::Punct(text));
        }
        self.at += first.len_utf8();
        let help = match first {
            '\'' => "strings stand in double quotes, sized literals have no blank: `7'b0110011`",
            '#' => "CoreDSL has no preprocessor: use `import \"file\"` and constants",
            _ => "remove it",
        };
        self.report(start, &format!("unexpected character `{}`", first.escape_default()), "here", help);
        None
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.advance_past_word();
        if self.rest().starts_with('\'') {
            self.at += 1;
            self.advance_past_word();
        }
        match literal::parse(&self.text[start..self.at]) {
            Ok(literal) => TokenKind::Int(literal),
            Err(fault) => {
                self.report(start, &fault.message, "this literal", &fault.help);
                TokenKind::Int(literal::IntLiteral::ZERO)
            }
        }
    }

    /// A string; one without an end is taken to reach to the end of its line.
    fn string(&mut self) -> TokenKind {
        let start = self.at;
        let mut escaped = false;
        for (offset, c) in self.text[start + 1..].char_indices() {
            match c {
                '\n' => break,
                '"' if !escaped => {
                    self.at = start + offset + 2;
                    return TokenKind::Str;
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        self.advance_to_end_of_line();
        self.report(start, "string without an end", "starts here", "close it with `\"` on the same line");
        TokenKind::Str
    }
}
