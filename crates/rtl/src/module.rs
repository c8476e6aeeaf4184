//! A datapath's module: its ports, functions, signals and results as text.

use std::collections::HashMap;
use std::fmt::Write;

use coredsl::ir::{Behavior, Expr, FieldId, Instruction, Kind, LocalId, Module};
use ethnum::U256;

use crate::called::Called;
use crate::expression::{Scope, range};
use crate::flow::{self, Flattened, Flowed};
use crate::names::Names;
use crate::operand::Register;
use crate::straight::{Source, Straight};
use crate::tidy::tidy;
use crate::used::{self, Atom};

/// A port of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its name in the module.
    pub name: String,
    /// Into the module, or out of it.
    pub direction: Direction,
    /// In bits.
    pub width: u16,
    /// What belongs there.
    pub role: Role,
}

/// Which way a port goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of it.
    Output,
}

/// What a port carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A register's value from before the instruction.
    Register(Register),
    /// The instruction's address.
    Pc,
    /// A field of the instruction word, zero-extended as in the description.
    Field(FieldId),
    /// The clock, of a module with registers.
    Clock,
    /// A synchronous reset of the valid bits, of a module with registers.
    Reset,
    /// Operands are there, or the result is, of a module with registers.
    Valid,
    /// The destination register's value.
    Result,
    /// The instruction is illegal with these operands; the result means nothing then.
    Illegal,
    /// The instruction word, of a unit.
    Word,
    /// One of a unit's datapaths knows the word.
    Known,
}

impl Port {
    pub(crate) fn new(name: impl Into<String>, direction: Direction, width: u16, role: Role) -> Self {
        Self { name: name.into(), direction, width, role }
    }
}

/// The module's text and its ports.
pub(crate) struct Written {
    pub text: String,
    pub ports: Vec<Port>,
    pub destination: Register,
}

/// The module called `name` of an instruction, with `stages` registers; `comment` stands before it, and `names` are
/// those of other modules, which nothing inside it may hide.
pub(crate) fn write(
    module: &Module,
    instruction: &Instruction,
    name: &str,
    stages: u32,
    comment: &str,
    mut names: Names,
) -> Flowed<Written> {
    let Flattened { mut straight, destination, may_be_illegal } = flow::instruction(module, instruction)?;
    tidy(&mut straight);
    for taken in ["rd", "illegal", "unused", "unused_bits"] {
        names.fresh(taken);
    }
    for taken in pipeline_names(stages) {
        names.fresh(&taken);
    }
    let used = used::bits(&straight);
    let inputs = inputs(&straight, instruction, destination, &used, &mut names);
    let Behavior::Body(body) = &instruction.behavior else { unreachable!("it has been flattened") };
    let called = Called::of(module, &straight, &flow::sites(module, body), &mut names)?;
    let signals = signal_names(&straight, &inputs, &mut names);
    let fields = inputs.iter().filter_map(|port| match port.role {
        Role::Field(field) => Some((field, port.name.clone())),
        _ => None,
    });
    let scope = Scope {
        module,
        signals,
        fields: fields.collect(),
        functions: &called.functions,
        tables: &called.tables,
    };
    let mut results = vec![Port::new("rd", Direction::Output, module.xlen, Role::Result)];
    if may_be_illegal {
        results.push(Port::new("illegal", Direction::Output, 1, Role::Illegal));
    }
    let ports = all_ports(&inputs, &results, stages);
    let mut text = format!("{comment}{}", head(name, &ports));
    called.write(module, &names, &mut text);
    text.push_str(&declarations(&straight, &scope, &used));
    for (port, value) in results.iter().zip(&straight.results) {
        if stages == 0 {
            let _ = writeln!(text, "  assign {} = {};", port.name, alternatives(&scope, value));
        } else {
            let range = range(port.width);
            let _ = writeln!(text, "  wire {range}{}_0 = {};", port.name, alternatives(&scope, value));
        }
    }
    let names: Vec<(&str, u16)> = results.iter().map(|port| (port.name.as_str(), port.width)).collect();
    text.push_str(&pipeline(&names, stages));
    text.push_str("\nendmodule\n");
    Ok(Written { text: wrapped(&text), ports, destination })
}

