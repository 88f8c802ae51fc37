"""A kernel's arguments, from Python's values and NumPy's arrays to those of the simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Variable
from perflint.sim.launch import Aggregate, Argument, Buffer, Dim3, Scalar

#: NumPy's types by the PTX type that memory which nobody gave would be filled as.
_ELEMENT = {"f2": "f16", "f4": "f32", "f8": "f64"} | {
    f"{kind}{size}": f"{'s' if kind == 'i' else 'u'}{8 * size}"
    for kind in "iu"
    for size in (1, 2, 4, 8)
}


class ArgumentError(ValueError):
    """An argument that does not fit its parameter; the message names both."""


@dataclass(frozen=True)
class Parameter:
    """A kernel's parameter."""

    name: str  #: as in the source; `param0` where there is none
    type: str  #: as in the source, `const float *`; else PTX's, `.u64`
    pointer: bool | None  #: None where nothing says
    variable: Variable

    @property
    def text(self) -> str:
        """As a declaration."""
        return self.type + ("" if self.type.endswith("*") else " ") + self.name


@dataclass(frozen=True, eq=False)
class Encoded:
    """Arguments as the simulator takes them, and which array each buffer stands for."""

    arguments: tuple[Argument, ...]
    arrays: dict[str, np.ndarray]  #: by buffer name


def encode(kernel: str, parameters: Sequence[Parameter], values: Sequence[Any]) -> Encoded:
    """Encode one value for each parameter.

    An array is a pointer to its elements (or, for a struct passed by value, the struct's bytes);
    the same array given twice is one allocation. `None` is a null pointer, `bytes` a struct.
    Raises ArgumentError for what does not fit.
    """
    if len(values) != len(parameters):
        takes = ", ".join(p.text for p in parameters)
        raise ArgumentError(
            f"{kernel} takes {len(parameters)} arguments ({takes}), not {len(values)}"
        )
    buffers: dict[int, Buffer] = {}
    arrays: dict[str, np.ndarray] = {}
    out: list[Argument] = []
    for parameter, value in zip(parameters, values, strict=True):
        argument = _encode(kernel, parameter, value, buffers)
        if isinstance(argument, Buffer):
            arrays[argument.name] = value
        out.append(argument)
    return Encoded(tuple(out), arrays)


def _encode(kernel: str, parameter: Parameter, value: Any, buffers: dict[int, Buffer]) -> Argument:
    def wrong(problem: str) -> ArgumentError:
        return ArgumentError(f"{kernel}: argument `{parameter.text}` {problem}")

    variable = parameter.variable
    if isinstance(value, np.ndarray) and value.ndim + value.size != 1:
        return _array(parameter, value, buffers, wrong)
    if isinstance(value, (bytes, bytearray)):
        if len(value) != variable.size:
            raise wrong(f"has {variable.size} bytes, not {len(value)}")
        return Aggregate(bytes(value))
    if value is None:
        if variable.size != 8 or parameter.pointer is False:
            raise wrong("is no pointer; None is a null pointer")
        return Scalar(0)
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.item()
    if isinstance(value, (bool, int)):
        value = int(value)
    elif not isinstance(value, float):
        raise wrong(f"must be a number or a NumPy array, not {type(value).__name__}")
    if parameter.pointer:
        raise wrong(f"is a pointer and needs an array, not {value!r}")
    if isinstance(value, float) and variable.type[0] in "us" and not value.is_integer():
        raise wrong(f"is an integer, not {value!r}")
    if variable.type[0] in "us" and not -(1 << (8 * variable.size - 1)) <= value < 1 << (
        8 * variable.size
    ):
        raise wrong(f"has {8 * variable.size} bits; {value} does not fit")
    return Scalar(value)


def _array(
    parameter: Parameter,
    value: np.ndarray,
    buffers: dict[int, Buffer],
    wrong: Callable[[str], ArgumentError],
) -> Argument:
    variable = parameter.variable
    if value.dtype.hasobject:
        raise wrong("is an array of Python objects; kernels know numbers")
    if variable.dimensions:  # a struct by value
        if value.nbytes != variable.size:
            raise wrong(f"is a struct of {variable.size} bytes, not {value.nbytes}")
        return Aggregate(value.tobytes())
    if variable.size != 8 or parameter.pointer is False:
        raise wrong("is no pointer, and was given an array")
    known = buffers.get(id(value))
    if known is None:
        known = buffers[id(value)] = Buffer(
            parameter.name,
            element=_ELEMENT.get(value.dtype.str[1:]),
            size=value.nbytes,
            data=np.ascontiguousarray(value).reshape(-1).view(np.uint8),
        )
    return known


def copy_back(encoded: Encoded, contents: Mapping[str, np.ndarray]) -> None:
    """Put the buffers' final bytes into the arrays that may be written."""
    for name, array in encoded.arrays.items():
        if array.flags.writeable:
            data = contents[name][: array.nbytes]
            array[...] = data.view(array.dtype).reshape(array.shape)


def dim3(value: int | Sequence[int], what: str) -> Dim3:
    """`64` and `(64, 2)` as three extents. Raises ArgumentError."""
    given = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(given) <= 3 or any(not isinstance(n, (int, np.integer)) for n in given):
        raise ArgumentError(f"the {what} must be one to three integers, not {value!r}")
    x, y, z = [int(n) for n in given] + [1] * (3 - len(given))
    return x, y, z
