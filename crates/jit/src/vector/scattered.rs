//! Loads and stores of elements and segments that are not side by side. If not all of them are where the guest may access
//! memory, a call finds out which are.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use engine::uop::Uop;
use hart::vector::compiled::{Places, Scattered};

use super::cache::COLUMN;
use super::indexed::Addresses;
use super::lanes::lanes_of_width;
use crate::access::guest;
use crate::builder::{Builder, Place};
use crate::granted::MOST_SITES;
use crate::shape;

/// Most elements or segments: a call is as fast beyond that.
const MOST: u64 = 32;
/// Most moves between memory and columns.
const MOST_MOVES: u64 = 128;

impl Builder<'_, '_> {
    /// Compiles an access by indices or a stride, if it is legal, short and of whole columns;
    /// false if it is not.
    pub(super) fn scattered(&mut self, uop: Uop, place: Place) -> bool {
        let (Some(vtype), Some(vl), site) =
            (self.vector.vtype, self.vector.vl, shape::site(self.region, uop))
        else {
            return false;
        };
        let Some(access) = self.region.vector.scattered(&site, vtype) else { return false };
        let body = (vl as usize) << access.width;
        let segment = access.fields << access.width;
        // Registers of less than a column: what is here may begin within one.
        let mut is_aligned = access.data.is_multiple_of(COLUMN) && access.distance.is_multiple_of(COLUMN);
        if let Places::Indices { group, .. } = access.places {
            is_aligned &= group.is_multiple_of(COLUMN);
        }
        let is_whole = body > 0 && body.is_multiple_of(COLUMN) && is_aligned;
        let moves = if is_one(segment) { vl } else { vl * access.fields as u64 };
        let has_room = !self.region.layout.paged || self.sites.count() < MOST_SITES;
        if !is_whole || vl > MOST || moves > MOST_MOVES || self.rv32 || !has_room {
            return false;
        }
        self.expect(Some(vtype), place);
        let base = self.get(access.base);
        let size = segment as u64;
        let beyond = self.are_beyond(&access, base, vl, place);
        let offset = self.host_range(base, 0, size).offset;
        let address = self.ins.ins().iadd(self.bytes, offset);
        let addresses = self.addresses(&access, address, vl);
        self.inline_unless(
            Some(beyond),
            |builder, _| {
                for column in (0..body).step_by(COLUMN) {
                    match (is_one(segment), access.stores) {
                        (true, false) => builder.load_whole(&access, &addresses, column),
                        (true, true) => builder.store_whole(&access, &addresses, column),
                        (false, false) => builder.load_fields(&access, &addresses, column),
                        (false, true) => builder.store_fields(&access, &addresses, column),
                    }
                }
                builder.settle_columns();
            },
            |builder| {
                if !builder.call_access(uop, place, vtype) {
                    builder.call_unit(uop, place);
                }
            },
        );
        true
    }

    /// Loads a column of each field, segment by segment: as rows like those of segments side by side.
    fn load_whole(&mut self, access: &Scattered, addresses: &Addresses, column: usize) {
        let segment = access.fields << access.width;
        let first = column >> access.width;
        let per_row = COLUMN / segment;
        let row = |row: usize| {
            let numbers = (0..per_row).map(|lane| first + row * per_row + lane);
            let of = numbers.map(|number| self.element(addresses, number)).collect();
            let row = self.loaded(of, lanes_of(segment), 0);
            self.as_bytes(row)
        };
        let rows = (0..access.fields).map(row).collect();
        for (field, value) in self.taken_apart(rows, access.width).into_iter().enumerate() {
            self.set_field(access, field, column, value);
        }
    }

    /// Sets a column of a field, where elements are active.
    fn set_field(&mut self, access: &Scattered, field: usize, column: usize, mut value: Value) {
        let group = access.data + field * access.distance;
        if access.masked {
            value = self.where_active(value, group, column, access.width);
        }
        self.set_column(group + column, value);
    }

    /// Stores one likewise.
    fn store_whole(&mut self, access: &Scattered, addresses: &Addresses, column: usize) {
        let ty = lanes_of(access.fields << access.width);
        let mut number = column >> access.width;
        let columns = self.columns_of(access, column, types::I8X16);
        for row in self.interleaved(columns, access.width) {
            let row = if ty == types::I8X16 { row } else { self.ins.ins().bitcast(ty, super::flags(), row) };
            let lanes = COLUMN / (access.fields << access.width);
            for lane in 0..lanes {
                let address = self.element(addresses, number);
                let value = if lanes == 1 { row } else { self.ins.ins().extractlane(row, lane as u8) };
                self.ins.ins().store(guest(), value, address, 0);
                number += 1;
            }
        }
    }

    /// Loads a column of each field, field by field.
    fn load_fields(&mut self, access: &Scattered, addresses: &Addresses, column: usize) {
        let first = column >> access.width;
        let numbers = first..first + (COLUMN >> access.width);
        let of: Vec<Value> = numbers.map(|number| self.element(addresses, number)).collect();
        for field in 0..access.fields {
            let at = (field << access.width) as i32;
            let value = self.loaded(of.clone(), lanes_of_width(access.width), at);
            self.set_field(access, field, column, value);
        }
    }

    /// Stores one likewise, but segment by segment, which may overlap.
    fn store_fields(&mut self, access: &Scattered, addresses: &Addresses, column: usize) {
        let columns = self.columns_of(access, column, lanes_of_width(access.width));
        let first = column >> access.width;
        for lane in 0..COLUMN >> access.width {
            let address = self.element(addresses, first + lane);
            for (field, &column) in columns.iter().enumerate() {
                let value = self.ins.ins().extractlane(column, lane as u8);
                self.ins.ins().store(guest(), value, address, (field << access.width) as i32);
            }
        }
    }

    fn columns_of(&mut self, access: &Scattered, column: usize, ty: Type) -> Vec<Value> {
        let offsets = (0..access.fields).map(|field| access.data + field * access.distance + column);
        offsets.map(|offset| self.column(offset, ty)).collect()
    }

    /// Lanes of a type from these addresses, so many bytes beyond them.
    fn loaded(&mut self, addresses: Vec<Value>, ty: Type, at: i32) -> Value {
        if let [address] = *addresses {
            return self.ins.ins().load(ty, guest(), address, at);
        }
        let mut column: Option<Value> = None;
        for (lane, address) in addresses.into_iter().enumerate() {
            let value = self.ins.ins().load(ty.lane_type(), guest(), address, at);
            column = Some(match column {
                Some(column) => self.ins.ins().insertlane(column, value, lane as u8),
                None => self.ins.ins().splat(ty, value),
            });
        }
        column.unwrap_or_else(|| self.lanes_constant(0, ty))
    }
}

/// True if the host moves so many bytes at once.
const fn is_one(bytes: usize) -> bool {
    bytes.is_power_of_two() && bytes <= COLUMN
}

/// A column's lanes of so many bytes, which the host moves at once.
fn lanes_of(bytes: usize) -> Type {
    if bytes == COLUMN { types::I8X16 } else { lanes_of_width(bytes.ilog2() as u8) }
}