fn pipeline_names(stages: u32) -> Vec<String> {
    if stages == 0 {
        return Vec::new();
    }
    let registers = (0..=stages).flat_map(|n| ["valid", "rd", "illegal"].map(|name| format!("{name}_{n}")));
    ["clk", "rst", "valid_in", "valid_out"].map(str::to_owned).into_iter().chain(registers).collect()
}

/// Inputs and results with what registers need besides.
pub(crate) fn all_ports(inputs: &[Port], results: &[Port], stages: u32) -> Vec<Port> {
    let (into, out) = (Direction::Input, Direction::Output);
    let mut ports = Vec::new();
    if stages > 0 {
        ports.push(Port::new("clk", into, 1, Role::Clock));
        ports.push(Port::new("rst", into, 1, Role::Reset));
        ports.push(Port::new("valid_in", into, 1, Role::Valid));
    }
    ports.extend_from_slice(inputs);
    if stages > 0 {
        ports.push(Port::new("valid_out", out, 1, Role::Valid));
    }
    ports.extend_from_slice(results);
    ports
}

/// Longest line, where a space lets it be broken.
const LONGEST: usize = 118;

/// Lines that are not too long.
pub(crate) fn wrapped(text: &str) -> String {
    let mut found = String::new();
    for mut line in text.lines() {
        let is_comment = line.starts_with("//");
        while line.len() > LONGEST && !is_comment {
            let indent = line.len() - line.trim_start().len();
            let end = line[..LONGEST].rfind(", ").map(|comma| comma + 1);
            let Some(end) = end.or_else(|| line[..LONGEST].rfind(' ')).filter(|end| *end > indent) else {
                break;
            };
            found.push_str(&line[..end]);
            found.push_str("\n      ");
            line = line[end..].trim_start();
        }
        found.push_str(line);
        found.push('\n');
    }
    found
}

/// The module's first lines.
pub(crate) fn head(name: &str, ports: &[Port]) -> String {
    let widest = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let lines: Vec<String> = ports
        .iter()
        .map(|port| {
            let direction = if port.direction == Direction::Input { "input " } else { "output" };
            format!("  {direction} logic {:widest$}{}", range(port.width), port.name)
        })
        .collect();
    format!("module {name} (\n{}\n);\n\n", lines.join(",\n"))
}

/// Registers after results that are called `NAME_0`, and the valid bits beside them.
pub(crate) fn pipeline(results: &[(&str, u16)], stages: u32) -> String {
    if stages == 0 {
        return String::new();
    }
    let mut text = String::new();
    let mut all = vec![("valid", 1)];
    all.extend_from_slice(results);
    for (name, width) in &all {
        let registers: Vec<String> = (1..=stages).map(|stage| format!("{name}_{stage}")).collect();
        let _ = writeln!(text, "  logic {}{};", range(*width), registers.join(", "));
    }
    text.push_str("\n  always_ff @(posedge clk) begin\n");
    for stage in 1..=stages {
        let before = if stage == 1 { "valid_in".to_owned() } else { format!("valid_{}", stage - 1) };
        let _ = writeln!(text, "    valid_{stage} <= {before} & ~rst;");
        for (name, _) in results {
            let _ = writeln!(text, "    {name}_{stage} <= {name}_{};", stage - 1);
        }
    }
    text.push_str("  end\n\n");
    let _ = writeln!(text, "  assign valid_out = valid_{stages};");
    for (name, _) in results {
        let _ = writeln!(text, "  assign {name} = {name}_{stages};");
    }
    text
}

