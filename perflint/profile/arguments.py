"""A launch with its arguments: `k<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)`.

A value is a number, an array `FILL:TYPE[SHAPE]`, a file `x.npy`, or `null`. Fills are `random`
(floats in [0, 1), integers in [0, 1024), the same on every run), `zeros`, `ones`, `iota` (0, 1, 2
and so on), any number, and the generators of `perflint stress`: `32*i mod 1024`, `random(3, 64)`,
`rows(4096, at(0, 1, 0))` (`perflint.stress.generators`).
"""

from __future__ import annotations

import re
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perflint.base.launch_option import Dim3, LaunchSpecError
from perflint.base.launch_option import parse as parse_launch
from perflint.base.patterns import pattern
from perflint.base.records import dataclass

if TYPE_CHECKING:
    import numpy as np

#: Most bytes that one array may have.
LARGEST = 1 << 31
#: Random integers are below this, so that they can serve as indices.
_RANDOM_LIMIT = 1024

_NUMPY = {
    "f16": "f2", "half": "f2", "f32": "f4", "float": "f4", "f64": "f8", "double": "f8",
    "s8": "i1", "i8": "i1", "char": "i1", "s16": "i2", "i16": "i2", "short": "i2",
    "s32": "i4", "i32": "i4", "int": "i4", "s64": "i8", "i64": "i8", "long": "i8",
    "u8": "u1", "uchar": "u1", "bool": "u1", "u16": "u2", "ushort": "u2",
    "u32": "u4", "uint": "u4", "u64": "u8", "ulong": "u8",
}  # fmt: skip
_FILLS = ("random", "zeros", "ones", "iota")

_WHOLE = pattern(
    r"\s*(?P<kernel>[^=]*?)\s*=?\s*<<<(?P<shape>[^<>]*)>>>\s*(?:\((?P<arguments>.*)\))?\s*",
    re.DOTALL,
)
_NUMBER = pattern(r"[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_ARRAY = pattern(r"(?P<fill>[^:\[\]]+):(?P<type>\w+)\s*\[(?P<shape>[^\]]*)\]")
_NAME = pattern(r"[A-Za-z_$][\w$]*")


class ArgumentSpecError(ValueError):
    """A launch that cannot be read; the message says what is wrong and what was expected."""


@dataclass(frozen=True)
class ArraySpec:
    """`random:f32[64,64]`."""

    fill: str | int | float  #: a fill's name, a number, or a generator's text
    type: str
    shape: tuple[int, ...]


Value = ArraySpec | Path | int | float | None


@dataclass(frozen=True)
class ProfileLaunch:
    """A launch as the user gave it."""

    text: str  #: as given, without a kernel's name
    grid: Dim3
    block: Dim3
    shared: int  #: dynamic shared memory, bytes
    arguments: tuple[tuple[str, Value], ...]
    kernel: str | None = None  #: where it stands before the launch, `reduce<<<…>>>`


