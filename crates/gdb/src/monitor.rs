//! The `monitor` commands.

use std::convert::Infallible;

use gdbstub::outputln;
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd};

use crate::target::Target;

const HELP: &str = "\
monitor instructions   instructions retired so far
monitor help           this list";

impl MonitorCmd for Target<'_, '_> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Infallible> {
        match command.trim_ascii() {
            b"instructions" => outputln!(out, "{}", self.guest.machine.hart.retired()),
            b"help" | b"" => outputln!(out, "{HELP}"),
            _ => outputln!(out, "no such command; there are:\n{HELP}"),
        }
        Ok(())
    }
}
