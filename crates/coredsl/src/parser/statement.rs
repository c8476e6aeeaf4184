//! Statements.

use super::Parser;
use crate::ast::{Section, Stmt, StmtKind};
use crate::diagnostic::{Checked, Issue};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Checked<Stmt> {
        self.nested(|parser| {
            let start = parser.peek().span;
            let kind = parser.statement_kind()?;
            Ok(Stmt { kind, span: start.to(parser.previous()) })
        })
    }

    /// `{ … }`; a faulty statement is reported and skipped.
    pub(super) fn block(&mut self) -> Checked<Vec<Stmt>> {
        let open = self.expect("{", "a block stands in braces")?;
        let mut statements = Vec::new();
        while !self.at_punct("}") {
            if self.peek().kind == TokenKind::End {
                let issue = Issue::new(open, "`{` without an end", "opens here", "close it with `}`");
                return Err(self.report(issue));
            }
            self.statement_or_skip(&mut statements);
        }
        self.next();
        Ok(statements)
    }

    fn statement_or_skip(&mut self, statements: &mut Vec<Stmt>) {
        let before = self.at;
        match self.statement() {
            Ok(statement) => statements.push(statement),
            Err(_) => {
                self.recover(&[";", "}"]);
                if self.at == before {
                    self.next();
                }
            }
        }
    }

    fn statement_kind(&mut self) -> Checked<StmtKind> {
        if self.eat(";") {
            return Ok(StmtKind::Empty);
        }
        if self.at_punct("{") {
            return Ok(StmtKind::Block(self.block()?));
        }
        let keyword = self.word().unwrap_or_default().to_owned();
        match keyword.as_str() {
            "if" => self.if_statement(),
            "switch" => self.switch_statement(),
            "while" => {
                self.next();
                let cond = self.condition("while")?;
                Ok(StmtKind::While { cond, body: Box::new(self.statement()?) })
            }
            "do" => {
                self.next();
                let body = Box::new(self.statement()?);
                if !self.eat_word("while") {
                    return Err(self.unexpected("`while`", "the loop is `do … while (condition);`"));
                }
                let cond = self.condition("while")?;
                self.semicolon("the loop")?;
                Ok(StmtKind::DoWhile { body, cond })
            }
            "for" => self.for_statement(),
            "continue" => {
                self.next();
                self.semicolon("`continue`")?;
                Ok(StmtKind::Continue)
            }
            "break" => {
                self.next();
                self.semicolon("`break`")?;
                Ok(StmtKind::Break)
            }
            "return" => {
                self.next();
                let value = if self.at_punct(";") { None } else { Some(self.expr()?) };
                self.semicolon("`return`")?;
                Ok(StmtKind::Return(value))
            }
            "spawn" => {
                let help = "write the statements where they take effect; for an effect outside the IR use `behavior: extern;`";
                let issue =
                    Issue::new(self.peek().span, "`spawn` is not supported", "concurrent statement", help);
                Err(self.report(issue))
            }
            _ if self.declaration_starts() => {
                let declaration = self.declaration()?;
                self.semicolon("the declaration")?;
                Ok(StmtKind::Declaration(declaration))
            }
            _ => {
                let expr = self.expr()?;
                self.semicolon("the statement")?;
                Ok(StmtKind::Expr(expr))
            }
        }
    }

    fn condition(&mut self, keyword: &str) -> Checked<crate::ast::Expr> {
        let help = format!("write `{keyword} (condition)`");
        self.expect("(", &help)?;
        let cond = self.expr()?;
        self.expect(")", &help)?;
        Ok(cond)
    }

    fn if_statement(&mut self) -> Checked<StmtKind> {
        self.next();
        let cond = self.condition("if")?;
        let then = Box::new(self.statement()?);
        let els = if self.eat_word("else") { Some(Box::new(self.statement()?)) } else { None };
        Ok(StmtKind::If { cond, then, els })
    }

    fn switch_statement(&mut self) -> Checked<StmtKind> {
        self.next();
        let value = self.condition("switch")?;
        self.expect("{", "the cases stand in braces")?;
        let mut sections = Vec::new();
        while !self.eat("}") {
            let start = self.peek().span;
            let label = if self.eat_word("case") {
                Some(self.conditional()?)
            } else if self.eat_word("default") {
                None
            } else {
                return Err(
                    self.unexpected("`case` or `default`", "every statement of a `switch` belongs to a case")
                );
            };
            self.expect(":", "a case is `case value:`")?;
            let span = start.to(self.previous());
            let mut body = Vec::new();
            while !self.at_punct("}") && !self.at_word("case") && !self.at_word("default") {
                if self.peek().kind == TokenKind::End {
                    return Err(self.unexpected("`}`", "close the `switch`"));
                }
                self.statement_or_skip(&mut body);
            }
            sections.push(Section { label, body, span });
        }
        Ok(StmtKind::Switch { value, sections })
    }

    fn for_statement(&mut self) -> Checked<StmtKind> {
        let help = "the loop is `for (start; condition; step)`";
        self.next();
        self.expect("(", help)?;
        let start = self.peek().span;
        let init = if self.at_punct(";") {
            None
        } else if self.declaration_starts() {
            Some(StmtKind::Declaration(self.declaration()?))
        } else {
            Some(StmtKind::Expr(self.expr()?))
        };
        let init = init.map(|kind| Box::new(Stmt { kind, span: start.to(self.previous()) }));
        self.expect(";", help)?;
        let cond = if self.at_punct(";") { None } else { Some(self.expr()?) };
        self.expect(";", help)?;
        let mut step = Vec::new();
        while !self.at_punct(")") {
            step.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", help)?;
        let body = Box::new(self.statement()?);
        Ok(StmtKind::For { init, cond, step, body })
    }
}