def parse(text: str) -> ProfileLaunch:
    """Read `[kernel]<<<grid, block[, shared bytes]>>>[(name=value, …)]`, as `check` does.

    Raises ArgumentSpecError.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise ArgumentSpecError(
            f"{text!r} is no launch; write it as "
            "'<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)'"
        )
    try:
        shape = parse_launch(f"{match['kernel'] or 'kernel'}<<<{match['shape']}>>>")
    except LaunchSpecError as error:
        raise ArgumentSpecError(str(error)) from error
    found: dict[str, Value] = {}
    for piece in _pieces(match["arguments"] or ""):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not _NAME.fullmatch(name):
            raise ArgumentSpecError(f"expected name=value, found {piece.strip()!r}")
        if name in found:
            raise ArgumentSpecError(f"argument {name!r} is given twice")
        found[name] = _value(name, value.removesuffix(" assumed"))  # as findings print it
    shown = text.strip()[text.strip().index("<<<") :]
    return ProfileLaunch(
        shown, shape.grid, shape.block, shape.shared, tuple(found.items()), match["kernel"] or None
    )


def _pieces(text: str) -> list[str]:
    """The text cut at the commas outside brackets and quotes."""
    out = [""]
    depth, quote = 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "[(":
            depth += 1
        elif c in "])":
            depth -= 1
        if c == "," and not depth and not quote:
            out.append("")
        else:
            out[-1] += c
    return out if text.strip() else []


def _value(name: str, text: str) -> Value:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return Path(text[1:-1])
    if text.endswith(".npy"):
        return Path(text)
    if _NUMBER.fullmatch(text):
        return _number(text)
    if text in ("null", "nullptr", "NULL"):
        return None
    if text in ("true", "false"):
        return int(text == "true")
    match = _ARRAY.fullmatch(text)
    if match is None:
        raise ArgumentSpecError(
            f"argument {name!r}: {text!r} is no number, no FILL:TYPE[SHAPE] such as "
            "random:f32[64,64], no .npy file and not null"
        )
    return _array(name, match)


def _array(name: str, match: re.Match[str]) -> ArraySpec:
    fill = match["fill"].strip()
    if fill not in _FILLS and not _NUMBER.fullmatch(fill):
        _check_generator(name, fill)
    element, lanes = _element(match["type"])
    if element not in _NUMPY:
        raise ArgumentSpecError(
            f"argument {name!r}: there is no type {match['type']!r}; choose from "
            f"{', '.join(_NUMPY)}, or CUDA's vectors of them (float4)"
        )
    extents = [part.strip() for part in match["shape"].replace("x", ",").split(",")]
    if not all(re.fullmatch(r"[0-9]{1,15}", e) and int(e) > 0 for e in extents):
        raise ArgumentSpecError(
            f"argument {name!r}: the shape {match['shape']!r} must be numbers from 1, as in "
            "f32[64,64]"
        )
    shape = tuple(map(int, extents)) + ((lanes,) if lanes > 1 else ())
    if prod(shape) * int(_NUMPY[element][1]) > LARGEST:
        raise ArgumentSpecError(f"argument {name!r} is larger than {LARGEST >> 30} GiB")
    return ArraySpec(_number(fill) if _NUMBER.fullmatch(fill) else fill, element, shape)


def _check_generator(name: str, fill: str) -> None:
    from perflint.stress.generator_text import parse
    from perflint.stress.generators import GeneratorError

    try:
        parse(fill)
    except GeneratorError as error:
        raise ArgumentSpecError(
            f"argument {name!r}: there is no fill {fill!r}; choose from {', '.join(_FILLS)}, "
            f"a number, or a generator such as 32*i ({error})"
        ) from error


def _element(name: str) -> tuple[str, int]:
    """`float4` is 4 of `float`; `f32` is one of itself."""
    match = re.fullmatch(r"(u?(?:char|short|int|long)|float|double|half)([1234])", name)
    return (match[1], int(match[2])) if match else (name, 1)


def _number(text: str) -> int | float:
    try:
        return int(text, 0) if "x" in text.lower() else int(text)
    except ValueError:
        return float(text)


def made(name: str, value: Value, seed: int) -> Any:
    """The argument itself: a NumPy array, a number or None.

    `seed` tells the arrays of a launch apart. Raises ArgumentSpecError for files that are none.
    """
    if isinstance(value, Path):
        return _loaded(name, value)
    if isinstance(value, ArraySpec):
        return _filled(name, value, seed)
    return value


def _filled(name: str, spec: ArraySpec, seed: int) -> np.ndarray:
    import numpy as np

    dtype = np.dtype(_NUMPY[spec.type])
    if spec.fill == "random":
        random = np.random.default_rng(seed)
        if dtype.kind == "f":
            return random.random(spec.shape).astype(dtype)
        top = min(_RANDOM_LIMIT, int(np.iinfo(dtype).max) + 1)
        return random.integers(0, 2 if spec.type == "bool" else top, spec.shape).astype(dtype)
    if spec.fill == "iota":
        return np.arange(prod(spec.shape)).astype(dtype).reshape(spec.shape)
    if isinstance(spec.fill, str) and spec.fill not in _FILLS:
        return _generated(name, spec.fill, dtype, spec.shape)
    number = {"zeros": 0, "ones": 1}.get(str(spec.fill), spec.fill)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not float(number).is_integer() or not limits.min <= float(number) <= limits.max:
            raise ArgumentSpecError(f"argument {name!r}: {number} is no {spec.type}")
        number = int(number)
    return np.full(spec.shape, number, dtype)


def _generated(name: str, text: str, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    from perflint.stress.generator_text import parse
    from perflint.stress.generators import GeneratorError, array

    try:
        return array(parse(text), dtype, prod(shape)).reshape(shape)
    except GeneratorError as error:
        raise ArgumentSpecError(f"argument {name!r}: {error}") from error


def _loaded(name: str, path: Path) -> np.ndarray:
    from tokenize import TokenError

    import numpy as np

    try:
        found = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise ArgumentSpecError(f"argument {name!r}: there is no file {path}") from None
    except (OSError, ValueError, EOFError, SyntaxError, TokenError) as error:
        raise ArgumentSpecError(f"argument {name!r}: {path} is no .npy file: {error}") from error
    if not isinstance(found, np.ndarray):
        raise ArgumentSpecError(f"argument {name!r}: {path} holds several arrays; give a .npy file")
    return found
