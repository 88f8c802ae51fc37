"""The rules' metadata and pages, read with `ast`: nothing of a rule is imported."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection
from contextlib import suppress
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.lint.findings import Level
from perflint.lint.options import DEFAULT_MIN_WASTE
from perflint.lint.rule_packages import RulebookError, RulePackage, packages

_URL = pattern(r"https://[^\s<>()\"'`\]]+[^\s<>()\"'`\].,;:]")


#: The objection that asks `--min-waste`, by the name that a rule waives it by.
SMALL_SHARE = "a small share"

_RULE = "\nRULE"  # as a text: a pattern takes longer than to read the files
_CODE = pattern(r"[A-Z]+[0-9]+")  # what selectors and comments can name


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
    docstring: str  #: Markdown: the page, with constants by their names
    subject: str = "failure"
    claim: str = "count"
    floor: float = 0.0
    waives: tuple[tuple[str, str], ...] = ()
    filename: str = ""  #: of the rule's file; "": its docstring names no constants

    @property
    def page(self) -> str:
        """Markdown: the docstring with the values of the constants that it names."""
        return written_out(self) if self.filename else self.docstring

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


# --- pages ----------------------------------------------------------------------------------------

#: `{FLOOR:%}` is the rule's floor, `{MIN_WASTE}` `--min-waste`'s default, `{measure.SCATTERED}`
#: a constant of another file of the rules or of the verdict engine, `{BAD.shared}` one of several.
_CONSTANT = pattern(r"\{(?:([a-z_]+)\.)?([A-Z][A-Z_]+)(?:\.([a-z]+))?(?::(%|,|bytes))?\}")
_PARAGRAPH = pattern(r"(?:^(?!##|- |```).+\n?)+", re.MULTILINE)
WIDTH = 100  #: of a page's lines
_NO_OPTIONS = "## Options\nNone.\n"
_OPTIONS = "## Options\n"
_MIN_WASTE = f"""\
`--min-waste PERCENT` (`min-waste` in the configuration), {DEFAULT_MIN_WASTE:g} by default: the
share of the kernel's work that must be wasted"""


def written_out(info: RuleInfo) -> str:
    """A rule's page. Raises RulebookError for a constant that is nowhere."""

    def value(found: re.Match[str]) -> str:
        module, name, key, how = found.groups()
        if name == "FLOOR" and not module:
            return _spelt(info.floor, how)
        if name == "MIN_WASTE" and not module:
            return f"{DEFAULT_MIN_WASTE:g} %"
        known = _constant(info, module, name)
        return _spelt(known[key] if key else known, how)

    def paragraph(found: re.Match[str]) -> str:
        text = _CONSTANT.sub(value, found[0])
        end = "\n" if text.endswith("\n") else ""
        return text if text == found[0] else textwrap.fill(" ".join(text.split()), WIDTH) + end

    page = _PARAGRAPH.sub(paragraph, info.docstring)
    return _with_min_waste(info, page) if _asks_for_a_share(info) else page


def _asks_for_a_share(info: RuleInfo) -> bool:
    """Whether `--min-waste` bears on what a rule finds."""
    work = info.subject == "kernel" and info.claim != "launch"
    return work and SMALL_SHARE not in dict(info.waives)


def _with_min_waste(info: RuleInfo, page: str) -> str:
    """The page with the paragraph on `--min-waste`, which is the same for all rules."""
    above = f", never less than {info.floor:.0%}".replace("%", " %") if info.floor else ""
    said = f"{_MIN_WASTE}{above}.\n"
    if _NO_OPTIONS in page:
        return page.replace(_NO_OPTIONS, _OPTIONS + said)
    return page.replace(_OPTIONS, f"{_OPTIONS}{said}\n")


def _constant(info: RuleInfo, module: str | None, name: str) -> Any:
    """A constant of a rule's file or of another file, as it stands there."""
    wanted = f"{module}.py" if module else info.filename
    files = [path for package in packages() for _, path in package.files()]
    for path in (*files, *Path(__file__).parent.glob(f"{module}.py")):
        if path.name != wanted:
            continue
        if (value := _assigned(path.read_text(encoding="utf-8"), name)) is not None:
            return value
    raise RulebookError(f"{info.filename}: its page names {name}, which is no constant there")


def _assigned(source: str, name: str) -> Any:
    """What a file assigns to a name, alone or beside others: `A, B = 1, 2`."""
    for line in re.findall(rf"^(?:\w+, )*{name}\b.*? = .*$", source, re.MULTILINE):
        node = ast.parse(line).body[0]
        assert isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        target = _targets(node)[0]
        if not isinstance(target, ast.Tuple):
            return _folded(node.value)
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        if name in names and isinstance(node.value, ast.Tuple):
            return _folded(node.value.elts[names.index(name)])
    return None


def _folded(node: ast.expr) -> Any:
    """A literal, or one literal shifted by another: `64 << 10`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift):
        return ast.literal_eval(node.left) << ast.literal_eval(node.right)
    return ast.literal_eval(node)


def _spelt(value: Any, how: str | None) -> str:
    if how == "%":
        return f"{100 * value:g} %"
    if how == "bytes":
        return f"{value >> 10} KB"
    return f"{value:,}" if how == "," else f"{value:g}"


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
    if _RULE not in f"\n{source}":
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
        own: dict[str, Any] = {"docstring": ast.get_docstring(tree) or "", "filename": filename}
        wanted = (each for each in fields(RuleInfo) if each.name not in own)
        known = {e.name: values[e.name] for e in wanted if e.name in values or e.default is MISSING}
        return RuleInfo(**known, **own)
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
    start = source.index("\nclass Rule:\n")
    (rule,) = ast.parse(source[start : source.index("\n\n\n", start)]).body
    assert isinstance(rule, ast.ClassDef)
    declared = [
        (node.target.id, node.value)
        for node in rule.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    return tuple(name for name, _ in declared), {
        name: ast.literal_eval(value) for name, value in declared if value is not None
    }
