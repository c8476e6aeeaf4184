//! Where extensions end up. A loop's body is block 1 or begins there; the verifier has to accept whatever becomes of it.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, Opcode, Signature, UserFuncName, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{Flags, builder};
use cranelift_codegen::verify_function;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::{MOST, sink};

/// A function under construction.
struct Sketch<'a> {
    ins: FunctionBuilder<'a>,
    blocks: Vec<Block>,
    word: Value,
}

impl Sketch<'_> {
    /// Goes on with a block.
    fn at(&mut self, block: usize) {
        self.ins.switch_to_block(self.blocks[block]);
    }

    fn jump(&mut self, to: usize, arguments: &[Value]) {
        let arguments: Vec<BlockArg> = arguments.iter().map(|&value| value.into()).collect();
        let to = self.blocks[to];
        self.ins.ins().jump(to, &arguments);
    }

    /// To one of two blocks, the second with arguments.
    fn either(&mut self, one: usize, other: usize, arguments: &[Value]) {
        let arguments: Vec<BlockArg> = arguments.iter().map(|&value| value.into()).collect();
        let (word, one, other) = (self.word, self.blocks[one], self.blocks[other]);
        self.ins.ins().brif(word, one, &[], other, &arguments);
    }

    fn parameter(&mut self, block: usize) -> Value {
        let block = self.blocks[block];
        self.ins.append_block_param(block, types::I64)
    }

    /// A word made in the current block.
    fn word(&mut self) -> Value {
        self.ins.ins().iadd_imm_s(self.word, 1)
    }

    /// And its extension.
    fn extension(&mut self) -> Value {
        let word = self.word();
        self.ins.ins().sextend(types::I64, word)
    }

    fn give(&mut self, value: Value) {
        self.ins.ins().return_(&[value]);
    }

    /// Another name of a value.
    fn alias(&mut self, of: Value) -> Value {
        let name = self.nothing();
        let dfg = &mut self.ins.func.dfg;
        let constant = dfg.value_def(name).inst().expect("what made it");
        dfg.clear_results(constant);
        dfg.change_to_alias(name, of);
        self.ins.func.layout.remove_inst(constant);
        name
    }

    fn nothing(&mut self) -> Value {
        self.ins.ins().iconst(types::I64, 0)
    }
}

