"""``ciphermark cache``."""

from typing import Annotated

import typer

from ciphermark.cli import command, messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.notation import numbers
from ciphermark.store import cache_space, paths

app = command.application(help="Show or clean the cache of builds, results and Linux kernels.")


def directory() -> None:
    """Print the cache folder.

    The environment variable CIPHERMARK_CACHE names another folder.

    Example:

      ciphermark cache dir
    """
    with messages.exit_codes():
        print(paths.cache())


def size(json_lines: JsonFlag = False) -> None:
    """Show how much space each kind of entry takes.

    The environment variable CIPHERMARK_CACHE_LIMIT bounds the cache (default: 5G; `none` removes the bound). The least
    recently used entries are removed first, at most once per hour, when `run`, `measure` or `merge` starts.

    Example:

      ciphermark cache size
    """
    with messages.exit_codes():
        bound = cache_space.limit()
        found = cache_space.items()
        by_kind: dict[str, list[cache_space.Item]] = {}
        for item in found:
            by_kind.setdefault(item.kind, []).append(item)
        records = [
            {"kind": kind, "entries": len(of_kind), "bytes": cache_space.size(of_kind)}
            for kind, of_kind in sorted(by_kind.items())
        ]
        records.append({"kind": "total", "entries": len(found), "bytes": cache_space.size(found)})
        if json_lines:
            output.print_records([*records, {"kind": "limit", "entries": None, "bytes": bound}], output.Format.JSON)
            return
        shown = [{**record, "bytes": numbers.in_bytes(int(str(record["bytes"])))} for record in records]
        output.print_records(
            [{"kind": each["kind"], "entries": each["entries"], "size": each["bytes"]} for each in shown],
            output.Format.TABLE,
        )
        messages.note(f"{cache_space.bound_in_words()} ({cache_space.LIMIT_VARIABLE})")


def clean(
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than",
            metavar="AGE",
            help="Remove only entries not used for this long: 12h, 30d or 4w (default: remove everything).",
        ),
    ] = None,
) -> None:
    """Remove cached entries.

    They are made again when needed, or downloaded again with `run --fetch`. Entries that a running process may use are
    kept, and so are packages that you have put into vm/packages.

    Example:

      ciphermark cache clean --older-than 30d
    """
    with messages.exit_codes():
        cleaned = cache_space.clean(cache_space.parse_age(older_than) if older_than is not None else 0.0)
        entries = "entry" if cleaned.removed == 1 else "entries"
        said = f"removed {cleaned.removed:,} {entries}, {numbers.in_bytes(cleaned.size)}"
        kept = f"; kept {cleaned.in_use:,} that a running process may use" if cleaned.in_use else ""
        messages.note(said + kept)


command.add(app, directory, "dir")
command.add(app, size)
command.add(app, clean)
