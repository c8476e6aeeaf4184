//! Processes: `clone` as `fork` and `vfork`, `execve`, `wait4`, and who is whose child.

use syscalls::riscv64::Sysno;

use super::thread::Clone;
use super::thread::{CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID, CLONE_PARENT_SETTID, CLONE_SETTLS, CLONE_VM};
use super::{Call, Handler, Reply, time};
use crate::errno::Errno;
use crate::exec;
use crate::guest::Guest;
use crate::kin::Parked;
use crate::relation::{ProcessId, Relation, Zombie};
use crate::signal::{Action, Signal};
use crate::thread::Wait;

const CLONE_VFORK: u64 = 0x4000;
/// Flags without effect here: `CLONE_SYSVSEM`, `CLONE_DETACHED`, `CLONE_IO`.
const CLONE_IDLE: u64 = 0x4_0000 | 0x40_0000 | 0x8000_0000;
const CLONE_CLEAR_SIGHAND: u64 = 1 << 32;
const CLONE_OF_PROCESS: u64 = CLONE_VM
    | CLONE_VFORK
    | CLONE_SETTLS
    | CLONE_PARENT_SETTID
    | CLONE_CHILD_CLEARTID
    | CLONE_CHILD_SETTID
    | CLONE_CLEAR_SIGHAND
    | CLONE_IDLE;
const WNOHANG: u64 = 1;
const WEXITED: u64 = 4;
const WNOWAIT: u64 = 0x100_0000;

/// The implementation of a call of this module.
pub fn handler(call: Sysno) -> Option<Handler> {
    Some(match call {
        Sysno::execve => exec::execve,
        Sysno::execveat => exec::execveat,
        Sysno::wait4 => wait4,
        Sysno::waitid => waitid,
        Sysno::getpid => |call| Ok(Reply::Return(call.process.id.0.into())),
        Sysno::getppid => |call| Ok(Reply::Return(call.shared.kin.parent(call.process.id).0.into())),
        Sysno::getpgid => |call| Ok(Reply::Return(relation(call)?.group.0.into())),
        Sysno::getsid => |call| Ok(Reply::Return(relation(call)?.session.0.into())),
        Sysno::setpgid => setpgid,
        Sysno::setsid => setsid,
        _ => return None,
    })
}

/// Starts a process.
///
/// # Errors
/// `EAGAIN` beyond the number of processes that a run may have, `ENOMEM` beyond their memory, `EINVAL` and `ENOSYS` for
/// what they cannot share.
pub fn start(call: &mut Call<'_>, clone: &Clone) -> Result<Reply, Errno> {
    if let Some(follower) = call.shared.kin.alone {
        call.tell_once(&format!(
            "this program starts processes: it gets ENOSYS, because {follower} follows one process only; \
             run it without {follower}"
        ));
        return Err(Errno::ENOSYS);
    }
    if clone.flags & !CLONE_OF_PROCESS != 0 {
        return Err(Errno::EINVAL);
    }
    let lends = clone.flags & CLONE_VM != 0;
    if lends && clone.flags & CLONE_VFORK == 0 {
        call.tell_once(
            "processes that share memory (clone with CLONE_VM) are not implemented: the program gets ENOSYS",
        );
        return Err(Errno::ENOSYS);
    }
    let zombies = |parked: &Parked| 1 + parked.process.zombies.len();
    let count = 1 + call.process.zombies.len() + call.shared.kin.parked.values().map(zombies).sum::<usize>();
    if count >= call.shared.kin.most {
        let most = call.shared.kin.most;
        call.tell_once(&format!(
            "the bound on processes, {most}, is reached: the program gets EAGAIN; --max-processes raises it"
        ));
        return Err(Errno::EAGAIN);
    }
    let exit_signal = if clone.exit_signal == 0 { None } else { Some(Signal::new(clone.exit_signal)?) };
    let id = ProcessId(call.shared.next_id);
    let no_host_memory = |_| Errno::ENOMEM;
    // Those that share memory with the caller have all the same when another one joins them.
    call.shared.kin.publish(&call.process.space, call.memory);
    let (space, mut memory) = if lends {
        (call.process.space.of_nothing(), Parked::no_memory().map_err(no_host_memory)?)
    } else {
        let (space, pages) = call.process.space.copy(call.memory.pages()?)?;
        (space, hart::Memory::paged(pages).map_err(no_host_memory)?)
    };
    if let Some(address) = clone.parent_word() {
        call.memory.put(address, &id.0.to_le_bytes())?;
    }
    if let Some(address) = clone.child_word() {
        let common = lends || call.process.space.share_at(address).is_some();
        let memory = if common { &mut *call.memory } else { &mut memory };
        memory.put(address, &id.0.to_le_bytes())?;
    }
    let mut thread = clone.thread(call);
    let parent = call.process.thread();
    if !lends {
        (thread.alternate_stack, thread.restartable) = (parent.alternate_stack, parent.restartable);
    }
    let mut process = call.process.child(space, thread);
    if clone.flags & CLONE_CLEAR_SIGHAND != 0 {
        let caught = process.actions.iter_mut().filter(|action| action.handler != Action::IGNORE);
        caught.for_each(|action| *action = Action::default());
    }
    call.shared.next_id += 1;
    let kin = &mut call.shared.kin;
    let own = kin.relation(call.process.id);
    let (group, session) = own.map_or((id, id), |own| (own.group, own.session));
    kin.relations.insert(id, Relation { parent: call.process.id, group, session, exit_signal });
    kin.parked.insert(id, Parked { process, memory, code: None, since: call.hart.retired() });
    Ok(Reply::Fork { child: id, lends })
}

