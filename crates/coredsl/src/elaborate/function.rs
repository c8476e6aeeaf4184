//! Functions: signatures, bodies, calls of native ones.

use super::Elaborator;
use super::flow;
use super::lower::{Context, Lowering, NodeKind};
use super::scope::{Signature, SymbolId, SymbolKind};
use super::work;
use crate::ast::{self, TypeKind};
use crate::diagnostic::{Checked, Issue, Reported};
use crate::fold;
use crate::ir::{Body, Expr, FuncId, Function, Stmt, Ty};
use crate::source::Span;
use ethnum::U256;

/// Type of `mtval`, as wide as the widest XLEN.
const TVAL: Ty = Ty::unsigned(64);

impl<'p> Elaborator<'p> {
    /// Signatures of all functions first, since a function may call a later one; then the bodies.
    pub(super) fn functions(&mut self) {
        let program = self.program;
        let mut bodies = Vec::new();
        for set in self.order.clone() {
            for function in &program.sets[set].functions {
                let Some(&id) = self.names.get(&(set, function.name.name.as_str())) else { continue };
                if let Ok(signature) = self.declare_function(set, function) {
                    bodies.extend(signature.id.map(|function_id| (set, id, function_id)));
                    self.symbols[id.0].kind = SymbolKind::Function(signature);
                }
            }
        }
        let mut calls = vec![Vec::new(); self.module.functions.len()];
        for (set, symbol, id) in bodies {
            if let Ok((body, called)) = self.function_body(set, symbol) {
                self.module.functions[id.index()].body = body;
                calls[id.index()] = called;
            }
        }
        self.refuse_recursion(&calls);
        if self.issues.is_empty() {
            self.work = work::of_functions(&self.module.functions);
        }
    }

