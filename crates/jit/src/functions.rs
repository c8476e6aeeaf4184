//! Functions of machine code that regions call.

use std::collections::HashMap;

use cranelift_jit::JITModule;
use cranelift_module::Module;

/// Bytes of host memory that a piece of code takes at least, since it must be executable and not writable.
pub const PAGE: usize = 1 << 12;

/// What its first instruction is aligned to.
const ALIGNMENT: u64 = 32;

/// Where functions with some code are.
pub type Known = HashMap<Box<[u8]>, u64>;

/// Where functions are made.
pub struct Functions<'a> {
    module: &'a mut JITModule,
    /// Of host memory in use.
    bytes: &'a mut usize,
    /// Those that there are, by their code.
    known: &'a mut Known,
    /// They may use what few hosts have, where this one does.
    pub rare: bool,
}

impl<'a> Functions<'a> {
    /// In a module, whose code takes so many bytes, with what few hosts have or not.
    pub const fn new(
        module: &'a mut JITModule,
        bytes: &'a mut usize,
        known: &'a mut Known,
        rare: bool,
    ) -> Self {
        Self { module, bytes, known, rare }
    }

    /// The address of a function with this machine code, which does not depend on where it is.
    pub fn define(&mut self, code: &[u8]) -> Option<u64> {
        if let Some(&address) = self.known.get(code) {
            return Some(address);
        }
        let signature = self.module.make_signature();
        let id = self.module.declare_anonymous_function(&signature).ok()?;
        self.module.define_function_bytes(id, ALIGNMENT, code, &[]).ok()?;
        self.module.finalize_definitions().ok()?;
        *self.bytes += code.len().next_multiple_of(PAGE);
        let address = self.module.get_finalized_function(id) as u64;
        self.known.insert(code.into(), address);
        Some(address)
    }
}
