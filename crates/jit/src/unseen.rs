//! Values of registers that are overwritten before anybody may look at the registers' homes, so that they need not be
//! stored there.

#[cfg(test)]
mod tests;

use cranelift_codegen::ir::Value;
use engine::block::Block;
use engine::uop::{FIRST_TEMP, Kind, Op};

use crate::builder::Builder;
use crate::shape::{self, Registers};

impl Builder<'_, '_> {
    /// Sets a slot to a value that nobody will look for in the register's home.
    pub fn set_unseen(&mut self, slot: u16, value: Value) {
        if slot == 0 {
            return;
        }
        let variable = self.variable(slot);
        self.ins.def_var(variable, value);
        if self.is_away(slot) {
            self.loaded.add(slot);
        }
    }
}

/// The micro-operations of a block that give such values, if its instructions are compiled in this `order`. Loads and stores
/// that are `safe`, by their micro-operation, never leave compiled code.
pub fn unseen(block: &Block, order: &[usize], safe: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    // Registers whose homes are written before anybody may look at them.
    let mut overwritten = Registers::default();
    for &instruction in order.iter().rev() {
        let uops = shape::uops_of(block, instruction);
        let is_straight =
            !block.uops[uops.clone()].iter().any(|uop| matches!(uop.op, Op::Goto | Op::GotoIfZero));
        for index in uops.rev() {
            let uop = &block.uops[index];
            let is_quiet = match uop.op.kind() {
                Kind::Pure(_) | Kind::Note => is_straight,
                Kind::Load(_) | Kind::Store(_) => is_straight && safe(index),
                _ => false,
            };
            if let Some(register @ 1..FIRST_TEMP) = uop.def() {
                if overwritten.has(register) {
                    found.push(index);
                }
                overwritten.add(register);
            }
            if !is_quiet {
                // Before it has any effect.
                overwritten = Registers::default();
            }
        }
    }
    found
}
