//! Elements that become twice as wide or half as wide, as SIMD instructions of the host: half a column becomes a whole one,
//! or two columns become one.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Doubled, Doubling, Extension, Operation, Resolved, Source};

use super::cache::COLUMN;
use super::lanes::{LONGEST, lanes_of_width};
use crate::builder::{Builder, Known, Place};

/// How the host does an operation.
#[derive(Clone, Copy)]
enum Host {
    /// By adding or subtracting extended elements.
    Sums { signed: bool, subtracts: bool },
    /// By multiplying elements, each with a sign or not, and adding to `vd` or not.
    Products { signed: [bool; 2], accumulates: bool },
    /// By shifting extended elements to the left, all alike.
    Raises,
    /// By shifting all alike to the right, and taking the lower halves.
    Narrows { signed: bool },
}

impl Host {
    const fn of(doubling: Doubling) -> Self {
        let (signed, accumulates) = match doubling {
            Doubling::VWADDU => return Self::Sums { signed: false, subtracts: false },
            Doubling::VWADD => return Self::Sums { signed: true, subtracts: false },
            Doubling::VWSUBU => return Self::Sums { signed: false, subtracts: true },
            Doubling::VWSUB => return Self::Sums { signed: true, subtracts: true },
            Doubling::VWSLL => return Self::Raises,
            Doubling::VNSRL => return Self::Narrows { signed: false },
            Doubling::VNSRA => return Self::Narrows { signed: true },
            Doubling::VWMULU => ([false, false], false),
            Doubling::VWMULSU => ([true, false], false),
            Doubling::VWMUL => ([true, true], false),
            Doubling::VWMACCU => ([false, false], true),
            Doubling::VWMACC => ([true, true], true),
            Doubling::VWMACCSU => ([false, true], true),
            Doubling::VWMACCUS => ([true, false], true),
        };
        Self::Products { signed, accumulates }
    }
}

/// True if results are the wider ones.
pub(super) const fn widens(doubling: Doubling) -> bool {
    !matches!(Host::of(doubling), Host::Narrows { .. })
}

/// The second operand of all columns.
#[derive(Clone, Copy)]
enum Other {
    /// The register group at an offset.
    Group(usize),
    /// The same lanes for every column.
    Same(Value),
    /// The number by which lanes are shifted.
    Bits(Value),
}

/// A half of a column of elements of SEW.
#[derive(Clone, Copy)]
pub(super) struct Half {
    /// Where the column is in a group.
    pub(super) column: usize,
    pub(super) is_high: bool,
}

impl Half {
    /// The one that becomes a column at an offset in its group.
    pub(super) const fn of(column: usize) -> Self {
        Self { column: column / 2 / COLUMN * COLUMN, is_high: column / COLUMN % 2 == 1 }
    }
}

impl Builder<'_, '_> {
    /// Compiles a legal, unmasked instruction of a short body of whole columns, and of a kind that the host has; false if it
    /// is not one.
    pub(super) fn doubled(&mut self, doubled: Doubled, resolved: &Resolved, vtype: Vtype) -> bool {
        let (host, Some(vl)) = (Host::of(doubled.doubling), self.vector.vl) else { return false };
        let double = vl << (vtype.sew + 1);
        let body = if matches!(host, Host::Narrows { .. }) { double / 2 } else { double };
        if !self.are_columns(body, resolved.tail_end) || double > LONGEST {
            return false;
        }
        let other = match (host, resolved.b) {
            (Host::Narrows { .. } | Host::Raises, Source::Group(_)) => return false,
            (Host::Narrows { .. } | Host::Raises, scalar) => Other::Bits(self.second(scalar)),
            (_, Source::Group(register)) => Other::Group(register as usize * self.region.vector.vlenb()),
            (_, scalar) => {
                let value = self.second(scalar);
                Other::Same(self.splat(value, lanes_of_width(vtype.sew)))
            }
        };
        let of = |column| self.doubled_of(host, doubled.from_double, resolved, other, vtype.sew, column);
        // All before one is set: `vd` may be the first part of `vs2`, and a source the last part of `vd`.
        let columns: Vec<Value> = (0..body as usize).step_by(COLUMN).map(of).collect();
        self.set_columns(resolved.d, &columns);
        true
    }

