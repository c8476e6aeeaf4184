//! The protocol as a peer sees it, on a small bare machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;

use engine::{Limits, Machine, Program};
use gdb::Server;
use hart::csr::Clock;
use hart::{Address, Host, Htif, Memory};
use isa::Descriptions;
use linux::{Ending, Signal, Streams};
use proptest::prelude::*;
use session::Guest;

const BASE: u64 = 0x8000_0000;
/// `addi x5, x5, 1`, twice, `sw x5, 256(x6)`, `lw x7, 256(x6)`, `vsetivli x0, 4, e32, m1, ta, ma`, `jal x0, -20`.
const LOOP: [u32; 6] = [0x0012_8293, 0x0012_8293, 0x1053_2023, 0x1003_2383, 0xcd02_7057, 0xfedf_f06f];
/// Most instructions of a session.
const LIMIT: u64 = 10_000;

#[derive(Default)]
struct Quiet(Vec<String>);

impl Streams for Quiet {}

impl Host for Quiet {
    fn console(&mut self, _: &[u8]) {}

    fn message(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
}

/// How a session with a peer ends.
fn debugged<T: Send>(isa: &str, peer: impl FnOnce(SocketAddr) -> T + Send) -> (Ending, Final, T) {
    let program = Program::new(isa, &Descriptions::read(&[]).expect("the built-in ones"))
        .expect("the ISA string is right");
    let mut memory = Memory::new(Address(BASE), 0x1000).expect("4 KiB");
    let code: Vec<u8> = LOOP.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(memory.write_slice(Address(BASE), &code));
    let mut machine = Machine::new(&program, memory, Address(BASE), Htif::default());
    machine.hart.set_x(6, BASE);
    let status = machine.hart.csrs.read(0x300, Clock::default()).expect("mstatus");
    machine.hart.csrs.write(0x300, status | 0x600, Clock::default()).expect("mstatus");
    let server = Server::bind(0).expect("a free port");
    let address = server.address();
    thread::scope(|scope| {
        let peer = scope.spawn(move || peer(address));
        let mut guest = Guest::bare(&program, machine);
        let limits = Limits { instructions: Some(LIMIT) };
        let outcome = server.debug(&mut guest, limits, &mut Quiet::default()).expect("a session");
        let hart = &guest.machine.hart;
        let state = Final { pc: hart.pc().0, x5: hart.x(5), retired: hart.retired() };
        (outcome, state, peer.join().expect("the peer does not panic"))
    })
}

/// The machine at the end.
#[derive(Debug, PartialEq, Eq)]
struct Final {
    pc: u64,
    x5: u64,
    retired: u64,
}

fn framed(body: &str) -> Vec<u8> {
    let sum = body.bytes().fold(0u8, u8::wrapping_add);
    format!("${body}#{sum:02x}").into_bytes()
}

/// A peer that waits for each answer.
struct Peer(TcpStream);

impl Peer {
    fn new(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).expect("the server listens"))
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.0.read_exact(&mut byte).expect("an answer");
        byte[0]
    }

    /// The body of the answer, run lengths expanded.
    fn ask(&mut self, body: &str) -> String {
        self.0.write_all(&framed(body)).expect("the server reads");
        while self.byte() != b'$' {}
        let mut answer = String::new();
        loop {
            match self.byte() {
                b'#' => break,
                b'*' => {
                    let again = usize::from(self.byte() - 29);
                    let last = answer.pop().expect("something to repeat");
                    answer.extend(std::iter::repeat_n(last, again + 1));
                }
                byte => answer.push(byte.into()),
            }
        }
        self.0.read_exact(&mut [0; 2]).expect("a checksum");
        self.0.write_all(b"+").expect("the server reads");
        answer
    }

    fn say(&mut self, body: &str) {
        self.0.write_all(&framed(body)).expect("the server reads");
    }
}

#[test]
fn steps_breakpoints_and_registers() {
    let (outcome, state, ()) = debugged("rv64gcv", |address| {
        let mut peer = Peer::new(address);
        assert_eq!(peer.ask("vCont;s:1"), "T05thread:01;");
        assert_eq!(peer.ask("p5"), "0100000000000000");
        assert_eq!(peer.ask("Z0,80000014,4"), "OK");
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;swbreak:;");
        assert_eq!(peer.ask("p20"), "1400008000000000");
        // It is passed, and met again a round later.
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;swbreak:;");
        assert_eq!(peer.ask("p5"), "0400000000000000");
        // vl and v0 by gdb's numbers for them.
        assert_eq!(peer.ask(&format!("p{:x}", 65 + 0xc20)), "0400000000000000");
        assert_eq!(peer.ask(&format!("P{:x}={}", 4162, "ab".repeat(16))), "OK");
        assert_eq!(peer.ask(&format!("p{:x}", 4162)), "ab".repeat(16));
        assert_eq!(peer.ask("g").len(), 33 * 16);
        peer.say("k");
    });
    assert_eq!(outcome, Ending::Killed(Signal::SIGKILL));
    assert_eq!(state, Final { pc: BASE + 20, x5: 4, retired: 11 });
}

