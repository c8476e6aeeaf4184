//! The operations, each stated once: the operation set, its formats and effects, the constant folder and
//! the interpreter are expanded from here. 32-bit forms take and give values zero-extended from 32 bits.
//!
//! - `binary`: `Slots Immediate |a, b| value, laws`; the second form takes `b` from `imm`.
//! - `compare`: `Slots Immediate Exit |a, b| holds, laws`; the first two give 1 if it holds, the third leaves
//!   the block for guest address `imm`.
//! - `unary`: `Name |a| value`.
//! - `load`: `Name type as extended`, from `a + imm`.
//! - `store`: `Name type`, of `b` to `a + imm`.
//! - `other`: `Name [slots read] -> slot written, kind`.

macro_rules! operations {
    ($callback:ident) => {
        $callback! {
            binary {
                Add64 Add64I |a, b| a.wrapping_add(b), Commutes, ZeroIsNeutral;
                Add32 Add32I |a, b| u64::from((a as u32).wrapping_add(b as u32)), Commutes;
                Sub64 Sub64I |a, b| a.wrapping_sub(b), ZeroIsNeutral;
                Sub32 Sub32I |a, b| u64::from((a as u32).wrapping_sub(b as u32));
                Mul64 Mul64I |a, b| a.wrapping_mul(b), Commutes;
                Mul32 Mul32I |a, b| u64::from((a as u32).wrapping_mul(b as u32)), Commutes;
                And AndI |a, b| a & b, Commutes;
                Or OrI |a, b| a | b, Commutes, ZeroIsNeutral;
                Xor XorI |a, b| a ^ b, Commutes, ZeroIsNeutral;
                AndNot AndNotI |a, b| a & !b, ZeroIsNeutral;
                Shl64 Shl64I |a, b| if b < 64 { a << b } else { 0 }, ZeroIsNeutral;
                Shl32 Shl32I |a, b| if b < 32 { u64::from((a as u32) << b) } else { 0 };
                Shr ShrI |a, b| if b < 64 { a >> b } else { 0 }, ZeroIsNeutral;
                Sar64 Sar64I |a, b| ((a as i64) >> b.min(63)) as u64, ZeroIsNeutral;
                Sar32 Sar32I |a, b| u64::from(((a as u32 as i32) >> b.min(31)) as u32);
                Rol64 Rol64I |a, b| a.rotate_left((b & 63) as u32);
                Rol32 Rol32I |a, b| u64::from((a as u32).rotate_left((b & 31) as u32));
                Ror64 Ror64I |a, b| a.rotate_right((b & 63) as u32);
                Ror32 Ror32I |a, b| u64::from((a as u32).rotate_right((b & 31) as u32));
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
            compare {
                Eq EqI ExitIfEq |a, b| a == b, Commutes;
                Ne NeI ExitIfNe |a, b| a != b, Commutes;
                Ltu LtuI ExitIfLtu |a, b| a < b;
                Geu GeuI ExitIfGeu |a, b| a >= b;
                Lts64 Lts64I ExitIfLts64 |a, b| (a as i64) < (b as i64);
                Ges64 Ges64I ExitIfGes64 |a, b| (a as i64) >= (b as i64);
                Lts32 Lts32I ExitIfLts32 |a, b| (a as u32 as i32) < (b as u32 as i32);
                Ges32 Ges32I ExitIfGes32 |a, b| (a as u32 as i32) >= (b as u32 as i32);
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
            load {
                Load8 u8 as u64;
                Load16 u16 as u64;
                Load32 u32 as u64;
                Load64 u64 as u64;
                Load8S64 i8 as u64;
                Load16S64 i16 as u64;
                Load32S64 i32 as u64;
                Load8S32 i8 as u32;
                Load16S32 i16 as u32;
            }
            store {
                Store8 u8;
                Store16 u16;
                Store32 u32;
                Store64 u64;
            }
            other {
                /// `dst = imm`.
                Const [] -> dst, Kind::Pure(Pure::Const);
                /// `dst` = `a` sign-extended from `64 - aux` bits, masked by `imm`.
                Sext [A] -> dst, Kind::Pure(Pure::Sext);
                /// `dst = a != 0 ? b : slot imm`.
                Select [A B Imm] -> dst, Kind::Pure(Pure::Select);
                /// `dst` = element `a` of table `imm`, 0 past its end.
                Table [A] -> dst, Kind::Pure(Pure::Table);
                /// `dst` = 4 bytes at `a`, as an instruction is fetched.
                Fetch32 [A] -> dst, Kind::Fetch(32);
                /// `dst` = 8 bytes likewise.
                Fetch64 [A] -> dst, Kind::Fetch(64);
                /// `dst` = CSR `a`.
                CsrRead [A] -> dst, Kind::Csr;
                /// CSR `a` = `b`.
                CsrWrite [A B], Kind::Csr;
                /// `dst` = 1 if a reservation covers address `a`; drops it.
                ReservationTake [A] -> dst, Kind::TakeReservation;
                /// Reserves `b` bytes at address `a`.
                ReservationSet [A B], Kind::Reserve;
                /// Instruction-fetch barrier: drops every translated block.
                FenceI [], Kind::Fence;
                /// Continues at micro-operation `imm` of this block.
                Goto [], Kind::Goto;
                /// Continues at micro-operation `imm` if `a` is zero.
                GotoIfZero [A], Kind::GotoIfZero;
                /// Notes the address `a + imm`, for a timed run.
                NoteAddress [A], Kind::Note;
                /// Notes the values of `a` and `b`, for a timed run.
                NoteOperands [A B], Kind::Note;
                /// Raises exception `a` with trap value `b`.
                Raise [A B], Kind::Raise;
                /// Executes the whole instruction, word `imm`, by its native body (see [`crate::native`]).
                Native [], Kind::Delegate;
                /// Executes the whole instruction, word `imm`, by the plain evaluator.
                Evaluate [], Kind::Delegate;
                /// Executes an instruction in its unit (see [`Uop::unit`] and [`hart::unit`]).
                Unit [], Kind::Unit;
                /// Leaves the block for guest address `imm`.
                Exit [], Kind::Exit;
                /// Leaves the block for the guest address in `a`.
                ExitTo [A], Kind::ExitTo;
            }
        }
    };
}
pub(crate) use operations;
