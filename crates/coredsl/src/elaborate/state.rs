//! `architectural_state`: parameters, registers, address spaces, tables and aliases.

use super::Elaborator;
use super::lower::{Lowering, Place};
use super::scope::{Constant, Evaluation, SymbolId, SymbolKind};
use crate::ast::{self, Declaration, Declarator, Initializer, StateItem};
use crate::diagnostic::{Checked, Issue};
use crate::fold;
use crate::ir::{RegId, Register, Space, SpaceId, Table, TableId, Ty};
use ethnum::U256;

/// Largest register file or table.
const MAX_ELEMENTS: u32 = 1 << 16;

type Item<'p> = (usize, &'p Declaration, &'p Declarator);

impl<'p> Elaborator<'p> {
    /// Declares all names of all sets and evaluates what they are worth.
    pub(super) fn declare(&mut self) {
        let program = self.program;
        let mut storage: Vec<Item<'p>> = Vec::new();
        let mut assignments = Vec::new();
        for set in self.order.clone() {
            for item in &program.sets[set].state {
                match item {
                    StateItem::Declaration(declaration) => {
                        for declarator in &declaration.declarators {
                            if is_constant(declaration, declarator) {
                                self.enter_constant(set, declaration, declarator);
                            } else {
                                storage.push((set, declaration, declarator));
                            }
                        }
                    }
                    StateItem::Assignment(expr) => assignments.push((set, expr)),
                    StateItem::UserType(_) => {}
                }
            }
            for function in &program.sets[set].functions {
                self.enter(&function.name, set, SymbolKind::Faulty);
            }
        }
        for (set, expr) in assignments {
            // A faulty assignment has been told; the others still hold.
            let _ = self.assign_parameter(set, expr);
        }
        self.fix_xlen();
        for item in storage {
            let kind = self.storage(item).unwrap_or(SymbolKind::Faulty);
            self.enter(&item.2.name, item.0, kind);
        }
        self.publish_constants();
    }

    fn enter_constant(&mut self, set: usize, declaration: &'p Declaration, declarator: &'p Declarator) {
        let value = match &declarator.init {
            Some(Initializer::Expr(expr)) => Some((expr, set)),
            Some(Initializer::List(_, span)) => {
                let help = "write the value without braces, or declare an array";
                self.report(Issue::new(*span, "a list initialises a single value", "here", help));
                None
            }
            None => None,
        };
        let is_const = declaration.storage.is_const;
        let constant = Constant { ty: &declaration.ty, is_const, value, state: Evaluation::Open };
        self.enter(&declarator.name, set, SymbolKind::Constant(constant));
    }

    /// `NAME = value;` in a set: the parameter's value from now on.
    fn assign_parameter(&mut self, set: usize, expr: &'p ast::Expr) -> Checked<()> {
        let help = "only parameters are assigned here: `NAME = value;`";
        let ast::ExprKind::Assign(None, target, value) = &expr.kind else {
            return Err(self.report(Issue::new(
                expr.span,
                "not an assignment",
                "in `architectural_state`",
                help,
            )));
        };
        let ast::ExprKind::Name(name) = &target.kind else {
            return Err(self.report(Issue::new(target.span, "not a parameter", "assigned here", help)));
        };
        let id = self.resolve(name, target.span, set, &[])?;
        let declared = self.symbols[id.0].span;
        match &mut self.symbols[id.0].kind {
            SymbolKind::Constant(constant) if !constant.is_const => {
                constant.value = Some((value, set));
                Ok(())
            }
            _ => {
                let message = format!("`{name}` is not a parameter");
                let issue = Issue::new(target.span, message, "assigned here", help);
                Err(self.report(issue.and(declared, "declared here")))
            }
        }
    }

