//! Faults of a guest, worded for the user.

use engine::Program;
use hart::Fault as HartFault;
use hart::System;
use observe::{Symbols, backtrace};
use pyo3::prelude::*;

/// What a guest stopped with.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
#[derive(Clone)]
pub struct Fault {
    pc: u64,
    word: Option<u32>,
    cause: String,
    rule: Option<&'static str>,
    address: Option<u64>,
    disassembly: Option<String>,
    provided_by: Vec<String>,
    message: String,
    backtrace: Vec<String>,
}

/// The calls that led to where a hart is, the innermost first: address, function and source line.
pub fn calls(
    program: &Program,
    elf: &[u8],
    symbols: &Symbols<'_>,
    system: &System,
    base: u64,
) -> Vec<String> {
    let frames = backtrace(elf, system, program.isa().xlen(), base);
    let mut lines = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        // A return address may belong to the line after the call.
        let inside = if index == 0 { frame.0 } else { frame.0.wrapping_sub(1) };
        lines.push(where_is(symbols, frame.0, inside));
    }
    lines
}

/// An address with what is known of it: `0x10532 in main+0x12 at prog.c:7`.
pub fn where_is(symbols: &Symbols<'_>, address: u64, inside: u64) -> String {
    let place = symbols.place(inside);
    let mut text = format!("{address:#x}");
    if let Some(function) = &place.function {
        text.push_str(&format!(" in {function}+{:#x}", place.offset + (address - inside)));
    }
    if let Some((file, line)) = &place.line {
        text.push_str(&format!(" at {file}:{line}"));
    }
    text
}

/// The fault with everything that helps: text, extension, what to do.
pub fn describe(program: &Program, fault: HartFault, backtrace: Vec<String>) -> Fault {
    let exception = fault.exception;
    let (pc, word) = (fault.pc.0, fault.word);
    let mut disassembly = word.and_then(|word| program.instructions().disassemble(word, pc));
    let mut provided_by = Vec::new();
    let mut cause = exception.name().to_owned();
    let mut advice = String::new();
    let privileged = word.filter(|_| exception.cause == hart::Exception::ILLEGAL).and_then(isa::privileged);
    if let Some(privileged) = privileged {
        disassembly = disassembly.or_else(|| privileged.text.map(str::to_owned));
        advice = format!("; {}", privileged.reason);
    } else if exception.cause == hart::Exception::ILLEGAL
        && let Some(word) = word
        && disassembly.is_none()
    {
        if word & 0xffff == 0 {
            // Defined to be illegal for this very purpose (RVC, "Illegal instruction").
            advice = "; the word is zero: execution has run into memory that holds no code".to_owned();
        } else if let Some((extensions, text)) = isa::providers(program.isa(), word, pc) {
            disassembly = Some(text);
            let choice = extensions.join(" or ");
            let isa = program.isa();
            let wider = extensions.first().map_or_else(String::new, |one| format!(" {isa}_{one}"));
            advice = format!("; {isa} lacks {choice}: add it with --isa{wider}");
            provided_by = extensions;
        } else if let Some((extension, name)) = isa::unbuilt_extension(word) {
            cause = format!("not implemented: {name}");
            advice = format!("; build the program without {name}");
            provided_by = vec![extension.to_owned()];
        } else {
            advice = "; no known extension provides it".to_owned();
        }
        let missing: Vec<_> = program.isa().missing().iter().filter_map(|why| why.extension()).collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            advice.push_str(&format!("; the file names {names}, which sim does not have"));
        }
    }
    let address = exception.has_address().then_some(exception.value);
    let mut message = format!("{cause} at pc {pc:#x}");
    if let Some(address) = address.filter(|address| *address != pc) {
        message.push_str(&format!(", address {address:#x}"));
    }
    if let Some(word) = word {
        let digits = if isa::is_wide(word) { 10 } else { 6 };
        message.push_str(&format!(": {word:#0digits$x}"));
    }
    if let Some(text) = &disassembly {
        message.push_str(&format!(" ({text})"));
    }
    if let Some(rule) = fault.rule {
        message.push_str(": ");
        message.push_str(rule);
    }
    message.push_str(&advice);
    Fault { pc, word, cause, rule: fault.rule, address, disassembly, provided_by, message, backtrace }
}