#[test]
fn watchpoints_name_what_was_touched() {
    debugged("rv64gcv", |address| {
        let mut peer = Peer::new(address);
        assert_eq!(peer.ask("Z2,80000102,2"), "OK");
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;watch:80000102;");
        assert_eq!(peer.ask("z2,80000102,2"), "OK");
        assert_eq!(peer.ask("Z3,80000100,1"), "OK");
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;rwatch:80000100;");
        assert_eq!(peer.ask("z3,80000100,1"), "OK");
        assert_eq!(peer.ask("Z4,80000103,1"), "OK");
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;awatch:80000103;");
        assert_eq!(peer.ask("p20"), "0c00008000000000");
        peer.say("k");
    });
}

#[test]
fn a_range_is_stepped_through_and_left() {
    debugged("rv64gcv", |address| {
        let mut peer = Peer::new(address);
        assert_eq!(peer.ask("vCont;r80000000,8000000c:1"), "T05thread:01;");
        assert_eq!(peer.ask("p20"), "0c00008000000000");
        peer.say("k");
    });
}

#[test]
fn memory_is_read_as_far_as_it_goes_and_code_may_be_changed() {
    debugged("rv32gc", |address| {
        let mut peer = Peer::new(address);
        assert_eq!(peer.ask("m80000ffe,8"), "0000");
        assert_eq!(peer.ask("m90000000,4"), "E0e");
        assert_eq!(peer.ask("M80000ffe,4:01020304"), "E0e");
        // A run over the loop, then its first instruction adds 16.
        assert_eq!(peer.ask("Z1,80000010,4"), "OK");
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;hwbreak:;");
        assert_eq!(peer.ask("M80000000,4:93820201"), "OK");
        assert_eq!(peer.ask("P20=00000080"), "OK");
        assert_eq!(peer.ask("vCont;c"), "T05thread:01;hwbreak:;");
        assert_eq!(peer.ask("p5"), "13000000");
        peer.say("k");
    });
}

#[test]
fn a_limit_stops_the_guest_and_then_ends_it() {
    let (outcome, state, ()) = debugged("rv64gcv", |address| {
        let mut peer = Peer::new(address);
        assert_eq!(peer.ask("vCont;c"), "T18thread:01;");
        assert_eq!(peer.ask("vCont;C18:1;c"), "X18");
    });
    assert_eq!(outcome, Ending::InstructionLimit);
    assert_eq!(state.retired, LIMIT);
}

#[test]
fn the_description_is_served_in_pieces() {
    let (_, _, text) = debugged("rv32gcv", |address| {
        let mut peer = Peer::new(address);
        let mut text = String::new();
        loop {
            let piece = peer.ask(&format!("qXfer:features:read:target.xml:{:x},200", text.len()));
            text.push_str(&piece[1..]);
            if piece.starts_with('l') {
                break;
            }
        }
        peer.say("k");
        text
    });
    assert!(text.contains("<architecture>riscv:rv32</architecture>"));
    assert!(text.contains(r#"<reg name="v31" bitsize="128" type="vector" regnum="4193"/>"#), "{text}");
    assert!(text.contains(r#"<reg name="ft11" bitsize="64" type="ieee_double" regnum="64"/>"#));
    assert!(text.trim_end().ends_with("</target>"));
}

/// What a peer might send, from nearly right to noise.
fn packets() -> impl Strategy<Value = Vec<u8>> {
    let command = prop::sample::select(vec![
        "g",
        "G",
        "p",
        "P",
        "m",
        "M",
        "X",
        "Z0,",
        "Z1,",
        "Z2,",
        "Z3,",
        "Z4,",
        "z0,",
        "z2,",
        "vCont;s",
        "vCont;r",
        "vCont;c",
        "vCont?",
        "qXfer:features:read:",
        "qRcmd,",
        "H",
        "T",
        "qSupported:",
        "?",
        "qOffsets",
        "vKill;",
        "qThreadExtraInfo,",
        "s",
        "c",
        "C",
    ]);
    let rest = "[0-9a-f]{0,17}[,:;=]?[0-9a-f]{0,17}[,:;=]?[0-9a-f.-]{0,40}";
    let framed_packet = (command, rest).prop_map(|(command, rest)| framed(&format!("{command}{rest}")));
    let noise = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![8 => framed_packet, 1 => noise, 1 => Just(vec![3])]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn no_peer_makes_the_server_panic(sent in prop::collection::vec(packets(), 0..30)) {
        debugged("rv64gcv", |address| {
            let mut stream = TcpStream::connect(address).expect("the server listens");
            // The server may be gone before the peer has said all.
            let _ = stream.write_all(b"+").and_then(|()| sent.iter().try_for_each(|bytes| stream.write_all(bytes)));
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
        });
    }
}
