//! Segments taken apart into columns of their fields, and put together from them, by instructions of the host that choose
//! from two columns. As many rows of memory as there are fields hold one column of each.
//!
//! A number of fields is an odd one times a power of two. Parts as wide as that power in elements are dealt to as many
//! streams as the odd number says; the fields of each stream are taken apart by zips of its halves, each of which rotates
//! the number of an element by one bit: the number of the segment goes to the place of that of the field, and the other way round.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::cache::COLUMN;
use crate::builder::Builder;

/// The bytes that a choice takes, of the first column and, from [`COLUMN`] on, of the second.
type Choice = [u8; COLUMN];

/// False if it is shorter to move segments one by one: hosts have no short way to mix bytes of many columns.
pub const fn is_short(fields: usize) -> bool {
    odd(fields) <= 3
}

/// The same of what is stored. Elements of two bytes and more are mixed by one operation a column.
pub const fn is_short_to_store(fields: usize, width: u8) -> bool {
    is_short(fields) || odd(fields) == 5 && width > 0
}

/// Which part of a stream is in a place of a row, if one is.
fn number_at(streams: usize, stream: usize, parts: usize, place: usize) -> Option<usize> {
    (0..parts).find(|&number| (number * streams + stream) % parts == place)
}

/// Where the bytes come from of elements of so many bytes of two columns in turn, from a byte of both on.
fn alternating(half: usize, width: usize) -> impl Fn(usize) -> usize {
    move |byte| byte / width % 2 * COLUMN + half + byte / width / 2 * width + byte % width
}

/// The odd number that a number of fields is a multiple of by a power of two.
const fn odd(fields: usize) -> usize {
    fields >> fields.trailing_zeros()
}

impl Builder<'_, '_> {
    /// The columns of the fields, of rows of memory and elements of a width (log2 of bytes).
    pub(super) fn taken_apart(&mut self, rows: Vec<Value>, width: u8) -> Vec<Value> {
        let bytes = 1 << width;
        let streams = odd(rows.len());
        let fields = rows.len() / streams;
        // Elements of a field side by side in each row, of which zips then rotate what is left of the number. That takes no
        // operation more where parts are put in order, which it can be done with.
        let (all, left) = ((COLUMN / bytes).ilog2(), fields.ilog2());
        let is_grouped = fields > 1 && left + u32::from(streams == 1) < all;
        let group = if is_grouped { fields } else { 1 };
        let dealt: Vec<Vec<Value>> =
            rows.chunks(streams).map(|rows| self.dealt(rows, bytes * fields, group)).collect();
        let mut columns = Vec::new();
        for stream in 0..streams {
            let rows = dealt.iter().map(|dealt| dealt[stream]).collect();
            columns.extend(match (fields, is_grouped) {
                (1, _) => rows,
                (_, true) => self.zipped_often(rows, (COLUMN / fields).ilog2() as u8, left),
                (_, false) => self.zipped_often(rows, width, all),
            });
        }
        columns
    }

    /// Rows zipped so many times.
    pub(super) fn zipped_often(&mut self, rows: Vec<Value>, width: u8, rounds: u32) -> Vec<Value> {
        (0..rounds).fold(rows, |rows, _| self.zipped(&rows, 1 << width))
    }

    /// Of rows of which only a first part is of use: the elements of those of the first half of all rows in turn with those of
    /// the second, as many as there is room for.
    pub(super) fn joined(&mut self, rows: &[Value], width: u8) -> Vec<Value> {
        let (first, second) = rows.split_at(rows.len() / 2);
        let pairs = first.iter().zip(second);
        pairs.map(|(&a, &b)| self.chosen(a, b, alternating(0, 1 << width))).collect()
    }

