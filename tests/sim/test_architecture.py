"""Every architecture file loads, is complete, and names its sources."""

from __future__ import annotations

import pytest

from perflint.sim import architecture


@pytest.mark.parametrize("name", architecture.names())
def test_architecture_is_complete(name: str) -> None:
    arch = architecture.load(name)
    assert arch.name == name
    assert arch.max_warps_per_sm * arch.warp_size >= arch.max_threads_per_sm
    assert arch.shared_per_block <= arch.shared_per_block_optin <= arch.shared_per_sm
    assert arch.shared_rule in ("cc1", "cc2", "cc3", "cc5")
    assert arch.coalescing_rule in ("cc10", "cc12", "lines128", "sectors32")
    for section in ("limits", "shared", "coalescing"):
        assert arch.sources[section]
    assert arch.rates["fp32"].value >= arch.rates["fp64"].value
    for rate in arch.rates.values():
        assert rate.status in ("specified", "measured", "derived", "recalled") and rate.source


@pytest.mark.parametrize("spelling", ["sm_90", "sm_90a", "compute_90", "90", "9.0"])
def test_spellings_of_one_architecture(spelling: str) -> None:
    assert architecture.load(spelling).name == "sm_90"


@pytest.mark.parametrize("name", ["sm_81", "sm_", "", "gfx90a", "../sm_80"])
def test_unknown_architectures_list_the_known(name: str) -> None:
    with pytest.raises(architecture.UnknownArchitectureError, match="sm_80"):
        architecture.load(name)
