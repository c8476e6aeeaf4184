//! Control becomes data: functions called once are put in place, loops written out, branches computed both ways and
//! selected from.
//!
//! A block leads to where it falls through, and to its exits in order of precedence: the condition of each counts
//! only if that of none before it holds. So `if (a) return x; return y;` is `a ? x : y`.

use std::collections::HashMap;

use coredsl::fold;
use coredsl::ir::{Behavior, BinaryOp, Body, Expr, FuncId, Instruction, Kind, Module, Stmt, Ty};
use ethnum::U256;

use crate::operand::Register;
use crate::straight::{Source, Straight};

/// Most signals of a datapath, before those that nothing uses are left out.
const MOST_SIGNALS: usize = 1 << 14;
/// Most alternatives in one expression: those that read expressions recurse as deep.
const MOST_NESTED: usize = 96;
/// `mcause` of an illegal instruction.
const ILLEGAL: U256 = U256::new(2);

/// Why an instruction has no datapath of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reason(pub String);

pub(crate) type Flowed<T> = Result<T, Reason>;

pub(crate) fn refuse<T>(reason: impl Into<String>) -> Flowed<T> {
    Err(Reason(reason.into()))
}

/// The values of variables, and of the destination once it is written.
#[derive(Clone)]
pub(crate) struct State {
    pub locals: Vec<Expr>,
    pub written: Option<Expr>,
}

enum Leave {
    Return(Option<Expr>),
    Break,
    Continue,
    Raise,
}

/// A way out of a block.
struct Exit {
    when: Expr,
    leave: Leave,
    state: State,
}

/// Where a block leads; no state if it never falls through.
type Ends = (Option<State>, Vec<Exit>);

/// A behaviour without control.
pub(crate) struct Flattened {
    pub straight: Straight,
    pub destination: Register,
    /// The second result says whether the instruction is illegal.
    pub may_be_illegal: bool,
}

pub(crate) fn instruction(module: &Module, instruction: &Instruction) -> Flowed<Flattened> {
    let Behavior::Body(body) = &instruction.behavior else {
        return refuse("its behavior is extern");
    };
    let mut flow = Flow::new(module, sites(module, body));
    let state = State { locals: zeros(body), written: None };
    let (mut end, exits) = flow.block(&body.stmts, body, state)?;
    let (mut illegal, mut left) = (never(), never());
    let mut ways = Vec::new();
    for exit in exits {
        match exit.leave {
            Leave::Raise => illegal = or(illegal, flow.without(exit.when, &left)),
            _ => {
                left = flow.out.named(or(left, exit.when.clone()), "");
                ways.push((exit.when, exit.state));
            }
        }
    }
    for (when, state) in ways.into_iter().rev() {
        end = Some(match end {
            Some(end) => flow.merge(&when, state, end, None),
            None => state,
        });
    }
    if flow.raises_other {
        return refuse("it raises an exception other than illegal instruction");
    }
    let Some(destination) = flow.destination else {
        return refuse("it writes no register");
    };
    let result = match end.and_then(|end| end.written) {
        Some(result) => result,
        None => flow.register(destination)?,
    };
    let may_be_illegal = fold::as_const(&illegal) != Some(U256::ZERO);
    flow.out.results = vec![result];
    flow.out.results.extend(may_be_illegal.then_some(illegal));
    Ok(Flattened { straight: flow.out, destination, may_be_illegal })
}

/// A function without control; its parameters are the first signals.
pub(crate) fn function(module: &Module, id: FuncId, calls: &Sites) -> Flowed<Straight> {
    let function = &module.functions[id.index()];
    let mut flow = Flow::new(module, calls.clone());
    let body = &function.body;
    let parameters = (0..function.parameters as usize)
        .map(|index| flow.out.signal(body.locals[index], &body.names[index], Source::Parameter));
    let arguments = parameters.collect();
    let result = flow.value_of(id, arguments)?;
    flow.out.results = vec![result];
    Ok(flow.out)
}

/// How often the text calls each function, in a loop more than once.
pub(crate) type Sites = HashMap<FuncId, u32>;

/// The calls that a behaviour leads to.
pub(crate) fn sites(module: &Module, body: &Body) -> Sites {
    fn walk(module: &Module, stmts: &[Stmt], times: u32, found: &mut Sites) {
        for stmt in stmts {
            let inside = if matches!(stmt, Stmt::Loop { .. }) { 2 } else { times };
            for expr in stmt.exprs() {
                expr.visit(&mut |expr| {
                    if let Kind::Call(id, _) = expr.kind {
                        let before = found.insert(id, found.get(&id).copied().unwrap_or(0) + inside);
                        if before.is_none() {
                            walk(module, &module.functions[id.index()].body.stmts, 1, found);
                        }
                    }
                });
            }
            stmt.blocks().into_iter().for_each(|block| walk(module, block, inside, found));
        }
    }
    let mut found = Sites::new();
    walk(module, &body.stmts, 1, &mut found);
    found
}

