//! C intrinsics and assembler macros for instructions that no assembler knows: `.insn` directives, which
//! GNU as and LLVM accept whatever `-march` says.

use std::fmt::Write;

use coredsl::ir::{AsmPiece, Behavior, Expr, FieldId, FieldPart, Instruction, Kind};

use crate::decode::InstructionId;
use crate::disassembly::INT_REGISTERS;
use crate::instructions::Instructions;
use crate::operands::{Control, Effects, Register};

/// How an operand field is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operand {
    Register,
    Immediate { signed: bool },
}

/// One XLEN's share of a header: its instructions and those to write.
pub type Share<'a> = (&'a Instructions, Vec<InstructionId>);

/// Header text for the description called `name` (without its ending), from what it means for each XLEN.
pub fn header(name: &str, shares: &[Share<'_>]) -> String {
    let guard = format!("CIPHERMARK_{}_H", identifier(name).to_uppercase());
    let mut text = format!(
        "/* Instructions of {name}.core_desc, made by ciphermark; do not edit. */\n#ifndef {guard}\n#define {guard}\n"
    );
    let any = |(instructions, written): &Share<'_>| {
        written.iter().any(|&id| directive(instructions.get(id), |_, field| field.to_owned()).1)
    };
    if shares.iter().any(any) {
        text.push_str(&register_numbers());
    }
    let written: Vec<(u16, String)> = shares
        .iter()
        .filter(|(_, written)| !written.is_empty())
        .map(|(instructions, written)| (instructions.module().xlen, definitions(instructions, written)))
        .collect();
    match &written[..] {
        // One text serves both widths.
        [(_, first), (_, second)] if first == second => text.push_str(first),
        _ => {
            for (xlen, definitions) in &written {
                // Writing to a string cannot fail.
                let _ = write!(text, "\n#if __riscv_xlen == {xlen}\n{definitions}#endif\n");
            }
        }
    }
    text.push_str("\n#endif\n");
    text
}

fn definitions(instructions: &Instructions, written: &[InstructionId]) -> String {
    let mut text = "\n#ifdef __ASSEMBLER__\n".to_owned();
    for instruction in written.iter().map(|&id| instructions.get(id)) {
        let operands = operands(instruction);
        let parameters: Vec<&str> = operands.iter().map(|(name, _)| name.as_str()).collect();
        let (line, _) = directive(instruction, |_, field| format!("\\{field}"));
        // No macro can have an operand in its name.
        let name = instruction.mnemonic.replace(['<', '>'], "");
        let _ = write!(text, "\n.macro {name} {}\n    {line}\n.endm\n", parameters.join(", "));
    }
    text.push_str("\n#else\n");
    for &id in written {
        text.push_str(&intrinsic(instructions.get(id), instructions.operands().get(id)));
    }
    text.push_str("\n#endif\n");
    text
}

fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// Operands in the order the assembly format names them, then fields it does not name.
fn operands(instruction: &Instruction) -> Vec<(String, Operand)> {
    let mut found: Vec<(String, Operand)> = Vec::new();
    let mut add = |field: FieldId, operand| {
        let name = &instruction.encoding.fields[field.index()].name;
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name.clone(), operand));
        }
    };
    for piece in &instruction.assembly {
        match piece {
            AsmPiece::IntRegister(expr) | AsmPiece::RegisterPair(expr) => {
                fields_in(expr).into_iter().for_each(|field| add(field, Operand::Register))
            }
            AsmPiece::Number { value, .. } => {
                let signed = value.ty.signed;
                fields_in(value).into_iter().for_each(|field| add(field, Operand::Immediate { signed }));
            }
            // The fields that remain are unsigned immediates.
            AsmPiece::Text(_)
            | AsmPiece::FloatRegister(_)
            | AsmPiece::Csr(_)
            | AsmPiece::Ordering(_)
            | AsmPiece::RoundingMode(_)
            | AsmPiece::VectorMask(_)
            | AsmPiece::RegisterList(_)
            | AsmPiece::VectorType(_) => {}
        }
    }
    for index in 0..instruction.encoding.fields.len() {
        add(FieldId(index as u32), Operand::Immediate { signed: false });
    }
    found
}

