//! Waiting for gdb, and the conversation with it.

use std::fmt::Display;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use engine::{Blind, Limits};
use gdbstub::common::Signal;
use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub};
use linux::{Ending, Streams};
use session::Guest;
use thiserror::Error;

use crate::attentive::Attentive;
use crate::resume::Turn;
use crate::target::Target;
use crate::wire::{Wire, is_not_yet};

/// Bytes of a packet at most: a vector register of 65536 bits in hexadecimal, and room.
const PACKET: usize = 1 << 15;
/// The answer to `vKill`, which gdb waits for.
const KILLED: &[u8] = b"$OK#9a";
/// Between two looks for a connection.
const PAUSE: Duration = Duration::from_millis(20);

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The port cannot be had.
    #[error("cannot listen on port {port} of 127.0.0.1: {source}; 0 takes any that is free")]
    Listen {
        /// Which.
        port: u16,
        /// The host's reason.
        source: io::Error,
    },
    /// Nobody can connect.
    #[error("cannot wait for gdb: {0}")]
    Accept(#[from] io::Error),
}

impl From<ServerError> for session::Failure {
    fn from(error: ServerError) -> Self {
        Self::Other(error.to_string())
    }
}

/// A server for one session, reachable from this machine only.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on a port, or on any that is free if it is 0.
    ///
    /// # Errors
    /// [`ServerError::Listen`].
    pub fn bind(port: u16) -> Result<Self, ServerError> {
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok(Self { listener, address })
        };
        listen().map_err(|source| ServerError::Listen { port, source })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for gdb, then lets it have the guest until one of them ends the session; what gdb leaves to itself
    /// runs on. Returns how the guest ended: killed by `SIGKILL` if gdb did that.
    ///
    /// # Errors
    /// [`ServerError::Accept`].
    pub fn debug(
        self,
        guest: &mut Guest<'_>,
        limits: Limits,
        host: &mut dyn Streams,
    ) -> Result<Ending, ServerError> {
        let (address, port) = (self.address, self.address.port());
        host.message(&format!("listening on {address}; in gdb: target remote :{port}"));
        guest.stay_alone("--gdb");
        if guest.is_process() {
            // Its first instruction is next, with the registers that it begins with.
            guest.run(Limits { instructions: Some(0) }, &mut Blind, host);
        }
        let Some(wire) = self.accept(host)? else {
            return Ok(Ending::Interrupted);
        };
        let mut target = Target::new(guest, limits.instructions);
        let ending = converse(wire, &mut target, host).unwrap_or_else(|error| {
            host.message(&format!("the connection to gdb has ended ({error}); the program runs on"));
            None
        });
        Ok(ending.unwrap_or_else(|| guest.run(limits, &mut Blind, host)))
    }

    /// The first connection; `None` if the host gives up before.
    fn accept(self, host: &mut dyn Streams) -> io::Result<Option<Wire>> {
        loop {
            match self.listener.accept() {
                Ok((socket, _)) => return Wire::new(socket).map(Some),
                Err(error) if is_not_yet(&error) => std::thread::sleep(PAUSE),
                Err(error) => return Err(error),
            }
            if !host.keep_going() {
                return Ok(None);
            }
        }
    }
}

/// How the guest ended, or `None` if gdb has left it to itself.
fn converse(
    wire: Wire,
    target: &mut Target<'_, '_>,
    host: &mut dyn Streams,
) -> Result<Option<Ending>, String> {
    // One that the stub allocates itself would grow with whatever a peer sends.
    let mut packet = vec![0; PACKET];
    let stub = GdbStub::builder(wire).with_packet_buffer(&mut packet).build().map_err(explain)?;
    let mut state = stub.run_state_machine(target).map_err(explain)?;
    loop {
        state = match state {
            GdbStubStateMachine::Idle(mut idle) => match idle.borrow_conn().next().map_err(explain)? {
                Some(byte) => idle.incoming_data(target, byte).map_err(explain)?,
                None if host.keep_going() => idle.into(),
                None => return Ok(Some(Ending::Interrupted)),
            },
            GdbStubStateMachine::Running(mut running) => {
                let wire = running.borrow_conn();
                if wire.has_news() {
                    match wire.next().map_err(explain)? {
                        Some(byte) => running.incoming_data(target, byte).map_err(explain)?,
                        None => running.into(),
                    }
                } else {
                    match target.go(&mut Attentive::new(host, wire)) {
                        Turn::Stopped(reason) => running.report_stop(target, reason).map_err(explain)?,
                        Turn::Heard => running.into(),
                        Turn::Given(ending) => return Ok(Some(ending)),
                    }
                }
            }
            GdbStubStateMachine::CtrlCInterrupt(interrupt) => {
                let reason = target.stopped(Signal::SIGINT);
                interrupt.interrupt_handled(target, Some(reason)).map_err(explain)?
            }
            GdbStubStateMachine::Disconnected(mut over) => {
                let reason = over.get_reason();
                let wire = over.borrow_conn();
                if reason == DisconnectReason::Kill {
                    // A gdb that has closed the connection by now did not wait for it.
                    let _ = wire.write_all(KILLED);
                }
                wire.close();
                return Ok(match (reason, target.ended.take()) {
                    (_, Some(ending)) => Some(ending),
                    (DisconnectReason::Disconnect, None) => None,
                    _ => Some(Ending::Killed(linux::Signal::SIGKILL)),
                });
            }
        }
    }
}

fn explain(error: impl Display) -> String {
    error.to_string()
}
