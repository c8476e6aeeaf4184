//! Guests that make the system calls of a table, one after the other.

use engine::{Blind, Limits, Machine, Observer, Program};
use hart::elf::Executable;
use hart::{Address, Host, Htif};
use isa::{Descriptions, Xlen};
use linux::{Ending, Files, Options, Processes, Streams, TimeSource};

use crate::assembly::{self, A0, S0, ZERO};

/// Memory that scripts use as they like, readable and writable, of [`SCRATCH_BYTES`].
pub const SCRATCH: u64 = 0x20_0000;
/// Its size.
pub const SCRATCH_BYTES: usize = 0x1_0000;
/// Where the code is.
pub const CODE: u64 = 0x1_0000;
const TABLE: u64 = 0x30_0000;
/// Instructions after which a run ends.
const LIMIT: u64 = 1_000_000;

/// System calls by number, the same for both widths but for time.
pub mod number {
    #![allow(missing_docs, reason = "the calls' own names")]
    pub const GETCWD: u64 = 17;
    pub const EVENTFD2: u64 = 19;
    pub const EPOLL_CREATE1: u64 = 20;
    pub const EPOLL_CTL: u64 = 21;
    pub const EPOLL_PWAIT: u64 = 22;
    pub const DUP: u64 = 23;
    pub const DUP3: u64 = 24;
    pub const MKNODAT: u64 = 33;
    pub const MKDIRAT: u64 = 34;
    pub const UNLINKAT: u64 = 35;
    pub const SYMLINKAT: u64 = 36;
    pub const LINKAT: u64 = 37;
    pub const TRUNCATE: u64 = 45;
    pub const FTRUNCATE: u64 = 46;
    pub const FACCESSAT: u64 = 48;
    pub const CHDIR: u64 = 49;
    pub const FCHDIR: u64 = 50;
    pub const FCHMOD: u64 = 52;
    pub const FCHMODAT: u64 = 53;
    pub const OPENAT: u64 = 56;
    pub const CLOSE: u64 = 57;
    pub const PIPE2: u64 = 59;
    pub const GETDENTS64: u64 = 61;
    pub const LSEEK: u64 = 62;
    pub const READ: u64 = 63;
    pub const WRITE: u64 = 64;
    pub const READV: u64 = 65;
    pub const WRITEV: u64 = 66;
    pub const PREAD64: u64 = 67;
    pub const PWRITE64: u64 = 68;
    pub const PPOLL: u64 = 73;
    pub const SENDFILE: u64 = 71;
    pub const READLINKAT: u64 = 78;
    pub const FSTATAT: u64 = 79;
    pub const EXIT: u64 = 93;
    pub const EXIT_GROUP: u64 = 94;
    pub const FUTEX: u64 = 98;
    pub const NANOSLEEP: u64 = 101;
    pub const SETITIMER: u64 = 103;
    pub const CLOCK_GETTIME: u64 = 113;
    pub const SCHED_YIELD: u64 = 124;
    pub const KILL: u64 = 129;
    pub const TGKILL: u64 = 131;
    pub const RT_SIGSUSPEND: u64 = 133;
    pub const RT_SIGACTION: u64 = 134;
    pub const RT_SIGPROCMASK: u64 = 135;
    pub const RT_SIGPENDING: u64 = 136;
    pub const RT_SIGTIMEDWAIT: u64 = 137;
    pub const RT_SIGRETURN: u64 = 139;
    pub const SETGID: u64 = 144;
    pub const SETREUID: u64 = 145;
    pub const SETUID: u64 = 146;
    pub const SETRESUID: u64 = 147;
    pub const GETRESUID: u64 = 148;
    pub const GETGROUPS: u64 = 158;
    pub const SETGROUPS: u64 = 159;
    pub const SETPGID: u64 = 154;
    pub const GETPID: u64 = 172;
    pub const GETPPID: u64 = 173;
    pub const SOCKET: u64 = 198;
    pub const CONNECT: u64 = 203;
    pub const GETPEERNAME: u64 = 205;
    pub const BRK: u64 = 214;
    pub const MUNMAP: u64 = 215;
    pub const MREMAP: u64 = 216;
    pub const CLONE: u64 = 220;
    pub const MMAP: u64 = 222;
    pub const EXECVE: u64 = 221;
    pub const MPROTECT: u64 = 226;
    pub const WAIT4: u64 = 260;
    pub const EXECVEAT: u64 = 281;
    pub const RENAMEAT2: u64 = 276;
    pub const GETRANDOM: u64 = 278;
}

