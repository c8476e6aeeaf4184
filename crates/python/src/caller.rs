//! What Python does for a guest while it runs: console, input, interruption.

use std::io::Stdin;
use std::time::{Duration, Instant};

use hart::Host;
use linux::Streams;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Most bytes of a guest's console that a result holds; a guest that prints without end gets no more.
const MOST_CONSOLE: usize = 64 << 20;

/// Python's side of a run.
#[derive(Default)]
pub struct Caller {
    /// What the guest wrote, if no callback takes it.
    pub console: Vec<u8>,
    /// Takes what the guest writes.
    pub callback: Option<Py<PyAny>>,
    /// Takes what it writes to standard error.
    pub error_callback: Option<Py<PyAny>>,
    /// Takes what the engine has to say of the run.
    pub message_callback: Option<Py<PyAny>>,
    /// The guest reads this process's standard input.
    pub stdin: bool,
    /// Columns and rows of the terminal the guest writes to.
    pub terminal: Option<(u16, u16)>,
    /// When the run ends at the latest.
    pub deadline: Option<Instant>,
    /// It ended for that.
    pub timed_out: bool,
    /// What a callback raised.
    pub raised: Option<PyErr>,
}

impl Caller {
    fn call(
        &mut self,
        argument: impl FnOnce(Python<'_>) -> Py<PyAny>,
        callback: impl Fn(&Self) -> &Option<Py<PyAny>>,
    ) -> bool {
        let Some(callback) = callback(self) else { return false };
        if self.raised.is_none() {
            let called = Python::attach(|py| callback.call1(py, (argument(py),)).map(drop));
            self.raised = called.err();
        }
        true
    }

    /// How long to wait before asking whether the run goes on.
    fn patience(&self) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.unwrap_or(INPUT_PATIENCE).min(INPUT_PATIENCE)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MOST_CONSOLE.saturating_sub(self.console.len());
        self.console.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// Longest wait for input between two looks at what else may end the run.
const INPUT_PATIENCE: Duration = Duration::from_millis(100);

/// True if there is something to read, the end or an error included, within `patience`.
fn is_readable(input: &Stdin, patience: Duration) -> bool {
    let patience = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
    let mut polled = [PollFd::new(input, PollFlags::IN)];
    match poll(&mut polled, Some(&patience)) {
        Ok(ready) => ready > 0,
        // A signal came: what it means is asked next.
        Err(Errno::INTR) => false,
        Err(_) => true,
    }
}

impl Host for Caller {
    fn console(&mut self, bytes: &[u8]) {
        if !self.call(|py| PyBytes::new(py, bytes).unbind().into_any(), |caller| &caller.callback) {
            self.keep(bytes);
        }
    }

    fn message(&mut self, text: &str) {
        self.call(|py| PyString::new(py, text).unbind().into_any(), |caller| &caller.message_callback);
    }

    fn keep_going(&mut self) -> bool {
        if self.raised.is_none() {
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        self.timed_out = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.raised.is_none() && !self.timed_out
    }
}

impl Streams for Caller {
    fn error_console(&mut self, bytes: &[u8]) {
        if !self.call(|py| PyBytes::new(py, bytes).unbind().into_any(), |caller| &caller.error_callback) {
            self.console(bytes);
        }
    }

    fn input(&mut self, buffer: &mut [u8]) -> Option<usize> {
        if !self.stdin {
            return Some(0);
        }
        let input = std::io::stdin();
        while !is_readable(&input, self.patience()) {
            if !self.keep_going() {
                return None;
            }
        }
        // Past the buffer of `Stdin`, of which `poll` knows nothing. A broken input is an empty one to the guest.
        Some(rustix::io::read(&input, buffer).unwrap_or(0))
    }

    fn terminal(&self) -> Option<(u16, u16)> {
        self.terminal
    }
}
