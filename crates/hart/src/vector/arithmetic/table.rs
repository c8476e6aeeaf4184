//! Elements as wider integers, and elements of two widths.

use super::super::element::Element;

/// An element as a wider integer.
pub trait Extend {
    /// Zero-extended to an unsigned type, sign-extended to a signed one.
    fn of<E: Element>(element: E) -> Self;
}

impl Extend for u64 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.zero_extend()
    }
}

impl Extend for i64 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.sign_extend()
    }
}

impl Extend for i128 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.sign_extend().into()
    }
}

impl Extend for u128 {
    #[inline(always)]
    fn of<E: Element>(element: E) -> Self {
        element.zero_extend().into()
    }
}

/// Calls a generic function with the element types of SEW and of 2·SEW, the latter at most 64 bits.
macro_rules! for_double {
    ($sew:expr, $element:ident, $double:ident => $call:expr) => {
        match $sew {
            0 => {
                type $element = u8;
                type $double = u16;
                $call
            }
            1 => {
                type $element = u16;
                type $double = u32;
                $call
            }
            _ => {
                type $element = u32;
                type $double = u64;
                $call
            }
        }
    };
}
pub(in crate::vector) use for_double;
