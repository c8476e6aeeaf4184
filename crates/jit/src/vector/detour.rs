//! Ways around the host's instructions, by a call: columns outlive either way, and are stored on the way around alone. So do
//! scalars that are at hand before, since no such instruction writes one.

use super::columns::{Column, Columns};
use super::scalars::Scalars;
use crate::builder::Builder;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};

/// Ways that part and meet again.
pub struct Detour {
    /// To where the call is. Before it, no column is set.
    pub around: Block,
    done: Block,
    /// Host address of the register file.
    file: Value,
    /// What is at hand where they part.
    columns: Columns,
    scalars: Scalars,
    /// And where they meet, if one of them has come there.
    after: Option<Vec<(usize, Column)>>,
}

impl Builder<'_, '_> {
    /// Compiles an instruction as `inline` does, or if there is a number that is not 0, as `call` does, which is the call of a
    /// function. So it is done, too, where `inline` goes to the block that it gets, before it sets any column.
    pub(super) fn inline_unless(
        &mut self,
        number: Option<Value>,
        inline: impl FnOnce(&mut Self, Block),
        call: impl FnOnce(&mut Self),
    ) {
        let mut detour = self.part_ways(number, None);
        inline(self, detour.around);
        self.join(&mut detour);
        self.end_detour(detour, call);
    }

    /// Goes around if there is a number that is not 0, or elsewhere if that is given, and on otherwise.
    pub(super) fn part_ways(&mut self, number: Option<Value>, elsewhere: Option<Block>) -> Detour {
        // At hand on all ways.
        let file = self.register_file();
        let (columns, scalars) = (self.vector.columns.clone(), self.vector.scalars.clone());
        let done = self.ins.create_block();
        let (around, straight) = (self.ins.create_block(), self.ins.create_block());
        match number {
            Some(number) => self.ins.ins().brif(number, elsewhere.unwrap_or(around), &[], straight, &[]),
            None => self.ins.ins().jump(straight, &[]),
        };
        self.ins.set_cold_block(around);
        self.ins.seal_block(straight);
        self.ins.switch_to_block(straight);
        Detour { around, done, file, columns, scalars, after: None }
    }

    /// Another way begins, from where they part or from one of them. What the register file has is loaded again there: nobody
    /// keeps it for what is seldom.
    pub(super) fn begin_way(&mut self, detour: &Detour, block: Block) {
        self.ins.set_cold_block(block);
        self.ins.seal_block(block);
        self.ins.switch_to_block(block);
        (self.vector.columns, self.vector.scalars) = (detour.columns.clone(), detour.scalars.clone());
        self.vector.columns.forget_stored();
    }

    /// A way ends where all of them meet. The first one decides which columns are at hand there.
    pub(super) fn join(&mut self, detour: &mut Detour) {
        let is_first = detour.after.is_none();
        let after = detour.after.get_or_insert_with(|| self.vector.columns.all());
        // What the first way had no room for, it stored.
        for (offset, value) in if is_first { Vec::new() } else { self.vector.columns.unstored() } {
            if !after.iter().any(|&(of, column)| of == offset && !column.is_stored) {
                self.store_column(offset, value);
            }
        }
        let mut values = Vec::new();
        for &(offset, column) in &*after {
            let lanes = self.ins.func.dfg.value_type(column.value);
            if is_first {
                self.ins.append_block_param(detour.done, lanes);
            }
            values.push(BlockArg::Value(self.column(offset, lanes)));
        }
        self.ins.ins().jump(detour.done, &values);
    }

    /// The way around, and on from where all meet.
    pub(super) fn end_detour(&mut self, mut detour: Detour, call: impl FnOnce(&mut Self)) {
        self.ins.seal_block(detour.around);
        self.ins.switch_to_block(detour.around);
        self.vector.columns = std::mem::take(&mut detour.columns);
        call(self);
        // Behind the call, too.
        if let Some(behind) = self.ins.current_block() {
            self.ins.set_cold_block(behind);
        }
        self.join(&mut detour);
        let Detour { done, file, scalars, after, .. } = detour;
        self.ins.seal_block(done);
        self.ins.switch_to_block(done);
        self.vector.columns.clear();
        (self.vector.register_file, self.vector.scalars) = (Some(file), scalars);
        let values = self.ins.block_params(done).to_vec();
        for ((offset, Column { is_stored, .. }), value) in after.into_iter().flatten().zip(values) {
            self.vector.columns.insert(offset, Column { value, is_stored });
        }
    }
}
