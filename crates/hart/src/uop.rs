//! Micro-operations: what the semantic IR of one decoded instruction becomes once its operand fields
//! and address are known. Values live in 64-bit slots, zero-extended from their width; the first 32
//! slots are the integer registers. Interpreter and compiler share this form.
//!
//! Every arithmetic operation stands once, in [`arithmetic`]: the operation set, the constant
//! folder and the interpreter are expanded from there.

use crate::idioms;

/// Number of value slots; a power of two, so that an index is bounded by a mask.
pub const SLOTS: usize = 512;
/// First slot that is not an integer register.
pub const FIRST_TEMP: u16 = 32;

/// One micro-operation. Which members mean something depends on the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uop {
    /// What to do.
    pub op: Op,
    /// Small parameter (sign-extension shift, exit number).
    pub aux: u8,
    /// Slot written.
    pub dst: u16,
    /// First operand's slot.
    pub a: u16,
    /// Second operand's slot.
    pub b: u16,
    /// Constant operand, address offset, guest address or jump target.
    pub imm: u64,
}

impl Uop {
    /// An operation with no operands yet.
    pub const fn new(op: Op) -> Self {
        Self { op, aux: 0, dst: 0, a: 0, b: 0, imm: 0 }
    }
}

/// Binary operations as `Slots Immediate |a, b| value`, where the second form takes `b` from `imm`,
/// and unary ones as `Name |a| value`. 32-bit forms take and give values zero-extended from 32 bits.
macro_rules! arithmetic {
    ($callback:ident) => {
        $callback! {
            binary {
                Add64 Add64I |a, b| a.wrapping_add(b);
                Add32 Add32I |a, b| u64::from((a as u32).wrapping_add(b as u32));
                Sub64 Sub64I |a, b| a.wrapping_sub(b);
                Sub32 Sub32I |a, b| u64::from((a as u32).wrapping_sub(b as u32));
                Mul64 Mul64I |a, b| a.wrapping_mul(b);
                Mul32 Mul32I |a, b| u64::from((a as u32).wrapping_mul(b as u32));
                And AndI |a, b| a & b;
                Or OrI |a, b| a | b;
                Xor XorI |a, b| a ^ b;
                AndNot AndNotI |a, b| a & !b;
                Shl64 Shl64I |a, b| if b < 64 { a << b } else { 0 };
                Shl32 Shl32I |a, b| if b < 32 { u64::from((a as u32) << b) } else { 0 };
                Shr ShrI |a, b| if b < 64 { a >> b } else { 0 };
                Sar64 Sar64I |a, b| ((a as i64) >> b.min(63)) as u64;
                Sar32 Sar32I |a, b| u64::from(((a as u32 as i32) >> b.min(31)) as u32);
                Rol64 Rol64I |a, b| a.rotate_left((b & 63) as u32);
                Rol32 Rol32I |a, b| u64::from((a as u32).rotate_left((b & 31) as u32));
                Ror64 Ror64I |a, b| a.rotate_right((b & 63) as u32);
                Ror32 Ror32I |a, b| u64::from((a as u32).rotate_right((b & 31) as u32));
                Eq EqI |a, b| u64::from(a == b);
                Ne NeI |a, b| u64::from(a != b);
                Ltu LtuI |a, b| u64::from(a < b);
                Geu GeuI |a, b| u64::from(a >= b);
                Lts64 Lts64I |a, b| u64::from((a as i64) < (b as i64));
                Ges64 Ges64I |a, b| u64::from((a as i64) >= (b as i64));
                Lts32 Lts32I |a, b| u64::from((a as u32 as i32) < (b as u32 as i32));
                Ges32 Ges32I |a, b| u64::from((a as u32 as i32) >= (b as u32 as i32));
                DivU32 DivU32I |a, b| a.checked_div(b).unwrap_or(0xffff_ffff);
                DivS32 DivS32I |a, b| idioms::div32(a, b);
                RemS32 RemS32I |a, b| idioms::rem32(a, b);
                DivU DivUI |a, b| a.checked_div(b).unwrap_or(u64::MAX);
                RemU RemUI |a, b| a.checked_rem(b).unwrap_or(a);
                DivS64 DivS64I |a, b| if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 };
                RemS64 RemS64I |a, b| if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 };
                MulHU MulHUI |a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64;
                MulHS MulHSI |a, b| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64;
                MulHSU MulHSUI |a, b| ((i128::from(a as i64) * i128::from(b)) >> 64) as u64;
                Clmul ClmulI |a, b| idioms::clmul(a, b) as u64;
                ClmulH64 ClmulH64I |a, b| (idioms::clmul(a, b) >> 64) as u64;
                ClmulR64 ClmulR64I |a, b| (idioms::clmul(a, b) >> 63) as u64;
                ClmulH32 ClmulH32I |a, b| (idioms::clmul(a, b) >> 32) as u32 as u64;
                ClmulR32 ClmulR32I |a, b| (idioms::clmul(a, b) >> 31) as u32 as u64;
                Xperm8 Xperm8I |a, b| idioms::xperm8(a, b);
                Xperm4 Xperm4I |a, b| idioms::xperm4(a, b);
                Aes64Es Aes64EsI |a, b| idioms::aes64es(a, b);
                Aes64Esm Aes64EsmI |a, b| idioms::aes64esm(a, b);
                Aes64Ds Aes64DsI |a, b| idioms::aes64ds(a, b);
                Aes64Dsm Aes64DsmI |a, b| idioms::aes64dsm(a, b);
                Aes64Ks1 Aes64Ks1I |a, b| idioms::aes64ks1i(a, b);
                Aes32Esi Aes32EsiI |a, b| idioms::aes32esi(a, b);
                Aes32Esmi Aes32EsmiI |a, b| idioms::aes32esmi(a, b);
                Aes32Dsi Aes32DsiI |a, b| idioms::aes32dsi(a, b);
                Aes32Dsmi Aes32DsmiI |a, b| idioms::aes32dsmi(a, b);
            }
            unary {
                Mov |a| a;
                Clz64 |a| u64::from(a.leading_zeros());
                Clz32 |a| u64::from((a as u32).leading_zeros());
                Ctz64 |a| u64::from(a.trailing_zeros());
                Ctz32 |a| u64::from((a as u32).trailing_zeros());
                Cpop |a| u64::from(a.count_ones());
                Rev64 |a| a.swap_bytes();
                Rev32 |a| u64::from((a as u32).swap_bytes());
                Brev8 |a| a.swap_bytes().reverse_bits();
                OrcB |a| idioms::orc_b(a);
                Zip32 |a| idioms::zip32(a);
                Unzip32 |a| idioms::unzip32(a);
                Aes64Im |a| idioms::aes64im(a);
            }
        }
    };
}
pub(crate) use arithmetic;

