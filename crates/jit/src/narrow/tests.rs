//! What becomes of operations whose high words nobody needs, or somebody does; and that results stay what they were.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, InstructionData, MemFlagsData, Opcode, Signature, Type,
    UserFuncName, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{Flags, builder};
use cranelift_codegen::verify_function;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use proptest::prelude::*;

use super::{is_ring, narrow};

/// What a function returns, and what it stores: where, how many bytes, and what.
type Outcome = (Vec<u64>, Vec<(u64, u32, u64)>);

fn cut(value: u64, ty: Type) -> u64 {
    value & u64::MAX >> (64 - ty.bits())
}

/// Carries a function out.
fn evaluate(function: &Function, arguments: &[u64]) -> Outcome {
    let dfg = &function.dfg;
    let mut values: HashMap<Value, u64> = HashMap::new();
    let mut stores = Vec::new();
    let mut block = function.layout.entry_block().expect("a block");
    let mut passed = arguments.to_vec();
    'blocks: loop {
        values.extend(dfg.block_params(block).iter().copied().zip(passed.iter().copied()));
        for inst in function.layout.block_insts(block) {
            let of = |value: Value| values[&dfg.resolve_aliases(value)];
            let of_type = |value: Value| dfg.value_type(value);
            let result = match dfg.insts[inst] {
                InstructionData::UnaryImm { imm, .. } => imm.bits() as u64,
                InstructionData::Unary { opcode, arg } => match opcode {
                    Opcode::Sextend => {
                        let above = 64 - of_type(arg).bits();
                        ((of(arg) << above) as i64 >> above) as u64
                    }
                    _ => of(arg),
                },
                InstructionData::Binary { opcode, args: [a, b] } => {
                    let (x, y) = (of(a), of(b));
                    match opcode {
                        Opcode::Iadd => x.wrapping_add(y),
                        Opcode::Isub => x.wrapping_sub(y),
                        Opcode::Imul => x.wrapping_mul(y),
                        Opcode::Band => x & y,
                        Opcode::Bor => x | y,
                        Opcode::Bxor => x ^ y,
                        Opcode::Ishl => x << (y % u64::from(of_type(a).bits())),
                        Opcode::Ushr => x >> (y % u64::from(of_type(a).bits())),
                        other => unreachable!("{other}"),
                    }
                }
                InstructionData::IntCompare { cond: IntCC::UnsignedLessThan, args: [a, b], .. } => {
                    (of(a) < of(b)).into()
                }
                InstructionData::Ternary { args: [condition, a, b], .. } => {
                    if of(condition) != 0 {
                        of(a)
                    } else {
                        of(b)
                    }
                }
                InstructionData::Load { arg, offset, .. } => {
                    (of(arg) ^ i64::from(offset) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                }
                InstructionData::Store { opcode, args: [value, address], offset, .. } => {
                    let bits = match opcode {
                        Opcode::Istore8 => 8,
                        Opcode::Istore16 => 16,
                        Opcode::Istore32 => 32,
                        _ => of_type(value).bits(),
                    };
                    let at = of(address).wrapping_add_signed(i64::from(offset));
                    stores.push((at, bits, of(value) & u64::MAX >> (64 - bits)));
                    continue;
                }
                InstructionData::Jump { destination, .. } => {
                    let arguments = destination.args(&dfg.value_lists);
                    let next: Vec<u64> =
                        arguments.filter_map(|argument| argument.as_value()).map(of).collect();
                    (passed, block) = (next, destination.block(&dfg.value_lists));
                    continue 'blocks;
                }
                InstructionData::Brif { arg, blocks: [one, other], .. } => {
                    let next = if of(arg) != 0 { one } else { other };
                    (passed, block) = (Vec::new(), next.block(&dfg.value_lists));
                    continue 'blocks;
                }
                InstructionData::MultiAry { .. } => {
                    return (dfg.inst_args(inst).iter().map(|&value| of(value)).collect(), stores);
                }
                other => unreachable!("{other:?}"),
            };
            let defined = dfg.first_result(inst);
            let result = cut(result, of_type(defined));
            values.insert(defined, result);
        }
    }
}

