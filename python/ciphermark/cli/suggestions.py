"""What a user who wrote an option that is not there may have meant. Imports nothing slow: ``sim`` uses it too."""

from collections.abc import Iterable


def option(written: str, known: Iterable[str]) -> str:
    """A hint: the option of ``known`` that ``written`` means or almost spells; empty if none is near."""
    # Slow to import, and needed only after a mistake.
    import difflib
    import tomllib
    from importlib import resources

    meant = tomllib.loads(resources.files(__package__).joinpath("suggestions.toml").read_text(encoding="utf-8"))
    options = [name for name in known if name.startswith("--")]
    word = written.lower().lstrip("-").replace("_", "-")
    singular = word.removesuffix("s") if len(word) > 1 else word
    for name in options:
        if {word, singular} & {*meant.get(name, ()), *(f"{each}s" for each in meant.get(name, ()))}:
            return f"Did you mean {name}?"
    close = difflib.get_close_matches(f"--{word}", options, n=1, cutoff=0.6)
    return f"Did you mean {close[0]}?" if close else ""
