"""`perflint mcp`, spoken to with the SDK's own client."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ListRootsResult, Root

BAD = "__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n"


def call(
    folder: Path, *calls: tuple[str, dict[str, Any]], roots: tuple[Path, ...] | None = None
) -> list[Any]:
    """What a server in a folder answers: the data, or the text of an error."""
    command = StdioServerParameters(
        command=sys.executable, args=["-P", "-m", "perflint", "mcp", str(folder)], cwd=folder
    )

    async def listed(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in roots or ()])

    async def talk() -> list[Any]:
        more: dict[str, Any] = {}
        if roots is not None:
            more = {"list_roots_callback": listed, "mode": "legacy"}
        async with Client(stdio_client(command), **more) as client:
            out: list[Any] = [sorted(t.name for t in (await client.list_tools()).tools)]
            for name, arguments in calls:
                answer = await client.call_tool(name, arguments)
                if answer.is_error:
                    out.append(" ".join(getattr(c, "text", "") for c in answer.content))
                else:
                    out.append(answer.structured_content)
            return out

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anyio.run(talk)


def test_tools(project: Path) -> None:
    (project / "a.cu").write_text(BAD)
    launch = "k<<<1,32>>>(a=zeros:f32[1024])"
    tools, checked, rule, profile = call(
        project,
        ("check", {"paths": ["a.cu"]}),
        ("rule", {"code": "CU101"}),
        ("profile", {"file": "a.cu", "launch": launch}),
    )
    assert {"check", "rule", "profile"} <= set(tools)
    [finding] = checked["findings"]
    assert (finding["code"], finding["location"]["row"], checked["status"]) == ("CU101", 1, 1)
    assert any(line.startswith("Found 1 finding") for line in checked["said"])
    assert rule["result"][0]["code"] == "CU101"
    assert profile


def test_paths_stay_below_the_roots(project: Path) -> None:
    inside, outside = project / "inside", project / "outside"
    inside.mkdir(), outside.mkdir()
    (outside / "a.cu").write_text(BAD)
    (inside / "link.cu").symlink_to(outside / "a.cu")
    (inside / "--nvcc=x.cu").write_text(BAD)
    wrong = ["../outside/a.cu", str(outside / "a.cu"), "link.cu", "a\0.cu", "none.cu", "/etc"]
    *answers, checked, profiled = call(
        inside,
        *(("check", {"paths": [path]}) for path in wrong),
        ("check", {"paths": ["--nvcc=x.cu"]}),
        ("profile", {"file": ".", "launch": "<<<1,1>>>(x=/etc/x.npy)"}),
    )[1:]
    assert len(answers) == len(wrong)
    assert all(isinstance(a, str) and ("below the roots" in a or "NUL" in a) for a in answers)
    assert [f["code"] for f in checked["findings"]] == ["CU101"]
    assert "makes its arrays" in profiled


def test_values_are_no_options(project: Path) -> None:
    (project / "a.cu").write_text(BAD)
    options = (("select", "--fix"), ("arch", "-o"), ("define", "--nvcc=./x"))
    *answers, rule = call(
        project,
        *(("check", {"paths": ["a.cu"], name: [value]}) for name, value in options),
        ("rule", {"code": "--all"}),
    )[1:]
    assert len(answers) == len(options)
    assert all(isinstance(answer, str) and "perflint: " in answer for answer in answers)
    assert isinstance(rule, str)


def test_the_clients_roots_hold_too(project: Path) -> None:
    for name in ("mine", "other"):
        (project / name).mkdir()
        (project / name / "a.cu").write_text(BAD)
    calls = [("check", {"paths": [str(project / name)]}) for name in ("mine", "other")]
    mine, other = call(project, *calls, roots=(project / "mine",))[1:]
    assert len(mine["findings"]) == 1
    assert isinstance(other, str) and "below the roots" in other


def test_why(project: Path) -> None:
    (project / "a.cu").write_text(BAD)
    here, of_kernel, outside, path = call(
        project,
        ("why", {"file": "a.cu", "line": 1}),
        ("why", {"file": "a.cu", "kernel": "k", "launch": ["k<<<7,32>>>"]}),
        ("why", {"file": "../a.cu", "line": 1}),
        ("why", {"file": "a.cu", "kernel": "../k"}),
    )[1:]
    [suspicion] = [s for s in here["kernels"][0]["suspicions"] if s["verdict"] == "confirmed"]
    assert (suspicion["code"], here["row"]) == ("CU101", 1)
    assert of_kernel["kernels"][0]["launches"][0]["launch"] == "k<<<7, 32>>>()"
    assert "below the roots" in outside
    assert "cannot hold a path" in path


def test_launches(project: Path) -> None:
    """What is read of each launch, as data."""
    (project / "a.cu").write_text(f"{BAD}void f(float *a, int n) {{ k<<<n / 64, 64>>>(a); }}\n")
    [found] = call(project, ("launches", {"paths": ["a.cu"]}))[1:]
    [kernel] = found["kernels"]
    [launch] = kernel["launches"]
    assert (kernel["kernel"], launch["row"]) == ("k", 2)
    assert launch["values"]["block"]["value"] == "64"
    assert launch["values"]["block"]["origin"] == "read"
    assert launch["values"]["grid"]["of"] == ["n"]
