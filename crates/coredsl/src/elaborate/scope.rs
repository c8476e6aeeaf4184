//! Names of sets: what they stand for, and where they are looked up.

use super::Elaborator;
use crate::ast;
use crate::diagnostic::{Checked, Issue, Reported};
use crate::ir::{Expr, FuncId, RegId, SpaceId, TableId, Ty};
use crate::program::suggestion;
use crate::source::Span;
use ethnum::U256;

/// Index into the elaborator's symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SymbolId(pub usize);

/// A name declared in a set.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'p> {
    pub span: Span,
    /// The declaring set.
    pub set: usize,
    pub kind: SymbolKind<'p>,
}

#[derive(Clone, Debug)]
pub(super) enum SymbolKind<'p> {
    Constant(Constant<'p>),
    Table(TableId),
    /// `is_file`: declared with a size, accessed with an index.
    Register {
        id: RegId,
        is_file: bool,
    },
    Space(SpaceId),
    /// One element of a register file.
    RegisterAlias {
        id: RegId,
        index: Expr,
    },
    /// One element of an address space.
    SpaceAlias {
        id: SpaceId,
        address: Expr,
    },
    Function(Signature<'p>),
    /// Its declaration is faulty; that has been told.
    Faulty,
}

/// A parameter or constant, evaluated when first asked for.
#[derive(Clone, Debug)]
pub(super) struct Constant<'p> {
    pub ty: &'p ast::TypeSpec,
    pub is_const: bool,
    /// The initial value, or the last assignment, with the set whose names it uses.
    pub value: Option<(&'p ast::Expr, usize)>,
    pub state: Evaluation,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Evaluation {
    Open,
    Running,
    Done(U256, Ty),
    Failed,
}

/// How a function is called.
#[derive(Clone, Debug)]
pub(super) struct Signature<'p> {
    /// `None` for an extern function.
    pub id: Option<FuncId>,
    /// `None` for `void`.
    pub result: Option<Ty>,
    pub parameters: Vec<Ty>,
    pub ast: &'p ast::Function,
}

impl<'p> Elaborator<'p> {
    /// Enters a name of a set; a second declaration in one set is an issue.
    pub(super) fn enter(&mut self, name: &'p ast::Ident, set: usize, kind: SymbolKind<'p>) -> SymbolId {
        let id = SymbolId(self.symbols.len());
        self.symbols.push(Symbol { span: name.span, set, kind });
        if let Some(first) = self.names.insert((set, &name.name), id) {
            let first = self.symbols[first.0].span;
            let message = format!("`{}` is declared twice in one set", name.name);
            let issue = Issue::new(name.span, message, "second declaration", "rename one of them");
            self.report(issue.and(first, "first declaration"));
        }
        id
    }

    /// What `name` means in `set`: its own declaration, else its bases'.
    pub(super) fn find(&self, name: &str, set: usize) -> Option<SymbolId> {
        self.seen_from[set].iter().find_map(|&set| self.names.get(&(set, name)).copied())
    }

    /// Like [`Self::find`], where an unknown name is an issue; `more` are names known besides.
    pub(super) fn resolve(
        &mut self,
        name: &str,
        span: Span,
        set: usize,
        more: &[String],
    ) -> Checked<SymbolId> {
        if let Some(id) = self.find(name, set) {
            return match self.symbols[id.0].kind {
                SymbolKind::Faulty => Err(Reported),
                _ => Ok(id),
            };
        }
        let visible = self.names.keys().filter(|(_, known)| self.find(known, set).is_some());
        let help = suggestion(name, visible.map(|(_, known)| *known).chain(more.iter().map(String::as_str)))
            .or_else(|| self.elsewhere(name))
            .unwrap_or_else(|| {
                "declare it as a variable, a field of the encoding, or in `architectural_state`".to_owned()
            });
        Err(self.report(Issue::new(span, format!("unknown name `{name}`"), "not declared", help)))
    }

    /// Help for a name that a set declares which is not a base of the one at hand.
    fn elsewhere(&self, name: &str) -> Option<String> {
        let declares = |set: &&std::sync::Arc<ast::Set>| {
            let state = set.state.iter().any(|item| match item {
                ast::StateItem::Declaration(declaration) => {
                    declaration.declarators.iter().any(|declarator| declarator.name.name == name)
                }
                _ => false,
            });
            state || set.functions.iter().any(|function| function.name.name == name)
        };
        let set = self.program.sets.iter().find(declares)?;
        Some(format!("`{}` declares it: extend that set", set.name.name))
    }
}
