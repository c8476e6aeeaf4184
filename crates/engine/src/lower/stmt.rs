//! Statements: sequential effects, held back until the instruction's end.

use coredsl::ir::{Body, Expr, LocalId, Stmt};

use super::control::returns_early;
use super::{Binding, Flow, Lower, Lowering, NativeSpace, ReturnLabels, Unsupported, Val};
use crate::uop::{FIRST_TEMP, Kind, Op, Pure, Uop};

/// Whether execution goes on after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Falls,
    Never,
}

impl<'a> Lowering<'a, '_> {
    /// A whole behaviour, through the commit of its effects.
    pub(super) fn behavior(&mut self, body: &'a Body) -> Lower<Flow> {
        self.state.returns = Some(ReturnLabels { result: None, jumps: Vec::new() });
        if returns_early(&body.stmts) {
            self.fix_assigned(&[&body.stmts])?;
        }
        if let Some(flow) = self.conditional_jump(&body.stmts)? {
            return Ok(flow);
        }
        let end = self.statements(&body.stmts)?;
        let jumps = self.state.returns.take().map_or_else(Vec::new, |labels| labels.jumps);
        if end == End::Never && jumps.is_empty() {
            return Ok(Flow::Leaves);
        }
        for jump in jumps {
            self.land(jump);
        }
        self.commit()
    }

    fn commit(&mut self) -> Lower<Flow> {
        let mut registers = std::mem::take(&mut self.state.registers);
        let mut next_pc = self.state.next_pc.take();
        if registers.len() + usize::from(next_pc.is_some()) > 1 {
            // A register may be another's new value, or the target: read them all before writing any.
            for binding in registers.values_mut().chain(&mut next_pc) {
                if let Binding::Value(Val::Slot(a)) = *binding
                    && a < FIRST_TEMP
                {
                    let dst = self.temp()?;
                    self.push(Uop { dst, a, ..Uop::new(Op::Mov) });
                    *binding = Binding::Value(Val::Slot(dst));
                }
            }
        } else {
            // Nothing but this one register reads a local any more.
            self.state.sealed = FIRST_TEMP;
        }
        for (dst, binding) in registers {
            match binding {
                Binding::Value(val) => self.copy_into(dst, val),
                Binding::Fixed(a) => {
                    self.push(Uop { dst, a, ..Uop::new(Op::Mov) });
                }
                Binding::Deferred(..) => return Err(Unsupported),
            }
        }
        match next_pc {
            None if self.state.ends_block => Ok(Flow::EndsBlock),
            None => Ok(Flow::Continues),
            Some(Binding::Value(Val::Const(imm))) => {
                self.push(Uop { imm, aux: 1, ..Uop::new(Op::Exit) });
                Ok(Flow::Leaves)
            }
            Some(Binding::Value(Val::Slot(a)) | Binding::Fixed(a)) => {
                self.push(Uop { a, ..Uop::new(Op::ExitTo) });
                Ok(Flow::Leaves)
            }
            Some(Binding::Deferred(..)) => Err(Unsupported),
        }
    }

    /// A behaviour that only jumps, to a known place, if a condition holds: one comparing exit.
    fn conditional_jump(&mut self, stmts: &'a [Stmt]) -> Lower<Option<Flow>> {
        let Some((last, first)) = stmts.split_last() else { return Ok(None) };
        let Stmt::If { cond, then, els } = last else { return Ok(None) };
        if !els.is_empty() || self.static_condition(cond)?.is_some() {
            return match self.static_condition(cond)? {
                // `if (rd >= RFS) raise(…); else { … }` around the whole behaviour.
                Some(taken) if first.is_empty() => self.conditional_jump(if taken { then } else { els }),
                _ => Ok(None),
            };
        }
        if !self.state.registers.is_empty() || self.state.next_pc.is_some() {
            return Ok(None);
        }
        let before = self.checkpoint();
        let jump = self.comparing_jump(first, cond, then)?;
        if jump.is_none() {
            self.roll_back(before);
        }
        Ok(jump)
    }

    fn comparing_jump(&mut self, first: &'a [Stmt], cond: &'a Expr, then: &'a [Stmt]) -> Lower<Option<Flow>> {
        if self.statements(first)? == End::Never
            || !self.state.registers.is_empty()
            || self.state.next_pc.is_some()
        {
            return Ok(None);
        }
        let cond_start = self.uops.len();
        let cond = self.exact(cond, 1)?;
        let cond_end = self.uops.len();
        let end = self.statements(then)?;
        let target = match &self.state.next_pc {
            Some(Binding::Value(Val::Const(target))) => Some(*target),
            _ => None,
        };
        let (Some(target), Val::Slot(cond)) = (target, cond) else {
            return Ok(None);
        };
        if end != End::Falls || self.uops.len() != cond_end || !self.state.registers.is_empty() {
            return Ok(None);
        }
        self.state.next_pc = None;
        let exit = match self.uops.last() {
            Some(last) if cond_end > cond_start && last.def() == Some(cond) => comparing_exit(*last),
            _ => None,
        };
        if exit.is_some() {
            self.uops.pop();
        }
        let exit = exit.unwrap_or(Uop { a: cond, ..Uop::new(Op::ExitIfNe) });
        self.push(Uop { imm: target, ..exit });
        Ok(Some(Flow::EndsBlock))
    }

    /// The condition's value if it does not depend on data.
    pub(super) fn static_condition(&mut self, cond: &'a Expr) -> Lower<Option<bool>> {
        if cond.touches_space() {
            return Ok(None);
        }
        Ok(match self.probe(|this| this.exact(cond, 1))? {
            Val::Const(value) => Some(value != 0),
            Val::Slot(_) => None,
        })
    }

    pub(super) fn statements(&mut self, stmts: &'a [Stmt]) -> Lower<End> {
        for stmt in stmts {
            if self.statement(stmt)? == End::Never {
                return Ok(End::Never);
            }
        }
        Ok(End::Falls)
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Lower<End> {
        match stmt {
            Stmt::Assign { local, value } => self.assign(*local, value)?,
            Stmt::WriteReg { reg, index, value } if self.context.roles.is_pc(*reg) => {
                let _ = index;
                let val = self.exact(value, self.xlen())?;
                match self.state.next_pc {
                    Some(Binding::Fixed(slot)) => self.copy_into(slot, val),
                    _ => {
                        let val = self.unaliased(val)?;
                        self.state.next_pc = Some(Binding::Value(val));
                    }
                }
            }
            Stmt::WriteReg { reg, index, value } => {
                let index = self.register_index(*reg, index)?;
                let val = self.exact(value, self.xlen())?;
                let val = self.unaliased(val)?;
                self.write_register(index, val);
            }
            Stmt::WriteSpace { space, address, value } => self.write_space(*space, address, value)?,
            Stmt::If { cond, then, els } => return self.branch(cond, then, els),
            Stmt::Loop { cond, body, step, trips } => return self.repeat(cond, body, step, *trips),
            Stmt::Break => {
                let jump = self.push(Uop::new(Op::Goto));
                self.state.loops.last_mut().ok_or(Unsupported)?.breaks.push(jump);
                return Ok(End::Never);
            }
            Stmt::Continue => {
                let jump = self.push(Uop::new(Op::Goto));
                self.state.loops.last_mut().ok_or(Unsupported)?.continues.push(jump);
                return Ok(End::Never);
            }
            Stmt::Return(value) => return self.return_value(value.as_ref()),
            Stmt::Raise { cause, tval } => {
                let cause = self.amount(cause)?;
                let tval = match tval {
                    Some(tval) => self.exact(tval, tval.ty.width.min(64))?,
                    None => Val::Const(0),
                };
                let (a, b) = (self.slot(cause)?, self.slot(tval)?);
                self.push(Uop { a, b, ..Uop::new(Op::Raise) });
                return Ok(End::Never);
            }
            Stmt::Extern { .. } => return Err(Unsupported),
        }
        Ok(End::Falls)
    }

    fn assign(&mut self, local: LocalId, value: &'a Expr) -> Lower<()> {
        let width = value.ty.width;
        let binding = self.local(local)?.clone();
        if width > 64 {
            let fixed = self.state.locals.iter().any(|local| matches!(local, Binding::Fixed(_)));
            if value.touches_space()
                || matches!(binding, Binding::Fixed(_))
                || fixed
                || !self.state.registers.is_empty()
            {
                return Err(Unsupported);
            }
            let seen = self.state.locals.clone();
            self.state.locals[local.index()] = Binding::Deferred(value, seen);
            return Ok(());
        }
        let val = self.exact(value, width)?;
        if let Binding::Fixed(slot) = binding {
            self.copy_into(slot, val);
            return Ok(());
        }
        let val = self.unaliased(val)?;
        self.state.locals[local.index()] = Binding::Value(val);
        Ok(())
    }

    /// A copy of `val` if its slot may be assigned again.
    pub(super) fn unaliased(&mut self, val: Val) -> Lower<Val> {
        let fixed =
            |binding: &Binding<'_>| matches!((binding, val), (Binding::Fixed(a), Val::Slot(b)) if *a == b);
        let aliased = self.state.locals.iter().any(fixed) || self.state.registers.values().any(fixed);
        let val = if aliased {
            let dst = self.temp()?;
            self.state.sealed = self.state.next_temp;
            self.copy_into(dst, val);
            Val::Slot(dst)
        } else {
            val
        };
        self.state.sealed = self.state.next_temp;
        Ok(val)
    }

    fn write_register(&mut self, index: u16, val: Val) {
        match self.state.registers.get(&index) {
            _ if index == 0 => {}
            Some(Binding::Fixed(slot)) => self.copy_into(*slot, val),
            _ => {
                self.state.registers.insert(index, Binding::Value(val));
            }
        }
    }

    fn write_space(&mut self, space: coredsl::ir::SpaceId, address: &'a Expr, value: &'a Expr) -> Lower<()> {
        match self.context.roles.space(space) {
            NativeSpace::Memory => {
                let op = Op::store(value.ty.width).ok_or(Unsupported)?;
                // The engine truncates; the bits above do not matter.
                let val = self.value(value, value.ty.width)?.val;
                let b = self.slot(val)?;
                let (a, imm) = self.address(address)?;
                self.push(Uop { a, b, imm, ..Uop::new(op) });
            }
            NativeSpace::Csr => {
                let address = self.amount(address)?;
                let val = self.exact(value, self.xlen())?;
                let (a, b) = (self.slot(address)?, self.slot(val)?);
                self.push(Uop { a, b, ..Uop::new(Op::CsrWrite) });
                self.state.ends_block = true;
            }
            NativeSpace::Reservation => {
                let address = self.amount(address)?;
                let bytes = self.exact(value, value.ty.width.min(64))?;
                let (a, b) = (self.slot(address)?, self.slot(bytes)?);
                self.push(Uop { a, b, ..Uop::new(Op::ReservationSet) });
            }
            NativeSpace::Fence => match self.amount(address)? {
                // FENCE[0] orders memory accesses, which one hart sees in order anyway.
                Val::Const(0) => {}
                _ => {
                    self.push(Uop::new(Op::FenceI));
                    self.state.ends_block = true;
                }
            },
            NativeSpace::Code | NativeSpace::Unknown => return Err(Unsupported),
        }
        Ok(())
    }
}

/// The exit that makes the comparison `uop` itself.
fn comparing_exit(uop: Uop) -> Option<Uop> {
    let Kind::Pure(Pure::Compare { op, immediate }) = uop.op.kind() else { return None };
    let b = match (immediate, uop.imm) {
        (false, _) => uop.b,
        // Comparisons with zero take the zero register.
        (true, 0) => 0,
        (true, _) => return None,
    };
    Some(Uop { a: uop.a, b, ..Uop::new(op.exit()) })
}
