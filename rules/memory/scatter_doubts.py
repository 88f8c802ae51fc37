"""What speaks against a scattered access: no other order would pack it, or L1 has the rest."""

from __future__ import annotations

from itertools import pairwise

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, TID_Y, Loop, Op, Opaque, Parameter, Symbol
from perflint.base.patterns import pattern
from perflint.rules.access_shapes import SECTOR, VECTOR
from perflint.rules.case import Case
from perflint.rules.measure import Measurement
from perflint.rules.memory.like_accesses import apart_from, beside, copies_of
from perflint.rules.protocol import Kernel

OVERLAP = "neighbouring threads walk along overlapping windows: L1 has what one leaves to the next"
FRAGMENT = (
    "its lanes have the rows of a tensor core's fragment, some bytes of each: only a detour by "
    "shared memory would pack them"
)
LINE = 128  #: bytes
WARP = 32
#: Rows of a fragment that one request of a warp stores to.
FRAGMENT_ROWS = 8
WIDEST = (
    "each thread takes the whole of its element by the widest accesses there are: what one leaves "
    "of a sector the next one takes, of L1"
)
DIAGONAL = "it goes along a diagonal, of which no order of the threads packs the elements"
PART = "the elements are pairs or vectors, of which it asks for a part: other code has the array so"
COLUMN = "all that it touches is a column of a matrix, which no order of the threads packs"
ROUND = (
    "it goes round as many elements as an argument says that no launch gives: of a few, the lanes "
    "share them"
)
FACE = (
    "its lanes are a face of a tile whose rows lie side by side: all lanes of the warp would be "
    "packed, and no width of the block changes what a face touches"
)
#: CUDA's vectors by the number of their parts, and the pairs that its libraries take.
_VECTOR = pattern(r"\bu?(char|short|int|long|longlong|float|double)([234])\b")
_PAIR = pattern(r"\bcu(?:fft)?(Float|Double)?Complex\b")
_BYTES = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "longlong": 8, "double": 8}


def doubt_about(case: Case) -> str:
    """What speaks against it, if anything does."""
    asked = (
        (_overlaps, OVERLAP),
        (_of_a_fragment, FRAGMENT),
        (_by_the_widest, WIDEST),
        (_part_of_a_vector, PART),
        (_of_a_diagonal, DIAGONAL),
        (_down_a_column, COLUMN),
        (_goes_round, ROUND),
        (_is_a_face, FACE),
    )
    return next((why for holds, why in asked if holds(case)), "")


