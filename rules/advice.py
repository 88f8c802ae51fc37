"""What to do about a scattered access: the advice depends on what scatters it."""

from __future__ import annotations

from collections import Counter

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Monomial, Polynomial
from perflint.analysis.symbols import Loop
from perflint.base.language import Language
from perflint.rules.access_shapes import LARGEST_STRUCTURE, SECTOR
from perflint.rules.names import lane_distance
from perflint.rules.neighbours import block_axis
from perflint.rules.record_advice import access_of, padded
from perflint.sim.accesses import Witness
from perflint.sim.launch import Dim3

#: Shared-memory strides of fewer elements than this are no row of a tile.
SMALLEST_ROW = 8
BANK_BYTES = 4
VECTOR = 16  #: bytes of the widest access of a thread
_PREPOSITIONS = {"load": "from", "store": "to", "atomic": "on"}
_VERBS = {"load": "read", "store": "write", "atomic": "update"}


def access(kind: str, array: str) -> str:
    """`load from a`, `store to a`, `atomic on a`."""
    return f"{kind} {_PREPOSITIONS[kind]} {array}"


def uncoalesced(
    site: AccessSite,
    block: Dim3,
    array: str,
    witness: Witness,
    language: Language = "cuda",
    *,
    walking: bool,
    structures: bool = False,
    used: int = 0,
    apart: int = 0,
    copied: bool = False,
    shared: str = "",
) -> str:
    """How the lanes of a warp come to touch neighbouring elements of global memory.

    `walking`: each thread goes on from one element to the next. `structures`: the array's elements
    are of a type that the source defines. `used`: bytes of each that the kernel uses; 0: not known.
    `apart`: bytes from what a loaded index picks to what the next one picks; 0: not known.
    `copied`: its statement copies them to shared memory. `shared`: how lanes share a run.
    """
    verb = _VERBS[site.kind]
    stride = site.strides.get("x")
    step = lane_distance(witness) if stride is None else stride.constant
    if language == "numba" and not site.indirect and step is None:
        return (
            f"let cuda.threadIdx.x index the last dimension of {array}, which is contiguous: "
            f"neighbouring threads then {verb} neighbouring elements; or go through a tile in "
            "cuda.shared.array"
        )
    if block[0] == 1 and block[1] > 1:
        axes = "y" if block[2] == 1 else "y and z"
        return (
            f"the block's threads differ in {axes} only: lay them along threadIdx.x, and let it "
            f"run along neighbouring elements of {array}"
        )
    if block[0] < 32 and step is not None and abs(step) <= site.size:
        return (
            "make the block at least 32 threads wide in x: a warp of this one "
            f"{verb}s {-(-32 // block[0])} short rows of {array}"
        )
    if site.kind == "atomic" and (stride is None or site.indirect):
        return (
            f"update a copy of {array} in shared memory, or sort the work by index, and add up "
            "with neighbouring threads on neighbouring elements"
        )
    if site.kind == "atomic" and step is not None and site.size < abs(step) <= LARGEST_STRUCTURE:
        return f"keep the counters of neighbouring threads side by side in {array}, without padding"
    if step is not None and VECTOR == site.size < abs(step) <= LARGEST_STRUCTURE:
        return (
            f"let neighbouring threads {verb} neighbouring pieces of {VECTOR} bytes of {array}, "
            "and each thread go on by all that they take together; or, if other fields lie "
            "between, keep one array per field"
        )
    if stride is None and site.indirect and walking:
        return of_a_run(verb, array, shared)
    if block[1:] == (1, 1) and walking:
        return (
            f"each thread walks along a row of {array} alone: let neighbouring threads {verb} "
            "neighbouring elements (a warp to a row, or the array transposed), or go through a "
            "tile in shared memory"
        )
    if stride is None and site.told_address:
        return _gathered(verb, array, site.size, apart)
    if step is not None and site.size < abs(step) <= LARGEST_STRUCTURE:
        return (
            of_a_copy(array)
            if copied and is_mostly_used(used, abs(step))
            else _of_fields(verb, array, site.size, abs(step), used)
        )
    if stride is not None and stride.constant is not None and structures:
        return (
            f"an element of {array} has {abs(stride.constant)} bytes: keep what neighbouring "
            f"threads {verb} of it in an array of its own, so that they {verb} neighbouring words"
        )
    if stride is None and site.loaded_address:
        return _gathered(verb, array, site.size, apart)
    if stride is not None and block[1:] == (1, 1) and (axis := block_axis(site)):
        return (
            f"what lies beside an element of {array} is another block's (blockIdx.{axis} counts "
            f"it): let threadIdx.x count along it, or keep neighbouring threads' elements of "
            f"{array} side by side, as if it were transposed (`a[k * n + i]` in the place of "
            "`a[i * m + k]`)"
        )
    if stride is not None and _is_diagonal(stride):
        return (
            f"neighbouring threads' elements of {array} are a row less a column apart, or more: "
            "where that is a diagonal, keep each diagonal as a row (`a[(i + j) * n + i]` in the "
            "place of `a[i * m + j]`), as no exchange of axes packs it; where it is the length of "
            "a row, keep them transposed"
        )
    if stride is not None and walking and _is_inner(site) and _has_a_tile(site):
        return (
            f"each thread walks through a part of {array} of its own, row by row: let neighbouring "
            f"threads {verb} neighbouring elements, each going on by as many as there are threads "
            "in x, or go through a tile in shared memory"
        )
    scattered = block[1:] == (1, 1) and not site.indirect and _are_apart(witness)
    if scattered or (stride is not None and (block[1:] == (1, 1) or _is_inner(site))):
        return (
            f"keep neighbouring threads' elements of {array} side by side, as if it were "
            f"transposed (`a[k * n + i]` in the place of `a[i * m + k]`), or let warps {verb} "
            "whole rows of it through a tile in shared memory"
        )
    if stride is None and site.size < used in (4, 8, VECTOR):
        return (
            f"each thread {verb}s {used} bytes of {array} that lie side by side: move them with "
            f"one access of {used} bytes, if they are aligned to that"
        )
    if block[1:] == (1, 1):
        return (
            f"let neighbouring threads {verb} neighbouring elements of {array}, in longer runs: "
            "more threads to each row, or more bytes a thread"
        )
    if between := _between_rows(site):
        return (
            f"let neighbouring threadIdx.x {verb} neighbouring elements of {array} (make it the "
            f"fastest varying index), and keep their parts in arrays of their own: elements of "
            f"{between} bytes would still lie that far apart"
        )
    return (
        f"let neighbouring threadIdx.x {verb} neighbouring elements of {array}: make threadIdx.x "
        f"the fastest varying index{_of_rows(block[0], site.size)}, or go through a tile in shared "
        "memory"
    )


