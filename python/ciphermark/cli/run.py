"""``ciphermark run``."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from ciphermark import engines as every_engine
from ciphermark.cli import cluster, completion, messages, output, spread, summary
from ciphermark.cli.options import CsvFlag, JobsOption, JsonFlag, QuietFlag, engine_option, split
from ciphermark.cli.progress import Lines, shown
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.execution.planning import plan
from ciphermark.execution.results import Results
from ciphermark.execution.shards import MOST_SHARDS, Shard
from ciphermark.execution.study_run import RESULTS, run_study
from ciphermark.exit_codes import ExitCode
from ciphermark.store import downloads, paths
from ciphermark.store.pack_file import SUFFIX
from ciphermark.study.load import builtin, find, load
from ciphermark.study.schema import Study

STATUSES = {
    ExitCode.OK: "",
    ExitCode.FAILED: "a build or a run failed, or a file could not be written",
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
        bool, typer.Option("--full", help="Use the full message and file sizes, if a study shortens them by default.")
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
            "--rtl", help="Also measure on cores in RTL, where a study can; their simulators take minutes to build."
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure every point again, even if its result is cached.")
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=3, help="On host: start N fresh processes per point (default: as the study says, or 7)."
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="SHARD",
            help="Measure only this part of one study, such as 3/8 for the third of eight, and write it to --pack.",
        ),
    ] = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            "--pack",
            metavar="FILE",
            help="Write the shard's points and programs to this file (default: STUDY-K-of-N.pack).",
            autocompletion=completion.files(SUFFIX),
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="CLUSTER",
            help="Measure one study's shards as jobs of this cluster, merge them, and continue here: `slurm` submits "
            "them, and `slurm:JOB` follows a submitted job.",
            autocompletion=completion.of_choices(("slurm",)),
        ),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=MOST_SHARDS, help="With --on: divide the study into N shards (default: up to 8)."
        ),
    ] = None,
    sbatch: Annotated[
        str | None,
        typer.Option(
            metavar="OPTIONS", help="With --on slurm: pass these to sbatch: '--partition=x --cpus-per-task=8'."
        ),
    ] = None,
    pack_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="With --on: a folder that all nodes share, for packs and logs (default: STUDY.packs in the "
            "folder of --results).",
            autocompletion=completion.folders,
        ),
    ] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="With --on: submit the job, print its number, and do not wait for it.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 3 if a claim is contradicted.")] = False,
    jobs: JobsOption = None,
    json_lines: JsonFlag = False,
    csv: CsvFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Run studies: measure, judge the claims, write the report.

    Everything is built and verified before it is measured. Results are written to results/<study>/, including
    rows.csv, rows.jsonl, rows.parquet (if polars is installed), claims.json, manifest.json and report.html. The same
    command resumes an interrupted run, but measurements on engine host start over, because they are interleaved. For
    one study, all verdicts are printed; for several, a summary. Nothing is downloaded without --fetch, and nothing is
    measured on cores in RTL without --rtl (or --engines). Without these options, such engines are left out, and the
    report says so, if the study has `when_present` for them; otherwise the run stops with status 5.

    Examples:

      ciphermark run
      ciphermark run aes-bitmanip --engines sim,qemu
      ciphermark run aes-kernel-offload --full --fetch
      ciphermark run chacha-ise --fetch --rtl
      ciphermark run ./my-study.toml --json > rows.jsonl
      ciphermark run aes-bitmanip --shard 3/8 --pack 3.pack
      ciphermark run aes-bitmanip --on slurm --sbatch '--cpus-per-task=8'
    """
    status = 0
    kept = [_KEPT]
    with (
        messages.exit_codes(lambda: kept[-1]),
        downloads.fetching(fetch),
        downloads.patience(rtl or _names_machines(engines)),
    ):
        form = output.chosen(json_lines, csv)
        names = studies or list(builtin())
        # All are read before the first runs: a mistake in the last should not cost the others' time.
        loaded = [load(find(name)) for name in names]
        if form is output.Format.CSV and len(names) > 1:
            raise UsageError("--csv prints one table, but several studies are named", "Name one study, or use --json.")
        if not quiet:
            if not studies:
                messages.note(f"{len(names)} studies: {', '.join(names)}")
            _tell_of_downloads(dict(zip(names, loaded, strict=True)), split(engines), fetch)
        of_cluster = {"shards": shards, "sbatch": sbatch, "pack_dir": pack_dir, "detach": detach}
        of_results = {"processes": processes, "json": json_lines, "csv": csv, "strict": strict}
        _refuse_ignored(shard, pack, on, of_cluster, of_results, elsewhere=results != RESULTS)
        if shard is not None or pack is not None:
            raise SystemExit(_shard(names, split(engines), shard, pack, full=full, fresh=fresh, jobs=jobs, quiet=quiet))
        if on is not None:
            given = _given(split(engines), full=full, fetch=fetch, rtl=rtl, fresh=fresh, jobs=jobs)
            wanted = cluster.Wanted(on, shards, sbatch, pack_dir, detach)
            wanted.job()
            planned = plan(_one("--on", names), engine=split(engines), full=full)
            if not cluster.run(names[0], planned, wanted, given, results, quiet=quiet, keep=kept.append):
                raise SystemExit(ExitCode.OK)
            kept.append(_KEPT)
            # What is new is what the shards measured.
            fresh = False
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
                    processes=processes,
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
        index = write_index(results) if finished else None
        if form is output.Format.TABLE and len(names) > 1:
            summary.print_all(finished)
        if form is output.Format.TABLE and index is not None:
            summary.print_path("index", index)
    raise SystemExit(status)


