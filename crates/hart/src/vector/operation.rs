//! What is known of an operation, found once for each instruction of a program.

use super::crypto::{Round, Step, group_kernel};
use super::fields::Fields;
use super::float::{AtOnce, Bodiless, Directs, FloatDoubling, FloatLane, OfBrain, Spread};
use super::kernel::{Kernel, Whole};
use super::lanes::Lane;
use super::masking::{Compared, Masking};
use super::mixed::{Carry, Doubled, Extension, Fixed, Widths};
use super::reducing::Reduction;
use super::rules::{Rules, Shape};
pub use super::unchecked::{Checked, Unchecked, checked};
use crate::hart::Hart;
use crate::unit::{AnyBody, Trap};

/// A vector operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What its operands are; `None` if it has rules of its own: accesses, and what sets `vtype`.
    pub rules: Option<Rules>,
    /// Executes an instruction.
    pub body: AnyBody,
    /// What compiled code can do instead.
    pub compiled: Compiled,
}

/// How compiled code executes an operation whose operands are legal.
#[derive(Clone, Copy, Debug)]
pub enum Compiled {
    /// By its body, which checks the operands itself.
    Body,
    /// By its body without these checks.
    Checked(Checked),
    /// On lanes of the host's registers, or by a kernel for elements of two widths, or if an instruction is masked, by its
    /// body without checks.
    Doubled(Doubled, Checked),
    /// On lanes of the host's registers, or by its body without checks.
    Extended(Extension, Checked),
    /// On lanes of the host's registers, or by a kernel as of [`Self::Doubled`].
    Carried(Carry, Widths, Checked),
    /// By comparing lanes of the host's registers, or by such a kernel.
    Compared(Compared, Checked),
    /// On the bits of masks, or by its body without checks.
    Masking(Masking, Checked),
    /// On lanes of the host's registers while it rounds as they do, or as the first of these; as the second where active
    /// elements alone change.
    Fixed(Fixed, [Widths; 2], Checked),
    /// On lanes of the host's registers, or by a kernel.
    Lane(Lane),
    /// On lanes of the host's registers while no flag can differ, or by its body without checks.
    Float(FloatLane, Checked),
    /// The same on elements of two widths.
    FloatDoubled(FloatDoubling, Checked),
    /// At once if the unit rounds to the nearest, or by its body without checks.
    OfBrain(OfBrain, Checked),
    /// On lanes of the host's registers, or by its body without checks.
    Spread(Spread, Checked),
    /// At once if nothing special is among its numbers, on lanes of the host's registers or by an entry, or if it is masked,
    /// by its body without checks.
    Direct(Directs, Checked),
    /// By a kernel.
    Whole(Whole),
    /// As the numbers of the elements, or by a kernel.
    Numbers(Whole),
    /// As a choice of bytes in the host's registers that depends on a scalar, or by a kernel.
    Slid(Slide, Whole),
    /// As a choice of bytes in the host's registers, or by a kernel.
    Gather(Whole),
    /// The same with indices of 16 bits.
    GatherBy16Bits(Whole),
    /// As running counts in the host's registers, or by a kernel.
    Counts(Whole),
    /// In the host's registers, or by a kernel if there is one and it is not masked, or by its body without checks.
    Reduction(Reduction, Option<Whole>, Checked),
    /// By a kernel for element groups, or where there is none, by its body without checks.
    Groups(Groups, Checked),
    /// Together with the rounds of AES around it.
    Round(Round),
    /// As moves of parts of the register file, if it is contiguous.
    Access,
}

/// A slide, or a gather of one element to all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slide {
    /// Up by a number.
    Up,
    /// Down by a number.
    Down,
    /// Up by one, with a scalar as the first element.
    Up1,
    /// Down by one, with a scalar as the last element.
    Down1,
    /// The element with a number, in all places.
    All,
}

/// Kernels of an operation on element groups that need more of the host than others.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    /// The one for whole groups of elements of a width (log2 of bytes), if there is one that the host can execute.
    pub kernel: fn(u8) -> Option<Kernel>,
}

impl Doubled {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Doubled(self, checked::<B>)
    }
}

impl Extension {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Extended(self, checked::<B>)
    }
}

impl<T: AtOnce> Bodiless<T> {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Direct(Directs::new::<T, B>(), checked::<B>)
    }
}

impl Compared {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Compared(self, checked::<B>)
    }
}

impl Masking {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Masking(self, checked::<B>)
    }
}

impl FloatLane {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Float(self, checked::<B>)
    }
}

impl FloatDoubling {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::FloatDoubled(self, checked::<B>)
    }
}

impl OfBrain {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::OfBrain(self, checked::<B>)
    }
}

impl Spread {
    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Spread(self, checked::<B>)
    }
}

