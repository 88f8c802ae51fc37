"""Which shape an access to global memory has, and so which one of CU101 to CU105 it belongs to.

A site has one owner, decided here alone and before anything runs: the rules ask `shapes` and leave
what is another's. What is left of packed accesses is decided by what was counted: CU101 has those
that are scattered nevertheless, CU105 those that only begin in the middle of a sector.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from perflint.analysis.gathers import walks
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.strides import counts_turns
from perflint.analysis.symbols import Base, Loop, Symbol
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.rules.entry_types import takes_numbers
from perflint.rules.protocol import (
    Kernel,
    Suspicion,
)

#: `scattered` is CU101's, `adjacent` CU102's, `sub-word` CU103's, `oversized` CU104's; `packed` is
#: CU105's where only the alignment is off, else CU101's. `whole` is nobody's: neighbouring elements
#: of which the compiler takes a part, rows moved with the widest vectors there are, where the
#: next access of the same thread uses the rest of each sector, and parts of a neighbour's element
#: of which every thread moves all of its own.
Kind = Literal["scattered", "adjacent", "sub-word", "oversized", "packed", "whole"]

WORD = 4  #: bytes that a lane moves at least where nothing is wasted
SECTOR = 32  #: bytes that memory moves at least
#: Kinds of small elements that each thread has all of, if the group is whole: in L1 for others.
_MOVED: frozenset[Kind] = frozenset({"adjacent", "sub-word", "whole"})
VECTOR = 16  #: bytes of the widest access of one lane
#: Bytes of a row up to which a thread may well read it whole with vectors: four of them.
LONGEST_ROW = 4 * VECTOR
#: Elements further apart than this many bytes are hardly fields of one structure.
LARGEST_STRUCTURE = 128
#: Turns of a loop that are looked at as if they were written out.
_MOST_TURNS = 32

#: C's and CUDA's own types: an array of them is no array of structures.
_BUILT_IN = pattern(
    r"(unsigned|signed|char|short|int|long|float|double|bool|size_t|u?int(8|16|32|64)_t|__half2?"
    r"|u(char|short|int|long)|half2?|__nv_bfloat162?|at|c10|Half|BFloat16|u?(char|short|int|long|longlong)[1-4]|(float|double|half)[1-4])"
)


#: Bytes of C's own integers and floats: a load may take a part of one.
_SIZES = {"bool": 1, "char": 1, "short": 2, "int": 4, "unsigned": 4, "signed": 4, "float": 4,
          "long": 8, "double": 8, "size_t": 8}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Shape:
    """What the lanes of a warp do at one site, as far as the address says it."""

    kind: Kind
    step: int | None = None  #: bytes between neighbouring threads, where it is a constant
    #: the sites that move parts of one element, in the order of the kernel; this one among them
    group: tuple[AccessSite, ...] = ()
    #: where in an element of `step` bytes these begin
    offsets: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the group moves every byte of its elements."""
        size = self.group[0].size if self.group else 0
        return self.step is not None and len(self.offsets) * size == self.step


@dataclass(frozen=True)
class _Member:
    """One instruction's part of an element: `window` elements on, `offset` bytes into it."""

    site: AccessSite
    step: int
    key: tuple[object, ...]  #: equal where addresses differ by constants
    window: int
    offsets: tuple[int, ...]


@lru_cache(maxsize=16)
def shapes(kernel: Kernel) -> Mapping[tuple[int, ...], Shape]:
    """The shape of each global access of a kernel whose lanes differ, by the site's pcs."""
    sites = [s for s in kernel.facts.sites if s.may_be_global and s.uniformity != "uniform"]
    upright = bool(kernel.launches) and all(
        known.block[0] == 1 and known.block[1] > 1 for known in kernel.launches
    )
    axis = "y" if upright else "x"
    members = [m for site in sites for m in _members(site, axis)]
    groups: dict[tuple[object, ...], list[_Member]] = {}
    for member in members:
        groups.setdefault((*member.key, member.window), []).append(member)
    shaped = {key: _shape(kernel, group) for key, group in groups.items()}
    moved = {key[:-1] for key, shape in shaped.items() if shape.kind in _MOVED and shape.whole}
    found: dict[tuple[int, ...], Shape] = {}
    for key, group in groups.items():
        shape = shaped[key]
        if shape.kind == "scattered" and key[:-1] in moved and group[0].site.kind == "load":
            shape = replace(shape, kind="whole")  # its neighbours load the rest of its sectors
        for member in group:
            known = found.get(member.site.pcs)
            if known is None or len(shape.offsets) > len(known.offsets):
                found[member.site.pcs] = shape
    halves = _halves(sites)
    other = {s.pcs: Shape("whole" if s.pcs in halves else "scattered") for s in sites}
    return {site.pcs: found.get(site.pcs, other[site.pcs]) for site in sites}


