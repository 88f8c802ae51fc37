"""The nvcc front end: the user's own compiler, with the user's flags.

Where NVRTC compiles what it can make sense of, this compiles the file as the build does, or says in
nvcc's words why not. It needs a CUDA toolkit and a host compiler.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base import bounds, processes
from perflint.base.patterns import pattern
from perflint.base.text_lines import lines_of
from perflint.frontend.compilation_database import Flags
from perflint.frontend.mangling import origin_of
from perflint.frontend.model import Compilation, CompileError, LostKernel
from perflint.frontend.nvrtc.assemble import entry_names, failed
from perflint.frontend.nvrtc.library import compute_capability
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.project.user_files import UnreadableError, read_text
from perflint.frontend.translation_unit import read_facts

#: What one file may use. The slowest of 437 sources of public suites took 18 s and 919 MB.
SECONDS = 120
MEMORY_BYTES = 4 << 30
TOOLKIT = "/usr/local/cuda"
_MOST_ERRORS = 20
#: `file(line): error: text`, of cudafe; `file:line:column: fatal error: text`, of the preprocessor.
_ERROR = pattern(
    r"^(?P<file>[^\n:(]+)(?:\((?P<line>\d+)\)|:(?P<row>\d+)(?::(?P<column>\d+))?):"
    r" (?:catastrophic |fatal )?error(?: #[\w-]+)?: (?P<text>.+)$",
    re.MULTILINE,
)
_QUOTED = pattern(r'"([A-Za-z_]\w*)"')
#: A header that is not there is nothing wrong in the code that includes it.
_MISSING = pattern("No such file or directory|could(?: not|n't) open source file")
_HOST_STANDARDS = frozenset({"c++03", "c++11", "c++14", "c++17", "c++20"})


class NvccMissingError(RuntimeError):
    """There is no nvcc where it was looked for. The message says where, and what to do."""


def find(given: str = "") -> Path:
    """The nvcc to use: the path given, else that of PATH, CUDA_PATH, CUDA_HOME, /usr/local/cuda.

    Raises NvccMissingError.
    """
    if given:
        named = processes.program(given) if Path(given).name == given else None
        found = named or shutil.which(Path(given).absolute()) or shutil.which(f"{given}/bin/nvcc")
        if found is None:
            raise NvccMissingError(f"{given}: no such program")
        return Path(found).absolute()
    toolkits = [p for name in ("CUDA_PATH", "CUDA_HOME") if (p := os.environ.get(name))]
    if found := processes.program("nvcc"):
        return found
    for toolkit in (*toolkits, TOOLKIT):
        if found_there := shutil.which(f"{toolkit}/bin/nvcc"):
            return Path(found_there).absolute()
    raise NvccMissingError(
        "there is no nvcc on the PATH, in CUDA_PATH or in /usr/local/cuda; give it as "
        "--nvcc=PATH, or leave --nvcc out to compile with NVRTC"
    )


def compile_file(
    path: Path,
    *,
    nvcc: Path,
    arch: str,
    include: Sequence[Path] = (),
    define: Sequence[str] = (),
    flags: Flags | None = None,
    facts: Mapping[Path, SourceFacts] | None = None,
) -> Compilation:
    """Compile a `.cu` or `.cuh` file to PTX as `nvcc -ptx -lineinfo` does.

    Of `flags`, the standard, the headers included first and what changes code are used; `define`
    and `include` are all there is of the others. Errors are the user's: the flags are theirs.
    """
    try:
        facts = facts or read_facts(path, include=include, define=define)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    with tempfile.TemporaryDirectory(prefix="perflint-") as folder:
        output = Path(folder) / "out.ptx"
        command = [
            str(nvcc),
            *("-ptx", "-lineinfo", "-w", "-x", "cu"),
            f"-arch=compute_{compute_capability(arch)}",
            *_options(flags or Flags()),
            *(f"-D{_escaped(d)}" for d in define),
            *(f"-I{_escaped(os.path.realpath(i))}" for i in include),
            *("-MD", "-MF", str(Path(folder) / "read.d")),
            *("-o", str(output), os.path.realpath(path)),
        ]
        code, said = _run(command, Path(folder))
        log = said
        read = _read_files(Path(folder) / "read.d")
        if read is not None and not all(_may_be_read(file, nvcc) for file in read):
            return failed(path, f"nvcc read a file that {bounds.OUTSIDE}", arch)
        if code == 0 and output.is_file():
            ptx = output.read_text(encoding="utf-8", errors="replace")
            return _compiled(path, facts, ptx, arch)
    if read is None and bounds.current() is not None:  # what it says may be of any file
        log = "\n".join(line for line in log.split("\n") if line.startswith("nvcc "))
        errors = tuple(_in_its_words(e) for e in _errors(path, said) if bounds.allowed(e.path))
    else:
        errors = _errors(path, log)
    if not errors:
        return failed(path, f"nvcc: {_why(code, log)}", arch)
    return Compilation(path, None, facts, {}, errors, arch=arch)


def _options(flags: Flags) -> list[str]:
    options = list(flags.codegen)
    if flags.std in _HOST_STANDARDS:
        options.append(f"-std={flags.std}")
    for header in flags.before:
        options += ["-include", _escaped(str(header))]
    return options


#: Folders of the machine's own headers, which hold nobody's secrets.
_SYSTEM = ("/usr", "/opt", "/lib", "/nix/store")
_SEPARATOR = pattern(r"(?<!\\)\s+")


def _read_files(listed: Path) -> list[str] | None:
    """The files that nvcc read, as it lists them for `make`; None if it did not come so far."""
    try:
        text = listed.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    text = text.replace("\\\n", " ").partition(":")[2]
    words = (re.sub(r"\\([\s#\\])", r"\1", word) for word in _SEPARATOR.split(text))
    return [word.replace("$$", "$") for word in words if word]


def _may_be_read(file: str, nvcc: Path) -> bool:
    """Whether a file is the project's, the toolkit's or the system's."""
    real = Path(os.path.realpath(file))
    toolkit = Path(os.path.realpath(nvcc)).parents[1]
    system = any(real.is_relative_to(folder) for folder in (toolkit, *_SYSTEM))
    return system or bounds.allowed(real)


