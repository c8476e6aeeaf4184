//! Where elements and segments at indices or a stride are. One comparison, with the last of them, tells whether all of them are
//! where the guest may access memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use hart::fault::Access;
use hart::vector::compiled::{Places, Reduction, Scattered};

use super::cache::COLUMN;
use super::columns::Column;
use super::lanes::lanes_of_width;
use crate::builder::{Builder, Place, own};
use crate::frame;

/// Elements at a stride whose addresses the host computes where it uses them.
const BLOCK: usize = 8;

/// log2 of the bytes of a doubleword.
const DOUBLEWORD: u8 = 3;

/// How far memory may be accessed from an address on.
struct Reach {
    /// How much further an element may be that still fits.
    room: Value,
    /// Where the first one is in memory that is one piece, and whether that is outside.
    offset: Option<(Value, Value)>,
}

/// Where the elements of an access are.
pub struct Addresses {
    origin: Origin,
    /// Bits of elements, and where those are instead whose bit is not set.
    active: Option<[Value; 2]>,
}

enum Origin {
    /// At indices from this address on, of a width, which are so many bytes beyond another address.
    Indices { address: Value, of: (Value, i32), width: u8 },
    /// At multiples of a stride, from 1 on, from each of these addresses on.
    Strides { blocks: Vec<Value>, multiples: [Value; BLOCK - 1] },
}

/// True if what is masked off is loaded, too, from where its index says: none of these is far away, then.
const fn loads_all(access: &Scattered) -> bool {
    !access.stores && matches!(access.places, Places::Indices { width: 0, .. })
}

/// True if what is masked off is loaded, too, from index 0: all from the first one's place to the last one's may be accessed.
const fn loads_at_zero(access: &Scattered) -> bool {
    access.masked && !access.stores && matches!(access.places, Places::Indices { .. }) && !loads_all(access)
}

