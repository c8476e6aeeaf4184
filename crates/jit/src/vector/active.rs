//! Masked stores of many elements or segments at indices or a stride: a loop over those that are active. Nobody has to know where
//! the others are, and the loop is a small part of the code that a store of each would be.

use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use hart::vector::compiled::{Places, Scattered};

use super::cache::COLUMN;
use super::parts::{Data, Part};
use crate::access::guest;
use crate::builder::{Builder, own};
use crate::frame;

/// Fewest elements: as many stores as there are of fewer are as fast, and faster where most are active.
const LEAST: u64 = 17;
/// Bits of the mask that are looked at.
const BITS: u64 = 32;

/// True if a store of these parts of as many segments as `vl` says is a loop.
pub fn is_looped(access: &Scattered, parts: &[Part], vl: u64) -> bool {
    let bytes: usize = parts.iter().map(|part| part.bytes()).sum();
    let has_room = vl as usize * bytes <= frame::NOWHERE_SIZE;
    access.stores && access.masked && (LEAST..=BITS).contains(&vl) && has_room
}

/// What says how far elements are from the address.
enum From {
    Stride(Value),
    /// Indices of a width, so many bytes beyond an address.
    Indices((Value, i32), u8),
}

impl Builder<'_, '_> {
    /// Stores the parts of those of the first `vl` segments that are active, in their order, at an address and indices or
    /// multiples of a stride.
    pub(super) fn store_active(&mut self, access: &Scattered, parts: &[Part], address: Value, vl: u64) {
        let kept = self.keep_parts(access, parts, vl);
        let from = match access.places {
            Places::Stride(register) => From::Stride(self.get(register)),
            Places::Indices { group, width } => {
                let columns = ((vl as usize) << width).div_ceil(COLUMN);
                From::Indices(self.stored_indices(group, columns), width)
            }
        };
        let mask = self.column(0, types::I32X4);
        let mut bits = self.ins.ins().extractlane(mask, 0);
        if vl < BITS {
            bits = self.ins.ins().band_imm_u(bits, (1 << vl) - 1);
        }
        let (each, done) = (self.ins.create_block(), self.ins.create_block());
        let left = self.ins.append_block_param(each, types::I32);
        self.ins.ins().brif(bits, each, &[BlockArg::Value(bits)], done, &[]);
        self.ins.switch_to_block(each);
        let number = self.ins.ins().ctz(left);
        let number = self.ins.ins().uextend(types::I64, number);
        let distance = match from {
            From::Stride(stride) => self.ins.ins().imul(number, stride),
            From::Indices((file, group), width) => {
                let at = self.ins.ins().ishl_imm_u(number, i64::from(width));
                let at = self.ins.ins().iadd(file, at);
                self.index_at(at, group, width)
            }
        };
        let to = self.ins.ins().iadd(address, distance);
        for (&part, &at) in parts.iter().zip(&kept) {
            self.move_kept(part, at, number, to);
        }
        let less = self.ins.ins().iadd_imm_s(left, -1);
        let left = self.ins.ins().band(left, less);
        self.ins.ins().brif(left, each, &[BlockArg::Value(left)], done, &[]);
        self.ins.seal_block(each);
        self.ins.seal_block(done);
        self.ins.switch_to_block(done);
    }

    /// Stores the parts of all segments one after the other where nobody else does, and says where each begins.
    fn keep_parts(&mut self, access: &Scattered, parts: &[Part], vl: u64) -> Vec<i32> {
        let data = Data::from(access);
        let mut next = frame::NOWHERE;
        let mut kept = Vec::new();
        for part in parts {
            kept.push(next);
            next += vl as i32 * part.bytes() as i32;
        }
        for column in (0..(vl as usize) << data.width).step_by(COLUMN) {
            let columns: Vec<Value> = data.offsets(column).map(|at| self.column(at, types::I8X16)).collect();
            for (&part, &at) in parts.iter().zip(&kept) {
                let first = at + (data.segments(column).start * part.bytes()) as i32;
                let rows = self.part_rows(part, &columns, data.width);
                for (row, value) in rows.into_iter().enumerate() {
                    self.ins.ins().store(own(), value, self.frame, first + (row * COLUMN) as i32);
                }
            }
        }
        kept
    }

    /// Stores the part of the segment with a number, of those that are from a place on.
    fn move_kept(&mut self, part: Part, at: i32, number: Value, to: Value) {
        let from = self.ins.ins().ishl_imm_u(number, i64::from(part.bytes().ilog2()));
        let from = self.ins.ins().iadd(self.frame, from);
        let ty = match part.bytes() {
            1 => types::I8,
            2 => types::I16,
            4 => types::I32,
            8 => types::I64,
            _ => types::I8X16,
        };
        let value = self.ins.ins().load(ty, own(), from, at);
        self.ins.ins().store(guest(), value, to, part.at() as i32);
    }
}
