"""What methods of containers do to what a run knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perflint.frontend.source.host.execution.run_state import Alias, Backwards, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Record,
    Table,
    as_kind,
    copied,
    pointer_to,
)


def of_array(on: Array, name: str, values: Sequence[Any]) -> Any:
    """A method of a vector or an array; one that is not known may do anything."""
    if name in ("size", "length"):
        return on.size
    if name == "empty":
        return int(on.size == 0) if isinstance(on.size, int) else UNKNOWN
    if name in ("at", "front", "back"):
        last = on.size - 1 if isinstance(on.size, int) else UNKNOWN
        key = values[0] if name == "at" and values else 0 if name == "front" else last
        return on[key] if isinstance(key, int) else UNKNOWN
    if name in ("data", "begin", "cbegin"):
        return Reference(on, 0)
    if name in ("end", "cend"):
        return Reference(on, on.size)
    if name in ("rbegin", "crbegin", "rend", "crend"):
        known = isinstance(on.size, int)
        return Backwards(on, -1 if "end" in name else on.size - 1) if known else UNKNOWN
    if name in ("reserve", "shrink_to_fit", "capacity"):
        return UNKNOWN
    if name == "resize" and values and isinstance(values[0], int):
        before, on.size = on.size, values[0]
        if not isinstance(before, int) or on.size > before:  # others than those there were
            added = copied(values[1]) if len(values) > 1 else UNKNOWN if on.number is None else 0
            if before == 0:
                on.default = UNKNOWN if isinstance(added, dict) else added
            elif added != on.default:
                on.forget()
        for key in [k for k in on if not isinstance(k, int) or k >= on.size]:
            del on[key]
        return None
    if name == "assign" and len(values) == 2 and isinstance(values[0], int):
        on.clear()
        on.size, on.default = values[0], as_kind(copied(values[1]), on.number)
        return None
    if name == "clear":
        on.clear()
        on.size = 0
        return None
    if name == "pop_back" and isinstance(on.size, int) and on.size:
        on.pop(on.size - 1, None)
        on.size -= 1
        return None
    on.forget()
    on.size = on.size if on.fixed or name == "fill" else UNKNOWN
    return UNKNOWN


def of_table(on: Table, name: str, values: Sequence[Any]) -> Any:
    """A method of a map."""
    key = values[0] if values else UNKNOWN
    if name == "end":
        return None
    if name in ("at", "find", "count", "contains") and isinstance(key, (int, str)):
        if key not in on:
            return UNKNOWN if on.lost else None if name == "find" else 0
        if name != "find":
            return on[key] if name == "at" else 1
        pair = Record("pair", None)
        pair.update(first=key, second=Alias(on, key))
        return pointer_to(pair)
    if name == "size":
        return UNKNOWN if on.lost else len(on)
    if name == "empty":
        return UNKNOWN if on.lost else int(not on)
    kept = name in ("emplace", "insert_or_assign", "try_emplace") and len(values) == 2
    if kept and isinstance(key, (int, str)):
        on[key] = copied(values[1]) if name[0] == "i" or key not in on else on[key]
        return UNKNOWN
    for each in on:
        dict.__setitem__(on, each, UNKNOWN)
    on.lost = True
    return UNKNOWN
