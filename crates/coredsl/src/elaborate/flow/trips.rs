//! Loop bounds, by running the body on what is known of its variables.

use std::collections::HashSet;

use crate::diagnostic::Issue;
use crate::elaborate::lower::{Node, NodeKind};
use crate::ir::{BinaryOp, Expr, Kind, Stmt};
use crate::source::Span;
use crate::value;
use ethnum::U256;

/// Most iterations of one loop.
const MAX_TRIPS: u32 = 1 << 16;
/// Most statements looked at for one body.
const MAX_STEPS: u32 = 1 << 20;

/// Values of the variables, where they are known.
type Known = Vec<Option<U256>>;

/// Sets `trips` of every loop in `nodes`.
pub(super) fn bound(nodes: &mut [Node], locals: usize, parameters: usize) -> Vec<Issue> {
    let known = (0..locals).map(|local| (local >= parameters).then_some(U256::ZERO)).collect();
    let mut run = Run { issues: vec![], reported: HashSet::new(), steps: 0 };
    run.block(nodes, known);
    run.issues
}

/// What is known at the ends of a block; `None` if no path gets there.
#[derive(Default)]
struct Ends {
    at_end: Option<Known>,
    at_break: Option<Known>,
    at_continue: Option<Known>,
}

fn merge(a: Option<Known>, b: Option<Known>) -> Option<Known> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.into_iter().zip(b).map(|(a, b)| a.filter(|_| a == b)).collect()),
        (a, b) => a.or(b),
    }
}

struct Run {
    issues: Vec<Issue>,
    /// Loops told already.
    reported: HashSet<Span>,
    steps: u32,
}

impl Run {
    fn block(&mut self, nodes: &mut [Node], start: Known) -> Ends {
        let mut ends = Ends { at_end: Some(start), ..Ends::default() };
        for node in nodes {
            let Some(known) = ends.at_end.take() else { break };
            self.steps = self.steps.saturating_add(1);
            let inner = self.node(node, known);
            ends.at_end = inner.at_end;
            ends.at_break = merge(ends.at_break, inner.at_break);
            ends.at_continue = merge(ends.at_continue, inner.at_continue);
        }
        ends
    }

    fn node(&mut self, node: &mut Node, mut known: Known) -> Ends {
        let nowhere = Ends::default();
        match &mut node.kind {
            NodeKind::Leaf(Stmt::Assign { local, value }) => {
                known[local.index()] = evaluate(value, &known);
                Ends { at_end: Some(known), ..nowhere }
            }
            NodeKind::Leaf(Stmt::Break) => Ends { at_break: Some(known), ..nowhere },
            NodeKind::Leaf(Stmt::Continue) => Ends { at_continue: Some(known), ..nowhere },
            NodeKind::Leaf(Stmt::Return(_) | Stmt::Raise { .. }) => nowhere,
            NodeKind::Leaf(_) => Ends { at_end: Some(known), ..nowhere },
            NodeKind::If { cond, then, els } => match evaluate(cond, &known) {
                Some(U256::ZERO) => self.block(els, known),
                Some(_) => self.block(then, known),
                None => {
                    let (a, b) = (self.block(then, known.clone()), self.block(els, known));
                    Ends {
                        at_end: merge(a.at_end, b.at_end),
                        at_break: merge(a.at_break, b.at_break),
                        at_continue: merge(a.at_continue, b.at_continue),
                    }
                }
            },
            NodeKind::Loop { cond, body, step, trips } => {
                let (at_end, count) = self.iterate(node.span, cond, body, step, known);
                *trips = (*trips).max(count);
                Ends { at_end, ..nowhere }
            }
        }
    }

    fn iterate(
        &mut self,
        span: Span,
        cond: &Expr,
        body: &mut [Node],
        step: &mut [Node],
        mut known: Known,
    ) -> (Option<Known>, u32) {
        let mut exits = None;
        let mut count = 0;
        loop {
            match evaluate(cond, &known) {
                Some(U256::ZERO) => return (merge(exits, Some(known)), count),
                Some(_) if count == MAX_TRIPS || self.steps >= MAX_STEPS => {
                    let help = format!(
                        "a loop ends after at most {MAX_TRIPS} iterations; give it a condition that becomes false"
                    );
                    return (self.give_up(span, "the loop runs too long", &help, &known), count);
                }
                Some(_) => count += 1,
                None => {
                    let help = "count a variable from and to constants, and leave early with `break`: `for (unsigned int i = 0; i < XLEN; i++) { if (…) break; … }`";
                    return (
                        self.give_up(span, "the number of iterations is not constant", help, &known),
                        count,
                    );
                }
            }
            let inner = self.block(body, known);
            exits = merge(exits, inner.at_break);
            let Some(next) = merge(inner.at_end, inner.at_continue) else { return (exits, count) };
            match self.block(step, next).at_end {
                Some(next) => known = next,
                None => return (exits, count),
            }
        }
    }

    fn give_up(&mut self, span: Span, message: &str, help: &str, known: &Known) -> Option<Known> {
        if self.reported.insert(span) {
            self.issues.push(Issue::new(span, message, "this loop", help));
        }
        Some(vec![None; known.len()])
    }
}

/// The value of an expression, if what is known suffices.
fn evaluate(expr: &Expr, known: &Known) -> Option<U256> {
    match &expr.kind {
        Kind::Const(bits) => Some(*bits),
        Kind::Local(local) => known[local.index()],
        Kind::Unary(op, a) => Some(value::unary(*op, expr.ty, evaluate(a, known)?)),
        Kind::Resize(a) => Some(value::resize(evaluate(a, known)?, a.ty, expr.ty)),
        Kind::Binary(op, a, b) => binary(*op, expr, a, b, known),
        Kind::Slice { value: a, lsb } => {
            Some(value::slice(evaluate(a, known)?, evaluate(lsb, known)?, expr.ty.width))
        }
        Kind::Insert { base, lsb, value: bits } => {
            let (base, lsb) = (evaluate(base, known)?, evaluate(lsb, known)?);
            Some(value::insert(base, expr.ty, lsb, evaluate(bits, known)?, bits.ty.width))
        }
        Kind::Concat(a, b) => Some((evaluate(a, known)? << u32::from(b.ty.width)) | evaluate(b, known)?),
        Kind::Select(cond, a, b) => match evaluate(cond, known)? {
            U256::ZERO => evaluate(b, known),
            _ => evaluate(a, known),
        },
        Kind::Field(_) | Kind::ReadReg(..) | Kind::ReadSpace(..) | Kind::Table(..) | Kind::Call(..) => None,
    }
}

fn binary(op: BinaryOp, expr: &Expr, a: &Expr, b: &Expr, known: &Known) -> Option<U256> {
    let (left, right) = (evaluate(a, known), evaluate(b, known));
    let ones = value::mask(expr.ty.width);
    match (op, left, right) {
        (BinaryOp::And, Some(U256::ZERO), _) | (BinaryOp::And, _, Some(U256::ZERO)) => Some(U256::ZERO),
        (BinaryOp::Or, Some(all), _) | (BinaryOp::Or, _, Some(all)) if all == ones => Some(ones),
        (BinaryOp::Shl | BinaryOp::Shr, Some(left), Some(right)) => {
            Some(value::shift(op, expr.ty, left, right))
        }
        (
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge,
            Some(left),
            Some(right),
        ) => Some(U256::from(u8::from(value::compare(op, a.ty, left, right)))),
        (_, Some(left), Some(right)) => Some(value::arithmetic(op, expr.ty, left, right)),
        _ => None,
    }
}