def _shard(
    names: Sequence[str], given: Sequence[str], shard: str | None, pack: Path | None, *,
    full: bool, fresh: bool, jobs: int | None, quiet: bool,
) -> int:  # fmt: skip
    if shard is None:
        raise UsageError("--pack is for what --shard measures", "Say which part: --shard 1/8.")
    part = Shard.parse(shard)
    return spread.shard(
        plan(_one("--shard", names), engine=given, full=full, fresh=fresh), part, pack, jobs=jobs, quiet=quiet
    )


def _one(option: str, names: Sequence[str]) -> str:
    if len(names) > 1:
        raise UsageError(f"{option} is for one study", "Name one.")
    return names[0]


def _refuse_ignored(
    shard: str | None, pack: Path | None, on: str | None,
    of_cluster: Mapping[str, object], of_results: Mapping[str, object], *, elsewhere: bool,
) -> None:  # fmt: skip
    """Refuse options that would silently do nothing: ``of_results`` where no results are made, which neither a shard
    nor a detached job does. ``elsewhere``: whether the results' folder is not the usual one."""
    if shard is not None or pack is not None:
        what = "--pack" if shard is None else "--shard"
        _refuse_others(what, "Leave one of them out.", on=on, **of_cluster, **of_results, results=elsewhere)
    elif on is None:
        _refuse_others("a run without --on", "Leave it out, or use --on slurm.", **of_cluster)
    elif of_cluster["detach"]:
        _refuse_others("--detach", "Give it when you follow the job: --on slurm:JOB.", **of_results)


def _refuse_others(what: str, hint: str, **others: object) -> None:
    for name, value in others.items():
        if value:
            raise UsageError(f"--{name.replace('_', '-')} does not go with {what}", hint)


def _given(
    engine_names: Sequence[str], *, full: bool, fetch: bool, rtl: bool, fresh: bool, jobs: int | None
) -> list[str]:
    """The options that decide what is measured, as they are written."""
    flags = {"--full": full, "--fetch": fetch, "--rtl": rtl, "--fresh": fresh}
    return [
        *(["--engines", ",".join(engine_names)] if engine_names else []),
        *(name for name, given in flags.items() if given),
        *(["--jobs", str(jobs)] if jobs is not None else []),
    ]


def _names_machines(given: list[str] | None) -> bool:
    """Whether an engine of cores is asked for by name."""
    known = set(every_engine.all_names())
    return any(every_engine.find(name).machines for name in split(given) if name in known)


def _tell_of_downloads(studies: Mapping[str, Study], given: Sequence[str], fetch: bool) -> None:
    """Say what engines lack for the studies that use them, by the names that the user gave, before anything is done."""
    of_study = {
        name: set[str | None](given) or {block.engine for block in study.blocks()} for name, study in studies.items()
    }
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
            f"engine {name} needs a download for {', '.join(using)}: {missing}; "
            f"`{shlex.join(['ciphermark', 'run', *using])} --fetch` gets it"
        )


def write_report(directory: Path) -> Path:
    from ciphermark.report import InputError, write

    try:
        return write(directory)
    except InputError as error:
        raise CiphermarkError(f"no report: {error.message}", error.hint) from error


def write_index(results: Path) -> Path | None:
    from ciphermark import report

    return report.write_index(paths.named(results))


def _status(done: Results, strict: bool) -> int:
    verdicts = {row.verdict for row in done.rows}
    if "failed" in verdicts or done.mismatches or not all(control.passed for control in done.controls):
        return ExitCode.MISMATCH
    if strict and any(claim.verdict == "contradicted" for claim in done.claims):
        return ExitCode.CONTRADICTED
    return ExitCode.FAILED if "error" in verdicts else ExitCode.OK
