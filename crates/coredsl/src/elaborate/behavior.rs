//! `behavior:` to a body.

use super::Elaborator;
use super::encoding::Encoded;
use super::flow;
use super::lower::{Context, Lowering};
use crate::ast;
use crate::diagnostic::Checked;
use crate::ir::{AsmPiece, Behavior};

impl<'p> Elaborator<'p> {
    pub(super) fn behavior(
        &mut self,
        set: usize,
        instruction: &'p ast::Instruction,
        encoded: &Encoded,
    ) -> Checked<Behavior> {
        let ast::Behavior::Stmt(statement) = &instruction.behavior else {
            return Ok(Behavior::Extern);
        };
        let mut lowering = Lowering::new(self, set, Context::Behavior);
        lowering.fields = encoded.fields();
        let (result, mut nodes) = lowering.block(|inner| inner.statement(statement));
        result?;
        let is_stated = |attribute: &ast::Attribute| attribute.name.name == flow::STORES_IN_ORDER;
        let in_order = instruction.attributes.iter().any(is_stated);
        let stores = if in_order { flow::Stores::InOrder } else { flow::Stores::Once };
        let stmts = flow::finish(&mut lowering, &mut nodes, 0, stores)?;
        Ok(Behavior::Body(lowering.finish(stmts)))
    }

    pub(super) fn assembly(
        &mut self,
        set: usize,
        assembly: &ast::Assembly,
        encoded: &Encoded,
    ) -> Checked<Vec<AsmPiece>> {
        let Some(format) = &assembly.format else { return Ok(vec![]) };
        self.assembly_format(set, format, encoded)
    }

    /// A mnemonic by the names of the fields that are part of it, and its pieces if any are.
    pub(super) fn mnemonic(
        &mut self,
        set: usize,
        mnemonic: &ast::Ident,
        encoded: &Encoded,
    ) -> Checked<(String, Vec<AsmPiece>)> {
        if !mnemonic.name.contains('{') {
            return Ok((mnemonic.name.clone(), vec![]));
        }
        let pieces = self.assembly_format(set, mnemonic, encoded)?;
        Ok((super::assembly::by_field_names(&mnemonic.name), pieces))
    }

    fn assembly_format(
        &mut self,
        set: usize,
        format: &ast::Ident,
        encoded: &Encoded,
    ) -> Checked<Vec<AsmPiece>> {
        let mut lowering = Lowering::new(self, set, Context::Assembly);
        lowering.fields = encoded.fields();
        lowering.format(format)
    }
}

impl Encoded {
    fn fields(&self) -> Vec<(crate::ir::Field, crate::source::Span)> {
        self.encoding.fields.iter().cloned().zip(self.field_spans.iter().copied()).collect()
    }
}
