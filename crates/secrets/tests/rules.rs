//! Every rule of an operation, against all that its operands may be.

use engine::uop::{Op, Pure, fold_binary, fold_unary};
use secrets::bits::{self, Bits};
use secrets::pure;

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn number(&mut self) -> u64 {
        match self.bits() >> 61 {
            0 | 1 => self.bits(),
            2 => self.bits() >> 57,
            3 => self.bits() & self.bits() & self.bits(),
            4 => self.bits() | self.bits() | self.bits(),
            5 => self.bits() >> 32,
            6 => 0,
            _ => 1 << (self.bits() >> 58),
        }
    }

    fn operand(&mut self, mask: u64) -> Bits {
        // Few secret bits, so that a result may be certain in spite of them.
        let secret = match self.bits() >> 62 {
            0 => 0,
            1 => self.number(),
            _ => self.bits() & self.bits() & self.bits() & self.bits(),
        };
        Bits { value: self.number() & mask, secret: secret & mask }
    }

    fn other(&mut self, of: Bits) -> u64 {
        let flipped = match self.bits() >> 62 {
            0 => u64::MAX,
            1 => 1 << (self.bits() >> 58),
            _ => self.bits(),
        };
        of.value ^ flipped & of.secret
    }
}

const TRIES: usize = 20_000;

/// What an operation on 32-bit words takes and gives is zero above them.
fn mask(op: Op) -> u64 {
    if format!("{op:?}").contains("32") { 0xffff_ffff } else { u64::MAX }
}

#[test]
fn no_public_bit_of_a_result_changes_with_secret_operands() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut tried = 0;
    for &op in Op::ALL {
        let engine::uop::Kind::Pure(kind) = op.kind() else { continue };
        for _ in 0..TRIES {
            let (a, b) = (random.operand(mask(op)), random.operand(mask(op)));
            let (x, y) = (random.other(a), random.other(b));
            let (secret, one, other) = match kind {
                Pure::Binary { op: which, immediate: false } => (
                    pure::binary(which, a, b, false),
                    fold_binary(op, a.value, b.value).expect("a binary operation"),
                    fold_binary(op, x, y).expect("a binary operation"),
                ),
                Pure::Compare { op: which, immediate: false } => (
                    pure::compare(which, a, b, false).into(),
                    fold_binary(op, a.value, b.value).expect("a comparison"),
                    fold_binary(op, x, y).expect("a comparison"),
                ),
                Pure::Unary(which) => (
                    pure::unary(which, a),
                    fold_unary(op, a.value).expect("a unary operation"),
                    fold_unary(op, x).expect("a unary operation"),
                ),
                _ => break,
            };
            assert_eq!(
                (one ^ other) & !secret,
                0,
                "{op:?} {a:x?} {b:x?}: {x:x} {y:x}, {secret:x} called secret"
            );
            tried += 1;
        }
    }
    assert!(tried > 60 * TRIES, "{tried}");
}

/// Operands that are one slot are changed together.
#[test]
fn no_public_bit_of_a_result_of_one_operand_twice_changes() {
    let mut random = Random(0x2468_ace0_1357_9bdf);
    let (mut called, mut changed) = (0, 0);
    for &op in Op::ALL {
        let engine::uop::Kind::Pure(Pure::Binary { op: which, immediate: false }) = op.kind() else {
            continue;
        };
        let result = |x| fold_binary(op, x, x).expect("a binary operation");
        for _ in 0..TRIES / 50 {
            let a = random.operand(mask(op));
            let (secret, one) = (pure::binary(which, a, a, true), result(a.value));
            let seen = (0..50).fold(0, |seen, _| seen | one ^ result(random.other(a)));
            assert_eq!(seen & !secret, 0, "{op:?} {a:x?}: {secret:x} called secret");
            if matches!(
                op,
                Op::Add64 | Op::Xor | Op::Sub64 | Op::And | Op::Clmul | Op::ClmulH64 | Op::ClmulR32
            ) {
                called += secret.count_ones();
                changed += (seen & secret).count_ones();
            }
        }
    }
    assert!(changed * 100 >= called * 95, "{changed} of {called}");
}

