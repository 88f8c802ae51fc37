"""What `perflint run --check` finds: errors of kernels at their source line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.findings import Finding, LaunchNote
from perflint.lint.rulebook import RuleInfo


@dataclass(frozen=True)
class KernelError:
    """One error of a kernel, at its place in the source."""

    kind: str  #: a key of KINDS
    path: Path
    line: int
    message: str
    kernel: str
    launch: str
    column: int = 1
    end: tuple[int, int] = (0, 0)  #: line and column behind its last character, where that is known
    numbers: frozenset[tuple[int, int]] = frozenset()  #: processes and launches it was seen in
    ended: bool = False  #: it ended its launch, and with that the program's device


#: Kinds by the violation's name: code, name and summary. Codes never change.
_KINDS = {
    "out-of-bounds": ("RT001", "out-of-bounds-access", "An access lies outside every allocation."),
    "misaligned": ("RT002", "misaligned-access", "An access is no multiple of its size."),
    "uninitialised-read": ("RT003", "uninitialised-read", "Memory is read that nobody wrote."),
    "shared-race": ("RT004", "shared-memory-race", "Threads share a byte without a barrier."),
    "divergent-barrier": ("RT005", "divergent-barrier", "Not all threads reach a barrier."),
    "kernel-error": ("RT006", "kernel-error", "A kernel ended with an error of the device."),
}
_ALIKE = {"uninitialised-shared-read": "uninitialised-read", "deadlock": "divergent-barrier",
          "trap": "kernel-error"}  # fmt: skip


def kind_of(violation: str) -> str:
    """The kind of error that a tracer's violation is."""
    kind = _ALIKE.get(violation, violation)
    return kind if kind in _KINDS else "kernel-error"


def book() -> dict[str, RuleInfo]:
    """The kinds as reports know rules."""
    return {
        code: RuleInfo(code, name, summary, "0.1.0", "error", "stable", ("correctness",),
                       "very-high", summary)
        for code, name, summary in _KINDS.values()
    }  # fmt: skip


def joined(errors: Iterable[KernelError]) -> list[KernelError]:
    """One for each kind, place and kernel, in the order of the source.

    What ended a launch stands by itself.
    """
    found: dict[tuple[object, ...], KernelError] = {}
    for each in errors:
        key = (each.kind, each.path, each.line, each.column, each.kernel, each.ended)
        first = found.get(key)
        found[key] = replace(first, numbers=first.numbers | each.numbers) if first else each
    return sorted(found.values(), key=lambda e: (str(e.path), e.line, e.column, e.kind, e.kernel))


def findings(errors: Sequence[KernelError], arch: str) -> tuple[Finding, ...]:
    """The errors as reports print them."""
    return tuple(_finding(each, arch) for each in joined(errors))


def _end(error: KernelError) -> tuple[int, int]:
    return error.end if error.end > (error.line, error.column) else (error.line, error.column + 1)


def _finding(error: KernelError, arch: str) -> Finding:
    code, name, _ = _KINDS[error.kind]
    notes: tuple[str, ...] = (
        (f"seen in {len(error.numbers)} launches",) if len(error.numbers) > 1 else ()
    )
    if error.ended:
        notes += ("it ended the launch; every later call of CUDA's fails with its error",)
    return Finding(
        code=code,
        name=name,
        level="error",
        verdict="confirmed",
        message=error.message,
        place=Span(error.path, error.line, error.column, *_end(error)),
        kernel=error.kernel,
        arch=arch,
        launch=LaunchNote(error.launch, assumed=False),
        notes=notes,
        identity=f"{error.kind} {error.kernel}",
    )
