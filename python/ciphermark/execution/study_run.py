"""Running a study: expand, build, verify, measure, check, judge, write."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ciphermark import cache, cache_space, engines, kernels, paths, toolchain
from ciphermark.claims.claim import Evidence
from ciphermark.claims.judge import judge
from ciphermark.errors import UsageError
from ciphermark.execution import listings, provenance, timed
from ciphermark.execution.agreement import compare_engines
from ciphermark.execution.comparison import at_largest, compare_rows
from ciphermark.execution.controls import run_controls
from ciphermark.execution.emulator_cost import emulator_runs
from ciphermark.execution.fits import fit
from ciphermark.execution.functions import function_bytes
from ciphermark.execution.native_tasks import perform_together
from ciphermark.execution.pivot import Pivot, pivot
from ciphermark.execution.progress import Progress, Silent
from ciphermark.execution.remarks import of_absence, of_machine, of_times, of_unkept
from ciphermark.execution.results import ControlResult, Results, Rows
from ciphermark.execution.rows import assemble
from ciphermark.execution.tasks import Outcome, Task, group, perform
from ciphermark.executors import Executor
from ciphermark.executors.local import LocalExecutor
from ciphermark.host.sampling import Sampling
from ciphermark.model import Row
from ciphermark.store import messages, scratch, usage
from ciphermark.store import results as files
from ciphermark.store.atomic import PART
from ciphermark.store.points import PointStore
from ciphermark.study.expand import Expansion, Skipped, expand
from ciphermark.study.load import find, load
from ciphermark.study.schema import Study

RESULTS = Path("results")


def run_study(
    study: str | Path,
    *,
    engine: str | Sequence[str] = (),
    full: bool = False,
    results: str | Path = RESULTS,
    fresh: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a study by id or file and write ``results/<study>/``.

    ``engine`` overrides the study's; several are compared count by count. ``full`` measures the whole messages of the
    source where the study has shorter ones for a first look. ``fresh`` measures every point again. Finished points are
    kept whatever happens, so an interrupted run resumes.

    Raises :class:`ciphermark.errors.CiphermarkError`: a wrong study or name, a missing engine, nothing to measure, a
    full disk.
    """
    began = time.monotonic()
    path = find(study)
    loaded = load(path).full() if full else load(path)
    names = (engine,) if isinstance(engine, str) else tuple(engine)
    engines.require(names)
    expansion = expand(loaded, names)
    if not expansion.points:
        raise _nothing_to_measure(loaded, expansion.skipped)
    engines.require(sorted({point.engine for point in expansion.points}))
    progress = progress or Silent()
    executor = executor or LocalExecutor()

    cache.sweep()
    PointStore(point_cache()).sweep()
    usage.begin(paths.cache())
    cache_space.keep_bounded()
    outcomes = _measure(loaded, expansion, executor, progress, reuse=not fresh)
    progress.phase("checking controls")
    used = sorted({task.engine for task in outcomes})
    controls = run_controls(loaded.controls, outcomes, used, executor, sampling=_sampling(loaded), progress=progress)
    rows, mismatches = compare_engines(assemble(loaded.id, expansion.points, outcomes))
    progress.phase("judging claims")
    evidence = _evidence(loaded, rows, outcomes)
    claims = tuple(judge(claim, evidence) for claim in loaded.claims.all())
    tables = tuple(pivot(table, rows) for table in loaded.tables)

    directory = Path(results) / loaded.id
    scratch.sweep(directory, f"**/.*{PART}")
    manifest = provenance.manifest(path, outcomes, expansion.skipped, time.monotonic() - began)
    manifest["mode"] = "full" if full else "short" if loaded.full() != loaded else None
    manifest["remarks"] = [
        *of_absence(_optional(loaded)),
        *of_unkept(outcomes.values()),
        *of_times(_new(rows, outcomes)),
    ]
    progress.phase("writing results")
    manifest["parquet"] = "written" if files.write_rows(directory, rows) else "absent: polars is not installed"
    messages.write(directory, rows)
    files.write_json(directory / "claims.json", [asdict(claim) for claim in claims])
    document = _study_document(loaded, rows, tables, expansion.skipped, controls)
    document["machine"] = of_machine(rows, outcomes.values())
    files.write_json(directory / "study.json", document)
    files.write_emulator_cost(directory, emulator_runs(outcomes))
    files.write_json(directory / "manifest.json", manifest)
    return Results(loaded.id, Rows(rows), tables, claims, controls, mismatches, manifest, directory)


