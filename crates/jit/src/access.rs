//! Loads and stores. Every address is compared with where guest memory is before the host touches it; an
//! access that fails, or that may be an event, is the interpreter's.
//!
//! Accesses through one register lie close together: the first of a block checks the range of all that
//! follow it. An index that is known to be small, a table's, makes the range larger instead of unknown. Should the
//! range fail although the first access alone would not, the interpreter finds out.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use engine::uop::{Load, Op, Uop};
use hart::fault::Access;
use hart::memory::Layout;
use hart::pages::{PAGE, Rights};

use crate::builder::{Builder, Checked, Extension, Place};
use crate::shape;

/// Most bytes that one check covers; two pages at most.
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
        let value = match bits {
            64 => value,
            32 => self.narrow(value),
            _ => self.ins.ins().ireduce(bits_of(bits), value),
        };
        self.ins.ins().store(guest(), value, address, offset);
    }

    /// Host address of an access, as a sum, once it is known to be allowed.
    fn check(&mut self, uop: Uop, access: Access, bits: u16, place: Place) -> (Value, i32) {
        let (address, stores) = (self.get(uop.a), access == Access::Store);
        let (sum, added) = self.sums[address].unwrap_or((address, 0));
        let (base, index) = match self.indexed[sum] {
            Some((base, most)) if place.straight => (base, most as i64),
            _ => (sum, 0),
        };
        let low = added.wrapping_add(uop.imm as i64);
        let size = index + i64::from(bits / 8);
        let Some(high) = low.checked_add(size) else {
            // Nothing can be compared with offsets that wrap.
            self.check_range(base, low, size as u64, stores, place);
            let offset = self.offset_of(address, uop.imm);
            return (self.ins.ins().iadd(self.bytes, offset), 0);
        };
        let known = self.checked.iter().find(|known| {
            known.base == base && known.low <= low && high <= known.high && (known.stores == stores)
        });
        let known = match known {
            Some(&known) => known,
            None => {
                let alone = !place.straight || index > 0;
                let (low, high) = if alone { (low, high) } else { self.reach(low, high, access, place) };
                let offset = self.check_range(base, low, (high - low) as u64, stores, place);
                let checked = Checked { base, stores, low, high, offset };
                if place.straight {
                    self.checked.push(checked);
                }
                checked
            }
        };
        if index > 0 {
            let offset = self.offset_of(address, uop.imm);
            return (self.ins.ins().iadd(self.bytes, offset), 0);
        }
        (self.ins.ins().iadd(self.bytes, known.offset), (low - known.low) as i32)
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

    /// Leaves for the interpreter unless `size` bytes from `base + low` may be accessed; returns their
    /// offset from the first byte of guest memory.
    pub fn check_range(&mut self, base: Value, low: i64, size: u64, stores: bool, place: Place) -> Value {
        let layout = self.region.layout;
        let offset = self.offset_of(base, low as u64);
        let Some(last) = self.length().checked_sub(size) else {
            self.give_up_behind(place);
            return offset;
        };
        if layout.rights.is_some() {
            self.check_rights(offset, size, last, stores, place);
            return offset;
        }
        let last = self.constant(last);
        let outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
        self.leave_if(outside, place);
        if stores && let Some(tohost) = layout.tohost {
            // Some store may begin within its eight bytes if the range touches them.
            let start = self.add(offset, layout.base.wrapping_add(size - 1).wrapping_sub(tohost));
            let near = self.constant(size + 7);
            let touches = self.ins.ins().icmp(IntCC::UnsignedLessThan, start, near);
            self.leave_if(touches, place);
        }
        offset
    }

    /// Checks that a process may access a range, which lies in two pages at most.
    fn check_rights(&mut self, offset: Value, size: u64, last: u64, stores: bool, place: Place) {
        let right = i64::from(if stores { Rights::WRITE } else { Rights::READ }.bits());
        if size > 8 {
            // Of several accesses together: the ends of the range.
            let last = self.constant(last);
            let outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
            self.leave_if(outside, place);
            let first = self.page_of(offset);
            let first = self.rights_of(first);
            return self.leave_unless_both(first, offset, size, right, place);
        }
        let page = self.page_of(offset);
        let pages = self.constant(self.length() / PAGE);
        let outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, page, pages);
        self.leave_if(outside, place);
        let first = self.rights_of(page);
        if size == 1 {
            let granted = self.ins.ins().band_imm_s(first, right);
            let refused = self.ins.ins().icmp_imm_s(IntCC::Equal, granted, 0);
            return self.leave_if(refused, place);
        }
        let (through, unsure) = (self.ins.create_block(), self.ins.create_block());
        self.ins.set_cold_block(unsure);
        let granted = self.ins.ins().band_imm_s(first, right << Rights::SHARED);
        self.ins.ins().brif(granted, through, &[], unsure, &[]);
        self.ins.seal_block(unsure);
        self.ins.switch_to_block(unsure);
        let last = self.constant(last);
        let outside = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, offset, last);
        self.leave_if(outside, place);
        self.leave_unless_both(first, offset, size, right, place);
        self.ins.ins().jump(through, &[]);
        self.ins.seal_block(through);
        self.ins.switch_to_block(through);
    }

    /// Leaves unless the page of a range's end, whose begin has the rights `first`, grants one too.
    fn leave_unless_both(&mut self, first: Value, offset: Value, size: u64, right: i64, place: Place) {
        let end = self.add(offset, size - 1);
        let end = self.page_of(end);
        let last = self.rights_of(end);
        let both = self.ins.ins().band(first, last);
        let granted = self.ins.ins().band_imm_s(both, right);
        let refused = self.ins.ins().icmp_imm_s(IntCC::Equal, granted, 0);
        self.leave_if(refused, place);
    }

    fn page_of(&mut self, offset: Value) -> Value {
        let bits = self.constant(PAGE.trailing_zeros().into());
        self.ins.ins().ushr(offset, bits)
    }

    fn rights_of(&mut self, page: Value) -> Value {
        let entry = self.ins.ins().iadd(self.rights, page);
        self.ins.ins().load(types::I8, own_rights(), entry, 0)
    }

    /// Has the interpreter execute the instruction if a condition holds.
    pub fn leave_if(&mut self, condition: Value, place: Place) {
        let (out, through) = self.fork(condition);
        self.ins.set_cold_block(out);
        self.ins.switch_to_block(out);
        self.resume(place.member, place.start, false);
        self.ins.switch_to_block(through);
    }

    /// The same in any case; what is compiled after it is never executed.
    fn give_up_behind(&mut self, place: Place) {
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
fn bits_of(bits: u16) -> Type {
    Type::int(bits).unwrap_or(types::I64)
}

/// The largest number of this many bits.
const fn ones(bits: u16) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Flags of checked guest accesses, which may be misaligned.
fn guest() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Rights change under system calls only, but those are seen by the same compiled code.
fn own_rights() -> MemFlagsData {
    MemFlagsData::trusted()
}
