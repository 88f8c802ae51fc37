"""Searches over the kernels of this folder, each made once a session."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from perflint.cli.settings import Source
from perflint.cli.table_options import LINE
from perflint.lint.options import CheckOptions
from perflint.profile.arguments import parse
from perflint.stress.kernels import chosen, kernels_of
from perflint.stress.launches import target_of
from perflint.stress.run import Request, search_of
from perflint.stress.search import Search
from perflint.stress.target import Target

KERNELS = Path(__file__).parent / "kernels" / "worst.cu"
LAUNCHES = {
    "histogram": "<<<4,256>>>(data=random:u32[1024], bins=zeros:u32[256], n=1024)",
    "count_keys": "<<<4,256>>>(keys=random:u32[1024], table=zeros:u32[1024], n=1024)",
    "insert": "<<<1,128>>>(keys=random:u32[128], table=zeros:u32[1024], n=128)",
    "gather_shared": "<<<2,256>>>(index=random:s32[512], out=zeros:f32[512], n=512)",
    "gather_global": "<<<4,256>>>(index=random:s32[1024], in=ones:f32[512], out=zeros:f32[1024], "
    "n=1024)",
    "multiply_rows": "<<<2,256>>>(first=random:s32[513], value=ones:f32[4096], sum=zeros:f32[512], "
    "rows=512)",
    "guarded": "<<<2,256>>>(tag=random:s32[512], index=random:s32[512], in=ones:f32[4096], "
    "out=zeros:f32[512], n=512)",
    "locked": "<<<2,256>>>(a=random:s32[512], b=random:s32[512], in=ones:f32[4096], "
    "out=zeros:f32[512], n=512)",
    "merge_lists": "<<<1,64>>>(a=random:s32[480], b=random:s32[480], out=zeros:s32[960])",
    "scale": "<<<2,256>>>(in=random:f32[512], out=zeros:f32[512], n=512)",
}  # fmt: skip


@cache
def subjects() -> tuple[object, ...]:
    return tuple(kernels_of(KERNELS, CheckOptions(rules=frozenset(), arch=("sm_80",)))[0])


def target(kernel: str, launch: str = "") -> Target:
    """A kernel of this folder, with its launch."""
    return target_of(chosen(subjects(), kernel), parse(launch or LAUNCHES[kernel]))  # type: ignore[arg-type]


def request(**changed: object) -> Request:
    usual: dict[str, object] = {
        "file": KERNELS, "kernel": None, "launch": None, "objectives": (), "seconds": 1e6,
        "seed": 0, "tries": 150, "assume": (), "output": None, "output_format": "text",
        "output_file": None, "line": Source(LINE, {}),
    }  # fmt: skip
    return Request(**{**usual, **changed})  # type: ignore[arg-type]


@cache
def searched(kernel: str) -> Search:
    return search_of(target(kernel), request(), 1, time.monotonic() + 1e6)


@pytest.fixture(scope="session")
def search() -> Callable[[str], Search]:
    """A kernel's search, to its end."""
    return searched