/// Children that a call waits for.
#[derive(Clone, Copy)]
enum Children {
    Any,
    One(ProcessId),
    Group(ProcessId),
}

impl Children {
    fn include(self, id: ProcessId, group: ProcessId) -> bool {
        match self {
            Self::Any => true,
            Self::One(one) => one == id,
            Self::Group(wanted) => wanted == group,
        }
    }
}

/// A child that has ended; `None` if one may still end.
fn find(call: &mut Call<'_>, children: Children, keep: bool) -> Result<Option<Zombie>, Errno> {
    let zombies = &mut call.process.zombies;
    if let Some(index) = zombies.iter().position(|zombie| children.include(zombie.id, zombie.group)) {
        if keep {
            return Ok(Some(zombies[index]));
        }
        let zombie = zombies.remove(index);
        call.process.descendants += zombie.all_instructions();
        return Ok(Some(zombie));
    }
    let may_end = |id, relation: &Relation| children.include(id, relation.group);
    if call.shared.kin.has_child(call.process.id, may_end) { Ok(None) } else { Err(Errno::ECHILD) }
}

fn own_group(call: &Call<'_>) -> ProcessId {
    call.shared.kin.relation(call.process.id).map_or(call.process.id, |relation| relation.group)
}

fn wait4(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [_, status, options, usage, ..] = call.arguments;
    let children = match call.int(0) {
        -1 => Children::Any,
        0 => Children::Group(own_group(call)),
        id @ 1.. => Children::One(ProcessId(id.unsigned_abs())),
        group => Children::Group(ProcessId(group.unsigned_abs())),
    };
    let Some(zombie) = find(call, children, true)? else {
        return Ok(if options & WNOHANG != 0 { Reply::Return(0) } else { Reply::Retry(Wait::Child, None) });
    };
    if status != 0 {
        call.memory.put(status, &zombie.status.word().to_le_bytes())?;
    }
    write_usage(call, usage, zombie.all_instructions())?;
    find(call, Children::One(zombie.id), false)?;
    Ok(Reply::Return(zombie.id.0.into()))
}

/// `struct rusage` of a child.
fn write_usage(call: &mut Call<'_>, address: u64, instructions: u64) -> Result<(), Errno> {
    if address == 0 { Ok(()) } else { time::write_usage(call, address, instructions) }
}

fn waitid(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let [kind, _, information, options, usage, _] = call.arguments;
    let id = ProcessId(call.arguments[1] as u32);
    let children = match kind {
        0 => Children::Any,
        1 => Children::One(id),
        2 if id.0 == 0 => Children::Group(own_group(call)),
        2 => Children::Group(id),
        _ => return Err(Errno::EINVAL),
    };
    if options & WEXITED == 0 {
        return Err(Errno::EINVAL);
    }
    let zombie = find(call, children, true)?;
    if zombie.is_none() && options & WNOHANG == 0 {
        return Ok(Reply::Retry(Wait::Child, None));
    }
    if information != 0 {
        let mut bytes = vec![0; 128];
        if let Some(zombie) = zombie {
            let (code, status) = zombie.status.of_signal();
            // si_signo, si_errno, si_code; si_pid, si_uid and si_status, which are aligned like a pointer.
            let aligned = if call.process.xlen == isa::Xlen::Rv32 { 12 } else { 16 };
            bytes[..4].copy_from_slice(&u32::from(Signal::SIGCHLD.0).to_le_bytes());
            bytes[8..12].copy_from_slice(&code.to_le_bytes());
            for (index, word) in [zombie.id.0, super::credentials::USER, status].into_iter().enumerate() {
                bytes[aligned + 4 * index..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
        call.memory.put(information, &bytes)?;
    }
    if let Some(zombie) = zombie {
        write_usage(call, usage, zombie.all_instructions())?;
        find(call, Children::One(zombie.id), options & WNOWAIT != 0)?;
    }
    Ok(Reply::Return(0))
}

/// What the process in argument 0 is to others; 0 is the caller.
fn relation(call: &Call<'_>) -> Result<Relation, Errno> {
    let id = if call.int(0) == 0 { call.process.id } else { ProcessId(call.arguments[0] as u32) };
    call.shared.kin.relation(id).ok_or(Errno::ESRCH)
}

fn setpgid(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let own = call.process.id;
    let id = if call.int(0) == 0 { own } else { ProcessId(call.arguments[0] as u32) };
    let group = match call.int(1) {
        0 => id,
        ..0 => return Err(Errno::EINVAL),
        group => ProcessId(group.unsigned_abs()),
    };
    let kin = &mut call.shared.kin;
    let relation = kin.relation(id).filter(|relation| id == own || relation.parent == own);
    let relation = relation.ok_or(Errno::ESRCH)?;
    let in_session = |other: &Relation| other.session == relation.session && other.group == group;
    let exists = group == id || kin.relations.values().any(in_session);
    if !exists || relation.session == id {
        return Err(Errno::EPERM);
    }
    if let Some(relation) = kin.relations.get_mut(&id) {
        relation.group = group;
    }
    Ok(Reply::Return(0))
}

fn setsid(call: &mut Call<'_>) -> Result<Reply, Errno> {
    let id = call.process.id;
    let kin = &mut call.shared.kin;
    if kin.relations.values().any(|relation| relation.group == id) {
        return Err(Errno::EPERM);
    }
    if let Some(relation) = kin.relations.get_mut(&id) {
        (relation.group, relation.session) = (id, id);
    }
    Ok(Reply::Return(id.0.into()))
}