    /// `XLEN` is what the caller asked for; a description that fixes it to another value is not meant
    /// for that width.
    fn fix_xlen(&mut self) {
        let ids: Vec<SymbolId> =
            self.names.iter().filter(|((_, name), _)| *name == "XLEN").map(|(_, id)| *id).collect();
        for id in ids {
            let SymbolKind::Constant(constant) = &self.symbols[id.0].kind else { continue };
            let (spec, value, set) = (constant.ty, constant.value, self.symbols[id.0].set);
            let fixed = value.filter(|(_, by)| *by != set || constant.is_const);
            let state = match self.type_of(spec, set) {
                Ok(ty) => Evaluation::Done(U256::from(self.xlen), ty),
                Err(_) => Evaluation::Failed,
            };
            if let Some((expr, by)) = fixed {
                let _ = self.check_xlen(expr, by);
            }
            if let SymbolKind::Constant(constant) = &mut self.symbols[id.0].kind {
                constant.state = state;
            }
        }
    }

    fn check_xlen(&mut self, expr: &'p ast::Expr, set: usize) -> Checked<()> {
        let value = Lowering::constant(self, set).constant_expr(expr, "XLEN")?;
        if fold::as_const(&value) == Some(U256::from(self.xlen)) {
            return Ok(());
        }
        let message = format!("this description fixes XLEN, but {} was asked for", self.xlen);
        let help = "ask for the XLEN written here, or leave it out so that the target decides";
        Err(self.report(Issue::new(expr.span, message, "fixed here", help)))
    }

    fn storage(&mut self, (set, declaration, declarator): Item<'p>) -> Checked<SymbolKind<'p>> {
        let ty = self.type_of(&declaration.ty, set)?;
        if declarator.dimensions.len() > 1 {
            let help = "use one dimension and compute the index";
            let issue = Issue::new(declarator.name.span, "array of more than one dimension", "here", help);
            return Err(self.report(issue));
        }
        if declarator.is_alias {
            self.alias(set, declarator, ty)
        } else if declaration.storage.is_extern {
            Ok(self.space(declarator, ty))
        } else if declaration.storage.is_register {
            self.register(set, declarator, ty)
        } else {
            self.table(set, declarator, ty)
        }
    }

    /// Two sets that name a space alike mean the same one: it lives outside the description.
    fn space(&mut self, declarator: &Declarator, element: Ty) -> SymbolKind<'p> {
        let is_main_mem = declarator.attributes.iter().any(|attribute| attribute.name.name == "is_main_mem");
        let space = Space { name: declarator.name.name.clone(), element, is_main_mem };
        let known = self.module.spaces.iter().position(|other| *other == space);
        let index = known.unwrap_or_else(|| {
            self.module.spaces.push(space);
            self.module.spaces.len() - 1
        });
        SymbolKind::Space(SpaceId(index as u32))
    }

