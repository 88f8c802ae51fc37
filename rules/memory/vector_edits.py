"""Edits that make neighbouring scalar accesses parts of one vector: `a[2 * i + 1]` is `….y`.

The compiler merges what lies side by side in one vector by itself, once the vector's type says that
the address is aligned. So each access is edited where it stands.
"""

from __future__ import annotations

import re
from dataclasses import replace

from perflint.base.constructs import Fragment, within
from perflint.base.patterns import pattern
from perflint.rules.access_shapes import Shape
from perflint.rules.protocol import (
    Edit,
    Kernel,
)

_ACCESS = pattern(r"(\w+)\s*\[(.*)\]")
#: An element of a row, where what is indexed is an array of rows: `a[i][1]`.
_IN_A_ROW = pattern(r"(\w+)\s*\[([^\[\]]+)\]\s*\[\s*(\d)\s*\]")
_FACTOR = r"(?:[A-Za-z_]\w*(?:\.\w+)?|\([^()]*\))"
_PARTS = "xyzw"
#: What a vector is called that is loaded once.
NAME = "whole"


def vector_edits(kernel: Kernel, shape: Shape, vector: str, count: int) -> tuple[Edit, ...]:
    """Edits that write a group's accesses as parts of a vector of `count` elements.

    None at all where one of them is not written as `a[count * i + part]`, as `p[part]`, or as an
    element of a row, `a[i][part]`. Where no allocation says that the pointer is aligned, that is
    for the user to say: `is_aligned`.
    """
    index = shape.group[0].array.parameter
    if any(site.array.parameter != index for site in shape.group):
        return ()
    written = {f.span: f for site in shape.group for f in kernel.accesses(site)}
    const = "const " if shape.group[0].kind == "load" else ""
    edits = [_edit(each, f"{const}{vector}", count) for each in written.values()]
    parts = {e.replacement[-1] for e in edits if e is not None}
    if None in edits or len(parts) != len(shape.offsets):
        return ()
    return tuple(sorted((e for e in edits if e is not None), key=lambda e: e.span))


def in_rows(kernel: Kernel, shape: Shape) -> bool:
    """Whether all of a group's accesses are written as elements of rows: `a[i][1]`."""
    written = [f.text for site in shape.group for f in kernel.accesses(site)]
    return bool(written) and all(map(_IN_A_ROW.fullmatch, written))


def whole_load(kernel: Kernel, shape: Shape, vector: str, count: int) -> tuple[Edit, ...]:
    """Edits that load a vector once before the first statement that loads one of its parts.

    For loads that the compiler cannot merge, as a store of one part stands before the next one's.
    """
    constructs, function = kernel.own_constructs, kernel.function
    parts = vector_edits(kernel, shape, vector, count)
    if constructs is None or function is None or shape.group[0].kind != "load" or len(parts) < 2:
        return ()
    wholes = {edit.replacement[:-1].removesuffix("->").removesuffix(".") for edit in parts}
    statements = [constructs.statement_at(edit.span) for edit in parts]
    first = min(filter(None, statements), key=lambda s: (s.span.line, s.span.column), default=None)
    names = {name.text for name in within(constructs.names, function.span)}
    if first is None or first.block is None or len(wholes) != 1 or NAME in names:
        return ()
    if any(s is None or s.block != first.block for s in statements):
        return ()
    [whole] = wholes
    at = replace(first.span, end_line=first.span.line, end_column=first.span.column)
    value = whole if whole.endswith("]") else f"*{whole}"
    text = f"const {vector} {NAME} = {value};\n{' ' * (first.span.column - 1)}"
    return (
        Edit(at, text),
        *(Edit(edit.span, f"{NAME}.{edit.replacement[-1]}") for edit in parts),
    )


def is_aligned(kernel: Kernel, shape: Shape) -> bool:
    """Whether every launch passes what an allocation returned, and that is what is indexed."""
    index = shape.group[0].array.parameter
    if kernel.function is None or index is None or not kernel.is_allocated(index):
        return False
    name = kernel.function.parameters[index].name
    texts = (f.text for site in shape.group for f in kernel.accesses(site))
    return all(text.split("[")[0].strip() == name for text in texts)


def _edit(access: Fragment, vector: str, count: int) -> Edit | None:
    """The edit of one access; None where its index is not a multiple and a part."""
    row = _IN_A_ROW.fullmatch(access.text)
    if row is not None and int(row[3]) < count:
        text = f"reinterpret_cast<{vector} *>({row[1]})[{row[2]}].{_PARTS[int(row[3])]}"
        return Edit(access.span, text)
    match = _ACCESS.fullmatch(access.text)
    if match is not None and match[2].strip().isdigit():
        part = int(match[2])
        text = f"reinterpret_cast<{vector} *>({match[1]})->{_PARTS[part]}" if part < count else ""
        return Edit(access.span, text) if text else None
    found = _multiple(match[2], count) if match else None
    if match is None or found is None:
        return None
    factor, part = found
    bare = factor[1:-1] if factor.startswith("(") else factor
    text = f"reinterpret_cast<{vector} *>({match[1]})[{bare}].{_PARTS[part]}"
    return Edit(access.span, text)


def _multiple(index: str, count: int) -> tuple[str, int] | None:
    """(i, part) of `count * i + part`, however its terms are ordered."""
    product = rf"(?:(?P<a>{_FACTOR})\s*\*\s*{count}|{count}\s*\*\s*(?P<b>{_FACTOR}))"
    for form in (rf"{product}(?:\s*\+\s*(?P<c>\d+))?", rf"(?P<c>\d+)\s*\+\s*{product}"):
        match = re.fullmatch(form, index.strip())
        if match:
            part = int(match["c"] or 0)
            return (match["a"] or match["b"], part) if part < count else None
    return None
