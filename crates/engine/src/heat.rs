//! How far a block is on its way to be compiled.

/// How far a block is on its way to be compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heat {
    /// Executed this often.
    Executed(u32),
    /// Compiled.
    Compiled(Entry),
    /// Never to be compiled.
    Unfit,
}

/// A way into compiled code, as its compiler numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(pub u32);
