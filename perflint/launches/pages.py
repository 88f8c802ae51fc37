"""The listing of launches as text and as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from perflint.base.english import readable
from perflint.work.launch_listing import KernelLaunches, Quantity, Tried, counts

#: What comes first of a launch's values.
_SHAPE = ("grid", "block", "shared")


def text(found: Sequence[KernelLaunches], root: Path) -> str:
    """A paragraph for each kernel, a line for each number of a launch."""
    lines = [line for kernel in found for line in _kernel(kernel, root)]
    told = counts(found)
    total = (
        f"{_counted(told['launches'], 'launch', 'es')} of {_counted(told['kernels'], 'kernel')}: "
        f"{told['read']} read, {told['in part']} in part, {told['assumed']} with an assumed block"
        + (f"; {told['not tried']} of kernels that are not tried." if told["not tried"] else ".")
    )
    return "\n".join((*lines, total, ""))


def _counted(count: int, noun: str, plural: str = "s") -> str:
    return f"{count:,} {noun}{'' if count == 1 else plural}"


def _kernel(kernel: KernelLaunches, root: Path) -> Iterator[str]:
    title = kernel.title or "the file"
    yield f"{_place(kernel.path, kernel.line, root)}: {title}"
    if kernel.reason:
        yield f"  not tried: {kernel.reason}"
    for launch in kernel.launches:
        yield from _launch(launch, root)
    for path, line, why in kernel.unread:
        yield f"  {_place(path, line, root)}"
        yield f"    not tried: {why}"
    if kernel.left_out:
        yield f"  {kernel.left_out} more launches, which differ, are not tried"
    yield ""


def _launch(launch: Tried, root: Path) -> Iterator[str]:
    at = _place(*launch.place, root) if launch.place else "no launch in sight"
    yield f"  {at}" + (f" ({launch.assumed})" if launch.assumed else "")
    width = max(len(q.name) for q in launch.quantities)
    values = max(len(q.value) for q in launch.quantities)
    for quantity in launch.quantities:
        written = f"  `{quantity.text}`" if quantity.text not in ("", quantity.name) else ""
        line = (
            f"    {quantity.name:{width}}  {quantity.value:{values}}  {_origin(quantity)}{written}"
        )
        yield line.rstrip()
    if launch.also:
        yield f"    the same at {', '.join(_place(*place, root) for place in launch.also)}"
    for condition in launch.supposing:
        yield f"    supposing {readable(condition)}"
    for condition in launch.broken:
        yield f"    no values tried meet `{readable(condition)}`"
    for world in launch.worlds:
        yield f"    tried as --launch '{world}'"


def _origin(quantity: Quantity) -> str:
    if quantity.of:
        return f"{quantity.origin} from {', '.join(quantity.of)}"
    return quantity.origin + (f", {quantity.why}" if quantity.why else "")


def _place(path: Path, line: int, root: Path) -> str:
    shown = os.path.relpath(path, root)
    return f"{path if shown.startswith('..') else shown}:{line}"


def data(found: Sequence[KernelLaunches], root: Path) -> str:
    """The same as JSON: a list of kernels."""
    rows = [_row(kernel, root) for kernel in found]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def _row(kernel: KernelLaunches, root: Path) -> dict[str, Any]:
    return {
        "kernel": kernel.title or None,
        "filename": _name(kernel.path, root),
        "row": kernel.line,
        "reason": kernel.reason or None,
        "left_out": kernel.left_out,
        "unread": [
            {"filename": _name(path, root), "row": line, "reason": why}
            for path, line, why in kernel.unread
        ],
        "launches": [
            {
                "filename": _name(launch.place[0], root) if launch.place else None,
                "row": launch.place[1] if launch.place else None,
                "also": [{"filename": _name(path, root), "row": row} for path, row in launch.also],
                "assumed": launch.assumed or None,
                "supposing": list(launch.supposing),
                "contradictions": list(launch.broken),
                "values": {
                    # a parameter may be called `grid`, too
                    f"argument {q.name}" if at > 2 and q.name in _SHAPE else q.name: {
                        "value": q.value,
                        "origin": q.origin,
                        "of": list(q.of),
                        "why": q.why or None,
                        "text": q.text or None,
                    }
                    for at, q in enumerate(launch.quantities)
                },
                "tried": list(launch.worlds),
            }
            for launch in kernel.launches
        ],
    }


def _name(path: Path, root: Path) -> str:
    shown = os.path.relpath(path, root)
    return str(path) if shown.startswith("..") else Path(shown).as_posix()
