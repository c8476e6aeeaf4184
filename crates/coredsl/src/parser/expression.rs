//! Expressions, by precedence.

use super::Parser;
use crate::ast::{BinaryOp, Cast, Expr, ExprKind, Ident, SizeOf, UnaryOp};
use crate::diagnostic::{Checked, Issue};
use crate::ir::Ty;
use crate::lexer::TokenKind;
use crate::source::Span;
use ethnum::U256;

/// Greatest height of an expression's tree: a run of operators leans as deep as it is long.
const MAX_HEIGHT: u16 = 160;

/// Binary operators and how tightly they bind; `::` stands between these and `? :`.
fn binary(punct: &str) -> Option<(BinaryOp, u8)> {
    Some(match punct {
        "||" => (BinaryOp::LogicOr, 1),
        "&&" => (BinaryOp::LogicAnd, 2),
        "|" => (BinaryOp::Or, 3),
        "^" => (BinaryOp::Xor, 4),
        "&" => (BinaryOp::And, 5),
        "==" => (BinaryOp::Eq, 6),
        "!=" => (BinaryOp::Ne, 6),
        "<" => (BinaryOp::Lt, 7),
        ">" => (BinaryOp::Gt, 7),
        "<=" => (BinaryOp::Le, 7),
        ">=" => (BinaryOp::Ge, 7),
        "<<" => (BinaryOp::Shl, 8),
        ">>" => (BinaryOp::Shr, 8),
        "+" => (BinaryOp::Add, 9),
        "-" => (BinaryOp::Sub, 9),
        "*" => (BinaryOp::Mul, 10),
        "/" => (BinaryOp::Div, 10),
        "%" => (BinaryOp::Rem, 10),
        _ => return None,
    })
}

fn assignment(punct: &str) -> Option<Option<BinaryOp>> {
    Some(match punct {
        "=" => None,
        "+=" => Some(BinaryOp::Add),
        "-=" => Some(BinaryOp::Sub),
        "*=" => Some(BinaryOp::Mul),
        "/=" => Some(BinaryOp::Div),
        "%=" => Some(BinaryOp::Rem),
        "<<=" => Some(BinaryOp::Shl),
        ">>=" => Some(BinaryOp::Shr),
        "&=" => Some(BinaryOp::And),
        "^=" => Some(BinaryOp::Xor),
        "|=" => Some(BinaryOp::Or),
        _ => return None,
    })
}

fn height(kind: &ExprKind) -> u16 {
    let tallest = |children: &[&Expr]| children.iter().map(|child| child.height).max().unwrap_or(0);
    let below = match kind {
        ExprKind::Int(..) | ExprKind::Str | ExprKind::Name(_) | ExprKind::Member => 0,
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Step(_, a) => a.height,
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Assign(_, a, b) => tallest(&[a, b]),
        ExprKind::Conditional(a, b, c) | ExprKind::Range(a, b, c) => tallest(&[a, b, c]),
        ExprKind::Concat(parts) | ExprKind::Call(_, parts) => tallest(&parts.iter().collect::<Vec<_>>()),
        ExprKind::SizeOf { argument, .. } => match &**argument {
            SizeOf::Expr(expr) => expr.height,
            SizeOf::Type(_) => 0,
        },
    };
    below + 1
}

