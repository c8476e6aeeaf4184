//! Bits of lanes reversed and counted, by choosing from tables and counting bytes, which hosts have instructions for.

use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::cache::COLUMN;
use super::flags;

/// Bits of each byte in the opposite order.
pub fn reverse_in_bytes(ins: &mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value {
    let reversed: [u8; COLUMN] = std::array::from_fn(|nibble| (nibble as u8).reverse_bits());
    let [upper, lower] = [reversed, reversed.map(|nibble| nibble >> 4)].map(|table| constant(ins, table));
    let bytes = ins.ins().bitcast(types::I8X16, flags(), a);
    let nibble = constant(ins, [0x0f; COLUMN]);
    let low = ins.ins().band(bytes, nibble);
    let high = ins.ins().ushr_imm_u(bytes, 4);
    let (low, high) = (ins.ins().swizzle(upper, low), ins.ins().swizzle(lower, high));
    let all = ins.ins().bor(low, high);
    ins.ins().bitcast(ty, flags(), all)
}

/// Bytes of each lane in the opposite order.
pub fn reverse_bytes(ins: &mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value {
    let lane = ty.lane_type().bytes() as usize;
    let order: [u8; COLUMN] = std::array::from_fn(|byte| (byte / lane * lane + lane - 1 - byte % lane) as u8);
    let order = ins.func.dfg.immediates.push(order.to_vec().into());
    let bytes = ins.ins().bitcast(types::I8X16, flags(), a);
    let bytes = ins.ins().shuffle(bytes, bytes, order);
    ins.ins().bitcast(ty, flags(), bytes)
}

/// Bits of each lane in the opposite order.
pub fn reverse(ins: &mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value {
    let bytes = reverse_in_bytes(ins, a, ty);
    reverse_bytes(ins, bytes, ty)
}

/// How many bits of each lane are set.
pub fn count_ones(ins: &mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value {
    let bytes = ins.ins().bitcast(types::I8X16, flags(), a);
    let bytes = ins.ins().popcnt(bytes);
    let mut counts = ins.ins().bitcast(ty, flags(), bytes);
    // The sums of all bytes come to the highest one, which they do not outgrow.
    let mut width = 8;
    while width < ty.lane_bits() {
        let moved = ins.ins().ishl_imm_u(counts, i64::from(width));
        counts = ins.ins().iadd(counts, moved);
        width *= 2;
    }
    match ty.lane_bits() {
        8 => counts,
        bits => ins.ins().ushr_imm_u(counts, i64::from(bits - 8)),
    }
}

/// How many zeros are below the lowest set bit of each lane.
pub fn trailing_zeros(ins: &mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value {
    let ones = constant(ins, [0xff; COLUMN]);
    let ones = ins.ins().bitcast(ty, flags(), ones);
    let less = ins.ins().iadd(a, ones);
    let below = ins.ins().band_not(less, a);
    count_ones(ins, below, ty)
}

/// How many zeros are above the highest set bit of each lane.
pub fn leading_zeros(ins: &mut FunctionBuilder<'_>, a: Value, ty: Type) -> Value {
    let reversed = reverse(ins, a, ty);
    trailing_zeros(ins, reversed, ty)
}

fn constant(ins: &mut FunctionBuilder<'_>, bytes: [u8; COLUMN]) -> Value {
    let constant = ins.func.dfg.constants.insert(bytes.to_vec().into());
    ins.ins().vconst(types::I8X16, constant)
}
