//! Random expressions: the evaluator agrees with integers of unlimited size, as far as they go, and
//! the widths are CoreDSL's.

use coredsl::eval::{self, Fault, Machine};
use coredsl::ir::{RegId, SpaceId};
use coredsl::{MemorySources, Program, elaborate};
use ethnum::U256;
use proptest::prelude::*;

const BASE: &str = include_str!("sources/base.core_desc");

/// An expression as text, its type and its value, computed here with `i128`.
#[derive(Clone, Debug)]
struct Case {
    text: String,
    width: u32,
    signed: bool,
    value: i128,
}

/// `value` as a number of that type.
fn wrap(value: i128, width: u32, signed: bool) -> i128 {
    let low = value & ((1 << width) - 1);
    if signed && low >> (width - 1) & 1 == 1 { low - (1 << width) } else { low }
}

fn common(a: &Case, b: &Case) -> (u32, bool) {
    let signed = a.signed || b.signed;
    let width = |case: &Case| case.width + u32::from(signed && !case.signed);
    (width(a).max(width(b)), signed)
}

fn case(text: String, (width, signed): (u32, bool), value: i128) -> Case {
    Case { text, width, signed, value: wrap(value, width, signed) }
}

fn bits(case: &Case) -> i128 {
    wrap(case.value, case.width, false)
}

/// Registers 1 to 4 hold these.
const REGISTERS: [u64; 4] = [0x0123_4567_89ab_cdef, u64::MAX, 0x8000_0000_0000_0001, 0];

fn leaf() -> impl Strategy<Value = Case> {
    let register = (0_usize..4, 1_u32..13, any::<bool>()).prop_map(|(index, width, signed)| {
        let sign = if signed { "signed" } else { "unsigned" };
        case(format!("({sign}<{width}>)X[{}]", index + 1), (width, signed), i128::from(REGISTERS[index]))
    });
    let literal = (0_i128..300)
        .prop_map(|value| case(value.to_string(), ((128 - value.leading_zeros()).max(1), false), value));
    let sized = (1_u32..10, any::<u16>(), any::<bool>()).prop_map(|(width, value, signed)| {
        let value = u32::from(value) & ((1 << width) - 1);
        let text = format!("{width}'{}h{value:x}", if signed { "s" } else { "" });
        case(text, (width, signed), i128::from(value))
    });
    // The field `imm` of the word below: twelve ones but the lowest bit.
    let field = Just(case("imm".to_owned(), (12, false), 0xffe));
    prop_oneof![4 => register, 1 => literal, 1 => sized, 1 => field]
}

fn binary(op: &str, a: &Case, b: &Case) -> Case {
    let text = format!("({} {op} {})", a.text, b.text);
    let (width, signed) = common(a, b);
    let truth = |value: bool| case(text.clone(), (1, false), i128::from(value));
    let shift = |left: bool| {
        let amount = u32::try_from(b.value).unwrap_or(u32::MAX);
        let value = match (left, amount < 127) {
            (true, true) => bits(a).checked_shl(amount).unwrap_or(0),
            (true, false) => 0,
            (false, _) => a.value >> amount.min(127),
        };
        case(text.clone(), (a.width, a.signed), if left && amount >= a.width { 0 } else { value })
    };
    match op {
        "+" => case(text, (width + 1, signed), a.value + b.value),
        "-" => case(text, (width + 1, true), a.value - b.value),
        "*" => case(text, (a.width + b.width, signed), a.value * b.value),
        "&" => case(text, (width, signed), a.value & b.value),
        "|" => case(text, (width, signed), a.value | b.value),
        "^" => case(text, (width, signed), a.value ^ b.value),
        "/" => {
            let quotient = if b.value == 0 { -1 } else { a.value / b.value };
            case(text, (a.width + u32::from(b.signed), signed), quotient)
        }
        "%" => {
            let divisor = match (a.signed, b.signed) {
                (true, false) => b.width + 1,
                (false, true) => b.width - 1,
                _ => b.width,
            };
            let remainder = if b.value == 0 { a.value } else { a.value % b.value };
            case(text, (a.width.min(divisor).max(1), a.signed), remainder)
        }
        "::" => case(text, (a.width + b.width, false), bits(a) << b.width | bits(b)),
        "<<" => shift(true),
        ">>" => shift(false),
        "==" => truth(a.value == b.value),
        "!=" => truth(a.value != b.value),
        "<" => truth(a.value < b.value),
        "<=" => truth(a.value <= b.value),
        ">" => truth(a.value > b.value),
        ">=" => truth(a.value >= b.value),
        "&&" => truth(a.value != 0 && b.value != 0),
        _ => truth(a.value != 0 || b.value != 0),
    }
}

