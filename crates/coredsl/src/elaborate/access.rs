//! Elements of registers, spaces and tables, and bits of values.

use super::lower::{Context, Lowering, Place};
use super::scope::{SymbolId, SymbolKind};
use super::symbolic;
use crate::ast::{self, ExprKind};
use crate::diagnostic::Checked;
use crate::fold;
use crate::ir::{Expr, Kind, MAX_WIDTH, RegId, TableId, Ty};
use crate::source::Span;
use ethnum::U256;

/// Bits of a value: the lowest one, and how many.
pub(super) type Bits = (Expr, u16);

impl Lowering<'_, '_> {
    /// `target[index]`, read.
    pub fn index(&mut self, target: &ast::Expr, index: &ast::Expr, span: Span) -> Checked<Expr> {
        if let Some((id, name)) = self.elements_named(target)? {
            if let SymbolKind::Table(table) = self.elaborator.symbols[id.0].kind {
                return self.table_element(table, &name, index);
            }
            let place = self.element(id, &name, index, span)?;
            return self.read(place, span);
        }
        let value = self.expr(target);
        let (lsb, width) = self.bits(value.as_ref().ok().map(|value| value.ty), index, None)?;
        Ok(fold::slice(value?, lsb, width))
    }

    /// `target[high:low]`, read.
    pub fn range(
        &mut self,
        target: &ast::Expr,
        high: &ast::Expr,
        low: &ast::Expr,
        span: Span,
    ) -> Checked<Expr> {
        if let Some((id, name)) = self.elements_named(target)? {
            let place = self.element_range(id, &name, high, low, span)?;
            return self.read(place, span);
        }
        let value = self.expr(target);
        let (lsb, width) = self.bits(value.as_ref().ok().map(|value| value.ty), high, Some(low))?;
        Ok(fold::slice(value?, lsb, width))
    }

    /// The symbol, if `target` names something with several elements.
    fn elements_named(&mut self, target: &ast::Expr) -> Checked<Option<(SymbolId, String)>> {
        let ExprKind::Name(name) = &target.kind else { return Ok(None) };
        if self.find_local(name).is_some() || self.fields.iter().any(|(field, _)| field.name == *name) {
            return Ok(None);
        }
        let known = self.known_names();
        let id = self.elaborator.resolve(name, target.span, self.set, &known)?;
        let several = matches!(
            self.elaborator.symbols[id.0].kind,
            SymbolKind::Table(_) | SymbolKind::Space(_) | SymbolKind::Register { is_file: true, .. }
        );
        Ok(several.then(|| (id, name.clone())))
    }

    fn table_element(&mut self, id: TableId, name: &str, index: &ast::Expr) -> Checked<Expr> {
        let at = fold::position(self.expr(index)?);
        let table = &self.elaborator.module.tables[id.index()];
        let (element, count) = (table.element, table.values.len());
        let Some(constant) = fold::as_const(&at) else {
            return Ok(Expr { ty: element, kind: Kind::Table(id, Box::new(at)) });
        };
        match usize::try_from(constant).ok().and_then(|at| table.values.get(at)) {
            Some(value) => Ok(fold::constant(*value, element)),
            None => self.past_the_last(name, count, index.span),
        }
    }

    fn past_the_last<T>(&mut self, name: &str, count: usize, span: Span) -> Checked<T> {
        let message = format!("`{name}` has {count} elements");
        self.fail(span, message, "past the last", format!("write 0 to {}", count - 1))
    }

    /// One element of a register file or an address space.
    fn element(&mut self, id: SymbolId, name: &str, index: &ast::Expr, span: Span) -> Checked<Place> {
        let value = self.expr(index)?;
        self.allow_state(name, span)?;
        match self.elaborator.symbols[id.0].kind {
            SymbolKind::Register { id, .. } => {
                let index_value = fold::position(value);
                let count = self.elaborator.module.registers[id.index()].count;
                if fold::as_const(&index_value).is_some_and(|at| at >= U256::from(count)) {
                    return self.past_the_last(name, count as usize, index.span);
                }
                Ok(Place::Register { id, index: index_value })
            }
            SymbolKind::Space(id) => {
                let ty = self.elaborator.module.spaces[id.index()].element;
                Ok(Place::Space { id, address: self.address(value), ty })
            }
            _ => {
                let message = format!("`{name}` cannot be assigned");
                self.fail(span, message, "constant table", "use a register or a variable")
            }
        }
    }

