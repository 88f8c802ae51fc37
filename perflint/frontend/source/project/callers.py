"""The ways into a function: its calls, launches and instantiations, in sight of one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.project.classes_in_sight import ClassesInSight
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.linkage import MOST_PROGRAMS
from perflint.frontend.source.project.macro_calls import expanded_uses
from perflint.frontend.source.project.own_tests import is_test, without_tests
from perflint.frontend.source.project.pointer_calls import calls_through, is_local

if TYPE_CHECKING:
    from tree_sitter import Node


#: Uses of macros in one file in which calls of one function are looked for.
_MACRO_USES = 64
_MOST_CALLERS = 200  #: functions between a `main` and a launch that are looked at


@dataclass(frozen=True, eq=False)
class Entrance:
    """One way into a function: a call, a launch, or an explicit instantiation (no call)."""

    file: File
    call: Call | None
    template: tuple[Node, ...] | None
    #: for a call in a macro's body, which `file` is the expansion of: where that is used
    outer: tuple[File, int] | None = None


class Callers(ClassesInSight):
    """Functions, and who calls them."""

    @cached_property
    def _required(self) -> dict[int, int]:
        """By function."""
        return {}

    @cached_property
    def _callers(self) -> dict[int, list[Entrance]]:
        """By function."""
        return {}

    @cached_property
    def _programs(self) -> dict[int, tuple[File, ...]]:
        """By function."""
        return {}

    def callers(self, function: Function) -> list[Entrance]:
        """Every way into a function that is in sight; none if its name is ambiguous."""
        key = function.node.id
        if key not in self._callers:
            self._callers[key] = self._of_program(self._find_callers(function), function)
        return self._callers[key]

    def programs(self, function: Function, several: bool = True) -> tuple[File, ...]:
        """The files whose `main` calls in sight lead from to a function.

        None where it stands in such a file itself; with `several`, nor where one alone is in sight.
        """
        if several and len(self.mains) < 2:
            return ()
        key = function.node.id
        if key not in self._programs:
            own = any(f.source is function.source for f in self.mains)
            self._programs[key] = () if own else self._find_programs(function)
        return self._programs[key]

    def _find_programs(self, function: Function) -> tuple[File, ...]:
        mains = {file.path: file for file in self.mains}
        found: dict[Path, File] = {}
        waiting, seen = [function], {function.node.id}
        while waiting and len(seen) < _MOST_CALLERS:
            for site in self.callers(waiting.pop(0)):
                file, at = site.outer or (site.file, site.call.node.start_byte if site.call else 0)
                around = file.declarations.function_at(at) if site.call is not None else None
                if around is None or around.node.id in seen:
                    continue
                seen.add(around.node.id)
                if around.name == "main" and not around.method and file.path in mains:
                    found[file.path] = mains[file.path]
                else:
                    waiting.append(around)
        kept = without_tests(sorted(found))
        return tuple(found[path] for path in kept[:MOST_PROGRAMS])

    def _of_program(self, found: list[Entrance], function: Function) -> list[Entrance]:
        """The ways in but those of tests, where the project's own program has some, too."""
        own = function.source.path
        plain = [e for e in found if not self._is_test(e.file.path, own)]
        if len(plain) == len(found) or not any(e.call is not None for e in plain):
            return found
        if self._is_test(own, own) or all(self._is_test(f.path, own) for f in self.mains):
            return found
        return plain

    def _is_test(self, path: Path, seen_from: Path) -> bool:
        return is_test(path, self._texts.get(path, ""), [seen_from])

    def _find_callers(self, function: Function) -> list[Entrance]:
        result: list[Entrance] = []
        required = self.required(function)
        for file in self.neighbours(function.name):
            same = file.declarations.by_name.get(function.name, [])
            own = file.source is function.source
            if own and any(f is not function and _same_arity(f, function) for f in same):
                return []  # overloads: which one a call means is the compiler's to say
            included = any(f.source is function.source for f in file.family)
            if not own and same and not included:  # its own, and no stand-in for this one
                continue
            result += (
                Entrance(file, call, call.template)
                for call in file.declarations.calls.get(function.name, ())
                if _fits(call, function, required)
                and not _inside(call.node, function, file)
                and (call.through_object or not is_local(function.name, call.node, file))
            )
            result += self._through_macros(function, file)
            if function.constructs:
                calls = self._initialised(function.constructs, file)
                result += (
                    Entrance(file, c, c.template) for c in calls if _fits(c, function, required)
                )
            if function.template:
                given = file.declarations.instantiations.get(function.name, ())
                given = sorted(given, key=partial(_without_float, file))
                result += (Entrance(file, None, arguments) for arguments in given)
        if not any(entrance.call is not None for entrance in result):
            result += (
                Entrance(f, c, c.template) for f, c in calls_through(self.neighbours, function)
            )
        result.sort(key=lambda entrance: entrance.call is None)  # what happens comes first
        return result

    def required(self, function: Function) -> int:
        """How many arguments a call of a function has at least."""
        key, count = function.node.id, len(function.parameters)
        if key not in self._required:
            given = (self.default(function, position) for position in range(count))
            self._required[key] = sum(default is None for default in given)
        return self._required[key]

    def _through_macros(self, function: Function, file: File) -> Iterator[Entrance]:
        """The calls of a function in the bodies of macros, where a file uses these."""
        if function.name not in file.words_of_macros:
            return
        required = self.required(function)
        uses = expanded_uses(file, lambda m: any(t.text == function.name for t in m.body))
        for inner, use in islice(uses, _MACRO_USES):
            if not _inside(use.node, function, file):
                for call in inner.declarations.calls.get(function.name, ()):
                    if _fits(call, function, required):
                        yield Entrance(inner, call, call.template, (file, use.node.start_byte))

    def is_in_macros(self, function: Function) -> bool:
        """Whether a macro in sight may call a function, with arguments of its own."""
        return any(function.name in f.words_of_macros for f in self.neighbours(function.name))

    def default(self, function: Function, position: int) -> tuple[str, File | None, int] | None:
        """A parameter's default, and where it is written: None for the function's own file.

        A function that a header declares has its defaults there.
        """
        own = function.parameters[position].default
        if own is not None:
            return own, None, function.node.start_byte
        if function.template:
            return None
        kinds = [p.written for p in function.parameters]
        for file in self.neighbours(function.name):
            for declared in file.declarations.prototypes.get(function.name, ()):
                same = [p.written for p in declared.parameters] == kinds
                same = same and declared.qualified == function.qualified
                if same and (text := declared.parameters[position].default) is not None:
                    return text, file, declared.node.start_byte
        return None

    def _initialised(self, class_: str, file: File) -> Iterator[Call]:
        """Where initialiser lists construct an object of a class: as a base, or as a member."""
        for name, calls in file.declarations.initialised.items():
            types = [
                d.type.split()[-1:] == [class_]
                for each in file.family
                for d in each.variables.get(name, ())
            ]
            if name == class_ or any(types):
                yield from calls


def _without_float(file: File, arguments: Sequence[Node]) -> bool:
    """Explicit instantiations for `float` come first."""
    return "float" not in map(file.source.text_of, arguments)


def _same_arity(first: Function, second: Function) -> bool:
    return len(first.parameters) == len(second.parameters)


def _fits(call: Call, function: Function, required: int) -> bool:
    if any("..." in p.written for p in function.parameters):
        return len(call.arguments) >= required - 1
    if not required <= len(call.arguments) <= len(function.parameters):
        return False
    return function.method or not call.through_object


def _inside(node: Node, function: Function, file: File) -> bool:
    same = file.source is function.source
    return same and function.node.start_byte <= node.start_byte < function.node.end_byte
