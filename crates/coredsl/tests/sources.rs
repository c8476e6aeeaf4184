//! Where imports are found.

use std::fs;
use std::path::PathBuf;

use coredsl::{FileSources, MemorySources, Program};
use render::render;

const BUILT_IN: &str = "InstructionSet BuiltIn { }";

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(folder.join("inner")).expect("a folder for the test");
    folder
}

fn load(path: &std::path::Path, built_in: MemorySources) -> Program {
    Program::load(&path.to_string_lossy(), &FileSources::new(built_in))
        .unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn imports_are_relative_to_the_importing_file() {
    let folder = folder("relative");
    fs::write(folder.join("a.core_desc"), "import \"inner/b.core_desc\" InstructionSet A { }")
        .expect("a file");
    fs::write(folder.join("inner/b.core_desc"), "import \"../c.core_desc\" InstructionSet B { }")
        .expect("a file");
    fs::write(folder.join("c.core_desc"), "import \"inner/b.core_desc\" InstructionSet C { }")
        .expect("a file");
    let program = load(&folder.join("a.core_desc"), MemorySources::new());
    assert_eq!(program.set_names(), ["C", "B", "A"]);
}

#[test]
fn files_come_before_built_in_descriptions() {
    let folder = folder("before");
    let built_in = || MemorySources::new().with("base.core_desc", BUILT_IN).with("only.core_desc", BUILT_IN);
    fs::write(folder.join("a.core_desc"), "import \"base.core_desc\"").expect("a file");
    fs::write(folder.join("base.core_desc"), "InstructionSet Mine { }").expect("a file");
    fs::write(folder.join("b.core_desc"), "import \"only.core_desc\"").expect("a file");
    assert_eq!(load(&folder.join("a.core_desc"), built_in()).set_names(), ["Mine"]);
    let program = load(&folder.join("b.core_desc"), built_in());
    let files: Vec<&str> = program.sets().map(|set| set.file).collect();
    assert_eq!(files, ["built-in:only.core_desc"]);
}

#[test]
fn built_in_descriptions_import_each_other() {
    let built_in = MemorySources::new()
        .with("first.core_desc", "import \"Cargo.toml\" InstructionSet First { }")
        .with("Cargo.toml", BUILT_IN);
    // A file of that name lies in the working directory of this test.
    assert!(PathBuf::from("Cargo.toml").exists());
    let program = load(&PathBuf::from("first.core_desc"), built_in);
    assert_eq!(program.set_names(), ["BuiltIn", "First"]);
}

#[test]
fn a_second_description_joins_the_first() {
    let sources = MemorySources::new()
        .with("a", BUILT_IN)
        .with("b", "import \"a\" InstructionSet B extends BuiltIn { }");
    let mut program = Program::load("a", &sources).expect("a description");
    program.add("b", &sources).expect("a description that imports the first");
    assert_eq!(program.set_names(), ["BuiltIn", "B"]);
    let error = program.add("c", &sources).expect_err("no such description");
    assert!(render(&error).contains("there is no description `c`"));
    assert_eq!(program.set_names(), ["BuiltIn", "B"]);
}

#[test]
fn unknown_sets_are_suggested() {
    let sources = MemorySources::new().with("a", BUILT_IN);
    let program = Program::load("a", &sources).expect("a description");
    let error = coredsl::elaborate(&program, &["BuiltinX"], 32).expect_err("no such set");
    assert!(render(&error).contains("did you mean `BuiltIn`?"));
}
