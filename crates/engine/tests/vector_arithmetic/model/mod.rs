//! The specification, read literally (chapter "V").

mod arithmetic;
mod element_wise;
mod fixed_point;
mod legal;
mod mask;
mod permutation;
mod reduction;
mod state;

pub use state::{Case, Outcome, Registers, signed};

/// What an instruction does; `None` if it is illegal.
pub fn execute(case: &Case) -> Option<Outcome> {
    let (operation, form) = case.name.split_once("__").expect("a vector instruction");
    element_wise::execute(case, operation, form)
        .or_else(|| reduction::execute(case, operation, form))
        .or_else(|| mask::execute(case, operation, form))
        .or_else(|| permutation::execute(case, operation, form))
        .unwrap_or_else(|| panic!("the model knows {}", case.name))
}
