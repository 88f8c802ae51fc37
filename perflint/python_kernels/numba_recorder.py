"""Numba's launches, compiled for a GPU that need not be there."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numba import cuda
from numba.core import sigutils
from numba.cuda import compiler, dispatcher
from numba.cuda.dispatcher import CUDADispatcher
from numba.types import Array, boolean, float32, float64, int32, int64

from perflint.base.launch_option import Dim3, LaunchSpec
from perflint.python_kernels.manifest import UNSEEN, Compiled, Manifest, NotCompiled, Order
from perflint.python_kernels.numba_types import supposed_types
from perflint.sim import architecture

MOST = 8  #: compilations of one kernel
FOR_ALL = 128  #: threads of a block where `forall` leaves it to the driver
#: The types of elements, of those that must be integers, and of those that are only conditions,
#: that unknown arrays are tried with.
_SUPPOSED = (
    ((float64, int64, None), (float32, int32, boolean)),
    ((int64, int64, None), (int32, int32, boolean)),
)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")


def recorder(order: Order, folder: Path, manifest: Manifest) -> NumbaRecorder:
    """The recorder of Numba's kernels."""
    return NumbaRecorder(order, folder, manifest)


class HostArray(np.ndarray[Any, Any]):
    """What stands for an array in the GPU's memory: one in the host's."""

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """A copy, or into `ary`."""
        if ary is None:
            return np.array(self)
        ary[...] = self
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Take over an array's elements."""
        self[...] = np.asarray(ary)


def _to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    if to is not None:
        to[...] = np.asarray(obj)
        return to
    return np.array(obj).view(HostArray)


def _array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: Any = "C",
           **_: Any) -> Any:  # fmt: skip
    return np.zeros(shape, dtype, order).view(HostArray)


def _like(ary: Any, **_: Any) -> Any:
    return np.zeros_like(np.asarray(ary)).view(HostArray)


class _Device:
    """A GPU as far as it is asked about: its compute capability and its largest block."""

    name = b"simulated"
    id = 0
    WARP_SIZE = 32
    MAX_THREADS_PER_BLOCK = 1024

    def __init__(self, capability: tuple[int, int], processors: int) -> None:
        self.compute_capability, self.MULTIPROCESSOR_COUNT = capability, processors


