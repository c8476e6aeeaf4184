//! Whatever the shadow calls public stays as it is when secrets change: random programs, executed with other secrets.

mod scalar;
mod sketch;
mod vectors;