    fn element_range(
        &mut self,
        id: SymbolId,
        name: &str,
        high: &ast::Expr,
        low: &ast::Expr,
        span: Span,
    ) -> Checked<Place> {
        let SymbolKind::Space(space) = self.elaborator.symbols[id.0].kind else {
            let message = format!("a range of elements of `{name}`");
            return self.fail(
                span,
                message,
                "only address spaces have ranges of elements",
                "join single elements with `::`",
            );
        };
        self.allow_state(name, span)?;
        let (address, count) = self.constant_width(high, low)?;
        let width = u32::from(self.elaborator.module.spaces[space.index()].element.width) * count;
        self.limited(u16::try_from(width).unwrap_or(u16::MAX), span)?;
        Ok(Place::Space { id: space, address: self.address(address), ty: Ty::unsigned(width as u16) })
    }

    /// Addresses wrap at XLEN bits.
    fn address(&self, address: Expr) -> Expr {
        let xlen = Ty::unsigned(self.elaborator.xlen);
        if address.ty.signed || address.ty.width > xlen.width { fold::resize(address, xlen) } else { address }
    }

    /// `high` and `low` of a range as the low end and the number of bits or elements.
    fn constant_width(&mut self, high: &ast::Expr, low: &ast::Expr) -> Checked<(Expr, u32)> {
        let (high_value, low_value) = (self.expr(high), self.expr(low));
        let (high_value, low_value) = (high_value?, low_value?);
        let span = high.span.to(low.span);
        match symbolic::difference(&high_value, &low_value) {
            Some(difference) if difference < u32::from(MAX_WIDTH) => Ok((low_value, difference + 1)),
            Some(_) => self.fail(span, "the range is too wide", "here", format!("at most {MAX_WIDTH} bits")),
            None if symbolic::difference(&low_value, &high_value).is_some() => self.fail(
                span,
                "the ends of the range are swapped",
                "here",
                "write the higher number first: `x[high:low]`",
            ),
            None => {
                let help = "write both ends as one expression plus a constant, as in `x[i+7:i]`, or shift and cast: `(unsigned<8>)(x >> i)`";
                self.fail(span, "the width of the range is not constant", "varies", help)
            }
        }
    }

    /// Bits `high` to `low`, or the single bit `high`, of a value of type `ty`.
    fn bits(&mut self, ty: Option<Ty>, high: &ast::Expr, low: Option<&ast::Expr>) -> Checked<Bits> {
        let (lsb, width) = match low {
            Some(low) => self.constant_width(high, low)?,
            None => (self.expr(high)?, 1),
        };
        let lowest = fold::as_const(&fold::position(lsb.clone())).unwrap_or_default();
        let highest = lowest.saturating_add(U256::from(width - 1));
        if let Some(ty) = ty
            && highest >= U256::from(ty.width)
        {
            let message = format!("bit {highest} of a value of {} bits", ty.width);
            let help = format!(
                "bits are 0 to {}; an instruction that exists only for one XLEN needs `[[enable=XLEN==64]]`",
                ty.width - 1
            );
            return self.fail(high.span, message, "past the highest", help);
        }
        Ok((lsb, width as u16))
    }

    /// What an assignment writes: a place and, from the outside in, the bits of it.
    pub fn place(&mut self, target: &ast::Expr) -> Checked<(Place, Vec<Bits>)> {
        match &target.kind {
            ExprKind::Name(name) => Ok((self.assignable(name, target.span)?, vec![])),
            ExprKind::Index(inner, index) => {
                if let Some((id, name)) = self.elements_named(inner)? {
                    return Ok((self.element(id, &name, index, target.span)?, vec![]));
                }
                self.place_bits(inner, index, None)
            }
            ExprKind::Range(inner, high, low) => {
                if let Some((id, name)) = self.elements_named(inner)? {
                    return Ok((self.element_range(id, &name, high, low, target.span)?, vec![]));
                }
                self.place_bits(inner, high, Some(low))
            }
            _ => {
                let help =
                    "assign to a variable, a register, an element of an address space, or bits of these";
                self.fail(target.span, "this cannot be assigned", "not a place", help)
            }
        }
    }

