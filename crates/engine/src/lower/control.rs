//! Control flow within an instruction: conditions, loops and function calls.
//!
//! What depends on data becomes jumps between micro-operations; whatever such statements assign gets a
//! slot of its own beforehand, so that both paths meet in it. Everything else is decided here and now.

use coredsl::ir::{Body, Expr, FuncId, LocalId, Stmt, visit};

use super::stmt::End;
use super::{Binding, LoopLabels, Lower, Lowering, ReturnLabels, Unsupported, Val, Value};
use crate::uop::{Op, Uop};

/// Longest loop that is unrolled, in iterations.
const UNROLL: u32 = 64;
/// Deepest nesting of function calls.
const CALL_DEPTH: u32 = 16;

/// What statements under data-dependent control assign.
#[derive(Default)]
struct Assigned {
    locals: Vec<LocalId>,
    registers: Vec<u16>,
    pc: bool,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn branch(&mut self, cond: &'a Expr, then: &'a [Stmt], els: &'a [Stmt]) -> Lower<End> {
        let cond = match self.exact(cond, 1)? {
            Val::Const(cond) => return self.statements(if cond != 0 { then } else { els }),
            Val::Slot(cond) => cond,
        };
        self.fix_assigned(&[then, els])?;
        let skip = self.push(Uop { a: cond, ..Uop::new(Op::GotoIfZero) });
        let then_end = self.statements(then)?;
        let mut end = then_end;
        if els.is_empty() {
            self.land(skip);
            end = End::Falls;
        } else {
            let over = (then_end == End::Falls).then(|| self.push(Uop::new(Op::Goto)));
            self.land(skip);
            if self.statements(els)? == End::Falls {
                end = End::Falls;
            }
            if let Some(over) = over {
                self.land(over);
            }
        }
        // What was computed last on one path must not be taken for the other's.
        self.state.sealed = self.state.next_temp;
        Ok(end)
    }

    pub(super) fn repeat(
        &mut self,
        cond: &'a Expr,
        body: &'a [Stmt],
        step: &'a [Stmt],
        trips: u32,
    ) -> Lower<End> {
        if trips <= UNROLL && !leaves_loop(body) {
            let before = self.checkpoint();
            if let Ok(Some(end)) = self.unroll(cond, body, step, trips) {
                return Ok(end);
            }
            self.roll_back(before);
        }
        self.fix_assigned(&[body, step])?;
        let top = self.uops.len() as u64;
        self.state.landed = self.uops.len();
        let cond = self.exact(cond, 1)?;
        let a = self.slot(cond)?;
        let out = self.push(Uop { a, ..Uop::new(Op::GotoIfZero) });
        self.state.loops.push(LoopLabels::default());
        self.statements(body)?;
        let labels = self.state.loops.pop().unwrap_or_default();
        for jump in labels.continues {
            self.land(jump);
        }
        self.state.sealed = self.state.next_temp;
        self.statements(step)?;
        self.push(Uop { imm: top, ..Uop::new(Op::Goto) });
        self.land(out);
        for jump in labels.breaks {
            self.land(jump);
        }
        self.state.sealed = self.state.next_temp;
        Ok(End::Falls)
    }

    /// `None` if the condition turns out to depend on data.
    fn unroll(
        &mut self,
        cond: &'a Expr,
        body: &'a [Stmt],
        step: &'a [Stmt],
        trips: u32,
    ) -> Lower<Option<End>> {
        for _ in 0..=trips {
            match self.static_condition(cond)? {
                None => return Ok(None),
                Some(false) => return Ok(Some(End::Falls)),
                Some(true) => {}
            }
            if self.statements(body)? == End::Never {
                return Ok(Some(End::Never));
            }
            self.statements(step)?;
        }
        Err(Unsupported)
    }

    pub(super) fn return_value(&mut self, value: Option<&'a Expr>) -> Lower<End> {
        let result = self.state.returns.as_ref().ok_or(Unsupported)?.result;
        if let (Some(value), Some(slot)) = (value, result) {
            let val = self.exact(value, value.ty.width)?;
            self.copy_into(slot, val);
        }
        let jump = self.push(Uop::new(Op::Goto));
        self.state.returns.as_mut().ok_or(Unsupported)?.jumps.push(jump);
        Ok(End::Never)
    }

