"""What every kernel's source sees without including anything: the pre-included header's names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from perflint.frontend.csubset.items import Item, split_items
from perflint.frontend.csubset.stream import read_stream
from perflint.frontend.source.preprocessor import directives


@lru_cache(maxsize=1)
def _text() -> str:
    return files("perflint.frontend").joinpath("headers", "pre.h").read_text("utf-8")


@lru_cache(maxsize=1)
def prelude_macros() -> Mapping[str, str]:
    """Constants of <limits.h>, <float.h>, <math.h> and <stdint.h>, as the compiler is given them.

    The macros of the header that the NVRTC front end puts before every source; those with
    parameters are left out.
    """
    found: dict[str, str] = {}
    for _, _, word, rest in directives(_text()):
        name, _, body = rest.strip().partition(" ")
        if word == "define" and name.isidentifier() and body.strip():
            found[name] = body.strip()
    return found


@lru_cache(maxsize=1)
def prelude_types() -> tuple[Item, ...]:
    """The header's plain typedefs: `u_int32_t` and the like."""
    tokens = read_stream(Path("pre.h"), _text(), lambda *_: None, {}, "sm_80")
    return tuple(
        item
        for item in split_items(tokens)
        if item.kind == "type" and not item.template and item.tokens[0].text == "typedef"
    )
