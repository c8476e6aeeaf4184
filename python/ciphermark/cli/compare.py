"""``ciphermark compare``."""

import contextlib
import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import typer
from rich.markup import escape

from ciphermark.analysis.comparison_of_results import Compared, Limit, compare_results, in_words, named
from ciphermark.claims.judge import Judgements
from ciphermark.cli import completion, messages, output, progress
from ciphermark.cli.options import JsonFlag, engine_option, split
from ciphermark.errors import UsageError
from ciphermark.execution import revisions
from ciphermark.exit_codes import ExitCode
from ciphermark.notation.numbers import counted
from ciphermark.store import earlier, records, scratch
from ciphermark.store.earlier import Found

STATUSES = {
    ExitCode.OK: "",
    ExitCode.FAILED: "a limit of --fail-on is exceeded, a file cannot be read or written, or a revision cannot be "
    "measured",
    ExitCode.USAGE: "",
}
_SHOWN = 50


def compare(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULTS",
            help="The old results folder and the new one, each of one study or of several. With --rev: the studies.",
            autocompletion=completion.folders,
        ),
    ],
    rev: Annotated[
        str | None,
        typer.Option(
            "--rev",
            metavar="REVISIONS",
            help="Run the studies at two revisions of this git repository, OLD..NEW, and compare the results; with OLD "
            "alone, compare it with the working tree.",
        ),
    ] = None,
    engines: Annotated[list[str] | None, engine_option("those that the study names", "With --rev: measure")] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="With --rev: keep both revisions' results in subfolders of this folder (default: they are removed).",
            autocompletion=completion.folders,
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=3,
            help="With --rev, on host: start N fresh processes per point (default: as the study says, or 25).",
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="LIMIT",
            help="Exit with status 1 if a metric moves by more than this: instructions:+0.5%, code_bytes:+16, "
            "seconds:+2%; any: if anything differs, except for new rows and a host's own counters. May be given "
            "several times.",
        ),
    ] = None,
    json_lines: JsonFlag = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for a pull request on stdout.")] = False,
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a JUnit report to this file, with a test for each limit.",
            autocompletion=completion.files(".xml"),
        ),
    ] = None,
) -> None:
    """Show what changed between two results folders or two revisions.

    Rows and the verdicts of claims are compared. Rows are matched by what was measured and how it was built.
    Counts, sizes and cycles are compared exactly, so every difference is shown; times of two runs are shown if their
    intervals do not overlap, and times of one run (--rev) if its rounds show a difference. With --rev, each revision
    is checked out into its own git worktree, which is removed afterwards; studies run in the worktree's folder that
    corresponds to the current one, with this ciphermark. What both revisions share is measured once, and times of both
    are measured in one run, with the revisions taking turns in each round. With results of an older version, only
    columns that both have are compared; the others are named.

    Examples:

      ciphermark compare results-main results
      ciphermark compare results-main results --fail-on instructions:+0.5%
      ciphermark compare old new --markdown --junit compare.xml --fail-on any
      ciphermark compare --rev main..HEAD study.toml --fail-on any
    """
    status = ExitCode.OK
    with messages.exit_codes():
        if json_lines and markdown:
            raise UsageError("--json and --markdown exclude each other", "Choose one.")
        limits = [Limit.parse(text) for text in fail_on or ()]
        found = _found(what, rev, split(engines), results, processes)
        exceeded = {limit.text: _exceeding(limit, found) for limit in limits}
        if json_lines:
            for each in found:
                print(json.dumps(_record(each), ensure_ascii=False))
        elif markdown:
            print("\n".join(_markdown(found, exceeded)))
        else:
            _print(found)
        if junit is not None:
            output.write_file(junit, _junit(exceeded))
        for text, beyond in exceeded.items():
            if beyond:
                messages.error(f"{text}: exceeded {counted(len(beyond), 'time')}, first by {beyond[0]}")
                status = ExitCode.FAILED
    raise SystemExit(status)


def _found(
    what: Sequence[str], rev: str | None, engines: Sequence[str], results: Path | None, processes: int | None
) -> list[Compared]:
    if rev is not None:
        with contextlib.ExitStack() as ending:
            here, place = Path.cwd(), results or ending.enter_context(scratch.folder(scratch.temporary()))
            watching = functools.partial(progress.shown, quiet=False)
            sides = revisions.parse(rev, here)
            return list(_compared(*revisions.measure(sides, what, engines, here, place, watching, processes)))
    if engines or results is not None or processes is not None:
        raise UsageError("--engines, --results and --processes go with --rev", "Name the revisions: --rev main..HEAD.")
    if len(what) != 2:
        raise UsageError(f"two results folders are compared, not {len(what)}", "Name the old one and the new one.")
    return list(_compared(*map(Path, what)))


def _compared(old: Path, new: Path) -> Iterator[Compared]:
    for study, one, two in _pairs(old, new):
        first, second = earlier.read(one), earlier.read(two)
        both: dict[str, tuple[str, str]] = {}
        skipped = _of_one_side(first, second)
        if first.earlier or second.earlier:
            skipped = (*skipped, "verdicts of claims")
        else:
            both = _verdicts(one, two)
        yield compare_results(study, first.rows, second.rows, both, first.columns & second.columns, skipped)


