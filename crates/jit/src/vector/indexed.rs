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

/// log2 of the bytes of a byte and a doubleword.
const BYTE: u8 = 0;
const DOUBLEWORD: u8 = 3;

/// How far memory may be accessed from an address on.
pub(super) struct Reach {
    /// How much further an element may be that still fits.
    room: Value,
    /// Where the first one is in memory that is one piece, and whether that is outside.
    offset: Option<(Value, Value)>,
}

/// A bound of how far elements are from an address.
pub(super) enum Most {
    Number(Value),
    /// Of the indices in each lane, as the larger of two is found.
    OfLanes(Value, Reduction),
}

/// The furthest element or segment of an access, and how far it may be.
pub struct Furthest {
    pub(super) most: Most,
    pub(super) reach: Reach,
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

/// True if indices that may lead too far are looked at again, without those that are masked off, one of which may be what does,
/// and for the largest of bytes and doublewords.
const fn looks_again(access: &Scattered) -> bool {
    match access.places {
        Places::Stride(_) => false,
        Places::Indices { width, .. } => access.masked || matches!(width, BYTE | DOUBLEWORD),
    }
}

/// An address of the host's, and so many bytes beyond it.
pub type Kept = (Value, i32);

/// The first indices of a group of registers, of a width.
#[derive(Clone, Copy)]
struct Indices {
    group: usize,
    width: u8,
    vl: usize,
}

impl Indices {
    const fn bytes(self) -> usize {
        self.vl << self.width
    }
}

impl Builder<'_, '_> {
    /// Where the first `vl` elements are, at most 32, from an address on; `indices` are as [`Self::are_beyond`] says.
    pub(super) fn addresses(
        &mut self,
        access: &Scattered,
        (address, indices): (Value, Option<Kept>),
        vl: u64,
    ) -> Addresses {
        let active = (access.masked && access.stores).then(|| {
            let mask = self.column(0, types::I32X4);
            [self.ins.ins().extractlane(mask, 0), self.nowhere()]
        });
        let register = match (access.places, indices) {
            (Places::Indices { width, .. }, Some(of)) => {
                return Addresses { origin: Origin::Indices { address, of, width }, active };
            }
            (Places::Stride(register), _) => register,
            // Without elements there are none.
            (Places::Indices { .. }, None) => 0,
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

    /// The furthest of the first `vl` elements or segments of an access.
    pub(super) fn furthest(&mut self, access: &Scattered, base: Value, vl: u64, place: Place) -> Furthest {
        let most = match access.places {
            Places::Stride(register) => {
                let stride = self.get(register);
                Most::Number(self.ins.ins().imul_imm_s(stride, vl as i64 - 1))
            }
            Places::Indices { group, width } => self.bound_of(Indices { group, width, vl: vl as usize }),
        };
        Furthest { most, reach: self.elements_reach(access, base, place) }
    }

    /// A number other than 0 if not all of the first `vl` elements or segments may be accessed, with so many bytes after the
    /// last of them, or as of [`Self::exceeds`]; and where their indices are, of which those that are masked off may be 0.
    pub(super) fn are_beyond(
        &mut self,
        access: &Scattered,
        excess: u64,
        vl: u64,
        Furthest { most, reach }: &Furthest,
    ) -> (Value, Option<Kept>) {
        let most = match *most {
            Most::Number(most) => most,
            Most::OfLanes(lanes, larger) => self.largest_lane(larger, lanes),
        };
        let beyond = self.exceeds(reach, access, most, excess);
        match access.places {
            Places::Stride(register) => {
                let stride = self.get(register);
                // Backwards, or so far that the product wraps.
                let is_long =
                    self.ins.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, stride, i64::from(u32::MAX));
                (self.ins.ins().bor(beyond, is_long), None)
            }
            Places::Indices { group, width } => {
                let indices = Indices { group, width, vl: vl as usize };
                let kept = self.stored_indices(group, indices.bytes().div_ceil(COLUMN));
                if !looks_again(access) {
                    return (beyond, Some(kept));
                }
                let mask = access.masked.then(|| self.column(0, types::I8X16));
                let (beyond, kept) = self.look_again(beyond, kept, |builder| {
                    let kept = mask.filter(|_| !access.stores).map(|_| builder.nowhere());
                    let most = builder.largest_index(indices, mask, kept);
                    (builder.exceeds(reach, access, most, excess), kept)
                });
                (beyond, Some((kept, 0)))
            }
        }
    }

    /// A number, and where indices are; or what a second look says of both, if the number is not 0.
    fn look_again(
        &mut self,
        beyond: Value,
        (file, at): Kept,
        second: impl FnOnce(&mut Self) -> (Value, Option<Value>),
    ) -> (Value, Value) {
        let (again, known) = (self.ins.create_block(), self.ins.create_block());
        let ty = self.ins.func.dfg.value_type(beyond);
        let [answer, kept] = [ty, types::I64].map(|ty| self.ins.append_block_param(known, ty));
        let file = self.ins.ins().iadd_imm_s(file, i64::from(at));
        self.ins.set_cold_block(again);
        self.ins.ins().brif(beyond, again, &[], known, &[beyond, file].map(BlockArg::Value));
        self.ins.seal_block(again);
        self.ins.switch_to_block(again);
        let (beyond, kept_there) = second(self);
        self.ins.ins().jump(known, &[beyond, kept_there.unwrap_or(file)].map(BlockArg::Value));
        self.ins.seal_block(known);
        self.ins.switch_to_block(known);
        (answer, kept)
    }

    /// Memory of the engine's, where something may be written that nobody needs later.
    fn nowhere(&mut self) -> Value {
        let distance = self.constant(frame::NOWHERE as u64);
        self.ins.ins().iadd(self.frame, distance)
    }

    /// A number that none of these indices is above.
    fn bound_of(&mut self, indices: Indices) -> Most {
        if indices.width == BYTE {
            return Most::Number(self.constant(u64::from(u8::MAX)));
        }
        // Few hosts have the larger of two doublewords at once.
        let larger = if indices.width == DOUBLEWORD { Reduction::VREDOR } else { Reduction::VREDMAXU };
        let ty = lanes_of_width(indices.width);
        let mut most = self.lanes_constant(0, ty);
        // One column after the other: there may be more than the host has registers for.
        for column in (0..indices.bytes()).step_by(COLUMN) {
            let value = self.column(indices.group + column, ty);
            let value = self.those_of_body(indices, column, value);
            most = self.combined(larger, most, value);
        }
        Most::OfLanes(most, larger)
    }

    /// The largest of these indices, which the register file has, of those alone whose bits of a mask are set. Others are 0
    /// where they are kept, if they are.
    fn largest_index(&mut self, indices: Indices, mask: Option<Value>, kept: Option<Value>) -> Value {
        let ty = lanes_of_width(indices.width);
        let (file, mut largest) = (self.register_file(), self.lanes_constant(0, ty));
        for column in (0..indices.bytes()).step_by(COLUMN) {
            let value = self.ins.ins().load(ty, own(), file, (indices.group + column) as i32);
            let mut value = self.those_of_body(indices, column, value);
            if let Some(mask) = mask {
                let active = self.lanes_of_bits(mask, column >> indices.width, ty);
                value = self.ins.ins().band(value, active);
            }
            if let Some(kept) = kept {
                self.ins.ins().store(own(), value, kept, column as i32);
            }
            largest = self.combined(Reduction::VREDMAXU, largest, value);
        }
        self.largest_lane(Reduction::VREDMAXU, largest)
    }

    /// A column of indices, or zeros in place of those past the last one.
    fn those_of_body(&mut self, indices: Indices, column: usize, value: Value) -> Value {
        let rest = indices.bytes() - column;
        if rest >= COLUMN {
            return value;
        }
        let bytes: [u8; COLUMN] = std::array::from_fn(|byte| if byte < rest { 0xff } else { 0 });
        let body = self.ins.func.dfg.constants.insert(bytes.to_vec().into());
        let body = self.ins.ins().vconst(lanes_of_width(indices.width), body);
        self.ins.ins().band(value, body)
    }

    /// What all lanes come to, as a doubleword.
    fn largest_lane(&mut self, larger: Reduction, lanes: Value) -> Value {
        let lanes = self.combined_lanes(larger, lanes);
        let lane = self.ins.ins().extractlane(lanes, 0);
        let is_wide = self.ins.func.dfg.value_type(lane) == types::I64;
        if is_wide { lane } else { self.ins.ins().uextend(types::I64, lane) }
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
    pub(super) fn exceeds(
        &mut self,
        reach: &Reach,
        scattered: &Scattered,
        most: Value,
        excess: u64,
    ) -> Value {
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
