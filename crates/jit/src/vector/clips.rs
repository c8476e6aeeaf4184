//! Lanes that become half as wide, where what does not fit becomes the nearest that does, and those that are each shifted by
//! another number.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

use super::cache::COLUMN;
use super::fixed::Results;
use crate::builder::Builder;

impl Builder<'_, '_> {
    /// The lanes of two columns in one, the lower ones first. They saturate if their high halves hold more than a sign. Which
    /// lane does is told if `each` matters, and whether any does otherwise.
    pub(super) fn narrowed(&mut self, halves: [Value; 2], wide: Type, signed: bool, each: bool) -> Results {
        if wide == types::I64X2 {
            return self.narrowed_to_words(halves, signed);
        }
        let half = wide.lane_bits() / 2;
        let most = (1 << half) - 1;
        let beyond = self.lanes_constant(most << half, wide);
        let [low, high] = halves;
        let from_least = if signed {
            let middle = self.lanes_constant(1 << (half - 1), wide);
            halves.map(|lanes| self.ins.ins().iadd(lanes, middle))
        } else {
            halves
        };
        let saturated = if each {
            // Those that are not zero stay so.
            let [low, high] = from_least.map(|lanes| self.ins.ins().band(lanes, beyond));
            self.ins.ins().snarrow(low, high)
        } else {
            let all = self.ins.ins().bor(from_least[0], from_least[1]);
            self.ins.ins().band(all, beyond)
        };
        if signed {
            return (self.ins.ins().snarrow(low, high), Some(saturated));
        }
        // Hosts take what they narrow as signed.
        let most = self.lanes_constant(most, wide);
        let [low, high] = halves.map(|lanes| self.ins.ins().umin(lanes, most));
        (self.ins.ins().unarrow(low, high), Some(saturated))
    }

    /// The same of doublewords, which hosts do not narrow so.
    fn narrowed_to_words(&mut self, halves: [Value; 2], signed: bool) -> Results {
        let ty = types::I32X4;
        let (low, high) = (self.lower_halves(halves, ty), self.upper_halves(halves, ty));
        let [low, high] = [low, high].map(|lanes| self.as_lanes(lanes, ty));
        if !signed {
            let zero = self.lanes_constant(0, ty);
            let fits = self.ins.ins().icmp(IntCC::Equal, high, zero);
            return (self.ins.ins().bor_not(low, fits), Some(high));
        }
        let sign = self.constant(31);
        let [of_low, of_high] = [low, high].map(|lanes| self.ins.ins().sshr(lanes, sign));
        let fits = self.ins.ins().icmp(IntCC::Equal, high, of_low);
        let most = self.lanes_constant(u64::MAX >> 33, ty);
        let bound = self.ins.ins().bxor(of_high, most);
        let saturated = self.ins.ins().bxor(high, of_low);
        (self.ins.ins().bitselect(fits, low, bound), Some(saturated))
    }

    /// Bytes shifted to the right, each by the lowest three bits of another, and the last bit that falls out added.
    pub(super) fn bytes_shifted_apart(&mut self, bytes: Value, by: Value, signed: bool) -> Value {
        let halves = [false, true].map(|is_high| self.widened(bytes, signed, is_high));
        // All have room for a sign.
        let [low, high] = self.shifted_apart(halves, by, 7, true);
        if signed { self.ins.ins().snarrow(low, high) } else { self.ins.ins().unarrow(low, high) }
    }

    /// Halfwords shifted to the right, each by some of the lowest four bits of a byte, and the last bit that falls out added.
    pub(super) fn shifted_apart(
        &mut self,
        halves: [Value; 2],
        by: Value,
        most: u64,
        signed: bool,
    ) -> [Value; 2] {
        let most = self.lanes_constant(most, types::I8X16);
        let by = self.ins.ins().band(by, most);
        // The number of each lane by which a product of fractions is the lane shifted: 2^15 shifted, too, by its bytes.
        let bytes = [0, 1].map(|byte| {
            let powers: [u8; COLUMN] = std::array::from_fn(|by| (1_u16 << (15 - by)).to_le_bytes()[byte]);
            let powers = self.ins.func.dfg.constants.insert(powers.to_vec().into());
            let powers = self.ins.ins().vconst(types::I8X16, powers);
            self.ins.ins().swizzle(powers, by)
        });
        let sign = self.lanes_constant(1 << 15, types::I16X8);
        std::array::from_fn(|half| {
            let from = |byte: usize| (half * 8 + byte / 2 + byte % 2 * COLUMN) as u8;
            let order: [u8; COLUMN] = std::array::from_fn(from);
            let order = self.ins.func.dfg.immediates.push(order.to_vec().into());
            let power = self.ins.ins().shuffle(bytes[0], bytes[1], order);
            let power = self.as_lanes(power, types::I16X8);
            let lanes = halves[half];
            let shifted = if signed {
                self.ins.ins().sqmul_round_sat(lanes, power)
            } else {
                // Less 2^15, it has a sign; so the product is less by the power.
                let flipped = self.ins.ins().bxor(lanes, sign);
                let less = self.ins.ins().sqmul_round_sat(flipped, power);
                self.ins.ins().iadd(less, power)
            };
            // 2^15 itself is negative.
            let stays = self.ins.ins().icmp(IntCC::Equal, power, sign);
            self.ins.ins().bitselect(stays, lanes, shifted)
        })
    }
}
