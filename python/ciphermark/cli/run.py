"""``ciphermark run``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ciphermark import engines as every_engine
from ciphermark.cli import completion, messages, output, summary
from ciphermark.cli.options import CsvFlag, JobsOption, JsonFlag, QuietFlag, engine_option, split
from ciphermark.cli.progress import Lines, shown
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import RESULTS, run_study
from ciphermark.exit_codes import ExitCode
from ciphermark.store import downloads
from ciphermark.study.load import builtin, find, load
from ciphermark.study.schema import Study

STATUSES = {
    ExitCode.OK: "",
    ExitCode.FAILED: "a point could not be measured",
    ExitCode.USAGE: "",
    ExitCode.CONTRADICTED: "",
    ExitCode.MISMATCH: "",
    ExitCode.ENGINE_MISSING: "",
}
_KEPT = "finished points are kept, and the same command resumes from them"


def run(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STUDY",
            help="A built-in study's name, or a .toml file (default: all built-in studies).",
            autocompletion=completion.studies,
        ),
    ] = None,
    engines: Annotated[list[str] | None, engine_option("those that the study names")] = None,
    results: Annotated[
        Path,
        typer.Option(
            "--results",
            metavar="FOLDER",
            help="Write each study's results to a subfolder of this folder.",
            autocompletion=completion.folders,
        ),
    ] = RESULTS,
    full: Annotated[
        bool, typer.Option("--full", help="Use the source's message sizes, where a study shortens them by default.")
    ] = False,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch", help="Download what engines lack: the Linux kernels that vm boots, and Rocket's generator."
        ),
    ] = False,
    rtl: Annotated[
        bool,
        typer.Option(
            "--rtl", help="Measure on cores in RTL, too, where a study may: their simulators take minutes to build."
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure every point again, even if its result is cached.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 3 if a claim is contradicted.")] = False,
    jobs: JobsOption = None,
    json_lines: JsonFlag = False,
    csv: CsvFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Run studies: measure, judge the claims, write the report.

    Everything is built and verified before it is measured. Results are written to results/<study>/: rows.csv,
    rows.jsonl, rows.parquet, claims.json, manifest.json and report.html. The same command resumes an interrupted run,
    but measurements on engine host start over, because they are interleaved. One study prints all its verdicts;
    several print a summary. Nothing is downloaded without --fetch, and nothing measured on cores in RTL without --rtl
    (or --engines): such engines are left out, and the report says so.

    Examples:

      ciphermark run
      ciphermark run aes-bitmanip --engines sim,qemu
      ciphermark run aes-kernel-offload --full --fetch
      ciphermark run chacha-ise --fetch --rtl
      ciphermark run ./my-study.toml --json > rows.jsonl
    """
    status = 0
    with messages.exit_codes(_KEPT), downloads.fetching(fetch), downloads.patience(rtl or _names_machines(engines)):
        form = output.chosen(json_lines, csv)
        names = studies or list(builtin())
        # All are read before the first runs: a mistake in the last should not cost the others' time.
        loaded = [load(find(name)) for name in names]
        if form is output.Format.CSV and len(names) > 1:
            raise UsageError("--csv prints one table, but several studies are named", "Name one study, or use --json.")
        if not quiet:
            if not studies:
                messages.note(f"{len(names)} studies: {', '.join(names)}")
            _tell_of_downloads(loaded, split(engines), fetch)
        finished: list[tuple[Results, Path]] = []
        lines = Lines()
        for name in names:
            with shown(quiet, lines) as progress:
                done = run_study(
                    name,
                    engine=split(engines),
                    full=full,
                    results=results,
                    fresh=fresh,
                    workers=jobs,
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


def _names_machines(given: list[str] | None) -> bool:
    """Whether an engine of cores is asked for by name."""
    known = set(every_engine.all_names())
    return any(every_engine.find(name).machines for name in split(given) if name in known)


def _tell_of_downloads(studies: Sequence[Study], given: Sequence[str], fetch: bool) -> None:
    """Say what engines lack for the studies that use them, before anything is done."""
    of_study = {study.id: set[str | None](given) or {block.engine for block in study.blocks()} for study in studies}
    for name in every_engine.all_names():
        using = [study for study, names in of_study.items() if name in names]
        if not using:
            continue
        missing = every_engine.find(name).downloads()
        if missing is None:
            continue
        if fetch:
            messages.note(f"downloads {missing}")
            continue
        messages.note(
            f"engine {name} is left out of {', '.join(using)}, because it would download {missing}; "
            f"`ciphermark run {' '.join(using)} --fetch` does"
        )


def write_report(directory: Path) -> Path:
    from ciphermark.report import InputError, write

    try:
        return write(directory)
    except InputError as error:
        raise CiphermarkError(f"no report: {error.message}", error.hint) from error


def _status(done: Results, strict: bool) -> int:
    verdicts = {row.verdict for row in done.rows}
    if "failed" in verdicts or done.mismatches or not all(control.passed for control in done.controls):
        return ExitCode.MISMATCH
    if strict and any(claim.verdict == "contradicted" for claim in done.claims):
        return ExitCode.CONTRADICTED
    return ExitCode.FAILED if "error" in verdicts else ExitCode.OK
