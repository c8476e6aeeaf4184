//! All instructions that a description declares, as datapaths.

use coredsl::ir::{Instruction, Module};
use coredsl::{BUILT_IN, Diagnostics, FileSources, Program, elaborate};
use isa::Builtin;

use crate::module::{self, Port};
use crate::names::Names;
use crate::operand::Register;
use crate::{unit, vectors};

/// What a file of CoreDSL describes, for one width of registers.
pub struct Description {
    module: Module,
    unit: String,
    stages: u32,
    /// Instructions that have a datapath, in order of declaration.
    pub datapaths: Vec<Datapath>,
    /// The others.
    pub refused: Vec<Refused>,
}

/// An instruction's datapath.
#[derive(Clone, Debug)]
pub struct Datapath {
    /// The instruction's place in the module.
    pub(crate) index: usize,
    /// The instruction's name in the description.
    pub name: String,
    /// Its assembler mnemonic.
    pub mnemonic: String,
    /// The set that declares it.
    pub set: String,
    /// Name of the module in `text`.
    pub module: String,
    /// SystemVerilog: one module that needs no other.
    pub text: String,
    /// Its ports in order.
    pub ports: Vec<Port>,
    /// The register that receives `rd`.
    pub destination: Register,
}

/// An instruction without a datapath.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The instruction's name in the description.
    pub name: String,
    /// Its assembler mnemonic.
    pub mnemonic: String,
    /// Why, in a few words.
    pub reason: String,
    /// The same with its place.
    pub diagnostics: Diagnostics,
}

impl Description {
    /// Datapaths of every instruction that the file at `path` and those that it imports declare; `stages`
    /// registers stand after each result.
    ///
    /// # Errors
    /// The faults of the description.
    pub fn read(path: &str, xlen: u16, stages: u32) -> Result<Self, Diagnostics> {
        let program = Program::load(path, &FileSources::new(Builtin))?;
        let own = |set: &coredsl::SetInfo<'_>| !set.file.starts_with(BUILT_IN);
        let sets: Vec<&str> = program.sets().filter(own).map(|set| set.name).collect();
        let module = elaborate(&program, &sets, xlen)?;
        let file = std::path::Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        let unit = format!("{}_unit", sets.last().copied().unwrap_or_default().to_ascii_lowercase());
        let mut names = Names::default();
        let unit = names.fresh(&unit);
        let own = |(_, one): &(usize, &Instruction)| sets.contains(&one.set.as_str());
        let own: Vec<(usize, &Instruction)> = module.instructions.iter().enumerate().filter(own).collect();
        let lower = |one: &Instruction| one.name.to_ascii_lowercase().replace("__", "_");
        let called: Vec<String> = own.iter().map(|(_, one)| names.fresh(&lower(one))).collect();
        let (mut datapaths, mut refused) = (Vec::new(), Vec::new());
        for ((index, instruction), name) in own.into_iter().zip(called) {
            let comment = comment(instruction, &file, xlen, stages);
            match module::write(&module, instruction, &name, stages, &comment, names.clone()) {
                Ok(written) => datapaths.push(Datapath {
                    index,
                    name: instruction.name.clone(),
                    mnemonic: instruction.mnemonic.clone(),
                    set: instruction.set.clone(),
                    module: name,
                    text: written.text,
                    ports: written.ports,
                    destination: written.destination,
                }),
                Err(reason) => {
                    let message = format!("`{}` has no datapath: {}", instruction.name, reason.0);
                    refused.push(Refused {
                        name: instruction.name.clone(),
                        mnemonic: instruction.mnemonic.clone(),
                        diagnostics: program.diagnostic(instruction.place, &message, &reason.0, HELP),
                        reason: reason.0,
                    });
                }
            }
        }
        Ok(Self { module, unit, stages, datapaths, refused })
    }

    /// The instruction of a datapath of this description.
    pub fn instruction(&self, datapath: &Datapath) -> &Instruction {
        &self.module.instructions[datapath.index]
    }

    /// A module that decodes an instruction word and gives the result of the datapath that it is for; it
    /// instantiates those for which `has` holds.
    pub fn unit(&self, has: impl Fn(&Datapath) -> bool) -> String {
        let chosen: Vec<&Datapath> = self.datapaths.iter().filter(|one| has(one)).collect();
        unit::write(&self.module, &chosen, &self.unit, self.stages)
    }

    /// Name of that module, after the set that is declared last.
    pub fn unit_name(&self) -> &str {
        &self.unit
    }

    /// What the plain evaluator makes of random operands, which are often corners.
    pub fn vectors(&self, datapath: &Datapath, count: u32, seed: u64) -> Vec<vectors::Vector> {
        vectors::vectors(&self.module, self.instruction(datapath), datapath, count, seed)
    }
}

const HELP: &str =
    "a datapath computes one integer register from registers, fields and the pc, and has no other effect";

fn comment(instruction: &Instruction, file: &str, xlen: u16, stages: u32) -> String {
    let mut text = format!(
        "// {} ({}) of {}, {file}, for RV{xlen}; made by ciphermark.\n",
        instruction.name, instruction.mnemonic, instruction.set
    );
    for line in instruction.source.lines() {
        text.push_str(&format!("//   {}\n", line.trim()));
    }
    if stages > 0 {
        let (registers, cycles) = if stages == 1 { ("register", "cycle") } else { ("registers", "cycles") };
        text.push_str(&format!(
            "// {stages} {registers} behind the logic, for synthesis tools to move into it (retiming): results come {stages} \
             {cycles} later.\n"
        ));
    }
    text
}
