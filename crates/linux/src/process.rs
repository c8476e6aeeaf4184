//! A process: its threads taking turns on one hart, and what they share.

use engine::observer::Moved;
use hart::Fault;
use isa::{Isa, Xlen};

use crate::executable::ExecutableFile;
use crate::files::Files;
use crate::harts::Harts;
use crate::image::Image;
use crate::options::Ending;
use crate::relation::{ProcessId, Zombie};
use crate::signal::{Action, Pending, Sent, Signal};
use crate::space::AddressSpace;
use crate::thread::{State, Thread, ThreadId, Wait};
use crate::threads::Threads;
use crate::timer::Timer;

/// Most threads of a process at a time.
pub const MOST_THREADS: usize = 4096;

/// A process.
pub struct Process {
    pub(crate) id: ProcessId,
    pub(crate) xlen: Xlen,
    pub(crate) isa: Isa,
    pub(crate) space: AddressSpace,
    pub(crate) threads: Threads,
    /// Index of the running thread, or of the one that ran last.
    pub(crate) current: usize,
    /// Another process runs: the hart does not have this one's registers.
    pub(crate) parked: bool,
    pub(crate) harts: Harts,
    pub(crate) actions: [Action; 64],
    /// Signals sent to the process that every thread blocks.
    pub(crate) pending: Pending,
    pub(crate) signal_return: u64,
    pub(crate) timers: [Timer; 3],
    pub(crate) files: Files,
    /// The running thread gives way to the next.
    pub(crate) yielded: bool,
    /// Translated code may be stale.
    pub(crate) code_changed: bool,
    /// What became of registers since the hart ran last.
    pub(crate) moved: Vec<Moved>,
    pub(crate) ended: Option<Ending>,
    /// What its program was called by, for people.
    pub(crate) program: Vec<u8>,
    /// The file it executes.
    pub(crate) executable: ExecutableFile,
    /// A program about to be executed.
    pub(crate) image: Option<Box<Image>>,
    /// Children that have ended and were not waited for.
    pub(crate) zombies: Vec<Zombie>,
    /// The child that has its memory, until it executes a program or ends.
    pub(crate) lent_to: Option<ProcessId>,
    /// The parent whose memory it has.
    pub(crate) borrowed_from: Option<ProcessId>,
    /// Its parent when it was started.
    pub(crate) started_by: ProcessId,
    /// Instructions it has retired up to its last turn.
    pub(crate) instructions: u64,
    /// Those of its descendants that were waited for.
    pub(crate) descendants: u64,
}

impl Process {
    /// The first process, which executes a program of this name.
    pub(crate) fn new(isa: &Isa, space: AddressSpace, signal_return: u64, files: Files, name: &[u8]) -> Self {
        Self {
            id: ProcessId::FIRST,
            xlen: isa.xlen(),
            isa: isa.clone(),
            space,
            threads: Threads::default(),
            current: 0,
            parked: false,
            harts: Harts::default(),
            actions: [Action::default(); 64],
            pending: Pending::default(),
            signal_return,
            timers: Default::default(),
            files,
            yielded: false,
            code_changed: false,
            moved: Vec::new(),
            ended: None,
            program: name.to_vec(),
            executable: ExecutableFile::default(),
            image: None,
            zombies: Vec::new(),
            lent_to: None,
            borrowed_from: None,
            started_by: ProcessId::NOBODY,
            instructions: 0,
            descendants: 0,
        }
    }

    /// A child of one thread, which has the number of the process; its memory comes with it or is its parent's.
    pub(crate) fn child(&self, space: AddressSpace, thread: Thread) -> Self {
        let mut threads = Threads::default();
        let id = ProcessId(thread.id.0);
        threads.push(thread);
        Self {
            id,
            threads,
            parked: true,
            harts: Harts::default(),
            actions: self.actions,
            executable: self.executable.clone(),
            started_by: self.id,
            ..Self::new(&self.isa, space, self.signal_return, self.files.clone(), &self.program)
        }
    }

    /// The running thread.
    pub(crate) fn thread(&mut self) -> &mut Thread {
        &mut self.threads[self.current]
    }

    /// True if a thread can go on.
    pub(crate) fn is_runnable(&self) -> bool {
        self.lent_to.is_none() && self.threads.any_runnable()
    }

    /// Lets the running thread wait, and then make its system call again.
    pub(crate) fn wait_and_retry(&mut self, wait: Wait, deadline: Option<u64>) {
        let pending = self.pending.mask();
        let thread = self.thread();
        thread.retry_deadline = deadline;
        // A signal that came with what it waited for, or with less, waits until the call is made.
        let is_interrupted = (thread.pending.mask() | pending) & !thread.blocked != 0;
        if is_interrupted {
            thread.interrupted = Some(wait);
        } else {
            self.threads.set_state(self.current, State::Waiting { wait, deadline });
        }
    }

    /// Sends the signal of an exception, or ends the process if no handler takes it.
    pub(crate) fn fault(&mut self, pc: u64, fault: Fault) {
        let (signal, code) = Signal::of(fault.exception);
        let action = self.action(signal);
        let caught = action.handler > Action::IGNORE && self.thread().blocked & signal.bit() == 0;
        if caught {
            let value = if fault.exception.has_address() { fault.exception.value } else { pc };
            self.thread().pending.send(Sent { signal, code, value, status: 0 });
        } else {
            self.ended = Some(Ending::Fault(fault));
        }
    }

    /// Forgets what does not outlive a new program (`execve(2)`, "Effect on process attributes").
    pub(crate) fn begin_program(&mut self, image: &Image) {
        self.threads.keep(self.current, ThreadId(self.id.0));
        self.current = 0;
        let thread = self.thread();
        let name = thread_name(&image.executable.path);
        *thread = Thread {
            blocked: thread.blocked,
            pending: std::mem::take(&mut thread.pending),
            name,
            ..Thread::new(thread.id, (*thread.context).clone())
        };
        let caught = self.actions.iter_mut().filter(|action| action.handler != Action::IGNORE);
        caught.for_each(|action| *action = Action::default());
        self.files.begin_program();
        self.signal_return = image.entry.signal_return;
        self.program.clone_from(&image.executable.path);
        self.executable.clone_from(&image.executable);
    }
}

/// What a thread is called after the file it executes.
fn thread_name(executable: &[u8]) -> [u8; 16] {
    let mut name = [0; 16];
    let last = executable.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    name.iter_mut().take(15).zip(last).for_each(|(slot, &byte)| *slot = byte);
    name
}
