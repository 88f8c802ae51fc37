"""The sources of a run as bytes, and a folder that stands for the root they came from."""

from __future__ import annotations

import os
import pickle
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from perflint.base.records import dataclass
from perflint.cache.run import tops
from perflint.cache.tree import BUILD, Memo, listed, sources
from perflint.cluster import ClusterError
from perflint.frontend.source.project.user_files import UnreadableError, read_bytes
from perflint.lint.options import CheckOptions
from perflint.lint.translation_units import Unit

#: A source of this size is refused wherever it is read.
_LARGEST = 64 << 20


@dataclass(frozen=True)
class Bundle:
    """What a run may read, by absolute path."""

    files: Mapping[str, bytes]
    links: Mapping[str, str]
    folders: tuple[str, ...]


def packed(units: Sequence[Unit], options: CheckOptions, root: Path) -> bytes:
    """Everything that the check of some files may read. Raises ClusterError."""
    assert options.bound is not None
    tree = listed(tops(units, options), options.bound.files, without=None)
    if tree is None:
        raise ClusterError(
            "the project has too many files to be sent to a cluster; leave out folders, or run "
            "perflint in one of them"
        )
    python = any(unit.path.suffix == ".ptx" for unit in units)
    paths = sources(tree, Memo(), python=python)
    links = {p: target for p, target in tree.links.items() if os.path.islink(p)}  # noqa: PTH114
    links |= _links_above([*(u.path for u in units), *_includes(units)])
    files = {
        path: data for path in paths if path not in links and (data := _read(path)) is not None
    }
    files |= {path: b"" for path in tree.files if Path(path).name == BUILD}
    folders = [*tree.tops, *map(str, (Path.cwd(), options.root, root)), *_inside(units, options)]
    folders += [str(f / ".git") for top in folders for f in _up(top) if (f / ".git").exists()]
    bundle = Bundle(files, links, tuple(dict.fromkeys(map(os.path.abspath, folders))))
    return zlib.compress(pickle.dumps(bundle, protocol=5), 1)


def _up(folder: str) -> Iterator[Path]:
    yield Path(folder)
    yield from Path(folder).parents


def _includes(units: Sequence[Unit]) -> set[Path]:
    return {p for u in units for p in (*u.include, *u.flags.include, *u.flags.before)}


def _inside(units: Sequence[Unit], options: CheckOptions) -> list[str]:
    """The folders for headers that may be read of, whether or not anything is in them."""
    assert options.bound is not None
    folders = (p for p in _includes(units) if p.is_dir() and options.bound.allows(p))
    return sorted(map(str, folders))


def _links_above(paths: Sequence[Path]) -> dict[str, str]:
    """The links among the folders that paths go through."""
    above = {folder for path in paths for folder in path.absolute().parents}
    return {str(f): os.path.realpath(f) for f in above if f.is_symlink()}


def _read(path: str) -> bytes | None:
    try:
        return read_bytes(Path(path), _LARGEST)
    except UnreadableError:
        return None


def unpack(data: bytes) -> str:
    """Write a bundle below a new folder, which is then the root of all that it holds."""
    bundle: Bundle = pickle.loads(zlib.decompress(data))
    below = os.path.realpath(tempfile.mkdtemp(prefix="perflint-"))
    links = {f"{below}{path}": target for path, target in bundle.links.items()}
    for path in sorted(links):  # those of folders before what lies behind them
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        target = links[path]
        Path(path).symlink_to(f"{below}{target}" if target.startswith("/") else target)
    for folder in bundle.folders:
        _folder(Path(os.path.realpath(f"{below}{folder}")))
    for path, content in bundle.files.items():
        file = Path(f"{below}{path}")
        _folder(Path(os.path.realpath(file.parent)))
        file.write_bytes(content)
    return below


def _folder(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
