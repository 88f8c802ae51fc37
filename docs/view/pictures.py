"""Makes the pictures of docs/view.md: `python docs/view/pictures.py` from the repository's root.

Needs Chromium with chromedriver and the extra dev, and Pillow to make the files small.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from perflint.sim import architecture
from perflint.view.page_writer import page
from perflint.view.request_svg import request_svg
from perflint.view.trace_reader import Trace, read
from perflint.view.worst_requests import request_of

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SQUARE = "<<<(32,32),(32,8)>>>(out=zeros:f32[1048576], in=random:f32[1048576], w=1024, h=1024)"
WAVE = "<<<16,512>>>(coarse=zeros:f32[8192], detail=zeros:f32[16384], in=random:f32[16384]"
LAUNCHES = {
    "naive": ("examples/transpose.cu", f"transpose_naive{SQUARE}"),
    "tile": ("examples/transpose.cu", f"transpose_tile{SQUARE}"),
    "padded": ("examples/transpose.cu", f"transpose_padded{SQUARE}"),
    "haar": ("docs/view/kernels.cu", f"haar{WAVE}, tail=8000)"),
    "haar_padded": ("docs/view/kernels.cu", f"haar_padded{WAVE}, tail=8000)"),
    "swapped": ("docs/view/kernels.cu", "swapped<<<1,32>>>(out=zeros:f32[32], in=ones:f32[32])"),
    "strided": ("docs/view/kernels.cu", "strided<<<1,32>>>(out=zeros:f32[64])"),
}
#: Both panes at the same barrier of a block, each with its own warp.
AT_A_BARRIER = (
    "const q = perflint.app.panes[1]; const go = (pane, warp) => {"
    " pane.go({level: 'warp', block: 1, warp}, false);"
    " const {position} = pane.trace.stepsOf(pane.whole()); const barriers = [];"
    " position.forEach((at, step) => { if (pane.trace.data.instructions[at].name.startsWith('bar'))"
    " barriers.push(step); }); pane.go({step: barriers[5]}, false); };"
)
#: A load from shared memory in the middle of the transform, where strides are large.
LATE = (
    "const loads = [...p.trace.requestsOf(p.whole())].filter((i) => { const stream ="
    " p.trace.data.streams[p.trace.stream[i]]; return stream.space === 'shared' &&"
    " stream.kind === 'load'; }); p.go({step: p.trace.step[loads[8]]})"
)
#: Name, launches, width, height, what is looked at.
SHOTS = (
    ("grid", ["haar"], 1200, 640, "p.go({level: 'grid', block: 3})"),
    ("block", ["haar"], 1200, 470, "p.go({level: 'block', block: 3, warp: 8})"),
    ("warp", ["naive"], 1200, 560, "p.go({level: 'warp', step: 25})"),
    ("fig3b", ["tile"], 1200, 840, "p.go({level: 'warp', memoryOnly: true, step: 0})"),
    ("fig3c", ["padded"], 1200, 840, "p.go({level: 'warp', memoryOnly: true, step: 0})"),
    ("fig7c", ["haar", "haar"], 1300, 860, f"{AT_A_BARRIER} go(p, 0); go(q, 8)"),
    ("haar", ["haar", "haar_padded"], 1300, 860, f"p.go({{level: 'operation'}}); {LATE}"),
    ("operation", ["tile"], 1200, 720, "p.go({level: 'operation'})"),
    ("compare", ["tile", "padded"], 1300, 860, "p.go({level: 'operation'})"),
)  # fmt: skip
#: Name, launch, architecture, part of the instruction, the how-manieth such.
DRAWN = (
    ("fig5a", "naive", "sm_80", "st.global", 0),
    ("fig3d", "naive", "sm_80", "ld.global", 0),
    ("fig3f", "tile", "sm_80", "ld.shared", 0),
    ("fig3g", "padded", "sm_80", "ld.shared", 0),
    ("fig8-sm_10", "swapped", "sm_10", "ld.global", 0),
    ("fig8-sm_13", "swapped", "sm_13", "ld.global", 0),
    ("fig9c-sm_13", "strided", "sm_13", "ld.shared", 0),
    ("fig9c-sm_20", "strided", "sm_20", "ld.shared", 0),
    ("fig9d-sm_13", "strided", "sm_13", "ld.shared", 1),
    ("fig9d-sm_20", "strided", "sm_20", "ld.shared", 1),
)


def traces(folder: Path) -> Iterator[tuple[str, Trace]]:
    for name, (file, launch) in LAUNCHES.items():
        to = folder / f"{name}.json"
        command = [sys.executable, "-m", "perflint", "profile", file, "--launch", launch]
        subprocess.run([*command, "--output-format", "trace", "-o", to], check=True, cwd=ROOT)
        yield name, read(to.read_text(encoding="utf-8"))


def draw(found: dict[str, Trace]) -> None:
    for name, launch, arch_name, wanted, number in DRAWN:
        trace, arch = found[launch], architecture.load(arch_name)
        streams = [
            s for s in trace.streams
            if trace.data["instructions"][s.instruction]["name"].startswith(wanted)
        ]  # fmt: skip
        stream = streams[number]
        rule = arch.coalescing_rule if stream.space == "global" else arch.shared_rule
        region = trace.data["regions"][int(stream.region[0])]["name"]
        svg = request_svg(request_of(trace, stream, 0), rule, label=name, array=region)
        (HERE / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")


def shoot(found: dict[str, Trace], folder: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from PIL import Image

    from tests.view.browser import NAMES, opened

    binary = next(path for name in NAMES if (path := shutil.which(name)))
    with opened(binary, str(shutil.which("chromedriver")), folder / "profile") as browser:
        for name, launches, width, height, script in SHOTS:
            shown = folder / f"{name}.html"
            text = page([found[each] for each in launches], compare=len(launches) > 1)
            shown.write_text(text, encoding="utf-8")
            browser.open(shown, width, height)
            browser.run(f"const p = perflint.app.panes[0]; {script}")
            browser.frame()
            to = HERE / f"{name}.png"
            browser.driver.save_screenshot(str(to))
            image = Image.open(to).convert("RGB").quantize(128, kmeans=2)
            image.save(to, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        made = dict(traces(Path(scratch)))
        for each, trace in made.items():
            print(each, len(json.dumps(trace.data)), "bytes")
        draw(made)
        shoot(made, Path(scratch))
