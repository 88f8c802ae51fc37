"""Triton's launches, compiled for a GPU that need not be there."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import CompiledKernel
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from perflint.base.launch_option import Dim3
from perflint.python_kernels.kernel_syntax import gives_a_value, inner_of, name_of, named_in
from perflint.python_kernels.made_arguments import TileError
from perflint.python_kernels.manifest import UNSEEN, Compiled, Manifest, NotCompiled, Order
from perflint.python_kernels.stand_ins.anything import Anything
from perflint.python_kernels.triton_device import Device, stages_hook
from perflint.python_kernels.triton_launch import WARP, bound_of, grid_of, launch_of, place, plain
from perflint.python_kernels.triton_signature import source_of
from perflint.python_kernels.tuner import SharedMemoryError, compiled_of
from perflint.sim import architecture

MOST = 8  #: compilations of one kernel, of each of its configurations
_MISSING = re.compile(r"missing \d+ required positional arguments?: (.*)")


def recorder(order: Order, folder: Path, manifest: Manifest) -> TritonRecorder:
    """The recorder of Triton's kernels."""
    return TritonRecorder(order, folder, manifest)


class AbsentError(Exception):
    """A launch gives what a package would hold that is not installed."""

    def __init__(self, value: Anything) -> None:
        super().__init__(f"its launch gives it {value!r}")


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
        triton.runtime.driver.set_active(Device(self.target))
        triton.knobs.runtime.add_stages_inspection_hook = stages_hook(lambda: bool(self.supposed))
        original, tune, recorder = JITFunction.run, Autotuner.run, self
        limit = architecture.load(self.order.arch).shared_per_block_optin

        def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            name = name_of(self.fn)
            recorder.seen.add(name)
            if recorder.refused[name] >= MOST:
                return None  # a loop that launches it again and again
            args = tuple(plain(each) for each in args)
            kwargs = {name: plain(each) for name, each in kwargs.items()}
            try:
                kernel = original(self, *args, grid=grid, warmup=True, **kwargs)
                bound = bound_of(self, args, kwargs)
                shape = grid_of(grid, bound)
                if kernel.metadata.shared > limit:
                    raise SharedMemoryError(kernel.metadata.shared, limit, recorder.order.arch)
            except (TileError, SharedMemoryError) as error:
                if not recorder.tunes:
                    recorder.failed(self, error)
                if recorder.tunes or recorder.supposed:
                    raise  # who made up the sizes makes up smaller ones
                return None
            except Exception as error:
                given = (*args, *kwargs.values())
                absent = next((each for each in given if isinstance(each, Anything)), None)
                recorder.failed(self, error if absent is None else AbsentError(absent))
                return None
            recorder.note(self, kernel, shape, bound, place())
            return kernel

        def some(self: Any, *args: Any, **kwargs: Any) -> Any:
            every, name = self.configs, name_of(self.base_fn)

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
        every = ((n, _jit_function(value)) for n, value in named_in(namespace))
        kernels = {n: function for n, function in every if function is not None}
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
                source, options = source_of(kernel, written)
                compiled = triton.compile(source, target=self.target, options=options)
            except Exception as error:
                self.failed(kernel, error)
            else:
                self.note(kernel, compiled, None, {})
        helpers = {n for f in kernels.values() for n in f.fn.__code__.co_names}
        for name, kernel in kernels.items():
            here = Path(kernel.fn.__code__.co_filename) == Path(self.order.file)
            used = name_of(kernel.fn) in self.seen or name.rpartition(".")[2] in helpers
            used = used or gives_a_value(kernel.fn)
            if here and not used:
                self.manifest.failures.append(NotCompiled(name, _line(kernel), UNSEEN))

    def note(
        self,
        function: Any,
        kernel: Any,
        grid: Dim3 | None,
        bound: Mapping[str, Any],
        at: tuple[str, int] | None = None,
    ) -> None:
        """Keep the PTX of a kernel and one launch of it."""
        ptx: str = kernel.asm["ptx"]
        name, chosen = name_of(function.fn), self.configuration
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
            compiled = Compiled(name, f"{stem}.ptx", (), _file(function), chosen)
            self.manifest.compiled.append(compiled)
            self.manifest.write(self.folder)
        if grid is not None:
            number = self.done[ptx]
            known = self.manifest.compiled[number]
            launch = launch_of(kernel, ptx, grid, bound)
            launch = replace(launch, place=at, supposing=self.supposed)
            if launch not in known.launches:
                launches = (*known.launches, launch)
                self.manifest.compiled[number] = replace(known, launches=launches)
                self.manifest.write(self.folder)

    def failed(self, kernel: Any, error: Exception) -> None:
        """Note a kernel that Triton does not compile."""
        name = name_of(kernel.fn)
        self.refused[name] += 1
        text = str(error).strip() or type(error).__name__
        last = next((line for line in reversed(text.splitlines()) if line.strip()), text)
        said = f"{type(error).__name__}: {' '.join(last.split())}"[:240]
        reason = f"Triton {triton.__version__} does not compile it: {said}"
        if isinstance(error, SharedMemoryError):
            reason = f"it wants {error}"
        elif isinstance(error, AbsentError):
            reason = str(error)
        elif isinstance(error, TileError):
            reason = f"it works on {error}"
        elif (missing := _MISSING.search(last)) is not None:
            at = place()
            where = f" at {Path(at[0]).name}:{at[1]}" if at else ""
            reason = f"the launch{where} gives no {missing[1]}"
        elif "not supported in this architecture" in last:
            reason += f"; another --arch than {self.order.arch} may have it"
        failure = NotCompiled(name, _line(kernel), reason, _file(kernel))
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


def _file(kernel: Any) -> str:
    file: str = kernel.fn.__code__.co_filename
    return os.path.realpath(file)


def _line(kernel: Any) -> int:
    code = kernel.fn.__code__
    return int(code.co_firstlineno)
