import contextlib
import string
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ciphermark.claims import kinds
from ciphermark.errors import UsageError
from ciphermark.study.load import builtin, find, load
from ciphermark.study.schema import Study

from .conftest import SMALL

CLAIM = """
[[claims.reduction]]
id = "c"
statement = "s"
citation = "c"
definition = "d"
metric = "code_bytes"
baseline = { isa = "rv32i" }
subject = { isa = "rv32i_zbb" }
published = 0.1
tolerance = 0.01
"""


def test_the_package_s_studies_are_right() -> None:
    assert {"aes-bitmanip", "sha2-bitmanip"} <= builtin().keys()
    for path in builtin().values():
        assert load(path).id == path.stem


def test_every_file_of_a_kind_is_a_table_and_a_page_of_the_reference() -> None:
    folder = Path(kinds.__file__).parent
    assert set(kinds.KINDS) == {path.stem for path in folder.glob("*.py")} - {"__init__"}
    page = (Path(__file__).resolve().parents[2] / "docs/reference/study-file.md").read_text()
    assert all(f"`[[claims.{kind}]]`" in page for kind in kinds.KINDS)


def test_claims_keep_the_order_in_which_the_file_begins_their_kinds(study_file: Callable[[str], Path]) -> None:
    value = CLAIM.replace("reduction", "value").replace('"c"', '"v"', 1)
    value = value.replace('baseline = { isa = "rv32i" }\nsubject = { isa = "rv32i_zbb" }\n', "")
    assert [claim.id for claim in load(study_file(SMALL + value + CLAIM)).claims.all()] == ["v", "c"]
    assert [claim.id for claim in load(study_file(SMALL + CLAIM + value)).claims.all()] == ["c", "v"]


SOURCES = """
[sources.table]
work = "Somebody: A work"
place = "table 1"
url = "https://example.org/work"
"""


def test_a_citation_is_written_once_for_many_claims(study_file: Callable[[str], Path]) -> None:
    one = CLAIM.replace('citation = "c"', 'source = "table"')
    other = one.replace('id = "c"', 'id = "d"\nsource_note = "said otherwise in table 2"')
    first, second = (claim.citation for claim in load(study_file(SMALL + SOURCES + one + other)).claims.all())
    assert (str(first), first.url) == ("Somebody: A work: table 1", "https://example.org/work")
    assert str(second) == "Somebody: A work: table 1; said otherwise in table 2"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'citation = "c"',
            'source = "tabel"',
            "claim `c` names the source `tabel`, which [sources] does not have. Did",
        ),
        ('citation = "c"', 'citation = "c"\nsource = "table"', "claim `c` has both `citation` and `source`"),
        ('citation = "c"\n', "", "key 'claims.reduction.0.citation' is missing"),
    ],
)
def test_a_claim_has_one_citation(study_file: Callable[[str], Path], old: str, new: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        load(study_file(SMALL + SOURCES + CLAIM.replace(old, new)))
    assert says in raised.value.message


COMPARISON = """
[[claims.comparison]]
id = "d"
statement = "s"
citation = "c"
definition = "d"
first = "c"
second = "cc"
rounding = 0.1
published = { 16 = 0.1 }
baseline = { isa = "rv32i" }
subject = { isa = "rv32i_zbb" }
"""


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        (CLAIM + CLAIM, "several claims have the id c"),
        (CLAIM + COMPARISON, "claim d refers to 'cc', which is not a claim. Did you mean 'c'?"),
        (CLAIM.replace("reduction", "reductoin"), "unknown key 'claims.reductoin'"),
    ],
)
def test_claims_that_do_not_fit_together(study_file: Callable[[str], Path], claims: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        load(study_file(SMALL + claims))
    assert says in raised.value.message


@pytest.mark.parametrize(
    ("wrong", "right", "key", "hint"),
    [
        ("titel =", "title =", "titel", "title"),
        ("implementatoins =", "implementations =", "implementatoins", "implementations"),
        ("mesure_up_to =", "measure_up_to =", "mesure_up_to", "measure_up_to"),
        ("optz =", "opts =", "optz", "opts"),
        ("publishd =", "published =", "publishd", "published"),
        ("{ isaa =", "{ isa =", "isaa", "isa"),
    ],
)
def test_a_misspelt_key_is_named_with_file_and_nearest_name(
    study_file: Callable[[str], Path], wrong: str, right: str, key: str, hint: str
) -> None:
    text = (SMALL + CLAIM).replace(right, wrong)
    path = study_file(text)
    with pytest.raises(UsageError) as raised:
        load(path)
    assert raised.value.exit_code == 2
    assert str(path) in raised.value.message
    assert key in raised.value.message
    assert f"'{hint}'" in raised.value.hint


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('sizes = "16..16K"', 'sizes = "16..100"', "does not meet 100"),
        ('opts = ["O2"]', 'opts = ["O9"]', "O9|'O0'"),
        ('sizes = "16..16K"', 'sizes = ["16", "1K", "4K"]', "three are needed"),
        ('algorithms = ["aes-128-ecb"]', "", "no `algorithms`"),
        ('question = "Does it run?"', "", "question"),
        ('id = "small"', 'id = "Small!"', "id"),
        ("[[matrix]]", "[[matrix]", "TOML"),
        ('metric = "code_bytes"', 'metric = "megahertz"', "metric"),
    ],
)
def test_other_mistakes(study_file: Callable[[str], Path], old: str, new: str, says: str) -> None:
    path = study_file(SMALL + CLAIM)
    path.write_text((SMALL + CLAIM).replace(old, new))
    with pytest.raises(UsageError, match=says):
        load(path)


def test_what_is_wrong_with_the_file_as_a_whole_names_no_key(study_file: Callable[[str], Path]) -> None:
    path = study_file(SMALL.replace('compilers = [{ name = "zig", opts = ["O2"] }]\n', ""))
    with pytest.raises(UsageError) as refused:
        load(path)
    assert refused.value.message == f"{path}: matrix block 1 has no `compilers`, and [defaults] gives none"


def test_the_id_is_the_file_s_name(study_file: Callable[[str], Path]) -> None:
    path = study_file(SMALL)
    other = path.rename(path.with_name("other.toml"))
    with pytest.raises(UsageError, match=r"'small'.*'other'"):
        load(other)


def test_an_unknown_study_suggests_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        find("aes-bitmanp")
    assert "aes-bitmanip" in raised.value.hint


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no such file"):
        load(Path("nowhere.toml"))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_are_a_study_or_a_usage_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzz.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError):
        load(path)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(UsageError):
        load(path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(string.printable, max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "id", "kind"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_value_in_any_place_is_a_study_or_a_usage_error(data: st.DataObject) -> None:
    """Replace one value of a right study by anything: never a crash of another kind."""
    document = tomllib.loads(SMALL + CLAIM)
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(list(keys)))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            place[key] = data.draw(VALUES)
            break
        place = inner
    with contextlib.suppress(ValidationError):
        Study.model_validate(document)
