"""Shards as the elements of one Slurm array. Slurm starts them, limits them and requeues those of lost nodes; each
writes its pack to a folder that all nodes share, and whoever waits looks at that folder and at ``squeue``."""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ciphermark.errors import RunError, UsageError, nearest
from ciphermark.execution.shards import read_progress
from ciphermark.execution.tasks import ShardState, StateOfShard
from ciphermark.store.atomic import read_regular, write_atomically
from ciphermark.store.pack_file import SUFFIX
from ciphermark.toolchain import children

_ANSWER_S = 120.0
"""A busy controller may take so long."""
GRACE_S = 20.0
"""So long an element may have ended without its pack: a shared folder shows new files late, and an element of a lost
node is on its way back into the queue."""
_LOG_LINES = 12
_ENDED = frozenset({
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT",
    "GONE",
})  # fmt: skip
"""States after which nothing more comes of an element; ``GONE``: Slurm has forgotten it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One array, as it is remembered beside its packs."""

    number: str
    token: str
    """Part of its packs' names, because another cluster numbers its jobs from the start again."""
    study: str
    shards: int
    folder: Path

    def pack(self, shard: int) -> Path:
        return self.folder / f"{self.token}-{shard}-of-{self.shards}{SUFFIX}"

    def packs(self) -> list[Path]:
        """Those that are there."""
        return [place for number in self.numbers() if (place := self.pack(number)).exists()]

    def numbers(self) -> range:
        return range(1, self.shards + 1)

    def log(self, shard: int) -> Path:
        return self.folder / f"{self.number}-{shard}.log"


def submit(study: str, arguments: Sequence[str], shards: int, folder: Path, options: Sequence[str] = ()) -> Job:
    """Submit ``ciphermark run`` with ``arguments`` as an array of ``shards``; ``options`` are of ``sbatch``. Raises
    :class:`UsageError` without Slurm, and :class:`RunError` if it refuses."""
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    job = Job("", secrets.token_hex(4), study, shards, folder)
    script = folder / f"{job.token}.sh"
    write_atomically(script, _script(job, arguments).encode())
    command = (
        _program("sbatch"), "--parsable", f"--array=1-{shards}", "--requeue", f"--job-name=ciphermark-{study}",
        f"--output={folder}/%A-%a.log", "--open-mode=append", *options, str(script),
    )  # fmt: skip
    number = _asked(command).partition(";")[0].strip()
    if not number.isdecimal():
        raise RunError(f"sbatch did not say the job's number, but {number[:200]!r}")
    job = replace(job, number=number)
    record = {**asdict(job), "folder": None}
    write_atomically(folder / f"{number}.json", json.dumps(record).encode())
    return job


def _script(job: Job, arguments: Sequence[str]) -> str:
    """What each element runs: its number is known only there."""
    of = f"-of-{job.shards}{SUFFIX}"
    pack = f"{shlex.quote(f'{job.folder}/{job.token}-')}$SLURM_ARRAY_TASK_ID{shlex.quote(of)}"
    command = shlex.join((sys.executable, "-m", "ciphermark", "run", *arguments, "--quiet"))
    return f"#!/bin/sh\nexec {command} --shard $SLURM_ARRAY_TASK_ID/{job.shards} --pack {pack}\n"


def take_up(number: str, folder: Path) -> Job:
    """A job that was submitted before. Raises :class:`UsageError` if ``folder`` does not have it."""
    folder = folder.absolute()
    try:
        found = json.loads(read_regular(folder / f"{number}.json"))
        return Job(str(found["number"]), str(found["token"]), str(found["study"]), int(found["shards"]), folder)
    except (OSError, ValueError, KeyError, TypeError):
        known = [path.stem for path in folder.glob("*.json")]
        raise UsageError(
            f"{folder} does not have job {number}",
            nearest(number, known) if known else "Name the folder that it was submitted with: --pack-dir FOLDER.",
        ) from None


