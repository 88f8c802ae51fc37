"""What to do about elements whose parts each thread accesses one by one."""

from __future__ import annotations

from perflint.rules.access_shapes import VECTOR


def access_of(size: int) -> int:
    """Bytes of the narrowest access that has all of an element: there are 1, 2, 4, 8 and 16."""
    return 1 << (size - 1).bit_length()


def padded(size: int, own: bool = True) -> str:
    """What must be done to elements first, so that one access has each.

    `own`: whether their layout is the program's. That of a library's caller is as it comes.
    """
    whole = access_of(size)
    if whole == size:
        return ""
    if own:
        return f"pad the elements to {whole} bytes and "
    return f"copy them once to elements of {whole} bytes, as their layout is the caller's, and "


def of_a_record(
    verb: str, size: int, parts: int, array: str, element: int = 0, *, own: bool = True
) -> str:
    """What would pack accesses to neighbouring parts of an element that a loaded index picks.

    `size`: bytes of a part. `element`: those of the whole, where it is known to be more than the
    parts. `own`: as for `padded`; what is written is not copied first.
    """
    together = parts * size
    if together < element:
        whole = element if element == access_of(min(element, VECTOR)) else access_of(together)
        if verb == "read" and whole <= VECTOR:
            moved = f"read the {whole} bytes that hold them with one aligned access"
        else:
            moved = f"keep them in an array of their own, and {verb} them with one access"
    elif together <= VECTOR:
        first = padded(together, own or verb != "read")
        moved = f"{first}move them with one access of {access_of(together)} bytes"
    elif size < (width := VECTOR if together % VECTOR == 0 else 8) and together % width == 0:
        moved = f"move them in vectors of {width} bytes, to which the elements must be aligned"
    elif size == VECTOR:
        moved = "no access is wider, so let the block move them through shared memory"
    else:
        moved = (
            f"pad the elements to {-(-together // VECTOR) * VECTOR} bytes and move them in vectors"
        )
    return (
        f"each thread {verb}s {parts} neighbouring parts of an element of {array} one by "
        f"one: {moved}, so that each sector is touched once"
    )


def of_counters(parts: int, array: str) -> str:
    """What would pack atomics on the parts of elements that neighbouring threads have."""
    return (
        f"keep an array for each of the {parts} parts of {array} that a thread updates; or, if no "
        "other thread updates them, load and store them without atomics, as vectors"
    )