def _evidence(study: Study, rows: Sequence[Row], outcomes: Mapping[Task, Outcome]) -> Evidence:
    """What the study's claims are judged by."""
    named = {name for claim in study.claims.all() if (name := getattr(claim, "function", None)) is not None}
    found = provenance.compilers(outcomes)
    return Evidence(
        rows,
        function_bytes(outcomes, named),
        study.optional_compilers(),
        {name: toolchain.short_version(version) for name, version in found.items()},
        {claim.id: claim for claim in study.claims.all()},
    )


_REASONS_SHOWN = 5


def _nothing_to_measure(study: Study, skipped: Sequence[Skipped]) -> UsageError:
    """Verdicts over no rows would say nothing: what is said is why there are none, the most frequent reason first."""
    reasons: Counter[str] = Counter()
    for item in skipped:
        reasons[item.reason] += item.count
    shown = [f"{reason} ({count})" for reason, count in reasons.most_common(_REASONS_SHOWN)]
    if len(reasons) > len(shown):
        shown.append(f"and {len(reasons) - len(shown)} other reasons")
    return UsageError(
        f"study {study.id} has nothing to measure: all {reasons.total()} of its combinations are skipped",
        f"{'; '.join(shown)}. Leave --engines out, or name one that the study is for.",
    )


def point_cache() -> Path:
    """Where finished points lie."""
    return paths.cache() / "points"


def _measure(
    study: Study, expansion: Expansion, executor: Executor, progress: Progress, *, reuse: bool
) -> dict[Task, Outcome]:
    tasks = group(expansion.points, point_cache(), reuse)
    progress.begin(study.id, len(tasks), len(expansion.points))
    simulated = [task for task in tasks if not engines.is_native(task.engine)]
    found: dict[Task, Outcome] = {}
    for index, outcome in executor.map(perform, simulated, progress.started):
        found[simulated[index]] = outcome
        progress.finished(simulated[index], outcome)
    # Alone on the machine: nothing of ours may disturb what is timed.
    native = [task for task in tasks if engines.is_native(task.engine)]
    if native:
        progress.phase("measuring on this machine")
        found |= perform_together(native, _sampling(study), progress, optional=_optional(study))
        for task in native:
            progress.finished(task, found[task])
    return {task: found[task] for task in tasks}


def _optional(study: Study) -> set[str]:
    """Engines that the study does without where they cannot be used."""
    return {block.engine for block in study.blocks() if block.when_present and block.engine is not None}


def _new(rows: Iterable[Row], outcomes: Mapping[Task, Outcome]) -> list[Row]:
    """The rows that were measured by this call, and not found."""
    measured = {key for outcome in outcomes.values() if outcome.measured for key in outcome.keys.values()}
    return [row for row in rows if row.point in measured]


def _sampling(study: Study) -> Sampling:
    given = {name: value for name, value in study.sampling if value is not None}
    return replace(Sampling(), **given)


def _study_document(
    study: Study,
    rows: Sequence[Row],
    tables: Sequence[Pivot],
    skipped: Sequence[Skipped],
    controls: Sequence[ControlResult],
) -> dict[str, Any]:
    """``study.json``: what was asked and how it is shown."""
    return {
        "id": study.id,
        "title": study.title,
        "question": study.question,
        "answer": study.answer,
        "background": study.background,
        "notes": study.notes,
        "headline": {
            "metric": study.headline.metric,
            "where": _columns(study.headline.where.columns()),
            "baseline": study.headline.baseline,
        },
        "tables": [asdict(table) for table in tables],
        "plots": [
            {**plot.model_dump(exclude={"where"}), "where": _columns(plot.where.columns())} for plot in study.plots
        ],
        "fits": [asdict(fitted) for fits in study.fits for fitted in fit(fits, rows)],
        "bounds": [asdict(bound) for bound in timed.bounds_of(rows)],
        "comparisons": [f"{each.work}: {each.in_words()}" for each in at_largest(compare_rows(rows))],
        "disassembly": [listings.disassemble(listing) for listing in study.listings],
        "controls": [asdict(control) for control in controls],
        "skipped": [asdict(item) for item in skipped],
        "own_instructions": _with_own_instructions(study),
    }


def _with_own_instructions(study: Study) -> list[str]:
    """Implementations that use instructions of a description, which no ISA string names."""
    names = {name for block in study.blocks() for name in block.implementations}
    return sorted(name for name in names if kernels.load_implementation(name).descriptions)


def _columns(selected: Mapping[str, tuple[str | int, ...]]) -> dict[str, Any]:
    """A column's one value as it is, several as a list."""
    return {name: values[0] if len(values) == 1 else list(values) for name, values in selected.items()}
