//! `O_` flags as RISC-V has them (`asm-generic/fcntl.h`).

#![allow(missing_docs, reason = "the flags' own names")]

pub const WRONLY: u32 = 0o1;
pub const RDWR: u32 = 0o2;
pub const ACCESS: u32 = 0o3;
pub const CREAT: u32 = 0o100;
pub const EXCL: u32 = 0o200;
pub const TRUNC: u32 = 0o1000;
pub const APPEND: u32 = 0o2000;
pub const NONBLOCK: u32 = 0o4000;
pub const DIRECTORY: u32 = 0o20_0000;
pub const NOFOLLOW: u32 = 0o40_0000;
pub const CLOEXEC: u32 = 0o200_0000;
pub const TMPFILE: u32 = 0o2020_0000;
