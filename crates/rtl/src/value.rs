//! Values of expressions, with registers as inputs and constants folded.

use coredsl::fold;
use coredsl::ir::{BinaryOp, Expr, Kind, RegId, Ty};
use ethnum::U256;

use crate::expression::index_width;
use crate::flow::{Flow, Flowed, State, refuse};
use crate::narrow;
use crate::operand::Register;
use crate::straight::{Source, is_atom, stripped};

impl Flow<'_> {
    pub fn write(&mut self, reg: RegId, index: &Expr, value: &Expr, state: &mut State) -> Flowed<()> {
        let register = &self.module.registers[reg.index()];
        if register.is_pc {
            return refuse(format!("it writes {}", register.name));
        }
        if !register.is_main {
            return refuse(format!("it writes {}, which is no integer register", register.name));
        }
        let Some(to) = Register::of(&self.expr(index, state)?) else {
            return refuse("which register it writes is not in one field of its word");
        };
        if *self.destination.get_or_insert(to) != to {
            return refuse("it writes more than one register");
        }
        let value = self.expr(value, state)?;
        state.written = Some(self.out.named(value, ""));
        Ok(())
    }

    /// The value of a register from before the instruction.
    pub fn register(&mut self, register: Register) -> Flowed<Expr> {
        let ty = Ty::unsigned(self.module.xlen);
        Ok(match register {
            Register::Fixed(0) => fold::constant(U256::ZERO, ty),
            _ => self.input(Source::Register(register), ty),
        })
    }

    fn input(&mut self, source: Source, ty: Ty) -> Expr {
        if let Some((_, known)) = self.inputs.iter().find(|(known, _)| *known == source) {
            return known.clone();
        }
        let signal = self.out.signal(ty, "", source);
        self.inputs.push((source, signal.clone()));
        signal
    }

    fn read(&mut self, reg: RegId, index: &Expr, state: &State) -> Flowed<Expr> {
        let register = &self.module.registers[reg.index()];
        if register.is_pc {
            return Ok(self.input(Source::Pc, register.ty));
        }
        if !register.is_main {
            return refuse(format!("it reads {}, which is no integer register", register.name));
        }
        let Some(from) = Register::of(&self.expr(index, state)?) else {
            return refuse("which register it reads is not in one field of its word");
        };
        match &state.written {
            None => self.register(from),
            Some(_) if Some(from) != self.destination => {
                refuse("it reads a register after it wrote one that may be the same")
            }
            // x0 has kept its value.
            Some(value) => Ok(match from {
                Register::Field { field, plus: 0 } => {
                    let ty = Ty::unsigned(5);
                    let field = Expr { ty, kind: Kind::Field(field) };
                    let is_zero = fold::compare(BinaryOp::Eq, ty, field, fold::constant(U256::ZERO, ty));
                    fold::select(is_zero, value.ty, fold::constant(U256::ZERO, value.ty), value.clone())
                }
                _ => value.clone(),
            }),
        }
    }

    pub fn expr(&mut self, expr: &Expr, state: &State) -> Flowed<Expr> {
        let ty = expr.ty;
        Ok(match &expr.kind {
            Kind::Const(_) | Kind::Field(_) => expr.clone(),
            Kind::Local(local) => state.locals[local.index()].clone(),
            Kind::ReadReg(reg, index) => self.read(*reg, index, state)?,
            Kind::ReadSpace(space, _) => {
                return refuse(format!("it reads {}", self.module.spaces[space.index()].name));
            }
            Kind::Table(table, index) => {
                let index = self.expr(index, state)?;
                let values = &self.module.tables[table.index()].values;
                match fold::as_const(&index) {
                    Some(at) => {
                        let value = usize::try_from(at).ok().and_then(|at| values.get(at));
                        fold::constant(value.copied().unwrap_or_default(), ty)
                    }
                    None => {
                        let fits = index.ty.width <= index_width(values.len());
                        let index = if fits { index } else { self.out.pinned(index) };
                        Expr { ty, kind: Kind::Table(*table, Box::new(index)) }
                    }
                }
            }
            Kind::Unary(op, a) => fold::unary(*op, self.expr(a, state)?),
            Kind::Binary(op, a, b) => {
                let (left, right) = (self.expr(a, state)?, self.expr(b, state)?);
                self.binary(*op, a.ty, left, right)
            }
            Kind::Resize(a) => narrow::resize(self.expr(a, state)?, ty),
            Kind::Slice { value, lsb } => {
                narrow::slice(self.expr(value, state)?, self.expr(lsb, state)?, ty.width)
            }
            Kind::Insert { base, lsb, value } => {
                let base = self.expr(base, state)?;
                let lsb = self.expr(lsb, state)?;
                let value = self.expr(value, state)?;
                self.insert(base, lsb, value)
            }
            Kind::Concat(high, low) => fold::concat(self.expr(high, state)?, self.expr(low, state)?),
            Kind::Select(cond, a, b) => {
                fold::select(self.expr(cond, state)?, ty, self.expr(a, state)?, self.expr(b, state)?)
            }
            Kind::Call(id, arguments) => {
                let arguments: Vec<Expr> =
                    arguments.iter().map(|argument| self.expr(argument, state)).collect::<Flowed<_>>()?;
                let known: Option<Vec<U256>> = arguments.iter().map(fold::as_const).collect();
                match known {
                    Some(known) => fold::constant(coredsl::eval::function(self.module, *id, &known), ty),
                    None if self.sites.get(id) == Some(&1) => self.value_of(*id, arguments)?,
                    None => Expr { ty, kind: Kind::Call(*id, arguments) },
                }
            }
        })
    }

    fn insert(&mut self, base: Expr, lsb: Expr, value: Expr) -> Expr {
        let (all, width) = (base.ty.width, value.ty.width);
        let at = fold::as_const(&lsb).and_then(|at| u16::try_from(at).ok()).filter(|at| at + width <= all);
        let Some(at) = at else {
            return fold::insert(self.out.pinned(base), self.out.pinned(lsb), value);
        };
        let base = self.out.pinned(base);
        let mut whole = if is_cheap(&value) { value } else { self.out.named(value, "") };
        if at > 0 {
            whole = fold::concat(whole, self.part(&base, 0, at));
        }
        if at + width < all {
            whole = fold::concat(self.part(&base, at + width, all - at - width), whole);
        }
        fold::resize(whole, base.ty)
    }

    /// `width` bits from bit `lsb`, where they come from if that is known: bits put together one after the other
    /// become one concatenation.
    fn part(&self, expr: &Expr, lsb: u16, width: u16) -> Expr {
        let expr = stripped(expr);
        match &expr.kind {
            Kind::Concat(high, low) => {
                let split = low.ty.width;
                if lsb >= split {
                    self.part(high, lsb - split, width)
                } else if lsb + width <= split {
                    self.part(low, lsb, width)
                } else {
                    let low = self.part(low, lsb, split - lsb);
                    fold::concat(self.part(high, 0, lsb + width - split), low)
                }
            }
            Kind::Local(id) => match self.out.lets.iter().rev().find(|(known, _)| known == id) {
                Some((_, value)) if is_put_together(stripped(value)) => self.part(value, lsb, width),
                _ => bits(expr, lsb, width),
            },
            _ => bits(expr, lsb, width),
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Ty, left: Expr, right: Expr) -> Expr {
        use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        match op {
            Shl | Shr => fold::shift(op, left, right),
            Add | Sub | Mul | And | Or | Xor => fold::arithmetic(op, ty, left, right),
            Div | Rem => {
                let (left, right) = (self.out.pinned(left), self.out.pinned(right));
                fold::arithmetic(op, ty, left, right)
            }
            _ => fold::compare(op, ty, left, right),
        }
    }
}

fn bits(expr: &Expr, lsb: u16, width: u16) -> Expr {
    narrow::slice(expr.clone(), fold::constant(lsb.into(), Ty::unsigned(16)), width)
}

/// True if an expression is a concatenation of signals and their bits, which cost nothing to write again.
fn is_put_together(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Concat(..)) && is_cheap(expr)
}

fn is_cheap(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Concat(high, low) => is_cheap(high) && is_cheap(low),
        Kind::Slice { value, lsb } => is_atom(value) && fold::as_const(lsb).is_some(),
        Kind::Resize(inner) => inner.ty.width >= expr.ty.width && is_cheap(inner),
        _ => is_atom(expr),
    }
}
