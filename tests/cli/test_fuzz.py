"""The first cases of `benchmarks/fuzz.py`: 700 of all, the same on every run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

CASES = {
    "grammar": 50,
    "facts": 40,
    "launches": 60,
    "builds": 50,
    "ptx": 150,
    "cuda": 20,
    "configuration": 90,
    "database": 90,
    "suppressions": 100,
    "baselines": 50,
}


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("fuzz", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


def test_every_target_is_tried(fuzz: ModuleType) -> None:
    assert set(CASES) == set(fuzz.TARGETS) and sum(CASES.values()) == 700


@pytest.mark.parametrize("target", CASES)
def test_no_case_is_a_problem(target: str, fuzz: ModuleType) -> None:
    found = fuzz.fuzz(target, CASES[target], 0, 2)
    problems = [f"{target}:0:{number}: {o.problem}" for number, o in enumerate(found) if o.problem]
    assert not problems


def test_a_case_is_the_same_again(fuzz: ModuleType) -> None:
    for target in CASES:
        assert fuzz.case(target, 3, 4) == fuzz.case(target, 3, 4) != fuzz.case(target, 3, 5)
