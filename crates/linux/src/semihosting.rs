//! RISC-V semihosting ("RISC-V Semihosting" 1.0, which takes its calls from Arm's "Semihosting for AArch32 and AArch64"):
//! console, files below one directory, clocks and the end of a bare machine's program.

use std::io::SeekFrom;
use std::path::Path;

use hart::{Address, Memory, System};
use isa::Xlen;

use crate::clock::{Clock, SECOND, TimeSource};
use crate::errno::Errno;
use crate::files::{Files, Object, Outcome, Place, flag};
use crate::guest::Guest;
use crate::random::Random;
use crate::streams::Streams;

/// Registers of a call: its number, which the result replaces, and its parameter.
const NUMBER: u16 = 10;
const PARAMETER: u16 = 11;
/// What a call returns that failed.
const FAILED: u64 = u64::MAX;
/// `ADP_Stopped_ApplicationExit`.
const APPLICATION_EXIT: u64 = 0x20026;
/// Name of the console.
const CONSOLE: &[u8] = b":tt";
/// Name of what says which extensions there are: a magic word, and `SH_EXT_EXIT_EXTENDED` and
/// `SH_EXT_STDOUT_STDERR`.
const FEATURES: &[u8] = b":semihosting-features";
const FEATURE_BYTES: &[u8] = b"SHFB\x03";
/// Files that the guest did not open: the standard streams.
const STANDARD: i32 = 3;
/// Most bytes that a call reads, writes or prints at once.
const MOST_BYTES: u64 = 1 << 24;
/// Mode of a new file.
const NEW: u32 = 0o644;

/// What a call leads to.
enum Reply {
    /// It returns this.
    Return(u64),
    /// The program ends with this status.
    Exit(u64),
}

/// The host's side of semihosting.
pub struct Semihosting {
    files: Files,
    /// Name and arguments of the program, with spaces between.
    command: Vec<u8>,
    clock: Clock,
    random: Random,
    errno: u16,
    is_told: bool,
    unopened: Vec<Vec<u8>>,
}

impl Semihosting {
    /// For a program with this name and arguments, which finds files below `root` and may write them if `writable`.
    ///
    /// # Errors
    /// The host's, if the directory cannot be opened.
    pub fn new(
        root: Option<&Path>,
        writable: bool,
        arguments: &[Vec<u8>],
        time: TimeSource,
        seed: Option<u64>,
    ) -> std::io::Result<Self> {
        Ok(Self {
            files: Files::new(root, writable)?,
            command: arguments.join(&b' '),
            clock: Clock::new(time),
            random: Random::new(seed),
            errno: 0,
            is_told: false,
            unopened: Vec::new(),
        })
    }

    /// Paths that could not be opened for want of a root directory.
    pub fn unopened(&self) -> impl Iterator<Item = &[u8]> {
        self.unopened.iter().map(Vec::as_slice)
    }

    /// Carries out the call at the program counter, and goes on after it; or returns the status that the program
    /// ends with.
    pub fn call(&mut self, system: &mut System, host: &mut dyn Streams) -> Option<u64> {
        let xlen = system.hart.csrs.xlen();
        let (number, parameter) = (system.hart.x(NUMBER), system.hart.x(PARAMETER));
        let retired = system.hart.retired();
        let mut call = Call { semihosting: self, memory: &mut system.memory, host, xlen, parameter, retired };
        let result = match call.carry_out(number & 0xffff_ffff) {
            Ok(Reply::Return(value)) => value,
            Ok(Reply::Exit(status)) => return Some(status),
            Err(errno) => {
                self.errno = errno.number();
                FAILED
            }
        };
        system.hart.set_x(NUMBER, result & xlen.mask());
        let pc = system.hart.pc().0;
        system.hart.set_pc(pc.wrapping_add(4) & xlen.mask());
        None
    }
}

struct Call<'a> {
    semihosting: &'a mut Semihosting,
    memory: &'a mut Memory,
    host: &'a mut dyn Streams,
    xlen: Xlen,
    parameter: u64,
    retired: u64,
}

