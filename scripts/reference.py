"""Write docs/reference/ from the code: commands, columns, extensions, implementations, vectors, study files.

    python scripts/reference.py           writes the pages
    python scripts/reference.py --check   exits with 1 and names the pages that are stale

What a page says is said in the code it is made from; correct it there.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import typer.main
from annotations import attribute_docs, default_in_words, in_words, literals

from ciphermark import errors, family, kernels, model, native, paths, report, vectors
from ciphermark.claims import schema as claims_schema
from ciphermark.cli import run as run_command
from ciphermark.cli import sim as sim_command
from ciphermark.cli.app import app
from ciphermark.study import schema as study_schema

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

_NOTICE = "<!-- Made by scripts/reference.py from the code; correct it there. -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    check = parser.parse_args().check
    stale = []
    for name, page in pages().items():
        path = FOLDER / name
        if path.is_file() and path.read_text(encoding="utf-8") == page:
            continue
        stale.append(f"docs/reference/{name}")
        if not check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
    for name in stale:
        sys.stdout.write(f"{'stale' if check else 'written'}: {name}\n")
    if check and stale:
        sys.stdout.write("run `python scripts/reference.py` and commit what it writes\n")
    return 1 if check and stale else 0


_STREAMS = "Data goes to stdout, messages to stderr. `NO_COLOR` is honoured. [Exit codes](exit-codes.md)."


def pages() -> dict[str, str]:
    """File name and text of every page."""
    made: dict[str, Callable[[], str]] = {
        "cli.md": cli,
        "rows.md": rows,
        "extensions.md": extensions,
        "implementations.md": implementations,
        "vectors.md": known_answers,
        "study-file.md": study_file,
        "exit-codes.md": exit_codes,
    }
    return {name: f"{_NOTICE}\n\n{make().strip()}\n" for name, make in made.items()}


def cli() -> str:
    """Every command with its arguments and options."""
    parts = [
        "# Commands",
        _STREAMS,
    ]
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        parts += _sim() if name == "sim" else _command(f"ciphermark {name}", command)
    return "\n\n".join(parts)


def _sim() -> list[str]:
    """``sim`` has a parser of its own. Not argparse's own text: it differs between versions of Python."""
    parser = sim_command._parser()
    options = [action for action in parser._actions if action.option_strings and "--help" not in action.option_strings]
    lines = (
        (
            f"`{action.option_strings[0]}`" + (f" `{action.metavar}`" if action.metavar else ""),
            f"{action.help}{'' if action.default in (None, False) else f'. Default: `{action.default}`.'}",
        )
        for action in options
    )
    epilog, _, examples = (parser.epilog or "").partition("examples:\n")
    return [
        "## `ciphermark sim PROGRAM.elf`",
        parser.description or "",
        _fenced(examples),
        _table(("", "meaning"), lines),
        epilog.strip().capitalize() + ".",
    ]


def _command(path: str, command: Any) -> list[str]:
    arguments = "".join(
        f" {p.metavar or p.name.upper()}" if p.required else f" [{p.metavar or p.name.upper()}...]"
        for p in command.params
        if not p.opts[0].startswith("-")
    )
    parts = [f"## `{path}{arguments}`", _help(command.help or "")]
    subcommands = getattr(command, "commands", {})
    given = list(_shown(command.params))
    if given and not subcommands:
        parts.append(_table(("", "meaning"), map(_option, given)))
    for name, subcommand in subcommands.items():
        parts += [part.replace("## ", "### ", 1) for part in _command(f"{path} {name}", subcommand)]
    return parts


def _shown(parameters: Iterable[Any]) -> Iterable[Any]:
    return (parameter for parameter in parameters if parameter.name != "help")


def _option(parameter: Any) -> tuple[str, str]:
    if not parameter.opts[0].startswith("-"):
        return f"`{parameter.metavar or parameter.name.upper()}`", parameter.help or ""
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    if not parameter.is_flag:
        names = f"{names} `{parameter.metavar or 'VALUE'}`"
    default = parameter.default
    said = f" Default: `{default}`." if isinstance(default, int | str | Path) and default not in (False, "") else ""
    return names, f"{parameter.help or ''}{said}"


