"""Triton's launches, compiled for a GPU that need not be there."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from perflint.base.launch_option import Dim3, LaunchSpec
from perflint.python_kernels.kernel_syntax import gives_a_value, inner_of
from perflint.python_kernels.made_arguments import TileError
from perflint.python_kernels.manifest import Compiled, Manifest, NotCompiled, Order
from perflint.python_kernels.stand_ins.anything import Anything
from perflint.python_kernels.stand_ins.tensors import Tensor
from perflint.python_kernels.tuner import SharedMemoryError, compiled_of
from perflint.sim import architecture

WARP = 32
MOST = 8  #: compilations of one kernel, of each of its configurations
DIVISOR = 16  #: what Triton's launcher looks for in addresses and sizes
#: Bytes of a multiprocessor's registers: no tile that is worked on is larger.
REGISTERS = 256 << 10
_TILE = re.compile(r"tensor<((?:\d+x)+)[a-z]+(\d+)\b")
_MISSING = re.compile(r"missing \d+ required positional arguments?: (.*)")
_REQUIRED = re.compile(r"^\.reqntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", re.MULTILINE)
_HINTED = re.compile(r"(\*?[a-z]\w*)(?::(\d+))?")


def recorder(order: Order, folder: Path, manifest: Manifest) -> TritonRecorder:
    """The recorder of Triton's kernels."""
    return TritonRecorder(order, folder, manifest)


class _Driver:
    """A GPU as Triton's runtime asks for it: only its kind is known."""

    def __init__(self, target: GPUTarget) -> None:
        self.target = target

    def get_current_target(self) -> GPUTarget:
        return self.target

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        """There is one."""

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        import torch

        return torch.cuda

    def is_active(self) -> bool:
        return True


def _hook(recorder: TritonRecorder) -> Any:
    """Triton's hook of a compilation: PTX is the end of it, and tiles that come of made-up sizes
    are looked at. Without arguments it names what it changes, for Triton's cache.
    """

    def hook(*given: Any) -> Any:
        if not given:
            return "perflint", "perflint"
        stages, make = given[1], given[1]["ttgir"]

        def looked_at(module: Any, metadata: Any) -> Any:
            for tile in _TILE.finditer(str(module)) if recorder.supposed else ():
                size = prod(map(int, tile[1].rstrip("x").split("x"))) * int(tile[2]) // 8
                if size > REGISTERS:
                    raise TileError(
                        f"a tile of {size:,} bytes, and a multiprocessor's registers hold"
                        f" {REGISTERS:,}"
                    )
            return make(module, metadata)

        stages["ttgir"] = looked_at
        stages["cubin"] = lambda source, metadata: b""
        return None

    return hook


