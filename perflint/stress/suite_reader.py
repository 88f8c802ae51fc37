"""Cases read back from a suite, which may be damaged: every error names the file and the field."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.frontend.source.project.user_files import UnreadableError, read_bytes
from perflint.grammar.model import TYPE_SIZE
from perflint.sim.architecture import UnknownArchitectureError
from perflint.sim.architecture import load as architecture
from perflint.sim.launch import (
    Aggregate,
    Argument,
    Buffer,
    Dim3,
    Launch,
    Scalar,
    SymbolBytes,
    Texture,
)
from perflint.stress.objectives import MEASURES, Figure, Place
from perflint.stress.suite import CASE, SCHEDULE, SCHEMA
from perflint.stress.target import MEMORY, StressError
from perflint.stress.trial import Key

_LARGEST = 16 << 20  #: bytes of a case.json
_MOST_CASES = 10_000
_DEEPEST = 4  #: arguments inside arguments


@dataclass(frozen=True, eq=False)
class Expected:
    """A figure of a case, and what its place is."""

    key: Key
    figure: Figure
    identity: str


@dataclass(frozen=True, eq=False)
class Order:
    """An order of warps, and what it was found beside."""

    warps: tuple[int, ...]  #: turn by turn
    given: Mapping[str, np.ndarray]  #: the arrays that were searched, as they were at first


@dataclass(frozen=True, eq=False)
class Stored:
    """A case as it is kept."""

    name: str
    file: Path  #: the kernel's
    define: tuple[str, ...]
    include: tuple[Path, ...]
    arch: str
    entry: str
    launch: Launch
    arrays: Mapping[str, np.ndarray]
    expected: tuple[Expected, ...]
    blocks: int  #: that were simulated
    order: Order | None = None  #: of warps; None for the simulator's


def folders(suite: Path) -> list[Path]:
    """The folders of a suite's cases. Raises StressError."""
    if not suite.is_dir():
        raise StressError(f"{suite}: there is no such folder")
    found = sorted(
        (each for each in suite.iterdir() if each.is_dir()), key=lambda p: (len(p.name), p.name)
    )
    if not found:
        raise StressError(f"{suite}: holds no case")
    if len(found) > _MOST_CASES:
        raise StressError(f"{suite}: holds more than {_MOST_CASES:,} cases")
    return found


