//! How much an execution of an instruction may take: nodes to evaluate, loops and calls written out, and how deep
//! calls lead. Calls that double at each of sixty levels are written in a minute and executed in no lifetime.

use crate::ir::{Expr, FuncId, Function, Kind, Stmt};

/// Most nodes to evaluate.
pub(super) const MOST_NODES: u64 = 1 << 22;
/// Most calls within each other; evaluators recurse as deep.
pub(super) const MOST_CALLS: u32 = 64;

/// What an execution may take.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Work {
    pub nodes: u64,
    pub calls: u32,
}

impl Work {
    /// True if nobody would wait for it, or a stack would not hold it.
    pub fn is_too_much(self) -> bool {
        self.nodes > MOST_NODES || self.calls > MOST_CALLS
    }

    fn and(self, other: Self) -> Self {
        Self { nodes: self.nodes.saturating_add(other.nodes), calls: self.calls.max(other.calls) }
    }

    fn times(self, count: u64) -> Self {
        Self { nodes: self.nodes.saturating_mul(count), ..self }
    }
}

/// The work of each function; none of them may call itself.
pub(super) fn of_functions(functions: &[Function]) -> Vec<Work> {
    let mut known = vec![None; functions.len()];
    for first in 0..functions.len() {
        // An explicit stack: a chain of calls is as long as somebody cares to write it.
        let mut open = vec![first];
        while let Some(&function) = open.last() {
            let stmts = &functions[function].body.stmts;
            let mut missing = Vec::new();
            let total = of_stmts(stmts, &mut |callee| {
                known[callee.index()].unwrap_or_else(|| {
                    missing.push(callee.index());
                    Work::default()
                })
            });
            if missing.is_empty() {
                known[function] = Some(total);
                open.pop();
            } else {
                open.append(&mut missing);
            }
        }
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

/// The work of a body whose calls are `called`.
pub(super) fn of_stmts(stmts: &[Stmt], called: &mut dyn FnMut(FuncId) -> Work) -> Work {
    let mut total = Work::default();
    for stmt in stmts {
        total = total.and(of_stmt(stmt, called));
    }
    total
}

fn of_stmt(stmt: &Stmt, called: &mut dyn FnMut(FuncId) -> Work) -> Work {
    let own = of_exprs(stmt.exprs(), called);
    let once = stmt.blocks().into_iter().fold(own, |total, block| total.and(of_stmts(block, called)));
    if let Stmt::Loop { trips, .. } = stmt { once.times(u64::from(*trips) + 1) } else { once }
}

fn of_exprs<'e>(exprs: impl IntoIterator<Item = &'e Expr>, called: &mut dyn FnMut(FuncId) -> Work) -> Work {
    exprs.into_iter().fold(Work::default(), |total, expr| total.and(of_expr(expr, called)))
}

fn of_expr(expr: &Expr, called: &mut dyn FnMut(FuncId) -> Work) -> Work {
    let inner = match &expr.kind {
        Kind::Call(callee, _) => {
            let inner = called(*callee);
            Work { calls: inner.calls.saturating_add(1), ..inner }
        }
        _ => Work::default(),
    };
    of_exprs(expr.operands(), called).and(inner).and(Work { nodes: 1, calls: 0 })
}