def _help(text: str) -> str:
    """A command's docstring: indented lines are examples."""
    lines = inspect.cleandoc(text).splitlines()
    said: list[str] = []
    examples: list[str] = []
    for line in lines:
        (examples if line.startswith("  ") else said).append(line)
    prose = re.sub(r"\n*Examples?:\s*$", "", "\n".join(said).strip())
    return "\n\n".join([prose, _fenced("\n".join(examples))]) if examples else prose


def rows() -> str:
    """The columns of a row, with what the metrics' own file says of them."""
    with (Path(report.__file__).parent / "metrics.toml").open("rb") as file:
        metrics = {entry["name"]: entry for entry in tomllib.load(file)["metric"]}
    said = {**attribute_docs(model)["Target"], **attribute_docs(model)["Measured"], **attribute_docs(model)["Row"]}
    lines = []
    for column in fields(model.Row):
        metric = metrics.get(column.name)
        meaning = metric["meaning"] if metric else said.get(column.name) or _COLUMNS[column.name]
        known = metric["known_by"] if metric else ""
        lines.append((f"`{column.name}`", in_words(str(column.type)), meaning, known))
    return "\n\n".join(
        [
            "# Columns of a row",
            "`rows.csv`, `rows.jsonl`, `rows.parquet`, `--csv` and `--json` have these columns in this order. A "
            "metric that was not measured is empty in CSV and `null` in JSON; nothing is put in its place. "
            f"{', '.join(f'`{name}`' for name in model.JSON_ONLY[:-1])} and `{model.JSON_ONLY[-1]}` are in JSON only: "
            "tables, samples, and the name of the run that rows share. Engines that `ciphermark list engines` does "
            "not show (gem5, rocket-rtl) are planned, not built.",
            _table(("column", "type", "meaning", "who can know it"), lines),
            "`verdict` is one of " + ", ".join(f"`{word}`" for word in literals(model.Verdict)) + ": " + _VERDICTS,
        ]
    )


_COLUMNS = {
    "study": "Id of the study; empty from `measure`.",
    "algorithm": "Cipher, key size and mode as one name: `aes-128-ctr`.",
    "operation": "What was timed: `encrypt`, `block`, `expand-key`, …",
    "implementation": "`aes/ttable`, or a folder as the user wrote it.",
    "engine": "What executed it.",
    "machine": "Timing model; none is built yet.",
    "size": "Bytes of input: of the message, the block, or the key.",
    "harts": "Hardware threads.",
    "state": "Of caches; only with a timing model.",
    "verdict": "`ok` or what went wrong; see below.",
    "note": "What the audit saw, or why there is no figure.",
}
"""Columns that name a point rather than measure it."""

_VERDICTS = (
    "measured and verified; measured, and the audit or a comparison of engines found something; a known answer "
    "or an output was wrong; the combination cannot be; something else went wrong. `note` says what."
)


def extensions() -> str:
    """Built extensions with their instructions."""
    engine = native.engine()
    provided: dict[str, list[str]] = {}
    for mnemonic, names in engine.instruction_extensions().items():
        for name in names:
            provided.setdefault(name, []).append(mnemonic)
    lines = [
        (f"`{name}`", summary, str(count), ", ".join(f"`{mnemonic}`" for mnemonic in sorted(provided.get(name, ()))))
        for name, summary, count in engine.builtin_extensions()
    ]
    return "\n\n".join(
        [
            "# Extensions that are built",
            "Each is described once, in `isa/*.core_desc`. The count covers both XLENs and what the extension "
            "implies. Ratified extensions not listed are refused by name in ISA strings, except F, D, V and "
            "their parts, which are accepted so that a program that holds such instructions but does not reach "
            "them runs; reaching one is the fault `not implemented`. An extension without mnemonics of its own "
            "consists of those it implies.",
            _table(("name", "what it is", "instructions", "mnemonics"), lines),
        ]
    )


