"""``ciphermark run`` in parts: one shard of a study here, and ``ciphermark merge``, which puts the parts together."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli import completion, messages
from ciphermark.cli.options import JsonFlag, QuietFlag
from ciphermark.cli.progress import shown
from ciphermark.errors import MismatchError, UsageError
from ciphermark.execution import shards
from ciphermark.execution.merging import Merged, merge
from ciphermark.execution.planning import Plan
from ciphermark.execution.shards import Shard, run_shard
from ciphermark.exit_codes import ExitCode
from ciphermark.notation.numbers import counted, in_bytes
from ciphermark.store.pack_file import SUFFIX

STATUSES = {
    ExitCode.OK: "",
    ExitCode.FAILED: "the cache cannot be written",
    ExitCode.USAGE: "a file is not a pack, or packs do not belong together",
    ExitCode.MISMATCH: "two machines have different results for one point",
}
_SHOWN = 5


def merge_command(
    packs: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Packs that `run --shard` wrote.", autocompletion=completion.files(SUFFIX)),
    ],
    json_lines: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Merge packs from other machines into the cache.

    Then `ciphermark run STUDY`, with the options that the shards had (--engines, --full, --fetch, --rtl), uses their
    points, measures what is missing, and judges the claims. All packs are checked first: those of one study must be
    shards of the same tasks, and all must have been measured with the build of ciphermark and the compilers that this
    machine has. Damaged entries are skipped and counted. If two packs have different results for a point, neither is
    kept; a result that is already in the cache stays. Only simulators run a pack's programs.

    Examples:

      ciphermark merge packs/*.pack
      ciphermark merge small-1-of-2.pack small-2-of-2.pack --json
    """
    with messages.exit_codes():
        with shown(quiet) as progress:
            done = merge(packs, say=progress.phase)
        if json_lines:
            print(json.dumps(asdict(done)))
        else:
            print(in_words(done))
        if not quiet:
            for said in done.remarks():
                messages.note(said)
        refuse_conflicts(done)


def in_words(done: Merged) -> str:
    machines = ", ".join(dict.fromkeys(machine.host for machine in done.measured_on))
    return (
        f"{', '.join(done.studies)}: {counted(done.packs, 'pack')} of {machines} merged: "
        f"{counted(done.new, 'point')} and {counted(done.programs, 'program')} are new, {counted(done.known, 'point')} "
        f"{'was' if done.known == 1 else 'were'} already here"
    )


def refuse_conflicts(done: Merged) -> None:
    """Raise :class:`MismatchError` if two machines have different results for one point."""
    if done.conflicts:
        shown_here = "\n".join(
            f"  {each.what}: {each.differs} (point {each.key[:16]})" for each in done.conflicts[:_SHOWN]
        )
        more = f"\n  and {len(done.conflicts) - _SHOWN} more" if len(done.conflicts) > _SHOWN else ""
        raise MismatchError(
            f"{counted(len(done.conflicts), 'point')} with different results on two machines:\n{shown_here}{more}",
            "Counts are the same on every machine, so one of them is faulty. Between two packs, neither result is "
            "kept; a result that was already here is.",
        )


def default_pack(study: str, shard: Shard) -> Path:
    return Path(f"{study}-{shard.number}-of-{shard.of}{SUFFIX}")


def shard(planned: Plan, part: Shard, pack: Path | None, *, jobs: int | None, quiet: bool) -> int:
    """Do a shard and say what it came to; the exit status."""
    place = pack or default_pack(planned.study.id, part)
    if place.is_dir():
        raise UsageError(
            f"--pack: {place} is a folder", f"Name a file: {place / default_pack(planned.study.id, part)}."
        )
    if not quiet:
        tell_what_is_left_out(planned)
    with shown(quiet) as progress:
        done = run_shard(planned, part, place, workers=jobs, progress=progress)
    print(
        f"{planned.study.id}: shard {part}: {counted(done.tasks, 'task')}, {counted(done.points, 'point')}, "
        f"{done.measured} measured now, {done.seconds:.1f} s; {done.pack} ({in_bytes(done.pack.stat().st_size)})"
    )
    for said in done.failures:
        messages.error(said)
    return ExitCode.MISMATCH if done.wrong else ExitCode.FAILED if done.failures else ExitCode.OK


def tell_what_is_left_out(planned: Plan) -> None:
    shards.tasks_of(planned)
    why = shards.why_left_out(planned)
    if why is not None:
        left = len(planned.tasks) - len(shards.tasks_of(planned))
        messages.note(
            f"{counted(left, 'task')} left out of the shards: {why}; `ciphermark run` measures them after the merge"
        )
