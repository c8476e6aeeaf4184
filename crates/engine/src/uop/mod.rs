//! Micro-operations: what the semantic IR of one decoded instruction becomes once its operand fields
//! and address are known. Values live in 64-bit slots, zero-extended from their width; the first 32
//! slots are the integer registers. Interpreter and compiler share this form.

mod table;
#[cfg(test)]
mod tests;

use hart::fault::Access;
pub use hart::hart::{FIRST_TEMP, SLOTS};
use hart::idioms;

pub(crate) use self::table::operations;

/// One micro-operation. Which members it uses, its operation's row says.
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
    /// Constant or third operand, address offset, guest address, jump target, instruction.
    pub imm: u64,
}

impl Uop {
    /// An operation with no operands yet.
    pub const fn new(op: Op) -> Self {
        Self { op, aux: 0, dst: 0, a: 0, b: 0, imm: 0 }
    }

    /// Has the instruction of this number, with this word, executed by its unit.
    pub const fn unit(instruction: u16, word: u32) -> Self {
        Self { imm: (instruction as u64) << 32 | word as u64, ..Self::new(Op::Unit) }
    }

    /// Number of a unit's instruction.
    #[inline(always)]
    pub const fn instruction(&self) -> u16 {
        (self.imm >> 32) as u16
    }

    /// Word of the instruction that is executed as a whole.
    #[inline(always)]
    pub const fn word(&self) -> u32 {
        self.imm as u32
    }

    /// Slots read. What an instruction of a unit reads and writes besides, only its word says.
    pub fn reads(&self) -> impl Iterator<Item = u16> {
        self.op.reads().iter().map(|operand| match operand {
            Operand::A => self.a,
            Operand::B => self.b,
            Operand::Imm => self.imm as u16,
        })
    }
}

/// Where a micro-operation names a slot to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the members' own names")]
pub enum Operand {
    A,
    B,
    Imm,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Computes `dst`, and nothing else.
    Pure(Pure),
    /// Loads `dst`.
    Load(Load),
    /// Stores this many bits.
    Store(u16),
    /// Reads this many bits of code into `dst`.
    Fetch(u16),
    /// Reads or writes a CSR.
    Csr,
    /// Makes a reservation.
    Reserve,
    /// Ends one, and says in `dst` whether it was of this address.
    TakeReservation,
    /// Makes stores visible to fetches.
    Fence,
    /// Continues elsewhere in the block.
    Goto,
    /// The same on a condition.
    GotoIfZero,
    /// Notes what the time of an instruction may depend on.
    Note,
    /// Raises an exception.
    Raise,
    /// Has an instruction executed by its unit.
    Unit,
    /// Leaves the block for its last instruction to be executed as a whole.
    Delegate,
    /// Leaves the block for a known address on a condition.
    ExitIf(Comparison),
    /// Leaves the block for a known address.
    Exit,
    /// Leaves the block for a computed address.
    ExitTo,
}

/// Operations that only compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operations' own names")]
pub enum Pure {
    Binary { op: Binary, immediate: bool },
    Compare { op: Comparison, immediate: bool },
    Unary(Unary),
    Const,
    Sext,
    Select,
    Table,
}

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Bits loaded.
    pub bits: u16,
    /// Whether they are sign-extended.
    pub signed: bool,
    /// To how many bits.
    pub to: u16,
}

/// A law of a binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The operands may be exchanged.
    Commutes,
    /// A zero right operand leaves the left one as it is.
    ZeroIsNeutral,
}