    /// A function call: a host operation if it is a known idiom, else the body in place.
    pub(super) fn call(&mut self, id: FuncId, args: &'a [Expr], demanded: u16) -> Lower<Value> {
        if let Some(value) = self.call_idiom(id, args)? {
            return Ok(value);
        }
        let function = self.context.module.functions.get(id.index()).ok_or(Unsupported)?;
        if self.state.call_depth >= CALL_DEPTH {
            return Err(Unsupported);
        }
        let mut locals = vec![Binding::Value(Val::Const(0)); function.body.locals.len()];
        for (local, arg) in locals.iter_mut().zip(args) {
            let val = self.exact(arg, arg.ty.width)?;
            *local = Binding::Value(self.unaliased(val)?);
        }
        let caller = (
            std::mem::replace(&mut self.state.locals, locals),
            std::mem::take(&mut self.state.loops),
            self.state.returns.take(),
        );
        self.state.call_depth += 1;
        let value = self.function_body(&function.body, function.result.width, demanded);
        self.state.call_depth -= 1;
        (self.state.locals, self.state.loops, self.state.returns) = caller;
        value
    }

    fn function_body(&mut self, body: &'a Body, width: u16, demanded: u16) -> Lower<Value> {
        // The common shape: straight-line code with one return at its end.
        if let Some((Stmt::Return(Some(value)), first)) = body.stmts.split_last()
            && !returns_early(first)
        {
            self.statements(first)?;
            return self.value(value, demanded);
        }
        let result = self.temp()?;
        self.state.sealed = self.state.next_temp;
        self.state.returns = Some(ReturnLabels { result: Some(result), jumps: Vec::new() });
        self.push(Uop { dst: result, ..Uop::new(Op::Const) });
        // A return decided by constants still jumps; what follows it must not see its bindings.
        self.fix_assigned(&[&body.stmts])?;
        self.statements(&body.stmts)?;
        for jump in self.state.returns.take().map_or_else(Vec::new, |labels| labels.jumps) {
            self.land(jump);
        }
        self.state.sealed = self.state.next_temp;
        Ok(Value { val: Val::Slot(result), bits: width.min(64) })
    }

    /// Gives everything these statements assign a slot of its own, with its present value.
    pub(super) fn fix_assigned(&mut self, blocks: &[&'a [Stmt]]) -> Lower<()> {
        let mut assigned = Assigned::default();
        for block in blocks {
            self.collect_assigned(block, &mut assigned)?;
        }
        for local in assigned.locals {
            let val = match self.local(local)? {
                Binding::Fixed(_) => continue,
                Binding::Value(val) => *val,
                Binding::Deferred(..) => return Err(Unsupported),
            };
            let slot = self.fixed_slot(val)?;
            self.state.locals[local.index()] = Binding::Fixed(slot);
        }
        for index in assigned.registers {
            let val = match self.state.registers.get(&index) {
                Some(Binding::Fixed(_)) => continue,
                Some(Binding::Value(val)) => *val,
                Some(Binding::Deferred(..)) => return Err(Unsupported),
                None => Val::Slot(index),
            };
            let slot = self.fixed_slot(val)?;
            self.state.registers.insert(index, Binding::Fixed(slot));
        }
        if assigned.pc {
            let val = match self.state.next_pc {
                Some(Binding::Fixed(_)) => return Ok(()),
                Some(Binding::Value(val)) => val,
                Some(Binding::Deferred(..)) => return Err(Unsupported),
                None => Val::Const(self.pc.wrapping_add(self.length()) & super::mask(self.xlen())),
            };
            self.state.next_pc = Some(Binding::Fixed(self.fixed_slot(val)?));
        }
        Ok(())
    }

    fn fixed_slot(&mut self, val: Val) -> Lower<u16> {
        let slot = self.temp()?;
        self.state.sealed = self.state.next_temp;
        self.copy_into(slot, val);
        Ok(slot)
    }

    fn collect_assigned(&mut self, stmts: &'a [Stmt], assigned: &mut Assigned) -> Lower<()> {
        for stmt in stmts {
            match stmt {
                Stmt::Assign { local, .. } => assigned.locals.push(*local),
                Stmt::WriteReg { reg, .. } if self.context.roles.is_pc(*reg) => assigned.pc = true,
                Stmt::WriteReg { reg, index, .. } => {
                    let index = self.register_index(*reg, index)?;
                    if index != 0 {
                        assigned.registers.push(index);
                    }
                }
                _ => {}
            }
            for block in stmt.blocks() {
                self.collect_assigned(block, assigned)?;
            }
        }
        Ok(())
    }
}

/// True if a statement may leave the loop early, or the function.
fn leaves_loop(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Break | Stmt::Continue | Stmt::Return(_) => true,
        Stmt::If { then, els, .. } => leaves_loop(then) || leaves_loop(els),
        // Its own breaks do not concern this loop; its returns do.
        Stmt::Loop { body, .. } => returns_early(body),
        _ => false,
    })
}

pub(super) fn returns_early(stmts: &[Stmt]) -> bool {
    visit::any_statement(stmts, &|stmt| matches!(stmt, Stmt::Return(_)))
}
