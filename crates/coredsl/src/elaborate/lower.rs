//! The state of lowering one behaviour, function or constant expression.

use std::collections::HashMap;

use super::Elaborator;
use crate::ast;
use crate::diagnostic::{Checked, Issue, Reported};
use crate::fold;
use crate::ir::{self, Body, Expr, Field, FuncId, Kind, LocalId, MAX_WIDTH, RegId, SpaceId, Ty};
use crate::source::Span;
use crate::value;

/// What an expression may refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    /// Parameters, constants and tables.
    Constant,
    /// Also registers and spaces, to name them.
    Alias,
    /// Also local variables: no state.
    Function,
    /// Everything.
    Behavior,
    /// Fields and registers, for an operand of an assembly format.
    Assembly,
}

/// A statement with its place, until the flow analyses are done.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub span: Span,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// Anything without statements inside.
    Leaf(ir::Stmt),
    If {
        cond: Expr,
        then: Vec<Node>,
        els: Vec<Node>,
    },
    Loop {
        cond: Expr,
        body: Vec<Node>,
        step: Vec<Node>,
        trips: u32,
    },
}

/// What can be assigned.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Local(LocalId),
    Register { id: RegId, index: Expr },
    Space { id: SpaceId, address: Expr, ty: Ty },
}

/// A local variable; without a number if its declaration is faulty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub id: Option<LocalId>,
    pub span: Span,
}

pub(super) struct Lowering<'e, 'p> {
    pub elaborator: &'e mut Elaborator<'p>,
    /// The set whose names are visible.
    pub set: usize,
    pub context: Context,
    pub fields: Vec<(Field, Span)>,
    /// Result type, in a function.
    pub result: Option<Ty>,
    locals: Vec<Ty>,
    /// By local; empty for those without a variable.
    names: Vec<String>,
    scopes: Vec<HashMap<String, Variable>>,
    /// Statements of the block being lowered.
    nodes: Vec<Node>,
    /// Loops around the statement being lowered.
    pub loops: u32,
    /// True inside a case whose end `break` would mean, not that of a loop.
    pub in_case: bool,
    /// The variable that `set_tval` assigns.
    pub tval: Option<LocalId>,
    /// Functions called, and where.
    pub calls: Vec<(FuncId, Span)>,
    /// False where no statement can be put before the expression, as in a loop's condition.
    pub can_hoist: bool,
}

impl<'e, 'p> Lowering<'e, 'p> {
    pub fn new(elaborator: &'e mut Elaborator<'p>, set: usize, context: Context) -> Self {
        Self {
            elaborator,
            set,
            context,
            fields: vec![],
            result: None,
            locals: vec![],
            names: vec![],
            scopes: vec![HashMap::new()],
            nodes: vec![],
            loops: 0,
            in_case: false,
            tval: None,
            calls: vec![],
            can_hoist: matches!(context, Context::Behavior | Context::Function),
        }
    }

    pub fn constant(elaborator: &'e mut Elaborator<'p>, set: usize) -> Self {
        Self::new(elaborator, set, Context::Constant)
    }

    pub fn alias(elaborator: &'e mut Elaborator<'p>, set: usize) -> Self {
        Self::new(elaborator, set, Context::Alias)
    }

    pub fn report(&mut self, issue: Issue) -> Reported {
        self.elaborator.report(issue)
    }