def _between_rows(site: AccessSite) -> int:
    """Bytes of the structures that lie beside each other along another axis than x; else 0."""
    steps = [s.constant for axis in "yz" if (s := site.strides.get(axis)) is not None]
    apart = [abs(step) for step in steps if step is not None]
    return next((step for step in apart if site.size < step <= LARGEST_STRUCTURE), 0)


def of_turned_axes(array: str, other: str, width: int, size: int) -> str:
    """What packs both sides of a transposition, in blocks so wide of elements of `size` bytes."""
    return (
        f"{array} and {other} lie across each other, so that one of them is scattered whichever "
        "index threadIdx.x counts: let the block read a tile along its rows into shared memory, "
        f"and write it along its columns{_of_rows(width, size)}"
    )


def _is_diagonal(stride: Polynomial) -> bool:
    """Whether neighbours are a row down and some columns back: where wave fronts go.

    Rows of `n - 1` elements look alike.
    """
    rows = [factor for monomial, factor in stride.terms.items() if monomial]
    columns = stride.number
    return bool(rows) and any(factor * columns < 0 for factor in rows)


def _are_apart(witness: Witness) -> bool:
    """Whether no two neighbours share a sector: not the ends of rows, but rows of triangles."""
    pairs = zip(witness.lanes, witness.lanes[1:], strict=False)
    steps = [abs(b - a) for a, b in pairs if a is not None and b is not None]
    return bool(steps) and min(steps) >= SECTOR


def _of_rows(width: int, size: int) -> str:
    """What else it takes where a block is so narrow that its rows would fill no sectors."""
    if width * size % SECTOR == 0:
        return ""
    return f" in blocks 32 threads wide in x (rows of {width} fill no sectors)"


def _of_fields(verb: str, array: str, size: int, step: int, used: int) -> str:
    """What packs parts of elements of `step` bytes, of which a kernel uses so many bytes.

    `used` is 0 where that is not known.
    """
    if used >= step:
        return f"each thread uses all {step} bytes of its element of {array}: {_whole(step, size)}"
    if used == size:
        return (
            f"if other fields lie between, keep one array per field instead of {array}; else let "
            f"neighbouring threads {verb} neighbouring elements"
        )
    if used in (2, 4, 8):
        return (
            f"each thread {verb}s {used} of the {step} bytes of its element of {array}: keep these "
            f"in an array of their own, or move them with one access of {used} bytes, if they lie "
            "side by side"
        )
    return (
        f"if other fields lie between, keep one array per field instead of {array}; if the same "
        f"thread uses what lies between, {_whole(step, size)}"
    )


def is_mostly_used(used: int, step: int) -> bool:
    """Whether moving all `step` bytes of elements moves little that nobody uses."""
    return 0 < step < 2 * used


def of_a_copy(array: str) -> str:
    """What packs a copy of whole elements to shared memory, of which each thread has one."""
    return (
        f"each thread copies an element of {array} to shared memory on its own: let the block copy "
        "all of them as plain words there, neighbouring threads neighbouring words"
    )


