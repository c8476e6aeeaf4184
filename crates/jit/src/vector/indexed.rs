//! Where elements and segments at indices or a stride are. One comparison, with the last of them, tells whether all of them are
//! where the guest may access memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::fault::Access;
use hart::vector::compiled::{Places, Reduction, Scattered};

use super::cache::COLUMN;
use super::columns::Column;
use super::lanes::lanes_of_width;
use crate::builder::{Builder, Place, own};
use crate::frame;

/// Elements at a stride whose addresses the host computes where it uses them.
const BLOCK: usize = 8;
/// Bytes of a host's word.
const WORD: usize = 8;

/// Where the elements of an access are.
pub struct Addresses {
    origin: Origin,
    /// Bits of elements, and where those are instead whose bit is not set.
    active: Option<[Value; 2]>,
}

enum Origin {
    /// At indices from this address on, of a width, in a group.
    Indices { address: Value, group: usize, width: u8 },
    /// The same of these columns, of whose short indices there are words of the host.
    Active { address: Value, indices: Vec<Value>, words: Vec<Value>, width: u8 },
    /// At multiples of a stride, from 1 on, from each of these addresses on.
    Strides { blocks: Vec<Value>, multiples: [Value; BLOCK - 1] },
}

/// True if what is masked off is loaded, too, from where its index says: none of these is far away, then.
const fn loads_all(access: &Scattered) -> bool {
    !access.stores && matches!(access.places, Places::Indices { width: 0, .. })
}

impl Builder<'_, '_> {
    /// Where the first `vl` elements are, at most 32, from an address on.
    pub(super) fn addresses(
        &mut self,
        access: &Scattered,
        indices: &[Value],
        address: Value,
        vl: u64,
    ) -> Addresses {
        let active = (access.masked && access.stores).then(|| {
            let mask = self.column(0, types::I32X4);
            let distance = self.constant(frame::NOWHERE as u64);
            [self.ins.ins().extractlane(mask, 0), self.ins.ins().iadd(self.frame, distance)]
        });
        let register = match access.places {
            // All from the first one's place to the last one's may be accessed, so what is masked off can as well be loaded, at
            // index 0.
            Places::Indices { width, .. } if access.masked && !access.stores && !loads_all(access) => {
                let words =
                    if width == 1 { self.in_words(indices, (vl as usize) << width) } else { Vec::new() };
                let origin = Origin::Active { address, indices: indices.to_vec(), words, width };
                return Addresses { origin, active };
            }
            Places::Indices { group, width } => {
                return Addresses { origin: Origin::Indices { address, group, width }, active };
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
        if let Origin::Indices { address, group, width: 0 } = addresses.origin {
            // There is room for all such indices.
            let address = self.ins.ins().select(bit, address, nowhere);
            return self.element_from(&Origin::Indices { address, group, width: 0 }, number);
        }
        let address = self.element_from(&addresses.origin, number);
        self.ins.ins().select(bit, address, nowhere)
    }

    fn element_from(&mut self, origin: &Origin, number: usize) -> Value {
        let (address, group, width) = match *origin {
            Origin::Indices { address, group, width } => (address, group, width),
            Origin::Active { address, ref indices, ref words, width } => {
                let index = self.active_index(indices, words, number, width);
                return self.ins.ins().iadd(address, index);
            }
            Origin::Strides { ref blocks, multiples } => {
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
                    2 => self.ins.ins().uload32(own(), file, at as i32),
                    _ => self.ins.ins().load(types::I64, own(), file, at as i32),
                }
            }
            _ => {
                let lane = self.ins.ins().extractlane(value, (within >> width) as u8);
                if width == 3 { lane } else { self.ins.ins().uextend(types::I64, lane) }
            }
        };
        self.ins.ins().iadd(address, index)
    }

    /// The first so many bytes of columns in words of the host.
    fn in_words(&mut self, columns: &[Value], bytes: usize) -> Vec<Value> {
        let word = |at: usize| {
            let column = self.as_lanes(columns[at / COLUMN], types::I64X2);
            self.ins.ins().extractlane(column, (at % COLUMN / WORD) as u8)
        };
        (0..bytes).step_by(WORD).map(word).collect()
    }

    /// An index of a width.
    fn active_index(&mut self, columns: &[Value], words: &[Value], number: usize, width: u8) -> Value {
        let at = number << width;
        if width != 1 || number % 2 == 1 {
            let lane = self.ins.ins().extractlane(columns[at / COLUMN], ((at % COLUMN) >> width) as u8);
            return if width == 3 { lane } else { self.ins.ins().uextend(types::I64, lane) };
        }
        let index = self.ins.ins().ushr_imm_u(words[at / WORD], (at % WORD * 8) as i64);
        let index = self.ins.ins().ireduce(types::I16, index);
        self.ins.ins().uextend(types::I64, index)
    }

    /// A number other than 0 if not all of the first `vl` elements or segments may be accessed, with so many bytes after the
    /// last of them, or as of [`Self::is_beyond`].
    pub(super) fn are_beyond(
        &mut self,
        access: &Scattered,
        indices: &[Value],
        excess: u64,
        base: Value,
        vl: u64,
        place: Place,
    ) -> Value {
        let Places::Stride(register) = access.places else {
            let most = self.largest(indices);
            return self.is_beyond(access, base, most, excess, place);
        };
        let stride = self.get(register);
        let most = self.ins.ins().imul_imm_s(stride, vl as i64 - 1);
        let beyond = self.is_beyond(access, base, most, excess, place);
        // Backwards, or so far that the product wraps.
        let is_long = self.ins.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, stride, i64::from(u32::MAX));
        self.ins.ins().bor(beyond, is_long)
    }

