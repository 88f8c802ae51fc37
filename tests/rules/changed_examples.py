"""The examples of all rules' pages, changed so that one objection holds against what they show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from perflint.base.launch_option import LaunchSpec, parse
from perflint.lint import objections
from perflint.lint.account import Answer
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import RuleInfo
from perflint.work.pipeline import check
from tests.rules.test_rules import block

_HEAD = re.compile(r"__global__ void (\w+)\(([^)]*)\)\s*\{")
_POINTER = re.compile(r"((?:const )?[\w ]+?)\s*\*\s*(\w+)")
_LAUNCH = re.compile(
    r"^void launch\((.*?)\)\s*\{\s*(\w+)<<<(.*?)>>>\((.*?)\);\s*\}", re.DOTALL | re.MULTILINE
)
OVERRUN = "__shared__ volatile int beyond[1]; beyond[20000 + threadIdx.x] = 0;"
TRAP = 'asm volatile("trap;");'

Changed = tuple[str, LaunchSpec | None]  #: a source, and the launch that is given beside it


@dataclass(frozen=True)
class Change:
    """How examples are changed."""

    edit: Callable[[str], Changed]
    #: by rule, which objection decides in its place; "": none does
    instead: Mapping[str, str] = field(default_factory=dict)
    min_waste: float = 0.05
    rules: tuple[str, ...] = ()  #: whose examples; none: all whose claim the objection is about
    library: bool = False  #: whether their file is taken for a library's


def overrun(source: str) -> Changed:
    """Each kernel overruns a shared array at its start."""
    return _HEAD.sub(lambda head: f"{head[0]} {OVERRUN}", source), None


def trapped(source: str) -> Changed:
    """Each kernel ends in a trap."""
    out, at = "", 0
    for head in _HEAD.finditer(source):
        depth, end = 1, head.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            end += 1
        out += source[at : end - 1] + TRAP
        at = end - 1
    return out + source[at:], None


def moved(source: str, bytes_: str) -> str:
    """Each kernel's pointers point some bytes further on."""

    def start(head: re.Match[str]) -> str:
        moves = []
        for parameter in head[2].split(","):
            if pointer := _POINTER.fullmatch(parameter.strip()):
                of = "const char" if "const" in pointer[1] else "char"
                moves.append(
                    f"{pointer[2]} = reinterpret_cast<{pointer[1]} *>"
                    f"(reinterpret_cast<{of} *>({pointer[2]}) + ({bytes_}));"
                )
        return " ".join((head[0], *moves))

    return _HEAD.sub(start, source)


def allocated(source: str) -> str:
    """The launch allocates 4 MB for each array."""
    launch = _LAUNCH.search(source)
    if launch is None:
        return source
    arrays = [parameter.strip().replace("const ", "") for parameter in launch[1].split(",")]
    own = "".join(
        f"{array}; cudaMalloc(&{re.findall(r'[a-z_]+', array)[-1]}, 1 << 22); " for array in arrays
    )
    body = launch[0].split("{", 1)[1]
    return source.replace(launch[0], f"void launch() {{ {own} {body}")


def template(source: str) -> Changed:
    """The kernel is a template, and only the command line says how it is launched."""
    out = source.replace("__global__ void", "template <int unused> __global__ void", 1)
    launch, head = _LAUNCH.search(source), _HEAD.search(source)
    if launch is None or head is None:
        return out, None
    names = [re.findall(r"\w+", parameter)[-1] for parameter in head[2].split(",")]
    given = [
        f"{name}={eval(value)}"  # numbers, perhaps shifted
        for name, value in zip(names, launch[4].split(","), strict=True)
        if re.fullmatch(r"[\d< ]+", value)
    ]
    shape = launch[3].replace("dim3", "")
    return out.replace(launch[0], ""), parse(f"{head[1]}<<<{shape}>>>({', '.join(given)})")


def left(source: str) -> Changed:
    """The program launches another kernel only."""
    launch = _LAUNCH.search(source)
    other = "__global__ void other() {}\nvoid launch() { other<<<1, 32>>>(); }"
    return (source.replace(launch[0], other) if launch else source + other), None


def few(source: str) -> Changed:
    """The launch is one of 24 threads."""
    launch = _LAUNCH.search(source)
    shape = "1, 24" if launch and "," in launch[3] else ""
    return source.replace(f"<<<{launch[3]}>>>", f"<<<{shape}>>>") if launch else source, None


