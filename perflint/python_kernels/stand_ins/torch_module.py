"""What stands in for PyTorch: tensors without numbers, one GPU, and decorators without effect."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from math import inf, pi
from types import ModuleType, SimpleNamespace
from typing import Any

from perflint.python_kernels.stand_ins.anything import Anything, Bare
from perflint.python_kernels.stand_ins.tensors import (
    ALIASES,
    BOOL,
    DTYPES,
    FLOAT,
    KEPT,
    LONG,
    MEMORY,
    Device,
    DType,
    No,
    Size,
    Tensor,
    broadcast,
    extents,
    shape_of,
)

VERSION = "2.9.0"  #: whom modules ask for PyTorch's version are given a recent one
#: Multiprocessors and registers of the GPUs that are usual: A100, H100, B200, RTX PRO 6000.
MULTIPROCESSORS = {8: 108, 9: 132, 10: 148, 12: 188}


#: What other makers' accelerators are called in PyTorch: there is a GPU of NVIDIA's and none of
#: these, and modules ask for them by `hasattr`.
ACCELERATORS = frozenset(
    {"mlu", "musa", "npu", "corex", "hpu", "gcu", "aipu", "ptpu", "txda", "supa", "sdaa", "xla"}
)


def stand(name: str) -> ModuleType:
    """A module that has everything. What is asked of PyTorch's settings is False, as by default.

    It is a plain one: of what a kernel names, `x: torch.Tensor`, Triton lets modules pass alone.
    """

    def held(attribute: str) -> Any:
        special = attribute.startswith("__") and attribute.endswith("__")
        if attribute in ACCELERATORS or special:
            raise AttributeError(attribute)
        if attribute.startswith(("is_", "are_", "has_")):
            return No()
        return Anything(f"{name}.{attribute}")

    module = ModuleType(name)
    module.__dict__.update({"__getattr__": held, "__path__": [], "__stands__": True})
    return module


def stands(module: ModuleType) -> bool:
    """Whether a module is one that `stand` made."""
    return "__stands__" in vars(module)


class Context:
    """What `forward` keeps for `backward`."""

    def __init__(self) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self.needs_input_grad = (True,) * 32

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Nothing is differentiated."""

    mark_dirty = set_materialize_grads = mark_non_differentiable


class Function:
    """`torch.autograd.Function`: `apply` is `forward`."""

    forward: Callable[..., Any]

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        return cls.forward(Context(), *args, **kwargs)


class Module(Bare):
    """`torch.nn.Module`: a call is `forward`."""

    training = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def register_buffer(self, name: str, tensor: Any, **options: Any) -> None:
        setattr(self, name, tensor)

    register_parameter = register_buffer