def implementations() -> str:
    """Implementations, families and what each can do."""
    parts = ["# Families, algorithms and implementations"]
    for name in family.names():
        loaded = family.load(name)
        parts += [f"## `{name}`: {loaded.summary}"]
        parts.append(
            _table(
                ("algorithm", "operations"),
                (
                    (f"`{algorithm.name}`", ", ".join(f"`{operation}`" for operation in algorithm.operations))
                    for algorithm in loaded.algorithms.values()
                ),
            )
        )
        parts.append(
            _table(
                (
                    "implementation",
                    "what it is",
                    "XLEN",
                    "requires",
                    "native code",
                    "claims constant time",
                    "cannot",
                    "origin",
                ),
                (
                    (
                        f"`{found.name}`",
                        found.summary,
                        ", ".join(map(str, found.xlen)),
                        ", ".join([*map(str.capitalize, found.requires), *_least(found)]),
                        ", ".join(_native(found)),
                        "yes" if found.constant_time else "no",
                        ", ".join(f"`{limit}`" for limit in found.limits),
                        " ".join(found.origin.split()),
                    )
                    for found in kernels.list_implementations()
                    if found.family == name
                ),
            )
        )
    return "\n\n".join(parts)


def _least(found: kernels.Implementation) -> list[str]:
    return [f"VLEN {found.min_vlen} or more"] if found.min_vlen is not None else []


def _native(found: kernels.Implementation) -> list[str]:
    """Architectures with the CPU features each needs; one word for code of all of them alike."""
    features = {sources.features for sources in found.native.values()}
    if len(found.native) == len(get_args(kernels.Architecture)) and features == {()}:
        return ["any"]
    return ["`" + "+".join((name, *sources.features)) + "`" for name, sources in found.native.items()]


def known_answers() -> str:
    """How many vectors of which source prove which operation."""
    lines = []
    for path in sorted(paths.vectors().glob("*.toml")):
        with path.open("rb") as file:
            source = tomllib.load(file)["source"]
        counts = Counter((vector.algorithm, vector.operation) for vector in vectors.read(path))
        lines += [
            (f"`vectors/{path.name}`", source, f"`{algorithm}`", f"`{operation}`", str(count))
            for (algorithm, operation), count in sorted(counts.items())
        ]
    return "\n\n".join(
        [
            "# Known answers",
            "Every one of an implementation's operations runs before anything of it is measured, in the same "
            "binary, on the same engine: as written, in place, unaligned, and unaligned in place, and for "
            "shorter lengths where a prefix of the input gives a prefix of the output. `block` and key expansion "
            "are shared by the modes of one key size.",
            _table(("file", "source", "algorithm", "operation", "vectors"), lines),
        ]
    )


