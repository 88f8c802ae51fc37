"""The lines that changed since a Git commit, for `--diff-base`.

Git is asked for nothing but objects of the repository that we found ourselves: `rev-parse`,
`merge-base`, `cat-file blob`. These know no filter, no text conversion, no external diff, no hook
and no file system monitor, and read no working tree: nothing that a tree holds makes them run
anything. The comparison is ours. Of a branch, what counts is the commit at which HEAD left it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from perflint.base import bounds, processes
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.cli import line_diff
from perflint.cli.discovery import PathError
from perflint.frontend.source.project.user_files import LARGEST_PTX, UnreadableError, read_bytes

_SECONDS = 60
#: Each for what a repository's own configuration, or one within the tree, could ask for.
_OPTIONS = (
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "core.bigFileThreshold=8m"),
    *("-c", "protocol.allow=never"),
    "--no-pager",
)
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
}


@dataclass(frozen=True)
class Changes:
    """What changed since a commit in the repository around a folder."""

    ref: str
    folder: Path

    @cached_property
    def root(self) -> Path:
        """The repository's root. Raises PathError if there is none."""
        found = bounds.repository(Path(os.path.realpath(self.folder)))
        if found is None:
            raise PathError(f"--diff-base: {self.folder} is in no Git repository")
        return found

    @cached_property
    def base(self) -> str:
        """The commit to compare with. Raises PathError for a ref that is none."""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{self.ref}^{{commit}}")
        commit = self._git(*asked)
        if commit is None:
            raise PathError(f"--diff-base: there is no commit {self.ref!r} in {self.root}")
        name = commit.decode().strip()
        shared = self._git("merge-base", name, "HEAD")  # none in a shallow clone
        return shared.decode().strip() if shared else name

    def verify(self) -> None:
        """Raise PathError now rather than when the first place is asked about."""
        assert self.base

    def touch(self, place: Span) -> bool:
        """Whether a place has a line that is new or changed."""
        real = Path(os.path.realpath(place.path))
        if not real.is_relative_to(os.path.realpath(self.root)):
            return False
        ranges = self._ranges(real)
        return ranges is None or any(
            first <= place.end_line and place.line <= last for first, last in ranges
        )

    def _ranges(self, path: Path) -> tuple[tuple[int, int], ...] | None:
        """First and last of each stretch of changed lines; None for a file that is new."""
        known = self.__dict__.setdefault("_known", {})
        if path not in known:
            known[path] = self._changed(path)
        found: tuple[tuple[int, int], ...] | None = known[path]
        return found

    def _changed(self, path: Path) -> tuple[tuple[int, int], ...] | None:
        name = path.relative_to(os.path.realpath(self.root)).as_posix()
        before = self._git("cat-file", "blob", f"{self.base}:{name}")
        if before is None:  # it is new
            return None
        try:
            now = read_bytes(path, LARGEST_PTX)
        except UnreadableError as error:
            raise PathError(f"--diff-base: {path} {error}") from None
        return line_diff.changed(_lines(before), _lines(now))

    def _git(self, *arguments: str) -> bytes | None:
        """What git prints; None if it fails. Raises PathError where there is no git."""
        git = processes.program("git")
        if git is None:
            raise PathError("--diff-base: there is no git on the PATH")
        known = [name for name in os.environ if name.startswith("GIT_")]  # a hook's, a stranger's
        asked = processes.tool(git, f"--git-dir={self.root / '.git'}", *_OPTIONS, *arguments)
        env = {n: v for n, v in asked.env.items() if n not in known} | _ENVIRONMENT
        said = processes.output(replace(asked, env=env), seconds=_SECONDS, most=LARGEST_PTX)
        if said.status is None:
            raise PathError(f"--diff-base: git was stopped after {_SECONDS} s or 64 MB")
        return said.out if said.status == 0 else None


def _lines(data: bytes) -> list[str]:
    """A file's lines; a checkout may have other line ends than the commit."""
    text = data.decode("utf-8", "surrogateescape")
    return [line.removesuffix("\r") for line in text.split("\n")]
