"""``ciphermark run --on slurm``: the shards of a study on a cluster, followed and merged, and then an ordinary run."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark.cli import messages, spread
from ciphermark.cli.progress import shown
from ciphermark.errors import UsageError
from ciphermark.execution import shards, slurm, task_list
from ciphermark.execution.merging import merge
from ciphermark.execution.planning import Plan
from ciphermark.notation.numbers import counted
from ciphermark.study.load import builtin

DEFAULT_SHARDS = 8
_WHERE = re.compile(r"slurm(:([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of ``run`` that say where and how."""

    on: str
    shards: int | None
    sbatch: str | None
    pack_dir: Path | None
    detach: bool

    def job(self) -> str | None:
        """The number of the job to take up; ``None``: a new one. Raises :class:`UsageError`."""
        match = _WHERE.fullmatch(self.on)
        if match is None:
            raise UsageError(
                f"--on: cannot run on {self.on!r}", "Write --on slurm, or --on slurm:JOB for a submitted job."
            )
        if match[2] is not None and (self.shards is not None or self.sbatch is not None):
            raise UsageError(f"job {match[2]} already has its shards and options", "Leave --shards and --sbatch out.")
        return match[2]


def run(
    name: str, planned: Plan, wanted: Wanted, options: Sequence[str], results: Path, *, quiet: bool,
    keep: Callable[[str], None],
) -> bool:  # fmt: skip
    """Submit shards of a study, or take them up, wait for them and merge them. Returns whether an ordinary run may
    follow: not if the job is left to itself. ``options`` are those of ``run`` that the shards need too; ``keep`` is
    told what an interrupt would leave."""
    number = wanted.job()
    folder = wanted.pack_dir or results / f"{planned.study.id}.packs"
    if not quiet:
        spread.tell_what_is_left_out(planned)
    tasks = shards.tasks_of(planned)
    if number is None:
        of = wanted.shards or min(DEFAULT_SHARDS, task_list.builds(tasks))
        study = name if name in builtin() else str(planned.file.absolute())
        job = slurm.submit(planned.study.id, [study, *options], of, folder, shlex.split(wanted.sbatch or ""))
        messages.note(
            f"submitted job {job.number}: {counted(of, 'shard')} of {planned.study.id}; packs in {job.folder}"
        )
    else:
        job = slurm.take_up(number, folder)
        if job.study != planned.study.id:
            raise UsageError(f"job {number} is of study {job.study}, not of {planned.study.id}")
    if wanted.detach:
        print(job.number)
        return False
    place = f" --pack-dir {shlex.quote(str(wanted.pack_dir))}" if wanted.pack_dir is not None else ""
    again = shlex.join(("ciphermark", "run", name, "--on", f"slurm:{job.number}"))
    keep(f"job {job.number} continues: `{again}{place}` waits for it, `scancel {job.number}` ends it")
    with shown(quiet) as progress:
        progress.begin(planned.study.id, len(tasks), 0)
        lost = slurm.follow(job, progress.shards)
    packs = job.packs()
    if packs:
        with shown(quiet) as progress:
            done = merge(packs, task_list.of(planned, tasks), progress.phase)
        messages.note(spread.in_words(done))
        if not quiet:
            for said in done.remarks():
                messages.note(said)
        spread.refuse_conflicts(done)
    slurm.refuse_lost(job, lost)
    return True
