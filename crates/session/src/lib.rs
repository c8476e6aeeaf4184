//! One run of a guest, bare-metal or a process: what it is given ([`Environment`]), what is watched ([`Watch`]), how
//! it ends ([`linux::Ending`]). Everything that is decided about a run is decided here, for whoever starts it.

mod attribution;
mod environment;
mod failure;
mod guest;
mod secrets;
mod watch;
mod window;

pub use crate::secrets::{Harness, Judgement, check, trace};
pub use attribution::{by_extension, by_mnemonic};
pub use environment::Environment;
pub use failure::Failure;
pub use guest::Guest;
pub use watch::{Seen, Watch, run};
