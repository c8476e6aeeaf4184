//! Walks over expressions and statements: the one place that knows what a node contains.

use super::{Expr, Kind, Stmt};

impl Expr {
    /// The operands of the node, in order of evaluation.
    pub fn operands(&self) -> impl Iterator<Item = &Self> {
        let (boxed, listed): ([Option<&Self>; 3], &[Self]) = match &self.kind {
            Kind::Const(_) | Kind::Field(_) | Kind::Local(_) => ([None; 3], &[]),
            Kind::ReadReg(_, a)
            | Kind::ReadSpace(_, a)
            | Kind::Table(_, a)
            | Kind::Unary(_, a)
            | Kind::Resize(a) => ([Some(a), None, None], &[]),
            Kind::Binary(_, a, b) | Kind::Concat(a, b) | Kind::Slice { value: a, lsb: b } => {
                ([Some(a), Some(b), None], &[])
            }
            Kind::Insert { base: a, lsb: b, value: c } | Kind::Select(a, b, c) => {
                ([Some(a), Some(b), Some(c)], &[])
            }
            Kind::Call(_, args) => ([None; 3], args),
        };
        boxed.into_iter().flatten().chain(listed)
    }

    /// The operands of the node, to be replaced by others of the same types.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let (boxed, listed): ([Option<&mut Self>; 3], &mut [Self]) = match &mut self.kind {
            Kind::Const(_) | Kind::Field(_) | Kind::Local(_) => ([None, None, None], &mut []),
            Kind::ReadReg(_, a)
            | Kind::ReadSpace(_, a)
            | Kind::Table(_, a)
            | Kind::Unary(_, a)
            | Kind::Resize(a) => ([Some(a), None, None], &mut []),
            Kind::Binary(_, a, b) | Kind::Concat(a, b) | Kind::Slice { value: a, lsb: b } => {
                ([Some(a), Some(b), None], &mut [])
            }
            Kind::Insert { base: a, lsb: b, value: c } | Kind::Select(a, b, c) => {
                ([Some(a), Some(b), Some(c)], &mut [])
            }
            Kind::Call(_, args) => ([None, None, None], args),
        };
        boxed.into_iter().flatten().chain(listed)
    }

    /// Calls `f` on the node and on everything in it.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Self)) {
        f(self);
        self.operands().for_each(|operand| operand.visit(f));
    }

    /// True if `is` holds of the node or of anything in it.
    pub fn any(&self, is: &impl Fn(&Self) -> bool) -> bool {
        is(self) || self.operands().any(|operand| operand.any(is))
    }

    /// True if evaluating the expression reads an address space, which may fault or change the machine.
    pub fn touches_space(&self) -> bool {
        self.any(&|expr| matches!(expr.kind, Kind::ReadSpace(..)))
    }
}

impl Stmt {
    /// The statements directly inside, as the blocks they form: both branches, or a loop's body and step.
    pub fn blocks(&self) -> [&[Self]; 2] {
        match self {
            Self::If { then, els, .. } => [then, els],
            Self::Loop { body, step, .. } => [body, step],
            _ => [&[], &[]],
        }
    }

    /// The expressions of the statement itself, in order of evaluation.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (given, listed): ([Option<&Expr>; 2], &[Expr]) = match self {
            Self::Assign { value, .. } => ([Some(value), None], &[]),
            Self::WriteReg { index: place, value, .. } | Self::WriteSpace { address: place, value, .. } => {
                ([Some(place), Some(value)], &[])
            }
            Self::If { cond, .. } | Self::Loop { cond, .. } => ([Some(cond), None], &[]),
            Self::Return(value) => ([value.as_ref(), None], &[]),
            Self::Raise { cause, tval } => ([Some(cause), tval.as_ref()], &[]),
            Self::Extern { args, .. } => ([None; 2], args),
            Self::Break | Self::Continue => ([None; 2], &[]),
        };
        given.into_iter().flatten().chain(listed)
    }
}

/// Calls `f` on every statement, those inside others after the one around them.
pub fn statements<'a>(stmts: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        stmt.blocks().into_iter().for_each(|block| statements(block, f));
    }
}

/// True if `is` holds of one of these statements or of one inside them.
pub fn any_statement(stmts: &[Stmt], is: &impl Fn(&Stmt) -> bool) -> bool {
    stmts.iter().any(|stmt| is(stmt) || stmt.blocks().into_iter().any(|block| any_statement(block, is)))
}
