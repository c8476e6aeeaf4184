//! `for`, `while` and `do`.

use super::lower::{Lowering, Node, NodeKind};
use crate::ast;
use crate::diagnostic::Checked;
use crate::fold;
use crate::ir::{BinaryOp, Expr, Stmt, Ty};
use crate::source::Span;
use ethnum::U256;

/// Start, condition and step of a `for` loop.
type Head<'a> = (Option<&'a ast::Stmt>, Option<&'a ast::Expr>, &'a [ast::Expr]);

impl Lowering<'_, '_> {
    pub fn while_loop(&mut self, cond: &ast::Expr, body: &ast::Stmt, span: Span) -> Checked<()> {
        let cond = self.loop_condition(cond);
        let body = self.loop_body(body);
        self.push_loop(cond?, body?, vec![], span);
        Ok(())
    }

    pub fn for_loop(&mut self, (init, cond, step): Head<'_>, body: &ast::Stmt, span: Span) -> Checked<()> {
        let (result, nodes) = self.block(|inner| {
            let init = init.map_or(Ok(()), |init| inner.statement(init));
            let cond = cond.map_or_else(|| Ok(truth()), |cond| inner.loop_condition(cond));
            let (step_result, step) = inner.block(|inner| {
                let results: Vec<_> = step.iter().map(|expr| inner.expression_statement(expr)).collect();
                results.into_iter().collect::<Checked<()>>()
            });
            let body = inner.loop_body(body);
            init.and(step_result)?;
            inner.push_loop(cond?, body?, step, span);
            Ok(())
        });
        self.nodes().extend(nodes);
        result
    }

    /// A variable that is 1 for the first iteration stands for the missing test before it.
    pub fn do_loop(&mut self, body: &ast::Stmt, cond: &ast::Expr, span: Span) -> Checked<()> {
        let first = self.new_local(Ty::BOOL);
        self.push(span, Stmt::Assign { local: first, value: truth() });
        let body = self.loop_body(body);
        let cond = self.loop_condition(cond);
        let cond = fold::arithmetic(BinaryOp::Or, Ty::BOOL, self.local(first), cond?);
        let mut body = body?;
        let stmt = Stmt::Assign { local: first, value: fold::constant(U256::ZERO, Ty::BOOL) };
        body.insert(0, Node { span, kind: NodeKind::Leaf(stmt) });
        self.push_loop(cond, body, vec![], span);
        Ok(())
    }

    fn loop_condition(&mut self, cond: &ast::Expr) -> Checked<Expr> {
        let could = std::mem::replace(&mut self.can_hoist, false);
        let cond = self.condition(cond);
        self.can_hoist = could;
        cond
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Checked<Vec<Node>> {
        self.loops += 1;
        let outer = std::mem::replace(&mut self.in_case, false);
        let (result, nodes) = self.block(|inner| inner.statement(body));
        self.in_case = outer;
        self.loops -= 1;
        result.map(|()| nodes)
    }

    fn push_loop(&mut self, cond: Expr, body: Vec<Node>, step: Vec<Node>, span: Span) {
        self.push_node(span, NodeKind::Loop { cond, body, step, trips: 0 });
    }
}

fn truth() -> Expr {
    fold::constant(U256::ONE, Ty::BOOL)
}