    /// Compiles a legal extension to a short body of whole columns; false if it is not one.
    pub(super) fn extended(
        &mut self,
        operation: &Operation,
        Extension { doublings, signed }: Extension,
        word: u32,
        place: Place,
    ) -> bool {
        let (Some(vtype), Some(vl)) = (self.vector.vtype, self.vector.vl) else { return false };
        let Some(registers) = operation.registers(self.region.vector, word, vtype) else { return false };
        let Some(is_masked) = registers.keeps_masked_off() else { return false };
        let ([d, a, _], body) = (registers.of, vl << vtype.sew);
        if !self.are_columns(body, registers.tail_end) || body > LONGEST {
            return false;
        }
        self.expect(Some(vtype), place);
        let of = |column: usize| {
            let source = (column >> doublings) / COLUMN * COLUMN;
            let narrow = self.column(a + source, lanes_of_width(vtype.sew - doublings));
            // Which half of the source, which half of that, and so on.
            let part = column / COLUMN;
            let widen = |value, step| self.widened(value, signed, part >> step & 1 == 1);
            let value = (0..doublings).rev().fold(narrow, widen);
            if is_masked { self.where_active(value, d, column, vtype.sew) } else { value }
        };
        let columns: Vec<Value> = (0..body as usize).step_by(COLUMN).map(of).collect();
        self.set_columns(d, &columns);
        true
    }

    /// True if a body of so many bytes is one of whole columns, and has no tail to fill. Where registers are shorter, a half
    /// of a column may lie where no column begins.
    fn are_columns(&self, body: u64, tail_end: usize) -> bool {
        let is_whole = body > 0 && body.is_multiple_of(COLUMN as u64) && body >= tail_end as u64;
        is_whole && self.region.vector.vlenb() >= COLUMN
    }

    fn set_columns(&mut self, first: usize, columns: &[Value]) {
        for (index, &value) in columns.iter().enumerate() {
            self.set_column(first + index * COLUMN, value);
        }
        self.settle_columns();
    }

    /// The column of `vd` at an offset in its group.
    fn doubled_of(
        &mut self,
        host: Host,
        from_double: bool,
        resolved: &Resolved,
        other: Other,
        sew: u8,
        column: usize,
    ) -> Value {
        let (narrow, wide) = (lanes_of_width(sew), lanes_of_width(sew + 1));
        let half = Half::of(column);
        match (host, other) {
            (Host::Narrows { signed }, Other::Bits(by)) => {
                let columns = [0, COLUMN].map(|place| {
                    let lanes = self.column(resolved.a + 2 * column + place, wide);
                    self.lowered(lanes, by, signed)
                });
                self.lower_halves(columns, narrow)
            }
            (Host::Raises, Other::Bits(by)) => {
                let lanes = self.column(resolved.a + half.column, narrow);
                let lanes = self.widened(lanes, false, half.is_high);
                self.ins.ins().ishl(lanes, by)
            }
            (Host::Sums { signed, subtracts }, _) => {
                let a = if from_double {
                    self.column(resolved.a + column, wide)
                } else {
                    let a = self.column(resolved.a + half.column, narrow);
                    self.widened(a, signed, half.is_high)
                };
                let b = self.second_half(other, half, narrow);
                let b = self.widened(b, signed, half.is_high);
                if subtracts { self.ins.ins().isub(a, b) } else { self.ins.ins().iadd(a, b) }
            }
            (Host::Products { signed, accumulates }, _) => {
                let a = self.column(resolved.a + half.column, narrow);
                let b = self.second_half(other, half, narrow);
                let product = self.product([a, b], signed, half.is_high);
                if !accumulates {
                    return product;
                }
                let d = self.column(resolved.d + column, wide);
                self.ins.ins().iadd(d, product)
            }
            // What shifts has bits.
            (Host::Narrows { .. } | Host::Raises, _) => self.column(resolved.a + column, wide),
        }
    }

