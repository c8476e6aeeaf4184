//! Loads and stores. Every address is compared with where guest memory is before the host touches it; an
//! access that fails, or that may be an event, is the interpreter's.
//!
//! Accesses through one register lie close together: the first of a block checks the range of all that
//! follow it. An index that is known to be small, a table's, makes the range larger instead of unknown. Should the
//! range fail although the first access alone would not, the interpreter finds out.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlagsData, Type, Value, types};
use engine::uop::{Load, Op, Uop};
use hart::fault::Access;
use hart::memory::Layout;
use hart::pages::{PAGE, PAGE_BITS, Rights};

use crate::builder::{Builder, Checked, Extension, HostRange, Place, own};
use crate::granted::{MOST_SITES, RANGES};
use crate::{frame, shape};

/// Most bytes that one check covers.
const SPAN: u64 = 2048;

impl Builder<'_, '_> {
    /// What a load gives, and the largest value that can be.
    pub fn load(&mut self, uop: Uop, load: Load, place: Place) -> (Value, u64) {
        let (address, offset) = self.check(uop, Access::Load, load.bits, place);
        let ins = self.ins.ins();
        let value = match load {
            Load { bits: 64, .. } => ins.load(types::I64, guest(), address, offset),
            Load { bits: 32, signed: false, .. } => {
                let value = ins.uload32(guest(), address, offset);
                self.known_word(value, Extension::Zero)
            }
            Load { bits: 32, signed: true, .. } => {
                let value = ins.sload32(guest(), address, offset);
                self.known_word(value, Extension::Sign)
            }
            Load { bits: 8, signed: false, .. } => {
                let value = ins.uload8(types::I64, guest(), address, offset);
                self.narrow_load(value, 8)
            }
            Load { bits: _, signed: false, .. } => {
                let value = ins.uload16(types::I64, guest(), address, offset);
                self.narrow_load(value, 16)
            }
            Load { bits, signed: true, to: 64 } => {
                let value = match bits {
                    8 => ins.sload8(types::I64, guest(), address, offset),
                    _ => ins.sload16(types::I64, guest(), address, offset),
                };
                self.known_word(value, Extension::Sign)
            }
            Load { bits, signed: true, .. } => {
                let word = match bits {
                    8 => ins.sload8(types::I32, guest(), address, offset),
                    _ => ins.sload16(types::I32, guest(), address, offset),
                };
                self.widen(word)
            }
        };
        (value, ones(if load.signed { load.to } else { load.bits }))
    }

    /// What is known of an unsigned load of less than a word.
    fn narrow_load(&mut self, value: Value, bits: u16) -> Value {
        self.note_bound(value, ones(bits));
        self.known_word(value, Extension::Either)
    }

    /// A store of this many bits.
    pub fn store(&mut self, uop: Uop, bits: u16, place: Place) {
        let (address, offset) = self.check(uop, Access::Store, bits, place);
        let value = self.get(uop.b);
        let word = if bits < 64 { self.narrow(value) } else { value };
        let value = if bits < 32 { self.ins.ins().ireduce(bits_of(bits), word) } else { word };
        self.ins.ins().store(guest(), value, address, offset);
    }

