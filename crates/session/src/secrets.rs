//! A run whose secrets are followed, and one whose trace is compared with that of other secrets.

use engine::Limits;
use hart::elf::Executable;
use linux::{Ending, Streams};
use secrets::{Argument, Call, Calls, Check, Options, Shadow, Trace};

use timing::Machine;

use crate::failure::Failure;
use crate::guest::Guest;

/// A harness whose calls are followed, by the names of its symbols.
#[derive(Clone)]
pub struct Harness {
    /// Where calls begin and end.
    pub bounds: Vec<(String, String)>,
    /// The integer register that has the address of the function that is called.
    pub register: u16,
    /// Functions, whether what they do counts, and what of their arguments is secret.
    pub functions: Vec<(String, bool, Vec<Argument>)>,
}

impl Harness {
    fn calls(&self, guest: &Guest<'_>, executable: &Executable<'_>) -> Result<Calls, Failure> {
        let at = |name: &str| guest.symbol(executable, name);
        let bounds = self.bounds.iter().map(|(begin, end)| Ok((at(begin)?, at(end)?)));
        let functions = self.functions.iter().map(|(name, counts, secrets)| {
            Ok(Call { function: at(name)?, secrets: secrets.clone(), counts: *counts })
        });
        Ok(Calls {
            bounds: bounds.collect::<Result<_, Failure>>()?,
            register: self.register,
            functions: functions.collect::<Result<_, Failure>>()?,
        })
    }
}

/// What is asked of a check, besides what is secret.
#[derive(Clone)]
pub struct Judgement {
    /// Bytes of a line of which an address shows only the number; 1 if it shows all.
    pub line: u64,
    /// The machine, on which the time of some instructions depends on their operands.
    pub machine: Option<Machine>,
    /// Mnemonics of instructions of which no list says that it does not.
    pub unlisted: Vec<String>,
}

/// Runs a guest to its end, and follows what is secret: what a harness's calls are given, or what the program marks.
///
/// # Errors
/// [`Failure`] if a symbol does not exist.
pub fn check(
    guest: &mut Guest<'_>,
    executable: &Executable<'_>,
    harness: Option<&Harness>,
    judgement: &Judgement,
    limits: Limits,
    host: &mut dyn Streams,
) -> Result<(Ending, Check), Failure> {
    let calls = harness.map(|harness| harness.calls(guest, executable)).transpose()?;
    let options = Options {
        line: judgement.line,
        variable: match &judgement.machine {
            Some(machine) => machine.by_operands()?,
            None => Vec::new(),
        },
        unlisted: judgement.unlisted.clone(),
        arguments: linux::arguments,
    };
    let shadow = Shadow::new(guest.program(), &guest.machine.hart, &options);
    let code = executable.segments.iter().filter(|segment| segment.executable);
    let marks = code.flat_map(|segment| {
        let address = if guest.is_process() { segment.address } else { segment.physical_address };
        secrets::markers(segment.bytes, address.wrapping_add(guest.base()))
    });
    let mut check = Check::new(shadow, calls, marks.collect());
    guest.stay_alone("--secrets");
    let ending = guest.run(limits, &mut check, host);
    Ok((ending, check))
}

/// Runs a guest to its end and keeps the addresses of all that its harness's calls execute and access, or compares them
/// with those of an earlier run.
///
/// # Errors
/// [`Failure`] if a symbol does not exist.
pub fn trace(
    guest: &mut Guest<'_>,
    executable: &Executable<'_>,
    harness: &Harness,
    mut trace: Trace,
    limits: Limits,
    host: &mut dyn Streams,
) -> Result<(Ending, Trace), Failure> {
    trace.begin(harness.calls(guest, executable)?);
    guest.stay_alone("a comparison of traces");
    let ending = guest.run(limits, &mut trace, host);
    Ok((ending, trace))
}
