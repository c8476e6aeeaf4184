//! Executing another program (`execve`): a static ELF file below the root directory, or a script whose first line names
//! one.

use cap_std::fs::{File, FileExt};
use hart::elf::{ElfError, Executable};
use isa::{Isa, Vlen, Xlen};

use crate::delivery::most_frame_bytes;
use crate::errno::Errno;
use crate::executable::ExecutableFile;
use crate::files::{Object, Place, Status, descriptor, flag};
use crate::guest::Guest;
use crate::image::{Image, ImageError, Start};
use crate::options::Options;
use crate::signal::Words;
use crate::space::AddressSpace;
use crate::syscall::{AT_EMPTY_PATH, AT_FDCWD, Call, Reply, directory_path};

/// Most bytes of an argument (`MAX_ARG_STRLEN`).
const LONGEST_ARGUMENT: usize = 128 << 10;
/// Most bytes of arguments and environment together, as Linux bounds them for a stack of 8 MiB.
const MOST_ARGUMENTS: usize = 2 << 20;
/// Most scripts of which each names the next (`BINPRM_MAX_RECURSION`).
const MOST_SCRIPTS: usize = 4;
/// Most bytes of a script's first line (`BINPRM_BUF_SIZE`).
const LONGEST_LINE: usize = 256;

/// `execveat`, of a path or of an open file.
///
/// # Errors
/// As [`execve`].
pub fn execveat(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, path, arguments, environment, flags, _] = call.arguments;
    let path = call.memory.string(path)?;
    if path.is_empty() {
        if flags & AT_EMPTY_PATH == 0 {
            return Err(Errno::ENOENT);
        }
        let (path, content) = read_open(call, call.int(0))?;
        return execute(call, path, Some(content), arguments, environment);
    }
    let path = match call.int(0) {
        AT_FDCWD => path,
        directory => Place::new(&directory_path(call, directory)?, &path)?.path(),
    };
    execute(call, path, None, arguments, environment)
}

/// `execve`.
///
/// # Errors
/// As Linux has them: `ENOEXEC` for what is no program, `EACCES` for a file without the right to execute it, `E2BIG`,
/// `ENOMEM`.
pub fn execve(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [path, arguments, environment, ..] = call.arguments;
    let path = call.memory.string(path)?;
    execute(call, path, None, arguments, environment)
}

/// Executes a file by its path, or what is known to be there.
fn execute(
    call: &mut Call<'_>,
    path: Vec<u8>,
    content: Option<Vec<u8>>,
    arguments: u64,
    environment: u64,
) -> Result<Reply, Errno> {
    let mut room = MOST_ARGUMENTS;
    let mut arguments = strings(call, arguments, &mut room)?;
    let environment = strings(call, environment, &mut room)?;
    if arguments.is_empty() {
        arguments.push(Vec::new());
    }
    if let Some(follower) = call.shared.kin.alone {
        call.tell_once(&format!(
            "this program executes another: it gets ENOSYS, because {follower} follows one program only; \
             run it without {follower}"
        ));
        return Err(Errno::ENOSYS);
    }
    let (file, content) = find(call, path, content, &mut arguments)?;
    let program =
        Executable::parse_without_symbols(&content).map_err(|error| refuse(call, &file.path, &error))?;
    if program.xlen != call.process.xlen {
        return Err(Errno::ENOEXEC);
    }
    let space = AddressSpace::new(call.process.xlen, call.process.space.budget());
    let given = (arguments.as_slice(), environment.as_slice());
    let random = call.shared.random.bytes();
    let image = map(&program, &call.process.isa, space, &call.shared.options, given, random);
    let mut image = image.map_err(|error| match error {
        ImageError::Segment { .. } => Errno::ENOEXEC,
        ImageError::Arguments { .. } => Errno::E2BIG,
        ImageError::Stack { .. } | ImageError::HostMemory { .. } => Errno::ENOMEM,
    })?;
    image.executable = file;
    call.process.image = Some(Box::new(image));
    Ok(Reply::Exec)
}

/// Maps a program with its arguments and environment into an empty address space.
///
/// # Errors
/// [`ImageError`].
pub fn map(
    program: &Executable<'_>,
    isa: &Isa,
    space: AddressSpace,
    options: &Options,
    (arguments, environment): (&[Vec<u8>], &[Vec<u8>]),
    random: [u8; 16],
) -> Result<Image, ImageError> {
    let start = Start {
        arguments,
        environment,
        random,
        stack_bytes: options.stack_bytes,
        signal_frame_bytes: most_frame_bytes(isa.xlen(), options.vlen.map_or(0, Vlen::bytes)),
        startup: options.startup,
    };
    Image::new(program, isa, space, &start)
}

