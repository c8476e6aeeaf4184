//! Operands and effects of every instruction, computed once: registers of each file, CSRs, accesses to
//! memory, control and class. A behaviour in the IR is analysed; a native body is described by its fields and by
//! the attributes of its description ([`stated`] lists them). Who wants to know what an instruction touches asks
//! here, and decodes nothing.

mod body;
mod class;
mod effects;
mod stated;
mod text;
mod units;

use coredsl::ir::{Behavior, Instruction, Module};
use thiserror::Error;

use crate::decode::InstructionId;

pub use class::Class;
pub use effects::{
    Access, AccessKind, Condition, Control, Csr, Eew, Effects, File, Group, Index, MemoryKind, Register,
    Shape, Site,
};
pub use text::Described;

/// A description that does not say what its instruction does.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{instruction} of {set}: {lacks}")]
pub struct OperandsError {
    /// The instruction's name in the description.
    pub instruction: String,
    /// Its instruction set.
    pub set: String,
    /// What is missing or wrong.
    pub lacks: String,
}

/// The effects of a module's instructions.
#[derive(Debug)]
pub struct Operands(Vec<Effects>);

impl Operands {
    /// The effects of every instruction of `module`.
    ///
    /// # Errors
    /// The first instruction with a native body of which its description does not say enough, or with an
    /// attribute that names no class.
    pub fn of(module: &Module) -> Result<Self, OperandsError> {
        let one = |instruction: &Instruction| {
            effects(module, instruction).map_err(|lacks| OperandsError {
                instruction: instruction.name.clone(),
                set: instruction.set.clone(),
                lacks,
            })
        };
        module.instructions.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    /// The effects of one instruction of that module.
    pub fn get(&self, id: InstructionId) -> &Effects {
        &self.0[id.index()]
    }

    /// Those of every instruction, in the module's order.
    pub fn iter(&self) -> impl Iterator<Item = &Effects> {
        self.0.iter()
    }
}

/// The effects of one instruction.
fn effects(module: &Module, instruction: &Instruction) -> Result<Effects, String> {
    let mut stated = None;
    for (name, _) in &instruction.attributes {
        if let Some(class) = name.strip_prefix("class_") {
            let class = Class::from_attribute(class).ok_or_else(|| format!("there is no class `{class}`"))?;
            // The instruction's own attributes stand before those of its section.
            stated.get_or_insert(class);
        }
    }
    let mut effects = match &instruction.behavior {
        Behavior::Body(body) => body::effects(module, body, stated),
        Behavior::Extern => stated::effects(instruction, stated)?,
    };
    units::add_status(&mut effects, module, instruction);
    Ok(effects)
}
