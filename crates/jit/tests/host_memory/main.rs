//! What translated code takes of the host's memory, and how it is mapped. Each test runs in a process of its own,
//! so that nothing else is measured.

#[path = "../effort/mod.rs"]
mod effort;
#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;
#[path = "../tiers/watched.rs"]
mod watched;

#[cfg(target_os = "linux")]
mod generated;
#[cfg(target_os = "linux")]
mod large;
#[cfg(target_os = "linux")]
mod protection;

use std::process::Command;

use crate::effort::effort;

/// Names the test that a process of its own is for.
const ALONE: &str = "CIPHERMARK_TEST_ALONE";

/// Has the calling test, of this name, carried out by a process of its own.
fn alone(name: &str, test: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some_and(|alone| alone == name) {
        return test();
    }
    let program = std::env::current_exe().expect("this program");
    let ran = Command::new(program)
        .args([name, "--exact", "--nocapture"])
        .env(ALONE, name)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    if effort() > 1 {
        println!("{said}");
    }
}

/// Bytes of memory that the process has now.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux host");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the line");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kibibytes << 10
}
