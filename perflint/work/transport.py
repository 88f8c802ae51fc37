"""What processes and machines send each other: pickled, with paths that hold at both ends.

On another machine the sources lie below a folder that stands for this one's root
(`perflint.cluster`). There, every path that comes in is one below that folder, and what goes out
has the folder taken off again: in paths, and in texts that name some.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from perflint.base.relocation import folder, here
from perflint.frontend.source.language.model import SourceFacts

#: The folder in texts on their way: nothing that a source would hold.
_TOKEN = "\ue000perflint\ue001"


def packed(value: Any) -> bytes:
    """A value as bytes."""
    below, buffer = folder(), io.BytesIO()
    _Pickler(buffer, protocol=5).dump(_renamed(value, below, _TOKEN) if below else value)
    return buffer.getvalue()


def unpacked(data: bytes) -> Any:
    """The value of bytes that another part of perflint packed."""
    return _renamed(pickle.loads(data), _TOKEN, folder())


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, PurePath) and value.is_absolute():
            return _path, (_outward(str(value)),)
        if isinstance(value, MappingProxyType):
            return _read_only, (dict(value),)
        return NotImplemented


def _read_only(values: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(values)


def _outward(text: str) -> str:
    below = folder()
    inside = below and (text == below or text.startswith(f"{below}/"))
    return (text[len(below) :] or "/") if inside else text


def _path(text: str) -> Path:
    return here(Path(text))


def _renamed(value: Any, old: str, new: str) -> Any:
    """A value with its texts changed; the facts of sources hold texts of the user's alone."""
    if isinstance(value, str):
        return value.replace(old, new) if old in value else value
    if isinstance(value, SourceFacts):
        return value
    if isinstance(value, tuple | list | frozenset):
        return type(value)([_renamed(each, old, new) for each in value])
    if isinstance(value, Mapping):
        return {key: _renamed(each, old, new) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        old_values = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        values = {name: _renamed(each, old, new) for name, each in old_values.items()}
        changed = {n: v for n, v in values.items() if v is not old_values[n]}
        return replace(value, **changed) if changed else value
    return value