impl Builder<'_, '_> {
    /// Where the first `vl` elements are, at most 32, from an address on.
    pub(super) fn addresses(&mut self, access: &Scattered, address: Value, vl: u64) -> Addresses {
        let active = (access.masked && access.stores).then(|| {
            let mask = self.column(0, types::I32X4);
            let distance = self.constant(frame::NOWHERE as u64);
            [self.ins.ins().extractlane(mask, 0), self.ins.ins().iadd(self.frame, distance)]
        });
        let register = match access.places {
            Places::Indices { group, width } => {
                let of = if loads_at_zero(access) {
                    self.kept()
                } else {
                    self.stored_indices(group, ((vl as usize) << width).div_ceil(COLUMN))
                };
                return Addresses { origin: Origin::Indices { address, of, width }, active };
            }
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
        let multiples = [one, two, three, four, five, six, seven];
        Addresses { origin: Origin::Strides { blocks, multiples }, active }
    }

    /// Host address of the element with this number; if it is masked off, of bytes that nobody needs.
    pub(super) fn element(&mut self, addresses: &Addresses, number: usize) -> Value {
        let Some([bits, nowhere]) = addresses.active else {
            return self.element_from(&addresses.origin, number);
        };
        let bit = self.ins.ins().band_imm_u(bits, 1 << number);
        if let Origin::Indices { address, of, width: 0 } = addresses.origin {
            // There is room for all such indices.
            let address = self.ins.ins().select(bit, address, nowhere);
            return self.element_from(&Origin::Indices { address, of, width: 0 }, number);
        }
        let address = self.element_from(&addresses.origin, number);
        self.ins.ins().select(bit, address, nowhere)
    }

    fn element_from(&mut self, origin: &Origin, number: usize) -> Value {
        match *origin {
            Origin::Indices { address, of: (kept, at), width } => {
                let index = self.index_at(kept, at + (number << width) as i32, width);
                self.ins.ins().iadd(address, index)
            }
            Origin::Strides { ref blocks, multiples } => {
                let block = blocks[number / BLOCK];
                match number % BLOCK {
                    0 => block,
                    by => self.ins.ins().iadd(block, multiples[by - 1]),
                }
            }
        }
    }

    /// The index of a width, so many bytes beyond an address.
    pub(super) fn index_at(&mut self, address: Value, at: i32, width: u8) -> Value {
        match width {
            0 => self.ins.ins().uload8(types::I64, own(), address, at),
            1 => self.ins.ins().uload16(types::I64, own(), address, at),
            2 => self.ins.ins().uload32(own(), address, at),
            _ => self.ins.ins().load(types::I64, own(), address, at),
        }
    }

    /// Where the register file has so many columns of indices. The host loads as many numbers as it likes, but takes columns
    /// apart one by one.
    pub(super) fn stored_indices(&mut self, group: usize, columns: usize) -> (Value, i32) {
        for offset in (group..).step_by(COLUMN).take(columns) {
            if let Some(Column { value, is_stored: false }) = self.vector.columns.get(offset) {
                self.store_column(offset, value);
                self.vector.columns.insert(offset, Column { value, is_stored: true });
            }
        }
        (self.register_file(), group as i32)
    }

    /// A number other than 0 if not all of the first `vl` elements or segments may be accessed, with so many bytes after the
    /// last of them, or as of [`Self::exceeds`].
    pub(super) fn are_beyond(
        &mut self,
        access: &Scattered,
        largest: Option<Value>,
        excess: u64,
        base: Value,
        vl: u64,
        place: Place,
    ) -> Value {
        let register = match (access.places, largest) {
            (Places::Stride(register), _) => register,
            (Places::Indices { group, width }, Some(most)) => {
                let reach = self.elements_reach(access, base, place);
                let beyond = self.exceeds(&reach, access, most, excess);
                if width != DOUBLEWORD {
                    return beyond;
                }
                let columns = (vl as usize * size_of::<u64>()).div_ceil(COLUMN);
                let kept =
                    if loads_at_zero(access) { self.kept() } else { self.stored_indices(group, columns) };
                return self.look_again(beyond, |builder| {
                    let most = builder.largest_kept(kept, columns);
                    builder.exceeds(&reach, access, most, excess)
                });
            }
            // Without elements there is nothing to look at.
            (Places::Indices { .. }, None) => return self.constant(1),
        };
        let stride = self.get(register);
        let most = self.ins.ins().imul_imm_s(stride, vl as i64 - 1);
        let reach = self.elements_reach(access, base, place);
        let beyond = self.exceeds(&reach, access, most, excess);
        // Backwards, or so far that the product wraps.
        let is_long = self.ins.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, stride, i64::from(u32::MAX));
        self.ins.ins().bor(beyond, is_long)
    }

    /// What a second look says, if the first says that it is not 0.
    fn look_again(&mut self, first: Value, second: impl FnOnce(&mut Self) -> Value) -> Value {
        let (again, known) = (self.ins.create_block(), self.ins.create_block());
        let ty = self.ins.func.dfg.value_type(first);
        let answer = self.ins.append_block_param(known, ty);
        self.ins.set_cold_block(again);
        self.ins.ins().brif(first, again, &[], known, &[BlockArg::Value(first)]);
        self.ins.seal_block(again);
        self.ins.switch_to_block(again);
        let second = second(self);
        self.ins.ins().jump(known, &[BlockArg::Value(second)]);
        self.ins.seal_block(known);
        self.ins.switch_to_block(known);
        answer
    }

    /// Where indices are kept of which those that are masked off are 0.
    const fn kept(&self) -> (Value, i32) {
        (self.frame, frame::NOWHERE)
    }

    /// The largest doubleword of so many columns, so many bytes beyond an address of the host's.
    fn largest_kept(&mut self, (address, at): (Value, i32), columns: usize) -> Value {
        let zero = self.lanes_constant(0, types::I64X2);
        let largest = (0..columns).fold(zero, |largest, column| {
            let at = at + (column * COLUMN) as i32;
            let value = self.ins.ins().load(types::I64X2, own(), address, at);
            self.combined(Reduction::VREDMAXU, largest, value)
        });
        let largest = self.combined_lanes(Reduction::VREDMAXU, largest);
        self.ins.ins().extractlane(largest, 0)
    }