    /// Host address of an access, as a sum, once it is known to be allowed.
    fn check(&mut self, uop: Uop, access: Access, bits: u16, place: Place) -> (Value, i32) {
        let (address, stores) = (self.get(uop.a), access == Access::Store);
        if self.trips.as_ref().is_some_and(|trips| trips.accesses.has(place.uop)) {
            return self.host_address(address, uop.imm);
        }
        let (sum, added) = self.sums[address].unwrap_or((address, 0));
        let (base, index) = match self.indexed[sum] {
            Some((base, most)) if place.straight => (base, most as i64),
            _ => (sum, 0),
        };
        let low = added.wrapping_add(uop.imm as i64);
        let size = index + i64::from(bits / 8);
        let Some(high) = low.checked_add(size) else {
            // Nothing can be compared with offsets that wrap.
            if !self.ahead.contains(&place.uop) {
                self.check_range(base, low, size as u64, access, place);
            }
            return self.host_address(address, uop.imm);
        };
        let known = match self.covering(base, low, high, stores) {
            Some(known) => known,
            None if self.ahead.contains(&place.uop) => return self.host_address(address, uop.imm),
            None => {
                let alone = !place.straight || index > 0;
                let (low, high) = if alone { (low, high) } else { self.reach(low, high, access, place) };
                let host = self.check_range(base, low, (high - low) as u64, access, place);
                let checked = Checked { base, stores, low, high, host };
                if place.straight {
                    self.checked.push(checked);
                }
                checked
            }
        };
        if index > 0 {
            return self.host_address(address, uop.imm);
        }
        (self.ins.ins().iadd(self.bytes, known.host.offset), (low - known.host.at) as i32)
    }

    /// What was checked already and covers a range.
    pub fn covering(&self, base: Value, low: i64, high: i64, stores: bool) -> Option<Checked> {
        let covers = |known: &&Checked| {
            known.base == base && known.low <= low && high <= known.high && known.stores == stores
        };
        self.checked.iter().find(covers).copied()
    }

    /// The same of an access of its own, at `address + added`.
    pub fn check_alone(
        &mut self,
        address: Value,
        added: u64,
        access: Access,
        bits: u16,
        place: Place,
    ) -> (Value, i32) {
        let (base, before) = self.sums[address].unwrap_or((address, 0));
        let low = before.wrapping_add(added as i64);
        let Some(high) = low.checked_add(i64::from(bits / 8)) else {
            self.check_range(base, low, u64::from(bits / 8), access, place);
            return self.host_address(address, added);
        };
        let host = match self.covering(base, low, high, access == Access::Store) {
            Some(known) => known.host,
            None => self.check_range(base, low, u64::from(bits / 8), access, place),
        };
        (self.ins.ins().iadd(self.bytes, host.offset), (low - host.at) as i32)
    }

    /// Host address of a guest address that was checked, as a sum.
    fn host_address(&mut self, address: Value, added: u64) -> (Value, i32) {
        match i32::try_from(added as i64) {
            Ok(near) if self.is_address() => (self.ins.ins().iadd(self.bytes, address), near),
            _ => {
                let offset = self.offset_of(address, added);
                (self.ins.ins().iadd(self.bytes, offset), 0)
            }
        }
    }

    /// True if offsets into guest memory are the addresses there.
    const fn is_address(&self) -> bool {
        !self.rv32 && self.region.layout.base == 0
    }

    /// Bytes of guest memory that an address can name.
    fn length(&self) -> u64 {
        let Layout { base, length, .. } = self.region.layout;
        if self.rv32 { length.min((1_u64 << 32).saturating_sub(base)) } else { length }
    }

    /// Distance of `address + added` from the first byte of guest memory.
    fn offset_of(&mut self, address: Value, added: u64) -> Value {
        let base = self.region.layout.base;
        if self.rv32 {
            let start = self.add(address, added);
            let start = self.extend_low(start, Extension::Zero);
            self.add(start, base.wrapping_neg())
        } else {
            self.add(address, added.wrapping_sub(base))
        }
    }

