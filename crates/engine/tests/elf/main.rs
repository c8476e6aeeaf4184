//! Reading and loading of ELF files, well-formed and not.

mod attributes;
mod file;
mod loading;
mod malformed;
