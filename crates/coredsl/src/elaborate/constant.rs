//! Parameters, constants, and types whose width is an expression.

use super::Elaborator;
use super::lower::Lowering;
use super::scope::{Evaluation, SymbolId, SymbolKind};
use crate::ast::{self, TypeKind, TypeSpec, Width};
use crate::diagnostic::{Checked, Issue, Reported};
use crate::fold;
use crate::ir::{Expr, MAX_WIDTH, Ty};
use crate::source::Span;
use crate::value;
use ethnum::U256;

impl<'p> Elaborator<'p> {
    /// Value and type of the parameter or constant `id`, used at `span`.
    pub(super) fn constant(&mut self, id: SymbolId, name: &str, span: Span) -> Checked<(U256, Ty)> {
        let symbol = &mut self.symbols[id.0];
        let (declared, set) = (symbol.span, symbol.set);
        let SymbolKind::Constant(constant) = &mut symbol.kind else { return Err(Reported) };
        match constant.state {
            Evaluation::Done(value, ty) => return Ok((value, ty)),
            Evaluation::Failed => return Err(Reported),
            Evaluation::Running => {
                let message = format!("the value of `{name}` depends on itself");
                let issue = Issue::new(span, message, "used here", "give it a value of its own");
                return Err(self.report(issue.and(declared, "declared here")));
            }
            Evaluation::Open => constant.state = Evaluation::Running,
        }
        let (spec, value) = (constant.ty, constant.value);
        let result = self.evaluate(name, set, spec, value, span);
        if let SymbolKind::Constant(constant) = &mut self.symbols[id.0].kind {
            constant.state = match result {
                Ok((value, ty)) => Evaluation::Done(value, ty),
                Err(Reported) => Evaluation::Failed,
            };
        }
        result
    }

    fn evaluate(
        &mut self,
        name: &str,
        set: usize,
        spec: &'p TypeSpec,
        value: Option<(&'p ast::Expr, usize)>,
        span: Span,
    ) -> Checked<(U256, Ty)> {
        let ty = self.type_of(spec, set)?;
        let Some((expr, scope)) = value else {
            let message = format!("the parameter `{name}` has no value");
            let help = format!("give it one in a set: `architectural_state {{ {name} = …; }}`");
            return Err(self.report(Issue::new(span, message, "used here", help)));
        };
        let converted = {
            let mut lowering = Lowering::constant(self, scope);
            let value = lowering.constant_expr(expr, "the value of a parameter")?;
            lowering.convert(value, ty, expr.span)?
        };
        Ok((fold::as_const(&converted).unwrap_or_default(), ty))
    }

    /// The integer type a specification means in `set`.
    pub(super) fn type_of(&mut self, spec: &TypeSpec, set: usize) -> Checked<Ty> {
        let (signed, width) = match &spec.kind {
            TypeKind::Int { signed, width: Width::Fixed(width) } => {
                return Ok(Ty { width: *width, signed: *signed });
            }
            TypeKind::Int { signed, width: Width::Expr(width) } => (*signed, width),
            TypeKind::Bool => return Ok(Ty::BOOL),
            TypeKind::Void => {
                let help = "`void` is only the result of an extern function";
                return Err(self.report(Issue::new(
                    spec.span,
                    "`void` is not a type of a value",
                    "here",
                    help,
                )));
            }
            TypeKind::Auto => {
                let help = "write the type: `auto` needs an initial value to take it from";
                return Err(self.report(Issue::new(spec.span, "`auto` cannot stand here", "here", help)));
            }
            TypeKind::User => {
                let help = "use integers of the members' widths and join them with `::`";
                let message = "`struct`, `union` and `enum` are not supported";
                return Err(self.report(Issue::new(spec.span, message, "here", help)));
            }
        };
        let value = Lowering::constant(self, set).constant_expr(width, "the width of a type")?;
        self.checked_width(&value, width.span).map(|width| Ty { width, signed })
    }

    fn checked_width(&mut self, value: &Expr, span: Span) -> Checked<u16> {
        let bits = fold::as_const(value).unwrap_or_default();
        if value::is_negative(bits, value.ty) || bits == U256::ZERO || bits > U256::from(MAX_WIDTH) {
            let number =
                if value::is_negative(bits, value.ty) { "negative".to_owned() } else { bits.to_string() };
            let message = format!("a type cannot be {number} bits wide");
            let help = format!("widths are 1 to {MAX_WIDTH}");
            return Err(self.report(Issue::new(span, message, "the width", help)));
        }
        Ok(bits.as_u16())
    }
}
