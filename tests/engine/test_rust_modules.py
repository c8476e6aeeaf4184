"""No circle of modules in the engine grows beyond a few files, so that each can be read, and moved, by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from .rust_modules import arrows, circles, read

_CRATES = Path(__file__).parents[2] / "crates"
_MOST = 3
"""Files in a circle: two that belong together, or a state, its errors and its parts."""


@pytest.mark.parametrize("crate", sorted(path.name for path in _CRATES.iterdir()))
def test_circles_of_modules_are_small(crate: str) -> None:
    source = _CRATES / crate / "src"
    uses = arrows(read(source / "lib.rs"))
    for circle in circles(uses):
        ties = [
            f"{file.relative_to(source)} names {path} of {other.relative_to(source)}"
            for file in sorted(circle)
            for other, path in sorted(uses[file].items())
            if other in circle
        ]
        assert len(circle) <= _MOST, "\n".join([f"{len(circle)} files of {crate} need each other:", *ties])


@pytest.mark.parametrize("crate", sorted(path.name for path in _CRATES.iterdir()))
def test_every_file_is_read(crate: str) -> None:
    source = _CRATES / crate / "src"
    of_tests = {path for path in source.rglob("*.rs") if path.name == "tests.rs"}
    assert set(arrows(read(source / "lib.rs"))) == set(source.rglob("*.rs")) - of_tests


def _circles(folder: Path, **files: str) -> list[set[str]]:
    for name, text in files.items():
        file = folder / (name.replace("__", "/") + ".rs")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return [{file.stem for file in circle} for circle in circles(arrows(read(folder / "lib.rs")))]


def test_circle_is_found_however_it_is_written(tmp_path: Path) -> None:
    found = _circles(
        tmp_path,
        lib="mod a; mod b; mod c; mod d;",
        a="use crate::{b::{self as other, Unused}, std_like::X};\npub struct A;\nfn f() { other::g() }",
        b="pub struct Unused;\npub fn g() -> impl Fn() { super::c::h }",
        c="use super::*;\npub fn h() { d::made!() }",
        d="pub(in crate::d) use made;\nmacro_rules! made { () => { $crate::a::A } }",
    )
    assert found == [{"a", "b", "c", "d"}]


def test_re_export_leads_to_what_it_names(tmp_path: Path) -> None:
    files = {
        "lib": "mod a; mod b; mod face; pub use a::A; pub use face::B;",
        "face": "pub use crate::b::B;\npub struct Other;",
        "a": "use crate::B;\npub struct A(B);",
    }
    assert _circles(tmp_path, **files, b="use crate::face::Other;\npub struct B(Other);") == []
    assert _circles(tmp_path, **files, b="use crate::A;\npub struct B(A);") == [{"a", "b"}]


def test_re_export_counts_where_its_file_needs_it(tmp_path: Path) -> None:
    lib = "mod a; mod b;"
    b = "pub struct B(crate::a::A);"
    assert _circles(tmp_path, lib=lib, a="pub use crate::b::B;\npub struct A;", b=b) == []
    assert _circles(tmp_path, lib=lib, a="pub use crate::b::B;\npub struct A(B);", b=b) == [{"a", "b"}]


def test_tests_comments_and_strings_do_not_count(tmp_path: Path) -> None:
    found = _circles(
        tmp_path,
        lib="mod a; mod b;",
        a="pub struct A(crate::b::B);",
        b="""
            //! Of [`crate::a::A`].
            pub struct B;
            const TEXT: &'static str = "crate::a::A"; /* crate::a::A */
            #[cfg(test)]
            mod tests { use crate::a::A; }
            #[cfg(test)]
            use crate::a::A;
            """,
    )
    assert found == []


def test_folders_and_modules_within_a_file(tmp_path: Path) -> None:
    found = _circles(
        tmp_path,
        lib="mod a; mod b;",
        a__mod="mod inner;\npub mod shapes { use super::*; pub struct Round(inner::I); }",
        a__inner="pub struct I(super::super::b::B);",
        b="pub struct B(crate::a::shapes::Round);",
    )
    assert found == [{"mod", "inner", "b"}]