class TritonRecorder:
    """Compiles what is launched and notes how."""

    def __init__(self, order: Order, folder: Path, manifest: Manifest) -> None:
        self.order, self.folder, self.manifest = order, folder, manifest
        self.target = GPUTarget("cuda", int(order.arch.removeprefix("sm_").rstrip("af")), WARP)
        self.done: dict[str, int] = {}  #: by PTX: its place in the manifest
        self.seen: set[str] = set()  #: kernels launched
        self.refused: Counter[str] = Counter()  #: by kernel: launches that Triton did not compile
        self.supposed: tuple[str, ...] = ()  #: what is made up for the call that is being made
        self.tunes = False  #: whether a tuner launches
        self.configuration = ""  #: of the tuner's that calls, if not the first

    @property
    def done_with(self) -> set[str]:
        """Kernels that were launched, but for those that did not compile for what was made up."""
        return self.seen - (set(self.refused) - {each.kernel for each in self.manifest.compiled})

    @contextmanager
    def supposing(self, supposed: tuple[str, ...]) -> Iterator[None]:
        """While it lasts, launches rest on what is made up."""
        self.supposed = supposed
        try:
            yield
        finally:
            self.supposed = ()

    def install(self) -> None:
        """Replace Triton's launch: what it would run is compiled and noted."""
        warnings.filterwarnings("ignore", module=r"triton\b")
        triton.runtime.driver.set_active(_Driver(self.target))
        triton.knobs.runtime.add_stages_inspection_hook = _hook(self)
        original, tune, recorder = JITFunction.run, Autotuner.run, self
        limit = architecture.load(self.order.arch).shared_per_block_optin

        def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            recorder.seen.add(self.__name__)
            if recorder.refused[self.__name__] >= MOST:
                return None  # a loop that launches it again and again
            args = tuple(_plain(each) for each in args)
            kwargs = {name: _plain(each) for name, each in kwargs.items()}
            try:
                kernel = original(self, *args, grid=grid, warmup=True, **kwargs)
                bound = _bound(self, args, kwargs)
                shape = _grid(grid, bound)
                if kernel.metadata.shared > limit:
                    raise SharedMemoryError(kernel.metadata.shared, limit, recorder.order.arch)
            except (TileError, SharedMemoryError) as error:
                if not recorder.tunes:
                    recorder.failed(self, error)
                if recorder.tunes or recorder.supposed:
                    raise  # who made up the sizes makes up smaller ones
                return None
            except Exception as error:
                if any(isinstance(each, Anything) for each in (*args, *kwargs.values())):
                    recorder.seen.discard(self.__name__)  # made of what is not installed
                else:
                    recorder.failed(self, error)
                return None
            recorder.note(self, kernel, shape, bound, _place())
            return kernel

        def some(self: Any, *args: Any, **kwargs: Any) -> Any:
            every, name = self.configs, self.base_fn.__name__

            def launch(configuration: Any, first: bool) -> Any:
                self.configs = [configuration]
                recorder.configuration = "" if first else _spelt(configuration)
                return tune(self, *args, **kwargs)

            recorder.tunes = True
            try:
                return compiled_of(name, every, launch, recorder.manifest.remarks)
            except (TileError, SharedMemoryError) as error:
                recorder.failed(_jit_function(self), error)
                if recorder.supposed:
                    raise
                return None
            finally:
                self.configs, recorder.configuration, recorder.tunes = every, "", False

        # libraries keep what was compiled, and launch it themselves the next time
        CompiledKernel.__getitem__ = lambda self, grid: lambda *args, **kwargs: None
        CompiledKernel._init_handles = lambda self: None
        JITFunction.run = run
        Autotuner.run = some

    def compile_given(self, namespace: dict[str, Any]) -> None:
        """Compile what the order's signatures name."""
        kernels = {n: f for n, v in namespace.items() if (f := _jit_function(v)) is not None}
        for name, written in self.order.signatures:
            kernel = kernels.get(name)
            if kernel is None:
                known = ", ".join(sorted(kernels)) or "none"
                self.manifest.failures.append(
                    NotCompiled(name, 1, f"there is no kernel of that name; there is {known}")
                )
                continue
            self.seen.add(name)
            try:
                source, options = _source(kernel, written)
                compiled = triton.compile(source, target=self.target, options=options)
            except Exception as error:
                self.failed(kernel, error)
            else:
                self.note(kernel, compiled, None, {})
        helpers = {n for f in kernels.values() for n in f.fn.__code__.co_names}
        for name, kernel in kernels.items():
            here = Path(kernel.fn.__code__.co_filename) == Path(self.order.file)
            used = kernel.__name__ in self.seen or name in helpers or gives_a_value(kernel.fn)
            if here and not used:
                reason = "no launch was seen that gives its types; --signature gives them"
                self.manifest.failures.append(NotCompiled(name, _line(kernel), reason))

    def note(
        self,
        function: Any,
        kernel: Any,
        grid: Dim3 | None,
        bound: Mapping[str, Any],
        place: tuple[str, int] | None = None,
    ) -> None:
        """Keep the PTX of a kernel and one launch of it."""
        ptx: str = kernel.asm["ptx"]
        name, chosen = function.__name__, self.configuration
        if ptx not in self.done:
            others = [c for c in self.manifest.compiled if c.kernel == name]
            number = len(others)
            if sum(c.configuration == chosen for c in others) >= MOST:
                self.manifest.remarks.append(f"{name}: only {MOST} compilations of it are checked")
                return
            stem = f"{name}.{number}"
            (self.folder / f"{stem}.ptx").write_text(ptx, encoding="utf-8")
            (self.folder / f"{stem}.ttir").write_text(str(kernel.asm["ttir"]), encoding="utf-8")
            metadata = {"shared": kernel.metadata.shared}
            (self.folder / f"{stem}.json").write_text(json.dumps(metadata), encoding="utf-8")
            self.done[ptx] = len(self.manifest.compiled)
            file = os.path.realpath(function.fn.__code__.co_filename)
            self.manifest.compiled.append(Compiled(name, f"{stem}.ptx", (), file, chosen))
            self.manifest.write(self.folder)
        if grid is not None:
            at = self.done[ptx]
            known = self.manifest.compiled[at]
            launch = replace(
                _launch(kernel, ptx, grid, bound), place=place, supposing=self.supposed
            )
            if launch not in known.launches:
                launches = (*known.launches, launch)
                self.manifest.compiled[at] = replace(known, launches=launches)
                self.manifest.write(self.folder)

    def failed(self, kernel: Any, error: Exception) -> None:
        """Note a kernel that Triton does not compile."""
        self.refused[kernel.__name__] += 1
        text = str(error).strip() or type(error).__name__
        last = next((line for line in reversed(text.splitlines()) if line.strip()), text)
        said = f"{type(error).__name__}: {' '.join(last.split())}"[:240]
        reason = f"Triton {triton.__version__} does not compile it: {said}"
        if isinstance(error, SharedMemoryError):
            reason = f"it wants {error}"
        elif isinstance(error, TileError):
            reason = f"it works on {error}"
        elif (missing := _MISSING.search(last)) is not None:
            place = _place()
            where = f" at {Path(place[0]).name}:{place[1]}" if place else ""
            reason = f"the launch{where} gives no {missing[1]}"
        elif "not supported in this architecture" in last:
            reason += f"; another --arch than {self.order.arch} may have it"
        failure = NotCompiled(kernel.__name__, _line(kernel), reason)
        if failure not in self.manifest.failures:
            self.manifest.failures.append(failure)


