//! Vector registers as columns of sixteen bytes, which are computed with in the host's registers. A column that is
//! written is stored when somebody else may look at the register file, when the host has no room for it, or never: if it
//! is overwritten before.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

use super::columns::Column;
use super::flags;
use super::lookahead::Next;
use crate::builder::{Builder, own};
use crate::frame;

/// Bytes of a column.
pub const COLUMN: usize = 16;

/// Columns that the host has registers for, beside those that one instruction computes with.
const ROOM: usize = if cfg!(target_arch = "x86_64") { 13 } else { 24 };

/// How much sooner a column has to be read that can be loaded again than one that has to be stored before: then neither is
/// the cheaper one to give up.
const CHEAPER: usize = 3;

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

    /// A column as bytes.
    pub(super) fn as_bytes(&mut self, column: Value) -> Value {
        let is_so = self.ins.func.dfg.value_type(column) == types::I8X16;
        if is_so { column } else { self.ins.ins().bitcast(types::I8X16, flags(), column) }
    }

    /// The column at an offset in the register file, as lanes of a type.
    pub(super) fn column(&mut self, offset: usize, lanes: Type) -> Value {
        let known = self.vector.columns.get(offset).map(|column| column.value);
        let value = known.unwrap_or_else(|| {
            let file = self.register_file();
            let value = self.ins.ins().load(lanes, own(), file, offset as i32);
            self.vector.columns.insert(offset, Column { value, is_stored: true });
            value
        });
        let is_so = self.ins.func.dfg.value_type(value) == lanes;
        if is_so { value } else { self.ins.ins().bitcast(lanes, flags(), value) }
    }

    /// Sets the column at an offset in the register file.
    pub(super) fn set_column(&mut self, offset: usize, value: Value) {
        // At hand for ways out, which others do not come from.
        self.register_file();
        self.vector.columns.insert(offset, Column { value, is_stored: false });
    }

    pub(super) fn store_column(&mut self, offset: usize, value: Value) {
        let file = self.register_file();
        self.ins.ins().store(own(), value, file, offset as i32);
    }

    /// Stores what the register file does not have, on a way out of the block: on others, it is still to be stored.
    pub fn store_columns_here(&mut self) {
        for (offset, value) in self.vector.columns.unstored() {
            self.store_column(offset, value);
        }
    }

    /// The same for all ways on from here.
    pub fn store_columns(&mut self) {
        self.store_columns_here();
        self.vector.columns.are_stored();
    }

    /// An instruction is compiled: keeps those columns that will be read soonest, as many as there is room for. Others that
    /// are not overwritten before anybody looks are stored.
    pub(super) fn settle_columns(&mut self) {
        if !self.vector.lookahead.sees() {
            self.store_columns();
            return;
        }
        let vlenb = self.region.vector.vlenb();
        let mut kept: Vec<(usize, usize)> = Vec::new();
        for offset in self.vector.columns.offsets() {
            match self.vector.lookahead.next(offset / vlenb) {
                Next::Read(distance) => kept.push((self.distance(offset, distance), offset)),
                Next::Overwritten => {}
                Next::Nothing => self.give_up_column(offset),
            }
        }
        // Of those that are read at once, the first is the one to stay, which is read first.
        kept.sort_unstable();
        for &(_, offset) in kept.iter().skip(ROOM) {
            self.give_up_column(offset);
        }
    }

    /// How far a column's next use is, as a reason to keep it.
    fn distance(&self, offset: usize, distance: usize) -> usize {
        let is_stored = self.vector.columns.get(offset).is_none_or(|column| column.is_stored);
        (distance + 1) * if is_stored { CHEAPER } else { 1 }
    }

    /// The next one to read a column loads it.
    fn give_up_column(&mut self, offset: usize) {
        if let Some(Column { value, is_stored: false }) = self.vector.columns.remove(offset) {
            self.store_column(offset, value);
        }
    }

    /// Somebody else reads and writes vector registers here, and maybe floating-point ones, and the host's registers do not
    /// outlive it.
    pub fn clear_columns(&mut self) {
        self.store_columns_here();
        self.vector.columns.clear();
        self.vector.scalars.clear();
        self.vector.register_file = None;
    }
}
