"""The files that a question about one file may look into: itself, its includes, its neighbours."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.cuda_switches import cuda_switches
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.language.declarators import Definition, type_words
from perflint.frontend.source.language.lookup import Names, type_of_words
from perflint.frontend.source.language.macros import Macro
from perflint.frontend.source.language.preprocessor import (
    INCLUDE_COUNT,
    Finder,
    Preprocessed,
    directives,
    preprocess,
)
from perflint.frontend.source.language.struct_layout import struct_layout
from perflint.frontend.source.project.command_lines import CommandLine, command_lines
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.linkage import chosen_main, has_main, may_be_linked
from perflint.frontend.source.project.macro_calls import expanded_uses
from perflint.frontend.source.project.neighbours import among, companions, is_named, related
from perflint.frontend.source.project.own_tests import is_test
from perflint.frontend.source.project.pointer_calls import calls_through, is_local
from perflint.frontend.source.project.writes import Touched, Writes

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.project.answers import Answer

INCLUDER_LIMIT = 4
#: Uses of macros in one file in which calls of one function are looked for.
_MACRO_USES = 64


@dataclass(frozen=True, eq=False)
class Entrance:
    """One way into a function: a call, a launch, or an explicit instantiation (no call)."""

    file: File
    call: Call | None
    template: tuple[Node, ...] | None
    #: for a call in a macro's body, which `file` is the expansion of: where that is used
    outer: tuple[File, int] | None = None


class Project:
    """A main file, the files that it includes, and other files of the same program."""

    def __init__(
        self,
        path: Path,
        text: str,
        others: Mapping[Path, str],
        find: Finder | None = None,
        define: Mapping[str, str] | None = None,
        root: Path | None = None,
        parts: Mapping[Path, str] | None = None,
    ) -> None:
        texts = companions(path) | dict(parts or {}) | dict(others)
        self._parts = frozenset(parts or ())
        self._texts = {p: t for p, t in texts.items() if p != path}
        self._find = find or among(self._texts)
        self._define = dict(define or {})
        self._root = root  #: the folder below which files that say how the program is run may lie
        self._command_lines: dict[Path, tuple[CommandLine, ...]] = {}
        self._made_up: dict[Path, list[CommandLine]] = {}
        units = self._preprocess_main(path, text)
        self.main = _family(units)
        self.files = self.main.family
        self._outside: dict[Path, File] = {}
        self._neighbours: dict[tuple[str, tuple[str, ...]], list[File]] = {}
        #: writes that calls make to a function's variables, by (function, name, declaration)
        self.handed: dict[tuple[int, str, int], list[Definition]] = {}
        #: the functions that set a variable, or a member of it, out of functions
        self.setters: dict[tuple[str, str | None], list[tuple[Function, File]]] = {}
        #: what macros used as statements expand to, by the file and where they are used
        self.expanded: dict[tuple[int, int], File | None] = {}
        self.touched: dict[int, Touched] = {}  #: what methods write of their objects
        #: what evaluations found out, by question, for those that see the same choices
        self.answers: dict[Hashable, list[Answer]] = {}
        self._numbers: dict[Hashable, int] = {}  #: of keys
        #: what runs of programs read, by the file of `main` and the words that it is run with
        self.executed: dict[tuple[str, tuple[str, ...] | None], dict[Any, Any]] = {}
        #: how often that came to launches, likewise
        self.launched: dict[tuple[str, tuple[str, ...] | None], Any] = {}
        #: names out of functions, as looked up from a file
        self._known: dict[Hashable, object] = {}
        self._type_names: dict[int, frozenset[str]] = {}
        self._enumerations: dict[tuple[str, int], tuple[str, str] | None] = {}
        self._required: dict[int, int] = {}
        self._callers: dict[int, list[Entrance]] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        self._derived: dict[str, tuple[str, ...]] = {}
        self.writes = Writes(self.neighbours)

    def number_of(self, key: Hashable) -> int:
        """The same for the same key: what stands in keys of what is in it is hashed once.

        A call in a call in a call has its caller's key in its own, formulas and all.
        """
        return self._numbers.setdefault(key, len(self._numbers))

    def _preprocess_main(self, path: Path, text: str) -> list[Preprocessed]:
        """The main file's units; a file that others include sees what they define before it."""
        entries: list[Mapping[str, Macro]] = []
        files: list[Preprocessed] = []
        for other in self._roots(path):
            texts = {**self._texts, path: text}
            units = preprocess(other, texts[other], self._with(path, text), self._define)
            found = next((u for u in units if u.path == path), None)
            if found is not None:
                entries.append(found.entry)
                files = files or [u for u in units if u.path != path]
        own = preprocess(path, text, self._find, self._define, _agreed(entries))
        seen = {u.path for u in own}
        return [*own, *(u for u in files if u.path not in seen)]

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
            self._outside[path] = _family(preprocess(path, text, self._find, define))
        return self._outside[path]

    def command_lines(self, file: File) -> tuple[CommandLine, ...]:
        """What the program whose `main` is in a file is run with, best first."""
        if self._root is None:
            return ()
        if file.path not in self._command_lines:
            self._command_lines[file.path] = command_lines(file.path, self._root)
        return self._command_lines[file.path]

    def told_also(self, file: File, line: CommandLine) -> int:
        """The number of a run of a file's program that no file tells, from now on."""
        made = self._made_up.setdefault(file.path, [])
        if line not in made:
            made.append(line)
        return len(self.command_lines(file)) + made.index(line)

    def run(self, file: File, number: int) -> CommandLine:
        """A run of the program of a file, told or made up, by its number."""
        lines: list[CommandLine] = [*self.command_lines(file), *self._made_up.get(file.path, ())]
        return lines[number]

    def callers(self, function: Function) -> list[Entrance]:
        """Every way into a function that is in sight; none if its name is ambiguous."""
        key = function.node.id
        if key not in self._callers:
            self._callers[key] = self._of_program(self._find_callers(function), function)
        return self._callers[key]

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

    def kernels(self, name: str, near: File) -> list[Function]:
        """The definitions of a kernel, in the file's family or else anywhere near."""
        for files in (near.family, self.neighbours(name)):
            found = [
                function
                for file in files
                for function in file.declarations.by_name.get(name, ())
                if "__global__" in function.qualifiers
            ]
            if found:
                return found
        return []

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

    def global_variable(
        self, name: str, near: File, place: Sequence[str] = (), written: bool = False
    ) -> tuple[File, Definition] | None:
        """A variable at file or class scope whose value never changes (or any, if `written`).

        `name` may be qualified; `place` names the namespaces and classes around its use.
        """
        key = ("variable", name, id(near), tuple(place), written)
        if key not in self._known:
            self._known[key] = self._global_variable(name, near, place, written)
        return self._known[key]  # type: ignore[return-value]

    def _global_variable(
        self, name: str, near: File, place: Sequence[str], written: bool
    ) -> tuple[File, Definition] | None:
        *qualifier, last = name.split("::")
        for file in near.family:
            found = [
                d
                for d in file.variables.get(last, ())
                if _is_visible(file, d.start, qualifier, place)
            ]
            nearest = max((_rank(file, d.start, place) for d in found), default=0)
            found = [d for d in found if _rank(file, d.start, place) == nearest]
            with_value = [
                d for d in found if d.value is not None or (d.type == "dim3" and not d.elsewhere)
            ] or found
            if len(with_value) > 1:
                return None
            if with_value:
                file, definition = self._defined(file, with_value[0], last, written)
                if (
                    written
                    or definition.constant
                    or not self.writes.is_written(last, definition, file)
                ):
                    return file, definition
                return None
        return None

    def _defined(
        self, file: File, definition: Definition, name: str, written: bool
    ) -> tuple[File, Definition]:
        """What another place of the program defines: of `extern const int n;`, or of a static
        member of a class, which is `int Config::n = 4;` there.

        Of what may be written to (`written`) it may have no value.
        """
        if definition.value is not None or (definition.type == "dim3" and not definition.elsewhere):
            return file, definition
        scopes = file.declarations.scopes_at(definition.start)
        spelled = f"{scopes[-1].name}::{name}" if scopes and scopes[-1].is_class else name
        all_ = [
            (other, d)
            for other in self.neighbours(name)
            for d in other.variables.get(name, ())
            if _is_visible(other, d.start, (), ())
            and other.source.slice(d.start, d.start + len(spelled.encode())).startswith(spelled)
        ]
        found = [(other, d) for other, d in all_ if d.value is not None]
        if not found and written and definition.elsewhere and spelled == name:
            found = [(other, d) for other, d in all_ if not d.elsewhere and not d.static]
        if len(found) != 1:
            return file, definition
        other, one = found[0]  # whose qualified name counts as a pointer's
        return other, one if spelled == name else replace(
            one, pointers=definition.pointers, static=definition.static
        )

    def enumerator(
        self, name: str, near: File, place: Sequence[str] = ()
    ) -> tuple[File, str, int, int] | None:
        """(file, text of the last explicit value before it, steps after that, its offset)."""
        key = ("enumerator", name, id(near), tuple(place))
        if key not in self._known:
            self._known[key] = self._enumerator(name, near, place)
        return self._known[key]  # type: ignore[return-value]

    def _enumerator(
        self, name: str, near: File, place: Sequence[str]
    ) -> tuple[File, str, int, int] | None:
        *qualifier, last = name.split("::")
        for file in near.family:
            nodes = [
                n
                for n in file.declarations.enumerators.get(last, ())
                if _is_visible(file, n.start_byte, qualifier, place)
            ]
            if len(nodes) > 1:
                return None
            if not nodes:
                continue
            node: Node | None = nodes[0]
            offset = 0
            while node is not None:
                value = node.child_by_field_name("value") if node.type == "enumerator" else None
                if value is not None:
                    return file, file.source.text_of(value), offset, value.start_byte
                node = node.prev_named_sibling
                offset += node is not None and node.type == "enumerator"
            return file, "", offset, nodes[0].start_byte
        return None

    def enumeration(self, name: str, near: File) -> tuple[str, str] | None:
        """An enumeration's qualified name, and the type that its source says it is of, or ""."""
        key = name, id(near)
        if key not in self._enumerations:
            self._enumerations[key] = self._enumeration(name, near)
        return self._enumerations[key]

    def _enumeration(self, name: str, near: File) -> tuple[str, str] | None:
        for file in near.family:
            for scope in file.declarations.scopes:
                if scope.kind == "enum" and scope.name == name:
                    around = file.declarations.scopes_at(scope.start)
                    head = file.source.slice(scope.start, scope.end).partition("{")[0]
                    base = re.search(r"(?<!:):(?!:)(.*)", head, re.DOTALL)
                    whole = "::".join((*(s.name for s in around), name))
                    return whole, base[1].strip() if base else ""
            for node in file.declarations.typedefs.get(name, ()):
                target = node.child_by_field_name("type")
                if target is not None and target.type == "enum_specifier":
                    return name, ""
        return None

    def type_names(self, near: File) -> frozenset[str]:
        """The typedefs, aliases and structs in sight of a file."""
        if id(near) not in self._type_names:
            known = (file.declarations for file in near.family)
            self._type_names[id(near)] = frozenset(
                n for d in known for n in (*d.typedefs, *d.structs)
            )
        return self._type_names[id(near)]

    def type(self, name: str, names: Names, near: File) -> CType | None:
        """A typedef, alias or struct by name."""
        for file in near.family:
            declarations, source = file.declarations, file.source
            if name in declarations.typedefs:
                nodes = declarations.typedefs[name]
                node = nodes[0]
                if len({" ".join(source.text_of(n).split()) for n in nodes}) > 1:
                    return None
                target = node.child_by_field_name("type")
                declarator = node.child_by_field_name("declarator")
                text = source.text_of(target) if target is not None else ""
                is_array = declarator is not None and declarator.type == "array_declarator"
                if target is None or is_array:
                    return None
                if "*" in text or (declarator is not None and "pointer" in declarator.type):
                    return c_types.POINTER
                if target.type == "struct_specifier":
                    return struct_layout(source, target, names)
                words = type_words(text).split()
                return None if words == [name] else type_of_words(words, names)
            if name in declarations.structs:
                return struct_layout(source, declarations.structs[name], names)
        return None