    fn second_half(&mut self, other: Other, half: Half, narrow: Type) -> Value {
        match other {
            Other::Group(offset) => self.column(offset + half.column, narrow),
            Other::Same(lanes) | Other::Bits(lanes) => lanes,
        }
    }

    /// The lanes of a half of a column, twice as wide.
    pub(super) fn widened(&mut self, lanes: Value, signed: bool, is_high: bool) -> Value {
        match (signed, is_high) {
            (false, false) => self.ins.ins().uwiden_low(lanes),
            (false, true) => self.ins.ins().uwiden_high(lanes),
            (true, false) => self.ins.ins().swiden_low(lanes),
            (true, true) => self.ins.ins().swiden_high(lanes),
        }
    }

    /// The products of a half of two columns.
    fn product(&mut self, [a, b]: [Value; 2], [of_a, of_b]: [bool; 2], is_high: bool) -> Value {
        let ty = self.ins.func.dfg.value_type(a);
        if of_a == of_b || ty != types::I32X4 {
            let (a, b) = (self.widened(a, of_a, is_high), self.widened(b, of_b, is_high));
            return self.ins.ins().imul(a, b);
        }
        // Hosts multiply words to doublewords that both have signs, or none. A sign that is taken for a bit adds 2³²
        // times the other factor.
        let (signed, unsigned) = if of_a { (a, b) } else { (b, a) };
        let product = self.product([a, b], [false, false], is_high);
        let zero = self.lanes_constant(0, ty);
        let is_negative = self.ins.ins().icmp(IntCC::SignedLessThan, signed, zero);
        let excess = self.ins.ins().band(is_negative, unsigned);
        let excess = self.widened(excess, false, is_high);
        let half = self.constant(32);
        let excess = self.ins.ins().ishl(excess, half);
        self.ins.ins().isub(product, excess)
    }

    /// Lanes shifted to the right, of which the lower halves are right.
    fn lowered(&mut self, lanes: Value, by: Value, signed: bool) -> Value {
        let bits = u64::from(self.ins.func.dfg.value_type(lanes).lane_bits());
        match self.known[by] {
            Known::Constant(by) if by % bits == 0 => lanes,
            // No sign comes so far down, and not all hosts have doublewords with signs to shift.
            Known::Constant(by) if by % bits <= bits / 2 => {
                let by = self.constant(by % bits);
                self.ins.ins().ushr(lanes, by)
            }
            _ if signed => self.ins.ins().sshr(lanes, by),
            _ => self.ins.ins().ushr(lanes, by),
        }
    }

    /// The lower halves of the lanes of two columns in one, as lanes of a type.
    pub(super) fn lower_halves(&mut self, columns: [Value; 2], narrow: Type) -> Value {
        self.halves(columns, narrow, 0)
    }

    /// The same of the upper halves.
    pub(super) fn upper_halves(&mut self, columns: [Value; 2], narrow: Type) -> Value {
        self.halves(columns, narrow, narrow.lane_type().bytes() as usize)
    }

    fn halves(&mut self, columns: [Value; 2], narrow: Type, first: usize) -> Value {
        let lane = narrow.lane_type().bytes() as usize;
        let from = |byte: usize| (byte / lane * 2 * lane + first + byte % lane) as u8;
        let order: [u8; COLUMN] = std::array::from_fn(from);
        let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
        let [low, high] = columns.map(|lanes| self.as_bytes(lanes));
        self.ins.ins().shuffle(low, high, order)
    }
}