    /// The largest of the first `vl` indices, of those alone that are active; none of a stride. Of doublewords, of which few
    /// hosts have the larger at once, a number that is at least as large. If inactive elements are loaded at index 0, such
    /// indices are kept for [`Self::addresses`].
    pub(super) fn largest_index(&mut self, access: &Scattered, vl: u64) -> Option<Value> {
        let Places::Indices { group, width } = access.places else { return None };
        let (ty, body) = (lanes_of_width(width), (vl as usize) << width);
        let larger = if width == DOUBLEWORD { Reduction::VREDOR } else { Reduction::VREDMAXU };
        let mut largest = None;
        // One column after the other: there may be more than the host has registers for.
        for column in (0..body).step_by(COLUMN) {
            let mut value = self.column(group + column, ty);
            if column + COLUMN > body {
                let rest = body - column;
                let bytes: [u8; COLUMN] = std::array::from_fn(|byte| if byte < rest { 0xff } else { 0 });
                let body = self.ins.func.dfg.constants.insert(bytes.to_vec().into());
                let body = self.ins.ins().vconst(ty, body);
                value = self.ins.ins().band(value, body);
            }
            if access.masked && !loads_all(access) {
                let active = self.bits_of_mask(0, column >> width, ty);
                value = self.ins.ins().band(value, active);
            }
            if loads_at_zero(access) {
                let at = frame::NOWHERE + column as i32;
                self.ins.ins().store(own(), value, self.frame, at);
            }
            largest = Some(match largest {
                Some(largest) => self.combined(larger, largest, value),
                None => value,
            });
        }
        let largest = self.combined_lanes(larger, largest?);
        let lane = self.ins.ins().extractlane(largest, 0);
        let is_wide = self.ins.func.dfg.value_type(lane) == types::I64;
        Some(if is_wide { lane } else { self.ins.ins().uextend(types::I64, lane) })
    }

    /// How far the guest may access memory from `base` on. In a process, it leaves for the right to access the first element.
    fn elements_reach(&mut self, scattered: &Scattered, base: Value, place: Place) -> Reach {
        let (size, stores) = ((scattered.fields << scattered.width) as u64, scattered.stores);
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
            return Reach { room: self.ins.ins().iadd_imm_s(room, -1), offset: None };
        }
        let offset = self.host_range(base, 0, size).offset;
        let last = self.constant(layout.length.saturating_sub(size));
        let is_outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
        Reach { room: self.ins.ins().isub(last, offset), offset: Some((offset, is_outside)) }
    }

    /// A number other than 0 if not all bytes to the end of the element at the largest index, and so many after it, may be
    /// accessed, or a store may be an event.
    fn exceeds(&mut self, reach: &Reach, scattered: &Scattered, most: Value, excess: u64) -> Value {
        let is_far = self.is_far(most, reach.room, excess);
        let Some((offset, is_outside)) = reach.offset else { return is_far };
        let beyond = self.ins.ins().bor(is_outside, is_far);
        let layout = self.region.layout;
        let Some(tohost) = layout.tohost.filter(|_| scattered.stores) else { return beyond };
        let tohost = tohost.wrapping_sub(layout.base);
        let past = self.constant(tohost.wrapping_add(8));
        let begins_before = self.ins.ins().icmp(IntCC::UnsignedLessThan, offset, past);
        let end = self.ins.ins().iadd(offset, most);
        let end = self.ins.ins().iadd_imm_s(end, (scattered.fields << scattered.width) as i64);
        let start = self.constant(tohost);
        let ends_after = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, end, start);
        let touches = self.ins.ins().band(begins_before, ends_after);
        self.ins.ins().bor(beyond, touches)
    }

    /// Not 0 if a number and what exceeds it are more than there is room for.
    fn is_far(&mut self, most: Value, room: Value, excess: u64) -> Value {
        let is_far = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, most, room);
        if excess == 0 {
            return is_far;
        }
        let (rest, excess) = (self.ins.ins().isub(room, most), self.constant(excess));
        let is_short = self.ins.ins().icmp(IntCC::UnsignedLessThan, rest, excess);
        self.ins.ins().bor(is_far, is_short)
    }
}
