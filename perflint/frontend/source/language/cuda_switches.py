"""Macros with which a project's build turns CUDA on: in what is CUDA, they are defined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from perflint.base.patterns import pattern

_TESTED = pattern(
    r"^[ \t]*#[ \t]*(?:if|ifdef|elif)\b[^\n]*?\b"
    r"((?:\w+_)?(?:USE|WITH|HAVE|HAS|ENABLE|USING)_?(?:CUDA|GPU)|GPU|CUDA)\b",
    re.MULTILINE,
)
#: A switch by what stands under it: `#if defined(NAME_CUDA)` and, before anything else is asked,
#: one of CUDA's headers or of the project's for CUDA.
_LEADING_IN = pattern(
    r"^[ \t]*#[ \t]*(?:ifdef|(?:el)?if[ \t]+defined)\b[ \t(]*"
    r"(?!(?:\w+_)?(?:NO|NOT|WITHOUT|DISABLE)_)([A-Z]\w*_CUDA)[ \t)]*(?://[^\n]*|/\*[^\n]*)?\r?\n"
    r"(?:(?![ \t]*#[ \t]*(?:if|el|endif))[^\n]*\n)*?"
    r"[ \t]*#[ \t]*include[ \t]*[<\"][^\n<>\"]*(?:cuda|cublas)",
    re.MULTILINE,
)
_DEFINED = pattern(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(\w+)", re.MULTILINE)


def cuda_switches(texts: Iterable[str]) -> frozenset[str]:
    """The switches that texts ask for, and of which none says itself whether it is on."""
    tested: set[str] = set()
    defined: set[str] = set()
    for text in texts:
        if "CUDA" in text or "GPU" in text:
            asks, says = _of(text)
            tested |= asks
            defined |= says
    return frozenset(tested - defined)


@lru_cache(maxsize=1024)
def _of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a text tests and what it defines: facts and each compilation ask it of all headers."""
    tested = {*_TESTED.findall(text), *_LEADING_IN.findall(text)}
    return frozenset(tested), frozenset(_DEFINED.findall(text))