/// `AT_FDCWD`.
pub const HERE: u64 = -100i64 as u64;

/// A guest under construction.
pub struct Script {
    /// Register width.
    pub xlen: Xlen,
    /// ISA string after `rv32` or `rv64`.
    pub extensions: &'static str,
    /// Code to run instead of the table's loop.
    pub code: Option<Vec<u32>>,
    /// The table: number and arguments.
    pub calls: Vec<[u64; 7]>,
    /// The scratch memory at the start.
    pub scratch: Vec<u8>,
    /// Bytes of it that are spoken for.
    pub used: usize,
    /// Most bytes of memory.
    pub memory_bytes: u64,
    /// Most instructions.
    pub limit: Option<u64>,
    /// What the program may reach of the host.
    pub files: Files,
    /// Report system calls.
    pub strace: bool,
}

/// What became of a guest.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What each call of the table returned, sign-extended; those not made return 0.
    pub results: Vec<i64>,
    /// What it wrote.
    pub console: Vec<u8>,
    /// What the user was told.
    pub messages: Vec<String>,
    /// The scratch memory, unless the guest has unmapped it.
    pub scratch: Option<Vec<u8>>,
    /// Instructions retired.
    pub retired: u64,
}

impl Outcome {
    /// A word of the scratch memory.
    pub fn word(&self, address: u64) -> u64 {
        let scratch = self.scratch.as_deref().expect("scratch memory is there");
        let at = (address - SCRATCH) as usize;
        u64::from_le_bytes(scratch[at..at + 8].try_into().expect("eight bytes"))
    }
}

impl Script {
    /// A 64-bit guest without files.
    pub fn new() -> Self {
        Self::of(Xlen::Rv64)
    }

    /// A guest without files.
    pub fn of(xlen: Xlen) -> Self {
        Self {
            xlen,
            extensions: "imafd_zicsr",
            code: None,
            calls: Vec::new(),
            scratch: vec![0; SCRATCH_BYTES],
            used: SCRATCH_BYTES / 2,
            memory_bytes: 64 << 20,
            limit: Some(LIMIT),
            files: Files::new(None, false).expect("no files are needed"),
            strace: false,
        }
    }

    /// A guest with the files below a directory.
    pub fn below(root: &std::path::Path, writable: bool) -> Self {
        Self { files: Files::new(Some(root), writable).expect("the directory is there"), ..Self::new() }
    }

    /// Adds a call; returns its place among the results.
    pub fn call(&mut self, number: u64, arguments: &[u64]) -> usize {
        let mut row = [0; 7];
        row[0] = number;
        row[1..=arguments.len()].copy_from_slice(arguments);
        self.calls.push(row);
        self.calls.len() - 1
    }