/// A behaviour, or a function, on its way to a [`Straight`].
pub(crate) struct Flow<'m> {
    pub module: &'m Module,
    pub sites: Sites,
    pub out: Straight,
    /// What has been read from outside.
    pub inputs: Vec<(Source, Expr)>,
    /// The register that is written.
    pub destination: Option<Register>,
    /// It raises an exception other than illegal instruction.
    raises_other: bool,
}

impl<'m> Flow<'m> {
    fn new(module: &'m Module, sites: Sites) -> Self {
        Self {
            module,
            sites,
            out: Straight::default(),
            inputs: Vec::new(),
            destination: None,
            raises_other: false,
        }
    }

    fn block(&mut self, stmts: &[Stmt], body: &Body, state: State) -> Flowed<Ends> {
        let (mut state, mut exits) = (state, Vec::new());
        for stmt in stmts {
            let (next, more) = self.stmt(stmt, body, state)?;
            exits.extend(more);
            match next {
                Some(next) => state = next,
                None => return Ok((None, exits)),
            }
        }
        Ok((Some(state), exits))
    }

    fn stmt(&mut self, stmt: &Stmt, body: &Body, mut state: State) -> Flowed<Ends> {
        if self.out.signals.len() > MOST_SIGNALS {
            return refuse(format!("with its loops written out it has more than {MOST_SIGNALS} signals"));
        }
        let leave = match stmt {
            Stmt::Assign { local, value } => {
                let value = self.expr(value, &state)?;
                state.locals[local.index()] = self.out.named(value, &body.names[local.index()]);
                return Ok((Some(state), vec![]));
            }
            Stmt::WriteReg { reg, index, value } => {
                self.write(*reg, index, value, &mut state)?;
                return Ok((Some(state), vec![]));
            }
            Stmt::If { cond, then, els } => return self.branch(cond, then, els, body, state),
            Stmt::Loop { cond, body: inner, step, trips } => {
                return self.iterate((cond, inner, step, *trips), body, state);
            }
            Stmt::WriteSpace { space, .. } => {
                return refuse(format!("it writes {}", self.module.spaces[space.index()].name));
            }
            Stmt::Extern { name, .. } => return refuse(format!("it calls the extern function {name}")),
            Stmt::Break => Leave::Break,
            Stmt::Continue => Leave::Continue,
            Stmt::Return(value) => {
                Leave::Return(value.as_ref().map(|value| self.expr(value, &state)).transpose()?)
            }
            Stmt::Raise { cause, .. } => {
                let cause = self.expr(cause, &state)?;
                // What else it does may be the better reason.
                self.raises_other |= fold::as_const(&cause) != Some(ILLEGAL);
                Leave::Raise
            }
        };
        Ok((None, vec![Exit { when: always(), leave, state }]))
    }

    fn branch(
        &mut self,
        cond: &Expr,
        then: &[Stmt],
        els: &[Stmt],
        body: &Body,
        state: State,
    ) -> Flowed<Ends> {
        let cond = self.expr(cond, &state)?;
        if let Some(decided) = fold::as_const(&cond) {
            return self.block(if decided == U256::ZERO { els } else { then }, body, state);
        }
        let cond = self.out.named(cond, "");
        let (then_end, mut exits) = self.block(then, body, state.clone())?;
        let (else_end, else_exits) = self.block(els, body, state)?;
        for exit in &mut exits {
            exit.when = self.both(cond.clone(), exit.when.clone());
        }
        for mut exit in else_exits {
            // If the other branch always leaves, it has precedence.
            if then_end.is_some() {
                exit.when = self.both(fold::not(cond.clone()), exit.when);
            }
            exits.push(exit);
        }
        let end = match (then_end, else_end) {
            (Some(then), Some(els)) => Some(self.merge(&cond, then, els, Some(body))),
            (then, els) => then.or(els),
        };
        Ok((end, exits))
    }

