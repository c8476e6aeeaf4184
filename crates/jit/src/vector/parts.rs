//! Segments in parts that the host moves at once: of a power of two of bytes, at most a column. A load may read past the end of
//! a segment; a store does not write there.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::compiled::{Scattered, Transfer};

use super::cache::COLUMN;
use super::lanes::lanes_of_width;
use crate::access::guest;
use crate::builder::Builder;

/// Fewest bytes that the host loads to the beginning of a column.
const LEAST: usize = 4;

/// A part of every segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its first byte.
    at: usize,
    /// How many it has, a power of two: those of whole fields, of which the last ones may be past the segment.
    bytes: usize,
    /// How many of these are the segment's.
    own: usize,
}

impl Part {
    /// The parts of segments of so many bytes.
    pub fn of(segment: usize) -> Vec<Self> {
        let part = |at: usize| {
            let own = (segment - at).min(COLUMN);
            Self { at, bytes: own.next_power_of_two(), own }
        };
        (0..segment).step_by(COLUMN).map(part).collect()
    }

    /// Bytes past the segment that are loaded with it.
    pub const fn excess(self) -> usize {
        self.loaded() - self.own
    }

    /// How many are loaded.
    const fn loaded(self) -> usize {
        if self.bytes < LEAST { LEAST } else { self.bytes }
    }

    /// The parts of segments of so many fields of a width as they are stored. None is past the segment; two may overlap.
    pub fn stored(fields: usize, width: u8) -> Vec<Self> {
        let most = (COLUMN >> width).min(1 << fields.ilog2());
        let mut parts = Vec::new();
        let mut field = 0;
        while field < fields {
            let rest = fields - field;
            let (first, count) = match rest {
                _ if rest >= most => (field, most),
                _ if rest.is_power_of_two() => (field, rest),
                _ => (fields - most, most),
            };
            let bytes = count << width;
            parts.push(Self { at: first << width, bytes, own: bytes });
            field = first + count;
        }
        parts
    }

    /// Its first byte.
    pub const fn at(self) -> usize {
        self.at
    }

    /// How many it has.
    pub const fn bytes(self) -> usize {
        self.bytes
    }

    /// Its fields, with those that may be past the segment.
    const fn fields(self, width: u8) -> usize {
        self.bytes >> width
    }

    /// Its first field.
    const fn first(self, width: u8) -> usize {
        self.at >> width
    }
}

impl Builder<'_, '_> {
    /// A column of each field of a part, of the segments at these addresses.
    pub(super) fn part_loaded(&mut self, part: Part, addresses: &[Value], width: u8) -> Vec<Value> {
        let load = |&address: &Value| self.beginning(part.loaded(), address, part.at as i32);
        let rows = addresses.iter().map(load).collect();
        self.part_taken_apart(part, rows, width)
    }

    /// A column that begins with so many bytes of memory: 4, 8 or all.
    fn beginning(&mut self, bytes: usize, address: Value, at: i32) -> Value {
        let (ty, lanes) = match bytes {
            4 => (types::F32, types::F32X4),
            8 => (types::F64, types::F64X2),
            _ => return self.ins.ins().load(types::I8X16, guest(), address, at),
        };
        let value = self.ins.ins().load(ty, guest(), address, at);
        let column = self.ins.ins().scalar_to_vector(lanes, value);
        self.as_bytes(column)
    }

    /// The same of segments side by side, so many bytes beyond an address; nothing past the last one of all is read, if that
    /// is among them.
    pub(super) fn side_by_side(
        &mut self,
        part: Part,
        (address, places): (Value, &[usize]),
        is_last: bool,
        width: u8,
    ) -> Vec<Value> {
        let load = |(number, &place): (usize, &usize)| {
            let is_end = is_last && number + 1 == places.len();
            let excess = if is_end { part.excess() } else { 0 };
            let value = self.beginning(part.loaded(), address, (place + part.at - excess) as i32);
            if excess > 0 { self.chosen(value, value, |byte| (byte + excess) % COLUMN) } else { value }
        };
        let rows = places.iter().enumerate().map(load).collect();
        self.part_taken_apart(part, rows, width)
    }

    /// The columns of a part's fields, of columns that begin with that of a segment each.
    fn part_taken_apart(&mut self, part: Part, mut rows: Vec<Value>, width: u8) -> Vec<Value> {
        // The first rows are not full: the first halves of two become one.
        let mut filled = part.bytes;
        while filled < COLUMN {
            rows = self.joined(&rows, width);
            filled *= 2;
        }
        self.zipped_often(rows, width, part.fields(width).ilog2())
    }

