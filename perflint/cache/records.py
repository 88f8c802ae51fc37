"""Results as bytes, and back: nothing but our own records is ever made of what a store holds."""

from __future__ import annotations

import io
import pickle
import zlib
from typing import Any

from perflint.lint.findings import FileResult

#: What a result consists of, by module. Whoever can write into the store can make no other object.
_RECORDS = {
    "perflint.lint.findings": {
        *("FileResult", "Finding", "LaunchCount", "LaunchNote", "Related", "Unanalysed"),
    },
    "perflint.base.evidence": {"Edit", "Evidence", "Fix", "LaneBytes", "WorstRequest"},
    "perflint.lint.account": {
        *("Account", "Answer", "Attempt", "Outline", "Sample", "Seen", "Weighed", "World"),
    },
    "perflint.base.span": {"Span"},
    "perflint.base.floor": {"Floor"},
    "perflint.lint.worth": {"Together", "Worth"},
    "perflint.lint.comments": {"Comments", "Problem", "Suppression"},
    "pathlib": {"PosixPath", "WindowsPath"},
    "pathlib._local": {"PosixPath", "WindowsPath"},  # as Python 3.13 writes it
}
_LARGEST = 64 << 20  #: bytes of one result


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name not in _RECORDS.get(module, ()):
            raise pickle.UnpicklingError(f"a result holds no {module}.{name}")
        return super().find_class(module, name)


def packed(result: FileResult) -> bytes | None:
    """A result as bytes; None for one that would not be the same again."""
    try:
        data = zlib.compress(pickle.dumps(result, protocol=5), 1)
    except Exception:  # whatever pickling raises
        return None
    return data if unpacked(data) == result else None


def unpacked(data: bytes) -> FileResult | None:
    """The result of some bytes; None if they are none."""
    try:
        plain = zlib.decompressobj().decompress(data, _LARGEST)
        found = _Reader(io.BytesIO(plain)).load()
    except Exception:  # whatever damaged bytes lead to
        return None
    return found if isinstance(found, FileResult) else None
