//! What a run needs to know of the ISA: instructions, decoder, idioms.

use coredsl::ir::{Behavior, Instruction, Module};
use isa::operands::{Effects, File, Site};
use isa::{Descriptions, InstructionId, Instructions, InstructionsError, Isa};

use crate::decoded::Decoded;
use crate::lower::{Context, Idioms, Roles};
use crate::unit::{AnyBody, Trap};
use crate::vector::compiled::Operation;
use crate::{float, vector};

/// The instructions of a guest program, ready to be lowered.
pub struct Program {
    instructions: Instructions,
    roles: Roles,
    idioms: Idioms,
    /// Bodies of the instructions that a unit carries out, by instruction.
    units: Vec<Option<AnyBody>>,
    /// Those that are the vector unit's, likewise.
    vectors: Vec<Option<Operation>>,
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
        let operation = |(instruction, effects): (&Instruction, &Effects)| match instruction.behavior {
            Behavior::Extern => vector::operation(&instruction.name, effects),
            Behavior::Body(_) => None,
        };
        let body = |(instruction, operation): (&Instruction, &Option<Operation>)| {
            let other = || match instruction.behavior {
                Behavior::Extern => float::body(&instruction.name),
                Behavior::Body(_) => None,
            };
            operation.map(|operation| operation.body).or_else(other)
        };
        let all = &instructions.module().instructions;
        let vectors: Vec<_> = all.iter().zip(instructions.operands().iter()).map(operation).collect();
        let units = all.iter().zip(&vectors).map(body).collect();
        Ok(Self { instructions, roles, idioms, units, vectors })
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

    /// True if a unit carries the instruction out.
    pub fn has_unit(&self, id: InstructionId) -> bool {
        self.units.get(id.index()).is_some_and(Option::is_some)
    }

    /// The body of an instruction that a unit carries out.
    #[inline(always)]
    pub fn unit(&self, instruction: u16) -> AnyBody {
        match self.units.get(usize::from(instruction)) {
            Some(Some(body)) => *body,
            _ => AnyBody::State(|_, _| Err(Trap::Illegal("no unit executes this instruction"))),
        }
    }

    /// The operation of an instruction that the vector unit carries out.
    pub fn vector(&self, instruction: u16) -> Option<&Operation> {
        self.vectors.get(usize::from(instruction))?.as_ref()
    }

    /// A word of an instruction, to be asked what it touches.
    pub fn site(&self, id: InstructionId, word: u32) -> Site<'_> {
        self.instructions.site(id, word)
    }

    /// Integer registers that an instruction writes, for traces: also where the value stays the same.
    pub fn written_registers(&self, decoded: &Decoded) -> Vec<u16> {
        let mut found = Vec::new();
        for register in self.site(decoded.id, decoded.word).writes(File::X).flatten() {
            if register != 0 && !found.contains(&register) {
                found.push(register);
            }
        }
        found
    }

    /// Roles of registers and address spaces.
    pub const fn roles(&self) -> Roles {
        self.roles
    }
}