def _without_float(file: File, arguments: Sequence[Node]) -> bool:
    """Explicit instantiations for `float` come first."""
    return "float" not in map(file.source.text_of, arguments)


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


def _is_visible(file: File, at: int, qualifier: Sequence[str], place: Sequence[str]) -> bool:
    """Whether a name declared at an offset is meant by `qualifier::name`, used inside `place`."""
    scopes = file.declarations.scopes_at(at)
    if qualifier:
        wanted = list(qualifier)
        named_all = [s.name for s in scopes]
        unscoped = [s.name for s in scopes if s.kind != "enum"]
        return wanted in (named_all[-len(wanted) :], unscoped[-len(wanted) :])
    return all(s.name in place for s in scopes if s.is_class)


def _rank(file: File, at: int, place: Sequence[str]) -> int:
    """How near what stands at an offset is to a place: that of the innermost class or namespace
    around both is nearest, what has none around it is further, and another namespace's furthest."""
    scopes = [s.name for s in file.declarations.scopes_at(at) if s.kind != "enum" and s.name]
    if not scopes:
        return -1
    return place.index(scopes[-1]) if scopes[-1] in place else -2


def _same_arity(first: Function, second: Function) -> bool:
    return len(first.parameters) == len(second.parameters)


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


def _fits(call: Call, function: Function, required: int) -> bool:
    if any("..." in p.written for p in function.parameters):
        return len(call.arguments) >= required - 1
    if not required <= len(call.arguments) <= len(function.parameters):
        return False
    return function.method or not call.through_object


def _inside(node: Node, function: Function, file: File) -> bool:
    same = file.source is function.source
    return same and function.node.start_byte <= node.start_byte < function.node.end_byte
