"""A browser, and pages of small launches."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perflint.profile.arguments import parse
from perflint.profile.run import Request, figures_of
from perflint.view.page_writer import page
from perflint.view.trace_reader import Trace, read
from tests.view.browser import NAMES, Browser, opened

ROOT = Path(__file__).parents[2]
TRANSPOSE = ROOT / "examples/transpose.cu"
REDUCE = ROOT / "examples/reduce.cu"
KERNELS = Path(__file__).parent / "kernels/gather.cu"
SQUARE = "<<<(4,4),(32,8)>>>(out=zeros:f32[16384], in=random:f32[16384], w=128, h=128)"
LAUNCHES = {
    "naive": (TRANSPOSE, f"transpose_naive{SQUARE}"),
    "tile": (TRANSPOSE, f"transpose_tile{SQUARE}"),
    "padded": (TRANSPOSE, f"transpose_padded{SQUARE}"),
    "reduce": (REDUCE, "<<<8,256>>>(in=random:f32[2048], out=zeros:f32[8], n=2000)"),
    "gather": (
        KERNELS,
        "gather<<<3,100>>>(out=zeros:f32[300], in=random:f32[900], index=random:s32[300], n=300)",
    ),
    "copy": (
        KERNELS,
        "copy<<<4,128>>>(out=zeros:float4[512], in=random:float4[512], count=zeros:s32[8])",
    ),
    "wide": (KERNELS, "wide<<<4,128>>>(out=zeros:float4[512], in=random:float4[512], n=500)"),
}


def document(file: Path, launch: str, cache: dict[str, Any] | None = None) -> dict[str, Any]:
    """The trace document that `perflint profile --output-format trace` prints."""
    asked = Request(
        file=file, kernel=None, launch=parse(launch), arch=("sm_80",), define=(), include=(),
        budget=60.0, save=(), watch=(), tracer=(), output_format="trace", output_file=None,
        cache=cache,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(json.dumps(figures_of(asked).trace))
    return found


@pytest.fixture(scope="session")
def traces() -> dict[str, Trace]:
    """Every launch of LAUNCHES by name."""
    return {name: read(json.dumps(document(*each))) for name, each in LAUNCHES.items()}


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium."""
    pytest.importorskip("selenium", reason="selenium is not installed: pip install -e '.[dev]'")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if found is None or driver is None:
        pytest.skip("no Chromium with chromedriver here: apt-get install chromium chromium-driver")
    with opened(found, driver, tmp_path_factory.mktemp("profile")) as each:
        yield each


@pytest.fixture(scope="session")
def pages(traces: dict[str, Trace], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each launch, and of two side by side (`pair`)."""
    folder = tmp_path_factory.mktemp("pages")
    out = {}
    for name, shown in {**{n: [t] for n, t in traces.items()},
                        "pair": [traces["naive"], traces["tile"]]}.items():  # fmt: skip
        out[name] = folder / f"{name}.html"
        out[name].write_text(page(shown, compare=name == "pair"), encoding="utf-8")
    return out
