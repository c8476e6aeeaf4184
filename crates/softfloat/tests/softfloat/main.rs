//! Arithmetic against independent oracles.

mod against_apfloat;
mod against_host;
mod apfloat;
mod comparison;
mod conversion;
mod estimate;
mod operands;
mod square_root;
