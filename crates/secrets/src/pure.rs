//! The rules of operations that only compute: one for each row of the engine's table.

use engine::Program;
use engine::uop::{Binary, Comparison, Unary};
use hart::idioms;

use crate::bits::{self, Bits, not, ones};
use crate::interval;

/// Secret bits of a binary operation's result. `same`: its operands are one slot.
pub fn binary(op: Binary, a: Bits, b: Bits, same: bool) -> u64 {
    let word = (a.low(32), b.low(32));
    let clmul = |a, b| if same { bits::clmul_square(a) } else { bits::clmul(a, b) };
    match op {
        Binary::Xor | Binary::Sub64 | Binary::Sub32 | Binary::AndNot if same => 0,
        Binary::And | Binary::Or if same => a.secret,
        Binary::RemU | Binary::RemS32 | Binary::RemS64 if same => 0,
        Binary::DivU32 | Binary::DivS32 if same => interval::div_by_itself(a, 32),
        Binary::DivU | Binary::DivS64 if same => interval::div_by_itself(a, 64),
        Binary::Add64 if same => a.secret << 1,
        Binary::Add32 if same => a.secret << 1 & ones(32),
        // No square is 2 or 3 modulo 4.
        Binary::Mul64 if same => bits::mul(a, b, 64) & !2,
        Binary::Mul32 if same => bits::mul(word.0, word.1, 32) & !2,
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
        Binary::Clmul => clmul(a, b) as u64,
        Binary::ClmulH64 => (clmul(a, b) >> 64) as u64,
        Binary::ClmulR64 => (clmul(a, b) >> 63) as u64,
        Binary::ClmulH32 => (clmul(a, b) >> 32) as u64 & ones(32),
        Binary::ClmulR32 => (clmul(a, b) >> 31) as u64 & ones(32),
        Binary::Xperm8 => bits::permuted(a, b, 8),
        Binary::Xperm4 => bits::permuted(a, b, 4),
        Binary::Aes64Es | Binary::Aes64Esm | Binary::Aes64Ds | Binary::Aes64Dsm => bytes(op.function(), a, b),
        // Of one byte of `a`, which `b` chooses.
        Binary::Aes32Esi | Binary::Aes32Esmi | Binary::Aes32Dsi | Binary::Aes32Dsmi if b.secret == 0 => {
            bytes(op.function(), word.0, b)
        }
        Binary::Aes32Esi | Binary::Aes32Esmi | Binary::Aes32Dsi | Binary::Aes32Dsmi => bits::any(a, b, 32),
        Binary::Aes64Ks1 if b.secret == 0 => bytes(op.function(), a, b),
        Binary::Aes64Ks1 => bits::any(a, b, 64),
    }
}

/// Steps of AES: with all others as they are, each byte of an operand decides each byte of the result one to one, or not
/// at all; what several bytes change is the sum of what each does.
fn bytes(step: extern "C" fn(u64, u64) -> u64, a: Bits, b: Bits) -> u64 {
    let here = step(a.value, b.value);
    let changed = |secret: u64, byte: u32, result: &dyn Fn(u64) -> u64| {
        let of_byte = 0xff << (8 * byte);
        match secret & of_byte {
            0 => 0,
            // One that may be anything reaches all of a byte, or nothing.
            all if all == of_byte => idioms::orc_b(here ^ result(all)),
            some => subsets(some).fold(0, |found, flipped| found | here ^ result(flipped)),
        }
    };
    (0..8).fold(0, |all, byte| {
        all | changed(a.secret, byte, &|flipped| step(a.value ^ flipped, b.value))
            | changed(b.secret, byte, &|flipped| step(a.value, b.value ^ flipped))
    })
}

/// All choices of these bits but none of them.
fn subsets(of: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(of), move |&last| Some(last.wrapping_sub(1) & of))
        .take_while(|&each| each != 0)
}

/// Bits in which the smaller or the larger of two numbers may differ, by what `op` compares them. `first`: the first is
/// taken where the comparison holds.
pub fn extreme(op: Comparison, a: Bits, b: Bits, first: bool) -> u64 {
    let (width, is_signed, takes_least) = match op {
        Comparison::Eq | Comparison::Ne => return u64::MAX,
        Comparison::Ltu => (64, false, first),
        Comparison::Geu => (64, false, !first),
        Comparison::Lts64 => (64, true, first),
        Comparison::Ges64 => (64, true, !first),
        Comparison::Lts32 => (32, true, first),
        Comparison::Ges32 => (32, true, !first),
    };
    let in_order = |of: Bits| if is_signed { of.low(width).in_order(width) } else { of };
    let (a, b) = (in_order(a), in_order(b));
    let (low, high) = if takes_least {
        (a.least().min(b.least()), a.most().min(b.most()))
    } else {
        (a.least().max(b.least()), a.most().max(b.most()))
    };
    bits::between(low, high) | !ones(width)
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
