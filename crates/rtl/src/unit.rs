//! One module for all instructions of a description: decodes a word and selects a result.

use std::fmt::Write;

use coredsl::ir::{Encoding, Module};

use crate::description::Datapath;
use crate::expression::range;
use crate::module::{Direction, Port, Role, all_ports, head, pipeline, wrapped};

pub(crate) fn write(module: &Module, datapaths: &[&Datapath], name: &str, stages: u32) -> String {
    let mut inputs = vec![Port::new("word", Direction::Input, 32, Role::Word)];
    for port in datapaths.iter().flat_map(|datapath| &datapath.ports) {
        let is_operand = matches!(port.role, Role::Register(_) | Role::Pc);
        if is_operand && !inputs.iter().any(|known| known.name == port.name) {
            inputs.push(port.clone());
        }
    }
    inputs[1..].sort_by(|a, b| a.name.cmp(&b.name));
    let results = [
        Port::new("known", Direction::Output, 1, Role::Known),
        Port::new("rd", Direction::Output, module.xlen, Role::Result),
        Port::new("illegal", Direction::Output, 1, Role::Illegal),
    ];
    let mut text = format!(
        "// Datapaths of one description behind one decoder; registers are read outside, by the fields of the word.\n{}",
        head(name, &all_ports(&inputs, &results, stages))
    );
    let (mut selects, mut values, mut illegal) = (Vec::new(), Vec::new(), Vec::new());
    for datapath in datapaths {
        instance(module, datapath, stages, &mut text);
        let name = &datapath.module;
        selects.push(format!("is_{name}"));
        values.push(format!("{{{}{{now_{name}}}}} & rd_{name}", module.xlen));
        if datapath.ports.iter().any(|port| port.role == Role::Illegal) {
            illegal.push(format!("now_{name} & illegal_{name}"));
        }
    }
    let any = |list: &[String], none: &str| {
        let terms: Vec<String> = list.iter().map(|term| format!("({term})")).collect();
        if terms.is_empty() { none.to_owned() } else { terms.join("\n      | ") }
    };
    let zero = format!("{}'d0", module.xlen);
    let _ = writeln!(text, "  wire known_0 = {};", selects.join(" | "));
    text.push_str(&pipeline(&[("known", 1)], stages));
    if stages == 0 {
        text.push_str("  assign known = known_0;\n");
    }
    let _ = writeln!(text, "  assign rd = {};", any(&values, &zero));
    let _ = writeln!(text, "  assign illegal = {};", any(&illegal, "1'b0"));
    let _ = writeln!(text, "  wire unused = &{{1'b0, word}};\n\nendmodule");
    wrapped(&text)
}

fn instance(module: &Module, datapath: &Datapath, stages: u32, text: &mut String) {
    let (name, encoding) = (&datapath.module, &module.instructions[datapath.index].encoding);
    // What is nested inside this encoding is another instruction.
    let mut decoded = matches(encoding);
    for other in &module.instructions {
        let inner = &other.encoding;
        let is_nested = inner.length == encoding.length
            && inner.mask != encoding.mask
            && inner.mask & encoding.mask == encoding.mask
            && inner.value & encoding.mask == encoding.value;
        if is_nested {
            let _ = write!(decoded, " & ~{}", matches(inner));
        }
    }
    let _ = writeln!(text, "  wire is_{name} = {decoded};");
    let mut connections = Vec::new();
    for port in &datapath.ports {
        let connected = match port.role {
            Role::Field(field) => field_of_word(&encoding.fields[field.index()]),
            Role::Result => {
                let _ = writeln!(text, "  wire {}rd_{name};", range(port.width));
                format!("rd_{name}")
            }
            Role::Illegal => {
                let _ = writeln!(text, "  wire illegal_{name};");
                format!("illegal_{name}")
            }
            Role::Valid if port.direction == Direction::Output => {
                let _ = writeln!(text, "  wire unused_valid_{name};");
                format!("unused_valid_{name}")
            }
            _ => port.name.clone(),
        };
        connections.push(format!(".{}({connected})", port.name));
    }
    let _ = writeln!(text, "  {name} the_{name} ({});", connections.join(", "));
    if stages == 0 {
        let _ = writeln!(text, "  wire now_{name} = is_{name};\n");
        return;
    }
    let registers: Vec<String> = (1..=stages).map(|stage| format!("is_{name}_{stage}")).collect();
    let _ = writeln!(text, "  logic {};\n  always_ff @(posedge clk) begin", registers.join(", "));
    let mut before = format!("is_{name}");
    for register in &registers {
        let _ = writeln!(text, "    {register} <= {before};");
        before.clone_from(register);
    }
    let _ = writeln!(text, "  end\n  wire now_{name} = {before};\n");
}

fn matches(encoding: &Encoding) -> String {
    let length = encoding.length;
    let word = if length == 32 { "word".to_owned() } else { format!("word[{}:0]", length - 1) };
    format!("(({word} & {length}'h{:x}) == {length}'h{:x})", encoding.mask, encoding.value)
}

/// A field put together from the bits of the word, from the highest down.
fn field_of_word(field: &coredsl::ir::Field) -> String {
    let mut parts = Vec::new();
    let mut bit = field.width;
    while bit > 0 {
        let here = field.parts.iter().find(|part| u16::from(part.field_lsb + part.len) == bit);
        match here {
            Some(part) => {
                let (high, low) = (part.word_lsb + part.len - 1, part.word_lsb);
                parts.push(if high == low { format!("word[{low}]") } else { format!("word[{high}:{low}]") });
                bit = part.field_lsb.into();
            }
            None => {
                let below = field.parts.iter().map(|part| u16::from(part.field_lsb + part.len));
                let next = below.filter(|end| *end < bit).max().unwrap_or(0);
                parts.push(format!("{}'d0", bit - next));
                bit = next;
            }
        }
    }
    format!("{{{}}}", parts.join(", "))
}
