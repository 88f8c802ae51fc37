"""`perflint mcp`: perflint for clients of the Model Context Protocol.

Each tool is the command of its name, run in a process of its own with JSON as its result, so that
it has the command line's settings, bounds and limits. Paths stay below the roots that the command
line and the client give. What comes from a client is the value of an option or stands behind `--`:
it is never an option.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from perflint import __version__
from perflint.base import processes

SECONDS = 1800.0  #: of one call
_MOST = 16 << 20  #: bytes of one answer

_ABOUT = (
    "perflint finds performance bugs in CUDA and PTX without a GPU and proves each by simulation. "
    "Call check with paths; evidence holds what was measured and the ideal; rule explains a code."
)


def server(roots: Sequence[Path], commands: Collection[str]) -> MCPServer:
    """The server, before it is started.

    roots: folders, below which everything stays; commands: those that perflint has.
    """
    made: MCPServer = MCPServer("perflint", version=__version__, instructions=_ABOUT)
    given = [Path(os.path.realpath(root)) for root in roots]

    @made.tool()
    async def check(
        ctx: Context,
        paths: list[str],
        select: list[str] | None = None,
        arch: list[str] | None = None,
        launch: list[str] | None = None,
        define: list[str] | None = None,
        show_unconfirmed: bool = False,
    ) -> dict[str, Any]:
        """Check CUDA and PTX files or folders. Gives findings, the exit status, what was said.

        select: rules, CU1 for example. arch: sm_80 for example. launch: launches that the source
        does not show, as k<<<64,256>>>(n=1024). define: macros, NAME=VALUE.
        """
        bound = await _bound(ctx, given)
        files = [_inside(path, bound) for path in paths or ["."]]
        options = [
            *(f"--select={value}" for value in select or ()),
            *(f"--arch={value}" for value in arch or ()),
            *(f"--launch={value}" for value in launch or ()),
            *(f"--define={value}" for value in define or ()),
            *["--show-unconfirmed"] * show_unconfirmed,
        ]
        return await _reported("check", options, list(map(str, files)), _root(files[0], bound))

    @made.tool()
    async def rule(code: str) -> list[dict[str, Any]]:
        """What a rule means, why it matters, and how it is confirmed. code: CU101, or a name."""
        said = await _run(["rule", "--output-format=json", "--", code], processes.NOWHERE)
        found: list[dict[str, Any]] = _data(said)
        return found

    @made.tool()
    async def profile(
        ctx: Context, file: str, launch: str, kernel: str | None = None, arch: str = "sm_80"
    ) -> dict[str, Any]:
        """Run one launch of a kernel on the simulator and count what it did, by source line.

        launch: <<<8,256>>>(x=random:f32[2048], n=2048). Arrays are made, not read from files.
        """
        bound = await _bound(ctx, given)
        path = _inside(file, bound)
        if ".npy" in launch:
            raise ToolError("a launch here makes its arrays: zeros:f32[64], random:f32[64]")
        options = ["--output-format=json", f"--launch={launch}", f"--arch={arch}"]
        options += [f"--kernel={kernel}"] if kernel else []
        said = await _run(["profile", *options, "--", str(path)], _root(path, bound))
        found: dict[str, Any] = _data(said)
        return found

    if "why" in commands:

        @made.tool()
        async def why(
            ctx: Context,
            file: str,
            line: int | None = None,
            kernel: str | None = None,
            launch: list[str] | None = None,
        ) -> dict[str, Any]:
            """Why something was reported of a line or kernel, or nothing was.

            What was suspected, tried with which launches and values, measured and objected, and
            what kept rules from suspecting anything. launch: as of check.
            """
            bound = await _bound(ctx, given)
            path = _inside(file, bound)
            if kernel is not None and os.sep in kernel:
                raise ToolError("a kernel's name cannot hold a path")
            place = f"{path}:{line or kernel}" if line or kernel else str(path)
            options = [f"--launch={value}" for value in launch or ()]
            asked = ["why", "--output-format=json", *options, "--", place]
            found: dict[str, Any] = _data(await _run(asked, _root(path, bound)))
            return found

    if "launches" in commands:

        @made.tool()
        async def launches(ctx: Context, paths: list[str]) -> dict[str, Any]:
            """What is read of every launch in some files: shapes, arguments, where from."""
            bound = await _bound(ctx, given)
            files = [_inside(path, bound) for path in paths or ["."]]
            asked = ["launches", "--output-format=json", "--", *map(str, files)]
            return {"kernels": _data(await _run(asked, _root(files[0], bound)))}

    return made


async def _bound(ctx: Context, given: Sequence[Path]) -> list[Path]:
    """The folders that hold: those of the command line, cut to the client's roots if it has some.

    The protocol gave up on roots in 2026; clients from before still name theirs.
    """
    session = ctx.request_context.session
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return list(given)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            listed = await session.list_roots()
    except Exception as error:  # it promised them, so that nothing holds without them
        raise ToolError(f"the client does not tell its roots: {error}") from error
    uris = [urlsplit(str(root.uri)) for root in listed.roots]
    theirs = [Path(os.path.realpath(unquote(u.path))) for u in uris if u.scheme == "file"]
    both = [(a, b) for a in given for b in theirs]
    inner = [a if a.is_relative_to(b) else b for a, b in both if _nested(a, b)]
    return list(dict.fromkeys(inner))


def _nested(a: Path, b: Path) -> bool:
    return a.is_relative_to(b) or b.is_relative_to(a)


def _inside(path: str, bound: Sequence[Path]) -> Path:
    """A path below the roots, links followed; relative ones are tried below each of them."""
    if "\0" in path:
        raise ToolError("a path cannot hold a NUL")
    reals = [Path(os.path.realpath(root / path)) for root in bound]
    inside = [r for r in reals if any(r.is_relative_to(root) for root in bound)]
    found = next((real for real in inside if real.exists()), None)
    if found is None:
        where = ", ".join(map(str, bound)) or "nothing"
        raise ToolError(f"{path}: no file or folder below the roots ({where})")
    return found


def _root(path: Path, bound: Sequence[Path]) -> Path:
    return max((r for r in bound if path.is_relative_to(r)), key=lambda r: len(r.parts))


async def _run(arguments: Sequence[str], cwd: Path) -> processes.Said:
    asked = processes.own("perflint", *arguments, cwd=cwd, NO_COLOR="1")
    run = partial(processes.output, asked, seconds=SECONDS, most=_MOST, errors=True)
    said = await anyio.to_thread.run_sync(run)
    if said.status is None:
        raise ToolError(f"perflint was stopped after {SECONDS:g} s or {_MOST >> 20} MB")
    return said


async def _reported(
    command: str, options: Sequence[str], paths: Sequence[str], cwd: Path
) -> dict[str, Any]:
    """A command's findings, in JSON, and what it said beside them."""
    with tempfile.TemporaryDirectory(prefix="perflint-") as folder:
        report = Path(folder) / "report.json"
        to = ["--output-format=concise", f"--output-format=json={report}"]
        said = await _run([command, *to, *options, "--", *paths], cwd)
        if not report.exists():
            raise ToolError(said.out.decode("utf-8", "replace").strip())
        findings = json.loads(report.read_bytes())
    lines = said.out.decode("utf-8", "replace").splitlines()
    summary = [line for line in lines if line.startswith(("Found ", "No findings", "note: "))]
    return {"status": said.status, "findings": findings, "said": summary}


def _data(said: processes.Said) -> Any:
    try:
        return json.loads(said.out)
    except ValueError:
        raise ToolError(said.out.decode("utf-8", "replace").strip()) from None


def serve(roots: Sequence[Path], commands: Collection[str]) -> None:
    """Serve one client on standard input and output, until it goes."""
    server(roots, commands).run("stdio")
