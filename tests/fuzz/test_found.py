"""What random files once brought to light: ``found/KIND-NAME``. None of it brings more than a message."""

from pathlib import Path

import pytest

from ciphermark import embedded

from .kinds import KINDS
from .mutation import TEXT, mutated

FOUND = sorted(Path(__file__).with_name("found").iterdir())

pytestmark = pytest.mark.skipif(not embedded.available(), reason="needs the embedded engine")


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_found(path: Path, tmp_path: Path) -> None:
    name = path.name.partition("-")[0]
    next(kind for kind in KINDS if kind.name == name).attempt(path.read_bytes(), tmp_path)


def test_a_seed_repeats() -> None:
    import random

    corpus = [b"one 1\ntwo 2", b"three 3"]
    assert [mutated(random.Random(f"s {n}"), corpus, TEXT) for n in range(50)] == [
        mutated(random.Random(f"s {n}"), corpus, TEXT) for n in range(50)
    ]
