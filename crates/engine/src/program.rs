//! What a run needs to know of the ISA: instructions, decoder, idioms.
use coredsl::ir::{Behavior, Instruction, Module};
use hart::unit::{AnyBody, Trap};
use hart::vector::compiled::Operation;
use hart::{cache_block, float, vector};
use isa::operands::{Effects, File, Site};
use isa::{Descriptions, InstructionId, Instructions, InstructionsError, Isa};

use crate::decoded::Decoded;
use crate::lower::{Context, Idioms, Roles};
use crate::native::Native;
use crate::uop::Uop;

/// The instructions of a guest program, ready to be lowered.
pub struct Program {
    instructions: Instructions,
    roles: Roles,
    idioms: Idioms,
    /// How each instruction is executed that the semantic IR does not express.
    bodies: Vec<Extern>,
}

/// What a description's `behavior: extern` stands for.
#[derive(Default)]
struct Extern {
    /// The body, if a unit carries it out.
    unit: Option<AnyBody>,
    /// The operation, if that is the vector unit.
    vector: Option<Operation>,
    /// What it does if no unit carries it out.
    native: Option<Native>,
    /// The instruction that a compressed one stands for.
    longer: Option<InstructionId>,
}

impl Extern {
    fn of(instruction: &Instruction, effects: &Effects, all: &Instructions) -> Self {
        if instruction.behavior != Behavior::Extern {
            return Self::default();
        }
        let name = &instruction.name;
        let vector = vector::operation(name, effects);
        // Every compressed access has a longer form of its class and width ("C" Extension).
        let is_longer = |(other, same): (&Instruction, &Effects)| {
            other.encoding.length == 32
                && other.behavior == Behavior::Extern
                && (same.class, &same.memory) == (effects.class, &effects.memory)
        };
        let mut others = all.module().instructions.iter().zip(all.operands().iter());
        let is_short = instruction.encoding.length == 16;
        let longer = if is_short { others.position(is_longer) } else { None };
        Self {
            unit: vector
                .map(|vector| vector.body)
                .or_else(|| float::body(name, effects))
                .or_else(|| cache_block::body(name)),
            vector,
            native: Native::of(name),
            longer: longer.map(|longer| InstructionId(longer as u16)),
        }
    }
}

impl Program {
    /// Instructions of an ISA string and of a user's descriptions.
    ///
    /// # Errors
    /// A bad ISA string or a fault in a description.
    pub fn new(isa: &str, descriptions: &Descriptions) -> Result<Self, InstructionsError> {
        Ok(Self::of(Instructions::new(isa, descriptions)?))
    }

    /// The instructions, ready to be lowered.
    pub fn of(instructions: Instructions) -> Self {
        // Only a user's descriptions may mean something else by a function's name.
        let reference = match instructions.is_built_in() {
            true => Some(&instructions),
            false => Instructions::all(instructions.isa().xlen()),
        };
        let idioms = reference.map_or_else(Idioms::default, |reference| {
            Idioms::recognise(instructions.module(), reference.module())
        });
        let roles = Roles::of(instructions.module());
        let all = instructions.module().instructions.iter().zip(instructions.operands().iter());
        let bodies = all.map(|(one, effects)| Extern::of(one, effects, &instructions)).collect();
        Self { instructions, roles, idioms, bodies }
    }

    /// What a unit executes for a word of an instruction: of a compressed one, the instruction it stands for and its
    /// word.
    pub fn of_unit(&self, id: InstructionId, word: u32) -> Uop {
        let Some(longer) = self.bodies.get(id.index()).and_then(|body| body.longer) else {
            return Uop::unit(id.index() as u16, word);
        };
        let site = self.site(id, word);
        let base = site.reads(File::X).flatten().next();
        let data = site.reads(File::F).chain(site.writes(File::F)).flatten().next();
        let encoding = &self.instructions.get(longer).encoding;
        let fields = encoding.fields.iter().map(|field| {
            field.insert(match &*field.name {
                "rs1" => base.map_or(0, u64::from),
                "imm" => site.number().unwrap_or(0),
                _ => data.map_or(0, u64::from),
            })
        });
        Uop::unit(longer.index() as u16, fields.fold(encoding.value, |word, field| word | field))
    }

    /// What a native instruction does that no unit carries out.
    pub fn native(&self, id: InstructionId) -> Option<Native> {
        self.bodies.get(id.index())?.native
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
        self.bodies.get(id.index()).is_some_and(|body| body.unit.is_some())
    }

    /// The body of an instruction that a unit carries out.
    #[inline(always)]
    pub fn unit(&self, instruction: u16) -> AnyBody {
        match self.bodies.get(usize::from(instruction)) {
            Some(Extern { unit: Some(body), .. }) => *body,
            _ => AnyBody::State(|_, _| Err(Trap::Illegal("no unit executes this instruction"))),
        }
    }

    /// The operation of an instruction that the vector unit carries out.
    pub fn vector(&self, instruction: u16) -> Option<&Operation> {
        self.bodies.get(usize::from(instruction))?.vector.as_ref()
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
