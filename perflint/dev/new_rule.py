"""`perflint dev new-rule`: a rule that works, to be made into another, and its test source."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.user_error import UserError
from perflint.lint.rulebook import RuleInfo, rules

_CODE = pattern(r"CU[0-9]{3}")
_NAME = pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def new_rule(code: str, name: str, start: Path) -> tuple[Path, ...]:
    """Write the files of a new rule into the checkout around a folder; the paths of what is new.

    Raises UserError: nothing is written then.
    """
    if not _CODE.fullmatch(code):
        raise UserError(f"{code!r} is no code: CU and three digits, such as CU907")
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r} is no name: words of small letters with hyphens between")
    root = checkout(start)
    _is_free(code, name, rules())
    family = _family(code, root)
    written = {
        root / "rules" / family / f"{code.lower()}_{name.replace('-', '_')}.py": "rule.py.txt",
        root / "tests" / "rules" / code / "sleeps.cu": "fixture.cu.txt",
    }
    for path in written:
        if path.exists():
            raise UserError(f"{path} is there already; nothing was written")
    for path, skeleton in written.items():
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(_filled(skeleton, code, name))
    return tuple(written)


def checkout(start: Path) -> Path:
    """The checkout of perflint that a folder is in. Raises UserError where it is in none."""
    for folder in (start, *start.parents):
        if (folder / "rules" / "protocol.py").is_file() and (folder / "tests" / "rules").is_dir():
            return folder
    raise UserError(f"{start} is in no checkout of perflint; a rule is written in a clone of it")


def _is_free(code: str, name: str, book: Mapping[str, RuleInfo]) -> None:
    if code in book:
        raise UserError(f"{code} is {book[code].name}; codes are never used again")
    taken = next((info.code for info in book.values() if info.name == name), None)
    if taken:
        raise UserError(f"{taken} is called {name!r} already")


def _family(code: str, root: Path) -> str:
    """The folder of the rules whose codes begin alike. Raises UserError where there is none."""
    beginning = code[:3].lower()
    for path in sorted((root / "rules").glob("*/cu*.py")):
        if path.name.startswith(beginning):
            return path.parent.name
    known = sorted({path.name[:3].upper() for path in (root / "rules").glob("*/cu*.py")})
    raise UserError(f"no family of rules has codes {code[:3]}xx; there are {', '.join(known)}")


def _filled(skeleton: str, code: str, name: str) -> str:
    text = (files("perflint.dev") / "skeleton" / skeleton).read_text(encoding="utf-8")
    return text.replace("CU000", code).replace("its-name", name)
