//! Analyses along the paths of a body: loop bounds, order of memory accesses, missing returns.

use super::lower::{Lowering, Node, NodeKind};
use crate::diagnostic::{Checked, Issue, Reported};
use crate::ir::{Expr, Kind, Module, Stmt};
use crate::source::Span;

mod trips;

/// How often a body may store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stores {
    /// Once on every path: all effects take place together.
    Once,
    /// Any number of times, one after the other: a fault leaves those before it done.
    InOrder,
}

/// The attribute of an instruction that stores in order.
pub(super) const STORES_IN_ORDER: &str = "stores_in_order";

/// Bounds the loops, checks the order of effects and strips the places. The first `parameters` locals
/// have values that are not known.
pub(super) fn finish(
    lowering: &mut Lowering<'_, '_>,
    nodes: &mut [Node],
    parameters: usize,
    stores: Stores,
) -> Checked<Vec<Stmt>> {
    let mut issues = trips::bound(nodes, lowering.local_types().len(), parameters);
    if issues.is_empty() {
        let mut effects = Effects { module: &lowering.elaborator.module, stores, issues: vec![] };
        effects.block(nodes, State::default());
        issues = effects.issues;
    }
    let faulty = !issues.is_empty();
    lowering.elaborator.issues.extend(issues);
    if faulty { Err(Reported) } else { Ok(stripped(nodes)) }
}

fn stripped(nodes: &[Node]) -> Vec<Stmt> {
    let strip = |node: &Node| match &node.kind {
        NodeKind::Leaf(stmt) => stmt.clone(),
        NodeKind::If { cond, then, els } => {
            Stmt::If { cond: cond.clone(), then: stripped(then), els: stripped(els) }
        }
        NodeKind::Loop { cond, body, step, trips } => {
            Stmt::Loop { cond: cond.clone(), body: stripped(body), step: stripped(step), trips: *trips }
        }
    };
    nodes.iter().map(strip).collect()
}

/// True if a path leads past the last statement.
pub(super) fn falls_through(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| match &node.kind {
        NodeKind::Leaf(stmt) => {
            !matches!(stmt, Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break | Stmt::Continue)
        }
        NodeKind::If { then, els, .. } => falls_through(then) || falls_through(els),
        NodeKind::Loop { .. } => true,
    })
}

/// What has happened on a path: the store to main memory and the write of the PC, where they stand.
#[derive(Clone, Copy, Default)]
struct State {
    store: Option<Span>,
    pc: Option<Span>,
}

impl State {
    fn or(self, other: State) -> State {
        State { store: self.store.or(other.store), pc: self.pc.or(other.pc) }
    }
}

/// States at the ends of a block: after it, at a `break`, at a `continue`; `None` if no path gets there.
#[derive(Clone, Copy, Default)]
struct Ends {
    at_end: Option<State>,
    at_break: Option<State>,
    at_continue: Option<State>,
}

fn merge(a: Option<State>, b: Option<State>) -> Option<State> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.or(b)),
        (a, b) => a.or(b),
    }
}

struct Effects<'a> {
    module: &'a Module,
    stores: Stores,
    issues: Vec<Issue>,
}

impl Effects<'_> {
    fn block(&mut self, nodes: &[Node], start: State) -> Ends {
        let mut ends = Ends { at_end: Some(start), ..Ends::default() };
        for node in nodes {
            let Some(state) = ends.at_end else { break };
            let inner = self.node(node, state);
            ends = Ends {
                at_end: inner.at_end,
                at_break: merge(ends.at_break, inner.at_break),
                at_continue: merge(ends.at_continue, inner.at_continue),
            };
        }
        ends
    }

    fn node(&mut self, node: &Node, state: State) -> Ends {
        match &node.kind {
            NodeKind::Leaf(stmt) => self.leaf(stmt, node.span, state),
            NodeKind::If { cond, then, els } => {
                self.reads(cond, node.span, state);
                let (a, b) = (self.block(then, state), self.block(els, state));
                Ends {
                    at_end: merge(a.at_end, b.at_end),
                    at_break: merge(a.at_break, b.at_break),
                    at_continue: merge(a.at_continue, b.at_continue),
                }
            }
            NodeKind::Loop { cond, body, step, trips } => {
                // What the second iteration finds, every later one finds too.
                let mut exits = Some(state);
                let mut entry = state;
                for _ in 0..(*trips).min(2) {
                    self.reads(cond, node.span, entry);
                    let inner = self.block(body, entry);
                    exits = merge(exits, inner.at_break);
                    let Some(next) = merge(inner.at_end, inner.at_continue) else { break };
                    entry = self.block(step, next).at_end.unwrap_or(next);
                    exits = merge(exits, Some(entry));
                }
                Ends { at_end: exits, ..Ends::default() }
            }
        }
    }

    fn leaf(&mut self, stmt: &Stmt, span: Span, mut state: State) -> Ends {
        let nowhere = Ends::default();
        stmt.exprs().for_each(|expr| self.reads(expr, span, state));
        match stmt {
            Stmt::WriteReg { reg, .. } => {
                if self.module.registers[reg.index()].is_pc {
                    state.pc = Some(span);
                }
            }
            Stmt::WriteSpace { space, .. } => {
                if self.module.spaces[space.index()].is_main_mem {
                    self.refuse_second_store(span, state);
                    state.store = Some(span);
                }
            }
            Stmt::Break => return Ends { at_break: Some(state), ..nowhere },
            Stmt::Continue => return Ends { at_continue: Some(state), ..nowhere },
            Stmt::Return(_) | Stmt::Raise { .. } => return nowhere,
            Stmt::Assign { .. } | Stmt::Extern { .. } | Stmt::If { .. } | Stmt::Loop { .. } => {}
        }
        Ends { at_end: Some(state), ..nowhere }
    }

    fn refuse_second_store(&mut self, span: Span, state: State) {
        let Some(first) = state.store.filter(|_| self.stores == Stores::Once) else { return };
        let help = "an instruction stores at most once: join the values with `::` and store a range, or put the stores into branches that exclude each other";
        let issue = Issue::new(span, "a second store on one path", "stores again", help);
        self.issues.push(if first == span { issue } else { issue.and(first, "first store") });
    }

    /// Refuses reads of main memory after a store, and of the PC after its assignment.
    fn reads(&mut self, expr: &Expr, span: Span, state: State) {
        if state.store.is_none() && state.pc.is_none() {
            return;
        }
        match &expr.kind {
            Kind::ReadSpace(space, _) => {
                if let Some(store) = state.store
                    && self.module.spaces[space.index()].is_main_mem
                {
                    let help = "read into a variable before the store";
                    let issue = Issue::new(span, "memory is read after the store", "reads", help);
                    self.issues.push(issue.and(store, "the store"));
                }
            }
            Kind::ReadReg(reg, _) => {
                if let Some(write) = state.pc
                    && self.module.registers[reg.index()].is_pc
                {
                    let help = "the PC reads as this instruction's address: use it before it is assigned";
                    let issue = Issue::new(span, "the PC is read after it was assigned", "reads", help);
                    self.issues.push(issue.and(write, "assigned here"));
                }
            }
            _ => {}
        }
        expr.operands().for_each(|operand| self.reads(operand, span, state));
    }
}