const OPERATORS: [&str; 19] =
    ["+", "-", "*", "&", "|", "^", "/", "%", "::", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];

fn unary(op: u8, width: u32, low: u32, a: &Case) -> Case {
    let text = &a.text;
    match op {
        0 => case(format!("(-{text})"), (a.width + 1, true), -a.value),
        1 => case(format!("(~{text})"), (a.width, a.signed), !a.value),
        2 => case(format!("(!{text})"), (1, false), i128::from(a.value == 0)),
        3 => case(format!("((signed){text})"), (a.width, true), a.value),
        4 => case(format!("((unsigned){text})"), (a.width, false), a.value),
        5 => case(format!("((signed<{width}>){text})"), (width, true), a.value),
        6 => case(format!("((unsigned<{width}>){text})"), (width, false), a.value),
        7 => {
            let low = low % a.width;
            let high = (low + width - 1).min(a.width - 1);
            case(format!("({text})[{high}:{low}]"), (high - low + 1, false), bits(a) >> low)
        }
        _ => {
            let low = low % a.width;
            case(format!("({text})[{low}]"), (1, false), bits(a) >> low)
        }
    }
}

/// Expressions narrow enough for `i128`.
fn expression() -> impl Strategy<Value = Case> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            4 => (prop::sample::select(OPERATORS.to_vec()), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| binary(op, &a, &b)),
            2 => (0_u8..9, 1_u32..20, 0_u32..64, inner.clone()).prop_map(|(op, width, low, a)| unary(op, width, low, &a)),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(cond, a, b)| {
                let text = format!("({} ? {} : {})", cond.text, a.text, b.text);
                case(text, common(&a, &b), if cond.value != 0 { a.value } else { b.value })
            }),
        ]
        .prop_filter("fits the reference", |case| case.width <= 60)
    })
}

struct Registers([U256; 8]);

impl Machine for Registers {
    fn read_reg(&mut self, _: RegId, index: u32) -> U256 {
        self.0[index as usize]
    }

    fn write_reg(&mut self, _: RegId, index: u32, value: U256) {
        self.0[index as usize] = value;
    }

    fn read_space(&mut self, space: SpaceId, address: u64, _: u32) -> Result<U256, Fault> {
        Err(Fault::Access { space, address })
    }

    fn write_space(&mut self, space: SpaceId, address: u64, _: u32, _: U256) -> Result<(), Fault> {
        Err(Fault::Access { space, address })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn evaluation_is_exact(cases in prop::collection::vec(expression(), 8)) {
        let behaviors: String = cases.iter().enumerate().map(|(index, case)| format!(
            "OP{index} {{ encoding: imm[11:0] :: 5'd{index} :: 3'd0 :: 5'd0 :: 7'd11; behavior: {{ \
             X[5] = (unsigned<64>){text}; X[6] = {text} < 0; X[7] = bitsizeof({text}); }} }}", text = case.text
        )).collect();
        let text = format!("import \"base.core_desc\" InstructionSet A extends Base {{ instructions {{ {behaviors} }} }}");
        let sources = MemorySources::new().with("base.core_desc", BASE).with("text", text);
        let program = Program::load("text", &sources).unwrap_or_else(|errors| panic!("{errors}"));
        let module = elaborate(&program, &["A"], 64).unwrap_or_else(|errors| panic!("{errors}"));
        for (case, instruction) in cases.iter().zip(&module.instructions) {
            let mut state = Registers([U256::ZERO; 8]);
            state.0[1..5].copy_from_slice(&REGISTERS.map(U256::from));
            let word = 0xffe0_0000 | instruction.encoding.value;
            eval::execute(&module, instruction, word, 0, &mut state).expect("no access to memory");
            prop_assert_eq!(state.0[5].as_u64(), case.value as u64, "{}", &case.text);
            prop_assert_eq!(state.0[6].as_u64() == 1, case.value < 0, "{}", &case.text);
            prop_assert_eq!(state.0[7].as_u32(), case.width, "{}", &case.text);
        }
    }
}
