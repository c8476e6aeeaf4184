//! Rocket's stack of return addresses (`RAS` of `BTB.scala`).

/// Addresses that it holds.
const RETURNS: usize = 6;

/// The stack; the oldest is lost when there are too many.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Returns {
    addresses: [u64; RETURNS],
    top: usize,
    count: usize,
}

/// What a push or pop changes, as it was.
#[derive(Clone, Copy, Default)]
pub struct Mark {
    top: usize,
    count: usize,
    above: u64,
}

impl Returns {
    pub fn mark(&self) -> Mark {
        Mark { top: self.top, count: self.count, above: self.addresses[(self.top + 1) % RETURNS] }
    }

    /// As it was when it was marked, one push or pop ago.
    pub fn back(&mut self, mark: Mark) {
        self.addresses[(mark.top + 1) % RETURNS] = mark.above;
        (self.top, self.count) = (mark.top, mark.count);
    }

    pub fn head(&self) -> Option<u64> {
        (self.count > 0).then_some(self.addresses[self.top])
    }

    pub fn push(&mut self, address: u64) {
        self.top = (self.top + 1) % RETURNS;
        self.addresses[self.top] = address;
        self.count = (self.count + 1).min(RETURNS);
    }

    pub fn pop(&mut self) {
        if self.count > 0 {
            self.top = (self.top + RETURNS - 1) % RETURNS;
            self.count -= 1;
        }
    }
}