def _jit_function(value: Any) -> JITFunction | None:
    """The kernel in an object that a module names, below its tuner and heuristics."""
    function = None
    while value is not None and (inner := inner_of(value)) is not None:
        function, value = value if isinstance(value, JITFunction) else None, inner
    return function


def _spelt(configuration: Any) -> str:
    """What a tuner chooses among: the kernel's own constants, warps and stages."""
    own = {**configuration.kwargs, "num_warps": configuration.num_warps}
    own["num_stages"] = configuration.num_stages
    return ", ".join(f"{name}={value}" for name, value in own.items())


def _plain(value: Any) -> Any:
    """A number as Triton's specialiser knows it."""
    return int(value) if isinstance(value, int) and type(value) not in (int, bool) else value


def _place() -> tuple[str, int] | None:
    """The line of the user's that makes the launch which is being compiled."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("triton.", "perflint.", "contextlib", "functools")):
            return os.path.realpath(frame.f_code.co_filename), frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _line(kernel: Any) -> int:
    code = kernel.fn.__code__
    return int(code.co_firstlineno)


def _bound(kernel: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    mine = {k: v for k, v in kwargs.items() if k in kernel.signature.parameters}
    bound = kernel.signature.bind_partial(*args, **mine)
    bound.apply_defaults()
    return dict(bound.arguments)


def _grid(grid: Any, bound: Mapping[str, Any]) -> Dim3:
    found = grid(bound) if callable(grid) else grid
    values = [int(n) for n in (found if isinstance(found, (tuple, list)) else (found,))]
    x, y, z = (*values, 1, 1)[:3]
    return max(1, x), max(1, y), max(1, z)


def _launch(kernel: Any, ptx: str, grid: Dim3, bound: Mapping[str, Any]) -> LaunchSpec:
    required = _REQUIRED.search(ptx)
    threads = [int(n or 1) for n in required.groups()] if required else []
    x, y, z = threads or [kernel.metadata.num_warps * WARP, 1, 1]
    kept = {n for n, type_ in kernel.src.signature.items() if type_ != "constexpr"}
    arguments = tuple(
        (name, value)
        for name, value in bound.items()
        if name in kept and isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    sizes = tuple(
        (name, value.extent) for name, value in bound.items() if isinstance(value, Tensor)
    )
    return LaunchSpec(
        kernel.metadata.name, grid, (x, y, z), kernel.metadata.shared, arguments, sizes
    )


def _source(kernel: Any, written: str) -> tuple[ASTSource, dict[str, Any]]:
    """A source of the types on the command line: `*fp32,i32,constexpr:1024;num_warps=8`.

    An address or a size is taken to be a multiple of 16, as Triton's launcher mostly finds them;
    `i32:0` says nothing of it, `i32:1` that it is 1. Raises ValueError.
    """
    types, _, options = written.partition(";")
    words = [word.strip() for word in types.split(",")]
    if len(words) != len(kernel.arg_names):
        names = ", ".join(kernel.arg_names)
        raise ValueError(
            f"--signature gives {len(words)} types, and there are {len(kernel.arg_names)} "
            f"arguments: {names}"
        )
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    attributes: dict[tuple[int], Any] = {}
    for i, (name, word) in enumerate(zip(kernel.arg_names, words, strict=True)):
        hinted = _HINTED.fullmatch(word)
        constant = word.startswith("constexpr:") or hinted is None or word in ("None", "True")
        if constant or (hinted and hinted[2] == "1"):
            text = word.removeprefix("constexpr:") if constant else "1"
            signature[name], constants[name] = "constexpr", ast.literal_eval(text)
            continue
        assert hinted is not None
        signature[name] = hinted[1]
        divisible = int(hinted[2] or DIVISOR) if hinted[2] != "0" else 0
        if divisible and hinted[1][0] in "*iu":
            attributes[(i,)] = [["tt.divisibility", divisible]]
    pairs = (pair.split("=", 1) for pair in options.split(";") if "=" in pair)
    chosen = {key.strip(): ast.literal_eval(value) for key, value in pairs}
    return ASTSource(kernel, signature, constants, attributes), chosen
