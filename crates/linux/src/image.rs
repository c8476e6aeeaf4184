//! A process at its start: the program's segments and the first thread's stack
//! (System V ABI, "Process Initialization"; RISC-V ELF psABI).

use hart::Memory;
use hart::elf::{Executable, Segment};
use hart::pages::{PAGE, Pages, Rights};
use isa::Isa;
use thiserror::Error;

use crate::errno::Errno;
use crate::executable::ExecutableFile;
use crate::options::Startup;
use crate::space::AddressSpace;
use crate::stack::StackContent;

/// Where a position-independent program is loaded.
const PIE_BASE: u64 = 0x4000_0000;
/// Largest arguments and environment together, as a quarter of the stack.
const ARGUMENT_SHARE: u64 = 4;
/// `addi a7, zero, 139; ecall`: returns from a signal handler (`rt_sigreturn`).
const SIGNAL_RETURN: [u32; 2] = [0x08b0_0893, 0x0000_0073];

/// Why a process cannot start.
#[derive(Debug, Error)]
pub enum ImageError {
    /// A segment that cannot be where it wants to be.
    #[error("the segment at {address:#x} of {size:#x} bytes cannot be mapped: {reason}")]
    Segment {
        /// Its address.
        address: u64,
        /// Its size.
        size: u64,
        /// Why not.
        reason: &'static str,
    },
    /// Arguments and environment that do not fit.
    #[error("arguments and environment take {bytes} bytes; there is room for {room}")]
    Arguments {
        /// Bytes needed.
        bytes: u64,
        /// Room.
        room: u64,
    },
    /// No memory for the stack.
    #[error("the guest's memory limit leaves no room for a stack of {bytes:#x} bytes; raise --memory")]
    Stack {
        /// Its size.
        bytes: u64,
    },
    /// The host refuses.
    #[error("the host cannot reserve {size:#x} bytes of address space for the guest")]
    HostMemory {
        /// Bytes asked for.
        size: u64,
        /// Its reason.
        source: std::io::Error,
    },
}

/// What a process starts with.
pub struct Start<'a> {
    /// Program name and arguments.
    pub arguments: &'a [Vec<u8>],
    /// Environment, as `NAME=value`.
    pub environment: &'a [Vec<u8>],
    /// Sixteen random bytes (`AT_RANDOM`).
    pub random: [u8; 16],
    /// Bytes of the first thread's stack.
    pub stack_bytes: u64,
    /// Most bytes of a signal handler's frame.
    pub signal_frame_bytes: u64,
    /// Whose conventions it starts by.
    pub startup: Startup,
}

/// Where the first thread begins.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What the program's own addresses are moved by.
    pub base: u64,
    /// First instruction.
    pub pc: u64,
    /// Stack pointer.
    pub sp: u64,
    /// End of what is on the stack.
    pub stack_top: u64,
    /// Code that a signal handler returns to.
    pub signal_return: u64,
}

/// A program about to be executed.
pub struct Image {
    /// Its address space.
    pub space: AddressSpace,
    /// Its memory.
    pub memory: Memory,
    /// Where it begins.
    pub entry: Entry,
    /// Its file.
    pub executable: ExecutableFile,
}

impl Image {
    /// Maps a program with what it starts with into an empty address space.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn new(
        program: &Executable<'_>,
        isa: &Isa,
        mut space: AddressSpace,
        start: &Start<'_>,
    ) -> Result<Self, ImageError> {
        let size = space.size();
        let host = |source| ImageError::HostMemory { size, source };
        let mut pages = Pages::new(size).map_err(host)?;
        let entry = load(program, isa, &mut space, &mut pages, start)?;
        let memory = Memory::paged(pages).map_err(host)?;
        Ok(Self { space, memory, entry, executable: ExecutableFile::default() })
    }
}

