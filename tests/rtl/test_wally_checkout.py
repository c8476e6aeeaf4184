"""What Wally is without a simulator: which ISAs it has, and how a user brings it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import engines
from ciphermark.errors import UsageError
from ciphermark.rtl.machines import machine
from ciphermark.rtl.wally import VARIABLE, Wally


def test_a_machine_has_one_xlen() -> None:
    assert Wally().cannot_run(machine("wally64"), "rv32im") == "wally64 is RV64"
    with pytest.raises(UsageError, match="Zksed"):
        Wally().refuse(machine("wally32"), "rv32im_zksed")


@pytest.mark.parametrize("given", [None, "."])
def test_without_a_checkout_it_says_how_to_bring_one(
    given: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if given is None:
        monkeypatch.delenv(VARIABLE, raising=False)
    else:
        monkeypatch.setenv(VARIABLE, str(tmp_path))
    said = engines.find("wally-rtl").problem()
    assert said is not None
    assert "git clone https://github.com/openhwgroup/cvw" in said
    assert VARIABLE in said
