"""Which file of a Rust crate uses which other one, read from the source: paths, imports and re-exports.

A re-export is followed to the file of what it names; it ties neither the file it stands in nor those who use it to the
rest of that file. Tests do not count. Methods are not seen: a call names no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^'\\])'|'\w+
    |\$?[A-Za-z_]\w*|\d\w*|::|.""",
    re.DOTALL | re.VERBOSE,
)
_NAME = re.compile(r"\$?[A-Za-z_]\w*\Z")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_DEFINES = frozenset({"fn", "struct", "enum", "union", "trait", "const", "static", "type", "macro_rules"})

Name: TypeAlias = tuple[str, ...]
"""A module's path from the crate's root, which is ``()``."""


@dataclass
class Module:
    """A module: what it defines, imports and names."""

    name: Name
    file: Path
    items: set[str] = field(default_factory=set)
    imports: dict[str, Name] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    globs: list[Name] = field(default_factory=list)
    paths: set[Name] = field(default_factory=set)


def tokens(text: str) -> list[str]:
    """What is code, without what is compiled for tests only."""
    found = [match.group() for match in _TOKEN.finditer(text) if match.group("skip") is None]
    code: list[str] = []
    at = 0
    while at < len(found):
        if found[at : at + 2] == ["#", "["] and _is_of_tests(found[at + 2 : _after(found, at + 1)]):
            at = _after_item(found, _after(found, at + 1))
        else:
            code.append(found[at])
            at += 1
    return code


def _is_of_tests(attribute: list[str]) -> bool:
    return attribute[:2] == ["cfg", "("] and "test" in attribute and "not" not in attribute


def _after(code: list[str], at: int) -> int:
    """What follows the bracket that opens at `at`."""
    closing = [_CLOSING[code[at]]]
    while closing:
        at += 1
        if code[at] in _CLOSING:
            closing.append(_CLOSING[code[at]])
        elif code[at] == closing[-1]:
            closing.pop()
    return at + 1


def _after_item(code: list[str], at: int) -> int:
    while code[at] not in (";", "{"):
        at = _after(code, at) if code[at] in _CLOSING else at + 1
    return at + 1 if code[at] == ";" else _after(code, at)


def read(root: Path) -> dict[Name, Module]:
    """Modules of the crate whose root file is `root`."""
    modules: dict[Name, Module] = {}
    _read_file(root, (), modules)
    return modules


def _read_file(file: Path, name: Name, modules: dict[Name, Module]) -> None:
    modules[name] = Module(name, file)
    _scan(tokens(file.read_text()), modules[name], modules)


def _scan(code: list[str], module: Module, modules: dict[Name, Module]) -> None:
    at = 0
    public = False
    while at < len(code):
        token = code[at]
        if token == "pub":
            public = True
            at = _after(code, at + 1) if code[at + 1] == "(" else at + 1
        elif token == "mod" and _NAME.match(code[at + 1]):
            at = _submodule(code, at, module, modules)
        elif token == "use":
            end = code.index(";", at)
            for path, alias in _leaves(code[at + 1 : end], ()):
                _import(module, path, alias, public)
            at, public = end + 1, False
        elif token in _DEFINES:
            at += 2 if code[at + 1] == "!" else 1
            if _NAME.match(code[at]) and code[at] not in _DEFINES:
                module.items.add(code[at])
                at += 1
            public = False
        elif _NAME.match(token):
            start = at
            while code[at + 1 : at + 2] == ["::"] and _NAME.match(code[at + 2]):
                at += 2
            if code[start - 1 : start] != ["::"]:
                module.paths.add(tuple(code[start : at + 1 : 2]))
            at += 1
        else:
            at += 1


def _submodule(code: list[str], at: int, module: Module, modules: dict[Name, Module]) -> int:
    name = (*module.name, code[at + 1])
    if code[at + 2] == "{":
        end = _after(code, at + 2)
        modules[name] = Module(name, module.file)
        _scan(code[at + 3 : end - 1], modules[name], modules)
        return end
    beside = module.file.parent
    folder = beside if module.file.stem in ("lib", "mod") else beside / module.file.stem
    for file in (folder / f"{code[at + 1]}.rs", folder / code[at + 1] / "mod.rs"):
        if file.exists():
            _read_file(file, name, modules)
    return at + 3


