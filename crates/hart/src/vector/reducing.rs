//! What compiled code does itself with all elements of a group together.

/// A reduction, named as in the descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::upper_case_acronyms, missing_docs, reason = "the instructions' own names")]
pub enum Reduction {
    VREDSUM,
    VREDAND,
    VREDOR,
    VREDXOR,
    VREDMINU,
    VREDMIN,
    VREDMAXU,
    VREDMAX,
    VWREDSUMU,
    VWREDSUM,
}