def _gathered(verb: str, array: str, size: int, apart: int) -> str:
    """What packs elements that loaded data choose."""
    if abs(apart) > size:
        return (
            f"the index into {array} is loaded data, and what neighbouring indices pick is "
            f"{abs(apart)} bytes apart, so that no order of the work packs it: keep it side by "
            f"side (transposed, or in an array for each field), or let a warp {verb} a row together"
        )
    return (
        f"the index into {array} is loaded data: sort or group the work so that neighbouring "
        f"threads {verb} neighbouring elements"
    )


def _is_inner(site: AccessSite) -> bool:
    """Whether rows of threadIdx.y lie further apart than neighbours in x: no use to exchange them.

    So do the pixels of an image whose channels lie side by side.
    """
    x, y = site.strides.get("x"), site.strides.get("y")
    if x is None or y is None:
        return False
    return all(any(_exceeds(m, f, n, g) for n, g in y.terms.items()) for m, f in x.terms.items())


def _has_a_tile(site: AccessSite) -> bool:
    """Whether a thread goes through several rows in loops of its own."""
    terms = site.address.terms if site.address is not None else {}
    return len({s for monomial in terms for s in monomial if isinstance(s, Loop)}) > 1


def _exceeds(inner: Monomial, factor: int, outer: Monomial, times: int) -> bool:
    """Whether a term is a larger multiple of another one."""
    more = Counter(outer) - Counter(inner)
    whole = not Counter(inner) - Counter(outer)
    return whole and (bool(more) or abs(times) > abs(factor))


def _whole(step: int, size: int) -> str:
    """How a thread moves the whole of an element of `step` bytes, which it moves by `size` now."""
    if step <= VECTOR:
        return f"{padded(step)}move each with one access of {access_of(step)} bytes"
    vector = VECTOR if step % VECTOR == 0 else 8
    if step % vector == 0 and size < vector:
        return f"move it in vectors of {vector} bytes"
    return "let the block copy its elements through shared memory"


def of_a_run(verb: str, array: str, shared: str = "") -> str:
    """What packs the runs that threads walk along from starts that are loaded data.

    `shared`: how lanes share one, besides.
    """
    told = (
        f"each thread walks along its own run of {array}, whose start is loaded data: let the "
        f"lanes of a warp {verb} a run together"
    )
    return f"{told}, {shared}" if shared else told


def verb(site: AccessSite) -> str:
    """What a thread does at a site: `read`, `write`, `update`."""
    return _VERBS[site.kind]


def triton(site: AccessSite, witness: Witness | None, array: str) -> str:
    """The same in the words of Triton, where threads are the compiler's business.

    A thread is given as many neighbouring elements as fit a vector; where Triton cannot prove that
    they may go together, each is an access of its own and the lanes are a vector apart.
    """
    verb = _VERBS[site.kind]
    step = lane_distance(witness) if witness is not None else None
    if step is not None and site.size < abs(step) <= VECTOR:
        return one_by_one(verb, array)
    if site.indirect:
        return (
            f"the offsets into {array} are loaded data: sort or group the work so that a tile's "
            "neighbouring offsets fall on neighbouring elements"
        )
    return (
        f"let the last dimension of the tile run along the contiguous dimension of {array} "
        "(tl.arange times a stride of 1; swap the dimensions, or pass the array transposed), or "
        "describe it with tl.make_tensor_descriptor (in older Triton tl.make_block_ptr)"
    )


def one_by_one(verb: str, array: str) -> str:
    """How Triton comes to join what a thread has of an array to vectors."""
    return (
        f"each thread {verb}s its neighbouring elements of {array} one by one, as Triton could "
        "not prove that they may go together: make sizes and strides multiples of 16 (pad "
        "them, or pass what is fixed as tl.constexpr), or say so with tl.multiple_of and "
        "tl.max_contiguous; a mask that may differ among them keeps them apart, too"
    )


def of_fields(array: str) -> str:
    """How the structures of an array in shared memory lie for lanes that take one each."""
    return (
        f"keep each field of {array} in an array of its own, so that neighbouring lanes use "
        "neighbouring words"
    )


def conflicting(site: AccessSite, witness: Witness, array: str) -> str:
    """How the lanes of a warp come to use different banks of shared memory."""
    step = lane_distance(witness)
    stride: Polynomial | None = site.strides.get("x")
    fixed = stride is not None and stride.constant is not None
    if step is None:
        return (
            f"give neighbouring lanes different banks: pad the rows of {array}, or permute its "
            "index (swizzle)"
        )
    if not fixed:
        return (
            f"let neighbouring lanes use neighbouring elements of {array}, whatever the distance "
            "that each combines"
        )
    if abs(step) == site.size > BANK_BYTES:
        return (
            f"keep the elements of {array} as words of 4 bytes in arrays of their own, which are "
            "read one after the other (`__hiloint2double` puts a double together)"
        )
    if abs(step) < SMALLEST_ROW * site.size:
        return (
            f"let neighbouring lanes use neighbouring elements of {array}: keep what lies between "
            "in an array of its own"
        )
    padding = "one element" if site.size >= BANK_BYTES else f"{BANK_BYTES} bytes"
    return (
        f"give neighbouring lanes different banks: pad the rows of {array} by {padding}, or "
        "permute its index (swizzle)"
    )
