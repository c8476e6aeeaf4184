//! Functions and tables of a module.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

use coredsl::ir::{FuncId, Kind, Module, TableId};
use ethnum::U256;

use crate::expression::{Scope, index_width, number, range};
use crate::flow::{self, Flowed, Sites};
use crate::module::{alternatives, name_lets, unused};
use crate::names::Names;
use crate::straight::{Source, Straight};
use crate::tidy::tidy;
use crate::used;

/// Functions and tables that a module needs.
pub(crate) struct Called {
    pub functions: HashMap<FuncId, String>,
    pub tables: HashMap<TableId, String>,
    /// Those called before those that call them.
    bodies: Vec<(FuncId, Straight)>,
}

impl Called {
    pub fn of(module: &Module, straight: &Straight, sites: &Sites, names: &mut Names) -> Flowed<Self> {
        let mut found = Self { functions: HashMap::new(), tables: HashMap::new(), bodies: Vec::new() };
        found.add(module, straight, sites, names)?;
        Ok(found)
    }

    fn add(&mut self, module: &Module, straight: &Straight, sites: &Sites, names: &mut Names) -> Flowed<()> {
        for expr in straight.exprs() {
            expr.visit(&mut |expr| {
                if let Kind::Table(id, _) = expr.kind {
                    let name = || names.fresh(&module.tables[id.index()].name);
                    self.tables.entry(id).or_insert_with(name);
                }
            });
        }
        for id in straight.called() {
            if let Entry::Vacant(unnamed) = self.functions.entry(id) {
                unnamed.insert(names.fresh(&module.functions[id.index()].name));
                let mut body = flow::function(module, id, sites)?;
                tidy(&mut body);
                self.add(module, &body, sites, names)?;
                self.bodies.push((id, body));
            }
        }
        Ok(())
    }

    pub fn write(&self, module: &Module, names: &Names, text: &mut String) {
        let mut tables: Vec<_> = self.tables.iter().collect();
        tables.sort();
        for (id, name) in tables {
            let table = &module.tables[id.index()];
            let (index, width) = (index_width(table.values.len()), table.element.width);
            let _ = writeln!(
                text,
                "  function automatic logic {}{name}(input logic {}element);\n    case (element)",
                range(width),
                range(index)
            );
            for (at, value) in table.values.iter().enumerate() {
                let digits = usize::from(width.div_ceil(4));
                let _ = writeln!(text, "      {index}'d{at}: {name} = {width}'h{value:0digits$x};");
            }
            if table.values.len() < 1 << index {
                let _ = writeln!(text, "      default: {name} = {};", number(U256::ZERO, width));
            }
            text.push_str("    endcase\n  endfunction\n\n");
        }
        for (id, straight) in &self.bodies {
            self.function(module, *id, straight, names.clone(), text);
        }
    }

    fn function(
        &self,
        module: &Module,
        id: FuncId,
        straight: &Straight,
        mut names: Names,
        text: &mut String,
    ) {
        let name = &self.functions[&id];
        let mut signals = vec![String::new(); straight.signals.len()];
        let mut parameters = Vec::new();
        for (index, signal) in straight.signals.iter().enumerate() {
            if signal.source == Source::Parameter {
                signals[index] = names.fresh(if signal.name.is_empty() { "unnamed" } else { &signal.name });
                parameters.push(format!("input logic {}{}", range(signal.ty.width), signals[index]));
            }
        }
        name_lets(straight, &mut names, &mut signals);
        let (functions, tables) = (&self.functions, &self.tables);
        let scope = Scope { module, signals, fields: HashMap::new(), functions, tables };
        let result = &straight.results[0];
        let _ = writeln!(
            text,
            "  function automatic logic {}{name}({});",
            range(result.ty.width),
            parameters.join(", ")
        );
        let unused = unused(straight, &scope.signals, &used::bits(straight));
        for (id, value) in &straight.lets {
            let _ = writeln!(text, "    logic {}{};", range(value.ty.width), scope.signals[id.index()]);
        }
        if !unused.is_empty() {
            text.push_str("    logic unused_bits;\n");
        }
        for (id, value) in &straight.lets {
            let _ = writeln!(text, "    {} = {};", scope.signals[id.index()], alternatives(&scope, value));
        }
        if !unused.is_empty() {
            let _ = writeln!(text, "    unused_bits = &{{1'b0, {}}};", unused.join(", "));
        }
        let _ = writeln!(text, "    {name} = {};\n  endfunction\n", alternatives(&scope, result));
    }
}