def _leaves(tree: list[str], before: Name) -> Iterator[tuple[Name, str]]:
    """Paths of a `use`, each with the name it gets here."""
    path = before
    at = 0
    while at < len(tree):
        if tree[at] == "{":
            depth, start = 0, at + 1
            for here in range(start, len(tree)):
                depth += (tree[here] == "{") - (tree[here] == "}")
                if (tree[here] == "," and depth == 0) or depth < 0:
                    yield from _leaves(tree[start:here], path)
                    start = here + 1
            return
        if tree[at] == "as":
            yield path, tree[at + 1]
            return
        if tree[at] != "::":
            path = (*path, tree[at])
        at += 1
    if path != before:
        if path[-1] == "self" and len(path) > 1:
            path = path[:-1]
        yield path, path[-1]


def _import(module: Module, path: Name, alias: str, public: bool) -> None:
    if path[-1] == "*":
        module.globs.append(path[:-1])
        return
    module.imports[alias] = path
    if public:
        module.exported.add(alias)


def resolve(modules: dict[Name, Module], start: Name, path: Name) -> Module | None:
    """The module that defines what `path` names in module `start`; none if that is a module, or another crate's."""
    found = _lookup(modules, start, path, frozenset())
    return found[0] if found is not None and found[1] else None


def _lookup(
    modules: dict[Name, Module], start: Name, path: Name, seen: frozenset[object]
) -> tuple[Module, bool] | None:
    """A module, and whether the path ends at an item of it rather than at itself."""
    if (start, path) in seen:
        return None
    seen = seen | {(start, path)}
    here, first = modules[start], True
    for at, segment in enumerate(path):
        if segment in ("crate", "$crate"):
            here = modules[()]
        elif segment == "super":
            here = modules[here.name[:-1]]
        elif segment == "self":
            pass
        elif (*here.name, segment) in modules:
            here = modules[*here.name, segment]
        elif segment in here.items:
            return here, True
        elif segment in here.imports and (first or segment in here.exported or start[: len(here.name)] == here.name):
            target = _lookup(modules, here.name, here.imports[segment], seen)
            if target is None or target[1]:
                return target
            here = target[0]
        else:
            for glob in here.globs:
                source = _lookup(modules, here.name, glob, seen)
                target = _lookup(modules, source[0].name, path[at:], seen) if source and not source[1] else None
                if target is not None:
                    return target
            # Of another crate, or made by a macro here.
            return None if first else (here, True)
        first = False
    return here, False


def arrows(modules: dict[Name, Module]) -> dict[Path, dict[Path, str]]:
    """For each file the files it uses, each with one path that says so."""
    found: dict[Path, dict[Path, str]] = {module.file: {} for module in modules.values()}
    for module in modules.values():
        named = {path[0] for path in module.paths}
        own = {alias: path for alias, path in module.imports.items() if alias not in module.exported or alias in named}
        for path in module.paths | set(own.values()):
            target = resolve(modules, module.name, path)
            if target is not None and target.file != module.file:
                found[module.file].setdefault(target.file, "::".join(path))
    return found


def circles(uses: dict[Path, dict[Path, str]]) -> list[set[Path]]:
    """Sets of more than one file, each of which leads to all others of its set."""
    reached = {file: _reached(uses, file) for file in uses}
    mutual = {file: frozenset(other for other in reached[file] if file in reached[other]) for file in uses}
    return sorted((set(files) for files in set(mutual.values()) if len(files) > 1), key=len, reverse=True)


def _reached(uses: dict[Path, dict[Path, str]], start: Path) -> set[Path]:
    found: set[Path] = set()
    todo = [start]
    while todo:
        for file in uses[todo.pop()]:
            if file not in found:
                found.add(file)
                todo.append(file)
    return found
