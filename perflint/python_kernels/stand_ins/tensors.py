"""Tensors without numbers: shapes, strides and types, computed as PyTorch computes them.

https://docs.pytorch.org/docs/stable/tensors.html, and for strides and broadcasting the pages
"Tensor views" and "Broadcasting semantics".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from perflint.python_kernels.stand_ins.anything import Anything

MEMORY = 80 << 30  #: bytes of a GPU
ALIGNMENT = 512  #: bytes; what PyTorch's allocator gives begins there


@dataclass(frozen=True)
class DType:
    """The type of a tensor's elements."""

    name: str
    itemsize: int
    is_floating_point: bool = False
    is_signed: bool = True
    is_complex: bool = False

    def __repr__(self) -> str:
        return f"torch.{self.name}"


FLOATS = {
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "float8_e4m3fn": 1, "float8_e5m2": 1,
    "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
}  # fmt: skip
INTEGERS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8}
UNSIGNED = {"uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1}
DTYPES = {
    **{n: DType(n, size, True) for n, size in FLOATS.items()},
    **{n: DType(n, size) for n, size in INTEGERS.items()},
    **{n: DType(n, size, is_signed=False) for n, size in UNSIGNED.items()},
}
FLOAT, LONG, BOOL = DTYPES["float32"], DTYPES["int64"], DTYPES["bool"]


class Device:
    """Where a tensor lies, `torch.device("cuda:0")`: there is one GPU."""

    def __init__(self, kind: Any = "cuda:0", index: int | None = None) -> None:
        name, _, number = (f"cuda:{kind}" if isinstance(kind, int) else str(kind)).partition(":")
        self.type = name
        self.index = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


class RankError(Exception):
    """A tensor whose shape was made up has another number of dimensions than is asked for."""

    def __init__(self, tensor: Tensor, wanted: int) -> None:
        super().__init__(f"a tensor of {wanted} dimensions and not {tensor.ndim}")
        self.tensor, self.wanted = tensor, wanted


class ShapeError(Exception):
    """A tensor whose shape was made up does not go with others; it would with another shape."""

    def __init__(self, tensor: Tensor, wanted: Sequence[int]) -> None:
        super().__init__(f"a tensor of shape {tuple(wanted)} and not {tuple(tensor.shape)}")
        self.tensor, self.wanted = tensor, tuple(wanted)


class Size(tuple[int, ...]):
    """A shape or strides; it knows whose, so that who unpacks too many extents can be told."""

    owner: Tensor | None = None
    #: the last one that was gone through
    last: Size | None = None

    def numel(self) -> int:
        """How many elements there are."""
        return prod(self)

    def __iter__(self) -> Iterator[int]:
        Size.last = self
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Size(super().__getitem__(key))
        if not -len(self) <= key < len(self) and self.owner is not None:
            raise RankError(self.owner, key + 1 if key >= 0 else -key)
        return super().__getitem__(key)


def packed(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor whose last dimension is contiguous."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(1, extent)
    return tuple(reversed(strides))


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape of several tensors together."""
    rank = max(map(len, shapes), default=0)
    padded = [(*(1,) * (rank - len(s)), *s) for s in shapes]
    for extents in zip(*padded, strict=True):
        if len({e for e in extents if e != 1}) > 1:
            raise RuntimeError(f"shapes {', '.join(map(str, shapes))} do not go together")
    return tuple(max(e) if 0 not in e else 0 for e in zip(*padded, strict=True))


_STEPS = iter(range(1 << 20, 1 << 62, 1 << 20))


class Ordered(NamedTuple):
    """What picks among elements gives: these, and where they stood (`torch.return_types`)."""

    values: Tensor
    indices: Tensor


class Tensor:
    """A tensor of which only the shape is known."""

    grad: Any = None
    grad_fn: Any = None
    is_cuda = True
    is_sparse = False
    is_leaf = True
    layout = "strided"

    def __init__(
        self,
        shape: Iterable[int],
        dtype: DType = FLOAT,
        strides: Sequence[int] | None = None,
        device: Device | None = None,
        *,
        made: str = "",
        address: int | None = None,
    ) -> None:
        self._shape = Size(int(e) for e in shape)
        self._shape.owner = self
        self._strides = Size(packed(self._shape) if strides is None else strides)
        self._strides.owner = self
        if strides is None and prod(self._shape) * dtype.itemsize > MEMORY:
            raise RuntimeError(f"out of memory: a tensor of shape {tuple(self._shape)}")
        self.dtype, self.device = dtype, device or Device()
        self.made = made  #: the argument that it was made up for
        self.rank_of = made  #: the argument that has its dimensions, in whatever order
        self.requires_grad = bool(made) and dtype.is_floating_point  # as of what is trained
        self._address = next(_STEPS) if address is None else address

    # --- what it is ---

    @property
    def shape(self) -> Size:
        return self._shape

    @property
    def data(self) -> Tensor:
        return self

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.numel() * self.itemsize

    @property
    def extent(self) -> int:
        """Bytes from its first element to its last."""
        last = sum((e - 1) * s for e, s in zip(self._shape, self._strides, strict=True))
        return (last + 1) * self.itemsize if self.numel() else 0

    def size(self, dim: int | None = None) -> Any:
        return self._shape if dim is None else self._shape[dim]

    def stride(self, dim: int | None = None) -> Any:
        if dim is None:
            return self._strides
        self._shape[dim]  # raises of what is not there
        return self._strides[dim]

    def dim(self) -> int:
        return self.ndim

    ndimension = dim

    def numel(self) -> int:
        return prod(self._shape)

    nelement = numel

    def __len__(self) -> int:
        return int(self._shape[0])

    def element_size(self) -> int:
        return self.itemsize

    def data_ptr(self) -> int:
        return self._address

    def storage_offset(self) -> int:
        return 0

    def get_device(self) -> int:
        return 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return self._strides == packed(self._shape)

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    # --- a number of which nothing is known ---

    def item(self) -> Any:
        return 1.0 if self.dtype.is_floating_point else 1

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        return 1.0

    def tolist(self) -> list[Any]:
        return [self.item()] * int(self._shape[0]) if self.ndim else self.item()

    def __hash__(self) -> int:
        return id(self)

    def __iter__(self) -> Iterator[Tensor]:
        return iter([self[i] for i in range(min(64, len(self)))])

    # --- other shapes of it ---

    def _like(
        self, shape: Iterable[int], strides: Sequence[int] | None = None, dtype: DType | None = None
    ) -> Tensor:
        return Tensor(shape, dtype or self.dtype, strides, self.device)

    def _seen(
        self,
        shape: Iterable[int],
        strides: Sequence[int] | None = None,
        dtype: DType | None = None,
        start: int = 0,
    ) -> Tensor:
        """The same elements in another shape, from one that is `start` elements on."""
        address = self._address + start * self.itemsize
        return Tensor(shape, dtype or self.dtype, strides, self.device, address=address)

    def view(self, *shape: Any) -> Tensor:
        if len(shape) == 1 and isinstance(shape[0], DType):
            last = self._shape[-1] * self.itemsize // shape[0].itemsize
            return self._seen((*self._shape[:-1], last), dtype=shape[0])
        wanted = list(extents(shape))
        known = prod(e for e in wanted if e != -1)
        if -1 in wanted:
            if not known or self.numel() % known:
                raise RuntimeError(f"shape {wanted} is invalid for {self.numel()} elements")
            wanted[wanted.index(-1)] = self.numel() // known
        if prod(wanted) != self.numel():
            raise RuntimeError(f"shape {wanted} is invalid for {self.numel()} elements")
        return self._seen(wanted) if self.is_contiguous() else self._like(wanted)

    reshape = view

    def view_as(self, other: Tensor) -> Tensor:
        return self.view(*other.shape)

    reshape_as = view_as

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        end = end_dim % max(1, self.ndim) + 1
        inner = prod(self._shape[start_dim:end])
        return self.view(*self._shape[:start_dim], inner, *self._shape[end:])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor:
        at = dim % self.ndim
        return self.view(*self._shape[:at], *sizes, *self._shape[at + 1 :])

    def permute(self, *dims: Any) -> Tensor:
        order = [d % self.ndim for d in extents(dims)]
        if len(order) != self.ndim:
            raise RankError(self, len(order))
        return self._ordered(
            self._seen([self._shape[d] for d in order], [self._strides[d] for d in order])
        )

    def _ordered(self, other: Tensor) -> Tensor:
        """Another tensor that has this one's dimensions."""
        other.rank_of = self.rank_of
        return other

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        for dim in (dim0, dim1):
            self._shape[dim]
        order = list(range(self.ndim))
        order[dim0], order[dim1] = order[dim1], order[dim0]
        return self.permute(*order)

    swapaxes = transpose

    def t(self) -> Tensor:
        return self.permute(*reversed(range(self.ndim)))

    @property
    def T(self) -> Tensor:  # noqa: N802 (PyTorch's name)
        return self.t()

    @property
    def mT(self) -> Tensor:  # noqa: N802
        return self.transpose(-2, -1)

    def unsqueeze(self, dim: int) -> Tensor:
        at = dim % (self.ndim + 1)
        step = self._strides[at] * self._shape[at] if at < self.ndim else 1
        return Tensor(
            (*self._shape[:at], 1, *self._shape[at:]),
            self.dtype,
            (*self._strides[:at], step, *self._strides[at:]),
            self.device,
            address=self._address,
            made=self.made,  # where a check wants more of it than 1, that is the argument's
        )

    def squeeze(self, dim: int | None = None) -> Tensor:
        gone = range(self.ndim) if dim is None else (dim % max(1, self.ndim),)
        kept = [i for i, e in enumerate(self._shape) if not (i in gone and e == 1)]
        return self._seen([self._shape[i] for i in kept], [self._strides[i] for i in kept])

    def expand(self, *shape: Any) -> Tensor:
        wanted = extents(shape)
        more = len(wanted) - self.ndim
        old, steps = (*(1,) * more, *self._shape), (*(0,) * more, *self._strides)
        new = [o if w == -1 else w for w, o in zip(wanted, old, strict=True)]
        moved = [0 if o == 1 and n != 1 else s for o, n, s in zip(old, new, steps, strict=True)]
        return self._seen(new, moved)

    def expand_as(self, other: Tensor) -> Tensor:
        return self.expand(*other.shape)

    def repeat(self, *times: Any) -> Tensor:
        count = extents(times)
        old = (*(1,) * (len(count) - self.ndim), *self._shape)
        return self._like([o * c for o, c in zip(old, count, strict=True)])

    def __getitem__(self, key: Any) -> Tensor:
        keys = list(key) if isinstance(key, tuple) else [key]
        taken = sum(k is not None and k is not Ellipsis for k in keys)
        if taken > self.ndim:
            raise RankError(self, taken)
        rest = [slice(None)] * (self.ndim - taken)
        if Ellipsis in [k for k in keys if not isinstance(k, Tensor)]:
            at = next(i for i, k in enumerate(keys) if k is Ellipsis)
            keys[at : at + 1] = rest
        else:
            keys += rest
        shape: list[int] = []
        strides: list[int] = []
        dim = first = 0
        for each in keys:
            if each is None:
                shape.append(1)
                strides.append(0)
                continue
            extent, step = self._shape[dim], self._strides[dim]
            dim += 1
            if isinstance(each, slice):
                start, stop, stride = each.indices(extent)
                first += start * step
                shape.append(len(range(start, stop, stride)))
                strides.append(step * stride)
            elif isinstance(each, (Tensor, list, range)):  # a gather
                shape += each.shape if isinstance(each, Tensor) else [len(each)]
                strides += [0] * (each.ndim if isinstance(each, Tensor) else 1)
            else:
                first += int(each) % max(1, extent) * step
        gathered = any(isinstance(k, (Tensor, list, range)) for k in keys)
        return self._like(shape) if gathered else self._seen(shape, strides, start=first)

    def __setitem__(self, key: Any, value: Any) -> None:
        """There are no numbers to be set."""

    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        keys: list[Any] = [slice(None)] * self.ndim
        keys[dim] = slice(start, start + length)
        return self[tuple(keys)]

    def select(self, dim: int, index: int) -> Tensor:
        keys: list[Any] = [slice(None)] * self.ndim
        keys[dim] = index
        return self[tuple(keys)]

    def split(self, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
        extent = self._shape[dim]
        lengths = size if not isinstance(size, int) else [
            min(size, extent - i) for i in range(0, extent, size)]  # fmt: skip
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        return tuple(self.narrow(dim, s, n) for s, n in zip(starts, lengths, strict=True))

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        return self.split(-(-self._shape[dim] // chunks), dim)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        return tuple(self.select(dim, i) for i in range(self._shape[dim]))

    # --- others like it ---

    def contiguous(self, memory_format: Any = None) -> Tensor:
        return self if self.is_contiguous() else self._ordered(self._like(self._shape))

    def detach(self) -> Tensor:
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        return self

    def clone(self, **options: Any) -> Tensor:
        return self._like(self._shape)

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        for each in (*args, *kwargs.values()):
            if isinstance(each, (DType, Tensor)):
                dtype = each if isinstance(each, DType) else each.dtype
                where = self._address if dtype == self.dtype else None
                return Tensor(
                    self._shape, dtype, self._strides, self.device, made=self.made, address=where
                )
        return self

    type = to

    def type_as(self, other: Tensor) -> Tensor:
        return self.to(other.dtype)

    def cuda(self, *args: Any, **kwargs: Any) -> Tensor:
        return self

    cpu = cuda

    def new_empty(self, *shape: Any, dtype: DType | None = None, **options: Any) -> Tensor:
        return self._like(extents(shape), dtype=dtype)

    new_zeros = new_ones = new_empty

    def new_full(
        self, shape: Any, value: Any, dtype: DType | None = None, **options: Any
    ) -> Tensor:
        return self._like(extents((shape,)), dtype=dtype)

    def new_tensor(self, data: Any, dtype: DType | None = None, **options: Any) -> Tensor:
        return Tensor(shape_of(data), dtype or self.dtype)

    # --- what is computed of it ---

    def _reduced(
        self, dim: Any = None, keepdim: bool = False, dtype: DType | None = None
    ) -> Tensor:
        dims = range(self.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
        gone = {d % max(1, self.ndim) for d in dims}
        shape = [
            1 if i in gone else e for i, e in enumerate(self._shape) if keepdim or i not in gone
        ]
        return self._like(shape, dtype=dtype)

    def sum(self, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
        return self._reduced(dim, keepdim, dtype)

    mean = prod = norm = sum

    def amax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        return self._reduced(dim, keepdim)

    amin = logsumexp = var = std = amax

    def max(self, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None or isinstance(dim, Tensor):
            return self._reduced()
        return Ordered(self._reduced(dim, keepdim), self._reduced(dim, keepdim, LONG))

    min = max

    def sort(self, dim: int = -1, **options: Any) -> Any:
        return Ordered(self._like(self._shape), self._like(self._shape, dtype=LONG))

    def topk(self, k: int, dim: int = -1, **options: Any) -> Any:
        shape = list(self._shape)
        shape[dim] = k
        return Ordered(self._like(shape), self._like(shape, dtype=LONG))

    def argmax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        return self._reduced(dim, keepdim, LONG)

    argmin = argmax

    def any(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        return self._reduced(dim, keepdim, BOOL)

    all = any

    def _with(self, other: Any = None, *rest: Any, **options: Any) -> Tensor:
        if not isinstance(other, Tensor):
            return self._like(self._shape)
        try:
            return self._like(broadcast(self._shape, other.shape))
        except RuntimeError:
            for less, more in ((other, self), (self, other)):
                if less.made and less.ndim <= more.ndim:
                    raise ShapeError(less, more.shape[more.ndim - less.ndim :]) from None
            raise

    def _compared(self, other: Any = None) -> Tensor:
        return self._with(other).to(BOOL)

    def matmul(self, other: Tensor) -> Tensor:
        if self.ndim == 1 or other.ndim == 1:
            shape = (*self._shape[:-1], *other.shape[:-2], *other.shape[-1:][: other.ndim - 1])
            return self._like(shape)
        if self._shape[-1] != other.shape[-2]:
            if other.made:
                raise ShapeError(other, (*other.shape[:-2], self._shape[-1], other.shape[-1]))
            raise RuntimeError(f"shapes {self._shape} and {other.shape} cannot be multiplied")
        outer = broadcast(self._shape[:-2], other.shape[:-2])
        return self._like((*outer, self._shape[-2], other.shape[-1]))

    mm = bmm = __matmul__ = matmul
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _with
    __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __and__ = __or__ = __xor__ = _with
    __lshift__ = __rshift__ = __rpow__ = __rfloordiv__ = _with
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared  # type: ignore[assignment]

    def __neg__(self) -> Tensor:
        return self._like(self._shape)

    __invert__ = __abs__ = __neg__

    def __getattr__(self, name: str) -> Any:
        """A type's name converts, and a name that ends in `_` changes numbers alone."""
        if name.startswith("__"):
            raise AttributeError(name)
        wanted = DTYPES.get(ALIASES.get(name, name))
        if wanted is not None:
            return lambda *args, **kwargs: self.to(wanted)
        if name.startswith("is_"):
            return No()
        if name.endswith("_"):
            return lambda *args, **kwargs: self
        if name in KEPT:
            return lambda *args, **kwargs: self._like(self._shape)
        return Anything(f"Tensor.{name}")


class No:
    """False, whether it is asked as an attribute or as a method."""

    def __bool__(self) -> bool:
        return False

    def __call__(self, *args: Any) -> bool:
        return False


#: PyTorch's other names of its types.
ALIASES = {"half": "float16", "float": "float32", "double": "float64", "short": "int16",
           "int": "int32", "long": "int64", "char": "int8", "byte": "uint8"}  # fmt: skip
#: Methods and functions of one tensor whose result has its shape.
KEPT = frozenset(
    {"abs", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid", "tanh", "relu", "gelu",
     "silu", "softmax", "log_softmax", "sin", "cos", "neg", "pow", "square", "cumsum", "clamp",
     "clamp_min", "clamp_max", "clip", "add", "sub", "mul", "div", "masked_fill", "fill", "roll",
     "scatter", "index_select", "gather", "round", "floor", "ceil", "reciprocal", "flip",
     "softplus", "tril", "triu"}
)  # fmt: skip


def extents(given: Sequence[Any]) -> tuple[int, ...]:
    """A shape that is given as one sequence or as several numbers."""
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    return tuple(int(e) for e in given)


def shape_of(data: Any) -> tuple[int, ...]:
    """The shape of nested lists."""
    if isinstance(data, Tensor):
        return data.shape
    if isinstance(data, (list, tuple)):
        return (len(data), *(shape_of(data[0]) if data else ()))
    return ()
