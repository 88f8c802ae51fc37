"""What the process that runs the user's module tells the one that lints: a JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from perflint.base.launch_option import Dim3, LaunchSpec
from perflint.base.records import dataclass

NAME = "manifest.json"
REQUEST = "request.json"
#: The reason of a kernel that nothing launches, as far as is seen.
UNSEEN = "no launch was seen that gives its types; --signature gives them"


@dataclass(frozen=True)
class Order:
    """What is to be compiled."""

    compiler: str  #: `triton` or `numba`
    file: str
    arch: str  #: `sm_80`
    signatures: tuple[tuple[str, str], ...]  #: (kernel, its types as the command line gives them)
    made: bool = False  #: whether functions are called with made-up tensors


@dataclass(frozen=True)
class Compiled:
    """A kernel compiled for one list of types, and the launches that had these types."""

    kernel: str
    ptx: str  #: the file's name in the folder
    launches: tuple[LaunchSpec, ...] = ()
    file: str = ""  #: the module that defines it
    #: the configuration of its tuner's, if it is not the first that is compiled
    configuration: str = ""
    #: the types that its source suggests, where nothing gives any
    supposing: tuple[str, ...] = ()

    @property
    def entry(self) -> str:
        """The kernel as its PTX names it: without its class."""
        return self.kernel.rpartition(".")[2]


@dataclass(frozen=True)
class NotCompiled:
    """A kernel, or the module (""), of which something is missing."""

    kernel: str
    line: int
    reason: str
    file: str = ""  #: the module that defines it; "": the one that was run


@dataclass
class Manifest:
    """All that came of a module."""

    compiled: list[Compiled] = field(default_factory=list)
    failures: list[NotCompiled] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    missing: str = ""  #: the compiler's package, if it is not installed

    def write(self, folder: Path) -> None:
        """Replace the file, at once."""
        beside = folder / f"{NAME}.new"
        beside.write_text(json.dumps(asdict(self)), encoding="utf-8")
        beside.replace(folder / NAME)


def read(folder: Path) -> Manifest:
    """What `write` wrote; nothing if it never did."""
    try:
        data: Mapping[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Manifest()
    return Manifest(
        [
            Compiled(
                **{
                    **each,
                    "launches": tuple(map(_launch, each["launches"])),
                    "supposing": tuple(each["supposing"]),
                }
            )
            for each in data["compiled"]
        ],
        [NotCompiled(**each) for each in data["failures"]],
        list(data["remarks"]),
        data["missing"],
    )


def _launch(data: Mapping[str, Any]) -> LaunchSpec:
    return LaunchSpec(
        data["kernel"],
        _dim3(data["grid"]),
        _dim3(data["block"]),
        data["shared"],
        tuple((str(name), value) for name, value in data["arguments"]),
        tuple((str(name), size) for name, size in data["sizes"]),
        data["place"] and tuple(data["place"]),
        tuple(data["supposing"]),
    )


def _dim3(values: list[int]) -> Dim3:
    x, y, z = values
    return x, y, z
