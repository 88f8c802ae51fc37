"""Which of our modules imports which, read from the sources: nothing is imported to find out."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: by import name, where each top folder lies
FOLDERS: dict[str, str] = _PROJECT["tool"]["setuptools"]["package-dir"]

Imports = Mapping[str, Mapping[str, int]]


def modules() -> dict[str, Path]:
    """Every module of ours by its import name."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join((package, *parts)).removesuffix(".__init__")] = path
    return found


def imports() -> Imports:
    """By module, the modules of ours that it imports, with the line of the first such import."""
    known = modules()
    found: dict[str, dict[str, int]] = {}
    for name, path in known.items():
        lines = found[name] = {}
        for imported, line in imported_by(path.read_text(encoding="utf-8"), frozenset(known)):
            if imported != name:
                lines.setdefault(imported, line)
    return found


def imported_by(source: str, known: frozenset[str]) -> Iterator[tuple[str, int]]:
    """The modules that a source imports wherever it does, each with its line.

    Inside functions too, for type checkers only, and by `import_module` with a literal.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: imports here are absolute"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in known:
                    yield full, node.lineno
                elif node.module in known:
                    yield str(node.module), node.lineno
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and argument.value in known:
                    yield str(argument.value), node.lineno


def circles(graph: Imports) -> list[frozenset[str]]:
    """The sets of modules each of which leads to every other (Tarjan's components of two or more).

    Without recursion: chains of imports are long.
    """
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []
    found: list[frozenset[str]] = []
    for start in graph:
        if start in number:
            continue
        number[start] = low[start] = len(number)
        waiting.append(start)
        path = [(start, iter(graph[start]))]
        while path:
            name, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == number[name]:
                    at = waiting.index(name)
                    if len(waiting) > at + 1:
                        found.append(frozenset(waiting[at:]))
                    for done in waiting[at:]:
                        low[done] = len(graph)  # never the lowest again
                    del waiting[at:]
            elif following not in number:
                number[following] = low[following] = len(number)
                waiting.append(following)
                path.append((following, iter(graph[following])))
            elif following in waiting:
                low[name] = min(low[name], number[following])
    return found