def _halves(sites: Sequence[AccessSite]) -> set[tuple[int, ...]]:
    """The accesses with the widest vectors beside which the same thread moves the other half of
    each sector, wherever its own element of two to four of them lies. No access is wider."""
    begins: dict[tuple[object, ...], set[int]] = {}
    parts: dict[tuple[int, ...], list[tuple[tuple[object, ...], int]]] = {}
    for site in sites:
        if site.size != VECTOR or site.kind == "atomic" or None in site.addresses:
            continue
        for address in filter(None, site.addresses):
            constant = address.number
            loops = tuple(each.counter.text for each in site.loops)
            key = (site.kind, loops, (address - constant).text)
            begins.setdefault(key, set()).add(constant)
            parts.setdefault(site.pcs, []).append((key, constant))
    few = range(2, LONGEST_ROW // VECTOR + 1)
    return {
        pcs
        for pcs, mine in parts.items()
        if all(_in_a_row(begins[key], at) in few for key, at in mine)
    }


def _in_a_row(begins: set[int], at: int) -> int:
    """How many vectors lie side by side around one."""
    first = last = at
    while first - VECTOR in begins:
        first -= VECTOR
    while last + VECTOR in begins:
        last += VECTOR
    return (last - first) // VECTOR + 1


def shape_of(kernel: Kernel, site: AccessSite) -> Shape:
    """The shape of one site. Raises KeyError for a site that is not of global memory."""
    return shapes(kernel)[site.pcs]


def owned(kernel: Kernel, kinds: Iterable[Kind]) -> Iterator[AccessSite]:
    """The sites of some kinds, in the order of the kernel.

    `cp.async` is two sites of one instruction: the shared one is not asked about.
    """
    wanted, known = frozenset(kinds), shapes(kernel)
    sites = (s for s in kernel.facts.sites if s.may_be_global and s.pcs in known)
    return (s for s in sites if known[s.pcs].kind in wanted)


#: Whose a shape is, in words; `{step}` bytes lie between neighbouring threads.
_WORDS: Mapping[Kind, str] = {
    "packed": "neighbouring threads are {step} bytes apart: packed for every launch",
    "adjacent": "its neighbouring scalars are one element's parts: CU102 looks at them together",
    "sub-word": "a thread moves less than 4 bytes: CU103 looks at it",
    "oversized": "neighbouring threads are a structure of {step} bytes apart: CU104 looks at it",
    "whole": "its thread or the next one uses the rest of each sector, or the compiler takes a "
    "part of an element",
}


def in_words(kernel: Kernel, site: AccessSite) -> str:
    """What a global access looks like, for whom its shape is of no concern; "" for others."""
    if not site.may_be_global:
        return ""
    if site.uniformity == "uniform":
        return "the address is the same in all lanes"
    shape = shape_of(kernel, site)
    if shape.kind == "scattered":
        if shape.step is None:
            return "the distance of neighbouring threads is no constant: CU101 looks at it"
        return f"neighbouring threads are {shape.step} bytes apart: CU101 looks at it"
    return _WORDS[shape.kind].format(step=shape.step)


def groups(kernel: Kernel, kind: Kind) -> Iterator[tuple[AccessSite, Shape]]:
    """Each group of a kind once, as one access made of all its instructions."""
    seen: set[int] = set()
    for site in owned(kernel, (kind,)):
        shape = shapes(kernel)[site.pcs]
        if id(shape) not in seen:
            seen.add(id(shape))
            mine = [s for s in shape.group if shapes(kernel)[s.pcs] is shape]
            yield _together(mine), replace(shape, group=tuple(mine))


def group_suspicion(kernel: Kernel, site: AccessSite, shape: Shape) -> Suspicion:
    """A suspicion about a group: one finding, at its first access."""
    sites = (site, *shape.group[1:])
    return Suspicion(f"{site.kind} {site.identity}", kernel, site.pcs, sites, about=shape)


def _together(sites: Sequence[AccessSite]) -> AccessSite:
    """Several sites as one access: all their instructions."""
    return replace(
        sites[0],
        pcs=tuple(sorted({pc for site in sites for pc in site.pcs})),
        addresses=tuple(a for site in sites for a in site.addresses),
        loaded_address=any(site.loaded_address for site in sites),
        rounded_address=any(site.rounded_address for site in sites),
        data_dependent=any(site.data_dependent for site in sites),
    )


# --- what an address says -------------------------------------------------------------------------


def _members(site: AccessSite, axis: str) -> Iterator[_Member]:
    """The parts of elements that a site's instructions move; none without a constant stride."""
    stride = site.strides.get(axis)
    step = abs(stride.constant or 0) if stride is not None else 0
    if not step or site.kind == "atomic":
        return
    if site.uniformity == "divergent" and not any(map(counts_turns, _symbols(site))):
        return
    for address in site.addresses:
        if address is None:
            continue
        address, turns = _written_out(site, address, step)
        constant = address.number
        loops = tuple(each.counter.text for each in site.loops)
        key = (site.kind, site.size, step, loops, (address - constant).text)
        begins = [constant + turn * site.size for turn in range(turns)]
        windows: dict[int, list[int]] = {}
        for begin in begins:
            windows.setdefault(begin // step, []).append(begin % step)
        for window, offsets in windows.items():
            yield _Member(site, step, key, window, tuple(offsets))


def _symbols(site: AccessSite) -> Iterable[Symbol]:
    return site.address.symbols if site.address is not None else ()


def _written_out(site: AccessSite, address: Polynomial, step: int) -> tuple[Polynomial, int]:
    """The address of the first turn of a short loop along the element, and its turns; else 1."""
    for around in site.loops:
        symbol: Loop = around.counter
        last = around.last.constant if around.last is not None else None
        if last is None or not 0 < last < _MOST_TURNS or (last + 1) * site.size > step:
            continue
        if address.terms.get((symbol,)) == site.size:
            return address - Polynomial({(symbol,): site.size}), last + 1
    return address, 1


# --- whose it is ----------------------------------------------------------------------------------


def _shape(kernel: Kernel, group: Sequence[_Member]) -> Shape:
    """The shape of accesses that move parts of the same elements."""
    first, step = group[0].site, group[0].step
    offsets = tuple(sorted({o for member in group for o in member.offsets}))
    sites = {m.site.pcs: m.site for m in group}
    members = tuple(sites[pcs] for pcs in sorted(sites))
    shape = Shape("scattered", step, members, offsets)
    return replace(shape, kind=_kind(kernel, first, shape))


def _kind(kernel: Kernel, site: AccessSite, shape: Shape) -> Kind:
    step, size = shape.step, site.size
    assert step is not None
    if step <= size:
        return "sub-word" if size < WORD and not _is_narrow(kernel, size) else "packed"
    several = len(shape.offsets) > 1
    covered = shape.whole or (site.kind == "load" and 2 * len(shape.offsets) * size >= step)
    if step <= VECTOR and several and covered and not any(map(_walks_past, shape.group)):
        return "sub-word" if size < WORD else "adjacent"
    if not several and (step <= WORD or step == element_size(kernel, site)):
        # the compiler loads only that part of an element which is used, or words would touch as
        # much as these bytes do
        return "whole"
    if step <= VECTOR:
        return "scattered"
    if size == VECTOR and shape.whole and step <= LONGEST_ROW:
        return "whole"
    if is_structure(kernel, site, step):
        return "oversized"
    whole_row = several and shape.whole and step <= LONGEST_ROW and step % VECTOR == 0
    return "adjacent" if whole_row and size >= WORD else "scattered"


def _is_narrow(kernel: Kernel, size: int) -> bool:
    """Whether rows of some launch's blocks do not fill a sector: that is what is wrong, then."""
    return any(not known.assumed and known.block[0] * size < SECTOR for known in kernel.launches)


def _walks_past(site: AccessSite) -> bool:
    """Whether a loop of unknown length walks along a row: then the row is longer than a vector."""
    return any(
        each.last is None or each.last.constant is None
        for each in site.loops
        if site.address is not None and abs(site.address.terms.get((each.counter,), 0)) == site.size
    )


def is_structure(kernel: Kernel, site: AccessSite, step: int) -> bool:
    """Whether a site's array has elements of `step` bytes with several fields.

    At least two parts of them are accessed, no loop goes through them, and they are not of a type
    of C's own.
    """
    if step > LARGEST_STRUCTURE or is_built_in(kernel, site) or walks(site):
        return False
    return len(fields_of(kernel, site, step)) > 1


def is_built_in(kernel: Kernel, site: AccessSite) -> bool:
    """Whether the source declares a site's array with a type of C's or CUDA's own.

    Or with a name that stands for one, in a kernel that takes no other types. Triton knows no
    others.
    """
    if kernel.names.language == "triton":
        return True
    words = type_words(kernel, site)
    if words and all(_BUILT_IN.fullmatch(word) for word in words):
        return True
    return takes_numbers(kernel.facts.kernel.name)


def type_words(kernel: Kernel, site: AccessSite) -> tuple[str, ...]:
    """The words of the type that the source gives a site's array: `unsigned`, `char`; else none."""
    index = site.array.parameter
    if kernel.function is None or index is None or site.array.offset is not None:
        return ()
    words = re.findall(r"[A-Za-z_]\w*", kernel.function.parameters[index].type)
    return tuple(w for w in words if w not in ("const", "volatile") and "restrict" not in w)


def element_size(kernel: Kernel, site: AccessSite) -> int:
    """Bytes of the elements of a site's array, where the source says it with C's own words; or 0.

    The word that says most about it is what counts: `unsigned char`, `long long`.
    """
    words = [re.sub(r"^u?int(\d+)_t$", r"\1", word) for word in type_words(kernel, site)]
    if any(word not in _SIZES and not word.isdigit() for word in words):
        return 0
    sizes = [int(word) // 8 if word.isdigit() else _SIZES[word] for word in words]
    named = [n for n, word in zip(sizes, words, strict=True) if word not in ("unsigned", "signed")]
    return (named or sizes or [0])[0]


def of_one_index(kernel: Kernel, site: AccessSite) -> AccessSite:
    """The first access of a kernel that is like this one but for its variable: it may be itself.

    Keys and values go where one index says: who changes that changes both.
    """
    mine = _elements(site)
    alike = (
        each
        for each in kernel.facts.sites
        if (each.kind, each.space, each.size) == (site.kind, site.space, site.size)
    )
    return next((each for each in alike if mine and _elements(each) == mine), site)


def _elements(site: AccessSite) -> tuple[Polynomial, ...]:
    """Which bytes of a variable an access goes to, whichever that is; () if nobody knows."""

    def is_array(monomial: tuple[Symbol, ...]) -> bool:
        return len(monomial) == 1 and isinstance(monomial[0], Base)

    known = [each for each in site.addresses if each is not None]
    parts = [each.split(is_array) for each in known]
    plain = len(known) == len(site.addresses) and all(array.terms for array, _ in parts)
    return tuple(rest for _, rest in parts) if plain else ()


def fields_of(kernel: Kernel, site: AccessSite, step: int) -> set[int]:
    """Offsets in elements of `step` bytes of a site's array that the kernel accesses."""
    found = set()
    for other in kernel.facts.sites:
        stride = other.strides.get("x")
        same = other.array == site.array and stride is not None
        if same and stride is not None and abs(stride.constant or 0) == step:
            for address in other.addresses:
                if address is not None:
                    found.add(address.number % step)
    return found
