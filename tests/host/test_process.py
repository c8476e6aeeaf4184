"""A child and its group: nothing of it is left, and nobody else's is ever killed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from ciphermark.host import process


@pytest.fixture(params=["pidfd", "no pidfd"])
def _either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no pidfd":
        monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.mark.usefixtures("_either_way")
@pytest.mark.parametrize(("script", "deadline_s"), [("exit 3", 30.0), ("exec sleep 60", -1.9)])
def test_a_group_is_killed_while_its_number_is_still_the_childs(
    script: str, deadline_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once a child has been waited for, another process may have its number."""
    killed = []

    def killpg(group: int, number: int) -> None:
        os.waitid(os.P_PID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # raises if it was waited for
        killed.append(group)
        real(group, number)

    real = os.killpg
    monkeypatch.setattr(os, "killpg", killpg)
    ended = process.run(["/bin/sh", "-c", script], deadline_s=deadline_s)
    assert len(killed) == 1
    assert (ended.status, ended.late) == ((3, False) if "exit" in script else (-signal.SIGKILL, True))
    with pytest.raises(ChildProcessError):
        os.waitid(os.P_PID, killed[0], os.WEXITED | os.WNOHANG | os.WNOWAIT)


@pytest.mark.usefixtures("_either_way")
def test_what_a_child_started_does_not_outlive_it(tmp_path: Path) -> None:
    told = tmp_path / "grandchild"
    ended = process.run(["/bin/sh", "-c", f"sleep 60 & echo $! > {told}"], deadline_s=30)
    assert ended.status == 0
    stat = Path("/proc", told.read_text().strip(), "stat")
    end = time.monotonic() + 5
    while stat.exists() and " Z " not in stat.read_text() and time.monotonic() < end:
        time.sleep(0.01)
    assert not stat.exists() or " Z " in stat.read_text()
