"""Results of earlier runs, kept by the contents of everything they may depend on.

What a file's check may read is not known before it has run: headers are looked for by name, and
fragments by who includes them, in the whole tree. So a result's key holds a digest of the tree: of
the contents of all source files in it and the size and time of the others, of the directories of
`-I`, of perflint's own files and of the compiler's version, and of all that was asked for. An edit
anywhere in the tree makes every key another one; what is unchanged is found again from any
directory that has the same contents at the same path.

The store is a diskcache: safe under parallel runs and kills, with a size limit, the least recently
used thrown away first. Whatever is wrong with it, a full disk included, only means a miss.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from perflint.findings import FileResult
from perflint.options import CheckOptions
from perflint.translation_units import Unit

SIZE_LIMIT = 256 << 20  #: bytes on disk
#: Files of a tree beyond which it is not looked through, and nothing is kept.
MOST_FILES = 20_000
#: Contents decide for what may be source; a larger file is told by its size and time.
LARGEST = 2 << 20
SOURCES = frozenset(
    (".cu", ".cuh", ".ptx", ".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl",
     ".inc", ".ipp", ".tpp", ".def", ".cl", "")
)  # fmt: skip
_SKIPPED = frozenset((".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv"))
#: Options that bear on no result.
_ASIDE = frozenset(("jobs", "progress", "cache", "database"))
#: Reasons for which a result may be another one the next time.
_CHANCE = ("internal error", "time budget", "memory budget", "the process that checked it",
           "the compiler ran for", "the compiler used more", "the compiler crashed",
           "the compiler gave up")  # fmt: skip
_ERRORS = (OSError, sqlite3.Error, pickle.PickleError, EOFError, AttributeError, ImportError,
           ValueError, TypeError, IndexError, KeyError)  # fmt: skip


def directory() -> Path:
    """Where results are kept: `PERFLINT_CACHE_DIR`, else in the user's cache directory."""
    if given := os.environ.get("PERFLINT_CACHE_DIR"):
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("perflint", appauthor=False)


def clean(where: Path) -> int:
    """Forget everything that is kept; how many results that were. Raises OSError."""
    if not where.is_dir():
        return 0
    from diskcache import Cache, Timeout  # type: ignore[import-untyped]

    try:
        with Cache(str(where)) as store:
            return int(store.clear())
    except (sqlite3.Error, Timeout) as error:
        raise OSError(f"{where}: {error}") from error


class Kept:
    """The results of one run's files that are kept from earlier ones."""

    def __init__(self, options: CheckOptions, units: Sequence[Unit], root: Path) -> None:
        """`root` is the folder that holds all files given."""
        self._store: Any = None
        self._stamp: bytes | None = None
        from perflint.frontend import reading

        if options.cache is None or options.frontend == "nvcc" or reading.stands_in():
            return
        self._stamp = _stamp(options, units, root)
        if self._stamp is None:
            return
        with suppress(*_ERRORS):
            from diskcache import Cache

            self._store = Cache(str(options.cache), size_limit=SIZE_LIMIT, timeout=5)

    def get(self, unit: Unit) -> FileResult | None:
        """What a run of equal contents found in a file."""
        if self._store is None:
            return None
        try:
            found = self._store.get(self._key(unit))
        except Exception:  # whatever a damaged store raises: the file is checked
            return None
        return found if isinstance(found, FileResult) else None

    def put(self, unit: Unit, result: FileResult) -> None:
        """Keep a result, unless chance had a part in it."""
        if self._store is None or not _repeats(result):
            return
        try:
            self._store.set(self._key(unit), result)
        except Exception:  # a full disk, a lock that another run holds: nothing is kept
            self._store = None

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            with suppress(Exception):
                self._store.close()

    def _key(self, unit: Unit) -> bytes:
        assert self._stamp is not None
        return hashlib.blake2b(self._stamp + repr(unit).encode(), digest_size=24).digest()


def _repeats(result: FileResult) -> bool:
    said = (*(u.reason for u in result.unanalysed), *result.remarks)
    said += tuple(f.reason for f in result.findings)
    return not any(chance in text for text in said for chance in _CHANCE)


# --- what a result depends on ---------------------------------------------------------------------


def _stamp(options: CheckOptions, units: Sequence[Unit], root: Path) -> bytes | None:
    """A digest of everything that all results of a run may depend on; None if that is too much."""
    digest = hashlib.blake2b(digest_size=24)
    asked = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in _ASIDE}
    asked["rules"] = sorted(options.rules)
    digest.update(repr((sorted(asked.items()), [str(u.path) for u in units])).encode())
    digest.update(_program())
    tops = [_checkout(root), *(p for unit in units for p in (*unit.include, *unit.flags.before))]
    seen = 0
    for top in dict.fromkeys(Path(os.path.realpath(top)) for top in tops):
        for entry in _entries(top):
            seen += 1
            if seen > MOST_FILES:
                return None
            digest.update(entry)
    return digest.digest()


def _checkout(root: Path) -> Path:
    """The repository around a folder, in which headers are looked for; else the folder."""
    for each in (root, *root.parents):
        if (each / ".git").exists():
            return each
    return root


def _entries(top: Path) -> Iterator[bytes]:
    """Each file below a folder with what it holds, in a fixed order."""
    if top.is_file():
        yield _entry(str(top), top.stat())
        return
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED)
        for name in sorted(files):
            path = os.path.join(folder, name)  # noqa: PTH118 - of every file in the tree
            try:
                yield _entry(path, os.stat(path))  # noqa: PTH116 - as above
            except OSError:
                yield f"{path}\0gone".encode(errors="surrogateescape")


def _entry(path: str, status: os.stat_result) -> bytes:
    name = path.encode(errors="surrogateescape")
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122 - of every file in the tree
    if suffix in SOURCES and status.st_size <= LARGEST:
        with open(path, "rb") as file:  # noqa: PTH123
            return name + b"\0" + hashlib.blake2b(file.read(), digest_size=16).digest()
    return name + f"\0{status.st_size} {status.st_mtime_ns}".encode()


@cache
def _program() -> bytes:
    """What is run: perflint's version and files, the compiler's and the libraries' versions."""
    from importlib.metadata import PackageNotFoundError, version

    import perflint
    from perflint import grammar, rules, sim

    digest = hashlib.blake2b(perflint.__version__.encode(), digest_size=16)
    for name in ("numpy", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-cuda-crt",
                 "nvidia-cuda-cccl", "z3-solver", "tree-sitter-cuda"):  # fmt: skip
        with suppress(PackageNotFoundError):
            digest.update(f"{name} {version(name)};".encode())
    for package in (perflint, grammar, rules, sim):
        for path in _sources(package.__path__):
            status = path.stat()
            digest.update(f"{path} {status.st_size} {status.st_mtime_ns};".encode())
    return digest.digest()


def _sources(folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        for suffix in ("*.py", "*.toml", "*.lark"):
            yield from sorted(Path(folder).rglob(suffix))
