//! What a block touches in its hart's own caches: as long as all of that hits, no other hart notices, and every
//! instruction takes the usual time.

/// What is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch<Access> {
    /// The line of an address is fetched from. `again`: the one before it that is fetched from is the same, and between
    /// them is an access to data.
    Fetch { line: u64, again: bool },
    /// Data, at the address that is this one of a record's words.
    Data { access: Access, word: u32 },
}

/// By which of the instructions that must be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touching<Access> {
    pub touch: Touch<Access>,
    pub watched: u32,
}
