use rtl::Description;
fn main() {
    let mut args = std::env::args().skip(1);
    let xlen = args.next().unwrap().parse().unwrap();
    let stages = args.next().unwrap().parse().unwrap();
    let mut seen = std::collections::HashSet::new();
    println!("/* verilator lint_off DECLFILENAME */\n/* verilator lint_off MULTITOP */");
    for path in args {
        let d = Description::read(&path, xlen, stages).unwrap();
        for r in &d.refused { eprintln!("{} {}", r.name, r.reason); }
        for one in &d.datapaths { if seen.insert(one.module.clone()) { println!("{}", one.text); } }
        if std::env::var("UNIT").is_ok() { println!("{}", d.unit()); }
    }
}