def _verdicts(old: Path, new: Path) -> dict[str, tuple[str, str]]:
    found = [records.read(folder / "claims.json", Judgements) for folder in (old, new)]
    before, after = ({claim.id: claim for claim in each.claims} if each is not None else {} for each in found)
    return {
        claim.claim: (str(before[name].verdict), str(claim.verdict)) for name, claim in after.items() if name in before
    }


def _of_one_side(first: Found, second: Found) -> tuple[str, ...]:
    """Columns with figures that only one of the two has."""
    only = [*first.unknown, *sorted(first.filled() - second.columns)]
    only += [*second.unknown, *sorted(second.filled() - first.columns)]
    return tuple(dict.fromkeys(only))


def _pairs(old: Path, new: Path) -> list[tuple[str, Path, Path]]:
    for folder in (old, new):
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder", "Name what `ciphermark run` has written.")
    if earlier.is_results(old):
        return [(new.name, old, new)]
    studies = sorted(path.name for path in old.iterdir() if earlier.is_results(path))
    if not studies:
        raise UsageError(
            f"neither {old} nor any folder in it has a rows.jsonl", "Name what `ciphermark run` has written."
        )
    return [(study, old / study, new / study) for study in studies]


def _exceeding(limit: Limit, found: Sequence[Compared]) -> list[str]:
    beyond = [
        f"{named(change.row)}: {change.metric} {in_words(change)}"
        for each in found
        for _, change in each.exceeding([limit])
    ]
    if limit.text == "any":
        # Two empty tables are equal, but show nothing.
        beyond += [f"{each.study}: no row is in both" for each in found if not each.changes.matched]
        beyond += [f"{named(row)}: is gone" for each in found for row in each.changes.gone]
        beyond += [f"{flip.claim}: {flip.before} to {flip.after}" for each in found for flip in each.flips]
    return beyond


def _summary(each: Compared) -> str:
    rows = len({id(change.row) for change in each.changes.changed})
    return (
        f"{counted(each.changes.matched, 'row')} compared, {rows} changed, {len(each.changes.gone)} gone, "
        f"{len(each.changes.new)} new, {counted(len(each.flips), 'verdict')} flipped"
    )


def _skipped(each: Compared) -> str:
    return f"{', '.join(each.skipped)}, which only one side has or this version cannot read"


def _print(found: Sequence[Compared]) -> None:
    console = output.console()
    for each in found:
        console.print(f"[bold]{escape(each.study)}[/bold]: {_summary(each)}", soft_wrap=True)
        if each.skipped:
            console.print(f"  not compared: {escape(_skipped(each))}", soft_wrap=True)
        for flip in each.flips:
            console.print(f"  verdict: {escape(flip.claim)}: {flip.before} to {flip.after}", soft_wrap=True)
        lines = [f"{named(change.row)}: {change.metric} {in_words(change)}" for change in each.changes.changed]
        lines += [f"{named(row)}: gone" for row in each.changes.gone] + [
            f"{named(row)}: new" for row in each.changes.new
        ]
        for line in lines[:_SHOWN]:
            console.print(f"  {escape(line)}", soft_wrap=True)
        if len(lines) > _SHOWN:
            messages.note(f"and {len(lines) - _SHOWN:,} more; --json has all")


def _markdown(found: Sequence[Compared], exceeded: dict[str, list[str]]) -> Iterator[str]:
    for each in found:
        yield f"### {each.study}\n\n{_summary(each)}.\n"
        if each.skipped:
            yield f"Not compared: {_skipped(each)}.\n"
        if each.flips:
            yield "| claim | before | after |\n|---|---|---|"
            yield from (f"| {_cell(flip.claim)} | {flip.before} | {flip.after} |" for flip in each.flips)
            yield ""
        if each.changes.changed:
            yield "| row | metric | change |\n|---|---|---|"
            for change in each.changes.changed[:_SHOWN]:
                yield f"| {_cell(named(change.row))} | {change.metric} | {in_words(change)} |"
            left = len(each.changes.changed) - _SHOWN
            yield f"\nand {left:,} more\n" if left > 0 else ""
    for text, beyond in exceeded.items():
        said = f"**exceeded** {counted(len(beyond), 'time')}" if beyond else "holds"
        yield f"- `{text}`: {said}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _record(each: Compared) -> dict[str, object]:
    return {
        "study": each.study,
        "matched": each.changes.matched,
        "changed": [
            {"row": change.row.point, "what": named(change.row), "metric": change.metric, "before": change.before,
             "after": change.after, "ratio": change.ratio}
            for change in each.changes.changed
        ],
        "gone": [named(row) for row in each.changes.gone],
        "new": [named(row) for row in each.changes.new],
        "verdicts": [asdict(flip) for flip in each.flips],
        "not_compared": list(each.skipped),
    }  # fmt: skip


def _junit(exceeded: dict[str, list[str]]) -> str:
    suite = ElementTree.Element(
        "testsuite",
        name="ciphermark compare",
        tests=str(len(exceeded)),
        failures=str(sum(map(bool, exceeded.values()))),
    )
    for text, beyond in exceeded.items():
        case = ElementTree.SubElement(suite, "testcase", classname="ciphermark.compare", name=text)
        if beyond:
            failure = ElementTree.SubElement(case, "failure", message=f"exceeded {counted(len(beyond), 'time')}")
            failure.text = "\n".join(beyond)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
