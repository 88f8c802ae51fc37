"""Triton's launches, compiled for a GPU that need not be there."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from perflint.base.launch_option import Dim3, LaunchSpec
from perflint.python_kernels.manifest import Compiled, Manifest, NotCompiled, Order
from perflint.python_kernels.roles import gives_a_value
from perflint.python_kernels.stand_ins.anything import Anything
from perflint.python_kernels.stand_ins.tensors import Tensor

WARP = 32
MOST = 8  #: compilations of one kernel, of each of its configurations
CONFIGURATIONS = 3  #: of an autotuned kernel: the first, the last and one between them
DIVISOR = 16  #: what Triton's launcher looks for in addresses and sizes
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

    def is_active(self) -> bool:
        return True


class TritonRecorder:
    """Compiles what is launched and notes how."""

    def __init__(self, order: Order, folder: Path, manifest: Manifest) -> None:
        self.order, self.folder, self.manifest = order, folder, manifest
        self.target = GPUTarget("cuda", int(order.arch.removeprefix("sm_").rstrip("af")), WARP)
        self.done: dict[str, int] = {}  #: by PTX: its place in the manifest
        self.seen: set[str] = set()  #: kernels launched
        self.supposed: tuple[str, ...] = ()  #: what is made up for the call that is being made
        self.configuration = ""  #: of the tuner's that calls, if not the first

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
        original, tune, recorder = JITFunction.run, Autotuner.run, self

        def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            recorder.seen.add(self.__name__)
            args = tuple(_plain(each) for each in args)
            kwargs = {name: _plain(each) for name, each in kwargs.items()}
            try:
                kernel = original(self, *args, grid=grid, warmup=True, **kwargs)
                bound = _bound(self, args, kwargs)
                shape = _grid(grid, bound)
            except Exception as error:
                if any(isinstance(each, Anything) for each in (*args, *kwargs.values())):
                    recorder.seen.discard(self.__name__)  # made of what is not installed
                else:
                    recorder.failed(self, error)
                return None
            recorder.note(self, kernel, shape, bound, _place())
            return kernel

        def some(self: Any, *args: Any, **kwargs: Any) -> Any:
            every = self.configs
            chosen = dict.fromkeys(
                round(i * (len(every) - 1) / (CONFIGURATIONS - 1)) for i in range(CONFIGURATIONS)
            )
            if len(every) > len(chosen):
                recorder.manifest.remarks.append(
                    f"{self.base_fn.__name__}: of its {len(every)} configurations {len(chosen)} are"
                    " compiled"
                )
            result = None
            try:
                for number in chosen:
                    self.configs = every[number : number + 1]
                    recorder.configuration = _spelt(every[number]) if number else ""
                    kernel = tune(self, *args, **kwargs)
                    result = result or kernel
            finally:
                self.configs, recorder.configuration = every, ""
            return result

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
        text = str(error).strip() or type(error).__name__
        last = next((line for line in reversed(text.splitlines()) if line.strip()), text)
        reason = f"Triton does not compile it: {type(error).__name__}: {' '.join(last.split())}"
        failure = NotCompiled(kernel.__name__, _line(kernel), reason[:300])
        if failure not in self.manifest.failures:
            self.manifest.failures.append(failure)


def _jit_function(value: Any) -> JITFunction | None:
    """The kernel in an object that a module names, below its tuner and heuristics."""
    while not isinstance(value, JITFunction):
        if not type(value).__module__.startswith("triton.runtime"):
            return None
        value = getattr(value, "fn", None)
    return value


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
