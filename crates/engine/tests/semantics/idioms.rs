//! Functions with a host implementation: each equals its plain form, and only the project's own body
//! is taken for it.

use coredsl::eval;
use coredsl::ir::{FuncId, Ty};
use engine::lower::Idioms;
use ethnum::U256;
use isa::Instructions;
use proptest::prelude::*;

use crate::WIDTHS;
use crate::custom::{machine_of, user_program};
use crate::operands::{runner, value};

const CASES: u32 = 100;

fn mask(ty: Ty) -> u64 {
    u64::MAX >> (64 - ty.width.min(64))
}

#[test]
fn every_recognised_function_equals_its_plain_form() {
    for xlen in WIDTHS {
        let module = Instructions::all(xlen).expect("sound descriptions").module();
        let idioms = Idioms::recognise(module, module);
        let functions: Vec<FuncId> = idioms.functions().collect();
        assert!(functions.len() >= 15, "{xlen:?} recognises {} functions only", functions.len());
        for id in functions {
            let function = &module.functions[id.index()];
            let parameters = &function.body.locals[..function.parameters as usize];
            let outcome = runner(CASES).run(&proptest::array::uniform3(value()), |values| {
                let args: Vec<u64> =
                    parameters.iter().zip(values).map(|(ty, value)| value & mask(*ty)).collect();
                let wide: Vec<U256> = args.iter().map(|&arg| arg.into()).collect();
                let plain = eval::function(module, id, &wide).as_u64();
                let host = idioms.evaluate(id, &args).map(|value| value & mask(function.result));
                prop_assert_eq!(host, Some(plain), "{}{:x?}", function.name, args);
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{} on {xlen:?}: {error}", function.name));
        }
    }
}

#[test]
fn the_slow_functions_are_all_recognised() {
    for (xlen, expected) in WIDTHS.into_iter().zip([
        &[
            "clz",
            "ctz",
            "cpop",
            "orc_b",
            "rev8",
            "brev8",
            "zip",
            "unzip",
            "clmul",
            "xperm4",
            "xperm8",
            "aes32esi",
            "aes32esmi",
            "aes32dsi",
            "aes32dsmi",
        ][..],
        &[
            "clz",
            "ctz",
            "cpop",
            "clz32",
            "ctz32",
            "cpop32",
            "orc_b",
            "rev8",
            "brev8",
            "clmul",
            "xperm4",
            "xperm8",
            "aes64es",
            "aes64esm",
            "aes64ds",
            "aes64dsm",
            "aes64im",
            "aes64ks1i",
        ][..],
    ]) {
        let module = Instructions::all(xlen).expect("sound descriptions").module();
        let idioms = Idioms::recognise(module, module);
        let names: Vec<&str> =
            idioms.functions().map(|id| module.functions[id.index()].name.as_str()).collect();
        let missing: Vec<_> = expected.iter().filter(|name| !names.contains(name)).collect();
        assert!(missing.is_empty(), "{xlen:?} does not recognise {missing:?}");
    }
}

#[test]
fn a_function_of_a_known_name_with_another_body_runs_as_written() {
    let declaration = "functions {
        unsigned<XLEN> clz(unsigned<XLEN> x) { return (unsigned<XLEN>)(x + 7); }
        unsigned<XLEN> rev8(unsigned<XLEN> x) { return ~x; }
    }";
    for xlen in WIDTHS {
        let program =
            user_program(xlen, declaration, "X[rd] = (unsigned<XLEN>)(clz(X[rs1]) ^ rev8(X[rs2]));");
        let all = Instructions::all(xlen).expect("sound descriptions").module();
        let recognised: Vec<&str> = Idioms::recognise(program.module(), all)
            .functions()
            .map(|id| program.module().functions[id.index()].name.as_str())
            .collect();
        assert!(!recognised.contains(&"clz") && !recognised.contains(&"rev8"), "{recognised:?}");
        let machine = machine_of(&program, &[(10, 5), (11, 3)]);
        assert_eq!(machine.hart.x(12), ((5 + 7) ^ !3) & xlen.mask());
    }
}