    /// The rows of memory, of columns of the fields.
    pub(super) fn interleaved(&mut self, columns: Vec<Value>, width: u8) -> Vec<Value> {
        let width = 1 << width;
        let streams = odd(columns.len());
        let fields = columns.len() / streams;
        let of_stream = |columns: &[Value]| {
            let zip = |columns: Vec<Value>, _| self.zipped(&columns, width);
            (0..fields.ilog2()).fold(columns.to_vec(), zip)
        };
        let zipped: Vec<Vec<Value>> = columns.chunks(fields).map(of_stream).collect();
        let mut rows = Vec::new();
        for row in 0..fields {
            let of_streams: Vec<Value> = zipped.iter().map(|stream| stream[row]).collect();
            rows.extend(self.collected(&of_streams, width * fields));
        }
        rows
    }

    /// Columns of an odd number of streams, of as many rows, to which parts are dealt in turn. In all of these rows together,
    /// the parts of a stream are in different places of a row. Of parts of so many pieces, the first pieces of all are in
    /// front of the second ones, and so on.
    fn dealt(&mut self, rows: &[Value], part: usize, pieces: usize) -> Vec<Value> {
        let streams = rows.len();
        if streams == 1 && pieces == 1 {
            return rows.to_vec();
        }
        let parts = COLUMN / part;
        let column = |stream: usize| {
            let at = |number: usize| number * streams + stream;
            let row_at =
                |place| number_at(streams, stream, parts, place).map_or(0, |number| at(number) / parts);
            let mixed = self.mixed(rows, part, row_at);
            self.reordered(mixed, part / pieces, |number| {
                let (piece, number) = (number / parts, number % parts);
                at(number) % parts * pieces + piece
            })
        };
        (0..streams).map(column).collect()
    }

    /// The rows that [`Self::dealt`] makes these columns of.
    fn collected(&mut self, columns: &[Value], part: usize) -> Vec<Value> {
        let streams = columns.len();
        if streams == 1 {
            return columns.to_vec();
        }
        let parts = COLUMN / part;
        let in_place = |(stream, &column): (usize, &Value)| {
            self.reordered(column, part, |place| number_at(streams, stream, parts, place).unwrap_or(0))
        };
        let columns: Vec<Value> = columns.iter().enumerate().map(in_place).collect();
        (0..streams).map(|row| self.mixed(&columns, part, |place| (row * parts + place) % streams)).collect()
    }

    /// A column that takes the part in each place from one of these.
    fn mixed(&mut self, columns: &[Value], part: usize, source: impl Fn(usize) -> usize) -> Value {
        let first = source(0);
        let mut mixed = columns[first];
        for (number, &column) in columns.iter().enumerate().filter(|&(number, _)| number != first) {
            if (0..COLUMN / part).any(|place| source(place) == number) {
                let is_from = |byte: usize| source(byte / part) == number;
                mixed = self.chosen(mixed, column, |byte| if is_from(byte) { COLUMN + byte } else { byte });
            }
        }
        mixed
    }

    /// A column of the parts with these numbers of another.
    fn reordered(&mut self, column: Value, part: usize, number: impl Fn(usize) -> usize) -> Value {
        self.chosen(column, column, |byte| number(byte / part) * part + byte % part)
    }

    /// The elements of the first half of all columns in turn with those of the second.
    fn zipped(&mut self, columns: &[Value], width: usize) -> Vec<Value> {
        let (first, second) = columns.split_at(columns.len() / 2);
        let both = first
            .iter()
            .zip(second)
            .flat_map(|(&a, &b)| [0, COLUMN / 2].map(|half| self.chosen(a, b, alternating(half, width))));
        both.collect()
    }

    /// The bytes of two columns that a function of their places says.
    pub(super) fn chosen(&mut self, a: Value, b: Value, from: impl Fn(usize) -> usize) -> Value {
        let choice: Choice = std::array::from_fn(|byte| from(byte) as u8);
        let choice = self.ins.func.dfg.immediates.push(choice.to_vec().into());
        self.ins.ins().shuffle(a, b, choice)
    }
}
