"""Classes in sight: what they are derived of, and how objects of them are made."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.names_in_sight import NamesInSight


class ClassesInSight(NamesInSight):
    """Classes, by name."""

    @cached_property
    def _bases(self) -> dict[str, tuple[str, ...]]:
        """By class."""
        return {}

    @cached_property
    def _derived(self) -> dict[str, tuple[str, ...]]:
        """By class."""
        return {}

    def bases(self, name: str) -> tuple[str, ...]:
        """The classes that a class is directly derived of."""
        if name not in self._bases:
            own = any(
                s.is_class and s.name == name for f in self.files for s in f.declarations.scopes
            )
            files = self.files if own else self.neighbours(name)
            found = (f.declarations.bases.get(name) for f in files)
            self._bases[name] = next((b for b in found if b), ())
        return self._bases[name]

    def lineage(self, name: str) -> tuple[str, ...]:
        """A class and all that it is derived of, nearest first."""
        found = [name]
        for each in found:
            found += [b for b in self.bases(each) if b not in found]
        return tuple(found)

    def derived(self, name: str) -> tuple[str, ...]:
        """All classes in sight that are derived of a class."""
        if not name:
            return ()
        if name not in self._derived:
            known = {c for f in self.neighbours(name) for c in f.declarations.bases}
            below = sorted(c for c in known if name in self.bases(c) and c != name)
            self._derived[name] = ()  # of classes that are derived in a circle
            deeper = [d for c in below for d in self.derived(c)]
            self._derived[name] = tuple(dict.fromkeys((*below, *deeper)))
        return self._derived[name]

    def makers(self, name: str, near: File) -> list[tuple[File, Function]]:
        """The constructors by which an object of a class, or a derived one, may be made."""
        below = self.derived(name)
        found = [maker for class_ in below for maker in self.constructors(class_, near)]
        if below and not any(_makes(file.source.text, name) for file in self.neighbours(name)):
            return found  # nobody makes a plain one
        own = self.constructors(name, near)
        own = [m for m in own if not _copies(m[1])] or own  # a copy is as its original was made
        for base in () if own else self.bases(name):
            own = own or [m for m in self.constructors(base, near) if not m[1].parameters]
        return [*own, *found]

    def constructors(self, name: str, near: File) -> list[tuple[File, Function]]:
        """The constructors of a class that are in sight, with their bodies."""
        for files in (near.family, self.neighbours(name)):
            found = [
                (file, function)
                for file in files
                for function in file.declarations.by_name.get(name, ())
                if function.constructs == name and function.body is not None
            ]
            if found:
                return found
        return []


@lru_cache(maxsize=1024)
def _makes(text: str, name: str) -> bool:
    """Whether a file makes an object of just this class."""
    plain = rf"\bnew\s+{name}\b|\b{name}\s+\w+\s*[;,=({{\[]|<\s*{name}\s*>\s*\("
    return name in text and re.search(plain, text) is not None


def _copies(function: Function) -> bool:
    """Whether a constructor takes nothing but another object of its class."""
    given = [p for p in function.parameters if p.default is None]
    words = [re.findall(r"\w+", p.type) for p in given]
    kinds = [[w for w in each if w != "const"] for each in words]
    return kinds == [[function.constructs]] and not given[0].pointers
