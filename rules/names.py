"""How a message names what the PTX only numbers: arrays, parameters, strides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from perflint.analysis.coalescing_proof import lane_stride
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Base, Opaque, Parameter, Polynomial, Symbol
from perflint.analysis.variable_names import variable_name
from perflint.base.language import Language
from perflint.base.records import dataclass
from perflint.sim.accesses import Witness
from perflint.sim.launch import Run
from perflint.sim.memory import ORIGIN

_AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Names:
    """The source's names of one kernel's parameters and arrays."""

    parameters: tuple[str, ...]
    arrays: Mapping[tuple[int, ...], str] = field(default_factory=dict)  #: by a site's pcs
    language: Language = "cuda"  #: what the kernel is written in

    def array(self, site: AccessSite) -> str:
        """The array of a site as the source calls it, in backquotes; or what it is."""
        name = self.arrays.get(site.pcs) or self.plain_array(site)
        return f"`{name}`" if name else f"{site.space} memory"

    def plain_array(self, site: AccessSite) -> str | None:
        """The kernel's own name of a site's array, or None."""
        array = site.array
        if array.kind == "parameter" and array.parameter is not None:
            name = self.parameters[array.parameter]
            return name if not array.offset else None  # a field of a struct has a name of its own
        return variable_name(array.name) if array.kind == "variable" else None

    def symbol(self, symbol: Symbol) -> str | None:
        """The source name of a parameter or of a value loaded from one; the rest is left."""
        if isinstance(symbol, Parameter) and not symbol.offset:
            return self.parameters[symbol.index]
        if isinstance(symbol, Opaque) and symbol.is_loaded and symbol.array:
            pointers = {Parameter(i).text: name for i, name in enumerate(self.parameters)}
            known = pointers.get(symbol.array)
            if known is None and not symbol.array.startswith(("param(", "?")):
                known = variable_name(symbol.array)
            return known and f"{known}[…]"
        return None

    def stride(self, site: AccessSite, run: Run, witness: Witness) -> str:
        """How far apart neighbouring threads are, as the source's terms say it and as measured."""
        block = run.launch.block
        axis = next((a for a, n in zip(_AXES, block, strict=True) if n > 1), "x")
        stride = site.strides.get(axis)
        measured = lane_distance(witness)
        if axis == "x" and stride is not None and _wraps(stride, site.size, block[0]):
            axis, stride, measured = "y", site.strides.get("y"), None
        text = stride.describe(self.symbol) if stride is not None else None
        if text is not None:
            known = text.lstrip("-").isdigit() or measured is None
            here = "" if known else f" ({measured} here)"
            shown = text if text.isdigit() else f"`{text}`"
            neighbours = "lanes" if self.language == "triton" else f"threadIdx.{axis}"
            return f"neighbouring {neighbours} are {shown} bytes apart{here}"
        if measured is not None:
            step = lane_stride(site, block)
            said = None if step is None or step.constant is not None else step.describe(self.symbol)
            if said is not None:
                return f"neighbouring lanes are `{said}` bytes apart ({measured} here)"
            return f"neighbouring lanes are {measured} bytes apart"
        if (where := self._offset(site)) is not None:
            return f"the lanes are at no fixed distance from each other: byte offset `{where}`"
        return "the lanes are at no fixed distance from each other"

    def _offset(self, site: AccessSite) -> str | None:
        """The address without its base in the source's terms, where that is short enough."""
        if site.address is None:
            return None
        bases = [
            s
            for s in site.address.symbols
            if site.address.terms.get((s,)) == 1 and is_base(s, site)
        ]
        if len(bases) != 1:
            return None
        text = (site.address - Polynomial.of(bases[0])).describe(self.symbol)
        return text if text is not None and len(text) <= 60 else None

    def witness(self, witness: Witness, unit: str) -> str:
        """The worst request in a form that can be checked by hand."""
        lanes = [offset for offset in witness.lanes if offset is not None]
        # An address that is itself invented, as small as integers are, is below all regions.
        unknown = min(lanes, default=0) <= -(ORIGIN // 2)
        shown = ", ".join(str(offset + ORIGIN * unknown) for offset in lanes[:4])
        dots = ", …" if len(lanes) > 4 else ""
        return (
            f"block {witness.block}, warp {witness.warp}: {witness.measured} {unit}; "
            f"byte offsets {shown}{dots}{' from a pointer that is not known' if unknown else ''}"
        )


def is_base(symbol: Symbol, site: AccessSite) -> bool:
    """Whether a symbol is the pointer or the variable that a site's address is relative to."""
    if isinstance(symbol, Parameter):
        return (symbol.index, symbol.offset) == (site.array.parameter, site.array.offset or 0)
    return isinstance(symbol, Base)


def _wraps(stride: Polynomial, size: int, width: int) -> bool:
    """Threads of one row are packed, so that what scatters a warp is the step to the next row."""
    value = stride.constant
    return value is not None and abs(value) <= size and width < 32


def lane_distance(witness: Witness) -> int | None:
    """Bytes between neighbouring active lanes, where they are all equally far apart."""
    pairs = zip(witness.lanes, witness.lanes[1:], strict=False)
    steps = {b - a for a, b in pairs if a is not None and b is not None}
    return steps.pop() if len(steps) == 1 else None