impl Parser<'_> {
    fn node(&mut self, kind: ExprKind, span: Span) -> Checked<Expr> {
        let height = height(&kind);
        if height <= MAX_HEIGHT {
            return Ok(Expr { kind, span, height });
        }
        let message = format!("expression more than {MAX_HEIGHT} levels deep");
        Err(self.report(Issue::new(span, message, "too deep", "split it with variables or functions")))
    }

    /// An expression, assignments included.
    pub(super) fn expr(&mut self) -> Checked<Expr> {
        self.nested(Self::assignment_expr)
    }

    fn assignment_expr(&mut self) -> Checked<Expr> {
        let target = self.conditional()?;
        let TokenKind::Punct(punct) = self.peek().kind else { return Ok(target) };
        let Some(op) = assignment(punct) else { return Ok(target) };
        self.next();
        let value = self.expr()?;
        let span = target.span.to(value.span);
        self.node(ExprKind::Assign(op, Box::new(target), Box::new(value)), span)
    }

    /// `a ? b : c` and everything that binds tighter.
    pub(super) fn conditional(&mut self) -> Checked<Expr> {
        let cond = self.concat()?;
        if !self.eat("?") {
            return Ok(cond);
        }
        let then = self.expr()?;
        self.expect(":", "a conditional expression is `condition ? value : other`")?;
        let els = self.nested(Self::conditional)?;
        let span = cond.span.to(els.span);
        self.node(ExprKind::Conditional(Box::new(cond), Box::new(then), Box::new(els)), span)
    }

    fn concat(&mut self) -> Checked<Expr> {
        let first = self.binary_expr(1)?;
        if !self.at_punct("::") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat("::") {
            parts.push(self.binary_expr(1)?);
        }
        let span = parts[0].span.to(self.previous());
        self.node(ExprKind::Concat(parts), span)
    }

    fn binary_expr(&mut self, loosest: u8) -> Checked<Expr> {
        let mut left = self.prefix()?;
        while let TokenKind::Punct(punct) = self.peek().kind {
            let Some((op, level)) = binary(punct).filter(|(_, level)| *level >= loosest) else { break };
            self.next();
            let right = self.nested(|parser| parser.binary_expr(level + 1))?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Checked<Expr> {
        let token = self.peek();
        let TokenKind::Punct(punct) = token.kind else { return self.postfix() };
        let operator = match punct {
            "+" => Some(UnaryOp::Plus),
            "-" => Some(UnaryOp::Minus),
            "~" => Some(UnaryOp::BitNot),
            "!" => Some(UnaryOp::Not),
            _ => None,
        };
        if let Some(op) = operator {
            self.next();
            let operand = self.nested(Self::prefix)?;
            let span = token.span.to(operand.span);
            return self.node(ExprKind::Unary(op, Box::new(operand)), span);
        }
        if matches!(punct, "++" | "--") {
            self.next();
            let operand = self.nested(Self::prefix)?;
            let span = token.span.to(operand.span);
            let op = if punct == "++" { BinaryOp::Add } else { BinaryOp::Sub };
            return self.node(ExprKind::Step(op, Box::new(operand)), span);
        }
        if punct == "(" && self.type_starts(1) {
            self.next();
            let cast = self.cast_target()?;
            self.expect(")", "a cast is `(type)value`")?;
            let operand = self.nested(Self::prefix)?;
            let span = token.span.to(operand.span);
            return self.node(ExprKind::Cast(cast, Box::new(operand)), span);
        }
        self.postfix()
    }

    /// `signed` and `unsigned` alone change only the signedness.
    fn cast_target(&mut self) -> Checked<Cast> {
        let signed = self.at_word("signed");
        if (signed || self.at_word("unsigned")) && self.peek_at(1) == TokenKind::Punct(")") {
            self.next();
            return Ok(Cast::Signedness { signed });
        }
        Ok(Cast::Type(self.type_spec()?))
    }

    fn postfix(&mut self) -> Checked<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.eat("[") {
                let index = self.expr()?;
                let low = if self.eat(":") { Some(self.expr()?) } else { None };
                let end = self.expect("]", "an index is `x[i]`, a range `x[high:low]`")?;
                let span = expr.span.to(end);
                let (target, index) = (Box::new(expr), Box::new(index));
                let kind = match low {
                    Some(low) => ExprKind::Range(target, index, Box::new(low)),
                    None => ExprKind::Index(target, index),
                };
                expr = self.node(kind, span)?;
            } else if self.at_punct("++") || self.at_punct("--") {
                let op = if self.at_punct("++") { BinaryOp::Add } else { BinaryOp::Sub };
                let span = expr.span.to(self.next().span);
                expr = self.node(ExprKind::Step(op, Box::new(expr)), span)?;
            } else if self.eat(".") {
                let member = self.ident("a member")?;
                expr = self.node(ExprKind::Member, expr.span.to(member.span))?;
            } else {
                return Ok(expr);
            }
        }
    }

    pub(super) fn primary(&mut self) -> Checked<Expr> {
        let token = self.peek();
        match token.kind {
            TokenKind::Int(literal) => {
                self.next();
                self.node(ExprKind::Int(literal.value, literal.ty), token.span)
            }
            TokenKind::Str => {
                self.next();
                self.node(ExprKind::Str, token.span)
            }
            TokenKind::Punct("(") => {
                self.next();
                let inner = self.expr()?;
                let end = self.expect(")", "close the parenthesis")?;
                Ok(Expr { span: token.span.to(end), ..inner })
            }
            TokenKind::Word => self.word_expr(token.span),
            _ => Err(self.unexpected("an expression", "write a value, a name or `(`")),
        }
    }

    fn word_expr(&mut self, span: Span) -> Checked<Expr> {
        match self.text_of(span) {
            word @ ("true" | "false") => {
                let value = U256::from(u8::from(word == "true"));
                self.next();
                return self.node(ExprKind::Int(value, Ty::BOOL), span);
            }
            word @ ("sizeof" | "bitsizeof") => {
                let bits = word == "bitsizeof";
                self.next();
                return self.size_of(bits, span);
            }
            _ => {}
        }
        let name = self.ident("a value")?;
        if !self.eat("(") {
            return self.node(ExprKind::Name(name.name), span);
        }
        self.call(name)
    }

    fn call(&mut self, name: Ident) -> Checked<Expr> {
        let mut arguments = Vec::new();
        while !self.at_punct(")") {
            arguments.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        let span = name.span.to(self.expect(")", "close the list of arguments")?);
        self.node(ExprKind::Call(name, arguments), span)
    }

    fn size_of(&mut self, bits: bool, start: Span) -> Checked<Expr> {
        self.expect("(", "write `bitsizeof(value)`")?;
        let argument =
            if self.type_starts(0) { SizeOf::Type(self.type_spec()?) } else { SizeOf::Expr(self.expr()?) };
        let end = self.expect(")", "one argument stands in the parentheses")?;
        self.node(ExprKind::SizeOf { bits, argument: Box::new(argument) }, start.to(end))
    }
}
