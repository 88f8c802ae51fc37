"""Which launches of a kernel cannot but do the same, so that one run answers for both.

Launches for sizes that nothing fixes differ in nothing if the source fixes all sizes: what is left
is how large the integers are that fill the arrays, which few kernels look at.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from perflint.sim.launch import Aggregate, Argument, Buffer, Launch


def alike(one: Launch, other: Launch, integers_steer: bool) -> bool:
    """Whether two launches of a kernel make the same run.

    `integers_steer`: whether what a run does may depend on the integers that fill the arrays.
    """
    same = (one.grid, one.block, one.dynamic_shared, one.symbols, one.textures) == (
        other.grid,
        other.block,
        other.dynamic_shared,
        other.symbols,
        other.textures,
    )
    pairs = zip(one.arguments, other.arguments, strict=True)
    return same and all(_alike(a, b, integers_steer) for a, b in pairs)


def _alike(one: Argument, other: Argument, steer: bool) -> bool:
    if isinstance(one, Buffer) and isinstance(other, Buffer):
        fixed = (one.name, one.element, one.size) == (other.name, other.element, other.size)
        given = one.data is None and other.data is None
        fixed = fixed and one.filling == other.filling
        return fixed and given and (one.limit == other.limit or not steer)
    if isinstance(one, Aggregate) and isinstance(other, Aggregate):
        places = [at for at, _ in one.buffers] == [at for at, _ in other.buffers]
        pairs = zip((b for _, b in one.buffers), (b for _, b in other.buffers), strict=False)
        return one.data == other.data and places and all(_alike(a, b, steer) for a, b in pairs)
    return one == other


def as_value(argument: Argument, of_buffer: Callable[[Buffer], Hashable]) -> Hashable:
    """An argument as a value that is equal for those alike, pointers in structures among them.

    A buffer is what `of_buffer` says of it; one that has contents of its own, and a texture, is
    like itself alone.
    """
    if isinstance(argument, Aggregate):
        inner = tuple((at, as_value(each, of_buffer)) for at, each in argument.buffers)
        return Aggregate, argument.data, inner
    if isinstance(argument, Buffer) and argument.data is None:
        return Buffer, of_buffer(argument)
    return argument
