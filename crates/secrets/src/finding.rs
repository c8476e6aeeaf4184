//! What was found.

use crate::trail::Way;

/// What a secret reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Kind {
    /// The condition of a branch, or whether an exception is raised.
    Branch,
    /// The target of a jump.
    Jump,
    /// The address of a load, or whether it is made.
    LoadAddress,
    /// The address of a store, or whether it is made.
    StoreAddress,
    /// The length or the type of vectors.
    VectorLength,
    /// The number of an element: of a gather, or where a slide begins.
    ElementIndex,
    /// An argument of a system call.
    SystemCall,
    /// An operand of an instruction whose time depends on it on the machine in question.
    Latency,
    /// An operand of an instruction of which no list says that its time does not depend on it.
    Unlisted,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Branch,
        Self::Jump,
        Self::LoadAddress,
        Self::StoreAddress,
        Self::VectorLength,
        Self::ElementIndex,
        Self::SystemCall,
        Self::Latency,
        Self::Unlisted,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Jump => "jump-target",
            Self::LoadAddress => "load-address",
            Self::StoreAddress => "store-address",
            Self::VectorLength => "vector-length",
            Self::ElementIndex => "element-index",
            Self::SystemCall => "system-call",
            Self::Latency => "latency",
            Self::Unlisted => "unlisted",
        }
    }
}

/// An instruction that a secret reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What it reached.
    pub kind: Kind,
    /// Address of the instruction.
    pub pc: u64,
    /// How often.
    pub times: u64,
    /// The way it took the first time.
    pub way: Way,
    /// Number of the call during which that was, in the order of [`crate::Calls`]; `None` outside of calls.
    pub call: Option<usize>,
}