    /// Range of offsets that this access, from `low` to `high`, and later ones of the block use with the same
    /// register.
    fn reach(&self, mut low: i64, mut high: i64, access: Access, place: Place) -> (i64, i64) {
        let block = self.region.members[place.member].block;
        let Some((register, _)) = shape::address(block, place.start, place.uop, self.rv32) else {
            return (low, high);
        };
        let mut start = place.start;
        for (index, uop) in block.uops.iter().enumerate().skip(place.uop) {
            if let Some((kind, bytes)) = uop.op.access()
                && kind == access
                && let Some((same, from)) = shape::address(block, start, index, self.rv32)
                && let Some(to) = from.checked_add(bytes as i64)
                && same == register
            {
                let (wider_low, wider_high) = (low.min(from), high.max(to));
                if wider_high.wrapping_sub(wider_low) as u64 <= SPAN {
                    (low, high) = (wider_low, wider_high);
                }
            }
            let changed = uop.def() == Some(register);
            if changed || matches!(uop.op, Op::Goto | Op::GotoIfZero | Op::Unit) {
                break;
            }
            if shape::ends_instruction(block, index) {
                start = index + 1;
            }
        }
        (low, high)
    }

    /// Leaves for the interpreter unless `size` bytes from `base + low` may be accessed; returns where they are.
    pub fn check_range(
        &mut self,
        base: Value,
        low: i64,
        size: u64,
        access: Access,
        place: Place,
    ) -> HostRange {
        let layout = self.region.layout;
        if layout.paged {
            return self.check_granted(base, low, size, access, place);
        }
        let host = self.host_range(base, low, size);
        let offset = host.offset;
        let Some(last) = self.length().checked_sub(size) else {
            self.give_up(place);
            return host;
        };
        let last = self.constant(last);
        let outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
        self.leave_if(outside, place);
        if access == Access::Store
            && let Some(tohost) = layout.tohost
        {
            // Some store may begin within its eight bytes if the range touches them.
            let start = self.add(offset, layout.base.wrapping_add(size - 1).wrapping_sub(tohost));
            let near = self.constant(size + 7);
            let touches = self.ins.ins().icmp(IntCC::UnsignedLessThan, start, near);
            self.leave_if(touches, place);
        }
        host
    }

    /// Where `size` bytes from `base + low` are.
    pub fn host_range(&mut self, base: Value, low: i64, size: u64) -> HostRange {
        let fits = |offset: i64| i32::try_from(offset).is_ok();
        let is_near = self.region.layout.paged
            && self.is_address()
            && fits(low)
            && fits(low.saturating_add_unsigned(size));
        match is_near {
            true => HostRange { offset: base, at: 0 },
            false => HostRange { offset: self.offset_of(base, low as u64), at: low },
        }
    }

    /// The same in a process: compares with the ranges that this site was granted before. Outside of them, it leaves, and
    /// rights are looked up ([`frame::Frame::look_up`]); a restless site looks at those of the pages first.
    fn check_granted(&mut self, base: Value, low: i64, size: u64, access: Access, place: Place) -> HostRange {
        let host = self.host_range(base, low, size);
        let register = host.offset;
        let added = low.wrapping_sub(host.at) as u64;
        let number = self.sites.count();
        if number == MOST_SITES {
            self.give_up(place);
            return host;
        }
        let spot = (self.region.members[place.member].pc, place.uop);
        self.sites.add(added, size, access, spot);
        self.store_columns();
        let (through, leaves) = (self.ins.create_block(), self.ins.create_block());
        self.find_granted(register, number, through, false);
        if size <= PAGE && self.sites.is_restless(spot) {
            let first = self.add(register, added);
            let (pages, none) = (self.ins.create_block(), self.constant(0));
            let limit = self.constant((self.length() + 1).saturating_sub(size));
            let patience = frame::patience(number);
            let left = self.ins.ins().uload32(own(), self.frame, patience);
            let limit = self.ins.ins().select(left, limit, none);
            let exists = self.ins.ins().icmp(IntCC::UnsignedLessThan, first, limit);
            self.ins.ins().brif(exists, pages, &[], leaves, &[]);
            self.begin_cold(pages);
            let less = self.narrow(left);
            let one = self.ins.ins().iconst(types::I32, 1);
            let less = self.ins.ins().isub(less, one);
            self.ins.ins().store(own(), less, self.frame, patience);
            let granted = self.has_rights(first, size, access);
            self.ins.ins().brif(granted, through, &[], leaves, &[]);
        } else {
            self.ins.ins().jump(leaves, &[]);
        }
        self.begin_cold(leaves);
        self.ask_for(register, number, place);
        self.ins.seal_block(through);
        self.ins.switch_to_block(through);
        host
    }

