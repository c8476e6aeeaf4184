//! Statements other than loops and `switch`.

use super::lower::{Context, Lowering, Node, NodeKind};
use crate::ast::{self, Declaration, Declarator, ExprKind, Initializer, StmtKind, TypeKind};
use crate::diagnostic::Checked;
use crate::fold;
use crate::ir::{Expr, LocalId, Stmt};
use crate::source::Span;
use ethnum::U256;

impl Lowering<'_, '_> {
    /// Lowers statements one after the other; a faulty one does not stop the rest from being checked.
    pub fn statements(&mut self, statements: &[ast::Stmt]) -> Checked<()> {
        let mut result = Ok(());
        for statement in statements {
            result = self.statement(statement).and(result);
        }
        result
    }

    pub fn statement(&mut self, statement: &ast::Stmt) -> Checked<()> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Block(statements) => {
                let (result, nodes) = self.block(|inner| inner.statements(statements));
                self.nodes().extend(nodes);
                result
            }
            StmtKind::Expr(expr) => self.expression_statement(expr),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::If { cond, then, els } => self.if_statement(cond, then, els.as_deref(), span),
            StmtKind::Switch { value, sections } => self.switch(value, sections, span),
            StmtKind::While { cond, body } => self.while_loop(cond, body, span),
            StmtKind::DoWhile { body, cond } => self.do_loop(body, cond, span),
            StmtKind::For { init, cond, step, body } => {
                self.for_loop((init.as_deref(), cond.as_ref(), step.as_slice()), body, span)
            }
            StmtKind::Continue => self.leave_iteration("continue", Stmt::Continue, span),
            StmtKind::Break => self.leave_iteration("break", Stmt::Break, span),
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
        }
    }

    pub fn expression_statement(&mut self, expr: &ast::Expr) -> Checked<()> {
        match &expr.kind {
            ExprKind::Assign(op, target, value) => self.assign(*op, target, value, expr.span),
            ExprKind::Step(op, target) => self.step(*op, target, expr.span),
            ExprKind::Call(name, arguments) => self.call_statement(name, arguments, expr.span),
            _ => self.fail(
                expr.span,
                "the statement has no effect",
                "value not used",
                "assign it, or remove it",
            ),
        }
    }

    fn declaration(&mut self, declaration: &Declaration) -> Checked<()> {
        let mut result = Ok(());
        for declarator in &declaration.declarators {
            let id = self.variable(declaration, declarator);
            self.enter(&declarator.name, id.ok());
            result = id.map(|_| ()).and(result);
        }
        result
    }

    fn variable(&mut self, declaration: &Declaration, declarator: &Declarator) -> Checked<LocalId> {
        let name = &declarator.name;
        let storage = declaration.storage;
        if storage.is_extern || storage.is_register || declarator.is_alias {
            let help = "declare it in `architectural_state`";
            return self.fail(name.span, "state is declared inside a behavior", "here", help);
        }
        if !declarator.dimensions.is_empty() {
            let help = "use one wide variable and ranges of its bits, or a table in `architectural_state`";
            return self.fail(name.span, "variables cannot be arrays", "here", help);
        }
        let init = match &declarator.init {
            Some(Initializer::List(_, span)) => {
                return self.fail(
                    *span,
                    "a list initialises a single value",
                    "here",
                    "write the value without braces",
                );
            }
            Some(Initializer::Expr(expr)) => Some((self.expr(expr), expr.span)),
            None => None,
        };
        let (local, value, span) = match (&declaration.ty.kind, init) {
            (TypeKind::Auto, Some((value, span))) => {
                let value = value?;
                (self.new_local(value.ty), value, span)
            }
            (_, Some((value, span))) => {
                let ty = self.type_of(&declaration.ty)?;
                let value = self.convert(value?, ty, span)?;
                (self.new_local(ty), value, span)
            }
            (_, None) => {
                let ty = self.type_of(&declaration.ty)?;
                let local = self.new_local(ty);
                if self.loops == 0 {
                    return Ok(local);
                }
                // Each iteration has a fresh variable.
                (local, fold::constant(U256::ZERO, ty), name.span)
            }
        };
        self.push(span, Stmt::Assign { local, value });
        Ok(local)
    }

    fn if_statement(
        &mut self,
        cond: &ast::Expr,
        then: &ast::Stmt,
        els: Option<&ast::Stmt>,
        span: Span,
    ) -> Checked<()> {
        let cond = self.condition(cond);
        // A branch for another XLEN need not make sense for this one.
        let decided = cond.as_ref().ok().and_then(fold::as_const).map(|bits| bits != U256::ZERO);
        let (then_result, then) = match decided {
            Some(false) => (Ok(()), vec![]),
            _ => self.block(|inner| inner.statement(then)),
        };
        let (els_result, els) = match (decided, els) {
            (Some(true), _) | (_, None) => (Ok(()), vec![]),
            (_, Some(els)) => self.block(|inner| inner.statement(els)),
        };
        let cond = cond?;
        then_result.and(els_result)?;
        self.branch(cond, then, els, span);
        Ok(())
    }

    /// `if (cond) then else els`, or the one branch that a constant condition leaves.
    pub fn branch(&mut self, cond: Expr, then: Vec<Node>, els: Vec<Node>, span: Span) {
        match fold::as_const(&cond) {
            Some(U256::ZERO) => self.nodes().extend(els),
            Some(_) => self.nodes().extend(then),
            None if then.is_empty() && els.is_empty() => {}
            None => self.push_node(span, NodeKind::If { cond, then, els }),
        }
    }

    /// `break` or `continue`.
    fn leave_iteration(&mut self, keyword: &str, stmt: Stmt, span: Span) -> Checked<()> {
        if matches!(stmt, Stmt::Break) && self.in_case {
            let help = "`break;` stands at the end of a case: use `if` and `else` before it";
            return self.fail(span, "`break` in the middle of a case", "here", help);
        }
        if self.loops == 0 {
            let message = format!("`{keyword}` outside a loop");
            return self.fail(span, message, "here", "use `if` and `else`");
        }
        self.push(span, stmt);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Checked<()> {
        let value = match (self.context, value, self.result) {
            (Context::Behavior, Some(value), _) => {
                return self.fail(value.span, "a behavior returns no value", "here", "write `return;`");
            }
            (Context::Behavior, None, _) => None,
            (_, Some(expr), Some(ty)) => {
                let value = self.expr(expr)?;
                Some(self.convert(value, ty, expr.span)?)
            }
            _ => return self.fail(span, "`return` without a value", "here", "write `return value;`"),
        };
        self.push(span, Stmt::Return(value));
        Ok(())
    }
}
