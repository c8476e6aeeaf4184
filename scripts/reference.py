"""Write docs/reference/ from the code: commands, columns, extensions, implementations, vectors, study files.

    python scripts/reference.py           writes the pages
    python scripts/reference.py --check   exits with 1 and names the pages that are stale

What a page says is said in the code it is made from; correct it there.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jinja2

from reference_pages import commands, facts, house, study_file
from reference_pages.markdown import cell

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

_NOTICE = "<!-- Made by scripts/reference.py from the code; correct it there. -->"

_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name("reference_pages")),
    autoescape=False,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["cell"] = cell


def _filled(name: str, facts_of: Callable[[], dict[str, Any]]) -> str:
    return _TEMPLATES.get_template(f"{name}.jinja").render(facts_of())


_PAGES: dict[str, Callable[[], str]] = {
    "cli.md": commands.page,
    "study-file.md": study_file.page,
    "house.md": house.page,
    **{
        name: partial(_filled, name, facts_of)
        for name, facts_of in (
            ("rows.md", facts.rows),
            ("extensions.md", facts.extensions),
            ("implementations.md", facts.implementations),
            ("vectors.md", facts.known_answers),
            ("exit-codes.md", facts.exit_codes),
        )
    },
}


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


def pages() -> dict[str, str]:
    return {name: f"{_NOTICE}\n\n{page().strip()}\n" for name, page in _PAGES.items()}


if __name__ == "__main__":
    sys.exit(main())