def _in_its_words(error: CompileError) -> CompileError:
    """An error of the preprocessor with what of its text stands in the line that it is about.

    All else may be what a macro stands for, which a file from outside defines.
    """
    try:
        line = lines_of(read_text(error.path))[error.line - 1]
    except (UnreadableError, IndexError):
        line = ""
    what = error.message.partition(":")[0].strip()
    if what.removeprefix("#error").strip() in line and what not in ("", "#error"):
        return error
    return replace(error, message="the preprocessor stops here")


def _escaped(value: str) -> str:
    """nvcc takes a comma for the end of a value."""
    return value.replace("\\", "\\\\").replace(",", "\\,") if "," in value else value


def _run(command: Sequence[str], folder: Path) -> tuple[int | None, str]:
    """(exit status, None if it took too long; what it said), run with limits.

    nvcc starts half a dozen programs: they form a process group, which is killed as one.
    """
    with tempfile.TemporaryFile() as log:
        nvcc = processes.tool(
            Path(command[0]), *command[1:], cwd=folder, memory=MEMORY_BYTES,
            TMPDIR=str(folder), LC_ALL="C",
        )  # fmt: skip
        process = processes.start(nvcc, stdout=log, stderr=processes.STDOUT, session=True)
        try:
            code: int | None = process.wait(SECONDS)
        except processes.Late:
            code = None
        finally:
            processes.end(process, group=True)
        log.seek(0)
        return code, log.read(1 << 20).decode("utf-8", "replace")


def _why(code: int | None, log: str) -> str:
    if code is None:
        return f"it ran for more than {SECONDS} s and was stopped"
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    said = next((line for line in lines if "error" in line or "fatal" in line), (lines or [""])[0])
    return said.removeprefix("nvcc ").strip() or f"it ended with exit status {code}"


def _compiled(path: Path, facts: Mapping[Path, SourceFacts], ptx: str, arch: str) -> Compilation:
    entries = {name: origin_of(name) for name in entry_names(ptx)}
    present = {origin.kernel for origin in entries.values()}
    main = facts[Path(os.path.realpath(path))]
    lost = tuple(
        LostKernel(kernel.name, kernel.span, _why_lost(bool(kernel.template_parameters)))
        for kernel in main.kernels
        if kernel.active and kernel.name not in present
    )
    remarks = () if main.kernels or entries else (f"{path}: there is no kernel in it",)
    return Compilation(path, ptx, facts, entries, (), lost, remarks, arch)


def _why_lost(template: bool) -> str:
    if template:
        return "nvcc made no code for it: nothing in this file instantiates it"
    return "nvcc made no code for it"


def _column(path: Path, line: int, message: str) -> int:
    """Where the name that a message quotes stands in its line, else where the line begins."""
    try:
        written = lines_of(read_text(path))[line - 1]
    except (UnreadableError, IndexError):
        return 1
    name = _QUOTED.search(message)
    found = re.search(rf"(?<!\w){re.escape(name[1])}(?!\w)", written) if name else None
    return found.start() + 1 if found else len(written) - len(written.lstrip()) + 1


def _errors(path: Path, log: str) -> tuple[CompileError, ...]:
    """The compiler's errors, each line once. nvcc reports a file twice, for host and device."""
    found: dict[tuple[str, int, str], CompileError] = {}
    for match in _ERROR.finditer(log):
        name, line = match["file"].strip(), int(match["line"] or match["row"])
        place = Path(name) if Path(name).is_absolute() else path.parent / name
        text = " ".join(match["text"].split())
        column = int(match["column"] or 0) or _column(place, line, text)
        error = CompileError(place, line, column, text, genuine=not _MISSING.search(text))
        found.setdefault((name, line, text), error)
    return tuple(found.values())[:_MOST_ERRORS]
