from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

import perflint.work
from perflint.__main__ import main
from perflint.base.span import Span
from perflint.lint.findings import Finding, Level, Result
from perflint.lint.options import CheckOptions

Check = Callable[[Sequence[Path], CheckOptions], Result]

PATIENCE = 120.0  #: seconds that nothing here takes, however busy the machine is

#: Source that takes the compiler many seconds: 2**16 functions.
SLOW_TO_COMPILE = """\
template <int A, int N> __device__ int f() {
    if constexpr (N == 0) return A; else return f<2 * A, N - 1>() + f<2 * A + 1, N - 1>();
}
__global__ void k(int *a) { a[0] = f<1, 16>(); }
"""


@dataclass
class Outcome:
    """What one command line did."""

    status: int
    out: str
    err: str


@dataclass
class Pipeline:
    """Stands in for perflint.work.pipeline: answers with `result`, remembers what it was asked."""

    result: Result = field(default_factory=lambda: Result((), (), 1, 1))
    error: BaseException | None = None
    paths: tuple[Path, ...] = ()
    options: CheckOptions | None = None

    def check(self, paths: Sequence[Path], options: CheckOptions) -> Result:
        self.paths, self.options = tuple(paths), options
        options.progress(0, 1, "a.cu")
        if self.error:
            raise self.error
        return self.result


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    fake = Pipeline()
    module = ModuleType("perflint.work.pipeline")
    module.check = fake.check  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "perflint.work.pipeline", module)
    monkeypatch.setattr(perflint.work, "pipeline", module, raising=False)
    return fake


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(arguments)
            raise SystemExit(0)  # --version returns
        captured = capsys.readouterr()
        return Outcome(int(caught.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with one file `a.cu`, outside any repository or configuration."""
    for name in ("NO_COLOR", "FORCE_COLOR", "PERFLINT_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "perflint.toml").write_text("")
    (tmp_path / "a.cu").write_text("__global__ void k(float *a)\n{\n    a[0] = 1;\n}\n")
    return tmp_path


def finding(code: str = "CU101", level: Level = "warning", path: str = "a.cu") -> Finding:
    return Finding(
        code=code,
        name="uncoalesced-global-access",
        level=level,
        verdict="undecided" if level == "note" else "confirmed",
        message=f"a {level}",
        place=Span(Path(path), 3, 5, 3, 9),
    )
