//! The first thread's stack as a process finds it (System V ABI, "Process Initialization"; RISC-V ELF psABI).

use hart::elf::Executable;
use hart::pages::PAGE;
use isa::{Isa, Xlen};

use crate::image::Start;
use crate::options::Startup;
use crate::signal::push_word;

/// Bytes at the top of the first thread's stack.
pub struct StackContent {
    pub sp: u64,
    pub bytes: Vec<u8>,
}

impl StackContent {
    /// What a process finds on its stack, up to `top`, which is a page's end.
    pub fn new(program: &Executable<'_>, isa: &Isa, base: u64, start: &Start<'_>, top: u64) -> Self {
        match start.startup {
            Startup::Linux => Self::of_linux(program, isa, base, start, top),
            Startup::Gem5 => Self::of_gem5(program, isa, base, start, top),
        }
    }

    fn of_linux(program: &Executable<'_>, isa: &Isa, base: u64, start: &Start<'_>, top: u64) -> Self {
        let xlen = isa.xlen();
        let mut strings: Vec<u8> = Vec::new();
        let mut place = |text: &[u8]| {
            let offset = strings.len() as u64;
            strings.extend_from_slice(text);
            strings.push(0);
            offset
        };
        let arguments: Vec<u64> = start.arguments.iter().map(|text| place(text)).collect();
        let environment: Vec<u64> = start.environment.iter().map(|text| place(text)).collect();
        let random = strings.len() as u64;
        strings.extend_from_slice(&start.random);
        let text = top.saturating_sub((strings.len() as u64).next_multiple_of(16));
        let auxiliary =
            auxiliary(program, isa, base, start, text + random, text + arguments.first().unwrap_or(&0));
        let mut words = Vec::new();
        words.push(arguments.len() as u64);
        words.extend(arguments.iter().map(|offset| text + offset));
        words.push(0);
        words.extend(environment.iter().map(|offset| text + offset));
        words.push(0);
        words.extend(auxiliary.iter().flat_map(|&(kind, value)| [kind, value]));
        let mut bytes = Vec::new();
        for word in words {
            push_word(&mut bytes, word, xlen);
        }
        let sp = text.saturating_sub(bytes.len() as u64) & !15;
        bytes.resize((text - sp) as usize, 0);
        bytes.extend_from_slice(&strings);
        Self { sp, bytes }
    }

    /// As gem5 has it (arch/riscv/process.cc of v24.0): random bytes at the top, each string below the one before it,
    /// and an auxiliary vector of few entries, whose random bytes are where the strings begin.
    fn of_gem5(program: &Executable<'_>, isa: &Isa, base: u64, start: &Start<'_>, top: u64) -> Self {
        let xlen = isa.xlen();
        let word = u64::from(xlen.bits()) / 8;
        // The highest address of its stack is the last of a page.
        let top = top - 1;
        let mut strings: Vec<u8> = start.random.iter().rev().copied().collect();
        let mut place = |text: &[u8]| {
            strings.push(0);
            strings.extend(text.iter().rev());
            top - strings.len() as u64
        };
        let arguments: Vec<u64> = start.arguments.iter().map(|text| place(text)).collect();
        let environment: Vec<u64> = start.environment.iter().map(|text| place(text)).collect();
        let text = (top - strings.len() as u64) & !(word - 1);
        let mut words = vec![arguments.len() as u64];
        words.extend(arguments);
        words.push(0);
        words.extend(environment);
        words.push(0);
        let header = program.program_headers.map_or(0, |address| base.wrapping_add(address));
        let (null, phdr, phent, phnum, pagesz, entry, secure, random) = (0, 3, 4, 5, 6, 9, 23, 25);
        let auxiliary = [
            (entry, base.wrapping_add(program.entry)),
            (phnum, program.program_header_count.into()),
            (phent, header_bytes(xlen)),
            (phdr, header),
            (pagesz, PAGE),
            (secure, 0),
            (random, text),
            (null, 0),
        ];
        words.extend(auxiliary.iter().flat_map(|&(kind, value)| [kind, value]));
        let mut bytes = Vec::new();
        words.into_iter().for_each(|one| push_word(&mut bytes, one, xlen));
        let sp = text.saturating_sub(bytes.len() as u64) & !(2 * word - 1);
        bytes.resize((top - sp) as usize - strings.len(), 0);
        bytes.extend(strings.iter().rev());
        Self { sp, bytes }
    }
}

/// The auxiliary vector (`linux/auxvec.h`).
fn auxiliary(
    program: &Executable<'_>,
    isa: &Isa,
    base: u64,
    start: &Start<'_>,
    random: u64,
    program_name: u64,
) -> Vec<(u64, u64)> {
    // One bit a single-letter extension (Linux, "RISC-V Hardware Probing", AT_HWCAP).
    let capabilities = "imafdcv".chars().filter(|letter| isa.has(letter.encode_utf8(&mut [0; 4])));
    let capabilities = capabilities.fold(0, |bits, letter| bits | 1 << (letter as u64 - 'a' as u64));
    let (null, phdr, phent, phnum, pagesz, at_base, flags, entry) = (0, 3, 4, 5, 6, 7, 8, 9);
    let (uid, euid, gid, egid, hwcap, clktck, secure, at_random, execfn, minsigstksz) =
        (11, 12, 13, 14, 16, 17, 23, 25, 31, 51);
    vec![
        (phdr, program.program_headers.map_or(0, |address| base.wrapping_add(address))),
        (phent, header_bytes(isa.xlen())),
        (phnum, program.program_header_count.into()),
        (pagesz, PAGE),
        (at_base, 0),
        (flags, 0),
        (entry, base.wrapping_add(program.entry)),
        (uid, 1000),
        (euid, 1000),
        (gid, 1000),
        (egid, 1000),
        (hwcap, capabilities),
        (clktck, 100),
        (secure, 0),
        (at_random, random),
        (execfn, program_name),
        (minsigstksz, start.signal_frame_bytes),
        (null, 0),
    ]
}

/// Bytes of a program header.
const fn header_bytes(xlen: Xlen) -> u64 {
    match xlen {
        Xlen::Rv32 => 32,
        Xlen::Rv64 => 56,
    }
}
