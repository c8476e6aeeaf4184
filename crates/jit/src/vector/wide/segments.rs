//! Segments of many fields, on registers of sixty-four bytes, which Cranelift does not have: a function of our own that the
//! region calls, where the host has instructions that choose any bytes of such a register.

use cranelift_codegen::ir::{InstBuilder, Value};
use hart::vector::compiled::Transfer;
use iced_x86::IcedError;

use super::COLUMN;
use super::assembler::Assembled;
use super::rows::{self, Rows, Spots};
use crate::builder::Builder;
use crate::vector::parts::Data;

/// Fewest fields that are slow to move in place.
const FEWEST: usize = 5;

/// True if the host has those instructions, and what else [`rows`] consists of.
fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vbmi")
        && std::arch::is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

impl Builder<'_, '_> {
    /// Compiles an access to segments side by side in memory that is all there at an address, as a call; false if it is not
    /// one for this.
    pub(in crate::vector) fn wide_segments(&mut self, transfer: Transfer, address: Value) -> bool {
        let Transfer { fields, width, masked, bytes, stores, .. } = transfer;
        // Others are as fast in place, and what they load or store stays at hand there.
        let is_slow_in_place = fields >= FEWEST && (masked || width < 2);
        if !is_slow_in_place || !self.moves_rows(bytes as usize) {
            return false;
        }
        let data = Data::from(&transfer);
        let none = self.constant(0);
        let code = rows::assemble(&rows_of(data, bytes as usize, Spots::SideBySide), stores);
        self.call_assembled(code, data, address, none)
    }

    /// Bytes that are loaded of each segment that is there, if as many bytes of each field are loaded so.
    pub(in crate::vector) fn slot(&self, data: Data, spots: Spots, bytes: usize) -> Option<usize> {
        let is_slow_in_place = match data.width {
            0 => data.fields > 1 || spots != Spots::Stride,
            1 => data.fields >= FEWEST || data.masked && data.fields > 2,
            _ => data.fields >= FEWEST && data.masked,
        };
        (is_slow_in_place && self.moves_rows(bytes)).then(|| rows_of(data, bytes, spots).slot())
    }

    /// Loads segments at a stride from an address, or at indices that are at another, where all that is loaded is there; false
    /// if there is no such function.
    pub(in crate::vector) fn load_scattered_rows(
        &mut self,
        data: Data,
        spots: Spots,
        bytes: usize,
        address: Value,
        stride_or_indices: Value,
    ) -> bool {
        let code = rows::assemble(&rows_of(data, bytes, spots), false);
        self.call_assembled(code, data, address, stride_or_indices)
    }

    /// The function that loads segments of elements at indices that are bytes, from where all such segments are there, if
    /// there is one for so many bytes of each field.
    pub(in crate::vector) fn function_of_table(&mut self, data: Data, bytes: usize) -> Option<u64> {
        if data.width > 0 || bytes != COLUMN || !self.moves_rows(bytes) {
            return None;
        }
        self.defined(rows::table::assemble(&rows_of(data, bytes, Spots::Indices(0))))
    }

    /// True if so many bytes of each field are whole rows, and the host has what moves them.
    fn moves_rows(&self, bytes: usize) -> bool {
        bytes > 0 && bytes.is_multiple_of(COLUMN) && self.has_rare_functions() && available()
    }

    /// Defines a function and calls it; false if it cannot.
    fn call_assembled(
        &mut self,
        code: Result<Assembled, IcedError>,
        data: Data,
        address: Value,
        fourth: Value,
    ) -> bool {
        let Some(callee) = self.defined(code) else { return false };
        self.call_rows(callee, data, address, fourth);
        true
    }

    /// Where a function of ours is.
    fn defined(&mut self, code: Result<Assembled, IcedError>) -> Option<u64> {
        let code = code.ok()?;
        self.wide.define(&code.bytes).map(|first| first + code.entry as u64)
    }

    /// Calls a function of this kind with an address, and the stride or where the indices are.
    pub(in crate::vector) fn call_rows(&mut self, callee: u64, data: Data, address: Value, fourth: Value) {
        self.clear_columns();
        let file = self.file_of_call();
        let first = self.constant(data.register as u64);
        let first = self.ins.ins().iadd(file, first);
        self.call_wide(callee, &[first, address, file, fourth]);
    }
}

fn rows_of(data: Data, bytes: usize, spots: Spots) -> Rows {
    let Data { fields, width, distance, masked, .. } = data;
    Rows { fields, width, distance, bytes, masked, spots }
}
