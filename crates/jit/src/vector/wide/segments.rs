//! Segments of many fields side by side in memory, on registers of sixty-four bytes, which Cranelift does not have: a function
//! of our own that the region calls, where the host has instructions that choose any bytes of such a register.

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use cranelift_codegen::isa::CallConv;
use hart::vector::compiled::Transfer;

use super::COLUMN;
use super::rows::{self, Rows};
use crate::builder::{Builder, own};
use crate::frame;

/// Fewest fields.
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
    /// Compiles an access to memory that is all there at an address, as a call; false if it is not one for this.
    pub(in crate::vector) fn wide_segments(&mut self, transfer: Transfer, address: Value) -> bool {
        let Transfer { register, distance, fields, width, bytes, stores, masked, .. } = transfer;
        let is_whole = bytes.is_multiple_of(COLUMN as u64);
        // Others are as fast in place, and what they load or store stays at hand there.
        let is_slow_in_place = fields >= FEWEST && (masked || width < 2);
        let is_host = self.wide.rare && available() && self.host_convention == CallConv::SystemV;
        if !is_slow_in_place || !is_whole || !is_host {
            return false;
        }
        let rows = Rows { fields, width, distance, bytes: bytes as usize, masked };
        let Ok(code) = rows::assemble(&rows, stores) else { return false };
        let Some(function) = self.wide.define(&code.bytes) else { return false };
        self.clear_columns();
        let mut signature = Signature::new(self.host_convention);
        signature.params = vec![AbiParam::new(types::I64); 3];
        let signature = self.ins.import_signature(signature);
        let file = self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::VECTORS);
        let first = self.constant(register as u64);
        let first = self.ins.ins().iadd(file, first);
        let callee = self.constant(function + code.entry as u64);
        self.ins.ins().call_indirect(signature, callee, &[first, address, file]);
        true
    }
}
