//! Files that are no descriptions, and descriptions that are too much: a short message at once, whatever they hold.

use std::fs;
use std::path::{Path, PathBuf};

use coredsl::{Diagnostics, FileSources, MemorySources, Program, elaborate};
use render::render;

/// Bytes that a message may have, whatever the file has.
const MOST_MESSAGE: usize = 64 << 10;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn refusal(path: &Path) -> Diagnostics {
    Program::load(&path.to_string_lossy(), &FileSources::new(MemorySources::new()))
        .expect_err("no description")
}

/// A message with each sentence on one line.
fn unwrapped(text: &str) -> String {
    text.replace("\n  | ", " ")
}

/// What is said of a file with these bytes, named by the user and imported.
fn said_of(name: &str, bytes: &[u8]) -> [String; 2] {
    let folder = folder(name);
    let path = folder.join("bad.core_desc");
    fs::write(&path, bytes).expect("a file");
    fs::write(folder.join("a.core_desc"), "import \"bad.core_desc\" InstructionSet A { }").expect("a file");
    [path, folder.join("a.core_desc")].map(|path| {
        let text = render(&refusal(&path));
        assert!(text.len() < MOST_MESSAGE, "{} bytes", text.len());
        unwrapped(&text)
    })
}

#[test]
fn bytes_that_are_no_text_are_refused_by_their_place() {
    for text in said_of("zeros", &[0; 20_000]) {
        assert!(text.contains("byte 0 is NUL"), "{text}");
    }
    for text in said_of("nul", b"InstructionSet A { }\0") {
        assert!(text.contains("byte 20 is NUL"), "{text}");
    }
    for text in said_of("latin", b"// caf\xe9\nInstructionSet A { }") {
        assert!(text.contains("not UTF-8 from byte 6 on"), "{text}");
    }
}

#[test]
fn a_file_that_is_too_long_is_refused() {
    for text in said_of("long", " ".repeat(600 << 10).as_bytes()) {
        assert!(text.contains("longer than 512 KiB"), "{text}");
    }
}

#[test]
fn what_is_not_a_regular_file_is_not_opened() {
    let folder = folder("irregular");
    let text = unwrapped(&render(&refusal(&folder)));
    assert!(text.contains("it is a directory"), "{text}");
    // Reading it would never end.
    let text = unwrapped(&render(&refusal(Path::new("/dev/zero"))));
    assert!(text.contains("not a regular file"), "{text}");
    fs::write(folder.join("a.core_desc"), "import \"/dev/zero\"").expect("a file");
    let text = render(&refusal(&folder.join("a.core_desc")));
    assert!(text.contains("not a regular file") && text.contains("imported here"), "{text}");
}

#[test]
fn of_many_errors_the_first_twenty_are_shown() {
    let text =
        (0..50).map(|index| format!("InstructionSet A{index} extends Nothing {{ }}\n")).collect::<String>();
    let errors = Program::load("a", &MemorySources::new().with("a", text)).expect_err("no such base");
    assert_eq!(errors.iter().count(), 20);
    let shown = render(&errors);
    assert!(
        shown.contains("a:20:") && !shown.contains("a:21:") && shown.contains("and 30 more; fix these first"),
        "{shown}"
    );
}

#[test]
fn garbage_is_given_up() {
    for garbage in ["#", "# ", "#\n", "}", "{ ", "x", "x ", "\"", "InstructionSet ", "1'", "import 3 "] {
        for text in said_of("garbage", garbage.repeat((400 << 10) / garbage.len()).as_bytes()) {
            assert!(!text.is_empty(), "{garbage}");
        }
    }
    let [text, _] = said_of("hashes", "#\n".repeat(100_000).as_bytes());
    assert!(text.contains("and at least 980 more"), "{text}");
}

