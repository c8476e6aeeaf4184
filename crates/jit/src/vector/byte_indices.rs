//! Loads of bytes, and of segments of bytes, at indices below 256, whatever their width. If all that such indices reach may be
//! read, a function of our own chooses from it.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::compiled::{Places, Scattered};

use super::cache::COLUMN;
use super::flags;
use super::indexed::{Furthest, Most};
use super::parts::Data;
use crate::builder::{Builder, own};
use crate::frame;

/// Columns that have the indices as bytes.
const COLUMNS: usize = 2;

/// log2 of the bytes of a doubleword.
const DOUBLEWORD: u8 = 3;
/// Most fields at indices of that width, which take so long to become bytes that loads of more fields are as fast.
const MOST_AT_DOUBLEWORDS: usize = 6;

/// A function, and the indices that it is called with: their register group and log2 of their bytes.
#[derive(Clone, Copy)]
pub struct Table {
    function: u64,
    group: usize,
    width: u8,
}

impl Builder<'_, '_> {
    /// What loads so many bytes of each field, if there is a function for it.
    pub(super) fn table_of(&mut self, access: &Scattered, bytes: usize) -> Option<Table> {
        let Places::Indices { group, width } = access.places else { return None };
        if access.stores || width == DOUBLEWORD && access.fields > MOST_AT_DOUBLEWORDS {
            return None;
        }
        let function = self.function_of_table(Data::from(access), bytes)?;
        Some(Table { function, group, width })
    }

    /// A number other than 0 if not all that such indices reach may be read, or one of these is greater.
    pub(super) fn are_beyond_table(&mut self, access: &Scattered, furthest: &Furthest) -> Value {
        let greatest = self.constant(u64::from(u8::MAX));
        let beyond = self.exceeds(&furthest.reach, access, greatest, 0);
        let Most::OfLanes(lanes, _) = furthest.most else { return beyond };
        let ty = self.ins.func.dfg.value_type(lanes);
        let above = self.lanes_constant(!u64::from(u8::MAX), ty);
        let above = self.ins.ins().band(lanes, above);
        let is_greater = self.ins.ins().vany_true(above);
        self.ins.ins().bor(beyond, is_greater)
    }

    /// Loads from an address on.
    pub(super) fn load_from(&mut self, table: Table, data: Data, address: Value) {
        let indices = self.indices_as_bytes(table);
        self.call_rows(table.function, data, address, indices);
    }

    /// Where the indices are as bytes.
    fn indices_as_bytes(&mut self, Table { group, width, .. }: Table) -> Value {
        if width == 0 {
            let file = self.register_file();
            return self.ins.ins().iadd_imm_s(file, group as i64);
        }
        // Doublewords are pairs of words, the second of which is 0.
        let ty = if width == 1 { types::I16X8 } else { types::I32X4 };
        let offsets = (group..).step_by(COLUMN).take(COLUMNS << width);
        let mut columns: Vec<Value> = offsets.map(|offset| self.column(offset, ty)).collect();
        for round in 0..width {
            let ty = if round + 1 == width { types::I16X8 } else { types::I32X4 };
            let pairs = columns.chunks_exact(2);
            columns = pairs.map(|pair| self.narrowed_pair([pair[0], pair[1]], ty)).collect();
        }
        let place = self.constant(frame::NOWHERE as u64);
        let place = self.ins.ins().iadd(self.frame, place);
        for (column, &bytes) in columns.iter().enumerate() {
            self.ins.ins().store(own(), bytes, place, (column * COLUMN) as i32);
        }
        place
    }

    /// A column of the lower halves of the lanes of two, the upper ones of which are 0.
    fn narrowed_pair(&mut self, pair: [Value; 2], ty: Type) -> Value {
        let [low, high] = pair.map(|column| self.ins.ins().bitcast(ty, flags(), column));
        self.ins.ins().unarrow(low, high)
    }
}
