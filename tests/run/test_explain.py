"""Where the instructions and cycles of a call went: totals are the row's, in what is shown and in every export."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from ciphermark import exports
from ciphermark.analysis.loops import loops
from ciphermark.analysis.passage import MOST_DEPTH, by_function, by_place, by_stack
from ciphermark.cli.app import app
from ciphermark.cli.explain import explain_command
from ciphermark.errors import UsageError
from ciphermark.execution.explanation import Explanation, explain
from ciphermark.exit_codes import ExitCode
from ciphermark.rows.passage import Passage, Place

POINTS: list[tuple[str, str, dict[str, Any]]] = [
    ("chacha20", "chacha20/reference", {"isa": "rv64im", "machine": "rocket", "operation": "block", "size": "64"}),
    ("aes-128-ecb", "aes/sbox", {"isa": "rv64im", "machine": "cva6", "size": "64"}),
    ("aes-128-ecb", "aes/sbox", {"isa": "rv32im", "machine": "ibex-small", "size": "32", "state": "cold"}),
    ("sha-256", "sha2/reference", {"isa": "rv32i_zbb", "machine": "ibex-maxperf", "size": "64"}),
    ("aes-128-ecb", "aes/ttable", {"isa": "rv64im", "machine": "in-order", "size": "64"}),
    ("chacha20", "chacha20/rvv-lanes", {"size": "512", "vlen": 256}),
    ("aes-128-ecb", "aes/ttable", {"isa": "rv32i", "size": "64"}),
]


@pytest.fixture(scope="module", params=POINTS, ids=lambda point: f"{point[1]} {point[2].get('machine')}")
def found(request: pytest.FixtureRequest, module_cache: None) -> Explanation:
    algorithm, implementation, point = request.param
    return explain(algorithm, implementation, **point)


@pytest.fixture(scope="module")
def module_cache(shared_cache: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERMARK_CACHE", str(shared_cache))
        yield


def weight(found: Explanation) -> int:
    """What a row counts: cycles on a machine, else instructions."""
    total = found.row.cycles if found.row.machine else found.row.instructions
    assert total
    return total


def test_all_sums_are_the_row_s(found: Explanation) -> None:
    passage, row = found.passage, found.row
    assert len(passage.steps) == row.instructions
    assert passage.total == weight(found) == sum(passage.causes().values())
    assert row.causes == (passage.causes() if row.machine else None)
    for costs in (by_place(passage), by_function(passage).values(), by_stack(passage).values()):
        assert sum(cost.cycles for cost in costs) == weight(found)
        assert sum(cost.executions for cost in costs) == row.instructions
    assert all(spent >= 0 for _, each in passage.steps for spent in each.values())


def test_a_call_begins_and_ends_in_one_function(found: Explanation) -> None:
    first, last = (found.passage.places[found.passage.steps[at][0]] for at in (0, -1))
    assert last.flow == "return"
    assert {stack[0] for stack in by_stack(found.passage)} == {first.function}


def test_folded_stacks_are_what_flamegraph_reads(found: Explanation) -> None:
    total = 0
    for line in exports.FORMATS["folded"](found.passage, "t").splitlines():
        read = re.fullmatch(r"([^ ;]+(?:;[^ ;]+)*) (\d+)", line)
        assert read is not None, line
        total += int(read[2])
    assert total == weight(found)


@pytest.mark.skipif(shutil.which("callgrind_annotate") is None, reason="callgrind_annotate not found: valgrind")
def test_callgrind_annotate_reads_the_row_s_totals(found: Explanation, tmp_path: Path) -> None:
    file = tmp_path / "callgrind.out"
    file.write_text(exports.FORMATS["callgrind"](found.passage, "a title"))
    said = subprocess.run(
        ["callgrind_annotate", "--inclusive=no", str(file)], capture_output=True, text=True, check=True
    )
    assert not said.stderr
    (totals,) = (line for line in said.stdout.splitlines() if line.endswith("PROGRAM TOTALS"))
    numbers = [int(each.replace(",", "")) for each in re.findall(r"[\d,]+(?= \()", totals)]
    expected = [found.row.instructions]
    if found.row.machine:
        expected += [found.row.cycles, *found.passage.causes().values()]
    assert numbers == expected
    inclusive = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", str(file)], capture_output=True, text=True, check=True
    )
    first = found.passage.places[found.passage.steps[0][0]].function
    assert re.search(rf"^ *{found.row.instructions:,} \(100\.0%\).*:{first}", inclusive.stdout, re.MULTILINE)


def test_the_trace_s_slices_nest_and_last_as_long(found: Explanation) -> None:
    trace = json.loads(exports.FORMATS["chrome"](found.passage, "a title"))
    slices = [each for each in trace["traceEvents"] if each["ph"] == "X"]
    for each in slices:
        assert each.keys() == {"ph", "pid", "tid", "name", "ts", "dur", "args"}
        assert isinstance(each["ts"], int) and isinstance(each["dur"], int) and each["dur"] >= 0
    assert [each["ts"] for each in slices] == sorted(each["ts"] for each in slices)
    functions = [each for each in slices if each["tid"] == 1]
    assert max(each["ts"] + each["dur"] for each in functions) == weight(found)
    opened: list[int] = []
    for each in functions:
        while opened and opened[-1] <= each["ts"]:
            opened.pop()
        assert not opened or each["ts"] + each["dur"] <= opened[-1]
        opened.append(each["ts"] + each["dur"])
    if found.row.machine:
        waited = sum(each["dur"] for each in slices if each["tid"] == 2)
        assert waited == weight(found) - found.passage.causes().get("issue", 0)


def test_a_reader_of_kanata_finds_each_instruction_and_cycle(found: Explanation) -> None:
    lines = exports.FORMATS["kanata"](found.passage, "a title").splitlines()
    assert lines[:2] == ["Kanata\t0004", "C=\t0"]
    now, stages, labels = 0, dict[int, tuple[str, int]](), dict[int, str]()
    begun, retired, spent = list[int](), list[int](), Counter[str]()
    for kind, *fields in (line.split("\t") for line in lines[2:]):
        match kind:
            case "C":
                now += int(fields[0])
            case "I":
                begun.append(int(fields[0]))
            case "L" if fields[1] == "0":
                labels[int(fields[0])] = fields[2]
            case "S":
                assert int(fields[0]) not in stages
                stages[int(fields[0])] = (fields[2], now)
            case "E":
                name, since = stages.pop(int(fields[0]))
                assert name == fields[2]
                spent[name] += now - since
            case "R":
                retired.append(int(fields[0]))
    assert begun == retired == list(range(len(found.passage.steps))) == sorted(labels)
    assert not stages
    assert now == weight(found) == spent.total()
    assert spent["Is"] == found.passage.causes().get("issue", 0)


def at(number: int, flow: str = "next", function: str = "f", begins: bool = False) -> Place:
    return Place(4 * number, 4, flow, function, begins, None, "")  # type: ignore[arg-type]


def passed(places: list[Place], order: str) -> Passage:
    return Passage(places, [(ord(each) - ord("a"), {"issue": 1}) for each in order], timed=False)


def test_nested_loops() -> None:
    # a; b: c: d→c; e→b; f
    places = [at(0), at(1), at(2), at(3, "branch"), at(4, "branch"), at(5, "return")]
    found = loops(passed(places, "a" + "bcdcdcde" + "bcde" + "f"))
    assert [(each.first, each.last, each.depth, each.entries, each.iterations) for each in found] == [
        (1, 4, 0, 1, 2),
        (2, 3, 1, 2, 4),
    ]
    assert [each.cost.executions for each in found] == [12, 8]


def test_a_loop_that_is_entered_from_below() -> None:
    # d jumps to a first; then a: b→a
    places = [at(0), at(1, "branch"), at(2, "return"), at(3, "jump")]
    (found,) = loops(passed(places, "d" + "ababab" + "c"))
    assert (found.first, found.last, found.entries, found.iterations) == (0, 1, 1, 3)


def test_a_call_in_a_loop_is_no_loop_and_a_recursion_neither() -> None:
    places = [at(0, "call", "g"), at(1, "branch", "g"), at(2, "return", "g"), at(3, "call", "f"), at(4, "return", "f")]
    # f calls itself and g is entered twice by its own branch
    assert [(each.first, each.last) for each in loops(passed(places[3:], "aabb"))] == []
    found = loops(
        passed([at(0, "next", "g"), at(1, "return", "g"), at(2, "call"), at(3, "branch"), at(4)], "cabdcabde")
    )
    assert [(each.first, each.last, each.iterations) for each in found] == [(2, 3, 2)]


def test_stacks_of_calls_tail_calls_and_returns() -> None:
    places = [at(0, "call", "main"), at(1, "return", "main"), at(2, "jump", "f"), at(3, "return", "g", True)]
    stacks = by_stack(passed(places, "acdb"))
    assert list(stacks) == [("main",), ("main", "f"), ("main", "f", "g")]
    assert stacks["main",].executions == 2


def test_what_jumps_into_the_middle_of_another_function_is_that_function() -> None:
    places = [at(0, "call", "main"), at(1, "return", "main"), at(2, "jump", "f"), at(3, "return", "g")]
    assert list(by_stack(passed(places, "acdb"))) == [("main",), ("main", "f"), ("main", "g")]


def test_jumps_to_and_fro_do_not_pile_up() -> None:
    places = [at(0, "jump", "f", True), at(1, "jump", "g", True)]
    assert list(by_stack(passed(places, "ab" * 999))) == [("f",), ("f", "g")]


def test_recursion_is_unwound_one_call_at_a_time_and_bounded() -> None:
    places = [at(0, "call", "f", True), at(1, "return", "f")]
    deep = by_stack(passed(places, "a" * 1000 + "b" * 1000))
    assert max(map(len, deep)) == MOST_DEPTH
    counts = {len(stack): cost.executions for stack, cost in by_stack(passed(places, "aaabbb")).items()}
    assert counts == {1: 2, 2: 2, 3: 2}


def test_what_an_empty_call_takes_is_taken_off_the_ends() -> None:
    steps: list[tuple[int, dict[str, int]]] = [
        (0, {"issue": 1, "branch": 3}), (0, {"issue": 1}), (0, {"issue": 1, "branch": 2})
    ]  # fmt: skip
    less = Passage([at(0)], steps, timed=True).spending({"issue": 2, "branch": 2})
    assert less.steps == [(0, {"issue": 1, "branch": 2}), (0, {"issue": 1}), (0, {})]
    more = Passage([at(0)], steps, timed=True).spending({"issue": 3, "branch": 5, "data": 1})
    assert more.steps[0] == (0, {"issue": 1, "branch": 3, "data": 1})
    assert more.causes() == {"branch": 5, "issue": 3, "data": 1}


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments])


ROCKET = ("chacha20", "--impl", "reference", "--operation", "block", "--isa", "rv64im", "--machine", "rocket")


@pytest.mark.usefixtures("module_cache")
def test_what_is_shown(tmp_path: Path) -> None:
    shown = command(*ROCKET, "--exports", f"folded={tmp_path / 'f'},kanata={tmp_path / 'k'}")
    assert shown.exit_code == ExitCode.OK, shown.output
    cycles = int(re.search(r"^([\d,]+) cycles, 1,701 instructions", shown.stdout, re.MULTILINE)[1].replace(",", ""))  # type: ignore[index]
    assert re.search(r"chacha20_block \w+–\w+ +0 +1 +10 ", shown.stdout)
    assert (tmp_path / "f").read_text() == f"chacha20_block {cycles}\n"
    assert (tmp_path / "k").read_text().startswith("Kanata")
    record = json.loads(command(*ROCKET, "--json").stdout)
    assert record["cycles"] == cycles == sum(each["cycles"] for each in record["listing"])


@pytest.mark.usefixtures("module_cache")
def test_two_side_by_side() -> None:
    shown = command(*ROCKET, "--diff", "rv64i")
    assert re.search(r"instructions +1,701 +[\d,]+ +[+−]\d+ +[01]\.\d{3}", shown.stdout)
    (cycles,) = (line for line in shown.stdout.splitlines() if line.startswith(" cycles "))
    assert "—" not in cycles
    shown = command(*ROCKET[:-2], "--diff-machine", "rocket")
    (cycles,) = (line for line in shown.stdout.splitlines() if line.startswith(" cycles "))
    _, one, _, *compared = cycles.split()
    assert (one, *compared) == ("—", "—", "—")
    shown = command(*ROCKET, "--diff-machine", "cva6")
    assert re.search(r"instructions +1,701 +1,701 +\+0 +1\.000", shown.stdout)


@pytest.mark.usefixtures("module_cache")
def test_the_examples_of_the_help_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (explain_command.__doc__ or "").partition("Examples:")[2].replace("\\\n", " ")
    examples = [shlex.split(line)[2:] for line in lines.splitlines() if line.strip()]
    assert len(examples) == 3
    for example in examples:
        done = command(*example)
        assert done.exit_code == ExitCode.OK, (example, done.output)


@pytest.mark.usefixtures("module_cache")
def test_a_level_may_have_a_compiler_s_dash() -> None:
    plain, dashed = (command(*ROCKET, "--json", f"--opt={level}") for level in ("Os", "-Os"))
    assert plain.exit_code == ExitCode.OK
    assert dashed.stdout == plain.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("chacha20", "--impl", "chacha20/referense"), 2, "Did you mean 'chacha20/reference'?"),
        (("chacha20", "--impl", "referenc"), 2, "Did you mean 'reference'?"),
        (("aes-128-ecb", "--impl", "aes/sboxx"), 2, "Did you mean 'aes/sbox'?"),
        (("chacha20", "--impl", "./nowhere"), 2, "Name a folder with an implementation.toml, or an implementation by"),
        ((*ROCKET[:-1], "rockett"), 2, "Did you mean 'rocket'?"),
        ((*ROCKET[:-1], "ibex-small"), 2, "ibex-small is RV32"),
        ((*ROCKET[:-1], "wally64"), 2, "engine sim does not have the machine wally64"),
        ((*ROCKET[:-1], "wally64"), 2, "hint: Engines that have it: wally-rtl."),
        (("chacha20", "--impl", "reference"), 2, "Choose one of --isa rv32i, rv64i"),
        ((*ROCKET, "--size", "64,128", "--operation", "encrypt"), 2, "--size 64, 128"),
        ((*ROCKET, "--exports", "svg=x"), 2, "The formats are callgrind, chrome, folded, kanata."),
        ((*ROCKET, "--exports", "folded=/nowhere/x"), 1, "/nowhere/x: No such file"),
        ((*ROCKET[:-2], "--diff", "zbb"), 2, "Choose one of --diff-isa "),
        ((*ROCKET, "--vlen", "abc"), 2, "error: VLEN `abc` is not a power of two from 32 to 65536"),
        (("chacha20", "--impl", "rvv-lanes", "--isa", "rv64gcv", "--vlen", "128,256"), 2, "--vlen 128, 256"),
    ],
)
@pytest.mark.usefixtures("module_cache")
def test_what_cannot_be_explained(arguments: tuple[str, ...], status: int, said: str) -> None:
    refused = command(*arguments)
    assert refused.exit_code == status
    assert said in refused.stderr


@pytest.mark.usefixtures("module_cache")
def test_a_call_too_long_to_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    from ciphermark.engines.sim import Sim

    monkeypatch.setattr(Sim, "most_steps", 1000)
    with pytest.raises(UsageError, match="executes 1,701 instructions, and at most 1,000 can be followed"):
        explain("chacha20", "chacha20/reference", isa="rv64im", operation="block", machine="rocket")
