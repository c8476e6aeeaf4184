"""What the report's tests share: a page made once, and a browser that allows no network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ciphermark import report
from report import fonts, hostile, synthetic

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SMALL_SIZES = (16, 1024, 65536, 1 << 20)
SMALL_COMPILERS = (("zig", "O2"), ("zig", "Os"))

_WITHOUT = (
    # Two pages of Chromium's own that each window loads for its address bar, which no test has.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
    # Playwright's own list, of which the last such argument takes the place.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""Features of Chromium: a third of its time goes into the first, and the others would ask a network or hold back."""


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder of the invented study with its report made. Tests only read it."""
    folder = synthetic.write(
        tmp_path_factory.mktemp("results") / "aes-bitmanip", synthetic.rows(SMALL_SIZES, SMALL_COMPILERS)
    )
    report.write(folder)
    return folder


@pytest.fixture(scope="session")
def hostile_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of a study in which all is hostile; tests only read it."""
    folder = hostile.results(tmp_path_factory.mktemp("results") / "hostile")
    report.write(folder)
    return folder


@pytest.fixture(scope="session")
def page_text(results: Path) -> str:
    return (results / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[[dict[str, str]], Browser]]:
    """Start headless Chromium of the system with more variables; skips, saying why, without it or Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the `playwright` package")
    command = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if command is None:
        pytest.skip("needs chromium (apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        yield lambda more: driver.chromium.launch(
            executable_path=command,
            env={**os.environ, **more},
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                f"--disable-features={','.join(_WITHOUT)}",
            ],
        )


@pytest.fixture(scope="session")
def browser(launch: Callable[[dict[str, str]], Browser]) -> Iterator[Browser]:
    """With the fonts that this machine has."""
    browser = launch({})
    yield browser
    browser.close()


@pytest.fixture(scope="session", params=[None, *fonts.SETS], ids=lambda name: name or "this-machine's")
def lettered(
    request: pytest.FixtureRequest,
    launch: Callable[[dict[str, str]], Browser],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Browser]:
    """A browser for tests of layout: with this machine's fonts, and with one installed set alone at a time."""
    name: str | None = request.param
    browser = launch(fonts.SETS[name].environment(tmp_path_factory.mktemp(name)) if name is not None else {})
    yield browser
    browser.close()
