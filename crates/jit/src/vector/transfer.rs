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
use super::parts::{Data, Part};
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
        let is_whole = bytes > 0 && bytes.is_multiple_of(COLUMN as u64);
        let is_part = self.is_part(transfer);
        let size = bytes * fields as u64;
        if !(is_whole || is_part)
            || size > MOST
            || bytes < tail_end as u64
            || transfer.masked && bytes > LONGEST
        {
            return false;
        }
        self.expect(Some(vtype), place);
        let base = self.get(base);
        let access = if stores { Access::Store } else { Access::Load };
        let host = self.check_range(base, 0, size, access, place);
        let address = self.ins.ins().iadd(self.bytes, host.offset);
        if is_part {
            self.move_part(transfer, address);
            return true;
        }
        if self.wide_segments(transfer, address) {
            return true;
        }
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

    /// True for the first bytes of a column, as a mask's, as many as the host moves at once.
    fn is_part(&self, Transfer { bytes, fields, masked, .. }: Transfer) -> bool {
        let is_one = bytes < COLUMN as u64 && bytes.is_power_of_two();
        is_one && fields == 1 && !masked && self.region.vector.vlenb() >= COLUMN
    }

    /// Moves those.
    fn move_part(&mut self, Transfer { register, bytes, stores, .. }: Transfer, address: Value) {
        let ty = lanes_of_width(bytes.ilog2() as u8);
        let column = self.column(register, ty);
        if stores {
            let value = self.ins.ins().extractlane(column, 0);
            self.ins.ins().store(guest(), value, address, 0);
        } else {
            let value = self.ins.ins().load(ty.lane_type(), guest(), address, 0);
            let column = self.ins.ins().insertlane(column, value, 0);
            self.set_column(register, column);
        }
        self.settle_columns();
    }

    /// Loads a column of each field from an address, so many bytes beyond it.
    fn load_rows(&mut self, transfer: Transfer, column: usize, address: Value, at: i32) {
        let data = Data::from(&transfer);
        let columns = if interleave::is_short(data.fields) {
            let rows = self.rows(data.fields, address, at);
            self.taken_apart(rows, data.width)
        } else {
            let segment = data.fields << data.width;
            let places: Vec<usize> = data.segments(column).map(|number| number * segment).collect();
            let is_last = column + COLUMN == transfer.bytes as usize;
            let loaded = |part| self.side_by_side(part, (address, &places), is_last, data.width);
            Part::of(segment).into_iter().flat_map(loaded).collect()
        };
        self.set_fields(data, column, columns);
    }

    /// Stores one likewise. What is masked off is stored as it is there.
    fn store_rows(&mut self, transfer: Transfer, column: usize, address: Value, at: i32) {
        let Transfer { fields, width, masked, .. } = transfer;
        let data = Data::from(&transfer);
        let columns: Vec<Value> = data.offsets(column).map(|at| self.column(at, types::I8X16)).collect();
        let segment = fields << width;
        let mut rows = match Part::of(segment)[..] {
            [part] if !interleave::is_short_to_store(fields, width) => {
                let parts = self.part_rows(part, &columns, width);
                self.closed(part, &parts)
            }
            _ => self.interleaved(columns, width),
        };
        if masked {
            let before = self.rows(fields, address, at);
            let active = self.bits_of_mask(0, column >> width, lanes_of_width(width));
            let active = self.as_bytes(active);
            for (row, (value, before)) in rows.iter_mut().zip(before).enumerate() {
                let mask = match fields {
                    1 => active,
                    _ => self.chosen(active, active, |byte| ((row * COLUMN + byte) / segment) << width),
                };
                *value = self.as_bytes(*value);
                *value = self.ins.ins().bitselect(mask, *value, before);
            }
        }
        for (row, value) in rows.into_iter().enumerate() {
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