    fn declare_function(&mut self, set: usize, ast: &'p ast::Function) -> Checked<Signature<'p>> {
        let result = match ast.result.kind {
            TypeKind::Void => None,
            _ => Some(self.type_of(&ast.result, set)?),
        };
        let mut parameters = Vec::new();
        for parameter in &ast.parameters {
            if parameter.is_array {
                let help = "pass the elements one by one";
                return Err(self.report(Issue::new(
                    parameter.ty.span,
                    "an array cannot be passed",
                    "here",
                    help,
                )));
            }
            parameters.push(self.type_of(&parameter.ty, set)?);
        }
        if ast.is_extern {
            return Ok(Signature { id: None, result, parameters, ast });
        }
        let Some(ty) = result else {
            let message = format!("the function `{}` returns nothing, so it could do nothing", ast.name.name);
            let help = "functions are pure: return a value, and write state in the behavior";
            return Err(self.report(Issue::new(ast.result.span, message, "here", help)));
        };
        let id = FuncId(self.module.functions.len() as u32);
        let count = parameters.len() as u32;
        let name = ast.name.name.clone();
        self.module.functions.push(Function { name, parameters: count, result: ty, body: Body::default() });
        Ok(Signature { id: Some(id), result, parameters, ast })
    }

    fn function_body(&mut self, set: usize, symbol: SymbolId) -> Checked<(Body, Vec<(FuncId, Span)>)> {
        let SymbolKind::Function(signature) = &self.symbols[symbol.0].kind else { return Err(Reported) };
        let signature = signature.clone();
        let mut lowering = Lowering::new(self, set, Context::Function);
        lowering.result = signature.result;
        for (ty, parameter) in signature.parameters.iter().zip(&signature.ast.parameters) {
            let local = lowering.new_local(*ty);
            if let Some(name) = &parameter.name {
                lowering.enter(name, Some(local));
            }
        }
        let statements = signature.ast.body.as_deref().unwrap_or_default();
        let (result, mut nodes) = lowering.block(|inner| inner.statements(statements));
        result?;
        if flow::falls_through(&nodes) {
            let message = format!("`{}` does not return a value on every path", signature.ast.name.name);
            let help = "end it with `return value;`";
            return lowering.fail(signature.ast.end, message, "reached without `return`", help);
        }
        let calls = std::mem::take(&mut lowering.calls);
        let stmts = flow::finish(&mut lowering, &mut nodes, signature.parameters.len(), flow::Stores::Once)?;
        Ok((lowering.finish(stmts), calls))
    }

    fn refuse_recursion(&mut self, calls: &[Vec<(FuncId, Span)>]) {
        for (caller, called) in calls.iter().enumerate() {
            for (callee, span) in called {
                let mut seen = vec![false; calls.len()];
                let mut open = vec![callee.index()];
                while let Some(function) = open.pop() {
                    if !std::mem::replace(&mut seen[function], true) {
                        open.extend(calls[function].iter().map(|(id, _)| id.index()));
                    }
                }
                if seen[caller] {
                    let message = format!("`{}` calls itself", self.module.functions[caller].name);
                    let help = "functions do not recurse: use a loop with a constant bound";
                    self.report(Issue::new(*span, message, "leads back to it", help));
                }
            }
        }
    }
}

impl<'p> Lowering<'_, 'p> {
    /// The function a call names.
    pub fn signature(&mut self, name: &ast::Ident) -> Checked<Signature<'p>> {
        let id = self.elaborator.resolve(&name.name, name.span, self.set, &[])?;
        match &self.elaborator.symbols[id.0].kind {
            SymbolKind::Function(signature) => Ok(signature.clone()),
            _ => {
                let message = format!("`{}` is not a function", name.name);
                self.fail(name.span, message, "called", "declare it in `functions { … }`")
            }
        }
    }

    /// Arguments converted to the parameters' types.
    pub fn arguments(
        &mut self,
        signature: &Signature<'_>,
        name: &ast::Ident,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Checked<Vec<Expr>> {
        let (given, wanted) = (arguments.len(), signature.parameters.len());
        if given != wanted {
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("`{}` takes {wanted} argument{plural}, not {given}", name.name);
            let declared = signature.ast.name.span;
            let issue = Issue::new(span, message, "this call", "give one argument for each parameter");
            return Err(self.report(issue.and(declared, "declared here")));
        }
        let converted: Vec<_> = arguments
            .iter()
            .zip(&signature.parameters)
            .map(|(argument, ty)| {
                let value = self.expr(argument)?;
                self.convert(value, *ty, argument.span)
            })
            .collect();
        converted.into_iter().collect()
    }

    /// A call whose result is not used: of a native function, since all others have no effect.
    pub fn call_statement(&mut self, name: &ast::Ident, arguments: &[ast::Expr], span: Span) -> Checked<()> {
        let signature = self.signature(name)?;
        let mut args = self.arguments(&signature, name, arguments, span)?;
        if signature.id.is_some() {
            let help = "functions are pure: assign the result, or remove the call";
            return self.fail(span, "the call has no effect", "result not used", help);
        }
        if self.context != Context::Behavior {
            let message = format!("functions are pure: `{}` has an effect", name.name);
            return self.fail(span, message, "extern function", "call it in the behavior");
        }
        match (name.name.as_str(), args.len()) {
            ("raise", 2) => {
                if fold::as_const(&args[0]) != Some(U256::ZERO) {
                    let help = "the first argument tells interrupts apart: write 0";
                    return self.fail(
                        arguments[0].span,
                        "only exceptions can be raised",
                        "an interrupt",
                        help,
                    );
                }
                let cause = args.remove(1);
                let tval = self.pending_tval();
                self.push(span, Stmt::Raise { cause, tval });
            }
            ("set_tval", 1) => {
                let local = self.tval_variable();
                let value = fold::resize(args.remove(0), TVAL);
                self.push(span, Stmt::Assign { local, value });
            }
            _ => self.push(span, Stmt::Extern { name: name.name.clone(), args }),
        }
        Ok(())
    }

    fn tval_variable(&mut self) -> crate::ir::LocalId {
        match self.tval {
            Some(local) => local,
            None => {
                let local = self.new_local(TVAL);
                self.tval = Some(local);
                local
            }
        }
    }

    /// What the last `set_tval` gave: its argument itself if it stands right before.
    fn pending_tval(&mut self) -> Option<Expr> {
        let tval = self.tval?;
        match self.nodes().pop() {
            Some(super::lower::Node { kind: NodeKind::Leaf(Stmt::Assign { local, value }), .. })
                if local == tval =>
            {
                return Some(value);
            }
            other => self.nodes().extend(other),
        }
        Some(self.local(tval))
    }
}
