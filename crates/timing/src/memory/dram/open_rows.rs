//! Which row of each bank is open.

use super::parameters::{Parameters, Place};

/// What is open in a bank.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The address of its first byte in rows; one that no address has if none is open.
    number: u64,
    /// Accesses since it was opened.
    pub accesses: u64,
}

const CLOSED: u64 = u64::MAX;

/// What an access finds in its bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The row.
    Open,
    /// No row.
    Closed,
    /// Another row.
    Other,
}

impl Row {
    #[inline]
    pub const fn is(self, number: u64) -> bool {
        self.number == number
    }

    pub const fn is_open(self) -> bool {
        self.number != CLOSED
    }

    #[inline]
    pub const fn find(self, number: u64) -> Found {
        if self.is(number) {
            Found::Open
        } else if self.is_open() {
            Found::Other
        } else {
            Found::Closed
        }
    }

    /// After so many accesses to a row, of which one has `most`; it is closed then.
    #[inline]
    pub const fn after(number: u64, accesses: u64, most: u64) -> Self {
        Self { number: if accesses == most { CLOSED } else { number }, accesses }
    }

    #[inline]
    pub const fn open(&mut self, number: u64) {
        *self = Self { number, accesses: 0 };
    }

    #[inline]
    pub const fn close(&mut self) {
        self.number = CLOSED;
    }
}

/// Those of all banks.
#[derive(Clone, Debug)]
pub struct OpenRows {
    /// By rank and bank, as the address has them above what is within a row.
    each: Vec<Row>,
    /// Bits of an address within a row.
    bits: u32,
    banks: usize,
}

impl OpenRows {
    /// None is open.
    pub fn new(p: &Parameters) -> Self {
        let each = vec![Row { number: CLOSED, accesses: 0 }; (p.ranks * p.banks) as usize];
        Self { each, bits: p.row_bytes.trailing_zeros(), banks: p.banks as usize }
    }

    /// Which row an address is of.
    #[inline]
    pub const fn number(&self, address: u64) -> u64 {
        address >> self.bits
    }

    /// What is open in the bank of a row.
    #[inline]
    pub fn beside(&mut self, number: u64) -> &mut Row {
        let last = self.each.len() - 1;
        &mut self.each[number as usize & last]
    }

    pub fn of(&self, rank: usize, bank: usize) -> Row {
        self.each[rank * self.banks + bank]
    }

    /// What is open in the bank of a place.
    pub fn at(&mut self, place: Place) -> &mut Row {
        &mut self.each[place.rank * self.banks + place.bank]
    }

    /// What is open in the banks of a rank.
    pub fn of_rank(&mut self, rank: usize) -> &mut [Row] {
        &mut self.each[rank * self.banks..][..self.banks]
    }
}
