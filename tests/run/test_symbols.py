"""What is read of copies to device variables, against what a run of the program finds there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from perflint import frontend
from perflint.analysis import analyse
from perflint.grammar import parse
from perflint.lint.symbol_values import launch_symbols, symbols_of, with_values
from perflint.run.records import read
from perflint.sim.launch import Fill
from perflint.sim.layout import module_regions
from perflint.sim.memory import REGION_SHIFT, Accounting
from tests.run.conftest import PROGRAMS, perflint_run, ready

#: `given` is what the program has by default: no file says what else it is run with.
KNOWN = {"settings", "taps", "steps", "gravity", "width", "height", "rounds", "given"}


def test_variables_hold_what_a_run_finds_in_them(libraries: Path, tmp_path: Path) -> None:
    record = tmp_path / "launches.zip"
    done = perflint_run("--no-findings", "--record", str(record), "--", str(ready("symbols")))
    assert done.status == 0, done.err
    (launch,) = read(record).launches
    assert launch.image is not None
    found = {region.number: region.data for region in launch.image.regions}

    compilation = frontend.compile_file(PROGRAMS / "symbols.cu")
    assert compilation.ptx is not None
    module = parse(compilation.ptx)
    symbols = symbols_of(module, compilation.facts.values())
    module = with_values(module, symbols)
    (kernel,) = module.kernels
    facts = analyse(module, kernel)
    regions = module_regions(
        module,
        set(module.variables),
        Fill.RANDOM,
        Accounting(1 << 24),
        launch_symbols(facts, symbols, 1024),
    )
    told = {name for name, region in regions.items() if region.initialised}
    assert told - {"kSteps"} == KNOWN
    for name in (*KNOWN, "in_part"):
        region = regions[name]
        real = found[launch.image.symbols[name] >> REGION_SHIFT][: region.size]
        known = region.told.copy() if region.told is not None else np.ones(region.size or 0, bool)
        assert known.any(), name
        mine = region.contents()[: region.size]
        if name in ("settings", "in_part"):
            known[20:24] = False  # behind the last field lies whatever the stack held
        assert (mine[known] == real[known]).all(), name
