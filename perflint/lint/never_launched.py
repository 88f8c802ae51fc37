"""Whether nothing launches a kernel though the program is in sight: it may never run at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from perflint.base.patterns import pattern
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.language.preprocessor import switched_off
from perflint.frontend.source.language.tokens import without_comments
from perflint.frontend.source.project.neighbours import HOST, companions, related

MAIN = pattern(r"\bmain\s*\(")
PROGRAM = HOST | {".cu", ".cuh"}
_ENDS = pattern(r"[;{}]")


def never_launched(
    kernel: SourceKernel, own: Collection[SourceFacts], others: Iterable[SourceFacts]
) -> bool:
    """Whether no file in sight mentions a kernel, and its program launches something.

    `own` are the file that is compiled and its headers, `others` further files, of which those of
    the same program count; those beside the kernel's may mention it too. A mention is any: its
    address may be taken, or its name given to a driver. Launches whose kernel cannot be read may be
    of any kernel. Where the files launch nothing, a launch in a comment tells who launched it once.
    """
    near = kernel.name_span.path
    files = {each.path: each for each in (*own, *others) if related(each.path, near)}.values()
    dropped = any(_is_launched_in(kernel.name, each.text) for each in files)
    if not dropped and not any(
        each.launches or each.left or MAIN.search(live_code(each.text)) for each in files
    ):
        return False  # the kernels of a library
    if any(each.unread for each in files):
        return False
    texts = [*(each.text for each in files), *companions(near, PROGRAM).values()]
    return not any(_is_mentioned(kernel.name, text) for text in texts)


@lru_cache(maxsize=256)
def live_code(text: str) -> str:
    """A text without its comments, and without what stands under `#if 0`."""
    code = without_comments(text)
    if not (dead := switched_off(text)):
        return code
    lines = code.split("\n")
    return "\n".join("" if at in dead else line for at, line in enumerate(lines, 1))


def _is_launched_in(name: str, text: str) -> bool:
    """Whether a launch of a kernel stands in a text, be it in a comment."""
    return re.search(rf"\b{re.escape(name)}\s*(?:<[^<>;{{}}]*>\s*)?<<<", text) is not None


def _is_mentioned(name: str, text: str) -> bool:
    """Whether a text names a kernel other than to declare it."""
    if name not in text:
        return False
    code = live_code(text)
    mentions = re.finditer(rf"\b{re.escape(name)}\b", code)
    return any("__global__" not in _statement(code, each.start()) for each in mentions)


def _statement(code: str, end: int) -> str:
    """What stands before a place, back to the end of the statement before it."""
    start = max(0, end - 1000)  # a declaration's head is short
    ends = [each.end() for each in _ENDS.finditer(code, start, end)]
    return code[ends[-1] if ends else start : end]
