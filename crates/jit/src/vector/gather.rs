//! Gathers as choices of bytes from columns in the host's registers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use hart::vector::Vtype;
use hart::vector::compiled::{Resolved, Source};

use super::cache::COLUMN;
use super::flags;
use super::lanes::lanes_of_width;
use crate::builder::Builder;

/// Most columns chosen from, times columns chosen: a kernel is as fast beyond that.
const MOST: usize = 16;

impl Builder<'_, '_> {
    /// Compiles a legal gather by indices of a width (log2 of bytes), if it is unmasked, of whole columns and short, and they
    /// are at most twice as wide as the elements; false if it is not.
    pub(super) fn gather(&mut self, resolved: &Resolved, width: u8, vtype: Vtype) -> bool {
        let (Some(vl), Source::Group(indices)) = (self.vector.vl, resolved.b) else { return false };
        let unit = self.region.vector;
        let (body, group) = ((vl << vtype.sew) as usize, unit.vlmax(0, vtype.lmul));
        let is_whole = body > 0 && body.is_multiple_of(COLUMN) && group.is_multiple_of(COLUMN);
        // The place after the group must fit into a byte, but for indices that are bytes themselves.
        let is_short =
            (body / COLUMN) * (group / COLUMN) <= MOST && (vtype.sew == 0 && width == 0 || group < 256);
        if !is_whole
            || !is_short
            || body < resolved.tail_end
            || resolved.masked_off.is_some()
            || width > vtype.sew + 1
        {
            return false;
        }
        let indices = indices as usize * unit.vlenb();
        // Registers of less than a column: the indices may begin within one.
        if !indices.is_multiple_of(COLUMN) {
            return false;
        }
        for column in (0..body).step_by(COLUMN) {
            let indices = self.indices(indices, column, width, vtype.sew);
            let places = self.places(indices, vtype.sew, group >> vtype.sew);
            let mut chosen: Option<Value> = None;
            for part in (0..group).step_by(COLUMN) {
                let from = self.column(resolved.a + part, types::I8X16);
                let places = match part {
                    0 => places,
                    _ => {
                        // What is below wraps to more than the last place.
                        let part = self.ins.ins().iconst(types::I8, part as i64);
                        let part = self.ins.ins().splat(types::I8X16, part);
                        self.ins.ins().isub(places, part)
                    }
                };
                let here = self.ins.ins().swizzle(from, places);
                chosen = Some(match chosen {
                    Some(before) => self.ins.ins().bor(before, here),
                    None => here,
                });
            }
            if let Some(chosen) = chosen {
                self.set_column(resolved.d + column, chosen);
            }
        }
        self.settle_columns();
        true
    }

    /// The indices of a column of elements, as wide as these; the greatest for one that would not fit.
    fn indices(&mut self, group: usize, column: usize, width: u8, sew: u8) -> Value {
        let lanes = lanes_of_width(width);
        if width == sew {
            return self.column(group + column, lanes);
        }
        if width > sew {
            let greatest = self.ins.ins().iconst(lanes.lane_type(), 0xff);
            let greatest = self.ins.ins().splat(lanes, greatest);
            let [low, high] = [0, COLUMN].map(|half| {
                let wide = self.column(group + 2 * column + half, lanes);
                self.ins.ins().umin(wide, greatest)
            });
            return self.ins.ins().unarrow(low, high);
        }
        let first = column >> (sew - width);
        let mut indices = self.column(group + first / COLUMN * COLUMN, lanes);
        for step in 1..=sew - width {
            // Where they are, of what is left: each step doubles it.
            indices = if (first << (step - 1)) % COLUMN < COLUMN / 2 {
                self.ins.ins().uwiden_low(indices)
            } else {
                self.ins.ins().uwiden_high(indices)
            };
        }
        indices
    }

    /// Places of the bytes that a column of indices names, of elements of a width (log2 of bytes); 0x80 or more for an
    /// index of `vlmax` or more.
    fn places(&mut self, indices: Value, sew: u8, vlmax: usize) -> Value {
        let (lanes, lane, of_each, within) = match sew {
            0 => return indices,
            3 => return self.places_of_doublewords(indices, vlmax),
            1 => (types::I16X8, types::I16, 0x0202, 0x0100),
            _ => (types::I32X4, types::I32, 0x0404_0404, 0x0302_0100),
        };
        let mut splat = |number: i64| {
            let number = self.ins.ins().iconst(lane, number);
            self.ins.ins().splat(lanes, number)
        };
        let (most, of_each, within) = (splat(vlmax as i64), splat(of_each), splat(within));
        let indices = self.ins.ins().umin(indices, most);
        let first = self.ins.ins().imul(indices, of_each);
        let places = self.ins.ins().iadd(first, within);
        self.ins.ins().bitcast(types::I8X16, flags(), places)
    }

    /// The same of doublewords, by their lowest bytes; `vlmax` is a power of two.
    fn places_of_doublewords(&mut self, indices: Value, vlmax: usize) -> Value {
        let beyond = self.ins.ins().ushr_imm_u(indices, i64::from(vlmax.ilog2()));
        let zero = self.ins.ins().iconst(types::I64, 0);
        let zero = self.ins.ins().splat(types::I64X2, zero);
        let is_beyond = self.ins.ins().icmp(IntCC::SignedGreaterThan, beyond, zero);
        let is_beyond = self.ins.ins().bitcast(types::I8X16, flags(), is_beyond);
        let first = self.ins.ins().ishl_imm_u(indices, 3);
        let first = self.ins.ins().bitcast(types::I8X16, flags(), first);
        let lowest: [u8; COLUMN] = std::array::from_fn(|byte| (byte / 8 * 8) as u8);
        let lowest = self.ins.func.dfg.immediates.push(lowest.to_vec().into());
        let first = self.ins.ins().shuffle(first, first, lowest);
        let within: [u8; COLUMN] = std::array::from_fn(|byte| (byte % 8) as u8);
        let within = self.ins.func.dfg.constants.insert(within.to_vec().into());
        let within = self.ins.ins().vconst(types::I8X16, within);
        let places = self.ins.ins().iadd(first, within);
        self.ins.ins().bor(places, is_beyond)
    }
}