/// A function under construction: three doublewords and a word are its parameters.
struct Sketch<'a> {
    ins: FunctionBuilder<'a>,
    wide: [Value; 3],
    word: Value,
    blocks: Vec<Block>,
}

impl Sketch<'_> {
    fn low(&mut self, value: Value) -> Value {
        self.ins.ins().ireduce(types::I32, value)
    }

    fn sum(&mut self, a: Value, b: Value) -> Value {
        self.ins.ins().iadd(a, b)
    }

    /// The result: a doubleword.
    fn give(&mut self, value: Value) {
        self.ins.ins().return_(&[value]);
    }

    /// The result: a low word, extended.
    fn give_low(&mut self, value: Value) {
        let word = self.low(value);
        let value = self.ins.ins().uextend(types::I64, word);
        self.give(value);
    }

    fn constant(&mut self, number: i64) -> Value {
        self.ins.ins().iconst(types::I64, number)
    }
}

/// A function, and what becomes of it.
fn both(build: impl Fn(&mut Sketch<'_>)) -> [Function; 2] {
    let mut signature = Signature::new(CallConv::Fast);
    signature.params = [types::I64, types::I64, types::I64, types::I32].map(AbiParam::new).to_vec();
    signature.returns = vec![AbiParam::new(types::I64)];
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut context = FunctionBuilderContext::new();
    let mut ins = FunctionBuilder::new(&mut function, &mut context);
    let blocks: Vec<Block> = (0..3).map(|_| ins.create_block()).collect();
    ins.append_block_params_for_function_params(blocks[0]);
    let &[a, b, c, word] = ins.block_params(blocks[0]) else { unreachable!("four parameters") };
    ins.switch_to_block(blocks[0]);
    let mut sketch = Sketch { ins, wide: [a, b, c], word, blocks };
    build(&mut sketch);
    sketch.ins.seal_all_blocks();
    let host = cranelift_native::builder().expect("a known host");
    sketch.ins.finalize(host.finish(flags()).expect("all it needs").frontend_config());
    verify(&function);
    let before = function.clone();
    narrow(&mut function);
    verify(&function);
    for seed in 0..8_u64 {
        let argument = |place: u64| (seed * 4 + place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let arguments = [argument(0), argument(1), argument(2), argument(3) & 0xffff_ffff];
        let (expected, found) = (evaluate(&before, &arguments), evaluate(&function, &arguments));
        assert_eq!(found, expected, "{}\n{}", before.display(), function.display());
    }
    [before, function]
}

fn flags() -> Flags {
    Flags::new(builder())
}

fn verify(function: &Function) {
    verify_function(function, &flags()).unwrap_or_else(|errors| panic!("{errors}\n{}", function.display()));
}

/// Operations on doublewords that are left, of those that could be done on words.
fn left(build: impl Fn(&mut Sketch<'_>)) -> usize {
    let [_, function] = both(build);
    let insts = function.layout.blocks().flat_map(|block| function.layout.block_insts(block));
    insts.filter(|&inst| is_ring(&function, inst)).count()
}

#[test]
fn only_the_low_word_is_needed() {
    let [_, narrowed] = both(|sketch| {
        let [a, b, c] = sketch.wide;
        let extended = sketch.ins.ins().sextend(types::I64, sketch.word);
        let sum = sketch.sum(extended, a);
        let number = sketch.constant(-5);
        let all = [sketch.ins.ins().isub(sum, b), sketch.ins.ins().imul(sum, number)];
        let one = sketch.ins.ins().bxor(all[0], all[1]);
        let other = sketch.ins.ins().band(one, c);
        let last = sketch.ins.ins().bor(other, sum);
        sketch.give_low(last);
    });
    let text = narrowed.display().to_string();
    for opcode in [Opcode::Iadd, Opcode::Isub, Opcode::Imul, Opcode::Band, Opcode::Bor, Opcode::Bxor] {
        let mut insts = narrowed.layout.blocks().flat_map(|block| narrowed.layout.block_insts(block));
        let found = insts.find(|&inst| narrowed.dfg.insts[inst].opcode() == opcode).expect("it is there");
        assert_eq!(narrowed.dfg.value_type(narrowed.dfg.first_result(found)), types::I32, "{text}");
    }
}

/// What uses a sum, in some way that needs its high word.
type Use = fn(&mut Sketch<'_>, Value);

#[test]
fn somebody_needs_the_high_word() {
    let uses: [(&str, Use); 11] = [
        ("a result", |sketch, sum| sketch.give(sum)),
        ("a shift", |sketch, sum| {
            let by = sketch.constant(8);
            let shifted = sketch.ins.ins().ushr(sum, by);
            sketch.give_low(shifted);
        }),
        ("an amount", |sketch, sum| {
            let shifted = sketch.ins.ins().ishl(sketch.wide[2], sum);
            sketch.give(shifted);
        }),
        ("a comparison", |sketch, sum| {
            let less = sketch.ins.ins().icmp(IntCC::UnsignedLessThan, sum, sketch.wide[2]);
            let value = sketch.ins.ins().uextend(types::I64, less);
            sketch.give(value);
        }),
        ("a selection", |sketch, sum| {
            let value = sketch.ins.ins().select(sketch.word, sum, sketch.wide[2]);
            sketch.give(value);
        }),
        ("what is selected by", |sketch, sum| {
            let [a, b, _] = sketch.wide;
            let value = sketch.ins.ins().select(sum, a, b);
            sketch.give(value);
        }),
        ("an address of a store", |sketch, sum| {
            sketch.ins.ins().store(MemFlagsData::new(), sketch.word, sum, 0);
            sketch.give(sketch.wide[0]);
        }),
        ("an address of a load", |sketch, sum| {
            let value = sketch.ins.ins().load(types::I64, MemFlagsData::new(), sum, 8);
            sketch.give(value);
        }),
        ("a store", |sketch, sum| {
            sketch.ins.ins().store(MemFlagsData::new(), sum, sketch.wide[2], 0);
            sketch.give(sketch.wide[0]);
        }),
        ("another block", |sketch, sum| {
            let next = sketch.blocks[1];
            let value = sketch.ins.append_block_param(next, types::I64);
            sketch.ins.ins().jump(next, &[BlockArg::Value(sum)]);
            sketch.ins.switch_to_block(next);
            sketch.give(value);
        }),
        ("a branch", |sketch, sum| {
            let [one, other] = [sketch.blocks[1], sketch.blocks[2]];
            sketch.ins.ins().brif(sum, one, &[], other, &[]);
            for (block, value) in [(one, sketch.wide[0]), (other, sketch.wide[1])] {
                sketch.ins.switch_to_block(block);
                sketch.give(value);
            }
        }),
    ];
    for (name, needs) in uses {
        let of = |also: bool| {
            left(|sketch| {
                let [a, b, _] = sketch.wide;
                let sum = sketch.sum(a, b);
                let of_it = sketch.ins.ins().bxor(sum, a);
                // The low word is needed as well, by what does not matter.
                let word = sketch.low(of_it);
                let extended = sketch.ins.ins().sextend(types::I64, word);
                sketch.ins.ins().istore32(MemFlagsData::new(), sum, sketch.wide[0], 16);
                sketch.ins.ins().store(MemFlagsData::new(), word, extended, 0);
                needs(sketch, if also { of_it } else { sum });
            })
        };
        assert_eq!((of(false), of(true)), (1, 2), "{name}");
    }
}

#[test]
fn parts_of_it_are_stored_or_cut_off() {
    let stores = left(|sketch| {
        let [a, b, c] = sketch.wide;
        let (sum, flags) = (sketch.sum(a, b), MemFlagsData::new());
        sketch.ins.ins().istore8(flags, sum, c, 0);
        sketch.ins.ins().istore16(flags, sum, c, 8);
        sketch.ins.ins().istore32(flags, sum, c, 16);
        sketch.give(a);
    });
    assert_eq!(stores, 0);
    for part in [types::I8, types::I16] {
        let cut = left(|sketch| {
            let [a, b, _] = sketch.wide;
            let product = sketch.ins.ins().imul(a, b);
            let cut = sketch.ins.ins().ireduce(part, product);
            let value = sketch.ins.ins().sextend(types::I64, cut);
            sketch.give(value);
        });
        assert_eq!(cut, 0);
    }
}

/// What an operation needs may stand behind it.
#[test]
fn blocks_in_another_order() {
    let left = left(|sketch| {
        let [a, b, c] = sketch.wide;
        let [begin, first, second] = sketch.blocks[..] else { unreachable!("three blocks") };
        sketch.ins.ins().jump(second, &[]);
        // As it is where code that is seldom executed was moved away.
        sketch.ins.insert_block_after(first, begin);
        sketch.ins.switch_to_block(second);
        let sum = sketch.sum(a, b);
        sketch.ins.ins().jump(first, &[]);
        sketch.ins.switch_to_block(first);
        let other = sketch.ins.ins().isub(sum, c);
        sketch.give_low(other);
    });
    assert_eq!(left, 0);
}

#[test]
fn values_with_other_names() {
    let left = left(|sketch| {
        let [a, b, c] = sketch.wide;
        let sum = sketch.sum(a, b);
        let mut name = |of: Value| {
            let name = sketch.constant(0);
            let dfg = &mut sketch.ins.func.dfg;
            let constant = dfg.value_def(name).inst().expect("what made it");
            dfg.clear_results(constant);
            dfg.change_to_alias(name, of);
            sketch.ins.func.layout.remove_inst(constant);
            name
        };
        let [one, other] = [name(sum), name(c)];
        let difference = sketch.ins.ins().isub(one, other);
        sketch.ins.ins().istore32(MemFlagsData::new(), one, c, 0);
        sketch.give_low(difference);
    });
    assert_eq!(left, 0);
}

/// A step: what, of which values, and a number.
type Step = (u8, usize, usize, i64);

fn random(sketch: &mut Sketch<'_>, steps: &[Step]) {
    let (mut wide, mut words) = (sketch.wide.to_vec(), vec![sketch.word]);
    let flags = MemFlagsData::new();
    for (index, &(what, a, b, number)) in steps.iter().enumerate() {
        let (x, y) = (wide[wide.len() - 1 - a % wide.len()], wide[wide.len() - 1 - b % wide.len()]);
        let (v, w) = (words[words.len() - 1 - a % words.len()], words[words.len() - 1 - b % words.len()]);
        let address = sketch.wide[2];
        let ins = sketch.ins.ins();
        match what {
            0 | 1 => wide.push(ins.iadd(x, y)),
            2 => wide.push(ins.isub(x, y)),
            3 => wide.push(ins.imul(x, y)),
            4 => wide.push(ins.band(x, y)),
            5 => wide.push(ins.bor(x, y)),
            6 | 7 => wide.push(ins.bxor(x, y)),
            8 => wide.push(ins.sextend(types::I64, v)),
            9 => wide.push(ins.uextend(types::I64, v)),
            10..=14 => words.push(ins.ireduce(types::I32, x)),
            15 => words.push(ins.iadd(v, w)),
            16 => words.push(ins.bxor(v, w)),
            17 => wide.push(ins.iconst(types::I64, number)),
            18 => _ = ins.istore32(flags, x, address, 8 * index as i32),
            19 => _ = ins.istore16(flags, x, address, 8 * index as i32),
            20 => _ = ins.istore8(flags, x, address, 8 * index as i32),
            21 => _ = ins.store(flags, v, address, 8 * index as i32),
            22 => _ = ins.store(flags, x, address, 8 * index as i32),
            23 => wide.push(ins.ishl(x, y)),
            24 => wide.push(ins.ushr(x, y)),
            25 => wide.push(ins.select(v, x, y)),
            _ => {
                let part = sketch.ins.ins().ireduce(types::I8, x);
                wide.push(sketch.ins.ins().sextend(types::I64, part));
            }
        }
    }
    sketch.give_low(*wide.last().expect("a value"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn results_stay_what_they_were(
        steps in proptest::collection::vec((0..27u8, 0..6usize, 0..6usize, any::<i64>()), 1..40)
    ) {
        both(|sketch| random(sketch, &steps));
    }
}
