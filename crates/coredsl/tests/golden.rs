//! Golden files: each `.core_desc` beside what is expected of it in the `.txt` of the same name.
//! `UPDATE_GOLDEN=1 cargo test -p coredsl --test golden` writes the expectations anew.

use std::fs;
use std::path::{Path, PathBuf};

use coredsl::{MemorySources, Program, check_overlaps, elaborate, print};
use render::render;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn sources(name: &str, text: &str) -> MemorySources {
    let base = fs::read_to_string(folder("sources").join("base.core_desc")).expect("the shared description");
    MemorySources::new().with("base.core_desc", base).with(name, text)
}

/// What `check` makes of every description in a folder, compared with the files beside them.
fn compare(name: &str, check: impl Fn(&str, &str) -> String) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder(name))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "core_desc"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut different = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a description");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let actual = check(&name, &text);
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &actual).expect("a writable golden file");
        } else if fs::read_to_string(&golden).unwrap_or_default() != actual {
            different.push(format!("--- {name} gives\n{actual}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Errors of loading, else of elaborating every set for 64 bits.
#[test]
fn diagnostics() {
    compare("diagnostics", |name, text| {
        let program = match Program::load(name, &sources(name, text)) {
            Ok(program) => program,
            Err(diagnostics) => return render(&diagnostics),
        };
        let sets: Vec<&str> = program.set_names();
        match elaborate(&program, &sets, 64) {
            Ok(_) => panic!("{name} has no error"),
            Err(diagnostics) => render(&diagnostics),
        }
    });
}

/// The IR of every set but the base, for both widths; a comment says what a description shows.
#[test]
fn ir() {
    compare("ir", |name, text| {
        let program = Program::load(name, &sources(name, text)).expect("a description without errors");
        let mut result = String::new();
        for xlen in [32, 64] {
            let module =
                elaborate(&program, &program.set_names(), xlen).unwrap_or_else(|errors| panic!("{errors}"));
            result.push_str(&format!("XLEN {xlen}\n"));
            for function in &module.functions {
                result.push_str(&print::function(&module, function));
            }
            for instruction in &module.instructions {
                result.push_str(&print::instruction(&module, instruction));
            }
            for overlap in check_overlaps(&module) {
                result.push_str(&format!("{overlap}\n"));
            }
        }
        result
    });
}