    /// Rows of a part, each of as many segments as it has room for, of a column of each of the segment's fields.
    pub(super) fn part_rows(&mut self, part: Part, columns: &[Value], width: u8) -> Vec<Value> {
        let first = part.first(width);
        // What is past the segment is not stored.
        let last = columns.len() - 1;
        let of = (first..first + part.fields(width)).map(|field| columns[field.min(last)]).collect();
        self.interleaved(of, width)
    }

    /// Stores a segment's part of these rows.
    pub(super) fn store_part(&mut self, part: Part, rows: &[Value], segment: usize, address: Value) {
        let lanes = COLUMN / part.bytes;
        let (row, lane, at) = (rows[segment / lanes], segment % lanes, part.at as i32);
        // The host stores the first lane of floating-point numbers as it is, and takes it out of others before.
        let ty = match (part.bytes, lane) {
            (4, 0) => types::F32X4,
            (8, 0) => types::F64X2,
            _ => lanes_of_width(part.bytes.ilog2() as u8),
        };
        let value = if lanes == 1 { row } else { self.lane(row, ty, lane) };
        self.ins.ins().store(guest(), value, address, at);
    }

    /// As many rows of memory as there are fields, of segments side by side, of rows of their one part.
    pub(super) fn closed(&mut self, part: Part, parts: &[Value]) -> Vec<Value> {
        let per_row = COLUMN / part.bytes;
        // The row and the byte there of a byte of all segments.
        let place = |byte: usize| {
            let (segment, within) = (byte / part.own, byte % part.own);
            (segment / per_row, segment % per_row * part.bytes + within)
        };
        let row = |row: usize| {
            let of = |byte: usize| place(row * COLUMN + byte);
            let (first, last) = (of(0).0, of(COLUMN - 1).0);
            // At least two.
            let from = |byte: usize| (of(byte).0 - first) % 2 * COLUMN + of(byte).1;
            let mut value = self.chosen(parts[first], parts[first + 1], from);
            for (other, &part) in parts.iter().enumerate().take(last + 1).skip(first + 2) {
                let from = |byte: usize| if of(byte).0 == other { COLUMN + of(byte).1 } else { byte };
                value = self.chosen(value, part, from);
            }
            value
        };
        (0..parts.len() * per_row * part.own / COLUMN).map(row).collect()
    }

    /// Sets a column of each field, where elements are active. There may be more.
    pub(super) fn set_fields(&mut self, data: Data, column: usize, columns: Vec<Value>) {
        let ty = lanes_of_width(data.width);
        let mask = data.masked.then(|| self.bits_of_mask(0, column >> data.width, ty));
        for (at, mut value) in data.offsets(column).zip(columns) {
            if let Some(mask) = mask {
                let before = self.column(at, ty);
                value = self.as_lanes(value, ty);
                value = self.ins.ins().bitselect(mask, value, before);
            }
            self.set_column(at, value);
        }
    }

    fn lane(&mut self, row: Value, ty: Type, lane: usize) -> Value {
        let row = self.as_lanes(row, ty);
        self.ins.ins().extractlane(row, lane as u8)
    }
}

/// Fields of segments in registers.
#[derive(Clone, Copy)]
pub struct Data {
    /// Offset of the first.
    pub register: usize,
    /// Bytes of the register file from one to the next.
    pub distance: usize,
    /// How many.
    pub fields: usize,
    /// log2 of the bytes of an element.
    pub width: u8,
    /// Elements whose bits of v0 are not set are not loaded.
    pub masked: bool,
}

impl Data {
    /// Offsets of the columns from a byte of each field on.
    pub fn offsets(self, column: usize) -> impl Iterator<Item = usize> {
        (0..self.fields).map(move |field| self.register + field * self.distance + column)
    }

    /// The numbers of the segments whose elements are in a column.
    pub fn segments(self, column: usize) -> std::ops::Range<usize> {
        column >> self.width..(column + COLUMN) >> self.width
    }
}

impl From<&Scattered> for Data {
    fn from(&Scattered { data: register, distance, fields, width, masked, .. }: &Scattered) -> Self {
        Self { register, distance, fields, width, masked }
    }
}

impl From<&Transfer> for Data {
    fn from(&Transfer { register, distance, fields, width, masked, .. }: &Transfer) -> Self {
        Self { register, distance, fields, width, masked }
    }
}

/// Bytes past a segment that are loaded with it.
pub fn excess(access: &Scattered, parts: &[Part]) -> u64 {
    if access.stores || access.fields == 1 { 0 } else { parts.last().map_or(0, |part| part.excess() as u64) }
}
