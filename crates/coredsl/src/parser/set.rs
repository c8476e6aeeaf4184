//! Files, sets, functions and instructions.

use super::Parser;
use crate::ast::{
    Assembly, Behavior, EncodingPart, File, Function, Ident, Import, Instruction, Set, StateItem,
};
use crate::diagnostic::{Checked, Issue};
use crate::lexer::TokenKind;
use ethnum::U256;

impl Parser<'_> {
    pub(super) fn file(mut self) -> File {
        let mut file = File::default();
        while self.peek().kind != TokenKind::End {
            let before = self.at;
            if self.top_level(&mut file).is_err() {
                self.skip_to_set(before);
            }
        }
        file
    }

    fn top_level(&mut self, file: &mut File) -> Checked<()> {
        if self.eat_word("import") {
            let name = self.string("the file")?;
            file.imports.push(Import { name: name.name, span: name.span });
            self.eat(";");
        } else if self.at_word("InstructionSet") || self.at_word("Core") {
            let set = self.set()?;
            file.sets.push(set);
        } else {
            let help = "a description consists of `import \"file\";`, `InstructionSet Name { … }` and `Core Name { … }`";
            return Err(self.unexpected("`import`, `InstructionSet` or `Core`", help));
        }
        Ok(())
    }

    fn skip_to_set(&mut self, before: usize) {
        if self.at == before {
            self.next();
        }
        while self.peek().kind != TokenKind::End
            && !(self.at_word("InstructionSet") || self.at_word("Core") || self.at_word("import"))
        {
            self.next();
        }
    }

    fn set(&mut self) -> Checked<Set> {
        let is_core = self.at_word("Core");
        self.next();
        let name = self.ident("an instruction set")?;
        let mut set =
            Set { name, is_core, bases: vec![], state: vec![], functions: vec![], instructions: vec![] };
        let combines = !is_core && self.eat_word("combines");
        if combines || (is_core && self.eat_word("provides")) || (!is_core && self.eat_word("extends")) {
            set.bases.push(self.ident("an instruction set")?);
            while self.eat(",") {
                set.bases.push(self.ident("an instruction set")?);
            }
        }
        if combines {
            self.semicolon("`combines`")?;
            return Ok(set);
        }
        let help = "write `InstructionSet Name extends Base { … }`, `InstructionSet Name combines A, B;` or `Core Name provides A, B { … }`";
        let open = self.expect("{", help)?;
        while !self.eat("}") {
            if self.peek().kind == TokenKind::End {
                let issue = Issue::new(open, "`{` without an end", "opens here", "close it with `}`");
                self.report(issue);
                break;
            }
            if self.section(&mut set).is_err() {
                self.recover(&["}"]);
            }
        }
        Ok(set)
    }

    fn section(&mut self, set: &mut Set) -> Checked<()> {
        let section = self.word().unwrap_or_default().to_owned();
        let start = self.peek().span;
        if section == "always" {
            let help = "state what each instruction does in its own `behavior:`";
            let issue =
                Issue::new(start, "`always` blocks are not supported", "acts without an instruction", help);
            return Err(self.report(issue));
        }
        if !["architectural_state", "functions", "instructions"].contains(&section.as_str()) {
            let help =
                "a set consists of `architectural_state { … }`, `functions { … }` and `instructions { … }`";
            return Err(self.unexpected("a section", help));
        }
        self.next();
        let common = self.attributes()?;
        let open = self.expect("{", &format!("write `{section} {{ … }}`"))?;
        while !self.eat("}") {
            if self.peek().kind == TokenKind::End {
                let issue = Issue::new(open, "`{` without an end", "opens here", "close it with `}`");
                return Err(self.report(issue));
            }
            let before = self.at;
            let stops: &[&str] = if section == "architectural_state" { &[";"] } else { &[";", "}"] };
            let result = match section.as_str() {
                "architectural_state" => self.state_item().map(|item| set.state.push(item)),
                "functions" => self.function().map(|function| set.functions.push(function)),
                _ => self.instruction().map(|mut instruction| {
                    instruction.attributes.extend(common.iter().cloned());
                    set.instructions.push(instruction);
                }),
            };
            if result.is_err() {
                self.recover_item(before, stops);
            }
        }
        Ok(())
    }

    /// Skips the rest of a faulty item of a section that began at token `start`.
    fn recover_item(&mut self, start: usize, stops: &[&str]) {
        let open = |parser: &Self| {
            parser.tokens[start..parser.at].iter().fold(0_i32, |open, token| match token.kind {
                TokenKind::Punct("{") => open + 1,
                TokenKind::Punct("}") => open - 1,
                _ => open,
            })
        };
        while open(self) > 0 && self.peek().kind != TokenKind::End {
            self.recover(&[]);
            self.next();
        }
        if self.at > start && (self.previous_is("}") || self.previous_is(";")) {
            return;
        }
        self.recover(stops);
        if self.at == start {
            self.next();
        }
    }

    fn previous_is(&self, punct: &str) -> bool {
        self.at > 0 && matches!(self.tokens[self.at - 1].kind, TokenKind::Punct(text) if text == punct)
    }

    fn state_item(&mut self) -> Checked<StateItem> {
        let is_user_type = matches!(self.word(), Some("struct" | "union" | "enum"));
        if is_user_type && self.peek_at(2) == TokenKind::Punct("{") {
            return Ok(StateItem::UserType(self.user_type()?));
        }
        let item = if self.declaration_starts() {
            StateItem::Declaration(self.declaration()?)
        } else {
            StateItem::Assignment(self.expr()?)
        };
        self.semicolon("the declaration")?;
        Ok(item)
    }

    fn function(&mut self) -> Checked<Function> {
        let is_extern = self.eat_word("extern");
        let result = self.type_spec()?;
        let name = self.ident("a function")?;
        let parameters = self.parameters()?;
        self.attributes()?;
        let body = if is_extern || self.at_punct(";") {
            self.semicolon("the function's declaration")?;
            None
        } else {
            Some(self.block()?)
        };
        if body.is_none() && !is_extern {
            let message = format!("function `{}` has no body", name.name);
            let help = "write the body in braces, or `extern` in front of a function that is native";
            return Err(self.report(Issue::new(name.span, message, "declared here", help)));
        }
        Ok(Function { is_extern, result, name, parameters, body, end: self.previous() })
    }

    fn instruction(&mut self) -> Checked<Instruction> {
        let name = self.ident("an instruction")?;
        let attributes = self.attributes()?;
        self.expect("{", "an instruction is `NAME { encoding: …; assembly: …; behavior: … }`")?;
        self.label("encoding")?;
        let start = self.peek().span;
        let encoding = self.encoding()?;
        let encoding_span = start.to(self.previous());
        self.semicolon("the encoding")?;
        let assembly = if self.at_word("assembly") { self.assembly()? } else { Assembly::default() };
        self.label("behavior")?;
        let behavior = if self.at_word("extern") && self.peek_at(1) == TokenKind::Punct(";") {
            self.next();
            self.next();
            Behavior::Extern
        } else {
            Behavior::Stmt(self.statement()?)
        };
        self.expect("}", "a behavior is one statement: put several into braces")?;
        Ok(Instruction { name, attributes, encoding, encoding_span, assembly, behavior })
    }

    fn label(&mut self, label: &str) -> Checked<()> {
        let help = "an instruction has `encoding:`, then `assembly:` (may be absent), then `behavior:`";
        if !self.eat_word(label) {
            return Err(self.unexpected(&format!("`{label}:`"), help));
        }
        self.expect(":", help).map(|_| ())
    }

    fn encoding(&mut self) -> Checked<Vec<EncodingPart>> {
        let mut parts = vec![self.encoding_part()?];
        while self.eat("::") {
            parts.push(self.encoding_part()?);
        }
        Ok(parts)
    }

    fn encoding_part(&mut self) -> Checked<EncodingPart> {
        let token = self.peek();
        if let TokenKind::Int(literal) = token.kind {
            self.next();
            return Ok(EncodingPart::Literal {
                value: literal.value,
                width: literal.ty.width,
                span: token.span,
            });
        }
        let help = "an encoding joins sized literals and fields with `::`, as in `7'b0000000 :: rs2[4:0] :: imm[11:5]`";
        if token.kind != TokenKind::Word {
            return Err(self.unexpected("a sized literal or a field", help));
        }
        let name = self.ident("a field")?;
        self.expect("[", help)?;
        let high = self.bit_number(help)?;
        self.expect(":", "a field names its bits, also a single one: `imm[5:5]`")?;
        let low = self.bit_number(help)?;
        let end = self.expect("]", help)?;
        Ok(EncodingPart::Field { name, high, low, span: token.span.to(end) })
    }

    fn bit_number(&mut self, help: &str) -> Checked<U256> {
        match self.peek().kind {
            TokenKind::Int(literal) => {
                self.next();
                Ok(literal.value)
            }
            _ => Err(self.unexpected("the number of a bit", help)),
        }
    }

    fn assembly(&mut self) -> Checked<Assembly> {
        self.label("assembly")?;
        let braces = self.eat("{");
        let first: Ident = self.string("the assembly format")?;
        let assembly = if braces {
            self.expect(",", "write `{\"mnemonic\", \"format\"}`")?;
            let format = self.string("the assembly format")?;
            self.expect("}", "write `{\"mnemonic\", \"format\"}`")?;
            Assembly { mnemonic: Some(first), format: Some(format) }
        } else {
            Assembly { mnemonic: None, format: Some(first) }
        };
        self.semicolon("the assembly format")?;
        Ok(assembly)
    }
}
