//! Sums and the like of which only low words are needed are computed as words: what they are computed from need not be
//! extended first.

#[cfg(test)]
mod tests;

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Function, Inst, InstBuilder, InstructionData, Opcode, Value, types};

/// Values by those that they are the low words of.
type Words = SecondaryMap<Value, Option<Value>>;

/// Narrows the operations of a function.
pub fn narrow(function: &mut Function) {
    let whole = whole(function);
    let mut words = Words::new();
    let all = insts(function);
    let narrowed =
        |function: &Function, inst: Inst| is_ring(function, inst) && !whole[function.dfg.first_result(inst)];
    let (operations, others): (Vec<Inst>, Vec<Inst>) =
        all.into_iter().partition(|&inst| narrowed(function, inst));
    for &inst in &operations {
        operate(function, &mut words, inst, &whole);
    }
    for inst in others {
        take_word(function, &words, inst);
    }
    for inst in operations {
        function.layout.remove_inst(inst);
    }
}

fn insts(function: &Function) -> Vec<Inst> {
    function.layout.blocks().flat_map(|block| function.layout.block_insts(block)).collect()
}

/// True if an instruction computes a doubleword whose low word depends on low words only.
fn is_ring(function: &Function, inst: Inst) -> bool {
    let opcode = function.dfg.insts[inst].opcode();
    let is_ring = matches!(
        opcode,
        Opcode::Iadd | Opcode::Isub | Opcode::Imul | Opcode::Band | Opcode::Bor | Opcode::Bxor
    );
    is_ring && function.dfg.value_type(function.dfg.first_result(inst)) == types::I64
}

/// Values that somebody needs the high words of.
fn whole(function: &Function) -> SecondaryMap<Value, bool> {
    let dfg = &function.dfg;
    let mut whole: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut waiting: Vec<Value> = Vec::new();
    for inst in insts(function).into_iter().filter(|&inst| !is_ring(function, inst)) {
        let low = match dfg.insts[inst].opcode() {
            Opcode::Ireduce | Opcode::Istore8 | Opcode::Istore16 | Opcode::Istore32 => 1,
            _ => 0,
        };
        waiting.extend(dfg.inst_values(inst).skip(low).map(|value| dfg.resolve_aliases(value)));
    }
    while let Some(value) = waiting.pop() {
        if !std::mem::replace(&mut whole[value], true)
            && let Some(inst) = dfg.value_def(value).inst().filter(|&inst| is_ring(function, inst))
        {
            waiting.extend(dfg.inst_values(inst).map(|value| dfg.resolve_aliases(value)));
        }
    }
    whole
}

/// Has an operation done on words.
fn operate(function: &mut Function, words: &mut Words, inst: Inst, whole: &SecondaryMap<Value, bool>) {
    let result = function.dfg.first_result(inst);
    if words[result].is_some() {
        return;
    }
    let InstructionData::Binary { opcode, args } = function.dfg.insts[inst] else { return };
    let args = args.map(|value| {
        let value = function.dfg.resolve_aliases(value);
        let made = function.dfg.value_def(value).inst();
        if let Some(made) = made.filter(|&made| is_ring(function, made) && !whole[value]) {
            // Blocks need not be in the order in which they are executed.
            operate(function, words, made, whole);
        }
        words[value].unwrap_or_else(|| word(function, value, inst))
    });
    let mut cursor = FuncCursor::new(function).at_inst(inst);
    let (operation, dfg) = cursor.ins().Binary(opcode, types::I32, args[0], args[1]);
    words[result] = Some(dfg.first_result(operation));
}

/// The low word of a value, for an instruction.
fn word(function: &mut Function, value: Value, before: Inst) -> Value {
    let made = function.dfg.value_def(value).inst().map(|made| function.dfg.insts[made]);
    let mut cursor = FuncCursor::new(function).at_inst(before);
    match made {
        Some(InstructionData::Unary { opcode: Opcode::Sextend | Opcode::Uextend, arg })
            if cursor.func.dfg.value_type(arg) == types::I32 =>
        {
            arg
        }
        Some(InstructionData::UnaryImm { opcode: Opcode::Iconst, imm }) => {
            cursor.ins().iconst(types::I32, i64::from(imm.bits() as u32))
        }
        _ => cursor.ins().ireduce(types::I32, value),
    }
}

/// Has an instruction that only needs a low word take it.
fn take_word(function: &mut Function, words: &Words, inst: Inst) {
    let Some(value) = function.dfg.inst_values(inst).next() else { return };
    let Some(word) = words[function.dfg.resolve_aliases(value)] else { return };
    match &mut function.dfg.insts[inst] {
        InstructionData::Unary { opcode: Opcode::Ireduce, arg } => *arg = word,
        InstructionData::Store { opcode, args, .. } => {
            args[0] = word;
            if *opcode == Opcode::Istore32 {
                *opcode = Opcode::Store;
            }
        }
        _ => return,
    }
    if function.dfg.insts[inst].opcode() == Opcode::Ireduce {
        let result = function.dfg.first_result(inst);
        if function.dfg.value_type(result) == types::I32 {
            function.dfg.clear_results(inst);
            function.dfg.change_to_alias(result, word);
            function.layout.remove_inst(inst);
        }
    }
}
