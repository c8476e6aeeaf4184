"""Studies as two revisions of the user's git repository have them, measured by this installation."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ciphermark.errors import RunError, UsageError
from ciphermark.execution.sides import measure_times, processes_of
from ciphermark.execution.tasks import Progress
from ciphermark.exit_codes import ExitCode
from ciphermark.store import scratch
from ciphermark.toolchain import children

_GIT_S = 600.0
"""A large repository on a slow disk is checked out within this."""
_ENDED_S = 30.0
_RAN = frozenset({ExitCode.OK, ExitCode.FAILED, ExitCode.MISMATCH, ExitCode.ENGINE_MISSING})
"""Exit statuses of a run that may have written rows; those that are wrong say so."""
_OF_GIT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
"""What git tells its hooks, from one of which this may be started."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One side: a commit, or the working tree as it is."""

    text: str
    commit: str | None

    @property
    def name(self) -> str:
        return self.commit[:12] if self.commit is not None else "working-tree"


def parse(text: str, folder: Path) -> tuple[Revision, Revision]:
    """``main..HEAD``, both commits; ``main`` or ``main..``: against the working tree. Raises :class:`UsageError`."""
    before, _, after = text.partition("..")
    if not before or after.startswith("."):
        raise UsageError(f"`{text}` does not name two revisions", "Write OLD..NEW, or OLD for the working tree.")
    _top(folder)
    return _resolved(before, folder), _resolved(after, folder) if after else Revision("working tree", None)


def _resolved(name: str, folder: Path) -> Revision:
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found is None:
        raise UsageError(f"unknown revision `{name}`", "`git log` and `git branch --all` show which there are.")
    return Revision(name, found.strip())


def _top(folder: Path) -> Path:
    found = _git(folder, "rev-parse", "--show-toplevel")
    if found is None:
        raise UsageError(
            f"--rev: {folder} is not in a git repository", "Name two results folders, OLD and NEW, instead."
        )
    return Path(found.rstrip("\n"))


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints, or ``None`` if it refuses. The repository's hooks are not run."""
    command = ("git", "-c", f"core.hooksPath={os.devnull}", *arguments)
    try:
        environment = {name: value for name, value in os.environ.items() if name not in _OF_GIT}
        done = children.run(command, folder=folder, deadline_s=_GIT_S, environment=environment)
    except (OSError, children.LateError) as error:
        raise RunError(f"git: {error}", "--rev needs git on PATH.") from error
    return done.stdout if done.returncode == 0 else None


@contextlib.contextmanager
def checked_out(revision: Revision, folder: Path) -> Iterator[Path]:
    """``folder``, which lies in a repository, as the revision has it; its worktree goes with the block."""
    if revision.commit is None:
        yield folder
        return
    top = _top(folder)
    inside = folder.resolve().relative_to(top.resolve())
    with scratch.folder(scratch.temporary()) as place:
        tree = place / "tree"
        try:
            # An interrupt may come while git is at it, when it has noted the worktree already.
            if _git(top, "worktree", "add", "--detach", str(tree), revision.commit) is None:
                raise RunError(
                    f"git cannot check {revision.text} out", f"Try `git worktree add --detach FOLDER {revision.text}`."
                )
            if not (tree / inside).is_dir():
                raise UsageError(f"{revision.text} has no folder {inside}", "Start where both revisions have a folder.")
            yield tree / inside
        finally:
            # Removed here, so that the repository forgets it at once.
            shutil.rmtree(tree, ignore_errors=True)
            # If git was interrupted, it has left it locked.
            _git(top, "worktree", "unlock", str(tree))
            _git(top, "worktree", "prune")


def measure(
    sides: Sequence[Revision],
    studies: Sequence[str],
    engine_names: Sequence[str],
    folder: Path,
    results: Path,
    watching: Callable[[], AbstractContextManager[Progress]],
    processes: int | None = None,
) -> list[Path]:
    """Run ``studies`` where ``folder`` is as each revision has it, so that the names of implementations, which are
    paths from there, are those of the other revision. Times of all are taken together first, in ``processes``
    processes or as many as :func:`processes_of` says. Returns the folders of results."""
    with contextlib.ExitStack() as trees:
        folders = [trees.enter_context(checked_out(side, folder)) for side in sides]
        with watching() as progress:
            for study in studies:
                measure_times(study, engine_names, folders, progress, processes)
        places = [results / side.name for side in sides]
        for side, there, place in zip(sides, folders, places, strict=True):
            # One at a time: each may say how its times are sampled.
            for study in studies:
                _run(side, study, engine_names, there, place, processes_of(study, there, processes))
        return places


def _run(
    side: Revision, study: str, engine_names: Sequence[str], folder: Path, place: Path, processes: int | None
) -> None:
    options = ("--engines", ",".join(engine_names)) if engine_names else ()
    sampled = ("--processes", str(processes)) if processes is not None else ()
    command = (sys.executable, "-m", "ciphermark", "run", study, *options, *sampled, "--results", str(place.resolve()))
    before = _written(place)
    # Below the package that this process was imported from, whatever the revision holds.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=environment) as run:
        try:
            status = run.wait()
        except BaseException:
            _end(run)
            raise
    if status not in _RAN or _written(place) == before:
        kind = UsageError if status == ExitCode.USAGE else RunError
        raise kind(f"the run of {side.text} ended with status {status}", "What it said is above.")


def _written(place: Path) -> dict[Path, int]:
    """The rows that are there, and when each was written."""
    return {path: path.stat().st_mtime_ns for path in place.glob("*/rows.jsonl")}


def _end(run: subprocess.Popen[bytes]) -> None:
    """Ctrl-C has reached it as well; it says what it keeps."""
    run.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(_ENDED_S)
        return
    run.kill()
