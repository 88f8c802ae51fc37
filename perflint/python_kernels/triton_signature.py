"""The types of a Triton kernel's arguments, as the command line gives them."""

from __future__ import annotations

import ast
import re
from typing import Any

from triton.compiler import ASTSource

DIVISOR = 16  #: what Triton's launcher looks for in addresses and sizes
_HINTED = re.compile(r"(\*?[a-z]\w*)(?::(\d+))?")


def source_of(kernel: Any, written: str) -> tuple[ASTSource, dict[str, Any]]:
    """A source of the types on the command line: `*fp32,i32,constexpr:1024;num_warps=8`.

    An address or a size is taken to be a multiple of 16, as Triton's launcher mostly finds them;
    `i32:0` says nothing of it, `i32:1` that it is 1. Raises ValueError.
    """
    types, _, options = written.partition(";")
    words = [word.strip() for word in types.split(",")]
    if len(words) != len(kernel.arg_names):
        names = ", ".join(kernel.arg_names)
        raise ValueError(
            f"--signature gives {len(words)} types, and there are {len(kernel.arg_names)} "
            f"arguments: {names}"
        )
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    attributes: dict[tuple[int], Any] = {}
    for i, (name, word) in enumerate(zip(kernel.arg_names, words, strict=True)):
        hinted = _HINTED.fullmatch(word)
        constant = word.startswith("constexpr:") or hinted is None or word in ("None", "True")
        if constant or (hinted and hinted[2] == "1"):
            text = word.removeprefix("constexpr:") if constant else "1"
            signature[name], constants[name] = "constexpr", ast.literal_eval(text)
            continue
        assert hinted is not None
        signature[name] = hinted[1]
        divisible = int(hinted[2] or DIVISOR) if hinted[2] != "0" else 0
        if divisible and hinted[1][0] in "*iu":
            attributes[(i,)] = [["tt.divisibility", divisible]]
    pairs = (pair.split("=", 1) for pair in options.split(";") if "=" in pair)
    chosen = {key.strip(): ast.literal_eval(value) for key, value in pairs}
    return ASTSource(kernel, signature, constants, attributes), chosen
