//! Zero and sign extension of elements of SEW/2, SEW/4 and SEW/8.

use super::super::element::Element;
use super::super::element_wise::Walk;
use super::super::mixed::Extension;
use super::super::operation::operations;
use super::super::rules::{Rules, elements};
use super::super::state::VectorUnit;

/// The source has elements of SEW / 2^`shrink`.
const fn extending(shrink: i8) -> Rules {
    Rules { vs2: elements(-shrink), ..Rules::UNARY }
}

macro_rules! extensions {
    ($($name:ident $form:ident $shrink:literal $signed:literal;)*) => {
        operations! {
            $($name [$form] extending($shrink) => |hart, fields, shape| {
                let walk = extending($shrink).walk(hart, fields, shape);
                extend::<$shrink, $signed>(&mut hart.vector, walk);
                Ok(())
            } => Extension { doublings: $shrink, signed: $signed };)*
        }
    };
}

extensions! {
    VZEXT VF2 1 false;
    VZEXT VF4 2 false;
    VZEXT VF8 3 false;
    VSEXT VF2 1 true;
    VSEXT VF4 2 true;
    VSEXT VF8 3 true;
}

fn extend<const SHRINK: i8, const SIGNED: bool>(unit: &mut VectorUnit, walk: Walk) {
    match (unit.vtype.sew, SHRINK) {
        (1, _) => run::<u8, u16, SIGNED>(unit, walk),
        (2, 1) => run::<u16, u32, SIGNED>(unit, walk),
        (2, _) => run::<u8, u32, SIGNED>(unit, walk),
        (_, 1) => run::<u32, u64, SIGNED>(unit, walk),
        (_, 2) => run::<u16, u64, SIGNED>(unit, walk),
        _ => run::<u8, u64, SIGNED>(unit, walk),
    }
}

fn run<A: Element, D: Element, const SIGNED: bool>(unit: &mut VectorUnit, walk: Walk) {
    walk.run::<A, D, D>(unit, |a, _, _, _| {
        let value = if SIGNED { a.sign_extend() as u64 } else { a.zero_extend() };
        (D::truncate(value), 0)
    });
}
