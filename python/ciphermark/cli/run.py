"""``ciphermark run``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from ciphermark import engines
from ciphermark.claims.judge import Judgement
from ciphermark.cli import messages, output
from ciphermark.cli.options import CsvFlag, EngineList, JobsOption, JsonFlag, QuietFlag, split
from ciphermark.cli.progress import shown
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import RESULTS, run_study
from ciphermark.executors.local import LocalExecutor
from ciphermark.study.load import builtin, find, load

CONTRADICTED = 3
MISMATCH = 4
FAILED = 1

_KEPT = "finished points are kept, and the same command resumes from them"


def run(
    studies: Annotated[
        list[str] | None, typer.Argument(help="Ids or .toml files; all studies if none is named.")
    ] = None,
    engine: EngineList = None,
    results: Annotated[Path, typer.Option("--results", help="Folder that gets one folder a study.")] = RESULTS,
    full: Annotated[
        bool, typer.Option("--full", help="The source's own totals, where a study has shorter ones by default.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure every point again.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 if a claim is contradicted.")] = False,
    jobs: JobsOption = None,
    json_lines: JsonFlag = False,
    csv: CsvFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Run studies: build, verify, measure, judge the claims, write the report.

    Results lie in results/<study>/: rows.csv, rows.jsonl, rows.parquet, claims.json, manifest.json and
    report.html. An interrupted run resumes; times of host, which belong together, begin again.

    Exit status: 0 all well, 1 a point could not be measured, 2 usage, 3 a claim is contradicted (with
    --strict), 4 a known answer, a control or two engines' counts are wrong, 5 an engine is missing.

    Examples:

      ciphermark run
      ciphermark run aes-bitmanip --engine sim,qemu
      ciphermark run aes-kernel-offload --full
      ciphermark run ./my-study.toml --json > rows.jsonl
    """
    status = 0
    with messages.exit_codes(_KEPT):
        form = output.chosen(json_lines, csv)
        names = studies or list(builtin())
        for name in names:
            # All are read before the first runs: a mistake in the last should not cost the others' time.
            load(find(name))
        if form is output.Format.CSV and len(names) > 1:
            raise UsageError("--csv prints one table, and several studies are named", "Name one study, or use --json.")
        for name in names:
            with shown(quiet) as progress:
                done = run_study(
                    name,
                    engine=split(engine),
                    full=full,
                    results=results,
                    fresh=fresh,
                    executor=LocalExecutor(jobs),
                    progress=progress,
                )
                progress.phase("writing the report")
                report = write_report(done.directory)
            if form is output.Format.TABLE:
                _print_summary(done, report)
            else:
                output.print_rows(done.rows, form)
            status = max(status, _status(done, strict))
            if not quiet:
                _remark(done)
    raise SystemExit(status)


def write_report(directory: Path) -> Path:
    """Make ``report.html`` of a results folder."""
    from ciphermark.report import InputError, write

    try:
        return write(directory)
    except InputError as error:
        raise CiphermarkError(f"no report: {error}") from error


def _status(done: Results, strict: bool) -> int:
    verdicts = {row.verdict for row in done.rows}
    if "failed" in verdicts or done.mismatches or not all(control.passed for control in done.controls):
        return MISMATCH
    if strict and any(claim.verdict == "contradicted" for claim in done.claims):
        return CONTRADICTED
    return FAILED if "error" in verdicts else 0


def _print_summary(done: Results, report: Path) -> None:
    """Verdicts, controls and where everything lies; the rows themselves are many."""
    console = output.console()
    console.print(f"[bold]{done.study}[/bold]: {_counts(done)}")
    for control in done.controls:
        mark = "[green]holds[/green]" if control.passed else "[red]FAILS[/red]"
        console.print(f"  control {escape(control.name)}: {mark}: {escape(control.outcome)}", soft_wrap=True)
    for table in done.tables:
        output.print_pivot(table)
    colours = {"confirmed": "green", "contradicted": "red", "not testable": "yellow"}
    for claim in done.claims:
        verdict = f"[{colours[claim.verdict]}]{claim.verdict}[/{colours[claim.verdict]}]"
        console.print(f"  {verdict}: {escape(told_apart(claim, done.claims))}", soft_wrap=True)
        console.print(f"      {escape(claim.reason)}", soft_wrap=True)
    console.print(f"  report: {escape(str(report))}", soft_wrap=True)


def told_apart(claim: Judgement, claims: Sequence[Judgement]) -> str:
    """Its sentence; where another claim says the same, its source besides, without what both sources begin with."""
    sources = [other.citation.split(": ") for other in claims if other.claim == claim.claim]
    if len(sources) == 1:
        return claim.claim
    own = claim.citation.split(": ")
    while len(own) > 1 and all(source[:1] == own[:1] for source in sources):
        own, sources = own[1:], [source[1:] for source in sources]
    return f"{claim.claim} ({': '.join(own)})"


def _counts(done: Results) -> str:
    extrapolated = sum(row.verified and row.samples == 0 for row in done.rows)
    parts = [f"{len(done.rows)} rows ({extrapolated} extrapolated)"]
    parts += [
        f"{sum(row.verdict == verdict for row in done.rows)} {verdict}"
        for verdict in ("flagged", "failed", "unsupported", "error")
        if any(row.verdict == verdict for row in done.rows)
    ]
    return ", ".join([*parts, f"{done.manifest['points_measured_now']} measured now", f"{done.manifest['seconds']} s"])


def _remark(done: Results) -> None:
    skipped = done.manifest["skipped"]
    if skipped:
        total = sum(item["count"] for item in skipped)
        messages.note(
            f"{done.study}: {total} combinations skipped; {done.directory / 'manifest.json'} lists them and why"
        )
    for remark in done.manifest["remarks"]:
        messages.note(remark)
    if done.manifest["parquet"] != "written":
        messages.note(f"rows.parquet: {done.manifest['parquet']} (pip install polars)")
    for mismatch in done.mismatches[:5]:
        messages.error(f"engines disagree: {mismatch}")
    bad = [row for row in done.rows if row.verdict in ("failed", "error", "unsupported")]
    for row in {(row.implementation, row.isa, row.note): row for row in bad}.values():
        # What this machine lacks is no mistake; what a simulator cannot have was asked for by the study.
        say = messages.note if row.verdict == "unsupported" and engines.is_native(row.engine) else messages.error
        say(f"{row.implementation} {row.isa} {row.compiler} -{row.opt} ({row.engine}): {row.note}")