#[test]
fn long_lines_and_names_are_not_quoted() {
    let name = "x".repeat(300 << 10);
    for text in [format!("InstructionSet A extends {name} {{ }}"), format!("InstructionSet A {{ {name} }}")] {
        for said in said_of("names", text.as_bytes()) {
            assert!(said.contains("bad.core_desc:1:"), "{said}");
        }
    }
    let set =
        format!("InstructionSet A {{ instructions {{ I {{ encoding: 32'd3; behavior: {name} = 1; }} }} }}");
    let program = Program::load("a", &MemorySources::new().with("a", set)).expect("a description");
    let errors = elaborate(&program, &["A"], 32).expect_err("an unknown name");
    assert!(render(&errors).len() < MOST_MESSAGE);
}

#[test]
fn imports_have_bounds() {
    let chain = (0..200).fold(MemorySources::new(), |sources, index| {
        sources.with(format!("{index}"), format!("import \"{}\" InstructionSet S{index} {{ }}", index + 1))
    });
    let text = render(&Program::load("0", &chain).expect_err("a long chain"));
    assert!(text.contains("more than 64 files deep"), "{text}");
    let names = 0..400;
    let wide =
        names.clone().fold(MemorySources::new(), |sources, index| sources.with(format!("{index}"), ""));
    let imports: String = names.map(|index| format!("import \"{index}\"\n")).collect();
    let text = render(&Program::load("all", &wide.with("all", imports)).expect_err("many files"));
    assert!(text.contains("more than 256 files"), "{text}");
    let long = || " ".repeat(500 << 10);
    let heavy = (0..6).fold(MemorySources::new(), |sources, index| sources.with(format!("{index}"), long()));
    let imports: String = (0..6).map(|index| format!("import \"{index}\"\n")).collect();
    let text = render(&Program::load("all", &heavy.with("all", imports)).expect_err("much text"));
    assert!(text.contains("longer than 2048 KiB together"), "{text}");
}

#[test]
fn a_number_after_a_name_is_seen() {
    let text = "InstructionSet A { functions { unsigned<32> rol(unsigned<32> x) { return x; } }
        instructions { I { encoding: 27'd0 :: n[4:0]; behavior: { unsigned<32> x = rol64(n); } } } }";
    let program = Program::load("a", &MemorySources::new().with("a", text)).expect("a description");
    let errors = render(&elaborate(&program, &["A"], 32).expect_err("an unknown name"));
    assert!(errors.contains("did you mean `rol`?"), "{errors}");
}

/// The errors of an instruction that calls the first of `count` functions with these bodies.
fn calling(count: usize, body: impl Fn(usize) -> String) -> Result<(), String> {
    let functions: String = (0..count)
        .map(|index| format!("unsigned<8> f{index}(unsigned<8> x) {{ {} }}\n", body(index)))
        .collect();
    let text = format!(
        "InstructionSet A {{ functions {{ {functions} unsigned<8> f{count}(unsigned<8> x) {{ return x; }} }}
         instructions {{ I {{ encoding: 27'd0 :: n[4:0]; behavior: {{ unsigned<8> x = f0(n); }} }} }} }}"
    );
    let program = Program::load("a", &MemorySources::new().with("a", text)).expect("a description");
    elaborate(&program, &["A"], 32).map(drop).map_err(|errors| render(&errors))
}

#[test]
fn an_instruction_that_would_never_end_is_an_error() {
    let doubling = |index: usize| format!("return f{0}(x) ^ f{0}(x);", index + 1);
    assert!(calling(10, doubling).is_ok());
    let text = calling(60, doubling).expect_err("2^60 calls");
    assert!(text.contains("may never end"), "{text}");
    let looping =
        |index: usize| format!("for (int i = 0; i < 60000; i += 1) {{ x = f{}(x); }} return x;", index + 1);
    assert!(calling(1, |_| "for (int i = 0; i < 60000; i += 1) { x = f1(x); } return x;".to_owned()).is_ok());
    let text = calling(4, looping).expect_err("60000^4 calls");
    assert!(text.contains("may never end"), "{text}");
    let chain = |index: usize| format!("return f{}(x);", index + 1);
    assert!(calling(60, chain).is_ok());
    let text = calling(5000, chain).expect_err("a deep chain");
    assert!(text.contains("may never end"), "{text}");
}
