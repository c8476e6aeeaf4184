//! Recognition of functions that have a host implementation.
//!
//! A function is recognised if it is, node for node, the one of that name in the project's own
//! descriptions: a user's `clz` with another body is compiled as it stands.

use std::collections::HashMap;

use coredsl::ir::{Body, Expr, FuncId, Function, Kind, Module, Stmt, TableId};

use super::{Lower, Lowering, Unsupported, Val, Value};
use crate::uop::Op;

/// How a call becomes an operation.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// `op(argument)`.
    Unary(Op),
    /// `op(first, second)`.
    Binary(Op),
    /// `first ^ op(second, third)`.
    Accumulate(Op),
}

/// Functions of a module with a host implementation.
#[derive(Debug, Default)]
pub struct Idioms {
    forms: HashMap<FuncId, Form>,
}

impl Idioms {
    /// Compares a module's functions with those of `reference`, the project's own descriptions for the
    /// same XLEN.
    pub fn recognise(module: &Module, reference: &Module) -> Self {
        let known: HashMap<&str, &Function> =
            reference.functions.iter().map(|function| (function.name.as_str(), function)).collect();
        let forms = module.functions.iter().enumerate().filter_map(|(index, function)| {
            let form = form(&function.name, module.xlen)?;
            let same =
                Comparison { a: module, b: reference }.functions(function, known.get(&*function.name)?);
            same.then_some((FuncId(index as u32), form))
        });
        Self { forms: forms.collect() }
    }

    /// The value a recognised function has for constant arguments; `None` if it is not recognised.
    pub fn evaluate(&self, function: FuncId, args: &[u64]) -> Option<u64> {
        use crate::uop::{fold_binary, fold_unary};
        match (*self.forms.get(&function)?, args) {
            (Form::Unary(op), &[a]) => fold_unary(op, a),
            (Form::Binary(op), &[a, b]) => fold_binary(op, a, b),
            (Form::Accumulate(op), &[a, b, c]) => Some(a ^ fold_binary(op, b, c)?),
            _ => None,
        }
    }

    /// Recognised functions.
    pub fn functions(&self) -> impl Iterator<Item = FuncId> {
        self.forms.keys().copied()
    }
}

fn form(name: &str, xlen: u16) -> Option<Form> {
    let by_xlen = |narrow, wide| if xlen == 32 { narrow } else { wide };
    Some(match name {
        "clz" => Form::Unary(by_xlen(Op::Clz32, Op::Clz64)),
        "ctz" => Form::Unary(by_xlen(Op::Ctz32, Op::Ctz64)),
        "clz32" => Form::Unary(Op::Clz32),
        "ctz32" => Form::Unary(Op::Ctz32),
        "cpop" | "cpop32" => Form::Unary(Op::Cpop),
        "orc_b" => Form::Unary(Op::OrcB),
        "rev8" => Form::Unary(by_xlen(Op::Rev32, Op::Rev64)),
        "brev8" => Form::Unary(Op::Brev8),
        "zip" => Form::Unary(Op::Zip32),
        "unzip" => Form::Unary(Op::Unzip32),
        "clmul" => Form::Binary(Op::Clmul),
        "clmulh" => Form::Binary(by_xlen(Op::ClmulH32, Op::ClmulH64)),
        "clmulr" => Form::Binary(by_xlen(Op::ClmulR32, Op::ClmulR64)),
        "xperm4" => Form::Binary(Op::Xperm4),
        "xperm8" => Form::Binary(Op::Xperm8),
        "div" => Form::Binary(by_xlen(Op::DivS32, Op::DivS64)),
        "divu" => Form::Binary(by_xlen(Op::DivU32, Op::DivU)),
        "rem" => Form::Binary(by_xlen(Op::RemS32, Op::RemS64)),
        "remu" | "remu32" => Form::Binary(Op::RemU),
        "div32" => Form::Binary(Op::DivS32),
        "divu32" => Form::Binary(Op::DivU32),
        "rem32" => Form::Binary(Op::RemS32),
        "aes64es" => Form::Binary(Op::Aes64Es),
        "aes64esm" => Form::Binary(Op::Aes64Esm),
        "aes64ds" => Form::Binary(Op::Aes64Ds),
        "aes64dsm" => Form::Binary(Op::Aes64Dsm),
        "aes64im" => Form::Unary(Op::Aes64Im),
        "aes64ks1i" => Form::Binary(Op::Aes64Ks1),
        "aes32esi" => Form::Accumulate(Op::Aes32Esi),
        "aes32esmi" => Form::Accumulate(Op::Aes32Esmi),
        "aes32dsi" => Form::Accumulate(Op::Aes32Dsi),
        "aes32dsmi" => Form::Accumulate(Op::Aes32Dsmi),
        _ => return None,
    })
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn call_idiom(&mut self, id: FuncId, args: &'a [Expr]) -> Lower<Option<Value>> {
        let Some(form) = self.context.idioms.forms.get(&id).copied() else { return Ok(None) };
        let mut vals = [Val::Const(0); 3];
        for (val, arg) in vals.iter_mut().zip(args) {
            *val = self.exact(arg, arg.ty.width)?;
        }
        let width = self.context.module.functions.get(id.index()).ok_or(Unsupported)?.result.width.min(64);
        let value = match (form, args.len()) {
            (Form::Unary(op), 1) => self.unary(op, vals[0], width)?,
            (Form::Binary(op), 2) => self.binary(op, vals[0], vals[1], result_bits(op, width))?,
            (Form::Accumulate(op), 3) => {
                let mixed = self.binary(op, vals[1], vals[2], width)?;
                self.binary(Op::Xor, vals[0], mixed.val, width)?
            }
            _ => return Err(Unsupported),
        };
        Ok(Some(value))
    }
}

