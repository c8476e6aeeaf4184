//! Checks a description: `check FILE XLEN SET...`; without sets, each set for itself.

use coredsl::{FileSources, MemorySources, Program, check_overlaps, elaborate, print};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, xlen, sets @ ..] = args.as_slice() else {
        eprintln!("usage: check FILE XLEN [SET...]");
        std::process::exit(2);
    };
    let xlen: u16 = xlen.parse().unwrap_or(64);
    let program = match Program::load(file, &FileSources::new(MemorySources::new())) {
        Ok(program) => program,
        Err(diagnostics) => {
            eprint!("{}", diagnostics.render(false));
            std::process::exit(1);
        }
    };
    let groups: Vec<Vec<&str>> = if sets.is_empty() {
        program.set_names().into_iter().map(|name| vec![name]).collect()
    } else {
        vec![sets.iter().map(String::as_str).collect()]
    };
    for group in groups {
        match elaborate(&program, &group, xlen) {
            Ok(module) => {
                println!(
                    "{}: {} instructions, {} functions",
                    group.join("+"),
                    module.instructions.len(),
                    module.functions.len()
                );
                for instruction in &module.instructions {
                    print!("{}", print::instruction(&module, instruction));
                }
                for overlap in check_overlaps(&module) {
                    println!("  {overlap}");
                }
            }
            Err(diagnostics) => println!("{}:\n{}", group.join("+"), diagnostics.render(false)),
        }
    }
}
