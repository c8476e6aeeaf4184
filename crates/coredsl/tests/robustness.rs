//! Nothing that can be written makes the front end or the evaluator panic.

use coredsl::eval::{self, Fault, Machine};
use coredsl::ir::{RegId, SpaceId};
use coredsl::{MemorySources, Program, check_overlaps, elaborate, print};
use ethnum::U256;
use proptest::prelude::*;
use render::render;

const BASE: &str = include_str!("sources/base.core_desc");
const VALID: [&str; 4] = [
    include_str!("ir/chacha.core_desc"),
    include_str!("ir/control.core_desc"),
    include_str!("ir/memory.core_desc"),
    include_str!("ir/versions.core_desc"),
];

/// Answers every read with the same bits.
struct Constant(U256);

impl Machine for Constant {
    fn read_reg(&mut self, _: RegId, _: u32) -> U256 {
        self.0 & U256::from(u32::MAX)
    }

    fn write_reg(&mut self, _: RegId, _: u32, _: U256) {}

    fn read_space(&mut self, _: SpaceId, _: u64, elements: u32) -> Result<U256, Fault> {
        Ok(self.0 & ((U256::ONE << (8 * elements.min(31))) - U256::ONE))
    }

    fn write_space(&mut self, _: SpaceId, _: u64, _: u32, _: U256) -> Result<(), Fault> {
        Ok(())
    }
}

/// Everything the crate can do with a text.
fn use_all(text: &str) {
    let sources = MemorySources::new().with("base.core_desc", BASE).with("text", text);
    let program = match Program::load("text", &sources) {
        Ok(program) => program,
        Err(diagnostics) => {
            assert!(!render(&diagnostics).is_empty());
            return;
        }
    };
    for xlen in [32, 64] {
        match elaborate(&program, &program.set_names(), xlen) {
            Ok(module) => {
                check_overlaps(&module);
                for instruction in &module.instructions {
                    print::instruction(&module, instruction);
                    let word = instruction.encoding.value | !instruction.encoding.mask & 0x5a5a_5a5a;
                    let _ = eval::execute(&module, instruction, word, 0x1000, &mut Constant(U256::MAX));
                }
            }
            Err(diagnostics) => assert!(!render(&diagnostics).is_empty()),
        }
    }
}

/// Words and signs of the language, in any order.
fn soup() -> impl Strategy<Value = String> {
    let words = [
        "import",
        "\"base.core_desc\"",
        "InstructionSet",
        "Core",
        "extends",
        "provides",
        "combines",
        "Base",
        "A",
        "architectural_state",
        "functions",
        "instructions",
        "always",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "[[",
        "]]",
        "<",
        ">",
        ";",
        ":",
        "::",
        ",",
        "=",
        "+=",
        "++",
        "--",
        "?",
        "+",
        "-",
        "*",
        "/",
        "%",
        "&",
        "|",
        "^",
        "~",
        "!",
        "<<",
        ">>",
        "==",
        "<=",
        "&&",
        "||",
        ".",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "break",
        "continue",
        "return",
        "spawn",
        "unsigned",
        "signed",
        "int",
        "bool",
        "void",
        "auto",
        "struct",
        "register",
        "extern",
        "const",
        "encoding",
        "assembly",
        "behavior",
        "enable",
        "X",
        "PC",
        "MEM",
        "XLEN",
        "raise",
        "rd",
        "rs1",
        "0",
        "1",
        "32'd3",
        "5'b0",
        "64",
        "0xff",
        "8'sh80",
        "\"{name(rd)}\"",
        "sizeof",
        "\"",
        "/*",
        "//",
        "\n",
        "#",
        "é",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..60).prop_map(|words| words.join(" "))
}

/// A valid description with pieces removed, doubled or exchanged.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (0_u8..4, any::<prop::sample::Index>(), any::<prop::sample::Index>(), soup());
    (prop::sample::select(VALID.to_vec()), prop::collection::vec(edit, 1..4)).prop_map(|(text, edits)| {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        for (kind, first, second, noise) in edits {
            if words.is_empty() {
                break;
            }
            let (a, b) = (first.index(words.len()), second.index(words.len()));
            match kind {
                0 => drop(words.remove(a)),
                1 => words.insert(a, words[b].clone()),
                2 => words.swap(a, b),
                _ => words[a] = noise.chars().take(12).collect(),
            }
        }
        words.join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        use_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(text in soup()) {
        use_all(&text);
    }

    #[test]
    fn any_behavior(text in soup()) {
        use_all(&format!(
            "import \"base.core_desc\" InstructionSet A extends Base {{ instructions {{ OP {{ \
             encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'd11; behavior: {{ {text} }} }} }} }}"
        ));
    }

    #[test]
    fn any_edit(text in mutated()) {
        use_all(&text);
    }
}

fn instruction(behavior: &str) -> String {
    format!(
        "import \"base.core_desc\" InstructionSet A extends Base {{ instructions {{ \
         OP {{ encoding: 32'd3; behavior: {behavior} }} }} }}"
    )
}

/// All errors of a text.
fn errors(text: &str) -> String {
    let sources = MemorySources::new().with("base.core_desc", BASE).with("text", text);
    let diagnostics = Program::load("text", &sources).expect_err("a text that is too deep");
    diagnostics.iter().map(|diagnostic| diagnostic.summary() + "\n").collect()
}

#[test]
fn deep_nesting_is_an_error() {
    let nested = |open: &str, inner: &str, close: &str| {
        errors(&instruction(&format!("X[1] = {}{inner}{};", open.repeat(50_000), close.repeat(50_000))))
    };
    for (open, close) in [("(", ")"), ("~", ""), ("X[", "]"), ("1 ? 1 : ", ""), ("(int)", ""), ("xt(", ")")] {
        assert!(nested(open, "1", close).contains("levels deep"), "{open}");
    }
    for statement in ["{", "if (1) ", "while (0) ", "do ", "for (;;) ", "if (1) ; else "] {
        let said = errors(&instruction(&statement.repeat(50_000)));
        assert!(said.contains("levels deep"), "{statement}: {said}");
    }
}

#[test]
fn long_expressions_are_an_error() {
    for operator in [" + ", " ^ ", " && ", "[0]", "++"] {
        let text = instruction(&format!("X[1] = 1{};", format!("{operator}1").repeat(50_000)));
        use_all(&text);
    }
    use_all(&instruction(&format!("X[1] = 1{};", "[0]".repeat(50_000))));
    use_all(&instruction(&format!("X[1] = 1{};", " :: 1'b1".repeat(50_000))));
}

#[test]
fn the_deepest_allowed_nesting_works() {
    let nested = |levels: usize| format!("X[1] = {}1{};", "(".repeat(levels), ")".repeat(levels));
    use_all(&instruction(&nested(90)));
    use_all(&instruction(&format!("X[1] = X[1]{};", " ^ X[1]".repeat(150))));
    use_all(&instruction(&format!("X[1] = 1{};", " :: 1'b1".repeat(250))));
    use_all(&instruction(&format!("{}{}{}", "if (X[1]) { ".repeat(45), nested(40), "}".repeat(45))));
}

#[test]
fn imports_may_lead_in_circles() {
    let sources = MemorySources::new()
        .with("a", "import \"b\"\nInstructionSet A extends B { }")
        .with("b", "import \"a\"; import \"a\"; import \"./b\"\nInstructionSet B { }");
    let program = Program::load("a", &sources).expect("a circle of imports");
    assert_eq!(program.set_names(), ["B", "A"]);
}
