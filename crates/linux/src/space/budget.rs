//! The memory that all processes of a run have together.

use std::cell::Cell;
use std::rc::Rc;

use super::AddressSpace;

/// Identifies memory that one call has mapped, in all processes that share it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share(u64);

/// Bytes that may ever have been accessible at a time, in all address spaces together, and how many are.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: Cell<u64>,
    /// How often memory was mapped that processes share.
    shares: Cell<u64>,
}

impl Budget {
    /// None of `limit` bytes is used.
    pub const fn new(limit: u64) -> Self {
        Self { limit, used: Cell::new(0), shares: Cell::new(0) }
    }

    /// Another one than all before.
    pub(super) fn next_share(&self) -> Share {
        self.shares.set(self.shares.get() + 1);
        Share(self.shares.get())
    }

    /// Bytes left.
    pub const fn room(&self) -> u64 {
        self.limit.saturating_sub(self.used.get())
    }

    /// True if `wanted` more bytes can be had once `freed` ones are free.
    pub const fn affords(&self, wanted: u64, freed: u64) -> bool {
        match (self.used.get() - freed).checked_add(wanted) {
            Some(used) => used <= self.limit,
            None => false,
        }
    }
}

impl AddressSpace {
    /// What it counts against.
    pub const fn budget(&self) -> &Rc<Budget> {
        &self.budget
    }

    /// Bytes that may still be made accessible.
    pub fn room(&self) -> u64 {
        self.budget.room()
    }

    /// Counts bytes that can be afforded.
    pub(super) fn charge(&mut self, bytes: u64) {
        self.charged += bytes;
        self.budget.used.set(self.budget.used.get() + bytes);
    }

    /// Stops counting bytes.
    pub(super) fn release(&mut self, bytes: u64) {
        self.charged -= bytes;
        self.budget.used.set(self.budget.used.get() - bytes);
    }
}

impl Drop for AddressSpace {
    fn drop(&mut self) {
        self.release(self.charged);
    }
}
