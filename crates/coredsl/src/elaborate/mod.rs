//! Elaboration: instruction sets, an XLEN and their parameters become a typed [`Module`].

mod access;
mod assembly;
mod assignment;
mod behavior;
mod constant;
mod encoding;
mod expression;
mod flow;
mod function;
mod instruction;
mod loops;
mod lower;
mod scope;
mod state;
mod statement;
mod switch;
mod symbolic;
mod typing;
mod work;

use std::collections::HashMap;

use crate::diagnostic::{Diagnostics, Issue, Issues, Reported};
use crate::ir::Module;
use crate::program::{Program, unknown_set};
use scope::{Symbol, SymbolId};

/// What `sets` and their bases mean for registers of `xlen` bits.
///
/// Each set counts once, however often it is reached. A parameter's last assignment wins, those of a
/// base set coming before those of the sets that extend it. Instructions whose `enable` is false are
/// left out before they are checked.
///
/// # Errors
/// All faults found in the sets, and unknown names in `sets`.
pub fn elaborate(program: &Program, sets: &[&str], xlen: u16) -> Result<Module, Diagnostics> {
    let mut order = Vec::new();
    for name in sets {
        let index = program.set_index(name).ok_or_else(|| unknown_set(program, name))?;
        bases_first(program, index, &mut order);
    }
    let mut elaborator = Elaborator::new(program, order, xlen);
    elaborator.declare();
    elaborator.functions();
    elaborator.instructions();
    if elaborator.issues.is_empty() {
        Ok(elaborator.module)
    } else {
        Err(Diagnostics::new(elaborator.issues, &program.files))
    }
}

/// Appends a set after its bases. `Program` has made sure that sets do not extend themselves.
fn bases_first(program: &Program, set: usize, order: &mut Vec<usize>) {
    let mut open = vec![(set, 0)];
    while let Some((set, next)) = open.last_mut() {
        let base = program.sets[*set].bases.get(*next).and_then(|base| program.set_index(&base.name));
        match base {
            Some(base) => {
                *next += 1;
                if !order.contains(&base) {
                    open.push((base, 0));
                }
            }
            None => {
                if !order.contains(set) {
                    order.push(*set);
                }
                open.pop();
            }
        }
    }
}

/// For every set of a program: itself, then its bases, the nearest first.
fn seen_from(program: &Program) -> Vec<Vec<usize>> {
    let from = |set: usize| {
        let mut seen = vec![set];
        let mut next = 0;
        while let Some(&set) = seen.get(next) {
            for base in &program.sets[set].bases {
                seen.extend(program.set_index(&base.name).filter(|base| !seen.contains(base)));
            }
            next += 1;
        }
        seen
    };
    (0..program.sets.len()).map(from).collect()
}

struct Elaborator<'p> {
    program: &'p Program,
    xlen: u16,
    /// Sets to elaborate, bases first.
    order: Vec<usize>,
    /// Where each set looks for names.
    seen_from: Vec<Vec<usize>>,
    issues: Issues,
    /// What a call of each function may take, if none of them has a fault.
    work: Vec<work::Work>,
    symbols: Vec<Symbol<'p>>,
    /// Names a set itself declares.
    names: HashMap<(usize, &'p str), SymbolId>,
    module: Module,
}

impl<'p> Elaborator<'p> {
    fn new(program: &'p Program, order: Vec<usize>, xlen: u16) -> Self {
        let module = Module {
            xlen,
            instructions: vec![],
            functions: vec![],
            tables: vec![],
            registers: vec![],
            spaces: vec![],
            constants: vec![],
        };
        Self {
            program,
            xlen,
            order,
            seen_from: seen_from(program),
            issues: Issues::default(),
            work: vec![],
            symbols: vec![],
            names: HashMap::new(),
            module,
        }
    }

    fn report(&mut self, issue: Issue) -> Reported {
        self.issues.push(issue);
        Reported
    }
}