pub(crate) fn fields_in(expr: &Expr) -> Vec<FieldId> {
    let mut fields = Vec::new();
    expr.visit(&mut |expr| {
        if let Kind::Field(field) = expr.kind {
            fields.push(field);
        }
    });
    fields
}

/// The `.insn` directive that encodes the instruction, operands written by `operand(kind, field)`. The
/// second value is true if it needs [`register_numbers`].
fn directive(instruction: &Instruction, operand: impl Fn(Operand, &str) -> String) -> (String, bool) {
    let encoding = &instruction.encoding;
    let kinds = operands(instruction);
    let kind = |name: &str| kinds.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
    let written = |name: &str| kind(name).map_or_else(|| name.to_owned(), |kind| operand(kind, name));
    let fixed = |lsb: u32, len: u32| (encoding.value >> lsb) & ((1 << len) - 1);
    // A register slot: a register operand, or fixed bits.
    let slot = |lsb: u32| -> Option<String> {
        let here = encoding.fields.iter().find(|field| field.parts.iter().any(|part| overlaps(part, lsb, 5)));
        match here {
            None => Some(format!("x{}", fixed(lsb, 5))),
            Some(field) => match (&field.parts[..], kind(&field.name)) {
                ([part], Some(Operand::Register)) if u32::from(part.word_lsb) == lsb && part.len == 5 => {
                    Some(written(&field.name))
                }
                _ => None,
            },
        }
    };
    // A number slot: fixed bits with any immediate bits in it.
    let number = |lsb: u32, len: u32| -> Option<String> {
        let mut terms = vec![format!("{:#x}", fixed(lsb, len))];
        for field in &encoding.fields {
            for part in field.parts.iter().filter(|part| overlaps(part, lsb, len)) {
                let inside =
                    u32::from(part.word_lsb) >= lsb && u32::from(part.word_lsb + part.len) <= lsb + len;
                if !inside || kind(&field.name) == Some(Operand::Register) {
                    return None;
                }
                let shift = u32::from(part.word_lsb) - lsb;
                terms.push(format!(
                    "((({}) >> {} & {:#x}) << {shift})",
                    written(&field.name),
                    part.field_lsb,
                    (1u32 << part.len) - 1
                ));
            }
        }
        Some(terms.join(" | "))
    };
    if encoding.length == 32
        && let (Some(opcode), Some(funct3), Some(funct7)) = (number(0, 7), number(12, 3), number(25, 7))
        && let (Some(rd), Some(rs1), Some(rs2)) = (slot(7), slot(15), slot(20))
    {
        return (format!(".insn r {opcode}, {funct3}, {funct7}, {rd}, {rs1}, {rs2}"), false);
    }
    // A 12-bit immediate in the upper bits.
    if encoding.length == 32
        && let Some(immediate) = encoding
            .fields
            .iter()
            .find(|field| matches!(field.parts[..], [FieldPart { word_lsb: 20, field_lsb: 0, len: 12 }]))
        && matches!(kind(&immediate.name), Some(Operand::Immediate { signed: true }))
        && let (Some(opcode), Some(funct3)) = (number(0, 7), number(12, 3))
        && let (Some(rd), Some(rs1)) = (slot(7), slot(15))
    {
        let immediate = written(&immediate.name);
        return (format!(".insn i {opcode}, {funct3}, {rd}, {rs1}, {immediate}"), false);
    }
    let mut terms = vec![format!("{:#x}", encoding.value)];
    for field in &encoding.fields {
        let name = written(&field.name);
        let value = match kind(&field.name) {
            Some(Operand::Register) => format!("ciphermark_register_{name}"),
            _ => format!("({name})"),
        };
        for part in &field.parts {
            let mask = (1u64 << part.len) - 1;
            terms.push(format!("(({value} >> {} & {mask:#x}) << {})", part.field_lsb, part.word_lsb));
        }
    }
    let unit = if encoding.length == 32 { ".4byte" } else { ".2byte" };
    (format!("{unit} {}", terms.join(" | ")), true)
}

fn overlaps(part: &FieldPart, lsb: u32, len: u32) -> bool {
    u32::from(part.word_lsb) < lsb + len && u32::from(part.word_lsb + part.len) > lsb
}

