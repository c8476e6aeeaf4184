//! The vector unit: RVV 1.0 and vector cryptography, at any VLEN and LMUL
//! (RISC-V Unprivileged ISA, chapters "V" and "Vector Cryptography").
//!
//! Sections named in this module's comments are those of chapter "V".

mod arithmetic;
mod carry_less;
mod check;
pub mod compiled;
mod config;
mod crypto;
pub(crate) mod csr;
mod division;
mod element;
mod element_wise;
mod fields;
mod float;
mod formats;
mod group;
mod halved;
#[cfg(target_arch = "x86_64")]
mod host_block;
mod kernel;
mod lanes;
mod load_store;
mod mask;
mod masking;
mod mixed;
mod operation;
mod permutation;
mod policy;
#[cfg(target_arch = "x86_64")]
mod quotients;
mod reducing;
mod reduction;
mod rules;
mod shifts;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod trace;
mod unchecked;

pub use state::{AgnosticFill, VectorUnit, Vtype};
pub use trace::VectorEffects;

use isa::operands::{Class, Effects};

use operation::Operation;

/// The operation of an instruction with that name and those effects in its description.
pub fn operation(name: &str, effects: &Effects) -> Option<Operation> {
    if matches!(effects.class, Class::VectorLoad | Class::VectorStore) {
        let [access] = &effects.memory[..] else { return None };
        return load_store::operation(access);
    }
    let modules = [
        config::operation,
        lanes::operation,
        arithmetic::operation,
        reduction::operation,
        mask::operation,
        permutation::operation,
        float::operation,
        crypto::operation,
    ];
    modules.iter().find_map(|operation| operation(name))
}
