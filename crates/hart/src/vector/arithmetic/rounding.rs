//! Fixed-point rounding and saturation ("Vector Fixed-Point Rounding Mode Register").

use super::super::element::{Element, Wide};

/// `vxrm`.
#[derive(Clone, Copy, Debug)]
pub struct Rounding(pub u8);

impl Rounding {
    /// rnu: to nearest, ties up.
    pub const NEAREST_UP: u8 = 0;
    /// rne: to nearest, ties to even.
    const NEAREST_EVEN: u8 = 1;
    /// rod: to odd, the discarded bits or-ed into the lowest kept. What is left is rdn: down.
    const ODD: u8 = 3;

    /// `roundoff(value, shift)`: `value >> shift`, rounded. `shift` is below half the bits of `value`.
    #[inline(always)]
    pub fn shift_right<W: Wide>(self, value: W, shift: W) -> W {
        if size_of::<W>() <= size_of::<u64>() {
            self.without_branches(value, shift)
        } else {
            // Hosts compute these one at a time anyway.
            self.by_cases(value, shift)
        }
    }

    /// The same of a value, signed or not, of all bits of its type; `shift` is below their number.
    #[inline(always)]
    pub fn shift_right_within<W: Wide>(self, value: W, shift: W, signed: bool) -> W {
        let [none, zero, one] = [-1, 0, 1].map(W::of);
        let kept = if signed { value >> shift } else { value.shift_right_unsigned(shift) };
        let is_cut = W::from(shift != zero);
        // The highest bit that is cut off, and those below it.
        let half = value.shift_right_unsigned(shift - is_cut) & is_cut;
        let mask = none - (none << shift);
        let up = match self.0 & 3 {
            Self::NEAREST_UP => half,
            Self::NEAREST_EVEN => half & (kept | W::from(value & mask >> is_cut != zero)),
            Self::ODD => W::from(value & mask != zero) & (none ^ kept) & one,
            _ => zero,
        };
        kept.plus(up)
    }

    #[inline(always)]
    fn without_branches<W: Wide>(self, value: W, shift: W) -> W {
        let one = W::of(1);
        let ones_if = |mode: u8| W::of(if self.0 & 3 == mode { -1 } else { 0 });
        let mask = (one << shift) - one;
        // Half of the last place that is kept, and just less than half unless the last bit kept is 1.
        let half = (mask + one) >> one;
        let less = (mask >> one) + (value >> shift & one & mask);
        let up = ones_if(Self::NEAREST_UP) & half | ones_if(Self::NEAREST_EVEN) & less;
        let sticky = W::from(value & mask != W::of(0));
        (value + up) >> shift | ones_if(Self::ODD) & sticky
    }

    #[inline(always)]
    fn by_cases<W: Wide>(self, value: W, shift: W) -> W {
        let [zero, one] = [0, 1].map(W::of);
        let (kept, half) = (value >> shift, one << shift >> one);
        let discarded = value & ((one << shift) - one);
        let is_odd = kept & one == one;
        let up = match self.0 & 3 {
            Self::NEAREST_UP => half != zero && discarded >= half,
            Self::NEAREST_EVEN => half != zero && (discarded > half || discarded == half && is_odd),
            Self::ODD => !is_odd && discarded != zero,
            _ => false,
        };
        kept + W::from(up)
    }
}

/// The nearest signed value of an element to one computed from elements `A`, and where that is another one, a number
/// other than 0.
#[inline(always)]
pub fn clip_signed<A: Element, E: Element>(value: A::Wide) -> (E, A::Wide) {
    let bound = 1 << (E::BITS - 1);
    let [least, greatest] = [-bound, bound - 1].map(|bound: i128| A::truncate(bound as u64).signed());
    clip::<A, E>(value, least, greatest)
}

/// The nearest unsigned value of an element to one computed from elements `A`, and where that is another one, a number
/// other than 0.
#[inline(always)]
pub fn clip_unsigned<A: Element, E: Element>(value: A::Wide) -> (E, A::Wide) {
    clip::<A, E>(value, A::Wide::of(0), A::truncate(E::ONES.zero_extend()).unsigned())
}

#[inline(always)]
fn clip<A: Element, E: Element>(value: A::Wide, least: A::Wide, greatest: A::Wide) -> (E, A::Wide) {
    let clipped = value.clamp(least, greatest);
    (E::truncate(clipped.low()), clipped ^ value)
}

/// The nearest value of an element, signed or not, to such a value of twice its width, and a number like that.
#[inline(always)]
pub fn narrow<E: Element>(value: E::Wide, signed: bool) -> (E, E::Wide) {
    let clipped = if signed {
        let bound = 1_i64 << (E::BITS - 1);
        value.clamp(E::Wide::truncate(-bound as u64), E::Wide::truncate((bound - 1) as u64))
    } else {
        value.min_unsigned(E::ONES.unsigned())
    };
    (E::truncate(clipped.low()), clipped ^ value)
}
