//! Words of a program's text: labels, and instructions with registers by number.

use std::collections::HashMap;

use engine::Program;

use crate::guest::encode;

fn register(text: &str) -> i64 {
    text[1..].parse().unwrap_or_else(|_| panic!("no register {text}"))
}

/// One instruction, which is at `from`.
fn word(program: &Program, line: &str, from: i64, labels: &HashMap<&str, i64>) -> u32 {
    let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
    let operands: Vec<&str> = operands.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let name = name.to_uppercase().replace('.', "__");
    let op = |fields: &[(&str, i64)]| encode(program.module(), &name, fields);
    let to = |label: &str| ("imm", labels.get(label).unwrap_or_else(|| panic!("no label {label}")) - from);
    let number = |text: &str| text.parse::<i64>().unwrap_or_else(|_| panic!("no number {text}"));
    let is_store = ["SB", "SH", "SW", "SD", "FSW", "FSD"].contains(&name.as_str());
    match *operands.as_slice() {
        [] => op(&[]),
        [rd, label] if name == "JAL" => op(&[("rd", register(rd)), to(label)]),
        [moved, address] if address.ends_with(')') => {
            let (offset, base) = address.trim_end_matches(')').split_once('(').expect("offset(base)");
            let moved = (if is_store { "rs2" } else { "rd" }, register(moved));
            op(&[moved, ("rs1", register(base)), ("imm", number(offset))])
        }
        [rd, rs1] => op(&[("rd", register(rd)), ("rs1", register(rs1))]),
        [rs1, rs2, label] if name.starts_with('B') => {
            op(&[("rs1", register(rs1)), ("rs2", register(rs2)), to(label)])
        }
        [rd, rs1, other] => {
            let last = match other.strip_prefix('x') {
                Some(_) => ("rs2", register(other)),
                None if ["SLLI", "SRLI", "SRAI"].contains(&name.as_str()) => ("shamt", number(other)),
                None => ("imm", number(other)),
            };
            op(&[("rd", register(rd)), ("rs1", register(rs1)), last])
        }
        _ => panic!("{line}"),
    }
}

/// The words of a text: lines, or parts between semicolons, each an instruction or a label and a colon.
pub fn assemble(program: &Program, text: &str) -> Vec<u32> {
    let parts = || text.split(['\n', ';']).map(str::trim).filter(|part| !part.is_empty());
    let (mut labels, mut at) = (HashMap::new(), 0);
    for part in parts() {
        match part.strip_suffix(':') {
            Some(label) => assert!(labels.insert(label, at).is_none(), "{label} twice"),
            None => at += 4,
        }
    }
    let lines = parts().filter(|part| !part.ends_with(':')).zip(0..);
    lines.map(|(line, index)| word(program, line, 4 * index, &labels)).collect()
}
