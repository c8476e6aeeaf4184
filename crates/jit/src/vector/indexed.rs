//! Loads and stores of elements at indices. One comparison, with the largest index, tells whether all of them are where the
//! guest may access memory; if not, a call finds out which are.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use engine::uop::Uop;
use hart::fault::Access;
use hart::vector::compiled::Indices;
use isa::operands::File;

use super::cache::COLUMN;
use super::columns::Column;
use super::flags;
use super::lanes::lanes_of_width;
use crate::access::guest;
use crate::builder::{Builder, Place, own};
use crate::granted::MOST_SITES;
use crate::shape;

/// Most elements: a call is as fast beyond that.
const MOST: u64 = 32;

impl Builder<'_, '_> {
    /// Compiles an access of one field, if it is legal, unmasked, short and of whole columns, by indices of at most 32 bits;
    /// false if it is not.
    pub(super) fn indexed(&mut self, uop: Uop, place: Place) -> bool {
        let (Some(vtype), Some(vl), site) =
            (self.vector.vtype, self.vector.vl, shape::site(self.region, uop))
        else {
            return false;
        };
        let Some(indices) = self.region.vector.indices(&site, vtype) else { return false };
        let body = (vl << vtype.sew) as usize;
        // Registers of less than a column: the indices may begin within one.
        let is_aligned = indices.group.is_multiple_of(COLUMN) && indices.data.is_multiple_of(COLUMN);
        let is_whole = body > 0 && body.is_multiple_of(COLUMN) && is_aligned && vl <= MOST;
        let has_room = !self.region.layout.paged || self.sites.count() < MOST_SITES;
        if !is_whole || indices.width > 2 || self.rv32 || !has_room {
            return false;
        }
        let Some(base) = site.reads(File::X).flatten().next() else { return false };
        self.expect(Some(vtype), place);
        let base = self.get(base);
        let columns: Vec<usize> = (0..(vl as usize) << indices.width).step_by(COLUMN).collect();
        let most = self.largest_index(&indices, &columns, vl);
        let beyond = self.is_beyond(base, most, 1 << vtype.sew, indices.stores, place);
        let offset = self.host_range(base, 0, 1 << vtype.sew).offset;
        let address = self.ins.ins().iadd(self.bytes, offset);
        self.inline_unless(
            beyond,
            |builder, _| {
                let ty = lanes_of_width(vtype.sew);
                let per_column = COLUMN >> vtype.sew;
                for column in 0..body / COLUMN {
                    let at = indices.data + column * COLUMN;
                    let first = column * per_column;
                    let elements = first..first + per_column;
                    let addresses = elements.map(|index| builder.element(address, &indices, index)).collect();
                    builder.move_column(addresses, at, ty, indices.stores);
                }
                builder.settle_columns();
            },
            |builder| _ = builder.call_access(uop, place, vtype),
        );
        true
    }

    /// Loads the lanes of a column from these addresses, or stores them there.
    fn move_column(&mut self, addresses: Vec<Value>, offset: usize, ty: Type, stores: bool) {
        let lane_type = ty.lane_type();
        if stores {
            let column = self.column(offset, ty);
            for (lane, address) in addresses.into_iter().enumerate() {
                let value = self.ins.ins().extractlane(column, lane as u8);
                self.ins.ins().store(guest(), value, address, 0);
            }
            return;
        }
        let mut column: Option<Value> = None;
        for (lane, address) in addresses.into_iter().enumerate() {
            let value = self.ins.ins().load(lane_type, guest(), address, 0);
            column = Some(match column {
                Some(column) => self.ins.ins().insertlane(column, value, lane as u8),
                None => self.ins.ins().splat(ty, value),
            });
        }
        if let Some(column) = column {
            self.set_column(offset, column);
        }
    }

