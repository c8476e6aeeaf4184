"""What the pages that are templates are filled with, from the code."""

import inspect
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args

from ciphermark import embedded, errors
from ciphermark.cli import sim_command
from ciphermark.exit_codes import ExitCode
from ciphermark.kernels import catalogue, family, vectors
from ciphermark.rows import metrics, model
from ciphermark.store import paths

from .annotations import attribute_docs, in_words
from .markdown import first_paragraph

_BEYOND_ERRORS = {
    ExitCode.FAILED: "`run`: a row has the verdict `error`. `measure`: a point could not be measured, although others "
    "were; its row says why. `secrets`: a secret was found where it can be timed. `compare`: a limit of `--fail-on` is "
    "exceeded. `extension check`: the description has errors. `extension compare`: some instructions differ.",
    ExitCode.CONTRADICTED: "`run --strict`: a published claim is contradicted.",
    ExitCode.MISMATCH: "`run`: a point failed, a control failed, or engines disagree. `merge`: two machines have "
    "different results for one point.",
    ExitCode.ENGINE_MISSING: "`doctor`: no compiler is installed.",
}
"""Statuses that no error of the package has."""
_OF_SIM = (ExitCode.FAULT, ExitCode.LIMIT, ExitCode.FAILED, ExitCode.USAGE, ExitCode.ENGINE_MISSING)


def rows() -> dict[str, Any]:
    """The columns of a row, with what the table of metrics says of them."""
    said = {
        **attribute_docs(metrics)["Coordinates"],
        **attribute_docs(metrics)["Measurements"],
        **attribute_docs(model)["Row"],
    }
    known = metrics.METRICS
    columns = [
        (
            each.name,
            in_words(str(each.type)),
            *(
                (known[each.name].meaning, known[each.name].source.value)
                if each.name in known
                else (said[each.name], "")
            ),
        )
        for each in fields(model.Row)
    ]
    return {"columns": columns, "json_only": model.JSON_ONLY, "verdicts": get_args(model.Verdict)}


def extensions() -> dict[str, Any]:
    engine = embedded.engine()
    provided: dict[str, list[str]] = {name: [] for name, _, _ in engine.builtin_extensions()}
    for mnemonic, names in engine.instruction_extensions().items():
        for name in names:
            provided.setdefault(name, []).append(mnemonic)
    return {"engine": engine, "provided": provided}


def implementations() -> dict[str, Any]:
    return {
        "families": [family.load(name) for name in family.names()],
        "implementations": catalogue.list_implementations(),
        "requires": _requires,
        "native": _native,
    }


def _requires(found: catalogue.Implementation) -> str:
    least = [f"VLEN {found.min_vlen} or more"] if found.min_vlen is not None else []
    return ", ".join([*map(str.capitalize, found.requires), *least])


def _native(found: catalogue.Implementation) -> str:
    """Architectures with the CPU features each needs, or ``any``."""
    features = {sources.features for sources in found.native.values()}
    if len(found.native) == len(get_args(catalogue.Architecture)) and features == {()}:
        return "any"
    return ", ".join(f"`{'+'.join((name, *sources.features))}`" for name, sources in found.native.items())


def known_answers() -> dict[str, Any]:
    """How many vectors of which source prove which operation."""
    return {"vectors": list(_counted())}


def _counted() -> Iterator[tuple[str, str, str, str, int]]:
    for path in sorted(paths.vectors().glob("*.toml")):
        source = tomllib.loads(path.read_text(encoding="utf-8"))["source"]
        counts = Counter((vector.algorithm, vector.operation) for vector in vectors.read(path))
        yield from ((path.name, source, *work, count) for work, count in sorted(counts.items()))


def exit_codes() -> dict[str, Any]:
    said: dict[int, list[str]] = {}
    for found in vars(errors).values():
        if inspect.isclass(found) and issubclass(found, errors.CiphermarkError) and found is not errors.CiphermarkError:
            said.setdefault(found.exit_code, []).append(first_paragraph(found))
    for code, words in _BEYOND_ERRORS.items():
        said.setdefault(code, []).append(words)
    return {
        "statuses": [(int(code), " ".join(words)) for code, words in sorted(said.items())],
        "of_sim": [(code.value, sim_command.STATUSES[code] or code.meaning) for code in _OF_SIM],
    }
