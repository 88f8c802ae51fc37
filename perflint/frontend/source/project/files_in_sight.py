"""The files that a question about one file may look into: itself, its includes, its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from perflint.frontend.source.language.cuda_switches import cuda_switches
from perflint.frontend.source.language.macros import Macro
from perflint.frontend.source.language.preprocessor import (
    INCLUDE_COUNT,
    Finder,
    Preprocessed,
    directives,
    preprocess,
)
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.linkage import chosen_main, has_main, may_be_linked
from perflint.frontend.source.project.neighbours import among, companions, is_named, related
from perflint.frontend.source.project.writes import Writes

INCLUDER_LIMIT = 4


class FilesInSight:
    """A main file, the files that it includes, and other files of the same program."""

    def __init__(
        self,
        path: Path,
        text: str,
        others: Mapping[Path, str],
        find: Finder | None = None,
        define: Mapping[str, str] | None = None,
        parts: Mapping[Path, str] | None = None,
    ) -> None:
        texts = companions(path) | dict(parts or {}) | dict(others)
        self._parts = frozenset(parts or ())
        self._texts = {p: t for p, t in texts.items() if p != path}
        self._find = find or among(self._texts)
        self._define = dict(define or {})
        self.preprocessed: set[str] = set()  #: texts: what macros may say anything of
        self._outside: dict[Path, File] = {}
        self._neighbours: dict[tuple[str, tuple[str, ...]], list[File]] = {}
        units = self._preprocess_main(path, text)
        self.main = _family(units)
        self.files = self.main.family
        self.writes = Writes(self.neighbours)

    def _preprocess_main(self, path: Path, text: str) -> list[Preprocessed]:
        """The main file's units; a file that others include sees what they define before it."""
        entries: list[Mapping[str, Macro]] = []
        files: list[Preprocessed] = []
        for other in self._roots(path):
            texts = {**self._texts, path: text}
            units = self._units(other, texts[other], self._with(path, text), self._define)
            found = next((u for u in units if u.path == path), None)
            if found is not None:
                entries.append(found.entry)
                files = files or [u for u in units if u.path != path]
        own = self._units(path, text, self._find, self._define, _agreed(entries))
        seen = {u.path for u in own}
        return [*own, *(u for u in files if u.path not in seen)]

    def _units(
        self,
        path: Path,
        text: str,
        find: Finder,
        define: Mapping[str, str],
        entry: Mapping[str, Macro] | None = None,
    ) -> list[Preprocessed]:
        """As `preprocess`, noting which texts that read."""
        units = preprocess(path, text, find, define, entry)
        self.preprocessed.update(unit.text for unit in units)
        return units

    def _with(self, path: Path, text: str) -> Finder:
        def find(source: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
            return (
                (path, text) if is_named(path, name, source) else self._find(source, name, quoted)
            )

        return find

    def _roots(self, path: Path) -> list[Path]:
        """The files that include a file, directly or through others, and are included by none."""
        roots: list[Path] = []
        seen = {path}
        waiting = self._includers(path)
        while waiting and len(seen) < INCLUDE_COUNT:
            other = waiting.pop(0)
            if other in seen:
                continue
            seen.add(other)
            above = self._includers(other)
            waiting += above
            if not above:
                roots.append(other)
        return sorted(roots)[:INCLUDER_LIMIT]

    def _includers(self, path: Path) -> list[Path]:
        result = []
        for other, text in self._texts.items():
            if path.name in text and related(other, path):
                rests = [rest for _, _, word, rest in directives(text) if word == "include"]
                if any(is_named(path, rest.strip().strip('"<>'), other) for rest in rests):
                    result.append(other)
        return sorted(result)

    def neighbours(self, word: str, also: tuple[str, ...] = ()) -> list[File]:
        """The main file, its includes, and the other files near it in which a word occurs.

        Of the others only those in which one of some words occurs `also`: each costs its headers.
        """

        def is_meant(text: str) -> bool:
            return word in text and (not also or any(each in text for each in also))

        if (word, also) not in self._neighbours:
            found = [self._outside_file(p, text) for p, text in self._near if is_meant(text)]
            headers = [f for f in self._headers_of_main if is_meant(f.unit.text)]
            files = [*self.files, *found, *headers]
            expanded = [f.expansion for f in files if "#" in f.unit.text]
            self._neighbours[word, also] = [
                *files,
                *(e for e in expanded if e is not None and word in e.unit.text),
            ]
        return self._neighbours[word, also]

    @cached_property
    def mains(self) -> Sequence[File]:
        """The files with a `main` in sight, each once."""
        return list({f.path: f for f in self.neighbours("main") if f.has_main}.values())

    @cached_property
    def _near(self) -> list[tuple[Path, str]]:
        inside = {f.path for f in self.files}
        texts = sorted(self._texts.items())
        path, own = self.main.path, self.main.unit.text
        return [
            (p, t)
            for p, t in texts
            if p not in inside
            and (p in self._parts or related(p, path))
            and may_be_linked(path, own, p, t)
        ]

    @cached_property
    def _headers_of_main(self) -> list[File]:
        """What the program's `main` includes that is in sight of no other file."""
        mains = {p: text for p, text in self._near if has_main(text)}
        if self.main.has_main or (chosen := chosen_main(list(mains))) is None:
            return []
        known = {*(f.path for f in self.files), *self._texts}
        family = self._outside_file(chosen, mains[chosen]).family
        return [f for f in family if f.path not in known]

    def _outside_file(self, path: Path, text: str) -> File:
        if path not in self._outside:
            define = dict.fromkeys(cuda_switches([text]), "1") | self._define
            self._outside[path] = _family(self._units(path, text, self._find, define))
        return self._outside[path]


def _family(units: Sequence[Preprocessed]) -> File:
    """The first unit's file, with the files of the other units as its family."""
    files = [File(unit) for unit in units]
    for file in files:
        file.family = [file, *(f for f in files if f is not file)]
    return files[0]


def _agreed(entries: Sequence[Mapping[str, Macro]]) -> Mapping[str, Macro] | None:
    """The macros on which all includers agree; the others exist but are unknown."""
    if not entries:
        return None
    result = dict(entries[0])
    for entry in entries[1:]:
        for name in {*result, *entry}:
            if result.get(name) != entry.get(name):
                result[name] = Macro(name, (), known=False)
    return result