def study_file() -> str:
    """Every table of a study file, from the models that read it."""
    docs = {**attribute_docs(claims_schema), **attribute_docs(study_schema)}
    parts = [
        "# The study file",
        "TOML; an unknown key is an error that names the nearest known one. A *size* is bytes with an optional "
        '`K`, `M` or `G` (`K` is 1024); *sizes* are one, a list, or a range that doubles (`"16..1M"`); *VLENs*, bits '
        'of a vector register, are written alike (`"128..2048"`). A '
        "*selector* is a table of columns, each with one value or a list. [How to add a "
        "study](../howto/add-a-study.md).",
    ]
    tables: Sequence[tuple[str, str]] = (
        ("top level", "Study"),
        ("`[defaults]` and `[[matrix]]`", "Axes"),
        ("an element of `compilers`", "CompilerChoice"),
        ("`[sampling]`", "Sampling"),
        ("`[[controls.repeat]]`", "RepeatControl"),
        ("`[[controls.trap]]`", "TrapControl"),
        ("`[headline]`", "Headline"),
        ("`[[tables]]`", "Table"),
        ("an element of a table's `lines`", "TableLine"),
        ("`[[plots]]`", "Plot"),
        ("`[[fits]]`", "Fits"),
        ("`[[listings]]`", "Listing"),
        ("an element of a listing's `columns`", "ListingColumn"),
        ("a selector", "Selector"),
        ("every claim", "_Claim"),
        ("`[[claims.reduction]]` and `[[claims.ratio]]`", "ChangeClaim"),
        ("`[[claims.value]]`", "ValueClaim"),
        ("`[[claims.count]]`", "CountClaim"),
        ("`[[claims.below]]`", "BelowClaim"),
        ("`[[claims.spread]]`", "SpreadClaim"),
        ("`[[claims.least_vlen]]`", "LeastVlenClaim"),
        ("`[[claims.timing]]`", "TimingClaim"),
        ("`[[claims.bound]]`", "BoundClaim"),
        ("`[[claims.driver]]`", "DriverClaim"),
        ("`[[claims.offload]]`", "OffloadClaim"),
    )
    for title, name in tables:
        table = getattr(study_schema, name, None) or getattr(claims_schema, name)
        own = table.__annotations__
        lines = [
            (
                f"`{key}`",
                in_words(str(own[key])),
                "yes" if field.is_required() else "",
                default_in_words(field),
                docs.get(name, {}).get(key, ""),
            )
            for key, field in table.model_fields.items()
            if key in own
        ]
        parts += [
            f"## {title}",
            _first_paragraph(table),
            _table(("key", "type", "required", "default", "meaning"), lines),
        ]
    parts += [
        "## metrics a plot, headline or claim may name",
        ", ".join(f"`{m}`" for m in literals(claims_schema.Metric)),
    ]
    return "\n\n".join(part for part in parts if part)


def exit_codes() -> str:
    """Exit statuses, from the constants that produce them."""
    kinds: dict[int, list[str]] = {}
    for found in vars(errors).values():
        if inspect.isclass(found) and issubclass(found, errors.CiphermarkError) and found is not errors.CiphermarkError:
            kinds.setdefault(found.exit_code, []).append(_first_paragraph(found))
    kinds.setdefault(run_command.FAILED, []).append("`run`: a point could not be measured.")
    kinds.setdefault(run_command.CONTRADICTED, []).append("`run --strict`: a published claim is contradicted.")
    kinds.setdefault(run_command.MISMATCH, []).append("`run`: a point failed, a control failed, or engines disagree.")
    lines = [("0", "All went well."), *((str(code), " ".join(said)) for code, said in sorted(kinds.items()))]
    own = (
        ("the guest's", "The program ended."),
        (str(sim_command.FAULT), "The guest faulted: an illegal instruction, an access to memory it does not have."),
        (str(sim_command.LIMIT), "A limit was reached: `--max-instructions` or `--max-seconds`."),
        (str(sim_command.USAGE), "Usage, or a file that cannot be run."),
        (str(sim_command.ENGINE_MISSING), "The embedded engine is not built."),
    )
    return "\n\n".join(
        [
            "# Exit codes",
            _table(("status", "meaning"), lines),
            "130 means interrupted (Ctrl-C); 141 that the reader of a pipe left. "
            "Of several studies `run` reports the highest.",
            "## `ciphermark sim`",
            _table(("status", "meaning"), own),
        ]
    )


def _first_paragraph(documented: Any) -> str:
    """A class's own docstring, not its base's."""
    text = documented.__dict__.get("__doc__") or ""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].replace("``", "`").split())


def _fenced(text: str) -> str:
    return f"```text\n{textwrap.dedent(text).strip()}\n```"


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    def cells(values: Sequence[str]) -> str:
        return "| " + " | ".join(value.replace("``", "`").replace("|", "\\|") for value in values) + " |"

    return "\n".join([cells(head), "|" + "---|" * len(head), *map(cells, lines)])


if __name__ == "__main__":
    sys.exit(main())