HEAVY = """
__global__ void heavy(float *all, int turns)
{
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum = sum * 0.5f + turn;
    all[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    float *all;
    cudaMalloc(&all, (1 << 20) * sizeof(float));
    %s;
    for (int turn = 0; turn < 1000000; turn++)
        heavy<<<4096, 256>>>(all, 10000);
}
"""


def beside_heavy(source: str) -> Changed:
    """Its program launches the kernel once, and another one a million times."""
    launch, head = _LAUNCH.search(source), _HEAD.search(source)
    if launch is None and head is not None:
        numbers = ("nullptr" if "*" in each else "1024" for each in head[2].split(","))
        shape = "dim3(32, 128), dim3(32, 8)" if ".y" in source else "512, 256"
        call = f"{head[1]}<<<{shape}>>>({', '.join(numbers)})"
    else:
        given = launch[1].split(",") if launch else ()
        call = f"launch({', '.join('nullptr' if '*' in each else '1024' for each in given)})"
    return source + HEAVY % call, None


NOTHING, UNREACHED = "nothing to report", "not reached"
#: These compare whole runs, and a run that is broken is none.
WHOLE = dict.fromkeys(("CU401", "CU402", "CU902"), NOTHING)

#: By the objection that decides.
CHANGES: Mapping[str, Change] = {
    "wrong launch": Change(overrun, WHOLE),
    "broken run": Change(
        trapped,
        dict.fromkeys(("CU502", "CU503", "CU601", "CU602", "CU902"), NOTHING)
        | dict.fromkeys(("CU108", "CU109", "CU901", "CU906"), UNREACHED)
        | {"CU106": ""},  # alone, it has seen enough before the trap
    ),
    "misaligned": Change(
        lambda source: (moved(source, "1"), None),
        rules=(
            *("CU101", "CU102", "CU104", "CU105", "CU106", "CU108", "CU109", "CU302", "CU303"),
            *("CU501", "CU702", "CU704", "CU706", "CU707", "CU801", "CU906"),
        ),
    ),
    "out of its region": Change(
        lambda source: (allocated(moved(source, "1 << 26")), None),
        rules=(
            *("CU106", "CU108", "CU301", "CU302", "CU303", "CU702", "CU704", "CU706", "CU707"),
            *("CU801", "CU906"),
        ),
    ),
    # templates are no matter of CU601 and CU902: another instance may be otherwise
    "assumed template": Change(template, {"CU602": "the rule's own", "CU601": "", "CU902": ""}),
    "hardly launched": Change(
        left,
        rules=(
            *("CU101", "CU102", "CU103", "CU104", "CU105", "CU106", "CU107", "CU108", "CU109"),
            *("CU502", "CU701", "CU702", "CU703", "CU704", "CU706", "CU707", "CU901"),
            "CU906",
        ),
    ),
    "a library's code": Change(
        lambda source: (source, None),
        {"CU601": ""},  # it is about an argument, not about instructions
        library=True,
    ),
    "tiny launch": Change(
        few,
        rules=(
            *("CU106", "CU107", "CU108", "CU109", "CU303", "CU501", "CU502", "CU503", "CU601"),
            *("CU602", "CU701", "CU702", "CU703", "CU704", "CU705", "CU706", "CU707", "CU902"),
            "CU906",
        ),
    ),
    # all of these waste less than 99.9 %; the conflicts of CU201 and bodies of CU104 do together
    "a small share": Change(
        lambda source: (source, None),
        {"CU104": "", "CU201": ""},
        min_waste=0.999,
    ),
    "little of its program": Change(
        beside_heavy,
        dict.fromkeys(("CU109", "CU401", "CU704", "CU706", "CU707", "CU902"), "")
        | {"CU105": NOTHING},  # `nullptr` is a pointer that nobody shifted
    ),
}


def answers(info: RuleInfo, change: Change, folder: Path) -> Iterator[Answer]:
    """What the engine makes of what a rule suspects in its changed example."""
    source, spec = change.edit(block(info, "Example"))
    path = folder / f"{info.code}.cu"
    path.write_text(source)
    options = CheckOptions(
        rules=frozenset([info.code]),
        root=folder,
        arch=tuple(re.findall(r"--arch (sm_\d+)", source)),
        launches=(spec,) if spec else (),
        min_waste=change.min_waste,
        explain=True,
    )
    stand_ins = {str(path): "cuRAND"} if change.library else objections.STAND_INS
    with patch.object(objections, "STAND_INS", stand_ins):
        accounts = check([path], options).accounts
    for account in accounts:
        for weighed in account.weighed:
            yield from weighed.answers
