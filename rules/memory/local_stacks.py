"""Arrays of a thread's own that are stacks: what is pushed last is taken first."""

from __future__ import annotations

import re

from perflint.base.constructs import Declaration, within
from perflint.base.patterns import pattern
from perflint.rules.protocol import Kernel

STACK = "it is a stack: data decide how deep, so that no constants index it"
_TOP = pattern(r"(?:\+\+|--)?\s*\b([A-Za-z_]\w*)\s*(?:\+\+|--|-\s*1)?")
_FIRST = pattern(r"\d+")


def is_stack(kernel: Kernel, declaration: Declaration) -> bool:
    """Whether a variable that is counted up and down again indexes all that is said of an array.

    What it starts with may be at a number: `stack[0] = root`.
    """
    constructs = kernel.constructs(str(declaration.span.path))
    at = declaration.span
    function = constructs.function_at(at.line, at.column) if constructs else None
    if constructs is None or function is None or len(declaration.extents) != 1:
        return False
    head = f"{declaration.name}["
    used = [
        each.text.removeprefix(head).removesuffix("]").strip()
        for each in within(constructs.subscripts, function.body)
        if each.text.startswith(head)
    ]
    tops = {found[1] for text in used if (found := _TOP.fullmatch(text))}
    if len(tops) != 1 or not all(_TOP.fullmatch(t) or _FIRST.fullmatch(t) for t in used):
        return False
    top = re.escape(tops.pop())
    statements = [each.text for each in within(constructs.statements, function.body)]
    if any(text.count(head) > 1 for text in statements):
        return False  # elements move on within it: they are kept in order
    text = "\n".join(statements)
    return all(
        re.search(rf"\b{top}\s*{step}|{step}\s*{top}\b", text) is not None
        for step in (r"\+\+", "--")
    )
