"""Running a study: expand, build, verify, measure, check, judge, write."""

import time
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from ciphermark import embedded, toolchain
from ciphermark.analysis.agreement import compare_engines, with_errors
from ciphermark.analysis.pivot import pivot
from ciphermark.claims.builds import Build
from ciphermark.claims.claim import Evidence
from ciphermark.claims.judge import Judgements, judge
from ciphermark.execution import provenance
from ciphermark.execution.areas import with_areas
from ciphermark.execution.controls import run_controls
from ciphermark.execution.listings import listings
from ciphermark.execution.perform import perform_all
from ciphermark.execution.planning import open_cache, plan
from ciphermark.execution.remarks import of_absence, of_engines, of_machine, of_times, of_unkept
from ciphermark.execution.results import Results, Rows
from ciphermark.execution.rows import assemble
from ciphermark.execution.study_record import StudyRecord, record
from ciphermark.execution.tasks import Outcome, Progress, Task
from ciphermark.execution.tested import with_secrets
from ciphermark.rows.model import Row
from ciphermark.rows.secrets import Tested
from ciphermark.rtl import area
from ciphermark.store import records, scratch
from ciphermark.store import results as files
from ciphermark.store.atomic import PART
from ciphermark.study.expand import Skipped
from ciphermark.study.schema import Study

RESULTS = Path("results")


def run_study(
    study: str | Path,
    *,
    engine: str | Sequence[str] = (),
    full: bool = False,
    results: str | Path = RESULTS,
    fresh: bool = False,
    processes: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a study by id or file and write ``results/<study>/``. ``engine`` overrides the study's; several are compared
    count by count. ``full`` uses the source's message sizes where the study has shorter ones, ``fresh`` measures every
    point again, ``processes`` overrides the study's number where time is sampled. Finished points are always kept, so
    an interrupted run resumes. Raises :class:`ciphermark.errors.CiphermarkError`: a wrong study or name, a missing
    engine, nothing to measure, a full disk."""
    began = time.monotonic()
    planned = plan(study, engine=engine, full=full, fresh=fresh, processes=processes)
    loaded, expansion, tasks = planned.study, planned.expansion, planned.tasks
    progress = progress or Progress()

    open_cache()
    progress.begin(loaded.id, len(tasks), len(expansion.points))
    outcomes = perform_all(tasks, planned.sampling(), progress, workers=workers, optional=loaded.optional_engines())
    progress.phase("checking controls")
    used = sorted({task.engine for task in outcomes})
    controls = run_controls(loaded.controls, outcomes, used, workers, sampling=planned.sampling(), progress=progress)
    rows, mismatches = compare_engines(assemble(loaded.id, expansion.points, outcomes))
    rows = with_errors(rows)
    lacking: tuple[Skipped, ...] = ()
    if loaded.area:
        progress.phase("counting gates")
        rows, lacking = with_areas(rows)
    skipped = (*expansion.skipped, *lacking)
    tested: tuple[Tested, ...] = ()
    untested: list[str] = []
    if loaded.secrets is not None:
        progress.phase("following secrets")
        rows, tested, untested = with_secrets(rows, loaded.secrets, workers, progress.phase)
    progress.phase("judging claims")
    evidence = _evidence(loaded, rows, outcomes)
    claims = tuple(judge(claim, evidence) for claim in loaded.claims.all())
    tables = tuple(pivot(table, rows) for table in loaded.tables)

    directory = Path(results) / loaded.id
    scratch.sweep(directory, f"**/.*{PART}")
    manifest = provenance.manifest(planned.file, outcomes, skipped, time.monotonic() - began)
    if any(row.area_nand2 for row in rows):
        manifest["area"] = area.provenance()
    manifest["mode"] = "full" if full else "short" if loaded.full() != loaded else None
    manifest["remarks"] = [
        *of_engines(rows),
        *of_absence(loaded.optional_engines()),
        *(f"note: {each.reason}" for each in lacking),
        *untested,
        *of_unkept(outcomes.values()),
        *of_times(_new(rows, outcomes)),
    ]
    progress.phase("following timed calls")
    found = listings(rows, loaded.headline, workers)
    progress.phase("writing results")
    manifest["parquet"] = "written" if files.write_rows(directory, rows) else "absent: polars is not installed"
    files.write_messages(directory, rows)
    records.write(directory / "claims.json", Judgements, Judgements(claims))
    asked = record(loaded, rows, tables, skipped, controls, of_machine(rows, outcomes.values()), tested)
    records.write(directory / "study.json", StudyRecord, asked)
    files.write_listings(directory, found)
    files.write_emulator_cost(directory, provenance.emulator_runs(outcomes))
    records.write(directory / "manifest.json", dict[str, Any], manifest)
    return Results(loaded.id, Rows(rows), tables, claims, controls, mismatches, manifest, directory)


def _evidence(study: Study, rows: Sequence[Row], outcomes: Mapping[Task, Outcome]) -> Evidence:
    named = {name for claim in study.claims.all() if (name := getattr(claim, "function", None)) is not None}
    found = provenance.compilers(outcomes)
    return Evidence(
        rows,
        function_bytes(outcomes, named),
        study.optional_compilers(),
        {name: toolchain.short_version(version) for name, version in found.items()},
        {claim.id: claim for claim in study.claims.all()},
    )


def _new(rows: Iterable[Row], outcomes: Mapping[Task, Outcome]) -> list[Row]:
    """The rows that were measured by this call and not taken from the cache."""
    measured = {key for outcome in outcomes.values() if outcome.measured for key in outcome.keys.values()}
    return [row for row in rows if row.point in measured]


def function_bytes(outcomes: Mapping[Task, Outcome], names: Set[str]) -> dict[Build, dict[str, int]]:
    """Bytes of the functions ``names`` in each build, as its ELF's symbols say; code they call is not in them."""
    found: dict[Build, dict[str, int]] = {}
    if not names:
        return found
    for task, outcome in outcomes.items():
        target = task.target
        build = Build(task.implementation, target.isa, target.compiler, target.opt)
        if outcome.artifact is not None and build not in found:
            symbols = embedded.engine().elf_info(outcome.artifact.elf.read_bytes()).symbols
            found[build] = {symbol.name: symbol.size for symbol in symbols if symbol.name in names and symbol.size}
    return found
