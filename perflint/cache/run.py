"""What is kept for one run: its key, and its files' results in the store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from perflint.cache.kept import Kept
from perflint.cache.key import asked, program
from perflint.cache.records import packed, unpacked
from perflint.cache.store import Store
from perflint.cache.tree import Memo, Tree, listed, stamp
from perflint.lint.findings import FileResult
from perflint.lint.options import CheckOptions
from perflint.lint.translation_units import Unit


def of_run(units: Sequence[Unit], options: CheckOptions, root: Path, where: Path) -> Kept | None:
    """The results kept for a run, below `where`; None if nothing of it can be kept.

    nvcc reads headers of the system that nobody knows of; recorded launches bring memory of their
    own, which may be anything.
    """
    if options.frontend == "nvcc" or options.recorded is not None or options.bound is None:
        return None
    tree = listed(tops(units, options), options.bound.files, without=where)
    store = Store.open(where) if tree is not None else None
    if tree is None or store is None:
        return None
    return _Kept(store, _key(tree, units, options, root, store), options.fixes)


def _key(
    tree: Tree, units: Sequence[Unit], options: CheckOptions, root: Path, store: Store
) -> bytes:
    """A digest of everything that all results of a run may depend on."""
    python = any(unit.path.suffix == ".ptx" for unit in units)
    tops = _digest("\n".join(tree.tops).encode("utf-8", "surrogateescape")).hex()
    sources = _remembering(store, tops, lambda memo: stamp(tree, memo, python=python))
    return _digest(sources + asked(units, options, root) + _remembering(store, "program", program))


def _remembering(store: Store, name: str, read: Callable[[Memo], tuple[bytes, Memo]]) -> bytes:
    """What is read of files, with what a store remembers of them under a name."""
    before = Memo.of(store.get(name))
    found, after = read(before)
    if after != before:
        store.set(name, after.packed())
    return found


def tops(units: Sequence[Unit], options: CheckOptions) -> list[Path]:
    """The folders, and single headers, that may be read of."""
    assert options.bound is not None
    named = {p for u in units for p in (*u.include, *u.flags.include, *u.flags.before)}
    inside = (path for path in sorted(named) if options.bound.allows(path))
    return [*options.bound.folders, *inside]


class _Kept(Kept):
    """Results with fixes and without are kept apart; one without edits to try serves both."""

    def __init__(self, store: Store, key: bytes, fixes: bool) -> None:
        self._store, self._run, self._fixes = store, key, fixes

    def get(self, unit: Unit) -> FileResult | None:
        found = self._kept(unit, self._fixes)
        if found is None and self._fixes:
            plain = self._kept(unit, False)
            return plain if plain and not any(f.untried for f in plain.findings) else None
        return found

    def put(self, unit: Unit, result: FileResult) -> None:
        if result.repeats and (data := packed(result)) is not None:
            self._store.set(self._key(unit, self._fixes), data)

    def _kept(self, unit: Unit, fixes: bool) -> FileResult | None:
        data = self._store.get(self._key(unit, fixes))
        return unpacked(data) if data is not None else None

    def close(self) -> None:
        self._store.close()

    def _key(self, unit: Unit, fixes: bool) -> str:
        asked = f"{unit!r}{', fixes' * fixes}".encode("utf-8", "surrogateescape")
        return _digest(self._run + asked).hex()


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=24).digest()
