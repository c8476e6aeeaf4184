//! Loads and stores of elements and segments that are not side by side. If not all of them are where the guest may access
//! memory, a call finds out which are.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use engine::uop::Uop;
use hart::vector::compiled::{Places, Scattered};

use super::active::is_looped;
use super::cache::COLUMN;
use super::indexed::{Addresses, Furthest, Kept};
use super::lanes::lanes_of_width;
use super::parts::{Data, Part, excess};
use super::wide::Spots;
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
        let data = Data::from(&access);
        let body = (vl as usize) << access.width;
        let parts = match access.stores {
            true => Part::stored(access.fields, access.width),
            false => Part::of(access.fields << access.width),
        };
        // Registers of less than a column: what is here may begin within one.
        let mut is_aligned = access.data.is_multiple_of(COLUMN) && access.distance.is_multiple_of(COLUMN);
        if let Places::Indices { group, .. } = access.places {
            is_aligned &= group.is_multiple_of(COLUMN);
        }
        let is_whole = body > 0 && body.is_multiple_of(COLUMN) && is_aligned;
        let has_room = !self.region.layout.paged || self.sites.count() < MOST_SITES;
        if !is_whole || vl > MOST || vl * parts.len() as u64 > MOST_MOVES || self.rv32 || !has_room {
            return false;
        }
        self.expect(Some(vtype), place);
        let base = self.get(access.base);
        let furthest = self.furthest(&access, base, vl, place);
        let offset = self.host_range(base, 0, (access.fields << access.width) as u64).offset;
        let address = self.ins.ins().iadd(self.bytes, offset);
        let in_place = |builder: &mut Self| {
            builder.moved_or_called(&access, &parts, (address, &furthest), vl, |builder| {
                if !builder.call_access(uop, place, vtype) {
                    builder.call_unit(uop, place);
                }
            });
        };
        match self.table_of(&access, body) {
            Some(table) => {
                let beyond = self.are_beyond_table(&access, &furthest);
                self.inline_unless(
                    Some(beyond),
                    |builder, _| builder.load_from(table, data, address),
                    in_place,
                );
            }
            None => in_place(self),
        }
        true
    }

    /// Moves the parts of the first `vl` segments, whose furthest one is known, or calls what does it if not all of them may be
    /// accessed.
    fn moved_or_called(
        &mut self,
        access: &Scattered,
        parts: &[Part],
        (address, furthest): (Value, &Furthest),
        vl: u64,
        call: impl FnOnce(&mut Self),
    ) {
        let (data, body) = (Data::from(access), (vl as usize) << access.width);
        let spots = match access.places {
            Places::Stride(_) => Spots::Stride,
            Places::Indices { width, .. } => Spots::Indices(width),
        };
        let slot = if access.stores { None } else { self.slot(data, spots, body) };
        let size = (access.fields as u64) << access.width;
        let excess = slot.map_or(excess(access, parts), |slot| slot as u64 - size);
        let (beyond, indices) = self.are_beyond(access, excess, vl, furthest);
        let is_looped = is_looped(access, parts, vl);
        self.inline_unless(
            Some(beyond),
            |builder, _| {
                if is_looped {
                    builder.store_active(access, parts, address, vl);
                    builder.settle_columns();
                    return;
                }
                if slot.is_some() {
                    let stride_or_indices = builder.stride_or_indices(access, indices);
                    if builder.load_scattered_rows(data, spots, body, address, stride_or_indices) {
                        return;
                    }
                }
                let addresses = builder.addresses(access, (address, indices), vl);
                for column in (0..body).step_by(COLUMN) {
                    match (access.stores, access.fields) {
                        (true, _) => builder.store_segments(data, parts, &addresses, column),
                        (false, 1) => builder.load_elements(data, &addresses, column),
                        (false, _) => builder.load_segments(data, parts, &addresses, column),
                    }
                }
                builder.settle_columns();
            },
            call,
        );
    }

    /// The stride of an access, or where its indices are.
    fn stride_or_indices(&mut self, access: &Scattered, indices: Option<Kept>) -> Value {
        match (access.places, indices) {
            (Places::Stride(register), _) => self.get(register),
            (Places::Indices { .. }, Some((kept, at))) => self.ins.ins().iadd_imm_s(kept, i64::from(at)),
            // Without elements there are none.
            (Places::Indices { .. }, None) => self.constant(0),
        }
    }

    /// Loads a column of each field, part by part.
    fn load_segments(&mut self, data: Data, parts: &[Part], addresses: &Addresses, column: usize) {
        let of: Vec<Value> = data.segments(column).map(|number| self.element(addresses, number)).collect();
        let columns = parts.iter().flat_map(|&part| self.part_loaded(part, &of, data.width)).collect();
        self.set_fields(data, column, columns);
    }

    /// Loads a column of elements.
    fn load_elements(&mut self, data: Data, addresses: &Addresses, column: usize) {
        let of = data.segments(column).map(|number| self.element(addresses, number)).collect();
        let value = self.loaded(of, lanes_of_width(data.width));
        self.set_fields(data, column, vec![value]);
    }

    /// Stores a column of each field, segment by segment, which may overlap.
    fn store_segments(&mut self, data: Data, parts: &[Part], addresses: &Addresses, column: usize) {
        let columns: Vec<Value> = data.offsets(column).map(|at| self.column(at, types::I8X16)).collect();
        let rows: Vec<Vec<Value>> =
            parts.iter().map(|&part| self.part_rows(part, &columns, data.width)).collect();
        for (segment, number) in data.segments(column).enumerate() {
            let address = self.element(addresses, number);
            for (&part, rows) in parts.iter().zip(&rows) {
                self.store_part(part, rows, segment, address);
            }
        }
    }

    /// Lanes of a type from these addresses.
    fn loaded(&mut self, addresses: Vec<Value>, ty: Type) -> Value {
        let mut column: Option<Value> = None;
        for (lane, address) in addresses.into_iter().enumerate() {
            let value = self.ins.ins().load(ty.lane_type(), guest(), address, 0);
            column = Some(match column {
                Some(column) => self.ins.ins().insertlane(column, value, lane as u8),
                None => self.ins.ins().splat(ty, value),
            });
        }
        column.unwrap_or_else(|| self.lanes_constant(0, ty))
    }
}