    /// Puts bytes into the upper half of the scratch memory; returns their address.
    pub fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = self.used.next_multiple_of(16);
        self.used = at + bytes.len();
        self.scratch[at..self.used].copy_from_slice(bytes);
        SCRATCH + at as u64
    }

    /// Puts a string with its terminating zero there.
    pub fn text(&mut self, text: &str) -> u64 {
        self.put(&[text.as_bytes(), b"\0"].concat())
    }

    /// Puts words of 64 bits there.
    pub fn words(&mut self, words: &[u64]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(&bytes)
    }

    /// The table's loop: `s0` at a row; `a7` and `a0` to `a5` from it, the result after them.
    fn table_loop(&self) -> Vec<u32> {
        let word = i32::from(self.xlen.bits() / 8);
        let mut code = assembly::load_immediate(S0, TABLE as i32);
        let start = code.len();
        code.push(assembly::load(self.xlen, 17, S0, 0));
        code.extend(
            (0..6).map(|index| assembly::load(self.xlen, A0 + index, S0, word * (1 + i32::from(index)))),
        );
        code.push(assembly::ECALL);
        code.push(assembly::store(self.xlen, A0, S0, 7 * word));
        code.push(assembly::addi(S0, S0, 8 * word));
        let back = (code.len() - start) as i32 * -4;
        code.push(assembly::jal(ZERO, back));
        code
    }

    /// The program as an ELF file.
    pub fn elf(&self) -> Vec<u8> {
        let code = self.code.clone().unwrap_or_else(|| self.table_loop());
        let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes = usize::from(self.xlen.bits() / 8);
        let exit = [94, 0, 0, 0, 0, 0, 0];
        let rows = self.calls.iter().chain(std::iter::once(&exit));
        let table: Vec<u8> = rows
            .flat_map(|row| row.iter().chain(&[0]))
            .flat_map(|word| word.to_le_bytes()[..bytes].to_vec())
            .collect();
        crate::elf::file(
            self.xlen,
            CODE,
            &[(CODE, 5, code), (SCRATCH, 6, self.scratch.clone()), (TABLE, 6, table)],
        )
    }

    /// Runs it.
    pub fn run(self) -> Outcome {
        let program = self.program();
        self.run_on(&program)
    }

    /// Of its ISA.
    pub fn program(&self) -> Program {
        let isa = format!("{}{}", if self.xlen == Xlen::Rv32 { "rv32" } else { "rv64" }, self.extensions);
        let descriptions = Descriptions::read(&[]).expect("none");
        Program::new(&isa, &descriptions).expect("an ISA")
    }

    /// Runs it on a program's ISA.
    pub fn run_on(self, program: &Program) -> Outcome {
        self.watched(program, &mut Blind)
    }

    /// Runs it on a program's ISA while something watches.
    pub fn watched<O: Observer>(self, program: &Program, observer: &mut O) -> Outcome {
        let file = self.elf();
        let executable = Executable::parse(&file).expect("an executable");
        let options = Options {
            arguments: vec![b"script".to_vec()],
            environment: vec![],
            memory_bytes: self.memory_bytes,
            stack_bytes: 1 << 20,
            most_processes: 8,
            vlen: program.isa().vlen_of_hart(None).expect("a length"),
            time: TimeSource::Instructions,
            seed: Some(1),
            strace: self.strace,
            startup: linux::Startup::default(),
        };
        let (mut process, memory) =
            Processes::new(&executable, program.isa(), options, self.files).expect("a process");
        let mut machine = Machine::new(program, memory, Address(process.entry()), Htif::default());
        let mut user = User::default();
        let ending = process.run(&mut machine, Limits { instructions: self.limit }, observer, &mut user);
        let memory = &machine.memory;
        let word = u64::from(self.xlen.bits() / 8);
        let result = |index: u64| {
            let bytes =
                memory.slice(Address(TABLE + (8 * index + 7) * word), word as usize).unwrap_or(&[0; 8]);
            match bytes.try_into() {
                Ok(bytes) => i64::from_le_bytes(bytes),
                Err(_) => i32::from_le_bytes(bytes.try_into().expect("four bytes")).into(),
            }
        };
        Outcome {
            ending,
            results: (0..self.calls.len() as u64).map(result).collect(),
            console: user.console,
            messages: user.messages,
            scratch: memory.slice(Address(SCRATCH), SCRATCH_BYTES).map(<[u8]>::to_vec),
            retired: machine.hart.retired(),
        }
    }
}

/// Takes what a guest says, and ends it after a minute.
struct User {
    console: Vec<u8>,
    messages: Vec<String>,
    started: std::time::Instant,
}

impl Default for User {
    fn default() -> Self {
        Self { console: Vec::new(), messages: Vec::new(), started: std::time::Instant::now() }
    }
}

impl Streams for User {}

impl Host for User {
    fn console(&mut self, bytes: &[u8]) {
        self.console.extend_from_slice(bytes);
    }

    fn message(&mut self, text: &str) {
        self.messages.push(text.to_owned());
    }

    fn keep_going(&mut self) -> bool {
        self.started.elapsed().as_secs() < 60
    }
}