def _is_a_face(case: Case) -> bool:
    """Whether some lanes of each row take their element of a tile that holds one for each thread.

    Rows of a warp or more have no others beside them.
    """
    site, shown = case.suspicion.site, case.worst
    if site.kind != "load" or shown is None or not any(g.depends & LANES for g in site.guards):
        return False
    block, beside_it = shown.trial.run.launch.block, site.size
    for axis, extent in zip("xyz", block, strict=True):
        stride = site.strides.get(axis)
        if extent > 1 and (stride is None or stride.constant != beside_it):
            return False
        beside_it *= extent
    packed = -(-WARP * site.size // SECTOR) + 1  # wherever the tile begins
    return block[0] < WARP and all(each.measured <= packed for each in case.bad)


def _goes_round(case: Case) -> bool:
    """Whether lanes differ in a remainder alone, by an argument that no launch gives.

    `boxes[i % n]`, not `a[i % w * h + i / w]`: were the argument 1, all lanes had one element.
    """
    site, kernel, shown = case.suspicion.site, case.suspicion.kernel, case.worst
    if site.kind != "load" or site.address is None or kernel is None or shown is None:
        return False
    divisors = {
        symbol.arguments[-1]
        for symbol in site.address.symbols
        if isinstance(symbol, Op) and symbol.name.startswith(("div", "rem"))
    }
    atoms = {s for each in divisors for s in each.symbols if isinstance(s, Parameter)}
    given = [launch.values.keys() for launch in kernel.launches]
    return not shown.trial.exact and any(
        not any(atom.index in values for values in given)
        and not _with_one(site.address, atom).depends & LANES
        for atom in atoms
    )


def _with_one(address: Polynomial, argument: Parameter) -> Polynomial:
    """An address where an argument is 1: what is divided by it stays, and leaves no remainder."""

    def instead(symbol: Symbol) -> Polynomial | None:
        if symbol == argument:
            return Polynomial(1)
        if not isinstance(symbol, Op) or symbol.arguments[-1] != Polynomial.of(argument):
            return None
        if symbol.name.startswith("div"):
            return symbol.arguments[0]
        return Polynomial(0) if symbol.name.startswith("rem") else None

    return address.substitute(instead)


def _of_a_fragment(case: Case) -> bool:
    """Whether a kernel stores what tensor cores have left in the lanes' registers, row by row."""
    site, kernel, shown = case.suspicion.site, case.suspicion.kernel, case.worst
    if site.kind != "store" or kernel is None or shown is None or shown.measured > FRAGMENT_ROWS:
        return False
    instructions = kernel.facts.kernel.instructions
    products = {i.index for i in instructions if i.opcode in ("mma", "wmma", "wgmma")}
    around = [set(loop.pcs) for loop in kernel.facts.loops if set(site.pcs) <= set(loop.pcs)]
    inner = min(around, key=len, default=set())
    return bool(products) and products.isdisjoint(inner)


def _by_the_widest(case: Case) -> bool:
    """Whether loads of 16 bytes beside each other take an element of a line at most, all of it."""
    site, kernel = case.suspicion.site, case.suspicion.kernel
    stride = site.strides.get("x")
    step = abs(stride.constant or 0) if stride is not None else 0
    if kernel is None or site.kind != "load" or site.size != VECTOR or not SECTOR <= step <= LINE:
        return False
    return len(beside(kernel, site)) * VECTOR == step


def _of_a_diagonal(case: Case) -> bool:
    """Whether neighbours are a row and an element of it apart.

    `a[k * n + k]`, or the other way: `a[(d - k) * n + k]`, where an element may be a row itself.
    What is `n - 1` apart is a column of a matrix whose rows have so many.
    """
    stride = case.suspicion.site.strides.get("x")
    terms = sorted(stride.terms.items(), key=lambda term: len(term[0])) if stride else ()
    if len(terms) != 2:
        return False
    (element, along), (row, down) = terms
    if abs(along) != abs(down) or len(row) != len(element) + 1 or not set(element) <= set(row):
        return False
    return down < 0 < along or (along == down and not element)


def _down_a_column(case: Case) -> bool:
    """Whether what varies of an address goes by a matrix' pitch alone, in threads and in turns.

    Then the sectors hold nothing else that this access wants, in whatever order. That it is a
    matrix, and which column, an argument says.
    """
    site = case.suspicion.site
    pitch, address = site.strides.get("x"), site.address
    kernel = case.suspicion.kernel
    if address is None or pitch is None or pitch.constant is not None or kernel is None:
        return False
    near = [apart for apart in apart_from(kernel, site) if abs(apart) < SECTOR]
    if len(near) * site.size >= SECTOR:  # the thread has what lies beside, too
        return False
    rows = any(launch.block[1] > 1 for launch in kernel.launches)
    if rows and not any(symbol.depends & TID_Y for symbol in address.symbols):
        return False  # with the axes exchanged, a warp asks for one element
    varies = {s for s in address.symbols if s.depends or isinstance(s, Loop | Opaque)}
    chosen = (
        monomial
        for monomial in address.terms
        if monomial and varies.isdisjoint(monomial) and pitch.symbols.isdisjoint(monomial)
    )
    if not any(isinstance(m[0], Parameter) and m[0].index != site.array.parameter for m in chosen):
        return False
    return all(_is_multiple(address.coefficient_of(symbol), pitch) for symbol in varies)


def _is_multiple(steps: Polynomial, pitch: Polynomial) -> bool:
    """Whether some steps are a number of pitches, or a symbol's."""
    (monomial, factor), *_ = sorted(pitch.terms.items(), key=lambda term: -len(term[0]))
    units = (Polynomial(1), *map(Polynomial.of, steps.symbols - pitch.symbols))
    for unit in units:
        one = (pitch * unit).terms
        lead = next((m for m in one if set(monomial) <= set(m)), None)
        times, rest = divmod(steps.terms.get(lead, 0), factor) if lead is not None else (0, 1)
        if times and not rest and steps == pitch * unit * times:
            return True
    return False


def _part_of_a_vector(case: Case) -> bool:
    """Whether neighbours ask for a part of elements that are declared as CUDA's vectors."""
    site, kernel = case.suspicion.site, case.suspicion.kernel
    parts = 0 if kernel is None else _declared_parts(kernel, site)
    if kernel is None or site.address is None or parts < 2:
        return False
    size = parts * site.size
    varying = (f for m, f in site.address.terms.items() if any(s.depends & LANES for s in m))
    if {abs(factor) for factor in varying} != {size}:  # neighbours are not an element apart
        return False
    asked = {offset % size for offset in apart_from(kernel, site)}
    return len(asked) < parts


def _declared_parts(kernel: Kernel, site: AccessSite) -> int:
    """The parts of a vector that an array has as its elements, where its declaration says so."""
    index = site.array.parameter
    if kernel.function is None or index is None or index >= len(kernel.function.parameters):
        return 0
    declared = kernel.function.parameters[index].type
    if found := _VECTOR.search(declared):
        return int(found[2]) if _BYTES[found[1]] == site.size else 0
    pair = _PAIR.search(declared)
    return 2 if pair and _BYTES[(pair[1] or "float").lower()] == site.size else 0


def _overlaps(case: Case) -> bool:
    """Whether each thread walks along a row from a few bytes behind where its neighbour began.

    What one turn leaves of a sector the next ones take, of a warp's few lines in L1.
    """
    site, kernel, shown = case.suspicion.site, case.suspicion.kernel, case.worst
    if site.kind != "load" or site.loaded_address or kernel is None or shown is None:
        return False
    assert isinstance(shown.detail, Measurement)
    lanes = [lane for lane in shown.detail.witness.lanes if lane is not None]
    apart = {after - before for before, after in pairwise(lanes)}
    near = len(apart) == 1 and site.size < abs(*apart) <= VECTOR
    return near and any(map(_walks, copies_of(kernel, site)))


def _walks(site: AccessSite) -> bool:
    """Whether a loop moves a load on by no more than a vector: it may be unrolled."""
    if site.address is None:
        return False
    steps = (site.address.terms.get((loop.counter,), 0) for loop in site.loops)
    return any(0 < abs(step) <= VECTOR for step in steps)
