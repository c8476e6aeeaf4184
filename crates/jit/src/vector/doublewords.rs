//! Upper halves of the products of doublewords, which hosts have for integer registers alone.

use cranelift_codegen::ir::{InstBuilder, Value};

use crate::builder::Builder;

/// Longest body, in bytes: a kernel, which loads and stores lanes one by one, is as fast from there on.
pub(super) const LONGEST: usize = 64;

/// Whether the factors have signs.
#[derive(Clone, Copy)]
pub enum Product {
    Signed,
    Unsigned,
    /// The first has.
    Mixed,
}

impl Builder<'_, '_> {
    /// Upper halves of the products of lanes with those of another column, or all with one number.
    pub(super) fn high_products(&mut self, product: Product, a: Value, b: Value) -> Value {
        let is_column = self.ins.func.dfg.value_type(b).is_vector();
        let mut value = a;
        for lane in 0..2 {
            let first = self.ins.ins().extractlane(a, lane);
            let second = if is_column { self.ins.ins().extractlane(b, lane) } else { b };
            let high = match product {
                Product::Signed => self.ins.ins().smulhi(first, second),
                Product::Unsigned => self.ins.ins().umulhi(first, second),
                Product::Mixed => {
                    // As an unsigned number, a negative one is greater by 2^64, and the product by the other one times that.
                    let high = self.ins.ins().umulhi(first, second);
                    let sign = self.ins.ins().sshr_imm_u(first, 63);
                    let excess = self.ins.ins().band(second, sign);
                    self.ins.ins().isub(high, excess)
                }
            };
            value = self.ins.ins().insertlane(value, high, lane);
        }
        value
    }
}