    pub fn fail<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        label: &str,
        help: impl Into<String>,
    ) -> Checked<T> {
        Err(self.report(Issue::new(span, message, label, help)))
    }

    /// An expression whose value the front end must know; `what` it is, for the message.
    pub fn constant_expr(&mut self, expr: &ast::Expr, what: &str) -> Checked<Expr> {
        let value = self.expr(expr)?;
        if fold::as_const(&value).is_some() {
            return Ok(value);
        }
        let message = format!("{what} must be a constant");
        self.fail(expr.span, message, "not a constant", "use literals, parameters and constants only")
    }

    /// `expr` as `to`, if no value of it can be lost.
    pub fn convert(&mut self, expr: Expr, to: Ty, span: Span) -> Checked<Expr> {
        if fold::widens(expr.ty, to) {
            return Ok(fold::resize(expr, to));
        }
        let from = expr.ty;
        if let Some(bits) = fold::as_const(&expr) {
            if value::fits(bits, from, to) {
                return Ok(fold::resize(expr, to));
            }
            let number = number(bits, from);
            let message = format!("{number} does not fit into `{to}`");
            return self.fail(
                span,
                message,
                "this value",
                format!("use a wider type, or `({to})` to truncate"),
            );
        }
        let loss = match (from.signed, to.signed) {
            (true, false) => "the sign could be lost",
            (false, true) if from.width == to.width => "the highest bit would become a sign",
            _ => "bits could be lost",
        };
        let message = format!("`{from}` does not convert to `{to}` by itself: {loss}");
        self.fail(span, message, &format!("`{from}`"), format!("write `({to})(…)` if that is meant"))
    }

    /// The integer type a specification means here.
    pub fn type_of(&mut self, spec: &ast::TypeSpec) -> Checked<Ty> {
        if let ast::TypeKind::Int { width: ast::Width::Expr(width), .. } = &spec.kind
            && let Some(name) = self.varying(width)
        {
            let message = format!("the width of a type cannot depend on `{name}`");
            return self.fail(
                width.span,
                message,
                "not a constant",
                "use literals, parameters and constants only",
            );
        }
        self.elaborator.type_of(spec, self.set)
    }

    /// The first field or variable in an expression.
    fn varying<'a>(&self, expr: &'a ast::Expr) -> Option<&'a str> {
        match &expr.kind {
            ast::ExprKind::Name(name) => {
                let is_field = self.fields.iter().any(|(field, _)| field.name == *name);
                (is_field || self.find_local(name).is_some()).then_some(name)
            }
            ast::ExprKind::Binary(_, a, b) => self.varying(a).or_else(|| self.varying(b)),
            _ => None,
        }
    }

    /// Checks a width that an operator produces.
    pub fn limited(&mut self, width: u16, span: Span) -> Checked<()> {
        if width <= MAX_WIDTH {
            return Ok(());
        }
        let message = format!("the result would have {width} bits, more than {MAX_WIDTH}");
        self.fail(span, message, "too wide", "cast an operand to a narrower type first")
    }

    pub fn new_local(&mut self, ty: Ty) -> LocalId {
        self.locals.push(ty);
        self.names.push(String::new());
        LocalId(self.locals.len() as u32 - 1)
    }

    pub fn local_ty(&self, id: LocalId) -> Ty {
        self.locals[id.index()]
    }

    pub fn local(&self, id: LocalId) -> Expr {
        Expr { ty: self.local_ty(id), kind: Kind::Local(id) }
    }

    /// Enters a variable into the innermost scope.
    pub fn enter(&mut self, name: &ast::Ident, id: Option<LocalId>) {
        let field = self.fields.iter().find(|(field, _)| field.name == name.name).map(|(_, span)| *span);
        if let Some(id) = id {
            self.names[id.index()].clone_from(&name.name);
        }
        let variable = Variable { id, span: name.span };
        let previous = self.scopes.last_mut().and_then(|scope| scope.insert(name.name.clone(), variable));
        if let Some(first) = previous.map(|variable| variable.span).or(field) {
            let message = format!("`{}` is declared twice", name.name);
            let issue = Issue::new(name.span, message, "second declaration", "choose another name");
            self.report(issue.and(first, "first declaration"));
        }
    }

    pub fn find_local(&self, name: &str) -> Option<Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    /// Variables and fields, for help with an unknown name.
    pub fn known_names(&self) -> Vec<String> {
        let locals = self.scopes.iter().flat_map(|scope| scope.keys().cloned());
        locals.chain(self.fields.iter().map(|(field, _)| field.name.clone())).collect()
    }

    pub fn push(&mut self, span: Span, stmt: ir::Stmt) {
        self.nodes.push(Node { span, kind: NodeKind::Leaf(stmt) });
    }

    pub fn push_node(&mut self, span: Span, kind: NodeKind) {
        self.nodes.push(Node { span, kind });
    }

    /// The statements of the current block so far.
    pub fn nodes(&mut self) -> &mut Vec<Node> {
        &mut self.nodes
    }

    /// Runs `lower` with an empty block and a scope of its own; returns the block.
    pub fn block<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Vec<Node>) {
        let outer = std::mem::take(&mut self.nodes);
        self.scopes.push(HashMap::new());
        let result = lower(self);
        self.scopes.pop();
        (result, std::mem::replace(&mut self.nodes, outer))
    }

    /// Ends the lowering: the analysed statements with the local variables.
    pub fn finish(self, stmts: Vec<ir::Stmt>) -> Body {
        Body { locals: self.locals, names: self.names, stmts }
    }

    pub fn local_types(&self) -> &[Ty] {
        &self.locals
    }
}

/// A value as people write it.
pub(super) fn number(bits: ethnum::U256, ty: Ty) -> String {
    if value::is_negative(bits, ty) {
        format!("-{}", value::extend(bits, ty).wrapping_neg())
    } else {
        bits.to_string()
    }
}