/// `if a < b { a } else { b }` and the like, of whose result no bit changes that is not called secret, and nearly all
/// that are.
#[test]
fn minima_and_maxima_are_within_their_bounds() {
    let mut random = Random(0x1357_9bdf_2468_ace0);
    let (mut called, mut changed) = (0, 0);
    for op in [Op::Ltu, Op::Geu, Op::Lts64, Op::Ges64, Op::Lts32, Op::Ges32] {
        let engine::uop::Kind::Pure(Pure::Compare { op: which, .. }) = op.kind() else {
            panic!("a comparison")
        };
        for first in [true, false] {
            let chosen = |x, y| {
                let holds = fold_binary(op, x, y).expect("a comparison") != 0;
                if holds == first { x } else { y }
            };
            for _ in 0..400 {
                let (a, b) = (random.operand(mask(op)), random.operand(mask(op)));
                let one = chosen(a.value, b.value);
                let condition = Bits {
                    value: fold_binary(op, a.value, b.value).expect("a comparison"),
                    secret: pure::compare(which, a, b, false).into(),
                };
                let (x, y) = if first { (a, b) } else { (b, a) };
                let secret = bits::select(condition, x, y) & pure::extreme(which, a, b, first);
                let seen = (0..400).fold(0, |seen, _| seen | one ^ chosen(random.other(a), random.other(b)));
                assert_eq!(seen & !secret, 0, "{op:?} {a:x?} {b:x?} {first}: {secret:x} called secret");
                called += secret.count_ones();
                changed += (seen & secret).count_ones();
            }
        }
    }
    // What neither a bound nor a bit alone tells is left, and what changed too seldom to be seen.
    assert!(changed * 100 >= called * 90, "{changed} of {called}");
}

/// Where nothing but few bits is secret, all that are called so do change: the rules are as narrow as they can be.
#[test]
fn these_rules_are_exact() {
    let exact = [
        Op::Add64,
        Op::Sub64,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::AndNot,
        Op::Shl64,
        Op::Shr,
        Op::Sar64,
        Op::Rol64,
        Op::Ror32,
        Op::Eq,
        Op::Ltu,
        Op::Lts64,
        Op::Xperm8,
        Op::Rev64,
        Op::Brev8,
        Op::Zip32,
        Op::Clmul,
        Op::ClmulR64,
        Op::Aes64Es,
        Op::Aes64Dsm,
        Op::Aes64Im,
    ];
    let mut random = Random(0x9876_5432_1fed_cba1);
    for op in exact {
        let engine::uop::Kind::Pure(kind) = op.kind() else { panic!("{op:?} computes nothing") };
        let (mut called, mut changed) = (0, 0);
        for _ in 0..300 {
            let (mut a, mut b) = (random.operand(mask(op)), random.operand(mask(op)));
            a.secret &= random.bits() & random.bits();
            b.secret &= random.bits() & random.bits() & 0xff;
            let result = |x, y| match kind {
                Pure::Unary(_) => fold_unary(op, x).expect("a unary operation"),
                _ => fold_binary(op, x, y).expect("a binary operation or a comparison"),
            };
            let secret = match kind {
                Pure::Binary { op, .. } => pure::binary(op, a, b, false),
                Pure::Compare { op, .. } => pure::compare(op, a, b, false).into(),
                Pure::Unary(op) => pure::unary(op, a),
                _ => panic!("{op:?} is of another kind"),
            };
            let one = result(a.value, b.value);
            let seen = (0..3000).fold(0, |seen, _| seen | one ^ result(random.other(a), random.other(b)));
            called += secret.count_ones();
            changed += (secret & seen).count_ones();
        }
        // Some that do change were not seen to in so few tries.
        assert!(changed * 100 >= called * 95, "{op:?}: {changed} of {called}");
    }
}
