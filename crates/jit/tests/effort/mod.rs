//! How much is tried.

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// How many times more than usual: the number in `CIPHERMARK_TIER_EFFORT`, 1 without it.
pub fn effort() -> u32 {
    let asked = std::env::var("CIPHERMARK_TIER_EFFORT").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A runner that draws the same cases every time; others for another `salt` or effort.
#[allow(dead_code, reason = "not every program that includes this module draws anything")]
pub fn runner(cases: u32, salt: u64) -> TestRunner {
    let rng_seed = RngSeed::Fixed(salt ^ u64::from(effort()) << 40);
    TestRunner::new(Config { cases, rng_seed, failure_persistence: None, ..Config::default() })
}
