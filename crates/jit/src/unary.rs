//! Operations on one value.

use cranelift_codegen::ir::{InstBuilder, Value};
use engine::uop::Unary;

use crate::builder::Builder;

impl Builder<'_, '_> {
    /// What an operation gives, and the largest value that can be.
    pub fn unary(&mut self, op: Unary, slot: u16) -> (Value, u64) {
        let a = self.get(slot);
        let value = match op {
            Unary::Mov => return (a, self.largest_of(slot)),
            Unary::Clz64 => self.ins.ins().clz(a),
            Unary::Ctz64 => self.ins.ins().ctz(a),
            Unary::Cpop => self.ins.ins().popcnt(a),
            Unary::Rev64 => self.ins.ins().bswap(a),
            Unary::Clz32 => self.on_word(a, |ins, a| ins.clz(a)),
            Unary::Ctz32 => self.on_word(a, |ins, a| ins.ctz(a)),
            Unary::Rev32 => self.on_word(a, |ins, a| ins.bswap(a)),
            Unary::Brev8 => {
                let swapped = self.ins.ins().bswap(a);
                self.ins.ins().bitrev(swapped)
            }
            Unary::OrcB => self.orc_b(a),
            Unary::Zip32 | Unary::Unzip32 | Unary::Aes64Im => self.call(op.function() as usize, &[a]),
        };
        (value, u64::MAX)
    }

    /// 0xff for every byte that is not zero.
    fn orc_b(&mut self, a: Value) -> Value {
        let low = self.constant(0x7f7f_7f7f_7f7f_7f7f);
        let (seven, ones, all) =
            (self.constant(7), self.constant(0x0101_0101_0101_0101), self.constant(0xff));
        let carried = self.ins.ins().band(a, low);
        let carried = self.ins.ins().iadd(carried, low);
        let any = self.ins.ins().bor(carried, a);
        let bits = self.ins.ins().ushr(any, seven);
        let bits = self.ins.ins().band(bits, ones);
        self.ins.ins().imul(bits, all)
    }
}