/// Maps a program and its stack.
///
/// # Errors
/// [`ImageError`].
fn load(
    program: &Executable<'_>,
    isa: &Isa,
    space: &mut AddressSpace,
    pages: &mut Pages,
    start: &Start<'_>,
) -> Result<Entry, ImageError> {
    if start.startup == Startup::Gem5 {
        space.map_upward();
    }
    let base = if program.position_independent { PIE_BASE } else { 0 };
    let signal_return = space.size() - PAGE;
    let stack_top = signal_return - PAGE;
    let no_room = ImageError::Stack { bytes: start.stack_bytes };
    let stack_bytes = start.stack_bytes.checked_next_multiple_of(PAGE);
    let Some(stack) = stack_bytes.and_then(|bytes| stack_top.checked_sub(bytes)) else { return Err(no_room) };
    let mut segments: Vec<&Segment<'_>> = program.segments.iter().collect();
    segments.sort_by_key(|segment| segment.address);
    let mut heap = 0;
    for segment in segments {
        let address = base.wrapping_add(segment.address);
        let failed = |reason| ImageError::Segment { address, size: segment.size, reason };
        if address < heap {
            return Err(failed("it overlaps another"));
        }
        map_segment(space, pages, address, segment, stack).map_err(failed)?;
        heap = heap.max(address.wrapping_add(segment.size));
    }
    space.start_heap(heap);
    let code = SIGNAL_RETURN.map(u32::to_le_bytes).concat();
    let both = Rights::READ | Rights::WRITE;
    if space.map_at(pages, stack, stack_top - stack, both).is_err()
        || space.map_at(pages, signal_return, PAGE, Rights::READ | Rights::EXECUTE).is_err()
    {
        return Err(no_room);
    }
    if let Some(target) = pages.raw_mut(signal_return, code.len()) {
        target.copy_from_slice(&code);
    }
    // The page above stays empty: an access whose page goes on into another of its rights is checked sooner.
    let content_top = stack_top - PAGE;
    let content = StackContent::new(program, isa, base, start, content_top);
    let room = (stack_top - stack) / ARGUMENT_SHARE;
    let bytes = stack_top - content.sp;
    if bytes > room {
        return Err(ImageError::Arguments { bytes, room });
    }
    if let Some(target) = pages.raw_mut(content.sp, content.bytes.len()) {
        target.copy_from_slice(&content.bytes);
    }
    Ok(Entry {
        base,
        pc: base.wrapping_add(program.entry),
        sp: content.sp,
        stack_top: content_top,
        signal_return,
    })
}

/// Maps a segment below `bound`; says why if it cannot be.
fn map_segment(
    space: &mut AddressSpace,
    pages: &mut Pages,
    address: u64,
    segment: &Segment<'_>,
    bound: u64,
) -> Result<(), &'static str> {
    let first = address & !(PAGE - 1);
    let end = address.checked_add(segment.size).and_then(|end| end.checked_next_multiple_of(PAGE));
    let end = end.filter(|&end| end <= bound).ok_or("it reaches beyond the address space of a process")?;
    let mut rights = Rights::NONE;
    for (granted, right) in [
        (segment.readable, Rights::READ),
        (segment.writable, Rights::WRITE),
        (segment.executable, Rights::EXECUTE),
    ] {
        if granted {
            rights = rights | right;
        }
    }
    let refused = |errno| match errno {
        Errno::EPERM => "nothing may lie below 0x10000",
        _ => "it does not fit into the guest's memory; raise --memory",
    };
    // Neighbouring segments may share a page; what the first put there stays, the later one's rights hold.
    let mut at = first;
    if space.is_mapped(&(first..first + PAGE)) {
        space.protect(pages, first, PAGE, rights).map_err(refused)?;
        at += PAGE;
    }
    if at < end {
        space.map_at(pages, at, end - at, rights).map_err(refused)?;
    }
    let target = pages.raw_mut(address, segment.bytes.len()).ok_or("it reaches beyond the address space")?;
    target.copy_from_slice(segment.bytes);
    Ok(())
}