/// An array of strings that a null pointer ends; a null pointer is an empty one.
fn strings(call: &Call<'_>, address: u64, room: &mut usize) -> Result<Vec<Vec<u8>>, Errno> {
    let mut found = Vec::new();
    if address == 0 {
        return Ok(found);
    }
    let mut words = Words { memory: call.memory, at: address, xlen: call.process.xlen };
    loop {
        let address = words.next()?;
        if address == 0 {
            return Ok(found);
        }
        let text = call.memory.string_within(address, LONGEST_ARGUMENT)?.ok_or(Errno::E2BIG)?;
        let word = if call.process.xlen == Xlen::Rv32 { 4 } else { 8 };
        *room = room.checked_sub(text.len() + 1 + word).ok_or(Errno::E2BIG)?;
        found.push(text);
    }
}

/// The program that a path names, through scripts, which put themselves in front of the arguments.
fn find(
    call: &mut Call<'_>,
    mut path: Vec<u8>,
    mut content: Option<Vec<u8>>,
    arguments: &mut Vec<Vec<u8>>,
) -> Result<(ExecutableFile, Vec<u8>), Errno> {
    for _ in 0..=MOST_SCRIPTS {
        let (file, content) = match content.take() {
            Some(content) => (ExecutableFile { path: path.clone(), content: None }, content),
            None => named(call, &path)?,
        };
        let Some(line) = content.strip_prefix(b"#!") else { return Ok((file, content)) };
        let line = &line[..line.len().min(LONGEST_LINE)];
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        let (interpreter, rest) = match line.iter().position(u8::is_ascii_whitespace) {
            Some(end) => (&line[..end], line[end..].trim_ascii()),
            None => (line, &b""[..]),
        };
        if interpreter.is_empty() {
            return Err(Errno::ENOEXEC);
        }
        // The interpreter, what stands after it, the script; what the script was called by is dropped.
        let mut before = vec![interpreter.to_vec()];
        if !rest.is_empty() {
            before.push(rest.to_vec());
        }
        before.push(path);
        path = interpreter.to_vec();
        arguments.splice(..1, before);
    }
    Err(Errno::ELOOP)
}

/// The file that a path names, and its content.
fn named(call: &mut Call<'_>, path: &[u8]) -> Result<(ExecutableFile, Vec<u8>), Errno> {
    let mut place = Place::new(call.process.files.root.working(), path)?;
    if let Some(number) = descriptor(&place.path()) {
        let (path, content) = read_open(call, number)
            .map_err(|errno| if errno == Errno::EBADF { Errno::ENOENT } else { errno })?;
        return Ok((ExecutableFile { path, content: None }, content));
    }
    if ExecutableFile::is_named_by(&place) {
        let file = call.process.executable.clone();
        if let Some(content) = &file.content {
            let content = content.to_vec();
            return Ok((file, content));
        }
        place = file.place()?;
    }
    let content = read(call, &place)?;
    Ok((ExecutableFile { path: place.path(), content: None }, content))
}

/// All of a file that may be executed.
fn read(call: &mut Call<'_>, place: &Place) -> Result<Vec<u8>, Errno> {
    let root = &call.process.files.root;
    if let Err(errno) = root.status(place, true) {
        if root.is_bare() {
            call.shared.remember_unopened(place.path());
        }
        return Err(errno);
    }
    let Object::Regular(file) = root.open(place, flag::NONBLOCK, 0)? else { return Err(Errno::EACCES) };
    content(&file, call.process.space.room())
}

/// Path and content of an open file that may be executed. A script's interpreter gets the path, which it can
/// open even if the number closes on `execve`.
fn read_open(call: &Call<'_>, number: i32) -> Result<(Vec<u8>, Vec<u8>), Errno> {
    let description = call.process.files.get(number)?;
    let Object::Regular(file) = &description.object else { return Err(Errno::EACCES) };
    Ok((description.path.clone(), content(file, call.process.space.room())?))
}

/// All of a file that may be executed, if it takes no more than `room`: what does not fit into the memory that is left
/// could not be loaded either.
fn content(file: &File, room: u64) -> Result<Vec<u8>, Errno> {
    let status = Status::from(&file.metadata()?);
    if !status.is_executable() {
        return Err(Errno::EACCES);
    }
    if status.size > room {
        return Err(Errno::ENOMEM);
    }
    let mut content = vec![0; status.size as usize];
    let mut done = 0;
    while done < content.len() {
        match file.read_at(&mut content[done..], done as u64)? {
            0 => break,
            read => done += read,
        }
    }
    content.truncate(done);
    Ok(content)
}

/// The error for a file that is no program that can run here. The user is told why, unless it is no program at all,
/// which shells read as a script.
fn refuse(call: &mut Call<'_>, path: &[u8], error: &ElfError) -> Errno {
    let path = String::from_utf8_lossy(path);
    match error {
        ElfError::Dynamic(_) => {
            call.tell_once(&format!("{path}: {error}; the program that executes it gets ENOENT"));
            Errno::ENOENT
        }
        ElfError::NotRiscv(_) => {
            call.tell_once(&format!("{path}: {error}; the program that executes it gets ENOEXEC"));
            Errno::ENOEXEC
        }
        _ => Errno::ENOEXEC,
    }
}
