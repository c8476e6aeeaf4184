//! What `stat` tells of a file.

use cap_std::fs::{FileTypeExt, Metadata, MetadataExt};

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe.
    Pipe,
    /// A character device: a terminal, or one of those this project makes up.
    Device,
    /// Anything else: out of bounds.
    Other,
}

impl Kind {
    /// Of a file of the host.
    pub fn of(metadata: &Metadata) -> Self {
        let kind = metadata.file_type();
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_symlink() {
            Self::Link
        } else if kind.is_fifo() {
            Self::Pipe
        } else {
            Self::Other
        }
    }

    /// `S_IFMT` bits.
    const fn mode(self) -> u32 {
        match self {
            Self::File => 0o100_000,
            Self::Directory => 0o040_000,
            Self::Link => 0o120_000,
            Self::Pipe => 0o010_000,
            Self::Device => 0o020_000,
            Self::Other => 0o140_000,
        }
    }

    /// `d_type`.
    pub const fn directory_type(self) -> u8 {
        (self.mode() >> 12) as u8
    }
}

/// What is known of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// What it is.
    pub kind: Kind,
    permissions: u32,
    device: u64,
    inode: u64,
    links: u64,
    /// Bytes.
    pub size: u64,
    blocks: u64,
    /// Access, modification and change, in seconds and nanoseconds.
    times: [(i64, i64); 3],
}

/// Bytes of `struct stat`, and of `struct statx`.
pub const STAT_BYTES: usize = 128;
/// Bytes of `struct statx`.
pub const STATX_BYTES: usize = 256;
const BLOCK: u32 = 4096;
/// `STATX_BASIC_STATS`.
const KNOWN: u32 = 0x7ff;
const OWNER: u32 = 1000;

impl From<&Metadata> for Status {
    fn from(metadata: &Metadata) -> Self {
        Self {
            kind: Kind::of(metadata),
            permissions: metadata.mode() & 0o777,
            device: metadata.dev(),
            inode: metadata.ino(),
            links: metadata.nlink(),
            size: metadata.size(),
            blocks: metadata.blocks(),
            times: [
                (metadata.atime(), metadata.atime_nsec()),
                (metadata.mtime(), metadata.mtime_nsec()),
                (metadata.ctime(), metadata.ctime_nsec()),
            ],
        }
    }
}

impl Status {
    /// True if somebody may execute it.
    pub const fn is_executable(&self) -> bool {
        self.permissions & 0o111 != 0
    }

    /// Of a file that this project makes up.
    pub const fn made_up(kind: Kind, permissions: u32, size: u64) -> Self {
        Self { kind, permissions, device: 1, inode: 1, links: 1, size, blocks: 0, times: [(0, 0); 3] }
    }

    /// `struct stat` (`asm-generic/stat.h`, the same for both register widths).
    pub fn stat(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(STAT_BYTES);
        for word in [self.device, self.inode] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for word in [self.kind.mode() | self.permissions, self.links as u32, OWNER, OWNER] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for word in [0, 0, self.size, u64::from(BLOCK), self.blocks] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for (seconds, nanoseconds) in self.times {
            bytes.extend_from_slice(&seconds.to_le_bytes());
            bytes.extend_from_slice(&nanoseconds.to_le_bytes());
        }
        bytes.resize(STAT_BYTES, 0);
        bytes
    }

    /// `struct statx`.
    pub fn statx(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(STATX_BYTES);
        for word in [KNOWN, BLOCK, 0, 0, self.links as u32, OWNER, OWNER] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&((self.kind.mode() | self.permissions) as u16).to_le_bytes());
        bytes.extend_from_slice(&[0; 2]);
        for word in [self.inode, self.size, self.blocks, 0] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        // Access, birth (not known), change, modification.
        let [access, modification, change] = self.times;
        for (seconds, nanoseconds) in [access, (0, 0), change, modification] {
            bytes.extend_from_slice(&seconds.to_le_bytes());
            bytes.extend_from_slice(&(nanoseconds as u32).to_le_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        for word in [0, 0, (self.device >> 8) as u32, self.device as u32 & 0xff] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.resize(STATX_BYTES, 0);
        bytes
    }
}