    fn register(&mut self, set: usize, declarator: &Declarator, ty: Ty) -> Checked<SymbolKind<'p>> {
        let name = &declarator.name;
        if self.module.registers.iter().any(|register| register.name == name.name) {
            let message = format!("the register `{}` is declared in two of the sets", name.name);
            let help = "extend the set that declares it, or rename this one";
            return Err(self.report(Issue::new(name.span, message, "declared again", help)));
        }
        let count = self.elements(set, declarator)?;
        if let Some(Initializer::Expr(expr)) = &declarator.init {
            let mut lowering = Lowering::constant(self, set);
            let value = lowering.constant_expr(expr, "the reset value of a register")?;
            lowering.convert(value, ty, expr.span)?;
        }
        let has = |attribute: &str| declarator.attributes.iter().any(|other| other.name.name == attribute);
        let register = Register {
            name: name.name.clone(),
            ty,
            count: count.unwrap_or(1),
            is_pc: has("is_pc"),
            is_main: has("is_main_reg"),
        };
        self.module.registers.push(register);
        let id = RegId(self.module.registers.len() as u32 - 1);
        Ok(SymbolKind::Register { id, is_file: count.is_some() })
    }

    fn elements(&mut self, set: usize, declarator: &Declarator) -> Checked<Option<u32>> {
        let Some(size) = declarator.dimensions.first() else { return Ok(None) };
        let value = Lowering::constant(self, set).constant_expr(size, "the size of an array")?;
        let bits = fold::as_const(&value).unwrap_or_default();
        match u32::try_from(bits) {
            Ok(count) if (1..=MAX_ELEMENTS).contains(&count) => Ok(Some(count)),
            _ => {
                let help = format!("an array has 1 to {MAX_ELEMENTS} elements");
                Err(self.report(Issue::new(size.span, "impossible size of an array", "here", help)))
            }
        }
    }

    fn table(&mut self, set: usize, declarator: &Declarator, element: Ty) -> Checked<SymbolKind<'p>> {
        let name = &declarator.name;
        let count = self.elements(set, declarator)?;
        let Some(Initializer::List(items, span)) = &declarator.init else {
            let message = format!("the array `{}` has no values", name.name);
            let help = "write `register` in front of a register file, or the values of a table in braces";
            return Err(self.report(Issue::new(name.span, message, "declared here", help)));
        };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let Initializer::Expr(expr) = item else {
                let help = "a table has one dimension";
                return Err(self.report(Issue::new(*span, "list within a list", "in this table", help)));
            };
            let mut lowering = Lowering::constant(self, set);
            let value = lowering.constant_expr(expr, "an element of a table")?;
            values.push(fold::as_const(&lowering.convert(value, element, expr.span)?).unwrap_or_default());
        }
        if count.is_some_and(|count| count as usize != values.len()) {
            let message = format!("`{}` has {} values", name.name, values.len());
            let help = "give one value for each element";
            return Err(self.report(Issue::new(name.span, message, "declared with another size", help)));
        }
        self.module.tables.push(Table { name: name.name.clone(), element, values });
        Ok(SymbolKind::Table(TableId(self.module.tables.len() as u32 - 1)))
    }

    fn alias(&mut self, set: usize, declarator: &'p Declarator, ty: Ty) -> Checked<SymbolKind<'p>> {
        let help = "an alias names an element: `unsigned<XLEN>& RA = X[1];`";
        let Some(Initializer::Expr(target)) = &declarator.init else {
            let issue = Issue::new(declarator.name.span, "alias without a target", "here", help);
            return Err(self.report(issue));
        };
        let mut lowering = Lowering::alias(self, set);
        let (place, slices) = lowering.place(target)?;
        let target_ty = lowering.place_ty(&place);
        if !slices.is_empty() {
            return Err(self.report(Issue::new(target.span, "alias of single bits", "here", help)));
        }
        if target_ty != ty {
            let message = format!("an alias of type `{ty}` names an element of type `{target_ty}`");
            let help = format!("declare it as `{target_ty}&`");
            return Err(self.report(Issue::new(declarator.name.span, message, "this alias", help)));
        }
        match place {
            Place::Register { id, index } => Ok(SymbolKind::RegisterAlias { id, index }),
            Place::Space { id, address, .. } => Ok(SymbolKind::SpaceAlias { id, address }),
            Place::Local(_) => Err(self.report(Issue::new(target.span, "alias of a variable", "here", help))),
        }
    }

    /// Evaluates every parameter that has a value, used or not, and lists it in the module.
    fn publish_constants(&mut self) {
        for index in 0..self.symbols.len() {
            let symbol = &self.symbols[index];
            let SymbolKind::Constant(constant) = &symbol.kind else { continue };
            if constant.value.is_none() && constant.state == Evaluation::Open {
                continue;
            }
            let span = symbol.span;
            let id = SymbolId(index);
            let name =
                self.names.iter().find(|(_, other)| **other == id).map(|((_, name), _)| (*name).to_owned());
            if let Some(name) = name
                && let Ok((value, _)) = self.constant(id, &name, span)
            {
                self.module.constants.push((name, value));
            }
        }
    }
}

/// A parameter or scalar constant, in contrast to state, spaces, tables and aliases.
fn is_constant(declaration: &Declaration, declarator: &Declarator) -> bool {
    let storage = declaration.storage;
    !storage.is_extern && !storage.is_register && !declarator.is_alias && declarator.dimensions.is_empty()
}