class _Field:
    """A value of a case.json, with where it stands."""

    def __init__(self, file: Path, path: str, value: Any) -> None:
        self.file, self.path, self.value = file, path, value

    def wrong(self, what: str) -> StressError:
        return StressError(f"{self.file}: field {self.path or 'of all'}: {what}")

    def __getitem__(self, name: str) -> _Field:
        path = f"{self.path}.{name}" if self.path else name
        if not isinstance(self.value, dict):
            raise self.wrong("is no object")
        if name not in self.value:
            raise _Field(self.file, path, None).wrong("is missing")
        return _Field(self.file, path, self.value[name])

    def items(self, most: int = 100_000) -> list[_Field]:
        if not isinstance(self.value, list) or len(self.value) > most:
            raise self.wrong(f"is no list of at most {most:,}")
        return [_Field(self.file, f"{self.path}[{i}]", v) for i, v in enumerate(self.value)]

    def text(self, *choices: str) -> str:
        if not isinstance(self.value, str) or (choices and self.value not in choices):
            raise self.wrong(f"is none of {', '.join(choices)}" if choices else "is no text")
        return self.value

    def integer(self, least: int, most: int) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            raise self.wrong(f"is no integer from {least} to {most}")
        return self.value

    def number(self) -> int | float:
        if type(self.value) not in (int, float) or not math.isfinite(self.value):
            raise self.wrong("is no number")
        if isinstance(self.value, int) and not -(1 << 64) < self.value < 1 << 64:
            raise self.wrong("does not fit 64 bits")
        return self.value  # type: ignore[no-any-return]

    def truth(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("is neither true nor false")
        return self.value

    def data(self) -> bytes:
        try:
            return bytes.fromhex(self.text())
        except ValueError:
            raise self.wrong("is no text of hexadecimal bytes") from None

    def dim3(self) -> Dim3:
        x, y, z = [each.integer(1, 1 << 31) for each in self.items(3)] or [0, 0, 0]
        return x, y, z


def read(folder: Path) -> Stored:
    """A case. Raises StressError."""
    file = folder / CASE
    case = _Field(file, "", _json(file))
    case["schema"].text(SCHEMA)
    launch = case["launch"]
    arrays: dict[str, np.ndarray] = {}
    arguments = tuple(_argument(each, folder, arrays, 0) for each in launch["arguments"].items(512))
    made = Launch(
        _extents(launch["grid"]),
        _extents(launch["block"]),
        arguments,
        launch["shared"].integer(0, 1 << 20),
        symbols=tuple(map(_symbol, launch["symbols"].items())),
    )
    blocks = case["blocks"]["simulated"].integer(1, made.block_count)
    return Stored(
        name=folder.name,
        file=_source(case["filename"], folder),
        define=tuple(each.text() for each in case["define"].items()),
        include=tuple(folder / each.text() for each in case["include"].items()),
        arch=_arch(case["arch"]),
        entry=case["entry"].text(),
        launch=made,
        arrays=arrays,
        expected=tuple(map(_expected, case["figures"].items())),
        blocks=blocks,
        order=_order(case, folder, arrays, blocks * made.warps_per_block),
    )


def _order(
    case: _Field, folder: Path, arrays: Mapping[str, np.ndarray], warps: int
) -> Order | None:
    field = case["schedule"]
    if field.value == SCHEDULE:
        return None
    turns = _array(field, folder)
    if turns.dtype.kind == "f" or turns.ndim != 1 or not turns.size:
        raise field.wrong(f"{field.value} holds no list of warps")
    if int(turns.min()) < 0 or int(turns.max()) >= warps:
        raise field.wrong(f"{field.value} names a warp that is none of 0 to {warps - 1}")
    given = case["given"]
    if not isinstance(given.value, dict):
        raise given.wrong("is no object")
    found = {name: _array(given[name], folder) for name in given.value}
    for name, array in found.items():
        if name not in arrays or (array.dtype, array.size) != (
            arrays[name].dtype, arrays[name].size,
        ):  # fmt: skip
            raise given[name].wrong(f"{given[name].value} is no array like {name}")
    return Order(tuple(turns.tolist()), found)


def _source(field: _Field, folder: Path) -> Path:
    file = folder / field.text()
    if file.suffix not in (".cu", ".cuh", ".ptx"):
        raise field.wrong("is no .cu, .cuh or .ptx file")
    return file


def _arch(field: _Field) -> str:
    try:
        return architecture(field.text()).name
    except UnknownArchitectureError as error:
        raise field.wrong(str(error)) from error


def _extents(field: _Field) -> Dim3:
    if not isinstance(field.value, list) or len(field.value) != 3:
        raise field.wrong("is no list of three integers")
    return field.dim3()


def _json(file: Path) -> Any:
    try:
        return json.loads(read_bytes(file, _LARGEST))
    except UnreadableError as error:
        raise StressError(f"{file}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise StressError(f"{file}: is no JSON: {error}") from error


def _expected(field: _Field) -> Expected:
    place = field["place"]
    found = Place(
        place["kind"].text("access", "branch", "kernel"), place["index"].integer(0, 1 << 20)
    )
    amount, over, most, ideal = (
        field[name].integer(0, 1 << 62) for name in ("amount", "over", "most", "ideal")
    )
    key = field["objective"].text(*MEASURES), found
    return Expected(key, Figure(amount, over, most, ideal), place["identity"].text())


def _symbol(field: _Field) -> SymbolBytes:
    offset = field["offset"].integer(0, 1 << 31)
    return SymbolBytes(
        field["variable"].text(), offset, field["data"].data(), field["told"].truth()
    )


def _argument(field: _Field, folder: Path, arrays: dict[str, np.ndarray], depth: int) -> Argument:
    match field["kind"].text("scalar", "array", "struct", "texture"):
        case "scalar":
            return Scalar(field["value"].number())
        case "array":
            name = field["name"].text()
            arrays[name] = _array(field["file"], folder)
            element = field["element"].value
            if element is not None and element not in TYPE_SIZE:
                raise field["element"].wrong("is no type of PTX")
            return Buffer(name, element=element)
        case "texture":
            return _texture(field)
    if depth >= _DEEPEST:
        raise field.wrong(f"is more than {_DEEPEST} deep")
    inner = []
    for each in field["arguments"].items(512):
        argument = _argument(each["argument"], folder, arrays, depth + 1)
        if not isinstance(argument, Buffer | Texture):
            raise each["argument"].wrong("is no array and no texture")
        inner.append((each["offset"].integer(0, 1 << 16), argument))
    return Aggregate(field["data"].data(), tuple(inner))


def _texture(field: _Field) -> Texture:
    extents = [each.integer(1, 1 << 31) for each in field["extents"].items(4)]
    if len(extents) != 4:
        raise field["extents"].wrong("is no list of four integers")
    channels = field["channels"].integer(1, 4)
    return Texture(
        field["name"].text(),
        (extents[0], extents[1], extents[2], extents[3]),
        field["element"].text(*TYPE_SIZE),
        channels,
        addressing=field["addressing"].text("clamp", "border", "wrap", "mirror"),
        linear=field["linear"].truth(),
        normalised_coordinates=field["normalised_coordinates"].truth(),
        normalised_values=field["normalised_values"].truth(),
    )


def _array(field: _Field, folder: Path) -> np.ndarray:
    """An array of numbers. Its header is looked at before anything is made of its size."""
    name = field.text()
    file = folder / name
    if Path(name).name != name or not name.endswith(".npy"):
        raise field.wrong("is no name of a .npy file beside it")
    try:
        stream = BytesIO(read_bytes(file, MEMORY))
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise field.wrong(f"{name} has a format of another version")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        size = math.prod(shape) * dtype.itemsize
        rest = stream.getbuffer().nbytes - stream.tell()
        if dtype.hasobject or dtype.kind not in "fiu" or fortran:
            raise field.wrong(f"{name} holds no plain numbers")
        if size != rest:
            raise field.wrong(f"{name} says it has {size:,} bytes, and has {rest:,}")
        stream.seek(0)
        return np.asarray(np.load(stream, allow_pickle=False))
    except UnreadableError as error:
        raise field.wrong(f"{file}: {error}") from error
    except (ValueError, EOFError, SyntaxError, TokenError, MemoryError) as error:
        raise field.wrong(f"{name} is no .npy file: {error}") from error
