//! `switch` as nested `If`.

use super::lower::{Lowering, Node};
use super::typing;
use crate::ast::{self, Section, StmtKind};
use crate::diagnostic::{Checked, Issue};
use crate::fold;
use crate::ir::{BinaryOp, Expr, Stmt, Ty};
use crate::source::Span;
use ethnum::U256;

/// Most cases of one `switch`; the IR nests as deep.
const MAX_CASES: usize = 256;

/// One arm: the labels that lead to it (none for `default` alone) and its statements.
struct Arm {
    cond: Expr,
    is_default: bool,
    nodes: Vec<Node>,
}

impl Lowering<'_, '_> {
    pub fn switch(&mut self, value: &ast::Expr, sections: &[Section], span: Span) -> Checked<()> {
        if sections.len() > MAX_CASES {
            let message = format!("`switch` with more than {MAX_CASES} cases");
            return self.fail(span, message, "too many", "use a constant table");
        }
        let value = self.expr(value)?;
        let local = self.new_local(value.ty);
        self.push(span, Stmt::Assign { local, value });
        let value = self.local(local);
        let arms = self.arms(&value, sections)?;
        let mut chain = Vec::new();
        let mut cases = Vec::new();
        for arm in arms {
            if arm.is_default {
                chain = arm.nodes;
            } else {
                cases.push(arm);
            }
        }
        for arm in cases.into_iter().rev() {
            let ((), nodes) = self.block(|inner| inner.branch(arm.cond, arm.nodes, chain, span));
            chain = nodes;
        }
        self.nodes().extend(chain);
        Ok(())
    }

    fn arms(&mut self, value: &Expr, sections: &[Section]) -> Checked<Vec<Arm>> {
        let mut arms = Vec::new();
        let mut seen: Vec<(U256, Span)> = Vec::new();
        let mut default: Option<Span> = None;
        let mut cond = falsehood();
        let mut is_default = false;
        let mut result = Ok(());
        for (index, section) in sections.iter().enumerate() {
            match &section.label {
                Some(label) => match self.case(value, label, &mut seen) {
                    Ok(equal) => cond = fold::arithmetic(BinaryOp::Or, Ty::BOOL, cond, equal),
                    Err(reported) => result = Err(reported),
                },
                None => {
                    if let Some(first) = default.replace(section.span) {
                        let issue =
                            Issue::new(section.span, "`default` twice", "second", "remove one of them");
                        result = Err(self.report(issue.and(first, "first")));
                    }
                    is_default = true;
                }
            }
            let is_last = index + 1 == sections.len();
            if section.body.is_empty() && !is_last {
                continue;
            }
            match self.arm_body(section, is_last) {
                Ok(nodes) => {
                    arms.push(Arm { cond: std::mem::replace(&mut cond, falsehood()), is_default, nodes });
                    is_default = false;
                }
                Err(reported) => result = Err(reported),
            }
        }
        result.map(|()| arms)
    }

    fn case(&mut self, value: &Expr, label: &ast::Expr, seen: &mut Vec<(U256, Span)>) -> Checked<Expr> {
        let case = self.constant_expr(label, "the label of a case")?;
        let key = crate::value::extend(fold::as_const(&case).unwrap_or_default(), case.ty);
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == key) {
            let issue = Issue::new(label.span, "two cases have this label", "second", "remove one of them");
            return Err(self.report(issue.and(*first, "first")));
        }
        seen.push((key, label.span));
        let ty = typing::common(value.ty, case.ty);
        Ok(fold::compare(BinaryOp::Eq, ty, value.clone(), case))
    }

    /// Statements of a case without the `break` that ends it.
    fn arm_body(&mut self, section: &Section, is_last: bool) -> Checked<Vec<Node>> {
        let statements = match section.body.as_slice() {
            [one] => match &one.kind {
                StmtKind::Block(inner) => inner.as_slice(),
                _ => section.body.as_slice(),
            },
            all => all,
        };
        let (statements, ends) = match statements.split_last() {
            Some((last, rest)) if matches!(last.kind, StmtKind::Break) => (rest, true),
            _ => (statements, is_last || statements.last().is_some_and(never_continues)),
        };
        if !ends {
            let help = "end the case with `break;`, or repeat the statements";
            let message = "the case runs on into the next one";
            return self.fail(section.span, message, "this case", help);
        }
        let outer = std::mem::replace(&mut self.in_case, true);
        let (result, nodes) = self.block(|inner| inner.statements(statements));
        self.in_case = outer;
        result.map(|()| nodes)
    }
}

fn falsehood() -> Expr {
    fold::constant(U256::ZERO, Ty::BOOL)
}

/// True if no path leads past the statement.
fn never_continues(statement: &ast::Stmt) -> bool {
    match &statement.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(statements) => statements.last().is_some_and(never_continues),
        StmtKind::If { then, els: Some(els), .. } => never_continues(then) && never_continues(els),
        StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Call(name, _), .. }) => name.name == "raise",
        _ => false,
    }
}
