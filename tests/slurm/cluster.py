"""A Slurm cluster of two nodes on the loopback, as children of a test: without systemd, and gone with the test. Each
node has a cache of its own, as machines have that share a file system for packs only."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")
SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
MISSING = [name for name in PROGRAMS if shutil.which(name, path=SBIN) is None]

_CONFIGURATION = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
TaskProlog={folder}/prolog
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
SlurmdTimeout=5
KillWait=2
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first}-{second}] CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

_PROLOG = """\
#!/bin/sh
echo "export CIPHERMARK_CACHE={folder}/cache-$SLURMD_NODENAME"
"""

_UP_S = 120.0


@dataclass
class Cluster:
    folder: Path
    environment: dict[str, str]
    nodes: dict[str, subprocess.Popen[bytes]]

    def ask(self, *command: str) -> str:
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False, timeout=120
        ).stdout

    def cache(self, node: str) -> Path:
        return self.folder / f"cache-{node}"

    def kill(self, node: str) -> None:
        """As a power cut would: the daemon, its steps' keepers, and all that they have started. They stop at once, the
        keepers first, so that none lives to report that another died."""
        victims = {self.nodes[node].pid: "slurmd", **dict.fromkeys(_below(self.nodes[node].pid), "slurmstepd")}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                environment = (entry / "environ").read_bytes().split(b"\0")
                ours = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode() in environment
                if ours and f"SLURMD_NODENAME={node}".encode() in environment:
                    victims[int(entry.name)] = (entry / "comm").read_text().strip()
                    victims |= dict.fromkeys(_keepers(int(entry.name)), "slurmstepd")
        in_order = sorted(victims, key=lambda process: not victims[process].startswith("slurm"))
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for victim in in_order:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, number)
        self.nodes[node].wait()


@contextlib.contextmanager
def running() -> Iterator[Cluster]:
    user = pwd.getpwuid(os.getuid()).pw_name
    with tempfile.TemporaryDirectory(prefix="slurm-") as name, contextlib.ExitStack() as ending:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "state").mkdir(mode=0o700)
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        controller, first, second = _ports()
        (folder / "slurm.conf").write_text(
            _CONFIGURATION.format(folder=folder, user=user, controller=controller, first=first, second=second)
        )
        (folder / "prolog").write_text(_PROLOG.format(folder=folder))
        (folder / "prolog").chmod(0o755)
        environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": SBIN}
        log = ending.enter_context((folder / "log").open("wb"))

        def start(*command: str) -> subprocess.Popen[bytes]:
            child = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            ending.callback(_end, child)
            return child

        start(
            "munged", "--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
            f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed",
        )  # fmt: skip
        _wait((folder / "munge.socket").exists, folder)
        start("slurmctld", "-D", "-i")
        nodes = {node: start("slurmd", "-D", "-N", node) for node in ("n1", "n2")}
        cluster = Cluster(folder, environment, nodes)
        _wait(lambda: cluster.ask("sinfo", "-h", "-N", "-o", "%t").split() == ["idle", "idle"], folder)
        ending.callback(cluster.ask, "scancel", "--full", "-u", user)
        yield cluster


def _ports() -> tuple[int, int, int]:
    """Three free ports, of which the nodes' follow each other."""
    while True:
        with socket.socket() as one, socket.socket() as two, socket.socket() as three:
            one.bind(("127.0.0.1", 0))
            two.bind(("127.0.0.1", 0))
            try:
                three.bind(("127.0.0.1", two.getsockname()[1] + 1))
            except OSError:
                continue
            return one.getsockname()[1], two.getsockname()[1], three.getsockname()[1]


def _wait(there: object, folder: Path) -> None:
    assert callable(there)
    deadline = time.monotonic() + _UP_S
    while not there():
        assert time.monotonic() < deadline, (folder / "log").read_text(errors="replace")[-3000:]
        time.sleep(0.1)


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _keepers(process: int) -> Iterator[int]:
    """The daemons of Slurm above a process."""
    while process > 1:
        status = Path(f"/proc/{process}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        if fields["Name"].startswith("slurm"):
            yield process
        process = int(fields["PPid"])


def _below(parent: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, task.read_text().split())
    return [*found, *(further for child in found for further in _below(child))]
