//! Floating-point arithmetic of F, D, Zfh, Zfbfmin, Zfa and V (RISC-V Unprivileged ISA), on bit patterns.
//!
//! It is done on integers, the same code for every format and rounding mode: results are exact before one
//! rounding, so that value and flags follow from one place ([`environment`]), whatever the host. Where the host's
//! own arithmetic cannot give another result or flag ([`environment::Environment::accruing`]), it is used instead.

pub mod arithmetic;
pub mod compare;
pub mod constants;
pub mod convert;
pub mod environment;
pub mod estimate;
pub mod format;
pub mod half;