    /// Host address of the element with this number.
    fn element(&mut self, address: Value, indices: &Indices, number: usize) -> Value {
        let at = indices.group + (number << indices.width);
        let (column, within) = (at / COLUMN * COLUMN, at % COLUMN);
        let lanes = lanes_of_width(indices.width);
        let value = self.column(column, lanes);
        let index = match self.vector.columns.get(column) {
            // The host loads as many numbers as it likes, but takes columns apart one by one.
            Some(Column { is_stored: true, .. }) => {
                let file = self.register_file();
                match indices.width {
                    0 => self.ins.ins().uload8(types::I64, own(), file, at as i32),
                    1 => self.ins.ins().uload16(types::I64, own(), file, at as i32),
                    _ => self.ins.ins().uload32(own(), file, at as i32),
                }
            }
            _ => {
                let lane = self.ins.ins().extractlane(value, (within >> indices.width) as u8);
                self.ins.ins().uextend(types::I64, lane)
            }
        };
        self.ins.ins().iadd(address, index)
    }

    /// The largest of the first `vl` indices.
    fn largest_index(&mut self, indices: &Indices, columns: &[usize], vl: u64) -> Value {
        let ty = lanes_of_width(indices.width);
        let rest = ((vl as usize) << indices.width) % COLUMN;
        let mut largest: Option<Value> = None;
        for &column in columns {
            let mut value = self.column(indices.group + column, ty);
            if rest > 0 && column + COLUMN > (vl as usize) << indices.width {
                let body: [u8; COLUMN] = std::array::from_fn(|byte| if byte < rest { 0xff } else { 0 });
                let body = self.ins.func.dfg.constants.insert(body.to_vec().into());
                let body = self.ins.ins().vconst(ty, body);
                value = self.ins.ins().band(value, body);
            }
            largest = Some(largest.map_or(value, |largest| self.ins.ins().umax(largest, value)));
        }
        let Some(mut largest) = largest else { return self.constant(0) };
        let mut apart = COLUMN / 2;
        while apart >= 1 << indices.width {
            let order: [u8; COLUMN] = std::array::from_fn(|byte| ((byte + apart) % COLUMN) as u8);
            let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
            let bytes = self.as_bytes(largest);
            let moved = self.ins.ins().shuffle(bytes, bytes, order);
            let moved = if ty == types::I8X16 { moved } else { self.ins.ins().bitcast(ty, flags(), moved) };
            largest = self.ins.ins().umax(largest, moved);
            apart /= 2;
        }
        let lane = self.ins.ins().extractlane(largest, 0);
        self.ins.ins().uextend(types::I64, lane)
    }

    /// A number other than 0 if not all bytes from `base` to the end of the element at the largest index may be accessed, or a
    /// store may be an event. In a process, it leaves for the right to access the first of them.
    fn is_beyond(&mut self, base: Value, most: Value, size: u64, stores: bool, place: Place) -> Value {
        let access = if stores { Access::Store } else { Access::Load };
        let layout = self.region.layout;
        if layout.paged {
            let number = self.sites.count();
            let spot = (self.region.members[place.member].pc, place.uop);
            self.sites.add(0, size, access, spot);
            let granted = self.ins.create_block();
            let distance = self.ins.append_block_param(granted, types::I64);
            let span = self.ins.append_block_param(granted, types::I64);
            let register = self.host_range(base, 0, size).offset;
            self.store_columns();
            self.find_granted(register, number, granted, true);
            self.ask_for(register, number, place);
            self.ins.seal_block(granted);
            self.ins.switch_to_block(granted);
            let room = self.ins.ins().isub(span, distance);
            return self.ins.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, most, room);
        }
        let offset = self.host_range(base, 0, size).offset;
        let last = self.constant(layout.length.saturating_sub(size));
        let is_outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
        let room = self.ins.ins().isub(last, offset);
        let is_far = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, most, room);
        let mut beyond = self.ins.ins().bor(is_outside, is_far);
        if stores && let Some(tohost) = layout.tohost {
            let tohost = tohost.wrapping_sub(layout.base);
            let past = self.constant(tohost.wrapping_add(8));
            let begins_before = self.ins.ins().icmp(IntCC::UnsignedLessThan, offset, past);
            let end = self.ins.ins().iadd(offset, most);
            let end = self.ins.ins().iadd_imm_s(end, size as i64);
            let start = self.constant(tohost);
            let ends_after = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, end, start);
            let touches = self.ins.ins().band(begins_before, ends_after);
            beyond = self.ins.ins().bor(beyond, touches);
        }
        beyond
    }
}
