//! Guests for tests: instruction words made from the descriptions' own encodings, and machines that
//! hold them.

#![allow(dead_code, reason = "each test program that includes this module uses a part of it")]

use coredsl::ir::{Instruction, Module};
use coredsl::{FileSources, Found, MemorySources, Sources};
use engine::{Blind, Limits, Machine, Program, Stop};
use hart::{Address, Host, Htif, Memory};
use isa::{Builtin, Descriptions};

/// Where guests begin.
pub const BASE: u64 = 0x8000_0000;
/// Bytes of memory a guest has.
pub const SIZE: usize = 0x4000;
/// A word-aligned place far from the code.
pub const DATA: u64 = BASE + 0x2000;

/// The program of an ISA string without user descriptions.
pub fn program(isa: &str) -> Program {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    Program::new(isa, &descriptions).expect("a known ISA string")
}

/// A user's file, before the built-in ones.
struct WithBuiltin(MemorySources);

impl Sources for WithBuiltin {
    fn find(&self, name: &str, importer: Option<&str>) -> Found {
        match self.0.find(name, importer)? {
            Some(found) => Ok(Some(found)),
            None => FileSources::new(Builtin).find(name, importer),
        }
    }
}

/// The program of an ISA string that names what `description` has.
pub fn program_of_ones_own(isa: &str, description: &str) -> Program {
    let sources = WithBuiltin(MemorySources::new().with("own.core_desc", description));
    let descriptions = Descriptions::from_sources(&["own.core_desc".into()], &sources)
        .unwrap_or_else(|diagnostics| panic!("{description}: {diagnostics}"));
    Program::new(isa, &descriptions).unwrap_or_else(|error| panic!("{error}"))
}

/// A program with instructions of a user's own beside those of an ISA: `NAME rd, rs1, rs2`, and what each does.
pub fn program_of_own(isa: &str, instructions: &[(&str, &str)]) -> Program {
    let instruction = |(index, (name, behavior)): (usize, &(&str, &str))| {
        format!(
            "{name} {{
                encoding: 7'd{index} :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                assembly: \"{{name(rd)}}, {{name(rs1)}}, {{name(rs2)}}\";
                behavior: {{ {behavior} }}
            }}"
        )
    };
    let all: String = instructions.iter().enumerate().map(instruction).collect();
    let text = format!(
        "import \"RISCVBase.core_desc\"
        InstructionSet XOwn extends RISCVBase {{ instructions {{ {all} }} }}"
    );
    program_of_ones_own(&format!("{isa}_xown"), &text)
}

/// The word of an instruction with the given operand fields, the others 0.
pub fn encode(module: &Module, name: &str, fields: &[(&str, i64)]) -> u32 {
    let found = module.instructions.iter().find(|instruction| instruction.name == name);
    with_fields(found.unwrap_or_else(|| panic!("no instruction {name}")), fields)
}

/// The word of `instruction` with the given operand fields.
pub fn with_fields(instruction: &Instruction, fields: &[(&str, i64)]) -> u32 {
    fields.iter().fold(instruction.encoding.value, |word, (name, value)| {
        let field = instruction.encoding.fields.iter().find(|field| field.name == *name);
        let field = field.unwrap_or_else(|| panic!("{} has no field {name}", instruction.name));
        word | field.insert(*value as u64)
    })
}

/// Instructions in a row.
pub struct Code<'p> {
    program: &'p Program,
    bytes: Vec<u8>,
}

impl<'p> Code<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self { program, bytes: Vec::new() }
    }

    /// One instruction by name.
    pub fn op(self, name: &str, fields: &[(&str, i64)]) -> Self {
        let word = encode(self.program.module(), name, fields);
        if isa::is_wide(word) { self.word(word) } else { self.half(word as u16) }
    }

    pub fn addi(self, rd: i64, rs1: i64, imm: i64) -> Self {
        self.op("ADDI", &[("rd", rd), ("rs1", rs1), ("imm", imm)])
    }

    /// `csrrw rd, csr, rs1`.
    pub fn csrrw(self, rd: i64, csr: u16, rs1: i64) -> Self {
        self.op("CSRRW", &[("rd", rd), ("csr", csr.into()), ("rs1", rs1)])
    }

    /// `csrrs rd, csr, zero`.
    pub fn csrr(self, rd: i64, csr: u16) -> Self {
        self.op("CSRRS", &[("rd", rd), ("csr", csr.into())])
    }

    /// `sw rs2, imm(rs1)`.
    pub fn sw(self, rs2: i64, imm: i64, rs1: i64) -> Self {
        self.op("SW", &[("rs2", rs2), ("imm", imm), ("rs1", rs1)])
    }

    pub fn nops(self, count: usize) -> Self {
        (0..count).fold(self, |code, _| code.addi(0, 0, 0))
    }

    /// Raw bits.
    pub fn word(mut self, word: u32) -> Self {
        self.bytes.extend(word.to_le_bytes());
        self
    }

    /// Raw bits of a compressed instruction.
    pub fn half(mut self, half: u16) -> Self {
        self.bytes.extend(half.to_le_bytes());
        self
    }

    /// Address of the next instruction.
    pub fn here(&self) -> u64 {
        BASE + self.bytes.len() as u64
    }

    /// The words of code without compressed instructions.
    pub fn words(&self) -> Vec<u32> {
        let words = self.bytes.chunks_exact(4);
        words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    /// A machine that starts with this code, without host-target interface.
    pub fn machine(self) -> Machine<'p> {
        self.machine_with(Htif::default())
    }

    /// A machine that starts with this code and whose `tohost` is as given.
    pub fn machine_with(self, htif: Htif) -> Machine<'p> {
        let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
        if let Some(tohost) = htif.tohost {
            memory.set_tohost(tohost);
        }
        let target = memory.slice_mut(Address(BASE), self.bytes.len()).expect("the code fits");
        target.copy_from_slice(&self.bytes);
        crate::tier::prepare(Machine::new(self.program, memory, Address(BASE), htif))
    }
}

/// Collects the guest's console, and stops a run that never ends by itself.
#[derive(Default)]
pub struct Screen {
    pub bytes: Vec<u8>,
    ticks: u32,
}

impl Host for Screen {
    fn console(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    fn keep_going(&mut self) -> bool {
        self.ticks += 1;
        self.ticks < 4
    }
}

/// Runs up to `limit` retired instructions in all.
pub fn run(machine: &mut Machine<'_>, limit: u64) -> Stop {
    machine.run(Limits { instructions: Some(limit) }, &mut Blind, &mut Screen::default())
}

/// The exception that stopped a run, as cause and trap value.
pub fn fault(stop: Stop) -> Option<(u64, u64)> {
    match stop {
        Stop::Fault(fault) => Some((fault.exception.cause, fault.exception.value)),
        _ => None,
    }
}
