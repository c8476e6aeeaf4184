//! The form between a behaviour and its text: signals in order, each computed once from those before it.

use coredsl::ir::{Expr, FuncId, Kind, LocalId, Ty};

use crate::operand::Register;

/// What gives a signal its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A register's value from before the instruction.
    Register(Register),
    /// The instruction's address.
    Pc,
    /// A parameter of a function.
    Parameter,
    /// The expression in [`Straight::lets`].
    Let,
}

/// A value with a name.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub ty: Ty,
    /// What the description calls it; empty for what it does not name.
    pub name: String,
    pub source: Source,
    /// Its text is needed more than once where it is used, so that it cannot be written in place.
    pub pinned: bool,
}

/// Signals without control: expressions refer to them as [`Kind::Local`].
#[derive(Clone, Default, Debug)]
pub(crate) struct Straight {
    pub signals: Vec<Signal>,
    /// Signals with their expressions, each after those that it uses.
    pub lets: Vec<(LocalId, Expr)>,
    /// What it computes: a function's value; a behaviour's destination register, and whether it is illegal.
    pub results: Vec<Expr>,
}

impl Straight {
    pub fn signal(&mut self, ty: Ty, name: &str, source: Source) -> Expr {
        let id = LocalId(self.signals.len() as u32);
        self.signals.push(Signal { ty, name: name.to_owned(), source, pinned: false });
        Expr { ty, kind: Kind::Local(id) }
    }

    /// The value by a name: itself if it is one already.
    pub fn named(&mut self, value: Expr, name: &str) -> Expr {
        if is_atom(&value) {
            return value;
        }
        let signal = self.signal(value.ty, name, Source::Let);
        if let Kind::Local(id) = signal.kind {
            self.lets.push((id, value));
        }
        signal
    }

    /// The same for a value whose text will be needed more than once.
    pub fn pinned(&mut self, value: Expr) -> Expr {
        let signal = self.named(value, "");
        if let Kind::Local(id) = signal.kind {
            self.signals[id.index()].pinned = true;
        }
        signal
    }

    /// Every expression.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.lets.iter().map(|(_, value)| value).chain(&self.results)
    }

    /// The functions it calls, each once.
    pub fn called(&self) -> Vec<FuncId> {
        let mut found = Vec::new();
        self.exprs().for_each(|expr| {
            expr.visit(&mut |expr| match expr.kind {
                Kind::Call(id, _) if !found.contains(&id) => found.push(id),
                _ => {}
            });
        });
        found
    }
}

/// A constant, a signal or a field.
pub(crate) fn is_atom(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Const(_) | Kind::Local(_) | Kind::Field(_) => true,
        Kind::Resize(inner) => inner.ty.width == expr.ty.width && is_atom(inner),
        _ => false,
    }
}

/// The signal or field that an expression is, however its bits are read.
pub(crate) fn stripped(mut expr: &Expr) -> &Expr {
    while let Kind::Resize(inner) = &expr.kind
        && inner.ty.width == expr.ty.width
    {
        expr = inner;
    }
    expr
}