macro_rules! define_ops {
    (
        binary { $($slots:ident $immediate:ident |$a:ident, $b:ident| $value:expr $(, $law:ident)*;)* }
        compare {
            $($compare:ident $constant:ident $exit:ident |$c:ident, $d:ident| $holds:expr $(, $rule:ident)*;)*
        }
        unary { $($unary:ident |$x:ident| $result:expr;)* }
        load { $($load:ident $loaded:ty as $extended:ty;)* }
        store { $($store:ident $stored:ty;)* }
        other { $($(#[$doc:meta])* $other:ident [$($read:ident)*] $(-> $def:ident)?, $kind:expr;)* }
    ) => {
        /// Operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "described by their rows")]
        pub enum Op {
            $($slots, $immediate,)*
            $($compare, $constant, $exit,)*
            $($unary,)*
            $($load,)*
            $($store,)*
            $($(#[$doc])* $other,)*
        }

        /// Binary operations, whatever their second operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "described by their rows")]
        pub enum Binary {
            $($slots,)*
        }

        /// Comparisons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "described by their rows")]
        pub enum Comparison {
            $($compare,)*
        }

        /// Unary operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "described by their rows")]
        pub enum Unary {
            $($unary,)*
        }

        impl Op {
            /// All operations.
            pub const ALL: &[Self] = &[
                $(Self::$slots, Self::$immediate,)*
                $(Self::$compare, Self::$constant, Self::$exit,)*
                $(Self::$unary,)*
                $(Self::$load,)*
                $(Self::$store,)*
                $(Self::$other,)*
            ];

            /// What it does.
            pub const fn kind(self) -> Kind {
                match self {
                    $(
                        Self::$slots => Kind::Pure(Pure::Binary { op: Binary::$slots, immediate: false }),
                        Self::$immediate => Kind::Pure(Pure::Binary { op: Binary::$slots, immediate: true }),
                    )*
                    $(
                        Self::$compare => {
                            Kind::Pure(Pure::Compare { op: Comparison::$compare, immediate: false })
                        }
                        Self::$constant => {
                            Kind::Pure(Pure::Compare { op: Comparison::$compare, immediate: true })
                        }
                        Self::$exit => Kind::ExitIf(Comparison::$compare),
                    )*
                    $(Self::$unary => Kind::Pure(Pure::Unary(Unary::$unary)),)*
                    $(Self::$load => Kind::Load(Load {
                        bits: <$loaded>::BITS as u16,
                        signed: <$loaded>::MIN != 0,
                        to: <$extended>::BITS as u16,
                    }),)*
                    $(Self::$store => Kind::Store(<$stored>::BITS as u16),)*
                    $(Self::$other => $kind,)*
                }
            }

            /// Where it names the slots it reads.
            pub const fn reads(self) -> &'static [Operand] {
                match self {
                    $(Self::$slots)|* | $(Self::$compare | Self::$exit)|* | $(Self::$store)|* => {
                        &[Operand::A, Operand::B]
                    }
                    $(Self::$immediate)|* | $(Self::$constant)|* | $(Self::$unary)|* | $(Self::$load)|* => {
                        &[Operand::A]
                    }
                    $(Self::$other => &[$(Operand::$read),*],)*
                }
            }

            /// The form of a binary operation or comparison that takes its second operand from `imm`.
            pub const fn immediate(self) -> Option<Self> {
                match self {
                    $(Self::$slots => Some(Self::$immediate),)*
                    $(Self::$compare => Some(Self::$constant),)*
                    _ => None,
                }
            }

            /// What is known to hold of it.
            pub const fn laws(self) -> &'static [Law] {
                match self {
                    $(Self::$slots => &[$(Law::$law),*],)*
                    $(Self::$compare => &[$(Law::$rule),*],)*
                    _ => &[],
                }
            }

            /// The load of this kind.
            pub fn load(load: Load) -> Option<Self> {
                [$(Self::$load),*].into_iter().find(|op| op.kind() == Kind::Load(load))
            }

            /// The store of this many bits.
            pub fn store(bits: u16) -> Option<Self> {
                [$(Self::$store),*].into_iter().find(|op| op.kind() == Kind::Store(bits))
            }
        }

        impl Uop {
            /// The slot written.
            pub fn def(&self) -> Option<u16> {
                match self.op {
                    $(Op::$slots | Op::$immediate)|* | $(Op::$compare | Op::$constant)|* => Some(self.dst),
                    $(Op::$unary)|* | $(Op::$load)|* => Some(self.dst),
                    $(Op::$exit)|* | $(Op::$store)|* => None,
                    $(Op::$other => None$(.or(Some(self.$def)))?,)*
                }
            }
        }

        impl Binary {
            /// The operation as a function, for compiled code to call.
            pub fn function(self) -> extern "C" fn(u64, u64) -> u64 {
                match self {
                    $(Self::$slots => {
                        extern "C" fn value($a: u64, $b: u64) -> u64 {
                            $value
                        }
                        value
                    })*
                }
            }
        }

        impl Comparison {
            /// True if it holds.
            pub const fn holds(self, x: u64, y: u64) -> bool {
                match self {
                    $(Self::$compare => {
                        let ($c, $d) = (x, y);
                        $holds
                    })*
                }
            }

            /// The exit on it.
            pub const fn exit(self) -> Op {
                match self {
                    $(Self::$compare => Op::$exit,)*
                }
            }
        }

        impl Unary {
            /// The operation as a function, for compiled code to call.
            pub fn function(self) -> extern "C" fn(u64) -> u64 {
                match self {
                    $(Self::$unary => {
                        extern "C" fn value($x: u64) -> u64 {
                            $result
                        }
                        value
                    })*
                }
            }
        }
    };
}

operations!(define_ops);

impl Op {
    /// Whether it loads or stores, and how many bytes.
    pub const fn access(self) -> Option<(Access, u64)> {
        match self.kind() {
            Kind::Load(load) => Some((Access::Load, load.bits as u64 / 8)),
            Kind::Store(bits) => Some((Access::Store, bits as u64 / 8)),
            _ => None,
        }
    }

    /// True if it leaves its block for the known address `imm`.
    pub const fn is_exit(self) -> bool {
        matches!(self.kind(), Kind::ExitIf(_) | Kind::Exit)
    }
}

/// The value of a binary operation or comparison; `None` if `op` is of another kind.
pub fn fold_binary(op: Op, x: u64, y: u64) -> Option<u64> {
    match op.kind() {
        Kind::Pure(Pure::Binary { op, .. }) => Some(op.function()(x, y)),
        Kind::Pure(Pure::Compare { op, .. }) => Some(op.holds(x, y).into()),
        _ => None,
    }
}

/// The value of a unary operation; `None` if `op` is of another kind.
pub fn fold_unary(op: Op, value: u64) -> Option<u64> {
    match op.kind() {
        Kind::Pure(Pure::Unary(op)) => Some(op.function()(value)),
        _ => None,
    }
}
