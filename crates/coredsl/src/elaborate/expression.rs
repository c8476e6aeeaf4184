//! Expressions without access to bits and elements: see `access` for those.

use super::lower::{Context, Lowering, Node, NodeKind};
use super::scope::SymbolKind;
use super::typing;
use crate::ast::{self, BinaryOp, Cast, ExprKind, SizeOf, UnaryOp};
use crate::diagnostic::{Checked, Reported};
use crate::fold;
use crate::ir::{self, Expr, FieldId, Kind, Stmt, Ty};
use crate::literal::minimal_width;
use crate::source::Span;
use ethnum::U256;

impl Lowering<'_, '_> {
    /// The typed form of an expression.
    pub fn expr(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value, ty) => Ok(fold::constant(*value, *ty)),
            ExprKind::Str => self.fail(
                span,
                "a string is not a value",
                "here",
                "strings stand in `assembly:` and `import`",
            ),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op @ (BinaryOp::LogicAnd | BinaryOp::LogicOr), left, right) => {
                self.logic(*op, left, right, span)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.binary(*op, left?, right?, span)
            }
            ExprKind::Conditional(cond, then, els) => self.conditional(cond, then, els, span),
            ExprKind::Concat(parts) => self.concat(parts, span),
            ExprKind::Cast(cast, operand) => self.cast(cast, operand),
            ExprKind::Index(target, index) => self.index(target, index, span),
            ExprKind::Range(target, high, low) => self.range(target, high, low, span),
            ExprKind::Member => self.fail(
                span,
                "`struct` and `union` are not supported",
                "member access",
                "use ranges: `x[high:low]`",
            ),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::SizeOf { bits, argument } => self.size_of(*bits, argument),
            ExprKind::Assign(..) | ExprKind::Step(..) => {
                let help = "assign in a statement of its own before this one";
                self.fail(span, "an assignment is not a value here", "assignment", help)
            }
        }
    }

    /// A condition: an integer is true if it is not zero.
    pub fn condition(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        self.expr(expr).map(fold::truth)
    }

    fn name(&mut self, name: &str, span: Span) -> Checked<Expr> {
        if let Some(variable) = self.find_local(name) {
            return variable.id.map(|id| self.local(id)).ok_or(Reported);
        }
        if let Some(index) = self.fields.iter().position(|(field, _)| field.name == name) {
            let ty = Ty::unsigned(self.fields[index].0.width);
            return Ok(Expr { ty, kind: Kind::Field(FieldId(index as u32)) });
        }
        let known = self.known_names();
        let id = self.elaborator.resolve(name, span, self.set, &known)?;
        match &self.elaborator.symbols[id.0].kind {
            SymbolKind::Constant(_) => {
                let (value, ty) = self.elaborator.constant(id, name, span)?;
                Ok(fold::constant(value, ty))
            }
            SymbolKind::Table(_) | SymbolKind::Space(_) | SymbolKind::Register { is_file: true, .. } => {
                let message = format!("`{name}` needs an index");
                self.fail(span, message, "has several elements", format!("write `{name}[index]`"))
            }
            SymbolKind::Function(_) => {
                let message = format!("`{name}` is a function");
                self.fail(span, message, "not called", format!("call it: `{name}(…)`"))
            }
            _ => {
                let place = self.named_place(id, name, span)?;
                self.read(place, span)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr) -> Checked<Expr> {
        let value = self.expr(operand)?;
        match op {
            UnaryOp::Plus => Ok(value),
            UnaryOp::Minus => {
                self.limited(value.ty.width + 1, operand.span)?;
                let ty = Ty::signed(value.ty.width + 1);
                Ok(fold::unary(ir::UnaryOp::Neg, fold::resize(value, ty)))
            }
            UnaryOp::BitNot => Ok(fold::unary(ir::UnaryOp::Not, value)),
            UnaryOp::Not => Ok(fold::not(fold::truth(value))),
        }
    }

    /// An operator on two values, its result typed by CoreDSL's rules.
    pub fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        if let Some(operation) = typing::arithmetic(op, left.ty, right.ty) {
            self.limited(operation.operands.width, span)?;
            let value = fold::arithmetic(operation.op, operation.operands, left, right);
            return Ok(fold::resize(value, operation.result));
        }
        if let Some(op) = typing::comparison(op) {
            let ty = typing::common(left.ty, right.ty);
            self.limited(ty.width, span)?;
            return Ok(fold::compare(op, ty, left, right));
        }
        let op = if op == BinaryOp::Shl { ir::BinaryOp::Shl } else { ir::BinaryOp::Shr };
        Ok(fold::shift(op, left, right))
    }

    fn logic(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Checked<Expr> {
        let left = self.condition(left);
        let (right_value, hoisted) = self.block(|inner| inner.condition(right));
        let (left, right) = (left?, right_value?);
        let is_and = op == BinaryOp::LogicAnd;
        if hoisted.is_empty() && !right.touches_space() {
            let op = if is_and { ir::BinaryOp::And } else { ir::BinaryOp::Or };
            return Ok(fold::arithmetic(op, Ty::BOOL, left, right));
        }
        let short = (fold::constant(U256::from(u8::from(!is_and)), Ty::BOOL), vec![]);
        if is_and {
            self.choose(left, Ty::BOOL, (right, hoisted), short, span)
        } else {
            self.choose(left, Ty::BOOL, short, (right, hoisted), span)
        }
    }

    fn conditional(
        &mut self,
        cond: &ast::Expr,
        then: &ast::Expr,
        els: &ast::Expr,
        span: Span,
    ) -> Checked<Expr> {
        let cond = self.condition(cond);
        let (then, then_nodes) = self.block(|inner| inner.expr(then));
        let (els, els_nodes) = self.block(|inner| inner.expr(els));
        let (cond, then, els) = (cond?, then?, els?);
        let ty = typing::common(then.ty, els.ty);
        self.limited(ty.width, span)?;
        self.choose(cond, ty, (then, then_nodes), (els, els_nodes), span)
    }

    /// A choice between two values. If one of them reads an address space, only the chosen one may:
    /// the choice becomes a statement.
    fn choose(
        &mut self,
        cond: Expr,
        ty: Ty,
        then: (Expr, Vec<Node>),
        els: (Expr, Vec<Node>),
        span: Span,
    ) -> Checked<Expr> {
        let decided = fold::as_const(&cond).map(|bits| bits != U256::ZERO);
        if let Some(decided) = decided {
            let (value, nodes) = if decided { then } else { els };
            self.nodes().extend(nodes);
            return Ok(fold::resize(value, ty));
        }
        let plain =
            then.1.is_empty() && els.1.is_empty() && !then.0.touches_space() && !els.0.touches_space();
        if plain {
            return Ok(fold::select(cond, ty, then.0, els.0));
        }
        if !self.can_hoist {
            let help = "read it into a variable inside the loop, under an `if`";
            return self.fail(
                span,
                "an address space is read under a condition here",
                "conditional read",
                help,
            );
        }
        let local = self.new_local(ty);
        let assigned = |(value, mut nodes): (Expr, Vec<Node>)| {
            let stmt = Stmt::Assign { local, value: fold::resize(value, ty) };
            nodes.push(Node { span, kind: NodeKind::Leaf(stmt) });
            nodes
        };
        let kind = NodeKind::If { cond, then: assigned(then), els: assigned(els) };
        self.push_node(span, kind);
        Ok(self.local(local))
    }

    fn concat(&mut self, parts: &[ast::Expr], span: Span) -> Checked<Expr> {
        let values: Vec<_> = parts.iter().map(|part| self.expr(part)).collect();
        let mut values = values.into_iter();
        let mut whole = values.next().ok_or(Reported)??;
        for low in values {
            let low = low?;
            self.limited(whole.ty.width + low.ty.width, span)?;
            whole = fold::concat(whole, low);
        }
        Ok(whole)
    }

    fn cast(&mut self, cast: &Cast, operand: &ast::Expr) -> Checked<Expr> {
        let value = self.expr(operand);
        let ty = match cast {
            Cast::Type(spec) => self.type_of(spec)?,
            Cast::Signedness { signed } => {
                Ty { signed: *signed, width: value.as_ref().map_err(|e| *e)?.ty.width }
            }
        };
        Ok(fold::resize(value?, ty))
    }

    fn size_of(&mut self, bits: bool, argument: &SizeOf) -> Checked<Expr> {
        let ty = match argument {
            SizeOf::Type(spec) => self.type_of(spec)?,
            SizeOf::Expr(expr) => self.expr(expr)?.ty,
        };
        let size = U256::from(if bits { ty.width } else { ty.width.div_ceil(8) });
        Ok(fold::constant(size, Ty::unsigned(minimal_width(size))))
    }

    fn call(&mut self, name: &ast::Ident, arguments: &[ast::Expr], span: Span) -> Checked<Expr> {
        let signature = self.signature(name)?;
        let arguments = self.arguments(&signature, name, arguments, span)?;
        let (Some(id), Some(ty)) = (signature.id, signature.result) else {
            let message = format!("`{}` is native and cannot be part of an expression", name.name);
            let help = "write it as a function of CoreDSL, or give the instruction `behavior: extern;`";
            return self.fail(span, message, "extern function", help);
        };
        if matches!(self.context, Context::Constant | Context::Alias) {
            return self.fail(span, "a function cannot be called here", "call", "use operators on constants");
        }
        self.calls.push((id, span));
        Ok(Expr { ty, kind: Kind::Call(id, arguments) })
    }
}