impl Groups {
    /// Those of what an instruction does to a group, of words only.
    pub const fn of_any_host<S: Step>() -> Self {
        Self { kernel: |_| Some(group_kernel::of::<S>()) }
    }

    /// With the body of the operation.
    pub const fn or<B: Unchecked>(self) -> Compiled {
        Compiled::Groups(self, checked::<B>)
    }
}

impl Operation {
    /// One that checks its own operands.
    pub const fn unruled(body: AnyBody, compiled: Compiled) -> Self {
        Self { rules: None, body, compiled }
    }
}

/// Executes an instruction with `body`, whose types it gives.
#[inline(always)]
pub fn execute_legal(
    hart: &mut Hart,
    fields: Fields,
    shape: Shape,
    body: impl FnOnce(&mut Hart, Fields, Shape) -> Result<(), Trap>,
) -> Result<(), Trap> {
    body(hart, fields, shape)
}

/// Executes an instruction with `body`, if it is legal.
#[inline(always)]
pub fn execute(
    hart: &mut Hart,
    word: u32,
    rules: Rules,
    body: impl FnOnce(&mut Hart, Fields, Shape) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let fields = Fields(word);
    let shape = rules.check(hart, fields)?;
    body(hart, fields, shape)
}

/// `fn operation` of a module, from rows `NAME [FORMS] RULES => |hart, fields, shape| body;`, with how compiled
/// code does it after the body if that is not by calling it, after `=>` if it is by kernels or by calling it. Names and
/// forms are those of the descriptions, where `__` stands between them.
///
/// A body given as `fn(hart, fields, shape) body` is a part of its entry for compiled code. A closure can be a function
/// beside it if it is long, which is then compiled for any host, without the instructions of [`checked`].
macro_rules! operations {
    ($($name:ident [$($form:ident)*] $rules:expr =>
        $(fn($hart:ident, $fields:ident, $shape:ident))? $body:expr $(=> $kernels:expr)? $(, $compiled:expr)?;)*) => {
        /// The operation of an instruction of this module.
        pub fn operation(name: &str) -> Option<$crate::vector::operation::Operation> {
            use $crate::vector::operation::{Operation, execute};
            Some(match name {
                $($(concat!(stringify!($name), "__", stringify!($form)))|* =>
                    Operation {
                        rules: Some($rules),
                        body: $crate::unit::AnyBody::State(|hart, word| {
                            execute(
                                hart,
                                word,
                                $rules,
                                $crate::vector::operation::callable!($(fn($hart, $fields, $shape))? $body),
                            )
                        }),
                        compiled: $crate::vector::operation::or_body!(
                            $rules, $(fn($hart, $fields, $shape))? $body $(=> $kernels)? $(, $compiled)?
                        ),
                    },
                )*
                _ => return None,
            })
        }
    };
}
pub(super) use operations;

/// A body as what takes the hart, the fields and the shape.
macro_rules! callable {
    (fn($hart:ident, $fields:ident, $shape:ident) $body:expr) => {
        |$hart: &mut $crate::hart::Hart, $fields, $shape| $body
    };
    ($body:expr) => {
        $body
    };
}
pub(super) use callable;

macro_rules! or_body {
    ($rules:expr, $(fn $arguments:tt)? $body:expr) => {
        $crate::vector::operation::unchecked!($rules, $(fn $arguments)? $body =>
            $crate::vector::operation::Compiled::Checked($crate::vector::operation::checked::<Body>))
    };
    ($rules:expr, $(fn $arguments:tt)? $body:expr => $kernels:expr) => {
        $crate::vector::operation::unchecked!($rules, $(fn $arguments)? $body => $kernels.or::<Body>())
    };
    ($rules:expr, $(fn $arguments:tt)? $body:expr, $compiled:expr) => {
        $compiled
    };
}
pub(super) use or_body;

/// An expression with the body as the type `Body`.
macro_rules! unchecked {
    ($rules:expr, $body:expr => $value:expr) => {
        $crate::vector::operation::unchecked!($rules, fn(hart, fields, shape) {
            $crate::vector::operation::execute_legal(hart, fields, shape, $body)
        } => $value)
    };
    ($rules:expr, fn($hart:ident, $fields:ident, $shape:ident) $body:expr => $value:expr) => {{
        struct Body;

        impl $crate::vector::operation::Unchecked for Body {
            const IMMEDIATE: $crate::vector::fields::Immediate = $rules.immediate;

            #[inline(always)]
            fn run(
                $hart: &mut $crate::hart::Hart,
                $fields: $crate::vector::fields::Fields,
                $shape: $crate::vector::rules::Shape,
            ) -> Result<(), $crate::unit::Trap> {
                $body
            }
        }

        $value
    }};
}
pub(super) use unchecked;