/// Symbols that give a register's number from its name, for encodings no `.insn` format fits.
fn register_numbers() -> String {
    let mut lines = Vec::new();
    for (number, name) in INT_REGISTERS.iter().enumerate() {
        lines.push(format!(".equ ciphermark_register_{name}, {number}"));
        lines.push(format!(".equ ciphermark_register_x{number}, {number}"));
    }
    lines.push(".equ ciphermark_register_fp, 8".to_owned());
    let assembler = lines.join("\n");
    let c: String = lines.iter().map(|line| format!("        \"{line}\\n\"\n")).collect();
    format!("\n#ifdef __ASSEMBLER__\n{assembler}\n#else\n__asm__(\n{c});\n#endif\n")
}

/// A C function, or a macro where an operand must be a constant.
fn intrinsic(instruction: &Instruction, effects: &Effects) -> String {
    if instruction.behavior == Behavior::Extern {
        return String::new();
    }
    if matches!(effects.control, Control::Branch { .. } | Control::Jump { .. }) {
        return format!(
            "\n/* {} changes the program counter; use it from assembly. */\n",
            instruction.mnemonic
        );
    }
    let name = identifier(&instruction.mnemonic);
    let operands = operands(instruction);
    let field = |name: &str| {
        let index = instruction.encoding.fields.iter().position(|field| field.name == name);
        index.map(|index| FieldId(index as u32))
    };
    let is = |list: &[Register], name: &str| {
        field(name).is_some_and(|field| list.iter().any(|register| register.index.names(field)))
    };
    let registers: Vec<&str> = operands
        .iter()
        .filter(|(_, kind)| *kind == Operand::Register)
        .map(|(name, _)| name.as_str())
        .collect();
    let result = registers.iter().copied().find(|register| is(&effects.writes, register));
    let inputs: Vec<&str> = registers
        .iter()
        .copied()
        .filter(|register| is(&effects.reads, register) || !is(&effects.writes, register))
        .collect();
    let immediates: Vec<&str> = operands
        .iter()
        .filter(|(_, kind)| *kind != Operand::Register)
        .map(|(name, _)| name.as_str())
        .collect();
    let template = directive(instruction, |_, field| format!("%[{field}]")).0;
    let volatile = if effects.is_pure() && result.is_some() { "" } else { " __volatile__" };
    let clobber = if effects.is_pure() { "" } else { " : \"memory\"" };
    let read_write = result.is_some_and(|result| inputs.contains(&result));
    let output = result.map_or_else(String::new, |result| {
        format!("[{result}] \"{}r\"(value_)", if read_write { "+" } else { "=" })
    });
    let parameter = |name: &str| if immediates.is_empty() { name.to_owned() } else { format!("({name}_)") };
    let mut given: Vec<String> = inputs
        .iter()
        .filter(|input| Some(**input) != result)
        .map(|input| format!("[{input}] \"r\"((unsigned long){})", parameter(input)))
        .collect();
    given.extend(immediates.iter().map(|immediate| format!("[{immediate}] \"i\"({immediate}_)")));
    let start =
        result.filter(|_| read_write).map_or_else(String::new, |result| format!(" = {}", parameter(result)));
    let assembly = format!("__asm__{volatile}(\"{template}\" : {output} : {}{clobber});", given.join(", "));
    if immediates.is_empty() {
        let parameters: Vec<String> = inputs.iter().map(|input| format!("unsigned long {input}")).collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        return match result {
            Some(_) => format!(
                "\nstatic inline unsigned long {name}({parameters})\n{{\n    unsigned long value_{start};\n    \
                 {assembly}\n    return value_;\n}}\n"
            ),
            None => format!("\nstatic inline void {name}({parameters})\n{{\n    {assembly}\n}}\n"),
        };
    }
    // Parameters must not be named like the operands, which a macro would replace too.
    let parameters: Vec<String> = inputs.iter().chain(&immediates).map(|name| format!("{name}_")).collect();
    let parameters = parameters.join(", ");
    match result {
        Some(_) => format!(
            "\n#define {name}({parameters}) __extension__({{ \\\n    unsigned long value_{start}; \\\n    \
             {assembly} \\\n    value_; \\\n}})\n"
        ),
        None => format!("\n#define {name}({parameters}) {assembly}\n"),
    }
}