class NumbaRecorder:
    """Compiles what is launched, or declared with types, and notes how."""

    def __init__(self, order: Order, folder: Path, manifest: Manifest) -> None:
        self.order, self.folder, self.manifest = order, folder, manifest
        digits = order.arch.removeprefix("sm_").rstrip("af")
        self.capability = (int(digits[:-1]), int(digits[-1]))
        self.done: dict[tuple[int, tuple[Any, ...]], int | None] = {}  #: place in the manifest
        self.seen: set[str] = set()

    def install(self) -> None:
        """Replace Numba's launch and what needs a GPU around it."""
        warnings.filterwarnings("ignore", module=r"numba\b")
        recorder = self

        def configure(self: Any, grid: Any, block: Any, stream: Any = 0, shared: int = 0) -> Any:
            return _Launch(recorder, self, _dim3(grid), _dim3(block), int(shared))

        def for_all(self: Any, tasks: int, tpb: int = 0, stream: Any = 0, shared: int = 0) -> Any:
            threads = tpb or FOR_ALL
            return _Launch(recorder, self, (-(-tasks // threads), 1, 1), (threads, 1, 1), shared)

        def declared(self: Any, types: Any) -> None:
            recorder.compiled(self, tuple(types))

        processors = architecture.load(self.order.arch).multiprocessors
        device = _Device(self.capability, processors)
        compile_device = CUDADispatcher.compile_device

        def helper(self: Any, *args: Any, **kwargs: Any) -> Any:
            self.targetoptions["lineinfo"] = True
            return compile_device(self, *args, **kwargs)

        replaced: dict[str, Callable[..., Any]] = {
            "configure": configure,
            "forall": for_all,
            "compile": declared,
            "compile_device": helper,
            "disable_compile": lambda self, *_: None,
        }
        for name, function in replaced.items():
            setattr(CUDADispatcher, name, function)
        memory: dict[str, Callable[..., Any]] = {
            "to_device": _to_device,
            "device_array": _array,
            "pinned_array": _array,
            "managed_array": _array,
            "mapped_array": _array,
            "device_array_like": _like,
            "pinned_array_like": _like,
            "synchronize": lambda: None,
            "stream": lambda: 0,
            "default_stream": lambda: 0,
            "is_available": lambda: True,
            "select_device": lambda number: None,
        }
        for name, function in memory.items():
            setattr(cuda, name, function)
        for module in (cuda, compiler, dispatcher):
            module.get_current_device = lambda: device

    def compile_given(self, namespace: dict[str, Any]) -> None:
        """Compile what the order's signatures name."""
        kernels = {
            name: value
            for name, value in namespace.items()
            if isinstance(value, CUDADispatcher) and not value.targetoptions.get("device")
        }
        for name, written in self.order.signatures:
            if name not in kernels:
                known = ", ".join(sorted(kernels)) or "none"
                self.manifest.failures.append(
                    NotCompiled(name, 1, f"there is no kernel of that name; there is {known}")
                )
                continue
            self.seen.add(name)
            try:
                types, _ = sigutils.normalize_signature(f"void({written})")
            except Exception as error:
                self._failed(kernels[name], error)
            else:
                self.compiled(kernels[name], tuple(types))
        helpers = {n for k in kernels.values() for n in k.py_func.__code__.co_names}
        for name, kernel in kernels.items():
            code = kernel.py_func.__code__
            here = Path(code.co_filename) == Path(self.order.file)
            if here and kernel.py_func.__name__ not in self.seen and name not in helpers:
                self._supposed(name, kernel)

    def _supposed(self, name: str, kernel: Any) -> None:
        """Compile a kernel that nothing launches for types that its source suggests.

        Twice: what is found with one type of elements alone is in doubt.
        """
        before, missing = len(self.manifest.compiled), len(self.manifest.failures)
        for pairs in _SUPPOSED:
            for real, whole, truth in pairs if len(self.manifest.compiled) == before else ():
                types = supposed_types(kernel.py_func, real, whole, truth)
                if types is not None:
                    told = tuple(f"`{n}` is {_spelt(type_)}" for n, type_ in types.items())
                    self.compiled(kernel, tuple(types.values()), told)
        del self.manifest.failures[missing:]  # nobody said that these were its types
        if len(self.manifest.compiled) == before:
            line = kernel.py_func.__code__.co_firstlineno
            self.manifest.failures.append(NotCompiled(name, line, UNSEEN))

    def compiled(
        self, kernel: Any, types: tuple[Any, ...], supposing: tuple[str, ...] = ()
    ) -> int | None:
        """The place in the manifest of a kernel for some types; None where it does not compile."""
        key = id(kernel), types
        if key in self.done:
            return self.done[key]
        function = kernel.py_func
        name = function.__name__
        self.seen.add(name)
        self.done[key] = None
        number = sum(c.kernel == name for c in self.manifest.compiled)
        if number >= MOST:
            self.manifest.remarks.append(f"{name}: only {MOST} compilations of it are checked")
            return None
        try:
            ptx, _ = cuda.compile_ptx(
                function,
                types,
                lineinfo=True,
                device=False,
                fastmath=bool(kernel.targetoptions.get("fastmath")),
                cc=self.capability,
            )
        except Exception as error:
            self._failed(kernel, error)
            return None
        file = f"{name}.{number}.ptx"
        text = ptx if isinstance(ptx, str) else ptx.decode()
        (self.folder / file).write_text(text, encoding="utf-8")
        self.done[key] = len(self.manifest.compiled)
        place = os.path.realpath(function.__code__.co_filename)
        self.manifest.compiled.append(Compiled(name, file, (), place, supposing=supposing))
        self.manifest.write(self.folder)
        return self.done[key]

    def note(self, kernel: Any, args: Sequence[Any], launch: LaunchSpec) -> None:
        """Compile a kernel for the arguments of a launch, and keep the launch."""
        try:
            types = tuple(kernel.typeof_pyval(_plain(each)) for each in args)
        except Exception as error:
            self._failed(kernel, error)
            return
        at = self.compiled(kernel, types)
        if at is None:
            return
        known = self.manifest.compiled[at]
        entry = _ENTRY.search((self.folder / known.ptx).read_text(encoding="utf-8"))
        named = LaunchSpec(
            entry[1] if entry else known.kernel,
            launch.grid,
            launch.block,
            launch.shared,
            launch.arguments,
        )
        if named not in known.launches:
            launches = (*known.launches, named)
            self.manifest.compiled[at] = replace(known, launches=launches, supposing=())
            self.manifest.write(self.folder)

    def _failed(self, kernel: Any, error: Exception) -> None:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = lines[0] if lines else type(error).__name__
        code = kernel.py_func.__code__
        reason = f"Numba does not compile it: {type(error).__name__}: {said}"[:300]
        failure = NotCompiled(kernel.py_func.__name__, code.co_firstlineno, reason)
        if failure not in self.manifest.failures:
            self.manifest.failures.append(failure)


def _spelt(type_: Any) -> str:
    """A type as Numba's signatures write it: `float64[:, ::1]`."""
    if not isinstance(type_, Array):
        return str(type_)
    return f"{type_.dtype}[{', '.join([':'] * (type_.ndim - 1) + ['::1'])}]"


class _Launch:
    """`kernel[grid, block]`: to be called with the arguments."""

    def __init__(
        self, recorder: NumbaRecorder, kernel: Any, grid: Dim3, block: Dim3, shared: int
    ) -> None:
        self.recorder, self.kernel = recorder, kernel
        self.grid, self.block, self.shared = grid, block, shared

    def __call__(self, *args: Any) -> None:
        names = self.kernel.py_func.__code__.co_varnames
        values = tuple(
            pair for name, arg in zip(names, args, strict=False) for pair in _values(name, arg)
        )
        launch = LaunchSpec("", self.grid, self.block, self.shared, values)
        self.recorder.note(self.kernel, args, launch)


def _dim3(given: Any) -> Dim3:
    numbers = given if isinstance(given, (tuple, list)) else (given,)
    x, y, z = (*(int(n) for n in numbers), 1, 1)[:3]
    return x, y, z


def _plain(argument: Any) -> Any:
    return argument.view(np.ndarray) if isinstance(argument, HostArray) else argument


def _values(name: str, argument: Any) -> list[tuple[str, int | float]]:
    """The numbers that the kernel is passed for an argument, by the names of the pieces."""
    if isinstance(argument, np.ndarray):
        pieces: list[tuple[str, int | float]] = [
            (f"{name}.size", int(argument.size)),
            (f"{name}.itemsize", int(argument.itemsize)),
        ]
        pieces += [(f"{name}.shape[{i}]", int(n)) for i, n in enumerate(argument.shape)]
        pieces += [(f"{name}.strides[{i}]", int(n)) for i, n in enumerate(argument.strides)]
        return pieces
    if isinstance(argument, np.generic):
        argument = argument.item()
    is_number = isinstance(argument, (int, float)) and not isinstance(argument, bool)
    return [(name, argument)] if is_number else []
