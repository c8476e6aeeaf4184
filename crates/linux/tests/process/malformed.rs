//! Malformed ELF files: an error that says what is wrong, or a process that ends.

use engine::{Blind, Limits, Machine, Program};
use hart::elf::Executable;
use hart::{Address, Host, Htif};
use isa::{Descriptions, Isa, Xlen};
use linux::{Files, ImageError, Options, Processes, Streams, TimeSource};

use crate::assembly;
use crate::elf;
use crate::script::{CODE, SCRATCH, Script, number};

/// Files in the ordinary run; `CIPHERMARK_FUZZ_FILES` asks for another number.
const FILES: u64 = 100_000;

struct Silent;

impl Streams for Silent {}

impl Host for Silent {
    fn console(&mut self, _: &[u8]) {}
}

fn options(arguments: Vec<Vec<u8>>) -> Options {
    Options {
        arguments,
        environment: vec![],
        memory_bytes: 16 << 20,
        stack_bytes: 64 << 10,
        most_processes: 8,
        vlen: None,
        time: TimeSource::Instructions,
        seed: Some(1),
        strace: false,
        startup: linux::Startup::default(),
    }
}

fn start(file: &[u8], arguments: Vec<Vec<u8>>) -> Result<(), ImageError> {
    let executable = Executable::parse(file).expect("an executable");
    let isa =
        Isa::parse(if executable.xlen == Xlen::Rv32 { "rv32gc" } else { "rv64gc" }, &[]).expect("an ISA");
    let files = Files::new(None, false).expect("no files");
    Processes::new(&executable, &isa, options(arguments), files).map(drop)
}

fn segment(address: u64, flags: u32, size: usize) -> (u64, u32, Vec<u8>) {
    (address, flags, vec![0x13; size])
}

fn refusal(segments: &[(u64, u32, Vec<u8>)]) -> String {
    start(&elf::file(Xlen::Rv64, CODE, segments), vec![]).expect_err("a bad file").to_string()
}

#[test]
fn a_segment_where_none_may_be_is_named() {
    assert_eq!(
        refusal(&[segment(0x1000, 5, 16)]),
        "the segment at 0x1000 of 0x10 bytes cannot be mapped: nothing may lie below 0x10000"
    );
    for address in [1 << 40, 1 << 63, u64::MAX - 7, (64 << 30) - 0x1000, (64 << 30) - 0x1_0000] {
        assert!(
            refusal(&[segment(address, 5, 16)]).ends_with("it reaches beyond the address space of a process")
        );
    }
    assert!(
        refusal(&[segment(0x1_0000, 5, 0x3000), segment(0x1_1000, 6, 16)]).ends_with("it overlaps another")
    );
    assert!(
        refusal(&[segment(0x1_1000, 6, 16), segment(0x1_0000, 5, 0x3000)]).ends_with("it overlaps another")
    );
    assert!(refusal(&[segment(0x1_0000, 5, 17 << 20)]).contains("raise --memory"));
}

#[test]
fn neighbours_may_share_a_page() {
    let file = elf::file(Xlen::Rv64, CODE, &[segment(0x1_0000, 5, 0x1234), segment(0x1_1234, 6, 0x2000)]);
    start(&file, vec![]).expect("a process");
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let file = elf::file(Xlen::Rv64, CODE, &[segment(CODE, 5, 16)]);
    let refused = start(&file, vec![vec![b'x'; 20_000]]).expect_err("too long").to_string();
    assert!(
        refused.contains("arguments and environment take") && refused.contains("room for 16384"),
        "{refused}"
    );
    start(&file, vec![vec![b'x'; 10_000]]).expect("a process");
    start(&file, vec![b"x".to_vec(); 5_000]).expect_err("too many");
}

#[test]
fn a_stack_beyond_the_memory_is_refused() {
    let file = elf::file(Xlen::Rv64, CODE, &[segment(CODE, 5, 16)]);
    let executable = Executable::parse(&file).expect("an executable");
    let isa = Isa::parse("rv64gc", &[]).expect("an ISA");
    for stack_bytes in [1 << 30, 1 << 50, u64::MAX] {
        let files = Files::new(None, false).expect("no files");
        let options = Options { stack_bytes, ..options(vec![]) };
        let refused = Processes::new(&executable, &isa, options, files).err().expect("too much");
        assert!(refused.to_string().contains("raise --memory"));
    }
}

