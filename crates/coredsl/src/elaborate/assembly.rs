//! `assembly:` formats.

use super::lower::Lowering;
use crate::ast::{self, ExprKind};
use crate::diagnostic::Checked;
use crate::fold;
use crate::ir::{AsmPiece, Expr};
use crate::parser;
use crate::source::Span;

/// The function that prints an atomic instruction's ordering.
const AQRL: &str = "aqrl";
/// The parameter that says where floating-point operands are.
const FLOAT_IN_X: &str = "FLOAT_IN_X";

impl Lowering<'_, '_> {
    /// The pieces of a format such as `{name(rd)}, {imm:#x}({name(rs1)})`.
    pub fn format(&mut self, format: &ast::Ident) -> Checked<Vec<AsmPiece>> {
        let mut pieces = Vec::new();
        let mut result = Ok(());
        let mut rest = format.name.as_str();
        let mut at = format.span.start;
        while let Some(open) = rest.find('{') {
            text(&mut pieces, &rest[..open]);
            let inside = &rest[open + 1..];
            let span = Span { start: at + open as u32, end: at + open as u32 + 1, ..format.span };
            let Some(close) = inside.find('}') else {
                return self.fail(
                    span,
                    "`{` without `}` in the assembly format",
                    "opens here",
                    "close it with `}`",
                );
            };
            let start = Span { start: span.end, end: span.end + close as u32, ..span };
            match self.piece(&inside[..close], start) {
                Ok(piece) => pieces.push(piece),
                Err(reported) => result = Err(reported),
            }
            at = start.end + 1;
            rest = &inside[close + 1..];
        }
        text(&mut pieces, rest);
        result.map(|()| pieces)
    }

    fn piece(&mut self, content: &str, span: Span) -> Checked<AsmPiece> {
        let (source, spec) = split_format(content);
        let expr = parser::expression(source, span, &mut self.elaborator.issues)?;
        let hex = spec.is_some_and(|spec| spec.contains(['x', 'X', '#']));
        if let ExprKind::Call(name, arguments) = &expr.kind {
            if let (
                name @ ("name" | "fname" | "dname" | "rlist" | "csr" | AQRL | "rm" | "vm" | "vtype"),
                [argument],
            ) = (name.name.as_str(), arguments.as_slice())
            {
                let operand = fold::position(self.expr(argument)?);
                return Ok(match name {
                    "name" => AsmPiece::IntRegister(operand),
                    "fname" | "dname" => self.float_register(operand, name == "dname", span),
                    "rlist" => AsmPiece::RegisterList(operand),
                    "csr" => AsmPiece::Csr(operand),
                    AQRL => AsmPiece::Ordering(operand),
                    "rm" => AsmPiece::RoundingMode(operand),
                    "vm" => AsmPiece::VectorMask(operand),
                    _ => AsmPiece::VectorType(operand),
                });
            }
            if self.elaborator.find(&name.name, self.set).is_none() {
                // Other tools know further functions, such as `vname`.
                return Ok(AsmPiece::Text(format!("{{{content}}}")));
            }
        }
        Ok(AsmPiece::Number { value: self.expr(&expr)?, hex })
    }

    /// A floating-point operand, in the registers that hold such: those of F, or the integer ones ("Zfinx", "Zdinx").
    fn float_register(&mut self, operand: Expr, is_double: bool, span: Span) -> AsmPiece {
        let parameter = self.elaborator.find(FLOAT_IN_X, self.set);
        let value = parameter.and_then(|id| self.elaborator.constant(id, FLOAT_IN_X, span).ok());
        match (value.is_some_and(|(value, _)| value != 0), is_double && self.elaborator.xlen == 32) {
            (false, _) => AsmPiece::FloatRegister(operand),
            (true, false) => AsmPiece::IntRegister(operand),
            (true, true) => AsmPiece::RegisterPair(operand),
        }
    }
}

/// The format with the field that each piece begins with in place of the piece: `vlseg{nf+1}e8.v` becomes
/// `vlseg<nf>e8.v`. An ordering is left out: `lr.w{aqrl(aq::rl)}` is `lr.w`.
pub(super) fn by_field_names(format: &str) -> String {
    let mut parts = format.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (piece, rest) = part.split_once('}').unwrap_or((part, ""));
        let end = piece.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(piece.len());
        if &piece[..end] == AQRL {
            text.push_str(rest);
            continue;
        }
        text.extend(["<", &piece[..end], ">", rest]);
    }
    text
}

fn text(pieces: &mut Vec<AsmPiece>, text: &str) {
    if !text.is_empty() {
        pieces.push(AsmPiece::Text(text.to_owned()));
    }
}

/// Splits `imm:#x` at the colon of the format, which is not one of a range, a `::` or a `? :`.
fn split_format(content: &str) -> (&str, Option<&str>) {
    let Some(colon) = content.rfind(':') else { return (content, None) };
    let (expr, spec) = (&content[..colon], &content[colon + 1..]);
    let is_spec = spec.trim().chars().all(|c| c == '#' || c.is_ascii_digit() || "xXdob".contains(c));
    let balanced = expr.matches('[').count() == expr.matches(']').count();
    if is_spec && balanced && !expr.ends_with(':') && !expr.contains('?') {
        (expr, Some(spec))
    } else {
        (content, None)
    }
}
