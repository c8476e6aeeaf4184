//! Types, declarations and attributes.

use super::Parser;
use crate::ast::{
    Attribute, Declaration, Declarator, Initializer, Parameter, Storage, TypeKind, TypeSpec, Width,
};
use crate::diagnostic::{Checked, Issue};
use crate::lexer::TokenKind;

const TYPE_WORDS: [&str; 13] = [
    "signed", "unsigned", "bool", "void", "int", "char", "short", "long", "auto", "struct", "union", "enum",
    "volatile",
];

fn shorthand(word: &str) -> Option<u16> {
    match word {
        "char" => Some(8),
        "short" => Some(16),
        "int" => Some(32),
        "long" => Some(64),
        _ => None,
    }
}

impl Parser<'_> {
    /// True if the token `ahead` of the next one starts a type.
    pub(super) fn type_starts(&self, ahead: usize) -> bool {
        let Some(token) = self.tokens.get(self.at + ahead) else { return false };
        token.kind == TokenKind::Word && TYPE_WORDS.contains(&self.text_of(token.span))
    }

    /// True if a declaration starts here.
    pub(super) fn declaration_starts(&self) -> bool {
        self.type_starts(0) || matches!(self.word(), Some("extern" | "register" | "const"))
    }

    pub(super) fn type_spec(&mut self) -> Checked<TypeSpec> {
        let start = self.peek().span;
        let word = self.word().unwrap_or_default().to_owned();
        let help = "a type is `unsigned<N>`, `signed<N>`, `bool`, `int` or `unsigned int`";
        if !self.type_starts(0) {
            return Err(self.unexpected("a type", help));
        }
        self.next();
        let kind = match word.as_str() {
            "bool" => TypeKind::Bool,
            "void" => TypeKind::Void,
            "auto" => TypeKind::Auto,
            "struct" | "union" | "enum" => {
                self.ident("a type")?;
                TypeKind::User
            }
            "signed" | "unsigned" => TypeKind::Int { signed: word == "signed", width: self.width(&word)? },
            _ => match shorthand(&word) {
                Some(width) => TypeKind::Int { signed: true, width: Width::Fixed(width) },
                None => return Err(self.unexpected("a type", help)),
            },
        };
        Ok(TypeSpec { kind, span: start.to(self.previous()) })
    }

    fn width(&mut self, signedness: &str) -> Checked<Width> {
        if let Some(width) = self.word().and_then(shorthand) {
            self.next();
            return Ok(Width::Fixed(width));
        }
        self.expect("<", &format!("a type has a width: `{signedness}<32>` or `{signedness} int`"))?;
        let width = self.nested(Self::width_expr)?;
        self.expect(">", "write a width other than a number or a name in parentheses: `unsigned<(N+1)>`")?;
        Ok(Width::Expr(Box::new(width)))
    }

    fn width_expr(&mut self) -> Checked<crate::ast::Expr> {
        self.primary()
    }

    pub(super) fn storage(&mut self) -> Storage {
        let mut storage = Storage::default();
        loop {
            match self.word() {
                Some("extern") => storage.is_extern = true,
                Some("register") => storage.is_register = true,
                Some("const") => storage.is_const = true,
                Some("volatile") => {}
                _ => return storage,
            }
            self.next();
        }
    }

    /// A declaration without its `;`.
    pub(super) fn declaration(&mut self) -> Checked<Declaration> {
        let storage = self.storage();
        let ty = self.type_spec()?;
        let mut declarators = vec![self.declarator()?];
        while self.eat(",") {
            declarators.push(self.declarator()?);
        }
        Ok(Declaration { storage, ty, declarators })
    }

    fn declarator(&mut self) -> Checked<Declarator> {
        let is_alias = self.eat("&");
        let name = self.ident("a variable")?;
        let dimensions = self.dimensions()?;
        let attributes = self.attributes()?;
        let init = if self.eat("=") { Some(self.initializer()?) } else { None };
        Ok(Declarator { is_alias, name, dimensions, attributes, init })
    }

    fn dimensions(&mut self) -> Checked<Vec<crate::ast::Expr>> {
        let mut dimensions = Vec::new();
        while self.at_punct("[") && self.peek_at(1) != TokenKind::Punct("[") {
            self.next();
            dimensions.push(self.expr()?);
            self.expect("]", "close the size of the array")?;
        }
        Ok(dimensions)
    }

    fn initializer(&mut self) -> Checked<Initializer> {
        if !self.at_punct("{") {
            return Ok(Initializer::Expr(self.expr()?));
        }
        let start = self.next().span;
        let mut items = Vec::new();
        while !self.at_punct("}") {
            items.push(self.nested(Self::initializer)?);
            if !self.eat(",") {
                break;
            }
        }
        let end = self.expect("}", "separate the elements with `,` and close the list with `}`")?;
        Ok(Initializer::List(items, start.to(end)))
    }

    /// Any number of `[[name]]`, `[[name=value]]`, `[[name(values)]]`.
    pub(super) fn attributes(&mut self) -> Checked<Vec<Attribute>> {
        let mut attributes = Vec::new();
        let help = "an attribute is `[[name]]`, `[[name=value]]` or `[[name(values)]]`";
        while self.at_punct("[") && self.peek_at(1) == TokenKind::Punct("[") {
            self.next();
            self.next();
            let name = self.ident("an attribute")?;
            let mut parameters = Vec::new();
            if self.eat("=") {
                parameters.push(self.expr()?);
            } else if self.eat("(") {
                parameters.push(self.expr()?);
                while self.eat(",") {
                    parameters.push(self.expr()?);
                }
                self.expect(")", help)?;
            }
            self.expect("]", help)?;
            self.expect("]", help)?;
            attributes.push(Attribute { name, parameters });
        }
        Ok(attributes)
    }

    pub(super) fn parameters(&mut self) -> Checked<Vec<Parameter>> {
        self.expect("(", "parameters stand in parentheses")?;
        let mut parameters = Vec::new();
        while !self.at_punct(")") {
            self.storage();
            let ty = self.type_spec()?;
            let named = !self.at_punct(",") && !self.at_punct(")");
            let name = if named { Some(self.ident("a parameter")?) } else { None };
            let is_array = !self.dimensions()?.is_empty();
            self.attributes()?;
            parameters.push(Parameter { ty, name, is_array });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "separate parameters with `,`")?;
        Ok(parameters)
    }

    /// `struct`, `union` and `enum` declarations are read over.
    pub(super) fn user_type(&mut self) -> Checked<crate::ast::Ident> {
        self.next();
        let name = self.ident("a type")?;
        let open = self.expect("{", "a type declaration has a body in braces")?;
        self.recover(&[]);
        if !self.eat("}") {
            let issue = Issue::new(open, "`{` without an end", "opens here", "close it with `}`");
            return Err(self.report(issue));
        }
        Ok(name)
    }
}
