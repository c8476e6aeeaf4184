//! A description as a table: for a paper or a README.

use std::fmt::Write;

use coredsl::ir::{AsmPiece, Encoding, Instruction, Module};

use crate::decode::InstructionId;
use crate::instructions::Instructions;
use crate::operands::{Described, Effects, File};

/// One instruction's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Mnemonic and operands, as in assembly.
    pub syntax: String,
    /// Bits from the highest down; fields by name.
    pub encoding: String,
    /// The behaviour as its author wrote it.
    pub behavior: String,
    /// The instruction set that declares it.
    pub set: String,
    /// Its class, and what it reads and writes.
    pub effects: Described,
}

/// The table's lines.
pub fn lines(instructions: &Instructions, listed: &[InstructionId]) -> Vec<Line> {
    let module = instructions.module();
    let line = |&id: &InstructionId| {
        let instruction = instructions.get(id);
        Line {
            syntax: syntax(module, instruction, instructions.operands().get(id)),
            encoding: bits(&instruction.encoding),
            behavior: instruction.source.split_whitespace().collect::<Vec<_>>().join(" "),
            set: instruction.set.clone(),
            effects: instructions.operands().get(id).described(module, instruction),
        }
    };
    listed.iter().map(line).collect()
}

/// Operands by the names of their fields.
fn syntax(module: &Module, instruction: &Instruction, effects: &Effects) -> String {
    let is_vector = |field| {
        let mut registers = effects.reads.iter().chain(&effects.writes);
        registers.any(|register| register.file == File::V && register.index.names(field))
    };
    let mut text = format!("{} ", instruction.mnemonic);
    for piece in &instruction.assembly {
        match piece {
            AsmPiece::Text(literal) => text.push_str(literal),
            // Of any ordering.
            AsmPiece::Ordering(_) => {}
            AsmPiece::RoundingMode(_) => text.push_str(", rm"),
            AsmPiece::VectorMask(_) => text.push_str(", vm"),
            AsmPiece::IntRegister(expr)
            | AsmPiece::FloatRegister(expr)
            | AsmPiece::RegisterPair(expr)
            | AsmPiece::RegisterList(expr)
            | AsmPiece::Csr(expr)
            | AsmPiece::VectorType(expr)
            | AsmPiece::Number { value: expr, .. } => {
                match crate::header::fields_in(expr)[..] {
                    [field] => {
                        let name = &instruction.encoding.fields[field.index()].name;
                        // `v{vd}` is written vd in the manual's tables.
                        if is_vector(field) {
                            text.pop();
                        }
                        text.push_str(name);
                    }
                    // An operand computed from several fields, or from none: its value in the all-zero form.
                    _ => {
                        let word = instruction.encoding.value;
                        let value = coredsl::eval::operand(module, instruction, expr, word, 0);
                        let _ = write!(text, "{value}");
                    }
                }
            }
        }
    }
    text.trim_end().to_owned()
}

/// `0011000 rs2 rs1 111 rd 0001011`, split immediates with their bits.
fn bits(encoding: &Encoding) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut bit = encoding.length;
    let mut literal = String::new();
    while bit > 0 {
        let top = bit - 1;
        let here = encoding.fields.iter().find_map(|field| {
            let part = field.parts.iter().find(|part| part.word_lsb + part.len == bit)?;
            Some((field, part))
        });
        match here {
            None => {
                literal.push(if encoding.value >> top & 1 == 1 { '1' } else { '0' });
                bit = top;
            }
            Some((field, part)) => {
                parts.extend((!literal.is_empty()).then(|| std::mem::take(&mut literal)));
                let whole = u16::from(part.len) == field.width;
                parts.push(if whole {
                    field.name.clone()
                } else if part.len == 1 {
                    format!("{}[{}]", field.name, part.field_lsb)
                } else {
                    format!("{}[{}:{}]", field.name, part.field_lsb + part.len - 1, part.field_lsb)
                });
                bit = part.word_lsb;
            }
        }
    }
    parts.extend((!literal.is_empty()).then_some(literal));
    parts.join(" ")
}
