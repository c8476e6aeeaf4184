//! Programs as text.

use engine::Program;

use crate::guest::encode;

/// Words of a program: one instruction a line with its operands as `name=number`, `>label` for a distance to a label, and
/// labels alone with a colon.
pub fn words(program: &Program, text: &str) -> Vec<u32> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut labels = Vec::new();
    let mut at = 0;
    for line in lines() {
        match line.strip_suffix(':') {
            Some(label) => labels.push((label, at)),
            None => at += 4,
        }
    }
    let mut words = Vec::new();
    for line in lines().filter(|line| !line.ends_with(':')) {
        let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
        if name == "WORD" {
            words.push(number(operands) as u32);
            continue;
        }
        let here = 4 * words.len() as i64;
        let operand = |text| {
            operand(text, |label| {
                let known = labels.iter().find(|known| known.0 == label);
                known.unwrap_or_else(|| panic!("no label {label}")).1 - here
            })
        };
        let fields: Vec<(&str, i64)> = operands.split_whitespace().map(operand).collect();
        words.push(encode(program.module(), name, &fields));
    }
    words
}

fn operand(text: &str, distance: impl Fn(&str) -> i64) -> (&str, i64) {
    match text.strip_prefix('>') {
        Some(label) => ("imm", distance(label)),
        None => {
            let (name, value) = text.split_once('=').unwrap_or_else(|| panic!("{text}"));
            (name, number(value))
        }
    }
}

fn number(text: &str) -> i64 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("no number: {text}"))
}
