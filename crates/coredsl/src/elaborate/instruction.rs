//! Instructions: which are enabled, and which replace which.

use super::Elaborator;
use super::lower::Lowering;
use super::work;
use crate::ast;
use crate::diagnostic::{Checked, Issue};
use crate::fold;
use crate::ir::{Behavior, Encoding, Instruction};
use crate::source::Span;
use ethnum::U256;

/// Where an instruction of the module comes from.
struct Origin {
    set: usize,
    name: Span,
}

impl<'p> Elaborator<'p> {
    pub(super) fn instructions(&mut self) {
        let program = self.program;
        let mut origins: Vec<Origin> = Vec::new();
        for set in self.order.clone() {
            for instruction in &program.sets[set].instructions {
                match self.is_enabled(set, instruction) {
                    Ok(true) => {}
                    Ok(false) | Err(_) => continue,
                }
                if let Ok(lowered) = self.instruction(set, instruction) {
                    self.refuse_endless(&lowered, instruction);
                    let origin = Origin { set, name: instruction.name.span };
                    self.retire_replaced(&lowered, &origin, &mut origins);
                    self.module.instructions.push(lowered);
                    origins.push(origin);
                }
            }
        }
    }

    /// Tells an instruction that nobody could wait for.
    fn refuse_endless(&mut self, lowered: &Instruction, instruction: &ast::Instruction) {
        let Behavior::Body(body) = &lowered.behavior else { return };
        let known = &self.work;
        let total = work::of_stmts(&body.stmts, &mut |function| {
            known.get(function.index()).copied().unwrap_or_default()
        });
        if total.is_too_much() {
            let message = format!("an execution of `{}` may never end", lowered.name);
            let help = format!(
                "loops and calls written out, it has at most {} operations, and calls within calls at most {} deep",
                work::MOST_NODES,
                work::MOST_CALLS
            );
            self.report(Issue::new(instruction.name.span, message, "too much", help));
        }
    }

    fn is_enabled(&mut self, set: usize, instruction: &ast::Instruction) -> Checked<bool> {
        let mut enabled = true;
        for attribute in &instruction.attributes {
            if attribute.name.name != "enable" {
                continue;
            }
            let [condition] = attribute.parameters.as_slice() else {
                let help = "write `[[enable=XLEN==64]]`";
                return Err(self.report(Issue::new(
                    attribute.name.span,
                    "`enable` needs one condition",
                    "here",
                    help,
                )));
            };
            let value =
                Lowering::constant(self, set).constant_expr(condition, "the condition of `enable`")?;
            enabled &= fold::as_const(&value) != Some(U256::ZERO);
        }
        Ok(enabled)
    }

    fn instruction(&mut self, set: usize, ast: &'p ast::Instruction) -> Checked<Instruction> {
        let encoded = self.encoding(ast)?;
        let attributes = self.attributes(set, ast);
        let assembly = self.assembly(set, &ast.assembly, &encoded);
        let behavior = self.behavior(set, ast, &encoded);
        let name = ast.name.name.clone();
        let (mnemonic, mnemonic_pieces) = match &ast.assembly.mnemonic {
            Some(mnemonic) => self.mnemonic(set, mnemonic, &encoded)?,
            None => (name.to_ascii_lowercase().replace("__", "."), vec![]),
        };
        Ok(Instruction {
            name,
            mnemonic,
            mnemonic_pieces,
            set: self.program.sets[set].name.name.clone(),
            encoding: encoded.encoding,
            assembly: assembly?,
            attributes: attributes?,
            behavior: behavior?,
            source: self.written(ast),
            place: ast.name.span,
        })
    }

    fn written(&self, ast: &ast::Instruction) -> String {
        let ast::Behavior::Stmt(statement) = &ast.behavior else { return "extern".to_owned() };
        let Span { file, start, end } = statement.span;
        let text = self.program.files.get(file as usize).map_or("", |file| file.text.as_str());
        text.get(start as usize..end as usize).unwrap_or_default().to_owned()
    }

    fn attributes(&mut self, set: usize, ast: &ast::Instruction) -> Checked<Vec<(String, Vec<U256>)>> {
        let mut attributes = Vec::new();
        for attribute in ast.attributes.iter().filter(|attribute| attribute.name.name != "enable") {
            let mut values = Vec::new();
            for parameter in &attribute.parameters {
                let value = Lowering::constant(self, set)
                    .constant_expr(parameter, "the parameter of an attribute")?;
                values.push(fold::as_const(&value).unwrap_or_default());
            }
            attributes.push((attribute.name.name.clone(), values));
        }
        Ok(attributes)
    }

    /// Within a file the later of two instructions with the same bits wins; within a set, also the later
    /// of one name if it covers all words of the earlier (`SLLI` for RV32 inside that for RV64).
    fn retire_replaced(&mut self, new: &Instruction, origin: &Origin, origins: &mut Vec<Origin>) {
        let mut index = 0;
        while index < origins.len() {
            let other = &origins[index];
            // A set is in one file.
            if other.name.file != origin.name.file {
                index += 1;
                continue;
            }
            let old = &self.module.instructions[index];
            let same_name = other.set == origin.set && old.name == new.name;
            let replaced = same_bits(&old.encoding, &new.encoding)
                || (same_name && covers(&new.encoding, &old.encoding));
            if replaced && !(same_name && same_bits(&old.encoding, &new.encoding)) {
                self.module.instructions.remove(index);
                origins.remove(index);
                continue;
            }
            if same_name {
                let message = format!("`{}` is declared twice", new.name);
                let help = "rename one of them, or give them `enable` attributes that exclude each other";
                let first = other.name;
                self.report(
                    Issue::new(origin.name, message, "second declaration", help)
                        .and(first, "first declaration"),
                );
            }
            index += 1;
        }
    }
}

fn same_bits(a: &Encoding, b: &Encoding) -> bool {
    (a.length, a.mask, a.value) == (b.length, b.mask, b.value)
}

/// True if every word of `b` is also one of `a`.
fn covers(a: &Encoding, b: &Encoding) -> bool {
    a.length == b.length && a.mask & b.mask == a.mask && b.value & a.mask == a.value
}
