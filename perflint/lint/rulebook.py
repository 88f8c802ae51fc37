"""The rules' metadata and pages, read with `ast`: nothing of a rule is imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from perflint.lint.findings import Level
from perflint.lint.rule_packages import RulebookError, RulePackage, packages

_URL = re.compile(r"https://[^\s<>()\"'`\]]+[^\s<>()\"'`\].,;:]")


_RULE = re.compile(r"^RULE\b", re.MULTILINE)
_CODE = re.compile(r"[A-Z]+[0-9]+")  # what selectors and comments can name


@dataclass(frozen=True)
class RuleInfo:
    """One rule as users know it: `perflint.rules.protocol.Rule` and the file's docstring."""

    code: str
    name: str
    summary: str
    since: str
    level: Level
    status: str
    tags: tuple[str, ...]
    precision: str
    page: str  #: Markdown, the rule file's docstring

    @property
    def url(self) -> str | None:
        """The first reference of the page that is on the web."""
        found = _URL.search(self.page)
        return found[0] if found else None


def rules() -> dict[str, RuleInfo]:
    """Every rule by code, in the order of codes. Raises RulebookError."""
    return {code: info for code, (info, _) in _book().items()}


def modules(codes: Collection[str]) -> dict[str, tuple[str, RulePackage]]:
    """By code, the modules that hold some rules, and whose they are."""
    return {code: where for code, (_, where) in _book().items() if code in codes}


@cache
def _book() -> dict[str, tuple[RuleInfo, tuple[str, RulePackage]]]:
    own, *others = packages()
    names, defaults = _rule_fields((own.path / "protocol.py").read_text(encoding="utf-8"))
    book: dict[str, tuple[RuleInfo, tuple[str, RulePackage]]] = {}
    for package in (own, *others):
        found = 0
        for module, path in package.files():
            info = _read_file(path, package, names, defaults)
            if info is None:
                continue
            found += 1
            if info.code in book:
                raise RulebookError(
                    f"{package.whose}{path.name} has the code {info.code}, which "
                    f"{book[info.code][1][0]} has already; give it another"
                )
            book[info.code] = info, (module, package)
        if not found:
            raise RulebookError(f"{package.whose}{package.path} holds no rule (`RULE = Rule(…)`)")
    return dict(sorted(book.items()))


def _read_file(
    path: Path, package: RulePackage, names: tuple[str, ...], defaults: dict[str, Any]
) -> RuleInfo | None:
    try:
        source = path.read_text(encoding="utf-8")
        info = read(source, path.name, names, defaults)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise RulebookError(f"{package.whose}{path}: {error}") from error
    except RulebookError as error:
        raise RulebookError(f"{package.whose}{error.message}") from error
    if info is not None and not _CODE.fullmatch(info.code):
        raise RulebookError(
            f"{package.whose}{path.name}: the code {info.code!r} must be capitals and digits, "
            "such as ACME101"
        )
    return info


def read(
    source: str, filename: str, names: tuple[str, ...], defaults: dict[str, Any]
) -> RuleInfo | None:
    """The rule that a file holds; None if it holds no `RULE = Rule(…)`.

    names, defaults: the fields of `Rule` in order, and the values of those that have one.
    """
    if not _RULE.search(source):
        return None
    tree = _beginning(source, filename)
    call = next(
        (
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and isinstance(node.value, ast.Call)
            and any(isinstance(t, ast.Name) and t.id == "RULE" for t in _targets(node))
        ),
        None,
    )
    if call is None:
        return None
    try:
        given = dict(zip(names, map(ast.literal_eval, call.args), strict=False))
        given |= {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        values = defaults | given
        wanted = [field.name for field in fields(RuleInfo) if field.name != "page"]
        page = ast.get_docstring(tree) or ""
        return RuleInfo(**{name: values[name] for name in wanted}, page=page)
    except (ValueError, KeyError) as error:
        raise RulebookError(f"{filename}: RULE must hold literals only: {error}") from error


def _beginning(source: str, filename: str) -> ast.Module:
    """The statements of a rule file up to its metadata; all of them where these stand elsewhere.

    Every command reads every rule file: what follows is most of it, and takes most of the time.
    """
    start = source.find("\nRULE = Rule(\n")
    end = source.find("\n)\n", start)
    if start >= 0 and end >= 0:
        with suppress(SyntaxError):  # the closing bracket is that of something inside
            return ast.parse(source[: end + 2], filename)
    return ast.parse(source, filename)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _rule_fields(source: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Field names of `class Rule` in order, and their defaults."""
    body = next(
        node.body
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name == "Rule"
    )
    declared = [
        (node.target.id, node.value)
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    return tuple(name for name, _ in declared), {
        name: ast.literal_eval(value) for name, value in declared if value is not None
    }
