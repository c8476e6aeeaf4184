//! Which register an instruction reads or writes, told from the index in its behaviour.

use coredsl::ir::{BinaryOp, Expr, FieldId, Kind};
use ethnum::U256;

/// A register of the main file, by what names it in the instruction word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    /// This one, whatever the word holds.
    Fixed(u16),
    /// The field's value and this many more: 8 in most compressed forms.
    Field {
        /// The field of the encoding.
        field: FieldId,
        /// Added to its value.
        plus: u16,
    },
}

impl Register {
    /// The register that an index names, unless it depends on data or on more than one field.
    pub(crate) fn of(index: &Expr) -> Option<Self> {
        let number = |bits: U256| u16::try_from(bits).ok();
        match &index.kind {
            Kind::Const(bits) => number(*bits).map(Self::Fixed),
            Kind::Field(field) => Some(Self::Field { field: *field, plus: 0 }),
            Kind::Resize(inner) if inner.ty.width <= index.ty.width => Self::of(inner),
            Kind::Binary(BinaryOp::Add, a, b) => match (Self::of(a)?, Self::of(b)?) {
                (Self::Field { field, plus }, Self::Fixed(more))
                | (Self::Fixed(more), Self::Field { field, plus }) => {
                    Some(Self::Field { field, plus: plus + more })
                }
                _ => None,
            },
            _ => None,
        }
    }
}