fn inputs(
    straight: &Straight,
    instruction: &Instruction,
    destination: Register,
    used: &HashMap<Atom, U256>,
    names: &mut Names,
) -> Vec<Port> {
    let fields = &instruction.encoding.fields;
    let mut registers = Vec::new();
    let mut pc = None;
    for (index, signal) in straight.signals.iter().enumerate() {
        let id = LocalId(index as u32);
        match signal.source {
            _ if !used.contains_key(&Atom::Signal(id)) => {}
            Source::Register(register) => {
                let name = match register {
                    _ if register == destination => "rd_in".to_owned(),
                    Register::Fixed(number) => format!("x{number}"),
                    Register::Field { field, .. } => fields[field.index()].name.clone(),
                };
                registers.push((register == destination, name, signal.ty.width, register));
            }
            Source::Pc => pc = Some(signal.ty.width),
            Source::Parameter | Source::Let => {}
        }
    }
    registers.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let names_register = |field: FieldId| {
        let is_field =
            |register: Register| matches!(register, Register::Field { field: named, .. } if named == field);
        let reads = |source| matches!(source, Source::Register(register) if is_field(register));
        is_field(destination) || straight.signals.iter().any(|signal| reads(signal.source))
    };
    let input = |name: &str, width, role, names: &mut Names| {
        Port::new(names.fresh(name), Direction::Input, width, role)
    };
    let mut ports: Vec<Port> = registers
        .into_iter()
        .map(|(_, name, width, register)| input(&name, width, Role::Register(register), names))
        .collect();
    ports.extend(pc.map(|width| input("pc", width, Role::Pc, names)));
    for (index, field) in fields.iter().enumerate() {
        let id = FieldId(index as u32);
        if used.contains_key(&Atom::Field(id)) {
            let suffix = if names_register(id) { "_number" } else { "" };
            let name = format!("{}{suffix}", field.name);
            ports.push(input(&name, field.width, Role::Field(id), names));
        }
    }
    ports
}

fn signal_names(straight: &Straight, inputs: &[Port], names: &mut Names) -> Vec<String> {
    let mut found = vec![String::new(); straight.signals.len()];
    for (index, signal) in straight.signals.iter().enumerate() {
        let role = match signal.source {
            Source::Register(register) => Role::Register(register),
            Source::Pc => Role::Pc,
            _ => continue,
        };
        if let Some(port) = inputs.iter().find(|port| port.role == role) {
            found[index].clone_from(&port.name);
        }
    }
    name_lets(straight, names, &mut found);
    found
}

pub(crate) fn name_lets(straight: &Straight, names: &mut Names, found: &mut [String]) {
    for (id, value) in &straight.lets {
        let signal = &straight.signals[id.index()];
        let unnamed = if value.ty.width == 1 { "when" } else { "value" };
        found[id.index()] = names.fresh(if signal.name.is_empty() { unnamed } else { &signal.name });
    }
}

/// Signals in order, then a sink for bits that nothing reads.
fn declarations(straight: &Straight, scope: &Scope<'_>, used: &HashMap<Atom, U256>) -> String {
    let mut text = String::new();
    for (id, value) in &straight.lets {
        let name = &scope.signals[id.index()];
        let _ = writeln!(text, "  wire {}{name} = {};", range(value.ty.width), alternatives(scope, value));
    }
    let mut names = unused(straight, &scope.signals, used);
    for (field, name) in &scope.fields {
        let width = scope_width(straight, *field);
        if width.is_some_and(|width| !is_full(used, Atom::Field(*field), width)) {
            names.push(name.clone());
        }
    }
    if !names.is_empty() {
        names.sort();
        let _ = writeln!(text, "  wire unused = &{{1'b0, {}}};", names.join(", "));
    }
    text
}

/// The width of a field, from where it is read.
fn scope_width(straight: &Straight, field: FieldId) -> Option<u16> {
    let mut width = None;
    for expr in straight.exprs() {
        expr.visit(&mut |expr| {
            if expr.kind == Kind::Field(field) {
                width = Some(expr.ty.width);
            }
        });
    }
    width
}

fn is_full(used: &HashMap<Atom, U256>, atom: Atom, width: u16) -> bool {
    used.get(&atom).is_some_and(|bits| bits.count_ones() == u32::from(width))
}

/// Signals of which some bits are not read.
pub(crate) fn unused(straight: &Straight, names: &[String], used: &HashMap<Atom, U256>) -> Vec<String> {
    let signals = straight.signals.iter().zip(names).enumerate();
    let partly = signals.filter(|(index, (signal, name))| {
        let atom = Atom::Signal(LocalId(*index as u32));
        !name.is_empty() && !is_full(used, atom, signal.ty.width)
    });
    partly.map(|(_, (_, name))| name.clone()).collect()
}

/// An expression to assign; of several alternatives each on a line.
pub(crate) fn alternatives(scope: &Scope<'_>, expr: &Expr) -> String {
    let lines = scope.alternatives(expr);
    if lines.len() > 2 { lines.join("\n      ") } else { scope.bits(expr) }
}
