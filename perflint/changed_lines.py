"""The lines that changed since a Git commit, for `--diff-base`.

Git is asked, file by file, without what a tree's attributes could add (external diffs, text
conversion). Of a branch, what counts is the commit at which HEAD left it.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from perflint.discovery import PathError
from perflint.span import Span

_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_SECONDS = 60


@dataclass(frozen=True)
class Changes:
    """What changed since a commit in the repository around a folder."""

    ref: str
    folder: Path

    @cached_property
    def root(self) -> Path:
        """The repository's root. Raises PathError if there is none."""
        found = self._git("rev-parse", "--show-toplevel", cwd=self.folder)
        if found is None:
            raise PathError(f"--diff-base: {self.folder} is in no Git repository")
        return Path(os.fsdecode(found.rstrip(b"\n")))

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
        """First and last of each stretch of changed lines; None for a file Git does not know."""
        known = self.__dict__.setdefault("_known", {})
        if path not in known:
            known[path] = self._changed(path)
        found: tuple[tuple[int, int], ...] | None = known[path]
        return found

    def _changed(self, path: Path) -> tuple[tuple[int, int], ...] | None:
        if self._git("ls-files", "--error-unmatch", "--", str(path)) is None:
            return None
        options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
        text = self._git("diff", *options, self.base, "--", str(path))
        if text is None:
            raise PathError(f"--diff-base: git cannot compare {path} with {self.ref}")
        hunks = ((int(m[1]), int(m[2] if m[2] is not None else 1)) for m in _HUNK.finditer(text))
        return tuple((first, first + count - 1) for first, count in hunks if count)

    def _git(self, *arguments: str, cwd: Path | None = None) -> bytes | None:
        """What git prints; None if it fails. Raises PathError where there is no git."""
        command = ["git", "--literal-pathspecs", "-c", "core.fsmonitor=false", *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=cwd or self.root,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise PathError("--diff-base: there is no git on the PATH") from None
        except subprocess.TimeoutExpired:
            raise PathError(f"--diff-base: git ran for more than {_SECONDS} s") from None
        return done.stdout if done.returncode == 0 else None
