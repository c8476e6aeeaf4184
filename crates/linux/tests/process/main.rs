//! Processes from their first instruction to their end: system calls, threads, signals, files, and programs
//! that mean harm.

mod assembly;
mod deadlock;
mod descriptors;
mod elf;
mod files;
mod hostile;
mod identity;
mod limits;
mod malformed;
mod memory;
mod processes;
mod random_calls;
mod random_processes;
mod sandbox;
mod script;
mod signals;
mod threads;
mod units;