/// A small generator (xorshift, Marsaglia 2003): the files repeat from run to run.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number at which programs go wrong.
    fn edge(&mut self) -> u64 {
        match self.below(6) {
            0 => self.next(),
            1 => 1 << self.below(64),
            2 => (1u64 << self.below(64)).wrapping_sub(1),
            3 => self.below(4096) as u64,
            4 => (self.below(4096) as u64).wrapping_neg(),
            _ => [0x1_0000, 0x20_0000, 64 << 30, 3 << 30, u64::MAX, 0x4000_0000][self.below(6)],
        }
    }

    fn spoil(&mut self, file: &mut Vec<u8>, header: usize) {
        for _ in 0..=self.below(4) {
            let within = if self.below(4) > 0 { header.min(file.len()) } else { file.len() };
            if within < 8 {
                return;
            }
            let at = self.below(within - 7);
            let value = self.edge().to_le_bytes();
            match self.below(5) {
                0 => file[at] ^= 1 << self.below(8),
                1 => file[at] = value[0],
                2 => file[at & !1..][..2].copy_from_slice(&value[..2]),
                3 => file[at & !3..][..4].copy_from_slice(&value[..4]),
                _ => file[at & !7..][..8].copy_from_slice(&value),
            }
        }
        if self.below(16) == 0 {
            file.truncate(self.below(file.len()));
        }
    }
}

/// A whole program with symbols and attributes, whose file ends with what a linker writes there.
fn whole(xlen: Xlen) -> (Vec<u8>, usize) {
    let mut script = Script::of(xlen);
    script.call(number::GETPID, &[]);
    script.code = Some(assembly::call(number::EXIT_GROUP, &[0]));
    let mut file = elf::file(
        xlen,
        CODE,
        &[(CODE, 5, script.elf()[..256].to_vec()), (SCRATCH, 6, vec![1; 64]), (SCRATCH + 64, 4, vec![2; 64])],
    );
    elf::add_sections(xlen, &mut file);
    let header = if xlen == Xlen::Rv32 { 52 + 3 * 32 } else { 64 + 3 * 56 };
    (file, header)
}

#[test]
fn random_headers() {
    let files =
        std::env::var("CIPHERMARK_FUZZ_FILES").ok().and_then(|text| text.parse().ok()).unwrap_or(FILES);
    let descriptions = Descriptions::read(&[]).expect("none");
    let programs = ["rv32imac", "rv64imac"].map(|isa| Program::new(isa, &descriptions).expect("an ISA"));
    let good = [Xlen::Rv32, Xlen::Rv64].map(whole);
    for (file, _) in &good {
        let executable = Executable::parse(file).expect("an executable");
        assert_eq!(executable.arch.as_deref(), Some("rv64i2p1"));
        assert_eq!(executable.symbol("main"), Some(CODE));
    }
    let mut generator = Generator(0x9e37_79b9_7f4a_7c15);
    let (mut parsed, mut ran) = (0u64, 0u64);
    for _ in 0..files {
        let (file, header) = &good[generator.below(2)];
        let mut file = file.clone();
        generator.spoil(&mut file, *header);
        let Ok(executable) = Executable::parse(&file) else { continue };
        parsed += 1;
        if let Some(arch) = &executable.arch
            && arch != "rv64i2p1"
        {
            let _ = Isa::parse(arch, &[]);
        }
        let _ = executable.load(1 << 20);
        let program = &programs[usize::from(executable.xlen == Xlen::Rv64)];
        let no_files = Files::new(None, false).expect("no files");
        let process = Processes::new(&executable, program.isa(), options(vec![b"x".to_vec()]), no_files);
        let Ok((mut process, memory)) = process else { continue };
        let mut machine = Machine::new(program, memory, Address(process.entry()), Htif::default());
        process.run(&mut machine, Limits { instructions: Some(200) }, &mut Blind, &mut Silent);
        ran += 1;
    }
    assert!(parsed > files / 10 && ran > files / 100, "{parsed} parsed, {ran} ran");
}
