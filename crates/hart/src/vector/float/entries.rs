//! What compiled code knows of the entries of an operation ([`super::direct`]).

use crate::hart::Hart;

/// Executes an unmasked instruction that is known to be legal where the floating-point unit is on and rounds: with the
/// offset of `vd`, that of `vs2`, that of `vs1` or the number of a floating-point register, the end of the tail (0 if it
/// stays), and the word. Returns what a body without checks does. Undefined on a host without what
/// [`super::super::kernel::available`] looks for.
pub type Direct = unsafe extern "C" fn(&mut Hart, usize, usize, u64, usize, u32) -> u64;

/// What an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// Elements of SEW.
    Elements,
    /// A mask.
    Mask,
    /// Element 0.
    Scalar,
}

/// What compiled code does on lanes of the host's registers, if nothing special is among the numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "comparisons and choices have the instructions' own names")]
pub enum DirectLane {
    VMFEQ,
    VMFNE,
    VMFLT,
    VMFLE,
    VMFGT,
    VMFGE,
    VFMIN,
    VFMAX,
    VFREDUSUM,
    VFREDOSUM,
    VFREDMIN,
    VFREDMAX,
    /// Numbers as integers as wide.
    ToIntegers {
        /// They have signs.
        signed: bool,
        /// They are rounded towards zero, whatever `frm`.
        truncates: bool,
    },
    /// Integers as numbers as wide.
    FromIntegers {
        /// They have signs.
        signed: bool,
    },
}

/// Arithmetic and conversions that numbers of SEW and of twice that take part in, which compiled code does on lanes of the
/// host's registers, if nothing special is among the numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatDoubling {
    /// Sums of numbers twice as wide.
    Sum {
        /// The second operand is subtracted.
        subtracts: bool,
        /// `vs2` is as wide as `vd`.
        from_double: bool,
    },
    /// Products.
    Product,
    /// ±`vs2[i]` · operand ± `vd[i]`.
    Accumulated {
        /// The product is negated.
        minus_product: bool,
        /// `vd[i]` is negated.
        minus_sum: bool,
    },
    /// A number twice as wide, and all others, added in their order.
    Folded {
        /// If no element is active, the number is a result, too: a NaN becomes the canonical one.
        is_computed: bool,
    },
    /// Numbers twice as wide.
    Widened,
    /// Integers twice as wide as the numbers.
    WideIntegers {
        /// They have signs.
        signed: bool,
        /// They are rounded towards zero, whatever `frm`.
        truncates: bool,
    },
    /// Numbers twice as wide as the integers.
    OfIntegers {
        /// They have signs.
        signed: bool,
    },
    /// Numbers half as wide.
    Narrowed {
        /// They are rounded to odd, whatever `frm`.
        to_odd: bool,
    },
    /// Integers half as wide as the numbers.
    NarrowIntegers {
        /// They have signs.
        signed: bool,
        /// They are rounded towards zero, whatever `frm`.
        truncates: bool,
    },
    /// Numbers half as wide as the integers.
    OfWideIntegers {
        /// They have signs.
        signed: bool,
    },
}

impl FloatDoubling {
    /// True if `vd` is as wide as SEW, and `vs2` twice that.
    pub const fn narrows(self) -> bool {
        matches!(self, Self::Narrowed { .. } | Self::NarrowIntegers { .. } | Self::OfWideIntegers { .. })
    }
}

/// Operations on numbers of BF16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OfBrain {
    /// To single precision.
    Widened,
    /// From single precision.
    Narrowed,
    /// Products, added to numbers of single precision.
    Accumulated,
}

/// What moves between floating-point registers and elements, named as in the descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the instructions' own names")]
pub enum Spread {
    /// To all elements.
    VFMV,
    /// To those whose bits of v0 are set.
    VFMERGE,
    /// To element 0.
    ToFirst,
    /// From element 0.
    FromFirst,
    /// To element 0, and each element to the next one.
    VFSLIDE1UP,
    /// To the last element, and each other to the one before.
    VFSLIDE1DOWN,
}

/// Entries of such an operation.
#[derive(Clone, Copy, Debug)]
pub struct Directs {
    /// By log2 of the bytes of an element, from 1 on, with a group and with a scalar.
    pub of: [[Direct; 2]; 3],
    /// What they write.
    pub written: Written,
    /// What can be done without them.
    pub lane: Option<DirectLane>,
}

/// An instruction that is executed so: what its entry gets.
#[derive(Clone, Copy, Debug)]
pub struct DirectCall {
    /// The entry.
    pub entry: Direct,
    /// Offset of `vd`.
    pub d: usize,
    /// Offset of `vs2`.
    pub a: usize,
    /// Offset of `vs1`, or number of a register.
    pub second: u64,
    /// End of the tail, 0 if it stays.
    pub tail_end: usize,
}
