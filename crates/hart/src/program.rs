//! What a run needs to know of the ISA: instructions, decoder, idioms.

use coredsl::ir::Module;
use isa::{Descriptions, InstructionId, Instructions, InstructionsError, Isa};

use crate::lower::{Context, Idioms, Roles};

/// The instructions of a guest program, ready to be lowered.
pub struct Program {
    instructions: Instructions,
    roles: Roles,
    idioms: Idioms,
}

impl Program {
    /// Instructions of an ISA string and of a user's descriptions.
    ///
    /// # Errors
    /// A bad ISA string or a fault in a description.
    pub fn new(isa: &str, descriptions: &Descriptions) -> Result<Self, InstructionsError> {
        let instructions = Instructions::new(isa, descriptions)?;
        let reference = Instructions::all(instructions.isa().xlen());
        let idioms = reference.map_or_else(Idioms::default, |reference| {
            Idioms::recognise(instructions.module(), reference.module())
        });
        let roles = Roles::of(instructions.module());
        Ok(Self { instructions, roles, idioms })
    }

    /// Their meaning.
    pub const fn module(&self) -> &Module {
        self.instructions.module()
    }

    /// The instructions.
    pub const fn instructions(&self) -> &Instructions {
        &self.instructions
    }

    /// The ISA.
    pub const fn isa(&self) -> &Isa {
        self.instructions.isa()
    }

    /// The instruction a word encodes.
    pub fn decode(&self, word: u32) -> Option<InstructionId> {
        self.instructions.decode(word)
    }

    /// Multiple that every instruction address is, in bytes.
    pub fn instruction_alignment(&self) -> u64 {
        self.instructions.alignment()
    }

    /// What lowering needs.
    pub const fn context(&self) -> Context<'_> {
        Context { module: self.module(), roles: self.roles, idioms: &self.idioms }
    }

    /// Roles of registers and address spaces.
    pub const fn roles(&self) -> Roles {
        self.roles
    }
}
