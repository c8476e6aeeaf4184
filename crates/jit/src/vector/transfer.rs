//! Loads and stores: in place if they are of elements or segments side by side in memory, of a length that is known and not
//! too great, or by calls.

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use engine::uop::Uop;
use hart::fault::Access;
use hart::vector::Vtype;
use hart::vector::compiled::Transfer;
use isa::operands::{File, Site};

use super::cache::COLUMN;
use super::interleave;
use super::lanes::{LONGEST, lanes_of_width};
use crate::access::guest;
use crate::builder::{Builder, Place, own};
use crate::{frame, shape};

/// Most bytes of all fields.
const MOST: u64 = 512;

impl Builder<'_, '_> {
    /// Compiles a unit-stride or whole-register access, if it is one that is done here. It leaves to the
    /// interpreter if it may fault or be an event.
    pub(super) fn transfer(&mut self, site: Site<'_>, place: Place) -> bool {
        let Some(vtype) = self.vector.vtype else { return false };
        let Some(transfer) = self.region.vector.transfer(&site, vtype, self.vector.vl) else { return false };
        let Some(base) = site.reads(File::X).flatten().next() else { return false };
        let Transfer { bytes, tail_end, stores, fields, .. } = transfer;
        let is_whole = bytes > 0 && bytes.is_multiple_of(COLUMN as u64) && bytes >= tail_end as u64;
        let size = bytes * fields as u64;
        let is_short = size <= MOST && (fields == 1 || interleave::is_short(transfer));
        if !is_whole || !is_short || transfer.masked && bytes > LONGEST {
            return false;
        }
        self.expect(Some(vtype), place);
        let base = self.get(base);
        let access = if stores { Access::Store } else { Access::Load };
        let host = self.check_range(base, 0, size, access, place);
        let address = self.ins.ins().iadd(self.bytes, host.offset);
        for column in (0..bytes as usize).step_by(COLUMN) {
            let at = (column * fields) as i32;
            if stores {
                self.store_rows(transfer, column, address, at);
            } else {
                self.load_rows(transfer, column, address, at);
            }
        }
        self.settle_columns();
        true
    }

    /// Loads a column of each field from an address, so many bytes beyond it.
    fn load_rows(&mut self, transfer: Transfer, column: usize, address: Value, at: i32) {
        let rows = self.rows(transfer.fields, address, at);
        for (field, value) in self.taken_apart(rows, transfer.width).into_iter().enumerate() {
            let group = transfer.register + field * transfer.distance;
            let value = match transfer.masked {
                true => self.where_active(value, group, column, transfer.width),
                false => value,
            };
            self.set_column(group + column, value);
        }
    }

    /// Stores one likewise. What is masked off is stored as it is there.
    fn store_rows(&mut self, transfer: Transfer, column: usize, address: Value, at: i32) {
        let Transfer { register, fields, distance, width, .. } = transfer;
        let offsets = (0..fields).map(|field| register + field * distance + column);
        let mut columns: Vec<Value> = offsets.map(|offset| self.column(offset, types::I8X16)).collect();
        if transfer.masked {
            let rows = self.rows(fields, address, at);
            let before = self.taken_apart(rows, width);
            let lanes = lanes_of_width(width);
            let mask = self.bits_of_mask(0, column >> width, lanes);
            let mask = self.as_bytes(mask);
            for (value, before) in columns.iter_mut().zip(before) {
                *value = self.ins.ins().bitselect(mask, *value, before);
            }
        }
        for (row, value) in self.interleaved(columns, width).into_iter().enumerate() {
            self.ins.ins().store(guest(), value, address, at + (row * COLUMN) as i32);
        }
    }

    /// So many rows of memory.
    fn rows(&mut self, count: usize, address: Value, at: i32) -> Vec<Value> {
        let row = |row| self.ins.ins().load(types::I8X16, guest(), address, at + (row * COLUMN) as i32);
        (0..count).map(row).collect()
    }

    /// Compiles a call of an access that is known to be legal.
    pub(super) fn access(&mut self, uop: Uop, place: Place) -> bool {
        let Some(vtype) = self.vector.vtype else { return false };
        if self.scattered(uop, place) {
            return true;
        }
        if self.region.vector.entry(&shape::site(self.region, uop), vtype).is_none() {
            return false;
        }
        self.expect(Some(vtype), place);
        self.call_access(uop, place, vtype)
    }

    /// The same where it is known that it can be called.
    pub(super) fn call_access(&mut self, uop: Uop, place: Place, vtype: Vtype) -> bool {
        let site = shape::site(self.region, uop);
        let Some((entry, registers)) = self.region.vector.entry(&site, vtype) else { return false };
        self.call_body(uop, place, |builder| {
            let mut signature = Signature::new(builder.host_convention);
            signature.params = [types::I64, types::I64, types::I32, types::I64].map(AbiParam::new).to_vec();
            signature.returns = vec![AbiParam::new(types::I64)];
            let signature = builder.ins.import_signature(signature);
            let hart = builder.hart();
            let memory = builder.ins.ins().load(types::I64, own(), builder.frame, frame::MEMORY);
            let word = builder.ins.ins().iconst(types::I32, i64::from(site.word));
            let (registers, callee) = (builder.constant(registers), builder.constant(entry as usize as u64));
            let call = builder.ins.ins().call_indirect(signature, callee, &[hart, memory, word, registers]);
            builder.ins.inst_results(call)[0]
        });
        true
    }
}
