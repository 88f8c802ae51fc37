"""A launch in one line: `kernel<<<(64, 64), (16, 16), 4096>>>(n=1024, alpha=1.5)`."""

from __future__ import annotations

from math import isfinite

from perflint.base.patterns import pattern
from perflint.base.records import dataclass

Dim3 = tuple[int, int, int]

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
MAX_GRID: Dim3 = (2**31 - 1, 65535, 65535)
MAX_BLOCK: Dim3 = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_SHARED = 227 * 1024  #: bytes a block can have at most on any compute capability (9.0, 10.0)

_TOKEN = pattern(
    r"\s*(?:(?P<open><<<)|(?P<close>>>>)"
    r"|(?P<number>[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))"
    r"|(?P<name>[A-Za-z_$][\w$]*(?:::[A-Za-z_$][\w$]*)*"
    r"(?:<(?!<)[^<>]*(?:<[^<>]*>[^<>]*)*>(?=\s*=?\s*<<<))?)"  # template arguments
    r"|(?P<mark>[(),=]))"
)


class LaunchSpecError(ValueError):
    """A launch that cannot be read; the message says where and what was expected."""


@dataclass(frozen=True)
class LaunchSpec:
    """A launch as the user gave it."""

    kernel: str  #: as in the source, `ns::kernel`, `kernel<float>`, or the PTX entry name
    grid: Dim3
    block: Dim3
    shared: int = 0  #: dynamic shared memory, bytes
    arguments: tuple[tuple[str, int | float], ...] = ()  #: parameter name and value
    sizes: tuple[tuple[str, int], ...] = ()  #: bytes behind pointers, where they are known
    place: tuple[str, int] | None = None  #: file and line of the launch, where it was seen
    supposing: tuple[str, ...] = ()  #: what was made up for it, for people

    @property
    def text(self) -> str:
        """The launch in the form that `parse` reads."""
        shared = f", {self.shared}" if self.shared else ""
        arguments = ", ".join(f"{name}={value}" for name, value in self.arguments)
        return f"{self.kernel}<<<{_shape(self.grid)}, {_shape(self.block)}{shared}>>>({arguments})"


def _shape(dim: Dim3) -> str:
    return f"({', '.join(map(str, dim))})"


class _Reader:
    """The tokens of one specification, and errors that point into it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def fail(self, problem: str, at: int | None = None) -> LaunchSpecError:
        column = (self.position if at is None else at) + 1
        return LaunchSpecError(
            f"{problem} (column {column} of {self.text!r}); "
            "write it as kernel<<<(64,64),(16,16)>>>(n=1024)"
        )

    def peek(self) -> tuple[str, str, int]:
        """Kind and text of the next token, and where it begins; ("end", "", …) at the end."""
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            rest = self.text[self.position :]
            at = self.position + len(rest) - len(rest.lstrip())
            if not rest.strip():
                return "end", "", len(self.text)
            raise self.fail(f"unexpected {self.text[at]!r}", at)
        kind = str(match.lastgroup)
        return (kind if kind != "mark" else match["mark"]), match[kind], match.start(kind)

    def take(self, *kinds: str, expected: str) -> tuple[str, str, int]:
        kind, text, at = self.peek()
        if kind not in kinds:
            found = "the end" if kind == "end" else repr(text)
            raise self.fail(f"expected {expected}, found {found}", at)
        self.position = at + len(text)
        return kind, text, at

    def pass_remark(self) -> None:
        """Pass over where a value comes from, as findings print it: `assumed`, `from f(n)`."""
        if self.peek()[1] not in ("assumed", "by", "from"):
            return
        depth = 0
        for at in range(self.position, len(self.text)):
            mark = self.text[at]
            if depth == 0 and mark in ",)":
                self.position = at
                return
            depth += (mark in "([{") - (mark in ")]}")

    def integer(self, expected: str) -> tuple[int, int]:
        _, text, at = self.take("number", expected=expected)
        value = _number(text)
        if not isinstance(value, int):
            raise self.fail(f"expected {expected}, found {text!r}", at)
        return value, at


def _number(text: str) -> int | float:
    try:
        return int(text, 0) if text.lower().lstrip("+-").startswith("0x") else int(text)
    except ValueError:
        return float(text)


def _fits(number: int | float) -> bool:
    """Whether an argument holds a number: an integer of 64 bits, or any float but infinity."""
    if isinstance(number, float):
        return isfinite(number)
    return -(2**63) <= number < 2**64


def _dim3(reader: _Reader, what: str, most: Dim3) -> Dim3:
    if reader.peek()[0] != "(":
        values = [reader.integer(f"the {what}, a number or (x, y, z)")]
    else:
        reader.take("(", expected="'('")
        values = [reader.integer(f"the {what}'s x")]
        while reader.take(",", ")", expected="',' or ')'")[0] == ",":
            if len(values) == 3:
                raise reader.fail(f"a {what} has at most three numbers")
            values.append(reader.integer(f"the {what}'s {'xyz'[len(values)]}"))
    for (value, at), axis, limit in zip(values, "xyz", most, strict=False):
        if not 1 <= value <= limit:
            raise reader.fail(f"the {what}'s {axis} must be 1 to {limit}, not {value}", at)
    x, y, z = [value for value, _ in values] + [1] * (3 - len(values))
    return x, y, z


def _arguments(reader: _Reader) -> tuple[tuple[str, int | float], ...]:
    if reader.peek()[0] == "end":
        return ()
    reader.take("(", expected="'(' or the end")
    found: dict[str, int | float] = {}
    if reader.peek()[0] == ")":
        reader.take(")", expected="')'")
        return ()
    while True:
        _, name, at = reader.take("name", expected="a parameter's name")
        if name in found:
            raise reader.fail(f"argument {name!r} is given twice", at)
        reader.take("=", expected=f"'=' after {name!r}")
        _, number, at = reader.take("number", expected=f"a number for {name!r}")
        found[name] = _number(number)
        if not _fits(found[name]):
            raise reader.fail(f"argument {name!r} does not fit 64 bits", at)
        reader.pass_remark()
        if reader.take(",", ")", expected="',' or ')'")[0] == ")":
            return tuple(found.items())


def parse(text: str) -> LaunchSpec:
    """Read `kernel<<<grid, block[, shared bytes]>>>[(name=number, …)]`, as findings print it.

    Grid and block are one number or up to three in parentheses; `=` may stand before `<<<`. Raises
    LaunchSpecError for anything else, and for sizes that no GPU accepts.
    """
    reader = _Reader(text)
    _, kernel, _ = reader.take("name", expected="a kernel's name")
    if reader.peek()[0] == "=":
        reader.take("=", expected="'='")
    reader.take("open", expected="'<<<' after the kernel's name")
    grid = _dim3(reader, "grid", MAX_GRID)
    reader.take(",", expected="',' and the block")
    block_at = reader.position
    block = _dim3(reader, "block", MAX_BLOCK)
    threads = block[0] * block[1] * block[2]
    if threads > MAX_THREADS:
        raise reader.fail(f"a block has at most {MAX_THREADS} threads, not {threads}", block_at)
    shared = 0
    if reader.take(",", "close", expected="',' or '>>>'")[0] == ",":
        shared, at = reader.integer("the dynamic shared memory in bytes")
        if not 0 <= shared <= MAX_SHARED:
            raise reader.fail(f"dynamic shared memory must be 0 to {MAX_SHARED} bytes", at)
        reader.take("close", expected="'>>>'")
    arguments = _arguments(reader)
    reader.take("end", expected="the end")
    return LaunchSpec(kernel, grid, block, shared, arguments)