impl Call<'_> {
    fn carry_out(&mut self, number: u64) -> Result<Reply, Errno> {
        let value = match number {
            // SYS_OPEN, SYS_CLOSE.
            0x01 => self.open()?,
            0x02 => {
                let handle = self.handle()?;
                if handle < STANDARD {
                    return Err(Errno::EBADF);
                }
                self.semihosting.files.close(handle)?;
                0
            }
            // SYS_WRITEC, SYS_WRITE0, which return nothing: the register stays as it is.
            0x03 => {
                let byte = self.memory.get::<1>(self.parameter)?;
                self.host.console(&byte);
                number
            }
            0x04 => {
                let text = self.text(self.parameter)?;
                self.host.console(&text);
                number
            }
            // SYS_WRITE, SYS_READ, SYS_READC.
            0x05 => self.write()?,
            0x06 => self.read()?,
            0x07 => {
                let mut byte = [0];
                match self.host.input(&mut byte) {
                    Some(1) => byte[0].into(),
                    _ => FAILED,
                }
            }
            // SYS_ISERROR, SYS_ISTTY.
            0x08 => {
                let status = self.word(0)?;
                u64::from(status >> (self.xlen.bits() - 1) & 1 == 1)
            }
            0x09 => {
                let handle = self.handle()?;
                let file = self.semihosting.files.get(handle)?;
                matches!(file.object, Object::Input | Object::Output | Object::ErrorOutput).into()
            }
            // SYS_SEEK, SYS_FLEN.
            0x0a => {
                let (handle, to) = (self.handle()?, self.word(1)?);
                self.semihosting.files.get_mut(handle)?.seek(SeekFrom::Start(to))?;
                0
            }
            0x0c => {
                let handle = self.handle()?;
                self.semihosting.files.get(handle)?.object.status()?.size
            }
            // SYS_REMOVE, SYS_RENAME.
            0x0e => {
                let place = self.place(0)?;
                self.semihosting.files.root.remove(&place, false)?;
                0
            }
            0x0f => {
                let (from, to) = (self.place(0)?, self.place(2)?);
                self.semihosting.files.root.rename(&from, &to)?;
                0
            }
            // SYS_CLOCK in hundredths of a second, SYS_TIME in seconds.
            0x10 => self.semihosting.clock.monotonic(self.retired) / (SECOND / 100),
            0x11 => self.semihosting.clock.realtime(self.retired) / SECOND,
            // SYS_ERRNO.
            0x13 => self.semihosting.errno.into(),
            // SYS_GET_CMDLINE, SYS_HEAPINFO.
            0x15 => self.command_line()?,
            0x16 => {
                let block = self.word(0)?;
                for index in 0..4 {
                    // Zero: not known.
                    self.put_word(block, index, 0)?;
                }
                0
            }
            // SYS_EXIT, SYS_EXIT_EXTENDED.
            0x18 if self.xlen == Xlen::Rv32 => return Ok(Reply::Exit(ended(self.parameter, 0))),
            0x18 | 0x20 => return Ok(Reply::Exit(ended(self.word(0)?, self.word(1)?))),
            // SYS_ELAPSED, SYS_TICKFREQ.
            0x30 => {
                let now = self.semihosting.clock.monotonic(self.retired);
                self.memory.put(self.parameter, &now.to_le_bytes())?;
                0
            }
            0x31 => SECOND,
            _ => {
                if !std::mem::replace(&mut self.semihosting.is_told, true) {
                    self.host.message(&format!(
                        "semihosting call {number:#x} is not implemented; the program gets -1"
                    ));
                }
                return Err(Errno::ENOSYS);
            }
        };
        Ok(Reply::Return(value))
    }

    /// A word of the block that the parameter points to.
    fn word(&self, index: u64) -> Result<u64, Errno> {
        let bytes = u64::from(self.xlen.bits()) / 8;
        let address = self.parameter.wrapping_add(index * bytes) & self.xlen.mask();
        match self.xlen {
            Xlen::Rv32 => self.memory.get_u32(address).map(u64::from),
            Xlen::Rv64 => self.memory.get_u64(address),
        }
    }

    fn put_word(&mut self, block: u64, index: u64, value: u64) -> Result<(), Errno> {
        let bytes = self.xlen.bits() as usize / 8;
        let address = block.wrapping_add(index * bytes as u64) & self.xlen.mask();
        self.memory.put(address, &value.to_le_bytes()[..bytes])
    }

    fn handle(&self) -> Result<i32, Errno> {
        i32::try_from(self.word(0)?).map_err(|_| Errno::EBADF)
    }

    /// Bytes that end with a zero.
    fn text(&self, address: u64) -> Result<Vec<u8>, Errno> {
        let mut text = Vec::new();
        while (text.len() as u64) < MOST_BYTES {
            match self.memory.get::<1>(address.wrapping_add(text.len() as u64))? {
                [0] => return Ok(text),
                [byte] => text.push(byte),
            }
        }
        Err(Errno::EINVAL)
    }

    /// The name whose address and length are in two words of the block.
    fn name(&self, index: u64) -> Result<Vec<u8>, Errno> {
        let (address, length) = (self.word(index)?, self.word(index + 1)?);
        let length = usize::try_from(length.min(MOST_BYTES)).map_err(|_| Errno::EINVAL)?;
        self.memory.bytes(address, length).map(<[u8]>::to_vec)
    }

    fn place(&self, index: u64) -> Result<Place, Errno> {
        Place::new(self.semihosting.files.root.working(), &self.name(index)?)
    }

    fn open(&mut self) -> Result<u64, Errno> {
        let mode = self.word(1)?;
        let (address, length) = (self.word(0)?, self.word(2)?);
        let length = usize::try_from(length.min(MOST_BYTES)).map_err(|_| Errno::EINVAL)?;
        let name = self.memory.bytes(address, length)?.to_vec();
        // As for fopen: r, r+, w, w+, a, a+, each of text or binary.
        let flags = match mode / 2 {
            0 => 0,
            1 => flag::RDWR,
            2 => flag::WRONLY | flag::CREAT | flag::TRUNC,
            3 => flag::RDWR | flag::CREAT | flag::TRUNC,
            4 => flag::WRONLY | flag::CREAT | flag::APPEND,
            5 => flag::RDWR | flag::CREAT | flag::APPEND,
            _ => return Err(Errno::EINVAL),
        };
        let files = &mut self.semihosting.files;
        if name == CONSOLE {
            let stream = files.share((mode / 4) as i32)?;
            return Ok(files.place(stream, STANDARD, false)? as u64);
        }
        if name == FEATURES {
            let features = Object::Text { content: FEATURE_BYTES.into(), position: 0 };
            return Ok(files.open(features, flags)? as u64);
        }
        let place = Place::new(files.root.working(), &name)?;
        match files.root.open(&place, flags, NEW) {
            Err(errno) => {
                if files.root.is_bare() && !self.semihosting.unopened.contains(&name) {
                    self.semihosting.unopened.push(name);
                }
                Err(errno)
            }
            Ok(object) => Ok(files.open(object, flags)? as u64),
        }
    }

    /// Returns how many bytes are not written.
    fn write(&mut self) -> Result<u64, Errno> {
        let (handle, address, length) = (self.handle()?, self.word(1)?, self.word(2)?);
        let most = length.min(MOST_BYTES) as usize;
        let bytes = self.memory.bytes(address, most)?;
        let written = match self.semihosting.files.get_mut(handle)?.write(bytes, self.host)? {
            Outcome::Done(written) => written as u64,
            Outcome::Blocks | Outcome::Ended => 0,
        };
        Ok(length - written)
    }

    /// Returns how many bytes are not read.
    fn read(&mut self) -> Result<u64, Errno> {
        let (handle, address, length) = (self.handle()?, self.word(1)?, self.word(2)?);
        let most = length.min(MOST_BYTES) as usize;
        let target = self.memory.slice_mut(Address(address), most).ok_or(Errno::EFAULT)?;
        let Semihosting { files, random, .. } = &mut *self.semihosting;
        let read = match files.get_mut(handle)?.read(target, self.host, random)? {
            Outcome::Done(read) => read as u64,
            Outcome::Blocks | Outcome::Ended => 0,
        };
        Ok(length - read)
    }

    fn command_line(&mut self) -> Result<u64, Errno> {
        let (buffer, room) = (self.word(0)?, self.word(1)?);
        let mut line = self.semihosting.command.clone();
        line.push(0);
        if line.len() as u64 > room {
            return Err(Errno::EINVAL);
        }
        self.memory.put(buffer, &line)?;
        self.put_word(self.parameter, 1, line.len() as u64 - 1)?;
        Ok(0)
    }
}

/// The status of a program that ended for a reason.
const fn ended(reason: u64, status: u64) -> u64 {
    if reason == APPLICATION_EXIT { status } else { 1 }
}