/// Bits a host operation may set: those that know 64 bits only may set some past a 32-bit result.
const fn result_bits(op: Op, width: u16) -> u16 {
    match op {
        Op::Clmul | Op::Xperm4 | Op::Xperm8 => 64,
        _ => width,
    }
}

/// Structural equality across two modules, whose identifiers may differ.
struct Comparison<'m> {
    a: &'m Module,
    b: &'m Module,
}

impl Comparison<'_> {
    fn functions(&self, f: &Function, g: &Function) -> bool {
        f.parameters == g.parameters && f.result == g.result && self.bodies(&f.body, &g.body)
    }

    fn bodies(&self, f: &Body, g: &Body) -> bool {
        f.locals == g.locals && self.blocks(&f.stmts, &g.stmts)
    }

    fn blocks(&self, f: &[Stmt], g: &[Stmt]) -> bool {
        f.len() == g.len() && f.iter().zip(g).all(|(f, g)| self.stmts(f, g))
    }

    fn stmts(&self, f: &Stmt, g: &Stmt) -> bool {
        match (f, g) {
            (Stmt::Assign { local: l, value: v }, Stmt::Assign { local: m, value: w }) => {
                l == m && self.exprs(v, w)
            }
            (Stmt::If { cond: c, then: t, els: e }, Stmt::If { cond: d, then: u, els: f }) => {
                self.exprs(c, d) && self.blocks(t, u) && self.blocks(e, f)
            }
            (
                Stmt::Loop { cond: c, body: b, step: s, trips: n },
                Stmt::Loop { cond: d, body: e, step: t, trips: m },
            ) => n == m && self.exprs(c, d) && self.blocks(b, e) && self.blocks(s, t),
            (Stmt::Return(Some(v)), Stmt::Return(Some(w))) => self.exprs(v, w),
            (Stmt::Break, Stmt::Break) | (Stmt::Continue, Stmt::Continue) => true,
            _ => false,
        }
    }

    fn tables(&self, f: TableId, g: TableId) -> bool {
        match (self.a.tables.get(f.index()), self.b.tables.get(g.index())) {
            (Some(f), Some(g)) => f.element == g.element && f.values == g.values,
            _ => false,
        }
    }

    fn calls(&self, f: FuncId, g: FuncId) -> bool {
        match (self.a.functions.get(f.index()), self.b.functions.get(g.index())) {
            (Some(f), Some(g)) => self.functions(f, g),
            _ => false,
        }
    }

    fn exprs(&self, f: &Expr, g: &Expr) -> bool {
        f.ty == g.ty
            && match (&f.kind, &g.kind) {
                (Kind::Const(x), Kind::Const(y)) => x == y,
                (Kind::Local(x), Kind::Local(y)) => x == y,
                (Kind::Table(t, x), Kind::Table(u, y)) => self.tables(*t, *u) && self.exprs(x, y),
                (Kind::Unary(o, x), Kind::Unary(p, y)) => o == p && self.exprs(x, y),
                (Kind::Resize(x), Kind::Resize(y)) => self.exprs(x, y),
                (Kind::Binary(o, x, v), Kind::Binary(p, y, w)) => {
                    o == p && self.exprs(x, y) && self.exprs(v, w)
                }
                (Kind::Concat(x, v), Kind::Concat(y, w)) => self.exprs(x, y) && self.exprs(v, w),
                (Kind::Slice { value: x, lsb: v }, Kind::Slice { value: y, lsb: w }) => {
                    self.exprs(x, y) && self.exprs(v, w)
                }
                (Kind::Insert { base: x, lsb: v, value: s }, Kind::Insert { base: y, lsb: w, value: t })
                | (Kind::Select(x, v, s), Kind::Select(y, w, t)) => {
                    self.exprs(x, y) && self.exprs(v, w) && self.exprs(s, t)
                }
                (Kind::Call(h, x), Kind::Call(k, y)) => {
                    x.len() == y.len() && self.calls(*h, *k) && x.iter().zip(y).all(|(x, y)| self.exprs(x, y))
                }
                _ => false,
            }
    }
}