    fn iterate(
        &mut self,
        (cond, inner, step, trips): (&Expr, &[Stmt], &[Stmt], u32),
        body: &Body,
        state: State,
    ) -> Flowed<Ends> {
        let mut exits = Vec::new();
        let mut state = Some(state);
        for trip in 0..=trips {
            let Some(here) = state.take() else { break };
            let cond = self.expr(cond, &here)?;
            // The front end has shown that the condition fails after the last.
            if trip == trips || fold::as_const(&cond) == Some(U256::ZERO) {
                state = Some(here);
                break;
            }
            if fold::as_const(&cond).is_none() {
                let when = self.out.named(fold::not(cond), "");
                exits.push(Exit { when, leave: Leave::Break, state: here.clone() });
            }
            let (end, left) = self.block(inner, body, here)?;
            let (end, left) = self.catch(end, left, body, |leave| matches!(leave, Leave::Continue));
            exits.extend(left);
            let Some(end) = end else { continue };
            let (end, left) = self.block(step, body, end)?;
            exits.extend(left);
            state = end;
        }
        Ok(self.catch(state, exits, body, |leave| matches!(leave, Leave::Break)))
    }

    /// The exits that lead past the block, joined with its end; the others remain.
    fn catch(&mut self, end: Option<State>, exits: Vec<Exit>, body: &Body, is: fn(&Leave) -> bool) -> Ends {
        let (mut caught, mut rest, mut before) = (Vec::new(), Vec::new(), never());
        for mut exit in exits {
            if is(&exit.leave) {
                before = self.out.named(or(before, exit.when.clone()), "");
                caught.push(exit);
            } else {
                exit.when = self.without(exit.when, &before);
                rest.push(exit);
            }
        }
        let end = caught.into_iter().rev().fold(end, |end, exit| {
            Some(match end {
                Some(end) => self.merge(&exit.when, exit.state, end, Some(body)),
                None => exit.state,
            })
        });
        (end, rest)
    }

    fn merge(&mut self, when: &Expr, then: State, els: State, body: Option<&Body>) -> State {
        let mut locals = Vec::with_capacity(then.locals.len());
        for (index, (a, b)) in then.locals.into_iter().zip(els.locals).enumerate() {
            let value = fold::select(when.clone(), a.ty, a, b);
            locals.push(self.out.named(value, body.map_or("", |body| &body.names[index])));
        }
        let written = match (then.written, els.written) {
            (None, None) => None,
            (a, b) => {
                let old = self.destination.map(|destination| self.register(destination));
                let old = old.and_then(Result::ok).unwrap_or_else(never);
                let (a, b) = (a.unwrap_or_else(|| old.clone()), b.unwrap_or(old));
                Some(self.out.named(fold::select(when.clone(), a.ty, a, b), ""))
            }
        };
        State { locals, written }
    }

    /// The value of a function, put in place.
    pub fn value_of(&mut self, id: FuncId, arguments: Vec<Expr>) -> Flowed<Expr> {
        let body = &self.module.functions[id.index()].body;
        let mut locals = zeros(body);
        for (index, argument) in arguments.into_iter().enumerate() {
            locals[index] = self.out.named(argument, &body.names[index]);
        }
        let (_, exits) = self.block(&body.stmts, body, State { locals, written: None })?;
        let ways = exits.into_iter().filter_map(|exit| match exit.leave {
            Leave::Return(Some(value)) => Some((exit.when, value)),
            _ => None,
        });
        let mut result: Option<Expr> = None;
        for (nested, (when, value)) in ways.collect::<Vec<_>>().into_iter().rev().enumerate() {
            result = Some(match result {
                Some(rest) if (nested + 1) % MOST_NESTED == 0 => {
                    let rest = self.out.pinned(rest);
                    fold::select(when, value.ty, value, rest)
                }
                Some(rest) => fold::select(when, value.ty, value, rest),
                None => value,
            });
        }
        result.ok_or_else(|| Reason("a function of it returns nothing".to_owned()))
    }

    fn both(&mut self, a: Expr, b: Expr) -> Expr {
        self.out.named(fold::arithmetic(BinaryOp::And, Ty::BOOL, a, b), "")
    }

    fn without(&mut self, when: Expr, before: &Expr) -> Expr {
        self.both(when, fold::not(before.clone()))
    }
}

fn zeros(body: &Body) -> Vec<Expr> {
    body.locals.iter().map(|ty| fold::constant(U256::ZERO, *ty)).collect()
}

fn never() -> Expr {
    fold::constant(U256::ZERO, Ty::BOOL)
}

fn always() -> Expr {
    fold::constant(U256::ONE, Ty::BOOL)
}

fn or(a: Expr, b: Expr) -> Expr {
    fold::arithmetic(BinaryOp::Or, Ty::BOOL, a, b)
}