/// A function of so many blocks, of which the first jumps to the second, after its extensions have been moved.
fn sunk(blocks: usize, build: impl FnOnce(&mut Sketch<'_>)) -> Function {
    let mut signature = Signature::new(CallConv::Fast);
    signature.params = vec![AbiParam::new(types::I32)];
    signature.returns = vec![AbiParam::new(types::I64)];
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut context = FunctionBuilderContext::new();
    let mut ins = FunctionBuilder::new(&mut function, &mut context);
    let blocks: Vec<Block> = (0..blocks).map(|_| ins.create_block()).collect();
    ins.append_block_params_for_function_params(blocks[0]);
    let word = ins.block_params(blocks[0])[0];
    let mut sketch = Sketch { ins, blocks, word };
    sketch.at(0);
    build(&mut sketch);
    sketch.ins.seal_all_blocks();
    let host = cranelift_native::builder().expect("a known host").finish(flags()).expect("all it needs");
    sketch.ins.finalize(host.frontend_config());
    verify(&function);
    sink(&mut function);
    verify(&function);
    function
}

fn flags() -> Flags {
    Flags::new(builder())
}

fn verify(function: &Function) {
    verify_function(function, &flags()).unwrap_or_else(|errors| panic!("{errors}\n{}", function.display()));
}

/// The blocks that have extensions, each as often as it has.
fn extensions(function: &Function) -> Vec<usize> {
    let mut found = Vec::new();
    for block in function.layout.blocks() {
        for inst in function.layout.block_insts(block) {
            let opcode = function.dfg.insts[inst].opcode();
            if matches!(opcode, Opcode::Sextend | Opcode::Uextend) {
                found.push(block.as_u32() as usize);
            }
        }
    }
    found
}

#[test]
fn what_the_way_out_needs_is_computed_there() {
    let function = sunk(3, |sketch| {
        sketch.jump(1, &[]);
        sketch.at(1);
        let wide = sketch.extension();
        sketch.either(1, 2, &[]);
        sketch.at(2);
        sketch.give(wide);
    });
    assert_eq!(extensions(&function), [2]);
}

#[test]
fn what_the_loop_needs_stays() {
    // In the block itself.
    let function = sunk(3, |sketch| {
        sketch.jump(1, &[]);
        sketch.at(1);
        let wide = sketch.extension();
        let other = sketch.ins.ins().bnot(wide);
        sketch.either(1, 2, &[]);
        sketch.at(2);
        let sum = sketch.ins.ins().iadd(wide, other);
        sketch.give(sum);
    });
    assert_eq!(extensions(&function), [1]);
    // In the next trip.
    let function = sunk(3, |sketch| {
        let first = sketch.nothing();
        sketch.jump(1, &[first]);
        sketch.at(1);
        sketch.parameter(1);
        let wide = sketch.extension();
        sketch.either(2, 1, &[wide]);
        sketch.at(2);
        sketch.give(wide);
    });
    assert_eq!(extensions(&function), [1]);
    // In another block of the loop.
    let function = sunk(4, |sketch| {
        sketch.jump(1, &[]);
        sketch.at(1);
        let wide = sketch.extension();
        sketch.either(2, 3, &[]);
        sketch.at(2);
        sketch.ins.ins().bnot(wide);
        sketch.jump(1, &[]);
        sketch.at(3);
        sketch.give(wide);
    });
    assert_eq!(extensions(&function), [1]);
}

/// The way out gets it from within the loop.
#[test]
fn arguments_of_ways_out_stay() {
    let function = sunk(3, |sketch| {
        sketch.jump(1, &[]);
        sketch.at(1);
        let wide = sketch.extension();
        sketch.either(1, 2, &[wide]);
        let other = sketch.parameter(2);
        sketch.at(2);
        let sum = sketch.ins.ins().iadd(wide, other);
        sketch.give(sum);
    });
    assert_eq!(extensions(&function), [1]);
}

#[test]
fn each_way_out_computes_its_own() {
    for ways in 1..=MOST + 1 {
        // Blocks 1 to `ways` are the loop, and those after them the ways out.
        let function = sunk(2 * ways + 1, |sketch| {
            sketch.jump(1, &[]);
            sketch.at(1);
            let wide = sketch.extension();
            for way in 0..ways {
                if way > 0 {
                    sketch.at(1 + way);
                }
                let next = if way + 1 == ways { 1 } else { 2 + way };
                sketch.either(1 + ways + way, next, &[]);
            }
            for way in 0..ways {
                sketch.at(1 + ways + way);
                sketch.give(wide);
            }
        });
        let expected: Vec<usize> = if ways > MOST { vec![1] } else { (1 + ways..=2 * ways).collect() };
        assert_eq!(extensions(&function), expected, "{ways} ways");
    }
}

/// By several instructions, as several operands, as an argument, and under another name.
#[test]
fn all_that_need_it_get_the_new_one() {
    let function = sunk(4, |sketch| {
        sketch.jump(1, &[]);
        sketch.at(1);
        let wide = sketch.extension();
        let other = sketch.nothing();
        sketch.either(1, 2, &[]);
        sketch.at(2);
        let twice = sketch.ins.ins().iadd(wide, wide);
        let another = sketch.alias(wide);
        let sum = sketch.ins.ins().iadd(another, twice);
        sketch.parameter(3);
        sketch.parameter(3);
        let condition = sketch.ins.ins().icmp(IntCC::Equal, sum, other);
        let last = sketch.blocks[3];
        sketch.ins.ins().brif(
            condition,
            last,
            &[wide.into(), other.into()],
            last,
            &[other.into(), wide.into()],
        );
        sketch.at(3);
        let last = sketch.ins.block_params(sketch.blocks[3])[0];
        sketch.give(last);
    });
    assert_eq!(extensions(&function), [2]);
}

/// Needed under another name only: in the loop, or after it.
#[test]
fn names_of_the_same() {
    for used in [1, 2] {
        let function = sunk(3, |sketch| {
            sketch.jump(1, &[]);
            sketch.at(1);
            let wide = sketch.extension();
            let alias = sketch.alias(wide);
            if used == 1 {
                sketch.ins.ins().bnot(alias);
            }
            sketch.either(1, 2, &[]);
            sketch.at(2);
            sketch.give(alias);
        });
        assert_eq!(extensions(&function), [used]);
    }
}

/// A loop (1 to 4) around another one (2), and one after both (6): an extension that is made in one block and used in
/// another.
fn nested(made: usize, used: usize) -> Vec<usize> {
    let function = sunk(8, |sketch| {
        sketch.jump(1, &[]);
        let mut wide = None;
        for block in 1..8 {
            sketch.at(block);
            if block == made {
                wide = Some(sketch.extension());
            }
            if block == used {
                let wide = wide.expect("it was made before");
                sketch.ins.ins().bnot(wide);
            }
            match block {
                2 => sketch.either(2, 3, &[]),
                4 => sketch.either(1, 5, &[]),
                6 => sketch.either(6, 7, &[]),
                7 => {
                    let nothing = sketch.nothing();
                    sketch.give(nothing);
                }
                _ => sketch.jump(block + 1, &[]),
            }
        }
    });
    extensions(&function)
}

#[test]
fn loops_in_loops() {
    // The inner one is part of the outer one.
    assert_eq!([(1, 2), (1, 3), (1, 4), (3, 4)].map(|(made, used)| nested(made, used)), [[1], [1], [1], [3]]);
    assert_eq!([(1, 5), (3, 5), (4, 7)].map(|(made, used)| nested(made, used)), [[5], [5], [7]]);
    assert_eq!([(2, 3), (2, 4), (2, 5)].map(|(made, used)| nested(made, used)), [[3], [4], [5]]);
    // Another loop would compute it in each of its trips.
    assert_eq!([(1, 6), (4, 6), (2, 6)].map(|(made, used)| nested(made, used)), [[1], [4], [6]]);
    // Where there is no loop, nothing is to be gained.
    assert_eq!([nested(5, 6), nested(5, 7)], [[5], [5]]);
}