    /// Goes on at `through` if a register reaches into a range of a site, there with how far and with the range's span if
    /// these are `wanted`; what is compiled next is executed if it does not.
    pub fn find_granted(&mut self, register: Value, number: usize, through: Block, wanted: bool) {
        for range in 0..RANGES {
            let granted = frame::granted(number, range);
            let start = self.ins.ins().load(types::I64, own(), self.frame, granted);
            let distance = self.ins.ins().isub(register, start);
            let span = self.ins.ins().load(types::I64, own(), self.frame, granted + 8);
            let is_within = self.ins.ins().icmp(IntCC::UnsignedLessThan, distance, span);
            let found = [BlockArg::Value(distance), BlockArg::Value(span)];
            let found = if wanted { &found[..] } else { &[] };
            let outside = self.ins.create_block();
            self.ins.ins().brif(is_within, through, found, outside, &[]);
            self.begin_cold(outside);
        }
    }

    /// Leaves for a site's rights to be looked up, and for the interpreter to execute the instruction.
    pub fn ask_for(&mut self, register: Value, number: usize, place: Place) {
        let site = self.constant(number as u64 + 1);
        for (value, to) in [(register, frame::REGISTER), (site, frame::SITE)] {
            self.ins.ins().store(own(), value, self.frame, to);
        }
        self.resume(place.member, place.start, false);
    }

    /// Whether the pages of `size` bytes from an offset, at most two, grant an access.
    fn has_rights(&mut self, first: Value, size: u64, access: Access) -> Value {
        let rights = self.ins.ins().load(types::I64, own(), self.frame, frame::RIGHTS);
        let bits = self.constant(PAGE_BITS.into());
        let of_page = |builder: &mut Self, offset: Value| {
            let page = builder.ins.ins().ushr(offset, bits);
            let at = builder.ins.ins().iadd(rights, page);
            builder.ins.ins().uload8(types::I64, own(), at, 0)
        };
        let mut all = of_page(self, first);
        if size > 1 {
            let last = self.add(first, size - 1);
            let others = of_page(self, last);
            all = self.ins.ins().band(all, others);
        }
        let right = self.constant(Rights::of(access).bits().into());
        self.ins.ins().band(all, right)
    }

    /// Goes on with a block that is seldom executed, all ways to which are known.
    fn begin_cold(&mut self, block: Block) {
        self.ins.seal_block(block);
        self.ins.set_cold_block(block);
        self.ins.switch_to_block(block);
    }

    /// Has the interpreter execute the instruction if a condition holds.
    pub fn leave_if(&mut self, condition: Value, place: Place) {
        self.store_columns();
        let (out, through) = self.fork(condition);
        self.ins.set_cold_block(out);
        self.ins.switch_to_block(out);
        self.resume(place.member, place.start, false);
        self.ins.switch_to_block(through);
    }

    /// The same in any case; what is compiled after it is never executed.
    pub fn give_up(&mut self, place: Place) {
        self.resume(place.member, place.start, false);
        let unreachable = self.ins.create_block();
        self.ins.seal_block(unreachable);
        self.ins.switch_to_block(unreachable);
    }

    fn add(&mut self, value: Value, constant: u64) -> Value {
        if constant == 0 {
            return value;
        }
        let constant = self.constant(constant);
        self.ins.ins().iadd(value, constant)
    }
}

/// The type of integers of this many bits.
pub fn bits_of(bits: u16) -> Type {
    Type::int(bits).unwrap_or(types::I64)
}

/// The largest number of this many bits.
const fn ones(bits: u16) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Flags of checked guest accesses, which may be misaligned.
pub fn guest() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
