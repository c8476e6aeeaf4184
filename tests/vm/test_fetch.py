"""Nothing is downloaded unasked: ``run`` says what it would download, and leaves engine vm out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.cli import run as command
from ciphermark.cli.app import app
from ciphermark.engines import vm
from ciphermark.engines.rtl import RocketRtl
from ciphermark.engines.vm import Vm
from ciphermark.errors import EngineMissingError
from ciphermark.store import downloads
from ciphermark.study.load import find
from ciphermark.vm import kernel, machine, packages

from .test_packages import debian_package

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")


@pytest.fixture(autouse=True)
def offline(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Emulators that are said to be there, and an apt that may not be asked."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("apt was asked")

    monkeypatch.setattr(packages._Apt, "run", refuse)
    monkeypatch.setattr(vm, "_installed", lambda: [machine.of("aarch64"), machine.of("x86_64")])
    monkeypatch.setattr(packages, "missing_programs", lambda: None)
    vm._absent.cache_clear()
    return own_cache


def by_hand(folder: Path, architecture: str) -> None:
    made = debian_package(folder, f"6.12.95+deb12-cloud-{architecture}", architecture)
    packages.folder().mkdir(parents=True, exist_ok=True)
    shutil.copy(made, packages.folder())


def test_without_leave_a_kernel_that_is_not_here_is_a_problem_that_names_the_command() -> None:
    assert Vm().downloads() == "Debian's Linux kernels for aarch64 and x86_64, about 40 MB each"
    with downloads.fetching(False):
        assert "ciphermark run --fetch" in (Vm().problem() or "")
        with pytest.raises(EngineMissingError):
            kernel.get(machine.of("aarch64"))
    assert downloads.may_fetch()
    assert Vm().problem() is None


def test_what_is_here_needs_no_leave(tmp_path: Path) -> None:
    for architecture in ("arm64", "amd64"):
        by_hand(tmp_path, architecture)
    assert Vm().downloads() is None
    with downloads.fetching(False):
        assert Vm().problem() is None
        assert kernel.get(machine.of("aarch64")).release == "6.12.95+deb12-cloud-arm64"


def test_one_kernel_of_two_is_not_all(tmp_path: Path) -> None:
    by_hand(tmp_path, "arm64")
    assert Vm().downloads() == "Debian's Linux kernels for x86_64, about 40 MB each"


class Begun(Exception):
    """A study began to run."""


@pytest.fixture
def began(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether anything may be downloaded where a study begins; none does more than that."""
    found: list[bool] = []

    def begin(*_: object, **__: object) -> None:
        found.append(downloads.may_fetch())
        raise Begun

    monkeypatch.setattr(command, "run_study", begin)
    monkeypatch.setattr(RocketRtl, "downloads", lambda self: None)
    return found


def test_bare_run_says_what_it_runs_and_what_it_does_not_download(began: list[bool]) -> None:
    done = CliRunner().invoke(app, ["run"])
    assert began == [False]
    first, second = done.stderr.splitlines()[:2]
    assert re.match(r"\d+ studies: aes-bitmanip, ", first)
    assert second.startswith("engine vm needs a download for aes-kernel-offload: Debian's Linux kernels for ")
    assert second.endswith("`ciphermark run aes-kernel-offload --fetch` gets it")


def test_a_study_of_one_s_own_is_called_as_it_was_written(began: list[bool], tmp_path: Path) -> None:
    own = tmp_path / "my studies" / "mine.toml"
    own.parent.mkdir()
    text = find("aes-kernel-offload").read_text().replace('id = "aes-kernel-offload"', 'id = "mine"')
    own.write_text(text)
    said = CliRunner().invoke(app, ["run", str(own)]).stderr
    assert began == [False]
    assert f"engine vm needs a download for {own}: " in said
    assert f"`ciphermark run '{own}' --fetch` gets it" in said


def test_with_fetch_it_says_what_it_downloads(began: list[bool]) -> None:
    done = CliRunner().invoke(app, ["run", "--fetch"])
    assert began == [True]
    assert done.stderr.splitlines()[1].startswith("downloads Debian's Linux kernels for aarch64 and x86_64")


@pytest.mark.parametrize("arguments", [["aes-bitmanip"], ["aes-kernel-offload", "--engines", "host"]])
def test_studies_without_engine_vm_say_nothing_of_it(began: list[bool], arguments: list[str]) -> None:
    done = CliRunner().invoke(app, ["run", *arguments])
    assert began == [False]
    assert done.stderr == ""


def test_another_engine_s_download_is_told_of_the_studies_that_use_it(
    began: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RocketRtl, "downloads", lambda self: "a generator")
    assert "rocket-rtl" not in CliRunner().invoke(app, ["run", "--engines", "sim"]).stderr
    done = CliRunner().invoke(app, ["run"])
    assert began == [False, False]
    (said,) = [line for line in done.stderr.splitlines() if "rocket-rtl" in line]
    assert said.startswith(
        "engine rocket-rtl needs a download for aes-bitmanip, chacha-ise: a generator; `ciphermark run "
    )


def test_points_of_engine_vm_are_listed_as_skipped() -> None:
    from ciphermark.study.expand import expand
    from ciphermark.study.load import find, load

    with downloads.fetching(False):
        expansion = expand(load(find("aes-kernel-offload")))
    assert not any(point.engine == "vm" for point in expansion.points)
    skipped = [item for item in expansion.skipped if "on vm" in item.what]
    assert skipped
    assert all("`ciphermark run --fetch` downloads them" in item.reason for item in skipped)


def test_make_asks_for_downloads() -> None:
    makefile = (Path(__file__).resolve().parents[2] / "Makefile").read_text()
    assert "/ciphermark run --fetch " in makefile
