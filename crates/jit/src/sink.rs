//! Extensions of words that only the ways out of a loop need: they are moved there. Registers are as wide as the guest's
//! when compiled code is left, but a loop's next trip may do without.

#[cfg(test)]
mod tests;

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::{Block, Function, Inst, Opcode, Value, types};
use cranelift_codegen::loop_analysis::LoopAnalysis;

/// Most blocks that an extension is moved to.
const MOST: usize = 4;

/// What is known of a value.
#[derive(Clone, Default)]
enum Place {
    /// It is no extension in a loop, or is needed there.
    #[default]
    Stays,
    /// The extension, its block, and where it is needed.
    Moves(Inst, Block, Vec<Block>),
}

/// Moves extensions out of loops.
pub fn sink(function: &mut Function) {
    let graph = ControlFlowGraph::with_function(function);
    let dominators = DominatorTree::with_function(function, &graph);
    let mut loops = LoopAnalysis::new();
    loops.compute(function, &graph, &dominators);
    let places = places(function, &loops);
    for (value, place) in places.iter() {
        let Place::Moves(extension, _, blocks) = place else { continue };
        if (1..=MOST).contains(&blocks.len()) {
            for &block in blocks {
                move_to(function, value, *extension, block);
            }
            function.layout.remove_inst(*extension);
        }
    }
}

fn places(function: &Function, loops: &LoopAnalysis) -> SecondaryMap<Value, Place> {
    let mut places: SecondaryMap<Value, Place> = SecondaryMap::new();
    let dfg = &function.dfg;
    for block in function.layout.blocks().filter(|&block| loops.innermost_loop(block).is_some()) {
        for inst in function.layout.block_insts(block) {
            let extends = matches!(dfg.insts[inst].opcode(), Opcode::Sextend | Opcode::Uextend);
            if extends && dfg.value_type(dfg.first_result(inst)) == types::I64 {
                places[dfg.first_result(inst)] = Place::Moves(inst, block, Vec::new());
            }
        }
    }
    for block in function.layout.blocks() {
        for inst in function.layout.block_insts(block) {
            for value in dfg.inst_values(inst) {
                let place = &mut places[dfg.resolve_aliases(value)];
                let Place::Moves(_, from, blocks) = place else { continue };
                // In as many loops: in this one, or in another, which would compute it again and again.
                if loops.loop_level(block) >= loops.loop_level(*from) {
                    *place = Place::Stays;
                } else if !blocks.contains(&block) {
                    blocks.push(block);
                }
            }
        }
    }
    places
}

/// Has a block compute an extension itself.
fn move_to(function: &mut Function, value: Value, extension: Inst, block: Block) {
    let copy = function.dfg.clone_inst(extension);
    let here = function.dfg.first_result(copy);
    FuncCursor::new(function).at_first_insertion_point(block).insert_inst(copy);
    let insts: Vec<Inst> = function.layout.block_insts(block).collect();
    for inst in insts {
        let reads: Vec<Value> = function.dfg.inst_values(inst).collect();
        if reads.iter().any(|&read| function.dfg.resolve_aliases(read) == value) {
            let resolved: Vec<Value> = reads.iter().map(|&read| function.dfg.resolve_aliases(read)).collect();
            let mut resolved = resolved.into_iter();
            function.dfg.map_inst_values(inst, |read| match resolved.next() {
                Some(same) if same == value => here,
                _ => read,
            });
        }
    }
}
