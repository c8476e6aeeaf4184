//! Where elements and segments at indices or a stride are. One comparison, with the last of them, tells whether all of them are
//! where the guest may access memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::fault::Access;
use hart::vector::compiled::Places;

use super::cache::COLUMN;
use super::columns::Column;
use super::flags;
use super::lanes::lanes_of_width;
use crate::builder::{Builder, Place, own};

/// Elements at a stride whose addresses the host computes where it uses them.
const BLOCK: usize = 8;

/// Where the elements of an access are.
pub enum Addresses {
    /// At indices from this address on, of a width, in a group.
    Indices { address: Value, group: usize, width: u8 },
    /// At multiples of a stride, from 1 on, from each of these addresses on.
    Strides { blocks: Vec<Value>, multiples: [Value; BLOCK - 1] },
}

impl Builder<'_, '_> {
    /// Where the first `vl` elements are, from an address on.
    pub(super) fn addresses(&mut self, places: Places, address: Value, vl: u64) -> Addresses {
        let register = match places {
            Places::Indices { group, width } => return Addresses::Indices { address, group, width },
            Places::Stride(register) => register,
        };
        let one = self.get(register);
        // Those by a power of two are a part of what the host adds to an address.
        let [two, four, eight] = [1, 2, 3].map(|bits| self.ins.ins().ishl_imm_u(one, bits));
        let [three, five] = [two, four].map(|even| self.ins.ins().iadd(one, even));
        let six = self.ins.ins().ishl_imm_u(three, 1);
        let seven = self.ins.ins().iadd(three, four);
        let mut blocks = vec![address];
        for _ in 1..(vl as usize).div_ceil(BLOCK) {
            let last = blocks[blocks.len() - 1];
            blocks.push(self.ins.ins().iadd(last, eight));
        }
        Addresses::Strides { blocks, multiples: [one, two, three, four, five, six, seven] }
    }

    /// Host address of the element with this number.
    pub(super) fn element(&mut self, addresses: &Addresses, number: usize) -> Value {
        let (address, group, width) = match *addresses {
            Addresses::Indices { address, group, width } => (address, group, width),
            Addresses::Strides { ref blocks, multiples } => {
                let block = blocks[number / BLOCK];
                return match number % BLOCK {
                    0 => block,
                    by => self.ins.ins().iadd(block, multiples[by - 1]),
                };
            }
        };
        let at = group + (number << width);
        let (column, within) = (at / COLUMN * COLUMN, at % COLUMN);
        let value = self.column(column, lanes_of_width(width));
        let index = match self.vector.columns.get(column) {
            // The host loads as many numbers as it likes, but takes columns apart one by one.
            Some(Column { is_stored: true, .. }) => {
                let file = self.register_file();
                match width {
                    0 => self.ins.ins().uload8(types::I64, own(), file, at as i32),
                    1 => self.ins.ins().uload16(types::I64, own(), file, at as i32),
                    _ => self.ins.ins().uload32(own(), file, at as i32),
                }
            }
            _ => {
                let lane = self.ins.ins().extractlane(value, (within >> width) as u8);
                self.ins.ins().uextend(types::I64, lane)
            }
        };
        self.ins.ins().iadd(address, index)
    }

    /// A number other than 0 if not all of the first `vl` elements or segments of so many bytes may be accessed, or as of
    /// [`Self::is_beyond`].
    pub(super) fn are_beyond(
        &mut self,
        places: Places,
        base: Value,
        [vl, size]: [u64; 2],
        stores: bool,
        place: Place,
    ) -> Value {
        let register = match places {
            Places::Indices { group, width } => {
                let most = self.largest_index(group, width, vl);
                return self.is_beyond(base, most, size, stores, place);
            }
            Places::Stride(register) => register,
        };
        let stride = self.get(register);
        let most = self.ins.ins().imul_imm_s(stride, vl as i64 - 1);
        let beyond = self.is_beyond(base, most, size, stores, place);
        // Backwards, or so far that the product wraps.
        let is_long = self.ins.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, stride, i64::from(u32::MAX));
        self.ins.ins().bor(beyond, is_long)
    }

    /// The largest of the first `vl` indices.
    fn largest_index(&mut self, group: usize, width: u8, vl: u64) -> Value {
        let (ty, body) = (lanes_of_width(width), (vl as usize) << width);
        let rest = body % COLUMN;
        let mut largest: Option<Value> = None;
        for column in (0..body).step_by(COLUMN) {
            let mut value = self.column(group + column, ty);
            if rest > 0 && column + COLUMN > body {
                let bytes: [u8; COLUMN] = std::array::from_fn(|byte| if byte < rest { 0xff } else { 0 });
                let body = self.ins.func.dfg.constants.insert(bytes.to_vec().into());
                let body = self.ins.ins().vconst(ty, body);
                value = self.ins.ins().band(value, body);
            }
            largest = Some(largest.map_or(value, |largest| self.ins.ins().umax(largest, value)));
        }
        let Some(mut largest) = largest else { return self.constant(0) };
        let mut apart = COLUMN / 2;
        while apart >= 1 << width {
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
