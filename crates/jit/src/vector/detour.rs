//! Ways around the host's instructions, by a call: columns outlive either way, and are stored on the way around alone. So do
//! scalars that are at hand before, since no such instruction writes one.

use super::columns::Column;
use crate::builder::Builder;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};

impl Builder<'_, '_> {
    /// Compiles an instruction as `inline` does, or if there is a number that is not 0, as `call` does, which is the call of a
    /// function. So it is done, too, where `inline` goes to the block that it gets, before it sets any column.
    pub(super) fn inline_unless(
        &mut self,
        number: Option<Value>,
        inline: impl FnOnce(&mut Self, Block),
        call: impl FnOnce(&mut Self),
    ) {
        // At hand on all ways.
        let file = self.register_file();
        let (before, scalars) = (self.vector.columns.clone(), self.vector.scalars.clone());
        let done = self.ins.create_block();
        let (around, straight) = (self.ins.create_block(), self.ins.create_block());
        match number {
            Some(number) => self.ins.ins().brif(number, around, &[], straight, &[]),
            None => self.ins.ins().jump(straight, &[]),
        };
        self.ins.set_cold_block(around);
        self.ins.seal_block(straight);
        self.ins.switch_to_block(straight);
        inline(self, around);
        self.ins.seal_block(around);
        let after = self.vector.columns.all();
        let mut values = Vec::new();
        for (_, column) in &after {
            let lanes = self.ins.func.dfg.value_type(column.value);
            self.ins.append_block_param(done, lanes);
            values.push(BlockArg::Value(column.value));
        }
        self.ins.ins().jump(done, &values);

        self.ins.switch_to_block(around);
        self.vector.columns = before;
        call(self);
        let mut loaded = Vec::new();
        for &(offset, column) in &after {
            let lanes = self.ins.func.dfg.value_type(column.value);
            loaded.push(BlockArg::Value(self.column(offset, lanes)));
        }
        self.ins.ins().jump(done, &loaded);

        self.ins.seal_block(done);
        self.ins.switch_to_block(done);
        self.vector.columns.clear();
        self.vector.register_file = Some(file);
        self.vector.scalars = scalars;
        let values = self.ins.block_params(done).to_vec();
        for (&(offset, Column { is_stored, .. }), value) in after.iter().zip(values) {
            self.vector.columns.insert(offset, Column { value, is_stored });
        }
    }
}