    fn place_bits(
        &mut self,
        inner: &ast::Expr,
        high: &ast::Expr,
        low: Option<&ast::Expr>,
    ) -> Checked<(Place, Vec<Bits>)> {
        let (place, mut slices) = self.place(inner)?;
        let ty = slices.last().map_or_else(|| self.place_ty(&place), |(_, width)| Ty::unsigned(*width));
        slices.push(self.bits(Some(ty), high, low)?);
        Ok((place, slices))
    }

    fn assignable(&mut self, name: &str, span: Span) -> Checked<Place> {
        if let Some(variable) = self.find_local(name) {
            return variable.id.map(Place::Local).ok_or(crate::diagnostic::Reported);
        }
        if self.fields.iter().any(|(field, _)| field.name == name) {
            let message = format!("the field `{name}` cannot be assigned");
            return self.fail(span, message, "part of the encoding", "copy it into a variable first");
        }
        let known = self.known_names();
        let id = self.elaborator.resolve(name, span, self.set, &known)?;
        self.named_place(id, name, span)
    }

    /// A single register or an alias.
    pub fn named_place(&mut self, id: SymbolId, name: &str, span: Span) -> Checked<Place> {
        let place = match &self.elaborator.symbols[id.0].kind {
            SymbolKind::Register { id, is_file: false } => {
                Place::Register { id: *id, index: fold::constant(U256::ZERO, Ty::unsigned(1)) }
            }
            SymbolKind::RegisterAlias { id, index } => Place::Register { id: *id, index: index.clone() },
            SymbolKind::SpaceAlias { id, address } => {
                let ty = self.elaborator.module.spaces[id.index()].element;
                Place::Space { id: *id, address: address.clone(), ty }
            }
            SymbolKind::Constant(_) => {
                let message = format!("the constant `{name}` cannot be assigned");
                return self.fail(span, message, "constant", "use a variable");
            }
            _ => {
                let message = format!("`{name}` cannot be assigned as a whole");
                return self.fail(span, message, "here", format!("write `{name}[index]`"));
            }
        };
        self.allow_state(name, span)?;
        Ok(place)
    }

    /// State is visible in behaviours only.
    fn allow_state(&mut self, name: &str, span: Span) -> Checked<()> {
        match self.context {
            Context::Behavior | Context::Alias | Context::Assembly => Ok(()),
            Context::Function => {
                let message = format!("functions are pure: `{name}` is state");
                self.fail(
                    span,
                    message,
                    "access to state",
                    "pass the value as an argument, and assign the result in the behavior",
                )
            }
            Context::Constant => {
                let message = format!("`{name}` is state, not a constant");
                self.fail(span, message, "access to state", "use literals, parameters and constants only")
            }
        }
    }

    pub fn place_ty(&self, place: &Place) -> Ty {
        match place {
            Place::Local(id) => self.local_ty(*id),
            Place::Register { id, .. } => self.elaborator.module.registers[id.index()].ty,
            Place::Space { ty, .. } => *ty,
        }
    }

    /// The value of a place.
    pub fn read(&mut self, place: Place, span: Span) -> Checked<Expr> {
        let ty = self.place_ty(&place);
        let kind = match place {
            Place::Local(id) => Kind::Local(id),
            Place::Register { id, index } => Kind::ReadReg(id, Box::new(index)),
            Place::Space { id, address, .. } => Kind::ReadSpace(id, Box::new(address)),
        };
        if self.context == Context::Assembly && !self.is_pc(&kind) {
            return self.fail(span, "an operand depends on state", "here", "use fields and `PC` only");
        }
        Ok(Expr { ty, kind })
    }

    fn is_pc(&self, kind: &Kind) -> bool {
        let register = |id: &RegId| self.elaborator.module.registers[id.index()].is_pc;
        matches!(kind, Kind::ReadReg(id, _) if register(id))
    }
}
