//! Which instructions a program may use: ISA strings, the known extensions, decoding and disassembly,
//! all from the descriptions in `isa/`. What instructions do to a hart is not known here.

mod builtin;
pub mod compare;
pub mod csr;
mod decode;
pub mod disassembly;
pub mod extension;
mod header;
mod instructions;
pub mod operands;
mod privileged;
mod profile;
mod string;
pub mod table;
mod vlen;
mod xlen;

pub use builtin::{Builtin, DESCRIPTIONS};
pub use decode::{Decoder, InstructionId, is_wide};
pub use extension::unbuilt as unbuilt_extension;
pub use header::{Share, header};
pub use instructions::{Descriptions, Instructions, InstructionsError, extensions_of, providers};
pub use privileged::{Privileged, privileged};
pub use profile::{PROFILES, Profile};
pub use string::{Isa, IsaError};
pub use vlen::{Vlen, VlenError};
pub use xlen::Xlen;
