"""The state of compiling one file: what was blanked, added and guessed so far."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.cccl import imported, libcxx
from perflint.frontend.closure import Closure, SourceFile
from perflint.frontend.directives import every_definition, rewrite
from perflint.frontend.known_headers import LIGHT_GROUPS
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.blank import (
    DECLARED,
    DELETED,
    Cut,
    blank,
    device_macros,
    emptied,
    global_macros,
    host_cuts,
    host_marks,
    mentions_device,
    with_constants,
    with_pragmas,
    without_loose_linkage,
    without_loose_restrict,
    without_qualified_classes,
)
from perflint.frontend.nvrtc.candidates import Candidates
from perflint.frontend.nvrtc.enclosing_declaration import Declaration
from perflint.frontend.nvrtc.host_macros import host_macros, type_macros, uses
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.specialisations import moved, with_member_templates
from perflint.frontend.nvrtc.specifiers import (
    mentioned,
    specifier_macros,
    without_lambda_specifiers,
)
from perflint.frontend.nvrtc.templates import Instance, Templates, instances
from perflint.frontend.nvrtc.unneeded import Text, unneeded, words_of
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.project.user_files import words

#: `-default-device`: a function without a qualifier is device code; the host's are gone by then.
OPTIONS: tuple[str, ...] = ("-lineinfo", "-default-device", "-w", "--pre-include=perflint/pre.h")
#: nvcc's device code has the host compiler's 128-bit integers, NVRTC's those that it is asked for.
if sys.platform == "linux":
    OPTIONS = (*OPTIONS, "-device-int128")


#: Assumed instances of a kernel that are tried one after the other before the rest are together,
#: and how many of them are worth that.
_IN_TURN, _TOGETHER = 2, 3

#: The end of a row of conditions in which nvcc's host compiler, or where it runs, is one of those
#: that are taken.
_UNKNOWN = pattern(
    rb"^[ \t]*#[ \t]*(?:el)?if[^\n]*\b(?:__GNUC__|__linux__|__x86_64__)[^\n]*\n"
    rb"(?:(?![ \t]*#[ \t]*(?:if|endif))[^\n]*\n){0,8}?"
    rb"[ \t]*#[ \t]*else\b[^\n]*\n(?:[ \t]*(?://[^\n]*)?\r?\n)*[ \t]*#[ \t]*error\b",
    re.MULTILINE,
)
#: The header with the names of instances, the last that is read.
NAMES = "perflint-names.h"


@cache
def own_headers() -> Mapping[str, str]:
    """Our headers by the names under which the compiler is given them."""
    folder = Path(__file__).parents[1] / "headers"
    return {f"perflint/{f.name}": f.read_text("utf-8") for f in sorted(folder.iterdir())}


#: The header that has libcu++'s names in namespace std.
_STD = "perflint/std.h"
_USES_STD = pattern(rb"\busing\s+namespace\s+(?:::)?std\s*;")


@cache
def words_of_prelude() -> frozenset[str]:
    """The words of the header that every source is compiled with."""
    return frozenset(re.findall(r"\w+", own_headers()["perflint/pre.h"]))


@lru_cache(maxsize=256)
def _pointed(code: bytes, targets: tuple[tuple[str, bool, str | None], ...]) -> str:
    """The text with its `#include`s pointing at these targets, by (name, quoted)."""
    by_name = {(name, quoted): target for name, quoted, target in targets}
    text = rewrite(code, lambda i: by_name.get((i.name, i.quoted)))
    return text.decode("utf-8", "replace")


class Session:
    """The sources as they are given to the compiler, and how they came to be so."""

    def __init__(
        self,
        closure: Closure,
        facts: Mapping[Path, SourceFacts],
        options: Iterable[str],
        architecture: int,
        std: str,
        within: Sequence[Path] | None = None,
    ) -> None:
        """`within` are the files whose kernels are wanted, before all the first's; None: all."""
        self.closure, self.facts = closure, facts
        self._options = (*OPTIONS, *options)
        self.std = std
        self._architecture = architecture
        self.once = False  #: what includes the file itself gets nothing
        self.keep: frozenset[str] = frozenset()  #: host functions that device code calls
        self.light_groups = True  #: cooperative groups without CCCL
        self.includes: list[str] = []  #: headers of CUDA's added
        self.std_names: set[str] = set()  #: those of namespace std that are libcu++'s
        self.guesses: dict[str, str] = {}  #: macros that the build would define
        self.constant: set[Path] = set()  #: files whose constants are made `constexpr`
        self.specialised: set[bytes] = set()  #: templates of libcu++'s that the sources specialise
        self.separate = False  #: -rdc=true
        self.pytorch_flags = False  #: half without implicit conversions
        self.long_is_64 = False  #: `int64_t` is `long`
        self.long_was_tried = False  #: for want of another remedy
        self.host_is_device = False  #: `__host__` says nothing
        self.is_gnu = self._asks_for_gnu()  #: the macros of nvcc's host compiler are defined
        self.narrow = False  #: nothing in headers of the host's is wanted for its own sake
        self.was_narrow = False  #: and that had been tried
        self.narrowed_away: frozenset[str] = frozenset()  #: words of what this took out
        self.missed: frozenset[bytes] = (
            frozenset()
        )  #: those of them that device code needs after all
        self.few_rounds = 0  #: rounds in which little of the host's headers was refused
        self.turns_back = 0  #: rounds in which it was found to
        self.given_up: set[str] = set()  #: name expressions that do not compile
        self._assumed_given_up: Counter[str] = Counter()  #: how many of a kernel's were assumed
        self._assumed_refused: set[str] = set()  #: those that no name lacked that is elsewhere
        self.trials: dict[str, list[Instance]] = {}  #: instances that are asked for together
        self.refusals: dict[str, tuple[Instance, str]] = {}  #: kernel → an instance, why not
        #: what a compilation by itself, of which nothing was left out, refused of assumed instances
        self.refused: frozenset[str] = frozenset()
        self.removed: dict[str, str] = {}  #: name declared by what was blanked → why
        self._lost: list[tuple[Path, Declaration]] = []  #: kernels that were blanked themselves
        self.in_vain = False  #: all were before the compiler was asked
        self.host_functions: set[str] = set()
        #: headers of the host's that were emptied, with what they declare; with none: given back
        self.emptied: dict[Path, frozenset[bytes]] = {}
        self._gone: dict[Path, list[Cut]] = {p: [] for p in closure.files}
        self._rewritten: dict[Path, tuple[bytes, str]] = {}
        definitions = every_definition(f.code for f in closure.files.values())
        self.globals = global_macros(definitions)
        self._device_macros = device_macros(definitions)
        self.host_marks = host_marks(definitions)
        self.specifier_macros = specifier_macros(f.code for f in closure.files.values())
        self.includes_itself = any(
            r.path == self.main for f in closure.files.values() for r in f.resolutions.values()
        )
        self.kernels = {path: fact.kernels for path, fact in facts.items()}
        kernels = [k for found in self.kernels.values() for k in found]
        self._host_macros = host_macros(definitions, self._device_macros, {k.name for k in kernels})
        self._type_macros = type_macros(
            (f.code for f in closure.files.values()),
            definitions,
            self._device_macros,
            self._host_macros,
        )
        codes = {p: f.code for p, f in closure.files.items() if p not in closure.libraries}
        self.templates = Templates(kernels, Candidates(codes, facts))
        first, spare = instances(facts.values(), self.templates)
        others = (
            ()
            if within is None
            else {k.name for p in facts for k in self.kernels[p]}
            - {k.name for p in within for k in self.kernels.get(p, ())}
        )
        #: files of which kernels are compiled that no launch names
        self.own = (self.main, *(within or ())[:1])
        self.unwanted = frozenset(others)  #: kernels that another file is compiled for
        first = tuple(i for i in first if i.kernel not in self.unwanted)
        self.instances = [i for i in first if not i.assumed]
        self.waiting = [i for i in first if i.assumed]  #: compiled once all else is
        self.spare = {name: list(found) for name, found in spare.items()}  #: tried if these fail
        self._blanked = self._blank_host()
        self.codes = dict(self._blanked)
        if asked := self._asked_types() & self.host_functions:
            self.restore(asked)

    @property
    def own_codes(self) -> Mapping[Path, bytes]:
        """What is compiled of the files that are not a library's."""
        libraries = self.closure.libraries
        return {path: code for path, code in self.codes.items() if path not in libraries}

    @property
    def defined(self) -> frozenset[str]:
        """The macros that the compiler is given."""
        given = (o[2:] for o in self._options if o.startswith("-D"))
        return frozenset(re.split(r"[=(]", each, maxsplit=1)[0] for each in given)

    @property
    def main(self) -> Path:
        """The file being compiled."""
        return self.closure.main

    def job(self) -> Job:
        """What to compile now."""
        headers = dict(own_headers())
        main = ""
        for path, file in self.closure.files.items():
            text = self._text(path)
            if path == self.main:
                main = text
            if path != self.main or self.includes_itself:
                headers[file.alias] = text
        if any(_USES_STD.search(code) for code in self.codes.values()):
            headers[_STD] = imported(self.std_names)
        if self.names:
            headers[NAMES] = "\n".join(self.names)
            main += f'\n#include "{NAMES}"\n'
        first = (*self.includes, *self.closure.before)
        options = [*self._options, f"-std={self.std}", *(f"--pre-include={n}" for n in first)]
        options += [f"-D{name}={value}" for name, value in self.guesses.items()]
        if self.light_groups:
            options.append(LIGHT_GROUPS)
        if self.separate:
            options.append("-rdc=true")
        if self.long_is_64:
            options.append("-DPERFLINT_LONG_IS_64")
        if self.host_is_device:
            options.append("-DPERFLINT_HOST_IS_DEVICE")
        if self.is_gnu:
            options.append("-DPERFLINT_IS_GNU")
        if self.pytorch_flags:
            options += ["-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__"]
        return Job(
            main,
            self.closure.files[self.main].alias,
            headers,
            tuple(options),
            self._architecture,
            tuple(i.expression for i in self.instances),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What declares the names in the instances' expressions, a line each."""
        return tuple(dict.fromkeys(name for i in self.instances for name in i.names))

    def want_of_std(self, name: str) -> set[str]:
        """The headers with which namespace std has a name of libcu++'s; none if it is no such."""
        header = libcxx(name)
        if header is None:
            return set()
        self.std_names.add(name)
        return {header, _STD}

    def begin_as(self, other: Session) -> None:
        """Begin with what another compilation of the same file found out about its headers."""
        self.includes += [name for name in other.includes if name not in self.includes]
        self.std_names |= other.std_names
        self.light_groups, self.separate = other.light_groups, other.separate
        self.once |= other.once
        self.specialise(other.specialised)
        self.std, self.pytorch_flags = other.std, other.pytorch_flags
        self.long_is_64 |= other.long_is_64
        self.host_is_device |= other.host_is_device
        self.constant |= other.constant & self.codes.keys()
        self.refused = other.refused
        self.given_up |= other.refused
        self.waiting = [i for i in self.waiting if i.expression not in self.refused]
        for name, tries in self.spare.items():
            self.spare[name] = [i for i in tries if i.expression not in self.refused]
        if other.narrow and not self.narrow:
            self.narrow_down(True)
        self.empty(path for path, names in other.emptied.items() if names and path in self.codes)

    def give_up(self, bad: Sequence[Instance], in_turn: bool = False) -> None:
        """Compile without these instances from now on, with the next to try if none is left.

        After some all that are left of a kernel's are on trial together, unless it is `in_turn`.
        """
        self.given_up |= {i.expression for i in bad}
        self.instances = [i for i in self.instances if i.expression not in self.given_up]
        for name in {i.kernel for i in bad if i.assumed}:
            self._assumed_given_up[name] += 1  # the like of several launches are refused together
        for instance in bad:
            tries = self.spare.get(instance.kernel, [])
            like = [i for i in tries if instance.assumed and i.known == instance.known]
            many = self._assumed_given_up[instance.kernel] >= _IN_TURN and len(like) >= _TOGETHER
            if not in_turn and (many or instance.kernel in self.trials):
                self.trials.setdefault(instance.kernel, []).extend(like)
            else:
                like = like[:1]
            self.spare[instance.kernel] = [i for i in tries if i not in like]
            self.instances += like
        for name in sorted({i.kernel for i in bad} - {i.kernel for i in self.instances}):
            if self.spare.get(name):
                self.instances.append(self.spare[name].pop(0))

    def note_refused(self, expressions: Iterable[str]) -> None:
        """Remember assumed instances that were refused, and for the want of no name."""
        self._assumed_refused |= set(expressions)

    def conclude(self) -> None:
        """What was refused of assumed instances was so for good: no device code was left out."""
        self.refused |= self._assumed_refused

    def keep_on_trial(
        self, kernel: str, tried: Sequence[Instance], refused: Collection[str]
    ) -> None:
        """Try those of a kernel's instances on trial together again that are not refused."""
        self.given_up |= set(refused)
        self.instances = [i for i in self.instances if i.expression not in self.given_up]
        self.trials[kernel] = [i for i in tried if i.expression not in self.given_up]

    def settle(self, kernel: str, tried: Sequence[Instance], refused: Collection[str]) -> None:
        """Go on with the first of a kernel's instances on trial that is not refused.

        Of launches whose own arguments differ, each has its first.
        """
        self.given_up |= set(refused)
        # Where nothing was told, each of them has its turn.
        self._assumed_given_up[kernel] = 0 if refused else -len(tried)
        firsts: dict[object, Instance] = {}
        spare: list[Instance] = []
        for each in tried:
            if each.expression in self.given_up:
                continue
            if firsts.setdefault(each.known, each) is not each:
                spare.append(each)
        spare += self.spare.get(kernel, ())
        others = [i for i in self.instances if i not in tried]
        left = list(firsts.values())
        if not left and spare and all(i.kernel != kernel for i in others):
            left = [spare.pop(0)]
        self.instances = [*others, *left]
        self.spare[kernel] = spare

    def keep_specialised(self, kernel: str) -> None:
        """Try no more instances of a kernel but those that specialisations ask for."""
        self.spare[kernel] = [i for i in self.spare.get(kernel, []) if i.specialised]

    def give_up_types(
        self, instance: Instance, to_classes: bool = False, to_pointers: bool = False
    ) -> None:
        """Try no instance of a kernel that differs from this one in numbers alone.

        `to_classes`: nor one whose types are no classes or have no members of use. `to_pointers`:
        nor one without a pointer.
        """
        types = _types(instance)
        spare = self.spare.get(instance.kernel, [])
        told = [i for i in spare if i.specialised]
        tries = [i for i in spare if not i.specialised and _types(i) != types]
        if to_classes:
            tries = [i for i in tries if not _NUMBERS.issuperset(_types(i))]
        if to_pointers:
            tries = [i for i in tries if any("*" in a for a in i.arguments)]
        self.spare[instance.kernel] = [*told, *tries]

    def give_up_floats(self, instance: Instance) -> None:
        """Try no instance of a kernel that has no integer where this one has floats alone."""
        if not _FLOATS.intersection(_types(instance)) or _INTEGERS.intersection(_types(instance)):
            return
        tries = self.spare.get(instance.kernel, [])
        left = [i for i in tries if i.specialised or not _FLOATS.intersection(_types(i))]
        self.spare[instance.kernel] = left or tries

    def _asked_types(self) -> set[str]:
        """The functions whose types what is compiled asks for: `decltype(f(T{}))`."""
        found = (m[1] for code in self.codes.values() for m in _ASKED.finditer(code))
        return {n.decode("latin-1") for asked in found for n in _CALLED.findall(asked)} - _KEYWORDS

    def take_once(self) -> None:
        """Leave out of the sources what includes the file itself."""
        self.once = True
        self._rewritten.clear()

    def specialise(self, names: Collection[bytes]) -> None:
        """Specialise these templates of libcu++'s where they are declared."""
        self.specialised.update(names)
        self._rewritten.clear()

    def _asks_for_gnu(self) -> bool:
        """Is there an `#error` where no host compiler is known that is in device code, too?"""
        codes = (f.code for f in self.closure.files.values())
        return any(b"error" in code and _UNKNOWN.search(code) for code in codes)

    def restore(self, names: Iterable[str]) -> None:
        """Give host functions back: device code calls them."""
        self.keep |= frozenset(names)
        self._blank_again()

    def take_as_empty(self, names: Iterable[str]) -> None:
        """Take macros that nothing defines for specifiers: `struct API vec { … };`."""
        if found := dict.fromkeys(sorted(names), ""):
            self.guesses |= found
            self.specifier_macros |= {name.encode() for name in found}
            self._blank_again()

    def narrow_down(self, narrow: bool) -> None:
        """Leave out of headers of the host's what only they themselves seem to want, or not."""
        before = self.words()
        self.narrow, self.was_narrow = narrow, True
        self._blank_again()
        after = self.words()
        less = (word for word, count in before.items() if after.get(word, 0) < count)
        self.narrowed_away = frozenset(less if narrow else ())

    def want(self, names: Iterable[str]) -> bool:
        """Give back of what was narrowed away what declares these names. False if nothing does."""
        before = self.codes.copy()
        self.missed |= {name.encode() for name in names}
        self._blank_again()
        self.narrowed_away -= frozenset(self.words())
        return self.codes != before

    def _blank_again(self) -> None:
        self._blanked = self._blank_host()
        for path in self.codes:
            code = blank(self._blanked[path], tuple(self._gone[path]))
            self.codes[path] = emptied(code) if self.emptied.get(path) else code

    def remove(
        self, path: Path, declaration: Declaration, why: str, first: int | None = None
    ) -> None:
        """Blank a declaration, and remember what it declared.

        `first` is the first place in it that does not compile, if that is known. Behind its head a
        specialisation stays declared, and so does a function: what names it means no other template
        or overload.
        """
        piece = self.codes[path][declaration.start : declaration.end]
        begin, left = _stays(declaration, piece, first)
        cut = Cut(begin, declaration.end, "", left)
        if declaration.kind == "kernel":
            self._lost.append((path, declaration))
            self._drop(declaration.own_name)
        for name in _declared(declaration, piece):
            self.removed.setdefault(name, why)
        self._gone[path].append(cut)
        self.codes[path] = blank(self.codes[path], (cut,))

    def _drop(self, kernel: str) -> None:
        """Ask for no instance of a kernel any more."""
        self.spare.pop(kernel, None)
        self.waiting = [i for i in self.waiting if i.kernel != kernel]
        self.give_up([i for i in self.instances if i.kernel == kernel])

    @property
    def lost_kernels(self) -> set[str]:
        """The names of kernels that were blanked themselves."""
        return {declaration.own_name for _, declaration in self._lost}

    def is_lost(self, path: Path, kernel: SourceKernel) -> bool:
        """Whether a kernel was blanked. Its overload may have been, and it is still there."""
        if kernel.name not in self.lost_kernels:
            return False
        if not kernel.active:  # not of this compilation, whatever became of the others
            return True
        return any(p == path and lost.overlaps(kernel.span) for p, lost in self._lost)

    def cut(self, path: Path, cuts: Sequence[Cut]) -> None:
        """Blank what declares nothing."""
        self._gone[path] += cuts
        self.codes[path] = blank(self.codes[path], tuple(cuts))

    def empty(self, paths: Iterable[Path]) -> None:
        """Leave of these headers only their directives."""
        for path in paths:
            self.emptied[path] = _declares(self.codes[path])
            self.codes[path] = emptied(self.codes[path])

    @property
    def emptied_names(self) -> frozenset[bytes]:
        """What the headers that are left out declare."""
        return frozenset(name for names in self.emptied.values() for name in names)

    def fill(self, paths: Iterable[Path]) -> None:
        """Give emptied headers back for good."""
        for path in paths:
            self.emptied[path] = frozenset()
            self.codes[path] = blank(self._blanked[path], tuple(self._gone[path]))

    def words(self) -> dict[str, int]:
        """How often each identifier stands in what is compiled."""
        return Counter(
            word.decode("latin-1")
            for code in self.codes.values()
            for word in re.findall(rb"[A-Za-z_]\w*", code)
        )

    def members(self, namespace: str) -> frozenset[str]:
        """The names `namespace::name` in what is compiled."""
        qualified = re.compile(rb"\b%s\s*::\s*(\w+)" % namespace.encode())
        texts = [*self.codes.values(), *(i.expression.encode() for i in self.instances)]
        return frozenset(m.decode("latin-1") for text in texts for m in qualified.findall(text))

    def macros(self, path: Path) -> frozenset[bytes]:
        """The macros in a file that expand to `__device__` or `__global__`."""
        return self._mentioned(self.closure.files[path].code, self._device_macros)

    def line(self, path: Path, number: int) -> bytes:
        """A line of what is compiled. A message about the file's end may lie beyond its last."""
        lines = self.codes[path].split(b"\n")
        return lines[number - 1] if 1 <= number <= len(lines) else b""

    def is_host_header(self, path: Path) -> bool:
        """Whether a file is included and has no word of device code."""
        return path != self.main and not mentions_device(
            self.closure.files[path].code, self.macros(path)
        )

    def is_whole(self, path: Path, declaration: Declaration) -> bool:
        """Whether nothing was left out of a declaration."""
        piece = slice(declaration.start, declaration.end)
        return self.closure.files[path].code[piece] == self.codes[path][piece]

    def specifiers(self, path: Path) -> frozenset[bytes]:
        """The macros in a file that stand for specifiers or for nothing."""
        return mentioned(self.specifier_macros, _words_of(self.closure.files[path].code))

    def _blank_host(self) -> dict[Path, bytes]:
        """The files without the host's functions and what else no device code needs."""
        texts = {}
        for path, file in self.sources():
            macros, specifiers = self.macros(path), self.specifiers(path)
            code = blank(file.code, uses(file.code, self._mentioned(file.code, self._host_macros)))
            cuts = host_cuts(code, macros, self.keep, specifiers)
            self.host_functions.update(c.name.split("::")[-1] for c in cuts if c.name)
            types = tuple(t for t in self._type_macros if t.name in code)
            texts[path] = Text(code, cuts, macros, specifiers, types)
        tried = (i for tries in self.spare.values() for i in tries)
        every = (*self.instances, *self.waiting, *tried)
        given = [text for i in every for text in (i.expression, *i.names)]
        hosts = [p for p in texts if self.is_host_header(p)] if self.narrow else []
        wanted = (*words_of((*given, *self._options)), *self.missed)
        rest = unneeded(texts, wanted, frozenset(hosts))
        left = {
            path: without_loose_linkage(t.code, blank(blank(t.code, t.cuts), rest[path]))
            for path, t in texts.items()
        }
        return {path: left.get(path, file.code) for path, file in self.closure.files.items()}

    def sources(self) -> Iterable[tuple[Path, SourceFile]]:
        """The files that are not a library's."""
        libraries = self.closure.libraries
        return [(p, f) for p, f in self.closure.files.items() if p not in libraries]

    def _text(self, path: Path) -> str:
        code = self.codes[path]
        cached = self._rewritten.get(path)
        if cached is None or cached[0] is not code or path in self.constant:
            if path in self.constant:
                code = with_constants(code)
            code = without_loose_restrict(with_pragmas(moved(code, self.specialised)))
            code = with_member_templates(without_qualified_classes(code))
            code = without_lambda_specifiers(code)
            targets = self.closure.targets(path)
            if self.once:
                itself = f'"{self.closure.files[self.main].alias}"'
                targets = tuple((*t[:2], None if t[2] == itself else t[2]) for t in targets)
            cached = (self.codes[path], _pointed(code, targets))
            self._rewritten[path] = cached
        return cached[1]

    @staticmethod
    def _mentioned(code: bytes, macros: frozenset[bytes]) -> frozenset[bytes]:
        """Only these: so that a header's blanking is the same whichever file includes it."""
        return macros & _words_of(code) if macros else macros


_MEMBERS = kinds(members="field_declaration_list")


def _declares(code: bytes) -> frozenset[bytes]:
    """The names that a header declares, without those of classes' members."""
    bodies = nodes_of(syntax.parse(code), _MEMBERS).get("members", ())
    spans = [(n.start_byte, n.end_byte) for n in bodies]
    found = (
        match[match.lastindex]
        for match in _DECLARES.finditer(code)
        if match.lastindex and not any(a < match.start(match.lastindex) < b for a, b in spans)
    )
    return frozenset(found)


_NUMBERS = frozenset(("float", "double", "int", "bool", "__half"))
_FLOATS = frozenset(("float", "double", "__half", "__nv_bfloat16"))
_INTEGERS = frozenset(("int", "bool"))


#: `template <…> struct vec<float, 3>`, up to its bases or its body, or `template <> int f(int)`.
_SPECIALISED = pattern(
    rb"\s*template\s*<[^{};()]*>\s*(?:struct|class|union)\s+(?:\w+\s*::\s*)*\w+\s*"
    rb"<[^{};()]*>\s*(?=:(?!:)|\{)"
    rb"|\s*template\s*<\s*>[^{};=]*\)\s*(?=\{)"
)


#: What may override another function, which is not deleted, cannot be.
_UNDELETABLE = pattern(rb"\b(?:virtual|override|final)\b")


def _stays(
    declaration: Declaration, piece: bytes, first: int | None
) -> tuple[int, tuple[bytes, ...]]:
    """From where on a declaration goes, and what remains there."""
    body, start = declaration.body, declaration.start
    deletable = declaration.kind in {"device", "host"} and "::" not in declaration.name
    deletable = deletable and not _UNDELETABLE.search(piece, 0, max(0, body - start))
    if first is not None and 0 < body <= first and deletable:
        return body, DELETED
    head = _SPECIALISED.match(piece)
    if head is not None and (first is None or start + head.end() <= first):
        return start + head.end(), DECLARED
    return start, ()


def _types(instance: Instance) -> tuple[str, ...]:
    """An instance's arguments without the numbers."""
    return tuple(a for a in instance.arguments if not a.isdecimal())


_ASKED = pattern(rb"\bdecltype\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
_CALLED = pattern(rb"([A-Za-z_]\w*)\s*(?:<(?:[^<>;]|<[^<>;]*>)*>\s*)?\(")


@lru_cache(maxsize=256)
def _words_of(code: bytes) -> frozenset[bytes]:
    return frozenset(re.findall(rb"\w+", code))


#: Namespaces, types, aliases and constants, roughly.
_DECLARES = pattern(
    rb"\b(?:namespace|struct|class|union|enum(?:\s+class)?|using)\s+(\w+)"
    rb"|\btypedef\b[^;{}]*?\b(\w+)\s*;|\}\s*(\w+)\s*;"
    rb"|\bconst(?:expr)?\b[^;={}()]*\b(\w+)\s*[=({\[]"
)


def _declared(declaration: Declaration, text: bytes) -> Iterable[str]:
    """The names that a declaration may declare: its own, or any name in one that has none."""
    if declaration.kind in {"kernel", "device"} and declaration.name:
        return {declaration.own_name}
    head = text.split(b"{")[0] if declaration.kind == "host" else text
    return {w.decode("latin-1") for w in re.findall(rb"[A-Za-z_]\w*", head)} - _KEYWORDS


#: Words that declare nothing.
_KEYWORDS = words(
    """
    auto bool break case char class const constexpr continue define do double else enum explicit
    extern false float for friend if inline int long namespace new nullptr operator private public
    protected return short signed sizeof static struct switch template this true typedef typename
    union unsigned using virtual void volatile while __global__ __device__ __host__ __constant__
    __shared__ __restrict__ __forceinline__ std size_t i j k n x y z w
    """
)
