//! Bytes around what registers hold.

use engine::uop::FIRST_TEMP;
use hart::fault::Access;

/// Most bytes of an extent: it then lies on two pages at most, and if its ends may be accessed, all of it may.
const SPAN: i64 = 2048;
/// Farthest from what the register holds.
const FARTHEST: i64 = 1 << 20;

/// Bytes from an offset to one past the last, relative to what a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub low: i64,
    pub high: i64,
}

impl Extent {
    /// The same bytes, relative to what is `by` less.
    pub fn moved(self, by: i64) -> Option<Self> {
        let moved = Self { low: self.low.checked_add(by)?, high: self.high.checked_add(by)? };
        (moved.low >= -FARTHEST && moved.high <= FARTHEST).then_some(moved)
    }

    /// Both and what is between them, if that is little; nothing may be between them if there are no `gaps`.
    pub fn with(self, other: Self, gaps: bool) -> Option<Self> {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        let touches = self.low <= other.high && other.low <= self.high;
        (high - low <= SPAN && (gaps || touches)).then_some(Self { low, high })
    }

    /// What is in both.
    pub fn common(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low < high).then_some(Self { low, high })
    }

    /// True if it has all of another one.
    pub const fn covers(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// The kinds of access, as [`Extents`] has them.
pub const KINDS: [Access; 2] = [Access::Load, Access::Store];

/// What may be loaded, and what may be stored to.
pub type Pair<T = Option<Extent>> = [T; 2];

/// Those of each register.
pub type Extents = [Pair; FIRST_TEMP as usize];

/// None of any register.
pub const NONE: Extents = [[None; 2]; FIRST_TEMP as usize];

/// What is in both, register by register.
pub fn common(one: &Extents, other: &Extents) -> Extents {
    std::array::from_fn(|register| {
        std::array::from_fn(|kind| one[register][kind]?.common(other[register][kind]?))
    })
}
