"""What users read is plain English: turns that a machine can tell are refused in pages, help, messages, studies."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from ciphermark.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
DATA = sorted((ROOT / "python" / "ciphermark" / "data").rglob("*.toml"))
MODULES = sorted((ROOT / "python" / "ciphermark").rglob("*.py"))

_AMOUNT = (
    r"instructions?|cycles?|bytes?|[KMG]i?B|ns|µs|ms|seconds?|nanoseconds?|samples|copies|passes|blocks|rows|lines|words"
    r"|objects?|points?|cost|kernel|folder|entry|result|requests?"
)
_EACH = r"byte|call|process|second|block|message|line|row|point|core|instruction|cycle|request|study|run|file|command"

REFUSED = {
    "`is not a`, not `is no`": re.compile(
        r"(?<!there )(?<!There )\b(?:is|are|was|were) no (?!longer|more|less|fewer|better|worse|sooner|later)(?=[a-z`])"
    ),
    "`per byte`, not `a byte`": re.compile(rf"\b(?:{_AMOUNT}) an? (?:{_EACH})\b(?! of\b)"),
    "`one per cycle`, not `one a cycle`": re.compile(
        r"\b(?:one|two|three|four|eight) an? (?:cycle|byte|second|line)\b"
    ),
    "`after`, not `behind`": re.compile(r"(?<!left )(?<!stand )(?<!stands )(?<!from )\bbehind\b"),
    "name who it is, not `whoever`": re.compile(r"\b[Ww]hoever\b"),
    "a sentence of its own, not `, of which`": re.compile(r", of (?:which|whom)\b"),
    "what it is about first, not `Of ...`": re.compile(r"(?:^|[.;:] )Of (?:several|what|times|implementations|a|an)\b"),
    "`N` or `this many`, not `so many`": re.compile(r"\bso many\b"),
    "`including`, not `among them`": re.compile(r"\bamong them\b(?! must)"),
    "`again` or `re-…`, not `anew`": re.compile(r"\banew\b"),
    "`built from parts`, not `of parts`": re.compile(r"\b(?:memory|one|system) of parts\b"),
    "`÷ … − 1`, not `less 1`": re.compile(r", less 1\b"),
    "`by cause`, not `what … spent on`": re.compile(
        r"\bwhat (?:they|it|cycles|their cycles) (?:are|is|were|was) spent on\b"
    ),
    "`gives` or `shows`, not `tells`": re.compile(r"\btells? the (?:cycles?|times?|counts?|figures?|ticks?)\b"),
    "`is reported` or `cannot describe`, not `is told`": re.compile(r"\b(?:is|are|be|was) told (?:of|with)\b"),
    "`predicted`, not `foreseen`": re.compile(r"\bforeseen\b"),
    "`stalls` or `waits`, not `is waited for`": re.compile(r"\b(?:is|are) waited for\b"),
    "`does not report`, not `knows no`": re.compile(r"\bknows? no (?!way\b)"),
    "`about`, not `some` with a number": re.compile(
        r"\bsome (?:(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine)\b(?!-)"
        r"|ten\b|twenty\b|thirty\b|forty\b|fifty\b|hundred\b)"
    ),
    "whose it is after it, not `by whose`": re.compile(r"\bby whose\b"),
    "`minus`, not `less`": re.compile(r"\bless (?:those|that of|what)\b"),
    "`your own`, not `of yours`": re.compile(r"\b(?:of|from) (?:yours|theirs)\b"),
    "`for` or `measure`, not `are of`": re.compile(
        r"\b(?:is|are|was|were) of (?:cycles|instructions|counts|x86|warm|cold|the machine)\b"
    ),
    "`says about`, not `says of`": re.compile(r"\b(?:say|says|said) (?:nothing )?of\b"),
    "`per round`, not `a round`": re.compile(
        r"\b(?:blocks?|words?|operands?|registers?|rotations?|instructions?|shuffles?) an? "
        r"(?:pass|round|rotation|operand|look-up|iteration|instruction|step|direction)\b"
    ),
}


def found(text: str) -> list[str]:
    """Each turn that is refused, with what is around it."""
    return [
        f"{rule}: …{text[max(match.start() - 40, 0) : match.end() + 30]}…"
        for rule, pattern in REFUSED.items()
        for match in pattern.finditer(text)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found(" ".join(text.split())) == []


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("file", DATA, ids=lambda file: str(file.relative_to(ROOT / "python" / "ciphermark" / "data")))
def test_studies_and_manifests(file: Path) -> None:
    every = strings(tomllib.loads(file.read_text(encoding="utf-8")))
    assert [turn for text in every for turn in found(" ".join(text.split()))] == []


def helps(command: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, command.help or ""
    for parameter in command.params:
        yield f"{path} {parameter.opts[0]}", getattr(parameter, "help", None) or ""
    for name, each in getattr(command, "commands", {}).items():
        yield from helps(each, f"{path} {name}")


def test_help() -> None:
    every = dict(helps(typer.main.get_command(app), "ciphermark"))
    assert {path: found(" ".join(text.split())) for path, text in every.items() if found(" ".join(text.split()))} == {}


def sentences(module: Path) -> Iterator[tuple[int, str]]:
    """String literals of several words, which are messages; not what stands alone, which documents code."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words = [part.value if isinstance(part, ast.Constant) else "`x`" for part in node.values]
            yield node.lineno, "".join(map(str, words))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            if id(node) in documents or id(node) in parts:
                continue
            yield node.lineno, node.value


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT / "python" / "ciphermark")))
def test_messages(module: Path) -> None:
    assert [(line, turn) for line, text in sentences(module) for turn in found(text)] == []


def test_each_turn_is_told_and_its_better_one_is_not() -> None:
    told = (
        "it is no folder", "two instructions a byte", "one a cycle is issued", "a word behind it", "whoever asks",
        "two, of which one", "Of what is missing it prints", "take so many samples", "registers, `fflags` among them",
        "writes the page anew", "has no memory of parts", "relative to gem5's, less 1", "what they are spent on",
        "a model tells the cycles", "gem5 cannot be told of it", "a transfer that was foreseen", "loads are waited for",
        "it knows no cycles", "some 1000 instructions", "a machine by whose conventions it starts",
        "all its cycles, less those of an empty call", "a checkout of yours", "the published figures are of x86 code",
        "it says nothing of the guest", "one instruction a rotation",
    )  # fmt: skip
    for text, rule in zip(told, REFUSED, strict=True):
        assert [turn.partition(":")[0] for turn in found(text)] == [rule]
    better = (
        "it is not a folder", "there is no folder", "it is no longer there", "two instructions per byte", "left behind",
        "for a byte of it", "Of 242 compared, two differ", "one second", "some of 10", "some 64-bit cores",
        "one CPU whose clock is known", "it tells them apart", "0 success, 1 a row could not be measured",
        "some two-level caches", "no less than that", "one instruction per rotation", "it moves a block a second time",
    )  # fmt: skip
    assert [turn for text in better for turn in found(text)] == []