    /// Columns of the first `vl` indices, 0 where an element is not active; none of a stride.
    pub(super) fn active_indices(&mut self, access: &Scattered, vl: u64) -> Vec<Value> {
        let Places::Indices { group, width } = access.places else { return Vec::new() };
        let (ty, body) = (lanes_of_width(width), (vl as usize) << width);
        let rest = body % COLUMN;
        let of = |column: usize| {
            let mut value = self.column(group + column, ty);
            if rest > 0 && column + COLUMN > body {
                let bytes: [u8; COLUMN] = std::array::from_fn(|byte| if byte < rest { 0xff } else { 0 });
                let body = self.ins.func.dfg.constants.insert(bytes.to_vec().into());
                let body = self.ins.ins().vconst(ty, body);
                value = self.ins.ins().band(value, body);
            }
            if access.masked && !loads_all(access) {
                let active = self.bits_of_mask(0, column >> width, ty);
                value = self.ins.ins().band(value, active);
            }
            value
        };
        (0..body).step_by(COLUMN).map(of).collect()
    }

    /// The largest of these indices.
    fn largest(&mut self, indices: &[Value]) -> Value {
        let of_two = |a, b| self.combined(Reduction::VREDMAXU, a, b);
        let Some(largest) = indices.iter().copied().reduce(of_two) else { return self.constant(0) };
        let largest = self.combined_lanes(Reduction::VREDMAXU, largest);
        let lane = self.ins.ins().extractlane(largest, 0);
        if self.ins.func.dfg.value_type(lane) == types::I64 {
            lane
        } else {
            self.ins.ins().uextend(types::I64, lane)
        }
    }

    /// A number other than 0 if not all bytes from `base` to the end of the element at the largest index, and so many after
    /// it, may be accessed, or a store may be an event. In a process, it leaves for the right to access the first of them.
    fn is_beyond(
        &mut self,
        scattered: &Scattered,
        base: Value,
        most: Value,
        excess: u64,
        place: Place,
    ) -> Value {
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
            let room = self.ins.ins().iadd_imm_s(room, -1);
            return self.is_far(most, room, excess);
        }
        let offset = self.host_range(base, 0, size).offset;
        let last = self.constant(layout.length.saturating_sub(size));
        let is_outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
        let room = self.ins.ins().isub(last, offset);
        let is_far = self.is_far(most, room, excess);
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
