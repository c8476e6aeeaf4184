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
        let stmts = flow::finish(&mut lowering, &mut nodes, 0)?;
        Ok(Behavior::Body(lowering.finish(stmts)))
    }

    pub(super) fn assembly(
        &mut self,
        set: usize,
        assembly: &ast::Assembly,
        encoded: &Encoded,
    ) -> Checked<Vec<AsmPiece>> {
        let Some(format) = &assembly.format else { return Ok(vec![]) };
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
