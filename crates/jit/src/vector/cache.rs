//! Vector registers as columns of sixteen bytes, which are computed with in the host's registers. Every column
//! written is stored at once, but not loaded again as long as nobody else has written vector registers.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

use super::flags;
use crate::builder::{Builder, own};
use crate::frame;

/// Bytes of a column.
pub const COLUMN: usize = 16;

impl Builder<'_, '_> {
    /// Host address of the register file.
    pub(super) fn register_file(&mut self) -> Value {
        match self.vector.register_file {
            Some(address) => address,
            None => {
                let flags = own().with_readonly();
                let address = self.ins.ins().load(types::I64, flags, self.frame, frame::VECTORS);
                *self.vector.register_file.insert(address)
            }
        }
    }

    /// The column at an offset in the register file, as lanes of a type.
    pub(super) fn column(&mut self, offset: usize, lanes: Type) -> Value {
        let known = self.vector.cache.get(&offset).copied();
        let bytes = known.unwrap_or_else(|| {
            let file = self.register_file();
            let bytes = self.ins.ins().load(types::I8X16, own(), file, offset as i32);
            self.vector.cache.insert(offset, bytes);
            bytes
        });
        if lanes == types::I8X16 { bytes } else { self.ins.ins().bitcast(lanes, flags(), bytes) }
    }

    /// Sets the column at an offset in the register file.
    pub(super) fn set_column(&mut self, offset: usize, value: Value) {
        let is_bytes = self.ins.func.dfg.value_type(value) == types::I8X16;
        let bytes = if is_bytes { value } else { self.ins.ins().bitcast(types::I8X16, flags(), value) };
        let file = self.register_file();
        self.ins.ins().store(own(), bytes, file, offset as i32);
        self.vector.cache.insert(offset, bytes);
    }

    /// Somebody else writes vector registers here, and the host's registers do not outlive it.
    pub fn clear_vector_cache(&mut self) {
        self.vector.cache.clear();
        self.vector.register_file = None;
    }
}
