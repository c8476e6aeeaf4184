//! Slides, and gathers of one element, as choices of bytes from columns in the host's registers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Resolved, Slide, Source};

use super::cache::COLUMN;
use super::lanes::lanes_of_width;
use crate::builder::{Builder, Known};

/// Most columns chosen from, times columns chosen, where the distance is not known: a kernel is as fast beyond that.
const MOST: usize = 16;
/// Most bytes of a group, likewise: places in it, and those after it as far as one can slide, are bytes.
const LONGEST: usize = 128;

/// The columns of a source.
#[derive(Clone, Copy)]
struct Taken {
    /// Its offset.
    group: usize,
    /// Its bytes.
    length: usize,
}

impl Builder<'_, '_> {
    /// Compiles a legal, unmasked instruction of a short body of whole columns; false if it is not one.
    pub(super) fn slid(&mut self, slide: Slide, resolved: &Resolved, vtype: Vtype) -> bool {
        let Some(body) = self.short_body(resolved, vtype).filter(|&body| body > 0) else { return false };
        let length = self.region.vector.vlmax(0, vtype.lmul);
        let from = Taken { group: resolved.a, length };
        let by = match resolved.b {
            Source::Group(_) => return false,
            scalar => self.second(scalar),
        };
        let size = 1 << vtype.sew;
        let columns: Vec<usize> = (0..body).step_by(COLUMN).collect();
        let is_short = length <= LONGEST && columns.len() * (length / COLUMN) <= MOST;
        let values: Vec<Value> = match (slide, self.known[by]) {
            (Slide::Up1, _) => columns.iter().map(|&at| self.slid_up_one(from, at, by, vtype.sew)).collect(),
            (Slide::Down1, _) => {
                let down = |&at: &usize| {
                    let is_last = at + COLUMN == body;
                    let value = self.bytes_from(from, at + size);
                    if is_last { self.with_lane(value, COLUMN / size - 1, by, vtype.sew) } else { value }
                };
                columns.iter().map(down).collect()
            }
            (Slide::Up, Known::Constant(by)) => {
                let by = bytes(by, body, vtype.sew);
                columns.iter().map(|&at| self.slid_up(from, resolved.d, at, by)).collect()
            }
            (Slide::Down, Known::Constant(by)) => {
                let by = bytes(by, length, vtype.sew);
                columns.iter().map(|&at| self.bytes_from(from, at + by)).collect()
            }
            (Slide::All, Known::Constant(number)) => {
                let at = bytes(number, length, vtype.sew);
                let column = self.bytes_from(from, at / COLUMN * COLUMN);
                let value = self.chosen(column, column, |byte| at % COLUMN + byte % size);
                vec![value; columns.len()]
            }
            _ if !is_short => return false,
            (Slide::All, _) => {
                let first = self.distance_in_bytes(by, length, vtype.sew);
                let within = self.bytes_constant(|byte| (byte % size) as u8);
                let places = self.ins.ins().iadd(first, within);
                let value = self.at_places(from, places);
                vec![value; columns.len()]
            }
            (Slide::Down, _) => {
                let by = self.distance_in_bytes(by, length, vtype.sew);
                let down = |&at: &usize| {
                    let here = self.bytes_constant(|byte| (at + byte) as u8);
                    let places = self.ins.ins().iadd(here, by);
                    self.at_places(from, places)
                };
                columns.iter().map(down).collect()
            }
            (Slide::Up, _) => {
                let by = self.distance_in_bytes(by, body, vtype.sew);
                let up = |&at: &usize| {
                    let here = self.bytes_constant(|byte| (at + byte) as u8);
                    // What is below wraps to more than the last place.
                    let places = self.ins.ins().isub(here, by);
                    let value = self.at_places(from, places);
                    let before = self.column(resolved.d + at, types::I8X16);
                    let is_moved = self.ins.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, here, by);
                    self.ins.ins().bitselect(is_moved, value, before)
                };
                columns.iter().map(up).collect()
            }
        };
        for (at, value) in columns.into_iter().zip(values) {
            self.set_column(resolved.d + at, value);
        }
        self.settle_columns();
        true
    }

    /// A column of bytes.
    fn bytes_constant(&mut self, of: impl Fn(usize) -> u8) -> Value {
        let bytes: [u8; COLUMN] = std::array::from_fn(of);
        let constant = self.ins.func.dfg.constants.insert(bytes.to_vec().into());
        self.ins.ins().vconst(types::I8X16, constant)
    }

    /// As many bytes of a source, from one on; zeros after its end.
    fn bytes_from(&mut self, from: Taken, first: usize) -> Value {
        let within = first % COLUMN;
        let [low, high] = [first - within, first - within + COLUMN].map(|at| {
            if at < from.length {
                self.column(from.group + at, types::I8X16)
            } else {
                self.bytes_constant(|_| 0)
            }
        });
        if within == 0 { low } else { self.chosen(low, high, |byte| byte + within) }
    }

    /// A column of a source that is so many bytes further up, with what was in the group at an offset below that.
    fn slid_up(&mut self, from: Taken, d: usize, at: usize, by: usize) -> Value {
        if at >= by {
            return self.bytes_from(from, at - by);
        }
        let before = self.column(d + at, types::I8X16);
        let below = by - at;
        if below >= COLUMN {
            return before;
        }
        let first = self.bytes_from(from, 0);
        self.chosen(before, first, |byte| if byte < below { byte } else { COLUMN + byte - below })
    }

    /// A column of a source that is an element of a width (log2 of bytes) further up, with another one as the first.
    fn slid_up_one(&mut self, from: Taken, at: usize, first: Value, sew: u8) -> Value {
        let size = 1 << sew;
        if at > 0 {
            return self.bytes_from(from, at - size);
        }
        let column = self.bytes_from(from, 0);
        let column = self.chosen(column, column, |byte| byte.saturating_sub(size));
        self.with_lane(column, 0, first, sew)
    }

    fn with_lane(&mut self, column: Value, lane: usize, value: Value, sew: u8) -> Value {
        let ty = lanes_of_width(sew);
        let column = self.as_lanes(column, ty);
        let value = if sew == 3 { value } else { self.ins.ins().ireduce(ty.lane_type(), value) };
        self.ins.ins().insertlane(column, value, lane as u8)
    }

    /// So many elements of a width, but at most so many bytes, as a number of bytes in all lanes.
    fn distance_in_bytes(&mut self, elements: Value, most: usize, sew: u8) -> Value {
        let limit = self.constant((most >> sew) as u64);
        let is_less = self.ins.ins().icmp(IntCC::UnsignedLessThan, elements, limit);
        let elements = self.ins.ins().select(is_less, elements, limit);
        let bytes = self.ins.ins().ishl_imm_u(elements, i64::from(sew));
        self.splat(bytes, types::I8X16)
    }

    /// The bytes of a source at these places; zeros where there are none.
    fn at_places(&mut self, from: Taken, places: Value) -> Value {
        let part = |part: usize| {
            let column = self.column(from.group + part, types::I8X16);
            let distance = self.bytes_constant(|_| part as u8);
            let places = if part == 0 { places } else { self.ins.ins().isub(places, distance) };
            self.ins.ins().swizzle(column, places)
        };
        let parts: Vec<Value> = (0..from.length).step_by(COLUMN).map(part).collect();
        let both = |a, b| self.ins.ins().bor(a, b);
        parts.into_iter().reduce(both).unwrap_or(places)
    }
}

/// So many elements of a width, but at most so many bytes.
fn bytes(elements: u64, most: usize, sew: u8) -> usize {
    (elements.min(most as u64) << sew).min(most as u64) as usize
}
