//! Fixed-point rounding and saturation ("Vector Fixed-Point Rounding Mode Register").

use super::super::element::Element;

/// `vxrm`.
#[derive(Clone, Copy, Debug)]
pub enum Rounding {
    /// rnu: to nearest, ties up.
    NearestUp,
    /// rne: to nearest, ties to even.
    NearestEven,
    /// rdn: down.
    Down,
    /// rod: to odd, the discarded bits or-ed into the lowest kept.
    Odd,
}

impl Rounding {
    /// By the value of `vxrm`.
    #[inline(always)]
    pub const fn of(vxrm: u8) -> Self {
        match vxrm & 3 {
            0 => Self::NearestUp,
            1 => Self::NearestEven,
            2 => Self::Down,
            _ => Self::Odd,
        }
    }

    /// `roundoff(value, shift)`: `value >> shift`, rounded. `shift` is below 64.
    #[inline(always)]
    pub const fn shift_right(self, value: i128, shift: u32) -> i128 {
        let kept = value >> shift;
        let discarded = value & ((1 << shift) - 1);
        let half = 1 << shift >> 1;
        let up = match self {
            Self::NearestUp => shift != 0 && discarded >= half,
            Self::NearestEven => shift != 0 && (discarded > half || discarded == half && kept & 1 == 1),
            Self::Down => false,
            Self::Odd => kept & 1 == 0 && discarded != 0,
        };
        kept + up as i128
    }
}

/// The nearest signed value of an element, and whether that is another one.
#[inline(always)]
pub fn clip_signed<E: Element>(value: i128) -> (E, bool) {
    let bound = 1 << (E::BITS - 1);
    let clipped = value.clamp(-bound, bound - 1);
    (E::truncate(clipped as u64), clipped != value)
}

/// The nearest unsigned value of an element, and whether that is another one.
#[inline(always)]
pub fn clip_unsigned<E: Element>(value: i128) -> (E, bool) {
    let clipped = value.clamp(0, (1 << E::BITS) - 1);
    (E::truncate(clipped as u64), clipped != value)
}
