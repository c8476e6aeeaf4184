//! CSRs of a process's own, other than counters: compiled code has the hart read and write them. An access ends its block.

pub mod which;

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use engine::uop::{Op, Uop};
use hart::csr::Clock;

use crate::builder::{Builder, Known, Place, own};
use crate::frame::{self, Frame};

/// Puts what a CSR holds into the frame; 1 if the hart refuses.
extern "C" fn read(frame: *mut Frame, csr: u64, _value: u64) -> u64 {
    // SAFETY: compiled code passes the frame it was entered with, whose hart nobody else uses meanwhile.
    #[allow(unsafe_code, reason = "called from compiled code")]
    let (hart, out) = unsafe { (&mut *(*frame).hart, &mut (*frame).csr) };
    match hart.read_csr(csr, Clock::default()) {
        Ok(value) => {
            *out = value;
            0
        }
        Err(_) => 1,
    }
}

/// Writes a CSR; 1 if the hart refuses.
extern "C" fn write(frame: *mut Frame, csr: u64, value: u64) -> u64 {
    // SAFETY: as above.
    #[allow(unsafe_code, reason = "called from compiled code")]
    let hart = unsafe { &mut *(*frame).hart };
    hart.write_csr(csr, value, Clock::default()).is_err().into()
}

impl Builder<'_, '_> {
    /// Compiles an access of a CSR; false if the interpreter has to do it.
    pub fn csr(&mut self, uop: Uop, place: Place) -> bool {
        let csr = self.get(uop.a);
        // A timed run stops before each.
        if self.region.timed || !matches!(self.known[csr], Known::Constant(_)) {
            self.resume(place.member, place.start, false);
            return false;
        }
        let is_write = uop.op == Op::CsrWrite;
        let (function, value) =
            if is_write { (write as Access, self.get(uop.b)) } else { (read as Access, csr) };
        let refused = self.call_for_csr(function, csr, value);
        self.leave_if(refused, place);
        if !is_write {
            let value = self.ins.ins().load(types::I64, own(), self.frame, frame::CSR);
            self.set(uop.dst, value);
        }
        true
    }

    fn call_for_csr(&mut self, function: Access, csr: Value, value: Value) -> Value {
        let mut signature = Signature::new(self.host_convention);
        signature.params = vec![AbiParam::new(types::I64); 3];
        signature.returns = vec![AbiParam::new(types::I64)];
        let signature = self.ins.import_signature(signature);
        let callee = self.constant(function as usize as u64);
        let call = self.ins.ins().call_indirect(signature, callee, &[self.frame, csr, value]);
        self.ins.inst_results(call)[0]
    }
}

type Access = extern "C" fn(*mut Frame, u64, u64) -> u64;