def follow(
    job: Job,
    tell: Callable[[Sequence[ShardState]], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> dict[int, str]:
    """Wait until each shard has written its pack or has ended without one; these are returned, with Slurm's word for
    how. ``tell`` is told how far all are, again and again."""
    began = clock()
    ended_at: dict[int, float] = {}
    said: Mapping[int, tuple[str, str]] = {}
    while True:
        said = _queue(job, said)
        now = clock()
        states = [_state(job, number, *said.get(number, ("GONE", ""))) for number in job.numbers()]
        for each in states:
            if each.said in _ENDED and each.state != "done":
                ended_at.setdefault(each.number, now)
            else:
                ended_at.pop(each.number, None)
        lost = {
            each.number: each.said
            for each in states
            if each.number in ended_at and now - ended_at[each.number] >= GRACE_S
        }
        tell([replace(each, state="lost") if each.number in lost else each for each in states])
        if all(each.state == "done" or each.number in lost for each in states):
            return lost
        # Short jobs are noticed soon, long ones do not burden the controller.
        sleep(min(10.0, 1.0 + (now - began) / 60))


def _state(job: Job, number: int, word: str, host: str) -> ShardState:
    place = job.pack(number)
    if place.exists():
        return ShardState(number, "done", "COMPLETED", host)
    far = read_progress(place)
    state: StateOfShard = "waiting" if word in {"PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"} else "running"
    if far is None or state == "waiting":
        return ShardState(number, state, word, host)
    return ShardState(number, state, word, far.host or host, far.rows, far.of)


def _queue(job: Job, before: Mapping[int, tuple[str, str]]) -> Mapping[int, tuple[str, str]]:
    """Slurm's word and the node for each element that it knows; ``before`` if it does not answer now."""
    command = (
        _program("squeue"), "--noheader", "--array", "--states=all", f"--jobs={job.number}", "--format=%K|%T|%N",
    )  # fmt: skip
    try:
        done = children.run(command, deadline_s=_ANSWER_S)
    except (OSError, children.LateError):
        return before
    if done.returncode != 0:
        # It forgets jobs some minutes after their end.
        return {} if "Invalid job id" in done.stderr else before
    return dict(_elements(done.stdout))


def _elements(text: str) -> Iterator[tuple[int, tuple[str, str]]]:
    for line in text.splitlines():
        element, _, rest = line.partition("|")
        word, _, host = rest.partition("|")
        if element.strip().isdecimal():
            yield int(element), (word.strip(), host.strip())


def refuse_lost(job: Job, lost: Mapping[int, str]) -> None:
    """Raise :class:`RunError`, with what the first lost shard said last, if there is one."""
    if not lost:
        return
    first = min(lost)
    try:
        words = job.log(first).read_text(errors="replace").splitlines()[-_LOG_LINES:]
    except OSError:
        words = ["it has no log"]
    many = ", ".join(f"{number} ({word})" for number, word in sorted(lost.items()))
    again = ",".join(f"{job.number}_{number}" for number in sorted(lost))
    raise RunError(
        f"job {job.number}: no pack of shards {many}; the log of {first} ends with:\n" + "\n".join(words),
        f"The others' points are kept. Repeat the lost ones with `scontrol requeue {again}` and follow the "
        f"job again with --on slurm:{job.number}, or run the study without --on to measure the rest here.",
    )


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise UsageError(
            f"--on slurm: there is no {name} here", "Run it where jobs are submitted, on a cluster that has Slurm."
        )
    return found


def _asked(command: Sequence[str]) -> str:
    try:
        done = children.run(command, deadline_s=_ANSWER_S)
    except (OSError, children.LateError) as error:
        raise RunError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise RunError(
            f"sbatch refused the job: {done.stderr.strip()}",
            "Check that `sinfo` works here, and the options given with --sbatch.",
        )
    return done.stdout
