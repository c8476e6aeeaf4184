//! Reads and writes of CSRs: the units hold their own, [`Csrs`](super::Csrs) all others.

use super::{Refused, number};
use crate::hart::Hart;
use crate::{float, vector};

impl Hart {
    /// Reads a CSR; `retired` is the number of instructions retired before this one.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or may not be read now.
    pub fn read_csr(&mut self, csr: u64, retired: u64) -> Result<u64, Refused> {
        let unit = vector::csr::read(self, csr).or_else(|| float::csr::read(self, csr));
        unit.unwrap_or_else(|| self.csrs.read(csr, retired))
    }

    /// Writes a CSR.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or may not be written now.
    pub fn write_csr(&mut self, csr: u64, value: u64, retired: u64) -> Result<(), Refused> {
        let unit = vector::csr::write(self, csr, value).or_else(|| float::csr::write(self, csr, value));
        unit.unwrap_or_else(|| self.csrs.write(csr, value, retired))
    }

    /// What a CSR holds after `value` was written to it; of the entropy source, which reading changes, the
    /// value written.
    pub(crate) fn held_csr(&mut self, csr: u64, value: u64, retired: u64) -> u64 {
        if csr == u64::from(number::SEED) { value } else { self.read_csr(csr, retired).unwrap_or(value) }
    }
}
