"""The names of variables, read from their mangled ones."""

from __future__ import annotations

from perflint.base.patterns import pattern

_LENGTH = pattern(r"(\d+)")
#: What stands for a component seen before, for a template parameter, and for a number that is a
#: template argument: `S3_`, `T_`, `Li16E`.
_NO_NAME = pattern(r"[ST][0-9A-Z]*_|L[a-z]n?\d+E")


def variable_name(ptx: str) -> str:
    """The source name of a PTX variable: the last component of its Itanium-mangled name.

    `_ZZ9transposePfE4tile` is `tile`, `_ZN3lib5tableE` is `table`, `table` stays.
    """
    if not ptx.startswith("_Z"):
        return ptx
    last, at = ptx, 2
    while at < len(ptx):
        if other := _NO_NAME.match(ptx, at):
            at = other.end()
            continue
        match = _LENGTH.match(ptx, at)
        if match is None:
            at += 1
            continue
        length = int(match[1])
        name = ptx[match.end() : match.end() + length]
        if len(name) < length or not name[:1].isidentifier():
            at = match.end()
            continue
        last, at = name, match.end() + length
    return last