macro_rules! define_ops {
    (
        binary { $($slots:ident $immediate:ident |$a:ident, $b:ident| $value:expr;)* }
        unary { $($unary:ident |$x:ident| $result:expr;)* }
    ) => {
        /// Operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "an arithmetic operation is described by its definition above")]
        pub enum Op {
            $($slots, $immediate,)*
            $($unary,)*
            /// `dst = imm`.
            Const,
            /// `dst` = `a` sign-extended from `64 - aux` bits, masked by `imm`.
            Sext,
            /// `dst = a != 0 ? b : slot imm`.
            Select,
            /// `dst` = element `a` of table `imm`, 0 past its end.
            Table,
            /// Zero-extending loads from `a + imm`.
            Load8, Load16, Load32, Load64,
            /// Sign-extending loads; `dst` keeps 64 bits.
            Load8S64, Load16S64, Load32S64,
            /// Sign-extending loads; `dst` keeps 32 bits.
            Load8S32, Load16S32,
            /// Stores of `b` to `a + imm`.
            Store8, Store16, Store32, Store64,
            /// `dst` = CSR `a`.
            CsrRead,
            /// CSR `a` = `b`.
            CsrWrite,
            /// `dst` = 1 if a reservation covers address `a`; drops it.
            ReservationTake,
            /// Reserves `b` bytes at address `a`.
            ReservationSet,
            /// Instruction-fetch barrier: drops every translated block.
            FenceI,
            /// Continues at micro-operation `imm` of this block.
            Goto,
            /// Continues at micro-operation `imm` if `a` is zero.
            GotoIfZero,
            /// Raises exception `a` with trap value `b`.
            Raise,
            /// Executes the whole instruction, word `imm`, by its native body (see [`crate::native`]).
            Native,
            /// Executes the body of instruction `dst`, word `imm`, in its unit (see [`crate::unit`]).
            Unit,
            /// Executes the whole instruction, word `imm`, by the plain evaluator.
            Evaluate,
            /// Leaves the block for guest address `imm` if the comparison holds.
            ExitIfNonzero, ExitIfEq, ExitIfNe, ExitIfLtu, ExitIfGeu, ExitIfLts64, ExitIfGes64,
            ExitIfLts32, ExitIfGes32,
            /// Leaves the block for guest address `imm`.
            Exit,
            /// Leaves the block for the guest address in `a`.
            ExitTo,
        }

        impl Op {
            /// The form of a binary operation that takes its second operand from `imm`.
            pub const fn immediate(self) -> Option<Self> {
                match self {
                    $(Self::$slots => Some(Self::$immediate),)*
                    _ => None,
                }
            }

            /// True for the form of a binary operation that takes its second operand from `imm`.
            pub const fn is_immediate(self) -> bool {
                matches!(self, $(Self::$immediate)|*)
            }

            /// True if `dst` is written, and nothing else happens.
            pub const fn is_pure(self) -> bool {
                match self {
                    $(Self::$slots | Self::$immediate => true,)*
                    $(Self::$unary => true,)*
                    Self::Const | Self::Sext | Self::Select | Self::Table => true,
                    _ => false,
                }
            }
        }

        impl Op {
            /// True if `dst` is written.
            pub const fn writes(self) -> bool {
                self.is_pure()
                    || matches!(
                        self,
                        Self::Load8
                            | Self::Load16
                            | Self::Load32
                            | Self::Load64
                            | Self::Load8S64
                            | Self::Load16S64
                            | Self::Load32S64
                            | Self::Load8S32
                            | Self::Load16S32
                            | Self::CsrRead
                            | Self::ReservationTake
                    )
            }
        }

        /// The value of a binary operation; `None` if `op` is of another kind.
        #[inline]
        pub fn fold_binary(op: Op, x: u64, y: u64) -> Option<u64> {
            Some(match op {
                $(Op::$slots | Op::$immediate => {
                    let ($a, $b) = (x, y);
                    $value
                })*
                _ => return None,
            })
        }

        /// The value of a unary operation; `None` if `op` is of another kind.
        #[inline]
        pub fn fold_unary(op: Op, value: u64) -> Option<u64> {
            Some(match op {
                $(Op::$unary => {
                    let $x = value;
                    $result
                })*
                _ => return None,
            })
        }
    };
}

arithmetic!(define_ops);
