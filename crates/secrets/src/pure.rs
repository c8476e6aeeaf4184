//! The rules of operations that only compute: one for each row of the engine's table.

use engine::Program;
use engine::uop::{Binary, Comparison, Unary};
use hart::idioms;

use crate::bits::{self, Bits, not, ones};
use crate::interval;

/// Secret bits of a binary operation's result. `same`: its operands are one slot.
pub fn binary(op: Binary, a: Bits, b: Bits, same: bool) -> u64 {
    let word = (a.low(32), b.low(32));
    match op {
        Binary::Xor | Binary::Sub64 | Binary::Sub32 | Binary::AndNot if same => 0,
        Binary::And | Binary::Or if same => a.secret,
        Binary::RemU | Binary::RemS32 | Binary::RemS64 if same => 0,
        Binary::Add64 => bits::add(a, b, 64),
        Binary::Add32 => bits::add(word.0, word.1, 32),
        Binary::Sub64 => bits::sub(a, b, 64),
        Binary::Sub32 => bits::sub(word.0, word.1, 32),
        Binary::Mul64 => bits::mul(a, b, 64),
        Binary::Mul32 => bits::mul(word.0, word.1, 32),
        Binary::And => bits::and(a, b),
        Binary::Or => bits::or(a, b),
        Binary::Xor => bits::xor(a, b),
        Binary::AndNot => bits::and(a, not(b, 64)),
        Binary::Shl64 => bits::shifted(a, b, 64, |x, by| if by < 64 { x << by } else { 0 }),
        Binary::Shl32 => bits::shifted(word.0, b, 32, |x, by| if by < 32 { x << by & ones(32) } else { 0 }),
        Binary::Shr => bits::shifted(a, b, 64, |x, by| if by < 64 { x >> by } else { 0 }),
        Binary::Sar64 => bits::shifted(a, b, 63, |x, by| (x as i64 >> by) as u64),
        Binary::Sar32 => bits::shifted(word.0, b, 31, |x, by| u64::from((x as u32 as i32 >> by) as u32)),
        Binary::Rol64 => bits::rotated_left(a, b, 64),
        Binary::Rol32 => bits::rotated_left(word.0, b, 32),
        Binary::Ror64 => bits::rotated_right(a, b, 64),
        Binary::Ror32 => bits::rotated_right(word.0, b, 32),
        // Of values that are zero-extended from 32 bits.
        Binary::DivU32 => interval::div(a, b, false, 32),
        Binary::DivU => interval::div(a, b, false, 64),
        Binary::RemU => interval::rem(a, b, false, 64),
        Binary::DivS32 => interval::div(word.0, word.1, true, 32),
        Binary::RemS32 => interval::rem(word.0, word.1, true, 32),
        Binary::DivS64 => interval::div(a, b, true, 64),
        Binary::RemS64 => interval::rem(a, b, true, 64),
        Binary::MulHU => interval::mul_high(a, b, (false, false), 64),
        Binary::MulHS => interval::mul_high(a, b, (true, true), 64),
        Binary::MulHSU => interval::mul_high(a, b, (true, false), 64),
        Binary::Clmul => bits::clmul(a, b) as u64,
        Binary::ClmulH64 => (bits::clmul(a, b) >> 64) as u64,
        Binary::ClmulR64 => (bits::clmul(a, b) >> 63) as u64,
        Binary::ClmulH32 => (bits::clmul(a, b) >> 32) as u64 & ones(32),
        Binary::ClmulR32 => (bits::clmul(a, b) >> 31) as u64 & ones(32),
        Binary::Xperm8 => bits::permuted(a, b, 8),
        Binary::Xperm4 => bits::permuted(a, b, 4),
        Binary::Aes64Es | Binary::Aes64Esm | Binary::Aes64Ds | Binary::Aes64Dsm => bytes(op.function(), a, b),
        // Of one byte of `a`, which `b` chooses.
        Binary::Aes32Esi | Binary::Aes32Esmi | Binary::Aes32Dsi | Binary::Aes32Dsmi if b.secret == 0 => {
            bytes(op.function(), word.0, b)
        }
        Binary::Aes32Esi | Binary::Aes32Esmi | Binary::Aes32Dsi | Binary::Aes32Dsmi => bits::any(a, b, 32),
        Binary::Aes64Ks1 => bits::any(a, b, 64),
    }
}

/// Steps of AES: with all others as they are, each byte of an operand decides each byte of the result one to one, or not
/// at all. So what a byte reaches is what changes if it does.
fn bytes(step: extern "C" fn(u64, u64) -> u64, a: Bits, b: Bits) -> u64 {
    let changed = |byte: u32| {
        let flipped = 0xff << (8 * byte);
        let here = step(a.value, b.value);
        let by_a = if a.secret & flipped != 0 { here ^ step(a.value ^ flipped, b.value) } else { 0 };
        let by_b = if b.secret & flipped != 0 { here ^ step(a.value, b.value ^ flipped) } else { 0 };
        idioms::orc_b(by_a) | idioms::orc_b(by_b)
    };
    if a.secret | b.secret == 0 { 0 } else { (0..8).fold(0, |all, byte| all | changed(byte)) }
}

/// Whether a comparison's result is secret.
pub fn compare(op: Comparison, a: Bits, b: Bits, same: bool) -> bool {
    let word = (a.low(32), b.low(32));
    if same {
        return false;
    }
    match op {
        Comparison::Eq | Comparison::Ne => bits::eq(a, b),
        Comparison::Ltu | Comparison::Geu => bits::less(a, b),
        Comparison::Lts64 | Comparison::Ges64 => bits::less_signed(a, b, 64),
        Comparison::Lts32 | Comparison::Ges32 => bits::less_signed(word.0, word.1, 32),
    }
}

/// Secret bits of a unary operation's result.
pub fn unary(op: Unary, a: Bits) -> u64 {
    if a.secret == 0 {
        return 0;
    }
    match op {
        // These only move bits.
        Unary::Mov | Unary::Rev64 | Unary::Rev32 | Unary::Brev8 | Unary::Zip32 | Unary::Unzip32 => {
            op.function()(a.secret)
        }
        Unary::Clz64 => bits::leading_zeros(a, 64),
        Unary::Clz32 => bits::leading_zeros(a.low(32), 32),
        Unary::Ctz64 => bits::trailing_zeros(a, 64),
        Unary::Ctz32 => bits::trailing_zeros(a.low(32), 32),
        Unary::Cpop => bits::count_ones(a),
        // A byte that has a public one is all ones.
        Unary::OrcB => idioms::orc_b(a.secret) & !idioms::orc_b(a.least()),
        // Linear: each bit changes the same ones of the result, whatever the others are.
        Unary::Aes64Im => {
            let secret = (0..64).filter(|bit| a.secret >> bit & 1 == 1);
            secret.fold(0, |changed, bit| changed | op.function()(1 << bit))
        }
    }
}

/// Secret bits of an element of a description's table.
pub fn table(program: &Program, table: u64, index: Bits) -> u64 {
    let values = &program.module().tables[table as usize].values;
    let entry = |index: u64| {
        let value = usize::try_from(index).ok().and_then(|index| values.get(index));
        value.map_or(0, |value| value.as_u64())
    };
    bits::looked_up(index, values.len() as u64, entry)
}
