//! Reservations of load-reserved and store-conditional instructions.

/// What a load-reserved has claimed.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reservation {
    /// First byte.
    pub first: u64,
    /// How many; zero without a reservation.
    pub bytes: u64,
}

impl Reservation {
    /// No reservation.
    pub const NONE: Self = Self { first: 0, bytes: 0 };

    /// True if the byte at an address is claimed.
    pub const fn covers(self, address: u64) -> bool {
        address.wrapping_sub(self.first) < self.bytes
    }
}
