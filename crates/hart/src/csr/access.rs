//! Reads and writes of CSRs: the units hold their own, [`Csrs`](super::Csrs) all others.

use super::{Clock, Refused, number};
use crate::hart::Hart;
use crate::{float, vector};

impl Hart {
    /// Reads a CSR.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or may not be read now.
    // Within the interpreter's loop, it would make that up to a tenth slower.
    #[inline(never)]
    pub fn read_csr(&mut self, csr: u64, clock: Clock) -> Result<u64, Refused> {
        let unit = vector::csr::read(self, csr).or_else(|| float::csr::read(self, csr));
        unit.unwrap_or_else(|| self.csrs.read(csr, clock))
    }

    /// Writes a CSR.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or may not be written now.
    #[inline(never)]
    pub fn write_csr(&mut self, csr: u64, value: u64, clock: Clock) -> Result<(), Refused> {
        let unit = vector::csr::write(self, csr, value).or_else(|| float::csr::write(self, csr, value));
        unit.unwrap_or_else(|| self.csrs.write(csr, value, clock))
    }

    /// What a CSR holds after `value` was written to it; of the entropy source, which reading changes, the
    /// value written.
    pub fn held_csr(&mut self, csr: u64, value: u64, clock: Clock) -> u64 {
        if csr == u64::from(number::SEED) { value } else { self.read_csr(csr, clock).unwrap_or(value) }
    }
}