class Scope:
    """`torch.no_grad`, `torch.cuda.device`: a decorator and a context without effect."""

    idx = 0  #: the device's number

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.decorated = args[0] if args and callable(args[0]) else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.decorated is not None:
            return self.decorated(*args, **kwargs)
        return args[0] if args else self

    def __enter__(self) -> Scope:
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing was entered."""


def decorating(*args: Any, **kwargs: Any) -> Any:
    """A decorator without effect, with and without arguments: `compile`, `custom_fwd`."""
    if args and callable(args[0]):
        return args[0]
    return lambda function: function


def _made(*shape: Any, dtype: DType | None = None, **options: Any) -> Tensor:
    return Tensor(extents((options["size"],) if "size" in options else shape), dtype or FLOAT)


def _like(tensor: Tensor, *args: Any, dtype: DType | None = None, **options: Any) -> Tensor:
    dense = sorted(tensor.stride()) == sorted(Tensor(tensor.shape).stride())
    strides = tensor.stride() if dense else None
    return Tensor(tensor.shape, dtype or tensor.dtype, strides, tensor.device)


def _full(size: Any, value: Any = 0, dtype: DType | None = None, **options: Any) -> Tensor:
    return Tensor(extents((size,)), dtype or (LONG if isinstance(value, int) else FLOAT))


def _strided(size: Any, stride: Any, dtype: DType | None = None, **options: Any) -> Tensor:
    return Tensor(extents((size,)), dtype or FLOAT, extents((stride,)))


def _arange(*bounds: Any, dtype: DType | None = None, **options: Any) -> Tensor:
    ends = [b for b in bounds if isinstance(b, (int, float))]
    if any(isinstance(b, float) for b in ends):
        return Tensor((max(0, int(ends[-1])),), dtype or FLOAT)
    return Tensor((len(range(*ends)),), dtype or LONG)  # type: ignore[arg-type]


def _randint(*args: Any, dtype: DType | None = None, **options: Any) -> Tensor:
    size = options.get("size", next((a for a in args if isinstance(a, (tuple, list))), ()))
    return Tensor(extents((size,)), dtype or LONG)


class _TensorType(type):
    """What makes `torch.Tensor` of numbers, or of extents: every tensor is one of its."""

    def __call__(cls, *given: Any, **options: Any) -> Any:
        if given and isinstance(given[0], (list, Tensor)):
            return _tensor(given[0], FLOAT)
        return _made(*given)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


#: `torch.Tensor([4, 5])` has two elements, `torch.Tensor(4, 5)` twenty.
TensorClass = _TensorType("Tensor", (Tensor,), {})


def _tensor(data: Any, dtype: DType | None = None, **options: Any) -> Tensor:
    first = data
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    kind = BOOL if isinstance(first, bool) else LONG if isinstance(first, int) else FLOAT
    return Tensor(shape_of(data), dtype or getattr(data, "dtype", None) or kind)


def _cat(tensors: Sequence[Tensor], dim: int = 0, **options: Any) -> Tensor:
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    return Tensor(shape, tensors[0].dtype)


def _stack(tensors: Sequence[Tensor], dim: int = 0, **options: Any) -> Tensor:
    return _cat([t.unsqueeze(dim) for t in tensors], dim)


def _where(condition: Tensor, *values: Any) -> Any:
    tensors = [v for v in values if isinstance(v, Tensor)]
    shape = broadcast(condition.shape, *(t.shape for t in tensors))
    return Tensor(shape, tensors[0].dtype if tensors else FLOAT)


def _method(name: str) -> Callable[..., Any]:
    """A function that tensors have as a method."""
    return lambda tensor, *args, **kwargs: getattr(tensor, name)(*args, **kwargs)


def _info(dtype: DType) -> Any:
    bits = 8 * dtype.itemsize
    top = 2 ** (bits - dtype.is_signed) - 1 if not dtype.is_floating_point else 3e38
    return SimpleNamespace(bits=bits, max=top, min=-top - 1, eps=1e-7, tiny=1e-38, dtype=dtype)


@contextmanager
def _stream(*args: Any) -> Iterator[None]:
    yield


def _cuda(arch: str) -> dict[str, Any]:
    number = int("".join(c for c in arch if c.isdigit()))
    major, minor = divmod(number, 10)
    multiprocessors = MULTIPROCESSORS.get(major, 108)
    properties = SimpleNamespace(
        name="NVIDIA GPU", major=major, minor=minor, multi_processor_count=multiprocessors,
        total_memory=MEMORY, warp_size=32, max_threads_per_multi_processor=2048,
        shared_memory_per_block_optin=166912, shared_memory_per_multiprocessor=167936,
        regs_per_multiprocessor=65536, gcnArchName="",
    )  # fmt: skip
    return {
        "is_available": lambda: True, "current_device": lambda: 0, "device_count": lambda: 1,
        "get_device_capability": lambda *d: (major, minor),
        "get_device_properties": lambda *d: properties,
        "get_device_name": lambda *d: properties.name,
        "is_bf16_supported": lambda *d: True, "is_current_stream_capturing": lambda: False,
        "device": Scope, "synchronize": lambda *d: None, "empty_cache": lambda: None,
        "set_device": lambda *d: None, "device_of": Scope, "stream": _stream,
    }  # fmt: skip


def _members(arch: str) -> dict[str, dict[str, Any]]:
    """What each module of PyTorch's holds, but for what nobody needs."""
    shaped = dict.fromkeys(("empty", "zeros", "ones", "rand", "randn"), _made)
    alike = ("empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like")
    methods = (
        *KEPT, "sum", "mean", "max", "min", "amax", "amin", "argmax", "matmul", "mm", "bmm", "any",
        "all", "transpose", "permute", "reshape", "flatten", "squeeze", "unsqueeze", "chunk",
        "split", "unbind", "clone", "numel", "is_floating_point", "repeat_interleave", "sort",
        "topk",
    )  # fmt: skip
    scopes = ("no_grad", "enable_grad", "inference_mode", "autocast", "set_grad_enabled")
    top = {
        **DTYPES,
        **{name: DTYPES[real] for name, real in ALIASES.items()},
        **{name: _method(name) for name in methods},
        **shaped,
        **dict.fromkeys(alike, _like),
        **dict.fromkeys(scopes, Scope),
        "Tensor": TensorClass, "Size": Size, "dtype": DType, "device": Device, "Generator": Bare,
        "full": _full, "arange": _arange, "randint": _randint, "tensor": _tensor,
        "as_tensor": _tensor, "asarray": _tensor, "from_numpy": _tensor, "cat": _cat,
        "concat": _cat, "stack": _stack, "where": _where, "empty_strided": _strided,
        "randperm": lambda n, **options: Tensor((n,), LONG), "finfo": _info, "iinfo": _info,
        "is_tensor": lambda value: isinstance(value, Tensor), "compile": decorating,
        "manual_seed": lambda *a: None, "is_grad_enabled": lambda: True, "inf": inf, "pi": pi,
        "broadcast_shapes": broadcast, "__version__": VERSION, "strided": "strided",
        "broadcast_tensors": lambda *ts: [
            t.expand(broadcast(*(t.shape for t in ts))) for t in ts],
    }  # fmt: skip
    return {
        "torch": top,
        "torch.cuda": _cuda(arch),
        "torch.backends": {},
        "torch.backends.cuda": {},
        "torch.backends.cuda.matmul": {"allow_tf32": False},
        "torch.backends.cudnn": {"allow_tf32": True, "enabled": True, "benchmark": False,
                                 "deterministic": False},
        "torch._C": {"_cuda_getCurrentRawStream": lambda *device: 0},
        "torch.autograd": {"Function": Function},
        "torch.autograd.function": {"Function": Function},
        "torch.nn": {"Module": Module, "Parameter": lambda data, *a, **k: data},
        "torch.nn.functional": {name: _method(name) for name in KEPT},
        "torch.amp": {"custom_fwd": decorating, "custom_bwd": decorating, "autocast": Scope},
        "torch.cuda.amp": {"custom_fwd": decorating, "custom_bwd": decorating, "autocast": Scope},
        "torch.compiler": {"disable": decorating, "is_compiling": lambda: False},
        "torch.jit": {"script": decorating, "ignore": decorating, "unused": decorating},
        "torch.library": {"custom_op": _custom_op, "triton_op": _custom_op,
                          "wrap_triton": lambda kernel: kernel},
        "torch.version": {"cuda": "13.0", "hip": None, "xpu": None, "__version__": VERSION},
    }  # fmt: skip


def _custom_op(*args: Any, **kwargs: Any) -> Any:
    """`torch.library.custom_op`: the function, with what registers others beside it."""

    def named(function: Any) -> Any:
        for name in ("register_fake", "register_autograd", "register_kernel", "register_vmap"):
            setattr(function, name, decorating)
        return function

    function = args[1] if len(args) > 1 and callable(args[1]) else None
    return named if function is None else named(function)


def install(arch: str) -> None:
    """Put the stand-in among the loaded modules, whether PyTorch is installed or not."""
    for name in [n for n in sys.modules if n == "torch" or n.startswith("torch.")]:
        del sys.modules[name]
    made: dict[str, ModuleType] = {}
    for name, members in _members(arch).items():
        module = made[name] = stand(name)
        module.__spec__ = ModuleSpec(name, None, is_package=True)  # `find_spec` asks for it
        module.__dict__.update(members)
        sys.modules[name] = module
        outer, _, last = name.rpartition(".")
        if outer:
            setattr(made[outer], last, module)
