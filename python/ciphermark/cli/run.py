"""``ciphermark run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli import messages, output, summary
from ciphermark.cli.options import CsvFlag, EngineList, JobsOption, JsonFlag, QuietFlag, split
from ciphermark.cli.progress import Lines, shown
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
    report.html. An interrupted run resumes; times of host, which belong together, begin again. Of one study
    all verdicts are printed; of several what they came to, at the end.

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
        finished: list[tuple[Results, Path]] = []
        lines = Lines()
        for name in names:
            with shown(quiet, lines) as progress:
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
            finished.append((done, report))
            if form is not output.Format.TABLE:
                output.print_rows(done.rows, form)
            elif len(names) == 1:
                summary.print_verdicts(done, report)
            else:
                summary.print_counts(done)
            status = max(status, _status(done, strict))
            if not quiet:
                summary.remark(done, briefly=len(names) > 1)
        if form is output.Format.TABLE and len(names) > 1:
            summary.print_all(finished)
    raise SystemExit(status)


def write_report(directory: Path) -> Path:
    """Make ``report.html`` of a results folder."""
    from ciphermark.report import InputError, write

    try:
        return write(directory)
    except InputError as error:
        raise CiphermarkError(f"no report: {error.message}", error.hint) from error


def _status(done: Results, strict: bool) -> int:
    verdicts = {row.verdict for row in done.rows}
    if "failed" in verdicts or done.mismatches or not all(control.passed for control in done.controls):
        return MISMATCH
    if strict and any(claim.verdict == "contradicted" for claim in done.claims):
        return CONTRADICTED
    return FAILED if "error" in verdicts else 0
